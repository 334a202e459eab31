/** Requests generated from `/openapi.json`: each operation with fitting and broken input, ids of one's own, of others and of nothing, by every kind of caller. */
import { gzipSync } from 'node:zlib';
import type { Random } from './random.ts';
import { type Schema, Values } from './values.ts';

export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

interface Parameter {
  $ref?: string;
  name: string;
  in: 'query' | 'path' | 'header';
  required?: boolean;
  schema?: Schema;
  example?: unknown;
}

interface Operation {
  operationId: string;
  security?: unknown[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }> };
  responses: Record<string, unknown>;
}

/** Who sends requests: a name for the report, and the headers. */
export interface Actor {
  name: string;
  kind: 'app' | 'admin' | 'person' | 'nobody';
  headers: Record<string, string>;
}

/** Ids by their prefix: of the app that asks, and of another one. */
export interface Ids {
  own: Record<string, string[]>;
  foreign: Record<string, string[]>;
}

export interface Generated {
  operation: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
  actor: Actor;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** Longer waits are the same code, and no hang could be told from one. */
const WAIT_MAX = 1;

const QUERY_LENGTH_MAX = 6_000;

/** Which ids a parameter of a path takes. */
const PREFIXES: [RegExp, string][] = [
  [/\/admin\/apps\/\{id\}\/prices\/\{price\}/, 'prc'],
  [/\/admin\/apps\/\{id\}/, 'app'],
  [/\/keys\/\{id\}/, 'key'],
  [/\/people\/\{id\}/, 'per'],
  [/\/jobs\/\{id\}/, 'job'],
  [/\/batches\/\{id\}/, 'bat'],
  [/\/links\/\{id\}/, 'lnk'],
  [/\/monitors\/\{id\}/, 'mon'],
  [/\/clearances\/\{id\}/, 'clr'],
  [/\/endpoints\/\{id\}/, 'whe'],
  [/\/deliveries\/\{id\}/, 'dlv'],
  [/\/sessions\/\{id\}/, 'ses'],
  [/\/passkeys\/\{id\}/, 'pky'],
];

export const prefixOf = (path: string, name: string): string | null =>
  PREFIXES.find(([pattern, prefix]) => pattern.test(path) && (name === 'id' || prefix === 'prc'))?.[1] ?? null;

export const unknownId = (random: Random, prefix: string): string =>
  `${prefix}_0190${Array.from({ length: 28 }, (_, i) => (i === 8 ? '7' : i === 12 ? '8' : '0123456789abcdef'[random.below(16)])).join('')}`;

export class Requests {
  private readonly random: Random;
  private readonly document: Document;
  private readonly values: Values;
  private readonly operations: { path: string; method: string; operation: Operation }[];
  private readonly ids: Ids;
  private readonly actors: readonly Actor[];

  constructor(random: Random, document: Document, actors: readonly Actor[], ids: Ids) {
    this.random = random;
    this.document = document;
    this.actors = actors;
    this.ids = ids;
    this.values = new Values(random, (ref) => this.resolve(ref));
    this.operations = Object.entries(document.paths).flatMap(([path, item]) =>
      METHODS.flatMap((method) => (item[method] ? [{ path, method, operation: item[method] }] : [])),
    );
  }

  get count(): number {
    return this.operations.length;
  }

  next(): Generated {
    const { random } = this;
    const { path, method, operation } = random.pick(this.operations);
    const isBroken = random.chance(0.5);
    const actor = this.actorFor(path);
    const parameters = (operation.parameters ?? []).map((one) => (one.$ref ? (this.resolve(one.$ref) as unknown as Parameter) : one));
    const headers: Record<string, string> = { ...actor.headers };
    for (const { name, required, schema = {}, ...parameter } of parameters.filter((one) => one.in === 'header')) {
      if (!required && !random.chance(0.15)) continue;
      const value =
        isBroken && random.chance(0.4) ? this.values.odd() : 'example' in parameter ? parameter.example : this.values.fitting(schema);
      headers[name] = headerText(value);
    }
    this.addOddHeaders(headers);
    const { body, type } = this.bodyOf(operation, isBroken);
    if (type) headers['Content-Type'] = type;
    if (body && random.chance(0.03)) headers['Content-Encoding'] = random.pick(['gzip', 'br', 'identity']);
    const isGzip = body !== null && headers['Content-Encoding'] === 'gzip' && random.chance(0.5);
    return {
      operation: operation.operationId,
      method:
        isBroken && random.chance(0.05) ? random.pick(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'GET', 'POST', 'HEAD']) : method.toUpperCase(),
      path: this.pathOf(path, parameters, isBroken),
      headers: capWait(headers),
      body: isGzip ? gzipSync(body) : body,
      actor,
    };
  }

  private resolve(ref: string): Schema {
    const [, , kind, name] = ref.split('/') as [string, string, string, string];
    return this.document.components[kind]![name] as Schema;
  }

  /** Mostly somebody who may, so that more than the guard is reached. */
  private actorFor(path: string): Actor {
    const kind = path.includes('/admin/') ? 'admin' : path.includes('/session') ? 'person' : 'app';
    const fitting = this.actors.filter((actor) => actor.kind === kind);
    return this.random.chance(0.7) && fitting.length > 0 ? this.random.pick(fitting) : this.random.pick(this.actors);
  }

  private addOddHeaders(headers: Record<string, string>): void {
    const { random } = this;
    const odd: [string, () => string][] = [
      ['Idempotency-Key', () => (random.chance(0.3) ? `again-${random.below(5)}` : `key-${random.below(1e9)}`)],
      ['If-None-Match', () => random.pick(['*', 'W/"x"', '"abc"', ''])],
      ['Accept-Encoding', () => random.pick(['gzip', 'gzip;q=0', '*', 'br', ''])],
      ['Accept', () => random.pick(['text/html', 'application/xml', '*/*', 'x'])],
      ['Prefer', () => random.pick(['wait=1', 'wait=0', 'respond-async', 'wait=-1', 'wait=x'])],
      ['Range', () => 'bytes=0-10'],
      ['Last-Event-ID', () => random.pick(['0', '1', '99999', 'x'])],
      ['Consent', () => random.pick(['x', '{}', '{"reference":"r","purpose":"p","obtained_at":"2025-01-01T00:00:00Z"}'])],
      ['Content-Digest', () => 'sha-256=:AAAA:'],
      ['Confam-Mode', () => random.pick(['live', 'test', 'x'])],
      ['AppId', () => random.pick(['', 'app_0', unknownId(random, 'app')])],
      ['Authorization', () => random.pick(['', 'Bearer', 'cf_test_x', `cf_test_${'a'.repeat(60)}`])],
    ];
    if (random.chance(0.15)) {
      const [name, value] = random.pick(odd);
      headers[name] = value();
    }
  }

  private pathOf(template: string, parameters: Parameter[], isBroken: boolean): string {
    const { random, values } = this;
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const prefix = prefixOf(template, name);
      if (prefix) return this.idOf(prefix);
      const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
      if (isBroken && random.chance(0.3))
        return safe(encodeURIComponent(String(random.pick(['x', '..', '%', 'a/b', '\u0000', '😀', '1'.repeat(300)]))));
      return safe(encodeURIComponent(queryText(parameter?.example ?? values.fitting(parameter?.schema ?? {})).toWellFormed()));
    });
    const query: string[] = [];
    for (const { name, schema = {}, required, ...parameter } of parameters.filter((one) => one.in === 'query')) {
      if (!required && !random.chance(0.4)) continue;
      if (required && isBroken && random.chance(0.15)) continue;
      const value =
        isBroken && random.chance(0.4)
          ? values.odd()
          : 'example' in parameter && random.chance(0.5)
            ? parameter.example
            : values.fitting(schema);
      const sent = queryText(value).slice(0, 4_000);
      const text = name === 'wait' && Number(sent) > WAIT_MAX ? String(WAIT_MAX) : sent;
      query.push(`${encodeURIComponent(name)}=${safe(encodeURIComponent(text.toWellFormed()))}`);
      if (isBroken && random.chance(0.05)) query.push(`${name}=again`);
    }
    if (isBroken && random.chance(0.1))
      query.push(random.pick(['unknown=1', 'a=%zz', '%', '=', '&&', 'limit[]=1', 'cursor=%00', 'format=__proto__']));
    // Longer ones are refused before any route, with the connection: test/api/refusals.test.ts.
    while (query.join('&').length > QUERY_LENGTH_MAX) query.pop();
    return query.length > 0 ? `${path}?${query.join('&')}` : path;
  }

  private idOf(prefix: string): string {
    const { random, ids } = this;
    const [own, foreign] = [ids.own[prefix] ?? [], ids.foreign[prefix] ?? []];
    const draw = random.next();
    if (draw < 0.5 && own.length > 0) return random.pick(own);
    if (draw < 0.75 && foreign.length > 0) return random.pick(foreign);
    if (draw < 0.9) return unknownId(random, prefix);
    return random.pick([
      'x',
      '0',
      `${prefix}_`,
      `${prefix}_${'g'.repeat(32)}`,
      unknownId(random, 'zzz'),
      '%00',
      'null',
      `${prefix}_${'0'.repeat(5_000)}`,
    ]);
  }

  private bodyOf({ requestBody }: Operation, isBroken: boolean): { body: Buffer | null; type: string | null } {
    const { random, values } = this;
    if (!requestBody)
      return isBroken && random.chance(0.1) ? { body: Buffer.from('{"x":1}'), type: 'application/json' } : { body: null, type: null };
    const types = Object.keys(requestBody.content);
    const type = random.pick(types);
    const { schema = {}, example, examples = {} } = requestBody.content[type]!;
    const shown = [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)];
    let body: Buffer;
    if (type.includes('json') && !type.includes('nd')) {
      const fitting = shown.length > 0 && random.chance(0.4) ? random.pick(shown) : values.fitting(schema);
      const value = isBroken ? values.broken(fitting) : fitting;
      body = Buffer.from(JSON.stringify(value) ?? 'null');
      // A valid document is only one of many bodies.
      if (isBroken && random.chance(0.1))
        body = Buffer.from(random.pick(['', '{', '[1,', 'nul', '"', '\ufeff{}', '{"a":1}{"b":2}', '[]', '1', '\xff\xfe']), 'latin1');
    } else body = this.fileOf(type);
    const sentType =
      isBroken && random.chance(0.06) ? random.pick(['text/plain', 'application/xml', '', 'multipart/form-data', ...types]) : type;
    return { body, type: sentType === 'multipart/form-data' && body.includes('--frontier') ? `${sentType}; boundary=frontier` : sentType };
  }

  private fileOf(type: string): Buffer {
    const { random } = this;
    const csv = random.pick([
      `nin\n${70_000_000_000 + random.below(1e9)}\n`,
      'reference,nin,bvn\na,70123456789,22123456789\nb,x,y\n',
      'nin,nin\n1,2\n',
      'a"b,"c\n"',
      '',
      '\n\n\n',
      'nin\n'.repeat(50),
      `nin\n${'9'.repeat(70_000)}\n`,
      '\ufeffnin;bvn\n70123456789;22123456789\n',
    ]);
    if (type.startsWith('multipart/'))
      return Buffer.from(
        `--frontier\r\nContent-Disposition: form-data; name="checks"\r\n\r\n${random.pick(['nin_basic', 'x', ''])}\r\n--frontier\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n${csv}\r\n--frontier${random.pick(['--\r\n', '', '\r\n'])}`,
      );
    if (type.includes('ndjson') || type.includes('jsonl'))
      return Buffer.from(random.pick(['{"nin":"70123456789"}\n', '{"nin":1}\n{', '[]\n', '']));
    if (type.includes('gzip')) return random.chance(0.5) ? gzipSync(csv) : Buffer.from('\x1f\x8bxxxx', 'latin1');
    if (type.startsWith('text/')) return Buffer.from(csv);
    return Buffer.from(random.pick(['PK\x03\x04xxxx', '\x89PNG\r\n', '\xff\xd8\xff\xe0', '', 'x'.repeat(2_000)]), 'latin1');
  }
}

const queryText = (value: unknown): string => (typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value));

/** What HTTP allows in a header's value. */
const headerText = (value: unknown): string =>
  queryText(value)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 2_000);

/** A part that a URL would otherwise treat as a path of its own. */
const safe = (part: string): string => (part === '.' || part === '..' ? '%2e%2e' : part === '' ? '%20' : part);

function capWait(headers: Record<string, string>): Record<string, string> {
  const { Prefer: prefer } = headers;
  if (prefer && /wait=\d{1,9}/.test(prefer)) headers.Prefer = prefer.replace(/wait=\d+/, `wait=${WAIT_MAX}`);
  return headers;
}
