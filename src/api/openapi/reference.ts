/** The API reference in Markdown, made from the document itself: an index, a page for each tag with its operations, and one of the shared schemas. */
import { findCheck } from '../../checks/catalog.ts';
import type { JsonSchema } from './schema.ts';
import { cell, memberRows, rulesOf, sharedName, typeOf } from './tables.ts';

/** A page of the documentation that no file holds. */
export interface MadePage {
  /** Below `/docs/`. */
  name: string;
  markdown: string;
}

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
}

interface Media {
  schema?: JsonSchema;
  example?: unknown;
  examples?: Record<string, unknown>;
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, unknown>[];
  'x-scope'?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
}

interface Document {
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, JsonSchema>; parameters: Record<string, Parameter> };
}

interface Placed {
  method: string;
  path: string;
  operation: Operation;
}

export function referencePages(written: Record<string, unknown>): MadePage[] {
  const document = written as unknown as Document;
  const all = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Placed => ({ method: method.toUpperCase(), path, operation })),
  );
  const tags = document.tags.map(({ name, description }) => ({
    name,
    description,
    own: all.filter(({ operation }) => operation.tags[0] === name),
  }));
  const pages = tags.map(({ name, description, own }) => ({
    name: `reference/${name}`,
    markdown:
      name === 'events'
        ? eventsPage(document, description)
        : `# ${titled(name)}: ${lowered(description)}\n\n${own.map((one) => section(document, one)).join('\n')}`,
  }));
  const index = tags.map(
    ({ name, description, own }) =>
      `## ${titled(name)}\n\n${description}: [all about it](reference/${name}.md).\n\n${own.length === 0 ? '' : `| | | |\n|---|---|---|\n${own.map((one) => indexRow(name, one)).join('\n')}\n`}`,
  );
  const introduction = `# API reference

${document.info.description}

The same for machines, for Postman, Bruno and code generators, is at \`/openapi.json\`. What requests and answers have in common is in [API](api.md). To try a check, open the [console](console.md): its page shows the answer and the call as code.
Shared answers are under [schemas](reference/schemas.md), refusals in [errors](errors.md).
`;
  return [
    { name: 'reference', markdown: `${introduction}\n${index.join('\n')}` },
    ...pages,
    { name: 'reference/schemas', markdown: schemasPage(document) },
  ];
}

const ABBREVIATIONS = ['nin', 'bvn', 'cac', 'tin', 'aml'];
const titled = (name: string): string => (ABBREVIATIONS.includes(name) ? name.toUpperCase() : `${name[0]!.toUpperCase()}${name.slice(1)}`);
/** Within a sentence: `NIN` and other abbreviations stay. */
const lowered = (text: string): string => (/^[A-Z][a-z’]/.test(text) ? `${text[0]!.toLowerCase()}${text.slice(1)}` : text);
const prose = (text: string): string => text.replace(/`[^`]*`|</g, (part) => (part === '<' ? '&lt;' : part));

const indexRow = (tag: string, { method, path, operation }: Placed): string =>
  `| \`${method}\` | \`${path}\` | [${cell(operation.summary)}](reference/${tag}.md#${operation.operationId.toLowerCase()}) |`;

function section(document: Document, { method, path, operation }: Placed): string {
  const { operationId, summary, description } = operation;
  const check = findCheck(operationId);
  const parts = [
    `## ${operationId}`,
    prose(`${summary}.`),
    `\`${method} ${path}\`: ${callerOf(operation)}.`,
    description === undefined ? '' : prose(description),
    check ? `Inputs, answer, errors and the call in three languages: [${check.id}](../checks.md#${check.id}).` : '',
    parametersOf(document, operation),
    bodyOf(operation),
    check ? '' : `\`\`\`sh\n${curl(document, method, path, operation)}\n\`\`\``,
    ...Object.entries(operation.responses)
      .filter(([status]) => Number(status) < 400)
      .map(([status, answer]) => answerOf(status, answer)),
    refusalsOf(operation),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const CALLERS: Readonly<Record<string, string>> = {
  ApiKey: 'a key of the app',
  AdminKey: 'the operator’s key',
  Session: 'a person who has signed in',
};

function callerOf({ security, 'x-scope': scope }: Operation): string {
  const who = security.map((one) => CALLERS[Object.keys(one)[0]!]).join(' or ');
  return who === '' ? 'anybody, without a key' : `${who}${scope ? ` with the scope \`${scope}\`` : ''}`;
}

const parameterOf = ({ components }: Document, parameter: Parameter): Parameter =>
  parameter.$ref === undefined ? parameter : components.parameters[parameter.$ref.split('/').at(-1)!]!;

function parametersOf(document: Document, { parameters = [] }: Operation): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map((one) => {
    const { name, in: where, required, description, schema } = parameterOf(document, one);
    const place = where === 'query' ? '' : ` (${where})`;
    return `| \`${name}\`${place} | ${required ? 'required' : 'optional'} | ${typeOf(schema)} | ${cell([description, rulesOf({ ...schema, ...(description !== undefined && { description: undefined }) })].filter(Boolean).join('; '))} |`;
  });
  return `| parameter | | type | |\n|---|---|---|---|\n${rows.join('\n')}`;
}

/** A shared schema is a link, another one a table of its members. */
function shown(lead: string, schema: JsonSchema | undefined): string {
  if (schema === undefined) return `${lead}.`;
  const rows = memberRows('', schema);
  if (sharedName(schema) !== null || rows === '') return `${lead}: ${typeOf(schema)}.`;
  return `${lead}:\n\n| member | type | |\n|---|---|---|\n${rows}`;
}

function bodyOf({ requestBody }: Operation): string {
  if (!requestBody) return '';
  const { 'application/json': json, ...others } = requestBody.content;
  const types = Object.keys(others).map((type) => `\`${type}\``);
  return [json && shown('**Body**, as JSON', json.schema), types.length > 0 && `**Body**${json ? ', otherwise' : ''}: ${types.join(', ')}.`]
    .filter(Boolean)
    .join('\n\n');
}

function answerOf(status: string, { description, content = {} }: Operation['responses'][string]): string {
  const { 'application/json': json, ...others } = content;
  const types = Object.keys(others).map((type) => `\`${type}\``);
  const lead = `**${status}** ${prose(description)}${types.length > 0 ? ` (${json ? 'JSON or ' : ''}${types.join(', ')})` : ''}`;
  // api.md describes once what surrounds the entity in every answer.
  const { entity } = (json?.schema?.properties ?? {}) as { entity?: JsonSchema };
  return json ? shown(entity ? `${lead}; \`entity\`` : lead, entity ?? json.schema) : `${lead}.`;
}

function refusalsOf({ responses }: Operation): string {
  const codes = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, { content }]) =>
      `${status} ${Object.keys(content?.['application/json']?.examples ?? {})
        .map((code) => `\`${code}\``)
        .join(', ')}`.trim(),
    );
  return codes.length === 0 ? '' : `Refused with ${codes.join(' · ')}: [errors](../errors.md).`;
}

/** Parts of a path, as variables of a shell. */
const variable = (name: string): string => `$${name.toUpperCase()}`;

const CREDENTIALS: Readonly<Record<string, string>> = {
  ApiKey: ' -H "Authorization: $KEY"',
  AppId: ' -H "AppId: $APP"',
  AdminKey: ' -H "Authorization: $ADMIN_KEY"',
  Session: ' -b "$COOKIE"',
  CsrfToken: ' -H "X-CSRF-Token: $CSRF_TOKEN"',
};

/** Reading needs no CSRF token. */
const credentialsOf = ([schemes = {}]: Operation['security'], method: string): string =>
  Object.keys(schemes)
    .filter((scheme) => scheme !== 'CsrfToken' || method !== 'GET')
    .map((scheme) => CREDENTIALS[scheme])
    .join('');

/** A stream is shown as it comes; a file that no terminal can show is saved under its own name. */
function receivingOf(responses: Operation['responses']): string {
  const types = Object.keys(responses['200']?.content ?? {});
  if (types.includes('text/event-stream')) return ' -N';
  return types.length > 0 && types.every((type) => /^(image|application\/pdf)/.test(type)) ? ' -OJ' : '';
}

/** What a body that is a file may be called. */
const FILES: Readonly<Record<string, string>> = { 'text/csv': 'customers.csv', 'image/jpeg': 'picture.jpg' };

function curl(document: Document, method: string, path: string, { security, parameters = [], requestBody, responses }: Operation): string {
  const query = parameters
    .map((one) => parameterOf(document, one))
    .map(({ schema, example = schema.example, ...one }) => ({ ...one, example }))
    .filter((one) => one.in === 'query' && (one.required || one.example !== undefined))
    .map(({ name, example }) => `${name}=${example === undefined ? variable(name) : encodeURIComponent(String(example))}`);
  const address = `"$BASE${path.replace(/\{(\w+)\}/g, (_, name: string) => variable(name))}${query.length > 0 ? `?${query.join('&')}` : ''}"`;
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const isJson = type === 'application/json';
  const verb = method === 'GET' || (method === 'POST' && type !== undefined) ? '' : ` -X ${method}`;
  const sent =
    type === undefined
      ? ''
      : ` -H 'Content-Type: ${type}' \\\n  ${isJson ? `-d '${JSON.stringify(media!.example ?? exampleOf(document, media!.schema ?? {})).replaceAll("'", `'\\''`)}'` : `--data-binary @${FILES[type] ?? 'file'}`}`;
  return `curl${receivingOf(responses)}${verb}${credentialsOf(security, method)} ${address}${sent}`;
}

/** The required members, with the first value that each allows. */
function exampleOf(document: Document, schema: JsonSchema): unknown {
  const shared = sharedName(schema);
  if (shared !== null) return exampleOf(document, document.components.schemas[shared]!);
  const {
    example,
    const: only,
    enum: values,
    default: fallback,
    anyOf,
    type,
    properties,
    required = [],
    items,
    format,
    minimum = 1,
  } = schema as JsonSchema & {
    enum?: unknown[];
    anyOf?: JsonSchema[];
    properties?: Record<string, JsonSchema>;
    required?: string[];
    items?: JsonSchema;
  };
  const known = example ?? only ?? values?.[0] ?? fallback;
  if (known !== undefined) return known;
  if (anyOf) return exampleOf(document, anyOf[0]!);
  if (properties) return Object.fromEntries(required.map((name) => [name, exampleOf(document, properties[name] ?? {})]));
  if (type === 'array') return items ? [exampleOf(document, items)] : [];
  if (type === 'integer' || type === 'number') return minimum;
  if (type === 'boolean') return true;
  if (format === 'date-time') return '2026-11-22T09:00:00Z';
  if (format === 'date') return '2026-11-22';
  return '…';
}

function eventsPage({ webhooks }: Document, description: string): string {
  const sections = Object.entries(webhooks).map(
    ([type, { post }]) => `## ${type}\n\n${shown('**Body**, as JSON', post.requestBody!.content['application/json']!.schema)}\n`,
  );
  return `# Events: ${lowered(description)}\n\nWhen each is sent, how it is signed and repeated: [webhooks](../webhooks.md).\n\n${sections.join('\n')}`;
}

function schemasPage({ components }: Document): string {
  const sections = Object.entries(components.schemas).map(([name, schema]) => {
    const rows = memberRows('', schema);
    const described = typeof schema.description === 'string' ? `${prose(schema.description)}\n\n` : '';
    return `## ${name}\n\n${described}${rows === '' ? `${typeOf(schema)}\n` : `| member | type | |\n|---|---|---|\n${rows}\n`}`;
  });
  return `# Schemas: what answers hold\n\nEach is in \`entity\` of an answer, or within another one.\n\n${sections.join('\n')}`;
}
