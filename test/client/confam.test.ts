/** `confam/client` over real HTTP: every check, jobs, batches from every kind of source, results, lists. */
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { renderCatalogues } from '../../ops/client-catalogue.ts';
import { type CheckId, type Checks, catalogue } from '../../src/client/catalogue.ts';
import { type ConfamClient, createClient, type LogEntry, type Row, StillRunning } from '../../src/client/confam.ts';
import type { UploadSource } from '../../src/client/sources.ts';
import { type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';

const api = useApi();
let app: TestApp;
let client: ConfamClient;
const log: LogEntry[] = [];
const folder = mkdtempSync(join(tmpdir(), 'confam-client-'));
beforeAll(async () => {
  app = await api.createApp({ naira: 1_000_000 });
  // A sample asks to screen a company, and the sandbox lists are indexed after the start.
  const screened = { name: 'Bisi Ade' };
  await waitFor('the lists', async () => (await app.post('/api/v1/aml/screening', screened)).status === 200, 30_000);
  client = createClient({ baseUrl: api.url, key: app.key, app: app.app, log: (entry) => log.push(entry) });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nin = (i: number): string => String(40_000_000_000 + i * 7);
const csv = (count: number): string =>
  `National ID,Customer\n${Array.from({ length: count }, (_, i) => `${nin(i)},c${i + 1}`).join('\n')}\n`;
const rows = (count: number): Row[] => Array.from({ length: count }, (_, i) => ({ nin: nin(i), reference: `c${i + 1}` }));

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('checks', () => {
  test('the catalogue is that of GET /checks, and what `npm run clients:catalogue` writes', async () => {
    const listed = Object.entries(catalogue).flatMap(([family, members]) =>
      Object.values(members).map(({ id, method, path }: { id: string; method: string; path: string }) => ({ family, id, method, path })),
    );
    const { data } = await client.checks.all();
    expect(listed).toEqual(data.map(({ family, id, method, path }) => ({ family, id, method, path })));
    for (const [path, text] of Object.entries(renderCatalogues())) expect(readFileSync(path, 'utf8') === text, path).toBe(true);
  });

  test('every check is a method of its family, whose call answers with what its type promises', async () => {
    const { data } = await client.checks.all();
    const calls = data.flatMap(({ id, family, inputs, samples }) => {
      const [name] = Object.entries(catalogue[family as keyof typeof catalogue]).find(([, check]) => check.id === id)!;
      const family_ = client[family as keyof typeof catalogue] as unknown as Record<
        string,
        (input: unknown) => Promise<{ entity: object }>
      >;
      // Pictures are for the tests of faces, and the lists of a screening are not loaded here.
      const needsPicture = inputs.some(({ form, required }) => form === 'image' && required);
      return needsPicture || family === 'aml' ? [] : [{ id, answer: family_[name]!(samples[0]!.input) }];
    });
    expect(calls.length).toBeGreaterThan(15);
    for (const { id, answer } of calls)
      expect(await answer, id).toMatchObject({ entity: expect.any(Object), meta: { request_id: expect.stringMatching(/^req_/) } });
    const { entity, billed_amount, cached } = await client.nin.advance({ nin: '70123456789' });
    expectTypeOf(entity).toEqualTypeOf<Checks['nin_advance']['entity']>();
    expect(entity.nin).toBe('70123456789');
    expect([typeof billed_amount, typeof cached]).toEqual(['number', 'boolean']);
    expectTypeOf<'nin_advance' | 'verify_cac' | 'email_risk'>().toExtend<CheckId>();
    // @ts-expect-error nin is required
    await expect(client.nin.advance({})).rejects.toMatchObject({ code: 'invalid_request', details: [{ path: 'nin' }] });
  });

  test('a call passes its consent and its cache option on', async () => {
    const first = await client.nin.basic({ nin: nin(9_000) });
    const consent = { reference: 'ọ-1', purpose: 'onboarding', obtained_at: '2025-11-21T10:00:00Z' };
    const again = await client.nin.basic({ nin: nin(9_000) }, { cache: 'refresh', consent });
    expect([first.cached, again.cached]).toEqual([false, false]);
    expect((await client.nin.basic({ nin: nin(9_000) })).cached).toBe(true);
  });
});

describe('jobs', () => {
  test('a job is submitted, waited for and found again', async () => {
    const made = await client.jobs.create({ check: 'nin_basic', input: { nin: nin(1) }, reference: 'order-1', metadata: { shelf: 3 } });
    const ended = await client.jobs.wait(made);
    expect(ended).toMatchObject({ id: made.id, status: 'completed', outcome: 'found', reference: 'order-1', metadata: { shelf: 3 } });
    expect(ended.result!.nin).toBe(nin(1));
    expect(await client.jobs.get(made.id)).toMatchObject({ id: made.id, status: 'completed' });
    expect((await collect(client.jobs.all({ reference: 'order-1' }))).map(({ id }) => id)).toEqual([made.id]);
  });

  test('the same idempotency key submits one job', async () => {
    const submit = () => client.jobs.create({ check: 'nin_basic', input: { nin: nin(2) } }, { idempotencyKey: 'signup-2' });
    const [first, again] = [await submit(), await submit()];
    expect(again.id).toBe(first.id);
  });

  test('a wait gives up in time, and leaves the job', async () => {
    const made = await client.batches.upload({ rows: rows(1) }, { checks: 'nin_basic', start: 'manual' });
    const error = await client.batches.wait(made, { timeoutMs: 200 }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StillRunning);
    expect(error).toMatchObject({ id: made.id, status: 'awaiting_start' });
    const stop = AbortSignal.timeout(100);
    const reason = await client.batches.wait(made, { signal: stop }).catch((error: unknown) => error);
    expect(reason).toBe(stop.reason);
  });
});

describe('batches', () => {
  const path = join(folder, 'customers.csv');
  writeFileSync(path, csv(30));
  const bytes = new TextEncoder().encode(csv(30));
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += 100) yield bytes.slice(at, at + 100);
  }
  const sources: [string, () => UploadSource][] = [
    ['text', () => csv(30)],
    ['bytes', () => bytes],
    ['a Blob', () => new Blob([bytes], { type: 'text/csv' })],
    ['a File of another name', () => new File([bytes], 'customers.csv', { type: 'application/vnd.ms-excel' })],
    ['a stream of Node', () => createReadStream(path)],
    ['a function that opens a stream', () => () => createReadStream(path)],
    ['a web stream', () => new Blob([bytes]).stream() as ReadableStream<Uint8Array>],
    ['a generator', () => pieces()],
  ];

  test.each(sources)('a file is uploaded from %s', async (_, source) => {
    const mapping = { nin: 'National ID', reference: 'Customer' };
    const made = await client.batches.upload(source(), { checks: ['nin_basic'], mapping, start: 'manual', reference: 'June' });
    expect(made).toMatchObject({ status: 'awaiting_start', reference: 'June', mapping, counts: { rows: 30, jobs: 30, invalid: 0 } });
  });

  test.each<[string, () => Iterable<Row> | AsyncIterable<Row>]>([
    ['a list', () => rows(30)],
    [
      'a generator',
      () =>
        (function* () {
          yield* rows(30);
        })(),
    ],
    [
      'an asynchronous generator',
      () =>
        (async function* () {
          yield* rows(30);
        })(),
    ],
  ])('rows are uploaded from %s', async (_, source) => {
    const made = await client.batches.upload({ rows: source() }, { checks: ['nin_basic'], start: 'manual' });
    expect(made.counts).toMatchObject({ rows: 30, jobs: 30, invalid: 0 });
  });

  test('a preview reads 256 KiB of a text, and closes what it reads from', async () => {
    let sent = 0;
    let isClosed = false;
    async function* endless() {
      try {
        yield new TextEncoder().encode('nin,reference\n');
        for (let i = 0; ; i++) {
          const line = new TextEncoder().encode(`${nin(i)},c${i}\n`);
          sent += line.length;
          yield line;
        }
      } finally {
        isClosed = true;
      }
    }
    const preview = await client.batches.preview(endless(), { checks: ['nin_basic'] });
    expect(preview).toMatchObject({
      is_whole: false,
      sampled_rows: 1_000,
      mapping: expect.arrayContaining([expect.objectContaining({ field: 'nin', column: 'nin' })]),
    });
    expect([sent < 300 * 1024, isClosed]).toEqual([true, true]);
  });

  test('from a quote to results: progress, each row as it was submitted, the rest of the rows', async () => {
    const options = { checks: ['nin_basic', 'nin_advance'], metadata: { city: 'Ọ̀yọ́' } };
    const text = `${csv(300).replace('National ID', 'nin').replace('Customer', 'reference')}12,bad\n`;
    const quote = await client.batches.quote(text, options);
    expect(quote).toMatchObject({ counts: { rows: 301, jobs: 600, invalid: 1 }, covered: true });
    const progress: number[] = [];
    const statuses: string[] = [];
    const made = await client.batches.upload(text, options);
    const ended = await client.batches.wait(made, {
      onProgress: ({ percent }) => progress.push(percent),
      onStatus: ({ status }) => statuses.push(status),
    });
    expect(ended).toMatchObject({ status: 'completed', counts: { found: expect.any(Number), invalid: 1 } });
    expect(progress.at(-1)).toBe(100);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    if (statuses.length > 0) expect(statuses.at(-1)).toBe('completed');
    const results = await collect(client.batches.results(made));
    expect(results.map(({ row }) => row)).toEqual(Array.from({ length: 301 }, (_, i) => i + 1));
    expect(results[4]).toMatchObject({
      reference: 'c5',
      input: { nin: nin(4) },
      status: 'valid',
      checks: { nin_advance: { entity: { nin: nin(4) } } },
    });
    expect(results[300]).toMatchObject({ status: 'invalid', errors: [{ field: 'nin', rule: 'invalid_format' }] });
    const invalid = await collect(client.batches.results(made.id, { outcome: 'invalid' }));
    expect(invalid.map(({ row }) => row)).toEqual([301]);
    const file = await client.batches.file(made.id, { format: 'csv', outcome: ['invalid'] });
    expect(file.headers.get('next-since')).toMatch(/^2/);
    expect((await file.text()).trimEnd().split('\n')).toHaveLength(2);
    expect(await (await client.batches.errorsFile(made.id)).text()).toContain('confam_error');
  });

  test('what a source itself throws is thrown, not a lost connection', async () => {
    async function* broken() {
      yield new TextEncoder().encode('nin\n');
      throw new Error('the disk is gone');
    }
    await expect(client.batches.upload(broken(), { checks: ['nin_basic'] })).rejects.toThrow('the disk is gone');
    await expect(client.batches.preview(broken(), {})).rejects.toThrow('the disk is gone');
    await expect(client.batches.upload(() => createReadStream(join(folder, 'nothing')), { checks: ['nin_basic'] })).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  test('an upload of 50,000 rows takes no memory of their size', async () => {
    let row = 0;
    async function* many() {
      const line = (): string => `${nin(row++)},${'x'.repeat(200)}\n`;
      yield new TextEncoder().encode('nin,note\n');
      while (row < 50_000) yield new TextEncoder().encode(Array.from({ length: 500 }, line).join(''));
    }
    let sent = 0;
    let ahead = 0;
    // What was produced and not yet taken by the connection.
    const counting: typeof fetch = (input, init) => {
      const reader = (init!.body as ReadableStream<Uint8Array>).getReader();
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          sent += value.length;
          ahead = Math.max(ahead, row * 213 - sent);
          controller.enqueue(value);
        },
      });
      return fetch(input, { ...init, body });
    };
    const streaming = createClient({ baseUrl: api.url, key: app.key, app: app.app, fetch: counting });
    const quote = await streaming.batches.quote(many(), { checks: ['nin_basic'] });
    expect(quote.counts.rows).toBe(50_000);
    expect(sent).toBeGreaterThan(10_000_000);
    expect(ahead).toBeLessThan(1_000_000);
  }, 60_000);
});

test('wallet, keys, audit, webhooks and reviews: pages and every item', async () => {
  expect(await client.wallet.wallet()).toMatchObject({ currency: 'NGX', available: expect.any(Number) });
  const entries = await collect(client.wallet.allEntries({ limit: 5 }));
  expect(entries.length).toBeGreaterThan(5);
  for (const check of ['nin_basic', 'nin_advance']) await client.batches.wait(await client.batches.upload(csv(2), { checks: [check] }));
  const charges = await collect(client.wallet.allBatchCharges({ limit: 2 }));
  expect(charges.length).toBeGreaterThan(2);
  for (const { batch, check, price, jobs, amount } of charges) {
    const { data } = await client.batches.jobs(batch, { check, billed: price, limit: 1_000 });
    expect([data.length, data.reduce((sum, { billed_amount }) => sum + billed_amount, 0)]).toEqual([jobs, amount]);
  }
  expect((await (await client.wallet.batchChargesFile({})).text()).split('\r\n')).toHaveLength(charges.length + 2);
  expect((await client.wallet.prices()).data.length).toBeGreaterThan(20);
  const endpoint = await client.webhooks.create({ url: 'https://example.com/hook', events: ['job.completed'] });
  expect(endpoint.secret).toMatch(/^whsec_/);
  expect((await collect(client.webhooks.all())).map(({ id }) => id)).toEqual([endpoint.id]);
  expect((await client.webhooks.get(endpoint.id)).events).toEqual(['job.completed']);
  await client.webhooks.remove(endpoint.id);
  expect((await collect(client.keys.all())).some(({ id }) => id === app.keyId)).toBe(true);
  expect((await collect(client.audit.all({ limit: 5 }))).length).toBeGreaterThan(0);
  expect(await collect(client.reviews.all())).toEqual([]);
});

test('the log has each attempt with its request id, and no value of any request', () => {
  expect(log.length).toBeGreaterThan(20);
  for (const entry of log)
    expect(Object.keys(entry).sort()).toEqual(['attempt', 'code', 'method', 'ms', 'path', 'requestId', 'retryInMs', 'status']);
  expect(log.find(({ code }) => code === 'invalid_request')).toMatchObject({
    status: 400,
    requestId: expect.stringMatching(/^req_/),
    retryInMs: null,
  });
  const text = JSON.stringify(log);
  for (const value of ['70123456789', nin(1), nin(9_000), 'order-1', app.key, 'June']) expect(text).not.toContain(value);
});

test('a client without address, key or app is refused at once', () => {
  expect(() => createClient({ baseUrl: '', key: 'k', app: 'a' })).toThrow('baseUrl must be the address');
  expect(() => createClient({ baseUrl: api.url, key: app.app, app: app.key })).toThrow('key and app are swapped');
  expect(() => createClient({ baseUrl: api.url, key: '', app: 'a' })).toThrow('key and app');
});
