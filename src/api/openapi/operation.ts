/** One operation and how it is written in OpenAPI. What all operations share (keys, refusals, headers) is added here. */
import type { z } from 'zod';
import type { Scope } from '../../contract/scopes.ts';
import { type ErrorCode, errorCodes } from '../../foundation/errors.ts';
import { envelopeOf, type JsonSchema, refTo, schemaOf } from './schema.ts';

export interface Parameter {
  name: string;
  in: 'query' | 'header' | 'path';
  required?: boolean;
  description?: string;
  schema: JsonSchema;
  style?: string;
  explode?: boolean;
  example?: unknown;
}

/**
 * Who may use a path: any key of an app, its test keys only, a language model with any of its keys, the operator's key, that or the monitoring token, a person who
 * has signed in, whoever is about to sign in, or anyone.
 */
export type Who = 'app' | 'test' | 'model' | 'admin' | 'monitoring' | 'person' | 'visitor' | 'anyone';

export interface Operation {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** In the router's form: `/api/v1/jobs/:id`. */
  path: string;
  id: string;
  tag: string;
  summary: string;
  description?: string;
  who: Who;
  /** What an app's key must be allowed to do. */
  scope?: Scope | undefined;
  /** Keys are refused: a person who has signed in must do it. */
  peopleOnly?: true | undefined;
  parameters?: readonly Parameter[];
  body?: Record<string, unknown>;
  /** By status. */
  answers: Record<number, Record<string, unknown>>;
  /** Besides those that follow from `who`, the path and the method. */
  errors?: readonly ErrorCode[];
}

const APP = [{ ApiKey: [], AppId: [] }];
const ADMIN = [{ AdminKey: [] }];
const PERSON = [{ Session: [], CsrfToken: [] }];
const SECURITY: Record<Who, unknown[]> = {
  app: APP,
  test: APP,
  model: APP,
  admin: ADMIN,
  monitoring: ADMIN,
  person: PERSON,
  visitor: [],
  anyone: [],
};
const PERSON_OF_APP = [{ Session: [], CsrfToken: [], AppId: [] }];

/** `/api/v1/jobs/:id` → `/api/v1/jobs/{id}` */
export const documentedPath = (path: string): string => path.replace(/:([^/]+)/g, '{$1}');

export function writeOperation(operation: Operation): Record<string, unknown> {
  const { id, tag, summary, description, who, scope, peopleOnly, parameters = [], body, answers } = operation;
  const inPath = [...operation.path.matchAll(/:([^/]+)/g)].map(
    ([, name]): Parameter => ({ name: name!, in: 'path', required: true, schema: { type: 'string' } }),
  );
  const all = [...inPath, ...parameters.filter((parameter) => parameter.in !== 'path')].map(
    (parameter) => parameters.find((own) => own.in === 'path' && own.name === parameter.name) ?? parameter,
  );
  const shared = operation.method === 'post' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: peopleOnly ? (who === 'admin' ? PERSON : PERSON_OF_APP) : SECURITY[who],
    ...(scope && { 'x-scope': scope }),
    ...(all.length + shared.length > 0 && { parameters: [...all, ...shared] }),
    ...(body && { requestBody: body }),
    responses: { ...answers, ...refusals(errorsOf(operation)) },
  };
}

function errorsOf({ method, path, who, body, parameters = [], errors = [] }: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(errors);
  const add = (condition: boolean, ...more: ErrorCode[]) => condition && more.forEach((code) => void codes.add(code));
  // The last for an option or a body that the path does not know.
  add(who !== 'anyone' && who !== 'visitor', 'unauthenticated', 'forbidden', 'invalid_request');
  add(who !== 'anyone', 'rate_limited');
  add(who === 'person' || who === 'admin', 'too_many_in_progress', 'overloaded');
  add(who === 'app' || who === 'test', 'app_suspended', 'too_many_in_progress', 'overloaded');
  add(who === 'app' || who === 'test' || who === 'admin', 'second_factor_setup_required');
  add(body !== undefined, 'invalid_request', 'payload_too_large', 'unsupported_media_type');
  add(parameters.length > 0, 'invalid_request');
  add(path.includes(':'), 'resource_not_found');
  add(method === 'post', 'idempotency_in_progress', 'idempotency_mismatch');
  add(true, 'internal', 'unavailable', 'key_unavailable');
  return (Object.keys(errorCodes) as ErrorCode[]).filter((code) => codes.has(code));
}

/** One answer for each status. `code` tells its errors apart, and each has its own example. */
function refusals(codes: ErrorCode[]): Record<string, unknown> {
  const statuses = [...new Set(codes.map((code) => errorCodes[code].status))];
  return Object.fromEntries(
    statuses.map((status) => {
      const own = codes.filter((code) => errorCodes[code].status === status);
      const examples = Object.fromEntries(own.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
      const headers = refusalHeaders(own);
      return [
        status,
        {
          description: own.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join('\n\n'),
          ...(Object.keys(headers).length > 0 && { headers }),
          content: { 'application/json': { schema: refTo('Refusal'), examples } },
        },
      ];
    }),
  );
}

/** Refusals that pass by themselves say when to ask again. */
const PASSING: readonly ErrorCode[] = [
  'idempotency_in_progress',
  'rate_limited',
  'too_many_misses',
  'too_many_in_progress',
  'lists_not_loaded',
  'overloaded',
  'provider_pending',
  'key_unavailable',
  'unavailable',
  'provider_unavailable',
];

const refusalHeaders = (codes: readonly ErrorCode[]) => ({
  ...(codes.includes('unauthenticated') && { 'WWW-Authenticate': { $ref: '#/components/headers/WWWAuthenticate' } }),
  ...(codes.some((code) => PASSING.includes(code)) && { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }),
});

/** Those of refusals, for `#/components/headers/…`. */
export const sharedHeaders = () => ({
  WWWAuthenticate: header('`ApiKey`', { type: 'string' }),
  RetryAfter: header('Seconds until it is worth trying again', { type: 'integer' }),
});

/** A JSON answer in the envelope. */
export const answer = (description: string, entity: JsonSchema, headers?: Record<string, unknown>) => ({
  description,
  ...(headers && { headers }),
  content: { 'application/json': { schema: envelopeOf(entity) } },
});

/** JSON, or CSV with `format=csv`. */
export const answerOrCsv = (description: string, entity: JsonSchema) => ({
  description,
  content: { 'application/json': { schema: envelopeOf(entity) }, 'text/csv': { schema: { type: 'string' } } },
});

/** A file, in one or more media types. */
export const file = (description: string, ...mediaTypes: string[]) => ({
  description,
  content: Object.fromEntries(
    mediaTypes.map((type) => [type, { schema: TEXT_TYPE.test(type) ? { type: 'string' } : { type: 'string', format: 'binary' } }]),
  ),
});

const TEXT_TYPE = /^text\/|json$/;

export const header = (description: string, schema: JsonSchema = { type: 'string' }) => ({ description, schema });

export const location = {
  Location: header('Path of the new resource'),
  'Retry-After': header('Seconds until it is worth asking', { type: 'integer' }),
};

/** A body in JSON. */
export const bodyOf = (schema: z.ZodType, example?: unknown, required = true) => ({
  required,
  content: { 'application/json': { schema: schemaOf(schema, 'input'), ...(example !== undefined && { example }) } },
});

/** Every path that verifies accepts it; a body also accepts it as a member. */
export const consentHeader: Parameter = {
  name: 'Consent',
  in: 'header',
  required: false,
  description:
    'Consent of the subject, as JSON: `{reference, purpose, obtained_at}`. Required with a live key if the operator demands it of the app',
  schema: { type: 'string' },
  example: '{"reference":"C-7","purpose":"account opening","obtained_at":"2025-11-20T10:00:00+01:00"}',
};

/** Every member of an object schema as a query parameter, with its example if there is one. The values of a list are separated by commas. */
export function queryOf(schema: z.ZodType, examples: Record<string, unknown> = {}): Parameter[] {
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as { properties?: Record<string, JsonSchema>; required?: string[] };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(typeof description === 'string' && { description }),
    schema: rest,
    ...(rest.type === 'array' && { style: 'form', explode: false }),
    ...(examples[name] !== undefined && { example: examples[name] }),
  }));
}
