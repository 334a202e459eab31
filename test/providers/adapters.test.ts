/** Every adapter against its vendor's recorded shapes: what it sends, how it reads each answer, and that no surprise becomes an entity. */

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Lookup, Provider } from '../../src/checks/provider.ts';
import { adapters } from '../../src/providers/adapters.ts';
import { readUpstreams } from '../../src/providers/upstreams.ts';
import { type Recorded, type Reply, startVendor, type VendorCase, type VendorFixture, type VendorServer } from '../vendors/vendor.ts';
import { vendors } from '../vendors/vendors.ts';

let server: VendorServer;
let folder: string;
beforeAll(async () => {
  server = await startVendor();
  folder = mkdtempSync(join(tmpdir(), 'confam-upstreams-'));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const TIMEOUT_MS = 300;
const TOO_LARGE = 64 * 1024;

/** Through the operator's file, as in production. */
function openVendor(fixture: VendorFixture): Provider {
  const path = join(folder, 'upstreams.json');
  const variable = (name: string) => `VENDOR_${name.toUpperCase()}`;
  const kinds = [...new Set([...fixture.cases, ...(fixture.pending ?? [])].map(({ kind }) => kind))];
  const credentials = Object.keys(fixture.credentials).map((name) => [name, { env: variable(name) }]);
  const file = {
    providers: {
      vendor: {
        adapter: fixture.adapter.id,
        base_url: server.url,
        credentials: Object.fromEntries(credentials),
        options: fixture.options ?? {},
        timeout_ms: TIMEOUT_MS,
        response_bytes_max: TOO_LARGE,
      },
    },
    records: Object.fromEntries(kinds.map((kind) => [kind, ['vendor']])),
  };
  writeFileSync(path, JSON.stringify(file));
  const environment = Object.fromEntries(Object.entries(fixture.credentials).map(([name, value]) => [variable(name), value]));
  return readUpstreams(path, { environment, publicUrl: 'https://confam.example' }).providers[0]!;
}

const lookupOf = ({ kind, tier, identifier, hints = {} }: Omit<VendorCase, 'reply' | 'record'>): Lookup => ({
  ...{ kind, tier, identifier, hints },
  reference: 'f0f0f0f0-0000-7000-8000-000000000001',
  signal: AbortSignal.timeout(TIMEOUT_MS),
});

const textOf = ({ body }: Reply): string => (typeof body === 'string' ? body : JSON.stringify(body));
const failureOf = (answer: Promise<Answer | null>) =>
  answer.then(
    (value) => value,
    (error) => error,
  );

test('every adapter has a fixture', () => {
  expect([...new Set(vendors.map(({ adapter }) => adapter.id))].sort()).toEqual(adapters.map(({ id }) => id).sort());
});

describe.each(vendors.map((fixture) => [fixture.name ?? fixture.adapter.id, fixture] as const))('%s', (_, fixture) => {
  let provider: Provider;
  beforeAll(() => {
    provider = openVendor(fixture);
  });
  afterAll(() => provider.close?.());

  const [first] = [...fixture.cases, ...(fixture.pending ?? [])] as [VendorCase];
  const expectSent = (request: Recorded, sent: VendorCase['sent']) => {
    fixture.authenticate(request);
    const bare = fixture.bare ?? ((body) => body);
    expect({ method: request.method, path: request.path }).toEqual({ method: sent.method, path: sent.path });
    if (sent.query) expect(request.query).toEqual(sent.query);
    if (sent.body !== undefined) expect(bare(request.body as Record<string, unknown>)).toEqual(sent.body);
  };

  test('has a case for every record it serves, and serves the tier of each', () => {
    const kinds = new Set([...fixture.cases, ...(fixture.pending ?? [])].map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(Object.keys(fixture.adapter.serves((fixture.options ?? {}) as never)).sort());
    for (const { kind, tier } of fixture.cases) expect(tier, kind).toBeLessThanOrEqual(provider.serves[kind]!);
  });

  test.each(fixture.cases.map((one) => [`${one.kind}, tier ${one.tier}`, one] as const))('finds %s', async (_, one) => {
    server.script(one.reply);
    const { receipt, ...answer } = (await provider.lookup(lookupOf(one))) as Answer & { found: boolean };
    expectSent(server.requests[0]!, one.sent);
    expect(server.requests).toHaveLength(1);
    expect(answer).toEqual({ found: true, record: one.record });
    expect(receipt!.answerHash).toEqual(createHash('sha256').update(textOf(one.reply)).digest());
    expect(receipt!.status).toMatch(/^2\d\d( |$)/);
    if (one.reference) expect(receipt!.reference).toBe(one.reference);
    // A receipt is stored and shown, so it must not say whom it was about.
    expect(receipt!.status).not.toContain(one.identifier);
  });

  test.each(fixture.notFound.map((reply) => [textOf(reply).slice(0, 80), reply] as const))('no record: %s', async (_, reply) => {
    server.script(reply);
    const { receipt, ...answer } = await provider.lookup(lookupOf(first));
    expect(answer).toEqual({ found: false });
    expect(receipt!.answerHash).toHaveLength(32);
  });

  const failures = Object.entries(fixture.failures).flatMap(([code, replies]) => replies!.map((reply) => [code, reply] as const));
  test.each(failures.map(([code, reply]) => [code, textOf(reply).slice(0, 80), reply] as const))('%s: %s', async (code, _, reply) => {
    server.script(reply);
    const failure = await failureOf(provider.lookup(lookupOf(first)));
    expect(failure).toMatchObject({ name: 'ProviderFailure', code });
    expect(JSON.stringify(failure)).not.toContain(first.identifier);
  });

  test.each<[string, Reply | 'hang' | 'reset', object]>([
    ['429 with Retry-After', { status: 429, headers: { 'Retry-After': '7' }, body: {} }, { code: 'rate_limited', retryAfterMs: 7_000 }],
    ['429 without', { status: 429, body: {} }, { code: 'rate_limited', retryAfterMs: undefined }],
    ['500', { status: 500, body: 'oops' }, { code: 'down', retryable: true }],
    [
      '503 with Retry-After',
      { status: 503, headers: { 'Retry-After': '3' }, body: '<html>' },
      { code: 'down', retryAfterMs: 3_000, retryable: true },
    ],
    ['a redirect', { status: 302, headers: { Location: 'http://127.0.0.1:1/' }, body: '' }, { code: 'down' }],
    ['JSON cut short', { status: 200, body: '{"entity": {"fi' }, { code: 'down', retryable: true }],
    ['an HTML page', { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<html>hello</html>' }, { code: 'down' }],
    ['an empty answer', { status: 200, body: '' }, { code: 'down' }],
    ['an answer that is too large', { status: 200, body: JSON.stringify('x'.repeat(TOO_LARGE)) }, { code: 'down' }],
    ['a cut connection', 'reset', { code: 'down', retryable: true }],
    ['no answer in time', 'hang', { code: 'timeout', retryable: true }],
    ['JSON of another shape', { status: 200, body: [] }, { code: 'surprise', retryable: false, elsewhere: true }],
    ['JSON null', { status: 200, body: null }, { code: 'surprise' }],
  ])('%s', async (_, reply, failure) => {
    server.script(reply, reply);
    expect(await failureOf(provider.lookup(lookupOf(first)))).toMatchObject({ name: 'ProviderFailure', ...failure });
  });

  /** In turn, changes the type of each text of the answer or removes it: a half-empty entity must never result. */
  test('an answer with a member missing or of another type gives a whole entity or a failure', async () => {
    const essential = Object.values(first.record).filter((value) => typeof value === 'string' && value !== '');
    for (const path of leaves(first.reply.body)) {
      for (const value of [undefined, 7_777, { surprise: true }]) {
        server.script({ ...first.reply, body: changed(first.reply.body, path, value) });
        const answer = await failureOf(provider.lookup(lookupOf(first)));
        if (answer instanceof Error) expect(answer, path.join('.')).toMatchObject({ name: 'ProviderFailure' });
        else {
          expect(answer, path.join('.')).toMatchObject({ found: true });
          const { record } = answer as { record: Record<string, unknown> };
          for (const member of Object.values(record)) expect(typeof member, path.join('.')).not.toBe('number');
          expect(essential.length - Object.values(record).filter((one) => essential.includes(one as string)).length).toBeLessThanOrEqual(1);
        }
      }
    }
  });

  // A ticket is needed to ask again, so a job without it is no answer.
  const numbered = fixture.cases.filter(
    ({ reference }) => reference && fixture.pending?.every(({ ticket }) => ticket !== reference) !== false,
  );
  test.each(numbered.map((one) => [one.kind, one] as const))('a record (%s) is as good without its transaction number', async (_, one) => {
    const place = leaves(one.reply.body).find((path) => valueAt(one.reply.body, path) === one.reference)!;
    for (const value of [7_777, null, undefined]) {
      server.script({ ...one.reply, body: changed(one.reply.body, place, value) });
      expect(await provider.lookup(lookupOf(one)), String(value)).toMatchObject({ found: true, record: one.record });
    }
  });

  for (const pending of fixture.pending ?? []) {
    describe(`${pending.kind}, answered later`, () => {
      test('is pending, is still pending, is answered', async () => {
        server.script(pending.reply);
        expect(await provider.lookup(lookupOf(pending))).toMatchObject({ pending: pending.ticket });
        expectSent(server.requests[0]!, pending.sent);
        server.script(pending.stillPending);
        expect(await provider.poll!(pending.ticket, lookupOf(pending))).toMatchObject({ pending: pending.ticket });
        fixture.authenticate(server.requests[0]!);
        server.script(pending.answered);
        expect(await provider.poll!(pending.ticket, lookupOf(pending))).toMatchObject({ found: true, record: pending.record });
      });

      if (pending.message)
        test('is answered by a message, which is believed only if genuine', async () => {
          const { headers, body } = pending.message!;
          const received = await provider.receive!({ headers, body: Readable.from([Buffer.from(body)]) });
          expect(received).toMatchObject({ ticket: pending.ticket });
          if (received!.answer) expect(received!.answer).toMatchObject({ found: true, record: pending.record });
          expect(await provider.receive!({ headers: {}, body: Readable.from([Buffer.from('{}')]) })).toBeNull();
          expect(await provider.receive!({ headers, body: Readable.from([Buffer.from('not JSON')]) })).toBeNull();
          const forged = body.replace(/"signature"\s*:\s*"[^"]{6}/, (text) => `${text.slice(0, -6)}AAAAAA`);
          const forgedHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace(/[a-z]/gi, 'A')]));
          expect(await provider.receive!({ headers: forgedHeaders, body: Readable.from([Buffer.from(forged)]) })).toBeNull();
        });
    });
  }

  if (fixture.reconcile)
    test('a question without an answer is looked up at the vendor', async () => {
      server.script(fixture.reconcile!.answered);
      expect(await provider.reconcile!(lookupOf(first))).toMatchObject({ found: true, record: first.record });
      fixture.authenticate(server.requests[0]!);
    });
});

/** Paths to every value of a JSON tree that is not an object. */
function leaves(value: unknown, path: string[] = []): string[][] {
  if (value === null || typeof value !== 'object') return [path];
  return Object.entries(value).flatMap(([name, member]) => leaves(member, [...path, name]));
}

const valueAt = (value: unknown, path: string[]): unknown =>
  path.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], value);

function changed(value: unknown, [name, ...rest]: string[], to: unknown): unknown {
  if (name === undefined) return to;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[name] = changed(copy[name], rest, to);
  return copy;
}

test.each(['faces', 'screening'])('no vendor may be called %s, like a local engine', (name) => {
  const path = join(folder, 'taken.json');
  writeFileSync(path, JSON.stringify({ providers: { [name]: { adapter: 'sandbox' } }, records: {} }));
  expect(() => readUpstreams(path, { environment: {}, publicUrl: null })).toThrow('is reserved for an engine of this service');
});
