/** The OpenAPI 3.1 document of the whole HTTP API, assembled from the operations that the routes declare. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCheck } from '../../checks/catalog.ts';
import { packageRoot } from '../../foundation/package-root.ts';
import { exampleAnswer } from './checks.ts';
import { writeEvents } from './events.ts';
import { exampleEntity } from './examples.ts';
import { documentedPath, type Operation, sharedHeaders, writeOperation } from './operation.ts';
import { refusalExamples, sharedSchemas } from './schema.ts';

/** In display order. */
const TAGS: Record<string, string> = {
  catalogue: 'Every check, with its inputs',
  nin: 'National identity number',
  bvn: 'Bank verification number',
  cac: 'Companies, business names, trustees',
  tin: 'Tax identification number',
  credit: 'Credit bureaus',
  document: 'Documents, phone and address',
  face: 'Faces',
  aml: 'Sanctions and politically exposed persons',
  email: 'Risk of an email address',
  previews: 'Announced checks, with test keys',
  sandbox: 'Your own portraits, with test keys',
  jobs: 'One check, answered later',
  batches: 'Many rows at once',
  results: 'Results of a batch',
  approvals: 'What a second person decides',
  money: 'Wallet, prices, usage',
  requests: 'The app’s last requests, and what is happening now',
  reviews: 'Results that a person must decide about',
  privacy: 'How long data is kept, and erasing a person',
  audit: 'Who read and changed what',
  webhooks: 'Where events are sent',
  events: 'Messages to your server',
  keys: 'The app’s own API keys',
  people: 'Signing in, sessions, and the people of an app',
  operator: 'Apps, keys, top-ups, agreements',
  operations: 'Health, metrics, documentation',
};

const INTRODUCTION = `Verification of Nigerian identities, businesses and risk signals: one at a time, or a million rows at a time.

Send the API key as the whole value of \`Authorization\`, and the app's id as \`AppId\`. Test keys (\`cf_test_…\`) reach the built-in sandbox of
invented people: any well-formed number is found there, except \`00000000001\`. Amounts are in naira. Every refusal has the same form and
is never charged. Every answer has \`X-Request-Id\`. A method that a path does not declare here is 405 \`method_not_allowed\`; \`Allow\` lists those that it does. HEAD works wherever
GET reads something.`;

/** The document as a plain object. `declared` are constants, so it is the same at every call within a release. */
export async function openApiDocument(declared: readonly Operation[]): Promise<Record<string, unknown>> {
  const operations = await Promise.all(declared.map(withExample));
  const used = new Set([...operations.map(({ tag }) => tag), 'events']);
  return {
    openapi: '3.1.0',
    info: { title: 'Confam', version: packageVersion(), summary: 'Identity verification, self-hosted', description: INTRODUCTION },
    servers: [{ url: '/', description: 'Where this document came from' }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    paths: writePaths(operations),
    webhooks: writeEvents(),
    components: {
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'The whole value, without a scheme word' },
        AppId: { type: 'apiKey', in: 'header', name: 'AppId', description: 'app_…' },
        Session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'confam_session',
          description: 'Of a person who has signed in; with https `__Host-confam_session`',
        },
        CsrfToken: { type: 'apiKey', in: 'header', name: 'X-CSRF-Token', description: 'With every request of a person but GET and HEAD' },
        AdminKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'The operator’s key' },
      },
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description:
            'A request that is repeated with the same key is carried out once. The answer to a repeat has the header `Idempotency-Replayed: true`',
          schema: { type: 'string', minLength: 1, maxLength: 255 },
        },
      },
      headers: sharedHeaders(),
      examples: refusalExamples(),
      schemas: sharedSchemas(),
    },
  };
}

/** Adds the sandbox's answer to the operation of a check, which has the check's id. */
async function withExample(operation: Operation): Promise<Operation> {
  const check = findCheck(operation.id);
  const entity = check ? await exampleEntity(check) : null;
  if (!check || entity === null) return operation;
  const { content, ...rest } = operation.answers[200] as { content: Record<string, Record<string, unknown>> };
  const json = { ...content['application/json'], example: exampleAnswer(check, entity) };
  return { ...operation, answers: { ...operation.answers, 200: { ...rest, content: { 'application/json': json } } } };
}

function writePaths(operations: readonly Operation[]): Record<string, Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = documentedPath(operation.path);
    paths[path] = { ...paths[path], [operation.method]: writeOperation(operation) };
  }
  return paths;
}

const packageVersion = (): string => JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')).version;
