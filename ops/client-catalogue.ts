/** Writes the clients' lists of checks from the declarations (`npm run clients:catalogue`); a test fails if one is stale. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type JsonSchema, schemaOf } from '../src/api/openapi/schema.ts';
import { checks } from '../src/checks/catalog.ts';
import type { Check } from '../src/checks/check.ts';
import { camelCase, methodOf } from '../src/client/code-samples.ts';
import { packageRoot } from '../src/foundation/package-root.ts';

const TYPESCRIPT = join(packageRoot(), 'src/client/catalogue.ts');
const PYTHON = join(packageRoot(), 'clients/python/confam.py');
const START = '# Written by `npm run clients:catalogue` from src/checks/; edit it there.\n';
const END = '# End of what is written.\n';

/** The files by their paths. */
export const renderCatalogues = (): Record<string, string> => ({
  [TYPESCRIPT]: typescript(),
  [PYTHON]: python(readFileSync(PYTHON, 'utf8')),
});

const pascal = (name: string): string => camelCase(`_${name}`);

const byFamily = (): [string, Check[]][] =>
  [...new Set(checks.map(({ family }) => family))].map((family) => [family, checks.filter((check) => check.family === family)]);

function typescript(): string {
  const types = checks.map(({ id, summary, input, entity }) => {
    const name = pascal(id);
    return `/** ${summary}. */
export interface ${name} {
  input: ${typeOf(schemaOf(input, 'input'), 1)};
  entity: ${typeOf(schemaOf(entity, 'output'), 1)};
}`;
  });
  const table = checks.map(({ id }) => `  ${id}: ${pascal(id)};`);
  const families = byFamily().map(([family, members]) => {
    const lines = members.map(
      (check) => `    ${camelCase(methodOf(check))}: { id: '${check.id}', method: '${check.route.method}', path: '${check.route.path}' },`,
    );
    return `  ${family}: {\n${lines.join('\n')}\n  },`;
  });
  return `/** The checks: what each takes and finds, and where it is called. Written by \`npm run clients:catalogue\` from src/checks/; edit it there. */

${types.join('\n\n')}

export interface Checks {
${table.join('\n')}
}

export type CheckId = keyof Checks;

/** By family and name, as the client offers them. */
export const catalogue = {
${families.join('\n')}
} as const satisfies Record<string, Record<string, { id: CheckId; method: 'GET' | 'POST'; path: string }>>;
`;
}

/** A JSON Schema as TypeScript. */
function typeOf(schema: JsonSchema, depth: number): string {
  const {
    type,
    enum: values,
    anyOf,
    properties,
    required,
    items,
    additionalProperties,
  } = schema as {
    type?: string | string[];
    enum?: unknown[];
    anyOf?: JsonSchema[];
    properties?: Record<string, JsonSchema>;
    required?: string[];
    items?: JsonSchema;
    additionalProperties?: JsonSchema | boolean;
  };
  if (values) return values.map((value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))).join(' | ');
  if (anyOf) return anyOf.map((one) => typeOf(one, depth)).join(' | ');
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one }, depth)).join(' | ');
  if (type === 'array') {
    const item = typeOf(items ?? {}, depth);
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
  }
  if (type === 'object' && properties) {
    const indent = '  '.repeat(depth);
    const members = Object.entries(properties).map(([name, member]) => {
      const described = typeof member.description === 'string' ? `${indent}  /** ${member.description.replaceAll('*/', '* /')} */\n` : '';
      return `${described}${indent}  ${name}${required?.includes(name) ? '' : '?'}: ${typeOf(member, depth + 1)};\n`;
    });
    return `{\n${members.join('')}${indent}}`;
  }
  if (type === 'object') {
    return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties, depth) : 'unknown'}>`;
  }
  return type === 'integer' ? 'number' : (type ?? 'unknown');
}

function python(file: string): string {
  const families = byFamily().map(([family, members]) => {
    const lines = members.map(
      (check) => `        "${methodOf(check)}": ("${check.id}", "${check.route.method}", "${check.route.path}"),\n`,
    );
    return `    "${family}": {\n${lines.join('')}    },\n`;
  });
  const [before, after] = [file.indexOf(START) + START.length, file.indexOf(END)];
  return `${file.slice(0, before)}CATALOGUE = {\n${families.join('')}}\n${file.slice(after)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(renderCatalogues())) writeFileSync(path, text);
}
