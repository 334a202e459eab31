/** Idempotency-Key: the same request again gets the first answer and nothing happens twice, whatever stalls, dies or races. */
import { createHash } from 'node:crypto';
import { type ClientRequest, request } from 'node:http';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { claimKey, releaseAllClaims } from '../../src/access/idempotency.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { dropExpired } from '../../src/lifecycle/expired.ts';
import { type BatchEntity, type JobEntity, type TestApp, useApi, type WalletEntity } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { listsIndexed } from '../setup/screening.ts';
import { freshNin, never } from '../setup/work.ts';

const api = useApi();
beforeAll(() => listsIndexed(api.service));

const NIN = '70123456789';
const JOB = { check: 'nin_basic', input: { nin: NIN } };
const CSV = { 'Content-Type': 'text/csv' };
const MANUAL = '/api/v1/batches?checks=nin_basic&start=manual';
const rows = (count: number, from = 50_000_000_000) => `nin\n${Array.from({ length: count }, (_, i) => `${from + i}\n`).join('')}`;
let keys = 0;
const newKey = () => `key-${++keys}`;

const job = (app: TestApp, key: string, body: unknown = JOB) => app.post<JobEntity>('/api/v1/jobs', body, { 'Idempotency-Key': key });
const upload = (app: TestApp, key: string, text: string, path = MANUAL, headers: Record<string, string> = CSV) =>
  app.post<BatchEntity>(path, text, { ...headers, 'Idempotency-Key': key });

/** What was accepted for the app. */
async function accepted(app: TestApp): Promise<{ batches: number; jobs: number; holds: number }> {
  const id = parseId('app', app.app);
  const [row] = await api.service.sql<{ batches: number; jobs: number; holds: number }[]>`
    select (select count(*)::int from batches where app_id = ${id}) as batches, (select count(*)::int from jobs where app_id = ${id}) as jobs,
      (select count(*)::int from holds where app_id = ${id}) as holds`;
  return { ...row! };
}

const keptKeys = async (app: TestApp) =>
  (await api.service.sql`select status from idempotency_keys where app_id = ${parseId('app', app.app)}`).map(
    (row) => row.status as number | null,
  );

/** Makes the process that holds the app's claims look long dead. */
const loseClaims = async (app: TestApp) =>
  api.service
    .sql`update idempotency_keys set locked_until = now() - interval '1 second' where app_id = ${parseId('app', app.app)} and status is null`;

/** A request whose body the test writes. */
function open(app: TestApp, path: string, key: string): { made: ClientRequest; answer: Promise<{ status: number; text: string }> } {
  const made = request({
    host: '127.0.0.1',
    port: api.port,
    method: 'POST',
    path,
    agent: false,
    headers: { Authorization: app.key, AppId: app.app, 'Content-Type': 'text/csv', 'Transfer-Encoding': 'chunked', 'Idempotency-Key': key },
  });
  const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
    made.on('error', reject);
    made.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, text }));
    });
  });
  answer.catch(() => {});
  return { made, answer };
}

describe('the same request again', () => {
  test('gets the first answer, marked as such, and costs nothing more', async () => {
    const app = await api.createApp({ naira: 500 });
    const key = newKey();
    const first = await job(app, key);
    expect(first.status, first.text).toBe(202);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const done = await app.ended<JobEntity>(`/api/v1/jobs/${first.body.entity.id}`);
    const wallet = await app.wallet();

    const again = await job(app, key);
    expect(again.status).toBe(202);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    for (const name of ['content-type', 'location', 'retry-after']) expect(again.headers.get(name)).toBe(first.headers.get(name));
    // The id of this request, not of the first one.
    expect(again.headers.get('x-request-id')).toMatch(/^req_/);
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(done.billed_amount).toBeGreaterThan(0);
    expect(await app.wallet()).toEqual(wallet);
    expect(await accepted(app)).toEqual({ batches: 0, jobs: 1, holds: 1 });
  });

  test('as an upload of 20,000 rows is read to its end and accepted once; query order does not matter', async () => {
    const app = await api.createApp({ naira: 10_000_000 });
    const key = newKey();
    const text = rows(20_000);
    const first = await upload(app, key, text);
    expect(first.status, first.text).toBe(202);
    const again = await upload(app, key, text, '/api/v1/batches?start=manual&checks=nin_basic');
    expect([again.status, again.headers.get('idempotency-replayed'), again.text]).toEqual([202, 'true', first.text]);
    // In chunks of any size, and without a Content-Length.
    const { made, answer } = open(app, MANUAL, key);
    for (let at = 0; at < text.length; at += 50_001) made.write(text.slice(at, at + 50_001));
    made.end();
    expect(await answer).toEqual({ status: 202, text: first.text });
    expect(await accepted(app)).toEqual({ batches: 1, jobs: 20_000, holds: 1 });
  });

  test('in multipart form may have another boundary, as every retry of a client has', async () => {
    const app = await api.createApp();
    const key = newKey();
    const send = (boundary: string, nin: string) =>
      app.post(
        MANUAL,
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nnin\n${nin}\n\r\n--${boundary}--\r\n`,
        { 'Content-Type': `multipart/form-data; boundary=${boundary}`, 'Idempotency-Key': key },
      );
    expect((await send('----one', NIN)).status).toBe(202);
    const again = await send('----another', NIN);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
    expect((await send('----one', '70123456780')).status).toBe(422);
  });

  test('to start, cancel or top up is carried out once', async () => {
    const app = await api.createApp({ naira: 1_000 });
    const { id } = (await upload(app, newKey(), rows(3))).body.entity;
    const key = newKey();
    const start = () => app.post<BatchEntity>(`/api/v1/batches/${id}/start`, undefined, { 'Idempotency-Key': key });
    const started = await start();
    expect(started.status, started.text).toBe(200);
    await app.ended(`/api/v1/batches/${id}`);
    // Without the key it would be a conflict.
    const again = await start();
    expect([again.status, again.text]).toEqual([200, started.text]);

    const topUp = (amount: number) =>
      api.admin.post<WalletEntity>(
        `/api/v1/admin/apps/${app.app}/topups`,
        { amount, mode: 'test' },
        { 'Idempotency-Key': `top-up of ${app.app}` },
      );
    const before = (await app.wallet()).available;
    const topped = await topUp(250);
    expect(topped.status, topped.text).toBe(201);
    expect((await topUp(250)).text).toBe(topped.text);
    expect((await topUp(251)).status).toBe(422);
    expect((await app.wallet()).available).toBe(before + 250);
  });

  test('is new if the key is another app’s, of the other mode, or older than a day', async () => {
    const [one, other] = [await api.createApp(), await api.createApp()];
    const key = newKey();
    const ids = [(await job(one, key)).body.entity.id, (await job(other, key)).body.entity.id];
    expect(new Set(ids).size).toBe(2);
    const live = await one.live.post('/api/v1/jobs', JOB, { 'Idempotency-Key': key });
    expect(live.headers.get('idempotency-replayed')).toBeNull();

    const appId = parseId('app', one.app);
    await api.service.sql`update idempotency_keys set expires_at = now() where app_id = ${appId}`;
    const later = await job(one, key);
    expect(later.status).toBe(202);
    expect(ids).not.toContain(later.body.entity.id);
    const [kept] = await api.service
      .sql`select extract(epoch from expires_at - now())::int as seconds from idempotency_keys where app_id = ${appId} and status = 202`;
    expect(kept!.seconds).toBeGreaterThan(24 * 3600 - 60);

    await api.service.sql`update idempotency_keys set expires_at = now() where app_id = ${appId}`;
    await dropExpired(api.service, never);
    expect(await keptKeys(one)).toEqual([]);
    expect(await keptKeys(other)).toEqual([202]);
  });
});

describe('another request with the same key', () => {
  test.each([
    ['another body of the same length', MANUAL, rows(20_000, 50_000_000_001), CSV],
    ['a shorter body', MANUAL, rows(19_999), CSV],
    ['a longer body', MANUAL, rows(20_001), CSV],
    ['no body', MANUAL, '', CSV],
    ['another query', '/api/v1/batches?checks=nin_basic&start=auto', rows(20_000), CSV],
    ['another path', '/api/v1/jobs', rows(20_000), CSV],
    ['another type', MANUAL, rows(20_000), { 'Content-Type': 'application/x-ndjson' }],
  ])('is 422 and does nothing: %s', async (_, path, text, headers) => {
    const app = await api.createApp({ naira: 10_000_000 });
    const key = newKey();
    expect((await upload(app, key, rows(20_000))).status).toBe(202);
    const changed = await upload(app, key, text, path, headers);
    expect([changed.status, changed.body.code]).toEqual([422, 'idempotency_mismatch']);
    expect(changed.headers.get('idempotency-replayed')).toBeNull();
    expect(await accepted(app)).toMatchObject({ batches: 1, jobs: 20_000 });
    expect((await upload(app, key, rows(20_000))).headers.get('idempotency-replayed')).toBe('true');
  });

  test('is 422 with another consent, which the first answer would leave unrecorded', async () => {
    const app = await api.createApp();
    const body = { check: 'nin_basic', input: { nin: freshNin() } };
    const consent = (reference: string) => ({
      Consent: JSON.stringify({ reference, purpose: 'onboarding', obtained_at: '2025-11-20T10:00:00Z' }),
    });
    const key = { 'Idempotency-Key': newKey() };
    const send = (reference: string) => app.post('/api/v1/jobs', body, { ...key, ...consent(reference) });
    expect((await send('C-1')).status).toBe(202);
    const changed = await send('C-2');
    expect([changed.status, changed.body.code]).toEqual([422, 'idempotency_mismatch']);
    expect((await send('C-1')).headers.get('idempotency-replayed')).toBe('true');
  });

  test('is 422 even if the lengths are unknown, and its body is not waited for', async () => {
    const app = await api.createApp({ naira: 10_000_000 });
    const key = newKey();
    expect((await upload(app, key, rows(10))).status).toBe(202);
    const { made, answer } = open(app, MANUAL, key);
    // Never ended: more has arrived than the first had.
    made.write(rows(1_000));
    expect((await answer).status).toBe(422);
    made.destroy();
  });
});

describe('a refused request', () => {
  test('leaves its key to the corrected one', async () => {
    const app = await api.createApp({ naira: 0 });
    const key = newKey();
    expect((await job(app, key, { ...JOB, check: 'none' })).status).toBe(400);
    expect((await app.post('/api/v1/jobs', '{', { 'Content-Type': 'application/json', 'Idempotency-Key': key })).status).toBe(400);
    expect((await upload(app, key, 'nin,\n"', '/api/v1/batches?checks=nin_basic')).status).toBe(400);
    expect((await upload(app, key, rows(1), MANUAL, { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect((await job(app, key)).status).toBe(402);
    expect(await keptKeys(app)).toEqual([]);
    await api.admin.post(`/api/v1/admin/apps/${app.app}/topups`, { amount: 1_000, mode: 'test' });
    expect((await job(app, key)).status).toBe(202);
    expect((await job(app, key)).headers.get('idempotency-replayed')).toBe('true');
    expect(await accepted(app)).toEqual({ batches: 0, jobs: 1, holds: 1 });
  });

  test.each(['', ' ', 'x'.repeat(256), 'ключ', 'tab\tbed'])('is one whose key is not 1 to 255 printable characters: %j', async (key) => {
    const app = await api.createApp();
    // Bytes above ASCII travel as Latin-1.
    const answer = await job(app, Buffer.from(key).toString('latin1'));
    expect([answer.status, answer.body.code, answer.body.details[0]?.path]).toEqual([400, 'invalid_request', 'Idempotency-Key']);
  });

  test('that hung up in mid-upload may be sent again', async () => {
    const app = await api.createApp({ naira: 10_000_000 });
    const key = newKey();
    const { made } = open(app, MANUAL, key);
    made.write(rows(5_000));
    await waitFor('the claim', async () => (await keptKeys(app)).length === 1);
    made.destroy();
    await waitFor('its release', async () => (await keptKeys(app)).length === 0);
    expect((await upload(app, key, rows(5_000))).status).toBe(202);
    expect(await accepted(app)).toEqual({ batches: 1, jobs: 5_000, holds: 1 });
  });
});

describe('concurrent requests with one key', () => {
  test('are accepted once; the others are told to wait, or get the answer', async () => {
    const app = await api.createApp();
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => job(app, key)));
    const first = answers.filter((answer) => answer.status === 202 && !answer.headers.get('idempotency-replayed'));
    expect(first).toHaveLength(1);
    for (const answer of answers.filter((answer) => answer !== first[0])) {
      if (answer.status === 202) expect(answer.text).toBe(first[0]!.text);
      else {
        expect([answer.status, answer.body.code]).toEqual([409, 'idempotency_in_progress']);
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      }
    }
    expect(await accepted(app)).toEqual({ batches: 0, jobs: 1, holds: 1 });
  });

  test('an upload in progress keeps its key, and is replayed when it is done', async () => {
    const app = await api.createApp({ naira: 10_000_000 });
    const key = newKey();
    const text = rows(5_000);
    const { made, answer } = open(app, MANUAL, key);
    made.write(text.slice(0, 30_000));
    await waitFor('the claim', async () => (await keptKeys(app)).length === 1);
    expect((await upload(app, key, text)).status).toBe(409);
    made.end(text.slice(30_000));
    const first = await answer;
    expect(first.status, first.text).toBe(202);
    expect((await upload(app, key, text)).text).toBe(first.text);
    expect(await accepted(app)).toEqual({ batches: 1, jobs: 5_000, holds: 1 });
  });
});

describe('a process that dies', () => {
  test('before it accepted anything leaves a claim that the next request takes over', async () => {
    const app = await api.createApp();
    const key = newKey();
    const dead = await claimKey(api.service, { appId: parseId('app', app.app)!, live: false, key });
    if (dead.state !== 'claimed') throw new Error(dead.state);
    dead.claim.stop();
    expect((await job(app, key)).status).toBe(409);
    await loseClaims(app);
    expect((await job(app, key)).status).toBe(202);
    expect(await accepted(app)).toMatchObject({ jobs: 1 });
  });

  test('with its own database finds its claims released when it starts again, and its answers stored', async () => {
    const app = await api.createApp();
    const [open, kept] = [newKey(), newKey()];
    const dead = await claimKey(api.service, { appId: parseId('app', app.app)!, live: false, key: open });
    if (dead.state === 'claimed') dead.claim.stop();
    await job(app, kept);
    await releaseAllClaims(api.service);
    expect((await job(app, open)).status).toBe(202);
    expect((await job(app, kept)).headers.get('idempotency-replayed')).toBe('true');
  });

  test('cannot have accepted anything without its answer: they are one transaction', async () => {
    const app = await api.createApp({ naira: 10_000 });
    const key = newKey();
    const { id } = (await job(app, key)).body.entity;
    const [one] = await api.service.sql`
      select k.xmin::text = l.xmin::text as same, k.status from idempotency_keys k join ledger_entries l using (app_id)
      where l.hold_id = ${parseId('job', id)} and l.kind = 'hold'`;
    expect({ ...one }).toEqual({ same: true, status: 202 });
    // Which is why a claim that seems lost no longer matters.
    await loseClaims(app);
    expect((await job(app, key)).body.entity.id).toBe(id);

    const other = await api.createApp({ naira: 10_000 });
    const batch = (await upload(other, newKey(), rows(10))).body.entity;
    const [two] = await api.service.sql`
      select k.xmin::text = b.xmin::text as same from idempotency_keys k join batches b using (app_id) where b.id = ${parseId('bat', batch.id)}`;
    expect({ ...two }).toEqual({ same: true });
  });

  test('or only seems to be dead accepts nothing once its key was taken over', async () => {
    const app = await api.createApp({ naira: 10_000_000 });
    const key = newKey();
    const { made, answer } = open(app, MANUAL, key);
    made.write(rows(3_000));
    await waitFor('the claim', async () => (await keptKeys(app)).length === 1);
    await loseClaims(app);
    const second = await upload(app, key, rows(3_000));
    expect(second.status, second.text).toBe(202);
    made.end();
    const late = await answer;
    expect([late.status, JSON.parse(late.text).code]).toEqual([409, 'idempotency_in_progress']);
    expect(await accepted(app)).toEqual({ batches: 1, jobs: 3_000, holds: 1 });
    expect((await upload(app, key, rows(3_000))).text).toBe(second.text);
  });
});

describe('a single call', () => {
  const company = (app: TestApp, key: string) => app.post('/v1/verify/cac', { rc_number: 'RC0000004' }, { 'Idempotency-Key': key });
  const screening = (app: TestApp, key: string, name = 'Tanko Bakwakwal') =>
    app.post('/api/v1/aml/screening', { name }, { 'Idempotency-Key': key });
  /** The process died after the charge, before the answer was kept. */
  const dieBeforeKeeping = (app: TestApp) =>
    api.service.sql`
      update idempotency_keys set status = null, headers = null, body = null, fingerprint = null, claim = coalesce(claim, first_claim),
        locked_until = now() - interval '1 second' where app_id = ${parseId('app', app.app)}`;
  const spent = async (app: TestApp) => {
    const [row] = await api.service.sql<{ kobo: number }[]>`
      select coalesce(sum(amount_kobo), 0)::int as kobo from ledger_entries where app_id = ${parseId('app', app.app)} and kind = 'capture'`;
    return row!.kobo / 100;
  };

  test('whose process died after the charge is carried out again for nothing, however often it dies', async () => {
    const app = await api.createApp({ naira: 500 });
    const key = newKey();
    const first = await screening(app, key);
    expect(first.status, first.text).toBe(200);
    for (let death = 0; death < 3; death++) {
      await dieBeforeKeeping(app);
      const again = await screening(app, key);
      expect(again.status, again.text).toBe(200);
      expect(again.body).toMatchObject({ billed_amount: 120, cached: false, entity: { total_hits: 0 } });
    }
    expect((await screening(app, key)).headers.get('idempotency-replayed')).toBe('true');
    expect(await spent(app)).toBe(120);
  });

  test('that was charged stays so while its repetitions fail', async () => {
    const app = await api.createApp({ naira: 500 });
    const key = newKey();
    await screening(app, key);
    await dieBeforeKeeping(app);
    expect((await app.post('/api/v1/aml/screening', { name: '' }, { 'Idempotency-Key': key })).status).toBe(400);
    expect((await screening(app, key)).body.billed_amount).toBe(120);
    expect(await spent(app)).toBe(120);
  });

  test('whose charge was committed and not confirmed is charged once', async () => {
    const app = await api.createApp({ naira: 500 });
    const key = newKey();
    const { settle } = api.service;
    const charge = settle.call.bind(settle);
    const cut = vi.spyOn(settle, 'call').mockImplementationOnce(async (call) => {
      await charge(call);
      throw Object.assign(new Error('cut'), { code: 'CONNECTION_CLOSED' });
    });
    try {
      expect((await screening(app, key)).status).toBe(503);
    } finally {
      cut.mockRestore();
    }
    expect(await spent(app)).toBe(120);
    expect((await screening(app, key)).body).toMatchObject({ billed_amount: 120, entity: { total_hits: 0 } });
    expect(await spent(app)).toBe(120);
  });

  test('about somebody else is charged, whoever was charged before under its key', async () => {
    const app = await api.createApp({ naira: 500 });
    const key = newKey();
    await screening(app, key);
    await dieBeforeKeeping(app);
    expect((await screening(app, key, 'Dogo Marakwai')).body.billed_amount).toBe(120);
    expect(await spent(app)).toBe(240);
  });

  test('that was taken over while its vendor was slow is charged once', async () => {
    const app = await api.createApp({ naira: 500 });
    const key = newKey();
    const late = company(app, key);
    await waitFor('the hold', async () => (await accepted(app)).holds === 1);
    await loseClaims(app);
    const second = await company(app, key);
    expect(second.status, second.text).toBe(200);
    await late;
    expect(await spent(app)).toBe(second.body.billed_amount);
    expect((await app.wallet()).held).toBe(0);
    expect((await company(app, key)).text).toBe(second.text);
  });
});

test('a key and an answer are not stored in the clear', async () => {
  const app = await api.createApp();
  await job(app, NIN);
  const [row] = await api.service.sql<{ key: Buffer; body: Buffer; whole: string }[]>`
    select key, body, k::text as whole from idempotency_keys k where app_id = ${parseId('app', app.app)}`;
  expect(row!.key).toHaveLength(32);
  expect(row!.body.includes('success')).toBe(false);
  expect(row!.whole).not.toContain(NIN);
  expect(row!.whole, 'a hash that anybody who tries all numbers could compute').not.toContain(
    createHash('sha256').update(JSON.stringify(JOB)).digest('hex'),
  );
});

test('an answer that the previous release stored is replayed to the same request', async () => {
  const app = await api.createApp();
  const first = await job(app, 'from-before');
  const type = 'application/json';
  const head = createHash('sha256')
    .update(JSON.stringify(['POST', '/api/v1/jobs', [''], type, '']))
    .digest();
  const body = JSON.stringify(JOB);
  const size = Buffer.alloc(6);
  size.writeUIntBE(body.length, 0, 6);
  const plain = Buffer.concat([head, createHash('sha256').update(body).digest(), size]);
  await api.service.sql`update idempotency_keys set fingerprint = ${plain} where app_id = ${parseId('app', app.app)}`;
  const again = await job(app, 'from-before');
  expect([again.status, again.body.entity.id]).toEqual([first.status, first.body.entity.id]);
  expect((await job(app, 'from-before', { ...JOB, reference: 'another' })).status).toBe(422);
});

test('a GET ignores the key', async () => {
  const app = await api.createApp();
  const answers = [
    await app.get('/api/v1/wallet', { 'Idempotency-Key': 'x' }),
    await app.get('/api/v1/wallet', { 'Idempotency-Key': 'x' }),
  ];
  expect(answers.map((answer) => [answer.status, answer.headers.get('idempotency-replayed')])).toEqual([
    [200, null],
    [200, null],
  ]);
  expect(await keptKeys(app)).toEqual([]);
});
