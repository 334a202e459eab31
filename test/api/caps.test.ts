/** Spending caps hold to the kobo under concurrency, and a low balance is reported once on the way down. */
import { describe, expect, test } from 'vitest';
import { newId, parseId, showId } from '../../src/foundation/ids.ts';
import type { AppSettings } from '../../src/schema/apps.ts';
import { type Answer, type BatchEntity, type Body, type Client, type JobEntity, openClient, type TestApp, useApi } from '../setup/api.ts';
import { signedInAs } from '../setup/browser.ts';
import { waitFor } from '../setup/database.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi();

const appIdOf = (app: { app: string }) => parseId('app', app.app)!;
const call = (client: Pick<Client, 'get'>, nin = freshNin()) => client.get(`/api/v1/kyc/nin?nin=${nin}`);
type Refused = Body<unknown> & { cap: string; limit_amount: number; left_amount: number };
const refusalOf = ({ status, body }: Answer<unknown>) => {
  const { code, cap, limit_amount, left_amount, quote_amount } = body as Refused;
  return { status, code, cap, limit_amount, left_amount, quote_amount };
};
const exceeded = (cap: string, limit_amount: number, left_amount: number, quote_amount: number) => ({
  status: 403,
  code: 'spending_cap_exceeded',
  cap,
  limit_amount,
  left_amount,
  quote_amount,
});
const lookedUp = async (app: TestApp) => {
  const [row] = await api.service.sql<{ n: number }[]>`select count(*)::int as n from jobs where app_id = ${appIdOf(app)} and not live`;
  return row!.n;
};
const change = (app: TestApp, settings: object) => api.admin.send('PATCH', `/api/v1/admin/apps/${app.app}`, json({ settings }));
const json = (body: object) => ({ headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
const capKey = (id: string, daily_cap: number | null) => api.admin.send('PATCH', `/api/v1/admin/keys/${id}`, json({ daily_cap }));
async function rotated(app: TestApp, { keyId }: { keyId: string }): Promise<Client & { keyId: string }> {
  const made = await app.post<{ id: string; key: string }>(`/api/v1/keys/${keyId}/rotate`, { overlap_seconds: 600 });
  expect(made.status).toBe(201);
  return { ...openClient(api.url, app.app, made.body.entity.key), keyId: made.body.entity.id };
}
async function keyOf(app: TestApp, daily_cap?: number): Promise<Client & { keyId: string }> {
  const made = await api.admin.post<{ id: string; key: string }>(`/api/v1/admin/apps/${app.app}/keys`, { mode: 'test', daily_cap });
  expect(made.status).toBe(201);
  return { ...openClient(api.url, app.app, made.body.entity.key), keyId: made.body.entity.id };
}

describe('a daily cap', () => {
  test('on a key is reached exactly: by calls, cached answers, jobs and batches', async () => {
    const app = await api.createApp();
    const key = await keyOf(app, 125 + 50 + 125 + 250 + 49.99);
    const nin = freshNin();
    expect((await call(key, nin)).body.billed_amount).toBe(125);
    expect((await call(key, nin)).body).toMatchObject({ billed_amount: 50, cached: true });
    const job = (await key.job({ check: 'nin_basic', input: { nin: freshNin() } })).body.entity;
    const batch = (await key.csv('checks=nin_basic', `nin\n${freshNin()}\n${freshNin()}\n`)).body.entity;
    await key.ended<JobEntity>(`/api/v1/jobs/${job.id}`);
    await key.ended<BatchEntity>(`/api/v1/batches/${batch.id}`);
    const before = await lookedUp(app);
    const limit = 599.99;
    expect(refusalOf(await call(key))).toEqual(exceeded('key_day', limit, 49.99, 125));
    expect(refusalOf(await call(key, nin))).toEqual(exceeded('key_day', limit, 49.99, 50));
    expect(refusalOf(await key.job({ check: 'nin_basic', input: { nin } }))).toEqual(exceeded('key_day', limit, 49.99, 125));
    expect(refusalOf(await key.csv('checks=nin_basic', `nin\n${nin}\n${nin}1\n`))).toEqual(exceeded('key_day', limit, 49.99, 125));
    expect(await lookedUp(app)).toBe(before);
    expect((await key.wallet()).held).toBe(0);
    // Its app's other keys keep working, and so does this key with a higher cap, or none.
    expect((await call(app)).status).toBe(200);
    expect((await capKey(key.keyId, limit + 0.01)).body.entity).toMatchObject({ id: key.keyId, mode: 'test', daily_cap: 600 });
    expect((await call(key, nin)).body.billed_amount).toBe(50);
    expect(refusalOf(await call(key, nin))).toEqual(exceeded('key_day', 600, 0, 50));
    await capKey(key.keyId, null);
    expect((await call(key, nin)).status).toBe(200);
  });

  test('counts what was charged, not what was released', async () => {
    const app = await api.createApp();
    const key = await keyOf(app, 130);
    for (const nin of ['00000000001', '00000000003', '00000000001']) expect([404, 424]).toContain((await call(key, nin)).status);
    const canceled = (await key.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`)).body.entity;
    expect(refusalOf(await call(key))).toEqual(exceeded('key_day', 130, 5, 125));
    await key.post(`/api/v1/batches/${canceled.id}/cancel`);
    expect((await call(key)).status).toBe(200);
    expect((await call(key)).status).toBe(403);
  });

  test('on a key does not give way to fifty concurrent calls', async () => {
    const app = await api.createApp();
    const key = await keyOf(app, 20 * 125 + 124);
    const answers = await Promise.all(Array.from({ length: 50 }, () => call(key)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(refusalOf(answer)).toEqual(exceeded('key_day', 2624, 124, 125));
    expect(await lookedUp(app)).toBe(20);
    expect(await app.wallet()).toEqual({ currency: 'NGX', available: 100_000 - 20 * 125, held: 0 });
  });

  test('on an app holds over all its keys, for calls, jobs and batches at once', async () => {
    const app = await api.createApp();
    expect((await change(app, { dailyCap: 15 * 125 })).body.entity).toMatchObject({ settings: { dailyCap: 1875 } });
    const other = await keyOf(app, 6 * 125);
    const work = Array.from({ length: 33 }, (_, i) => {
      const key = i % 2 ? app : other;
      if (i % 3 === 0) return call(key);
      if (i % 3 === 1) return key.job({ check: 'nin_basic', input: { nin: freshNin() } });
      return key.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`);
    });
    const answers: Answer<unknown>[] = await Promise.all(work);
    const taken = answers.filter(({ status }) => status < 300);
    expect(taken).toHaveLength(15);
    expect(taken.filter((answer) => answers.indexOf(answer) % 2 === 0).length).toBeLessThanOrEqual(6);
    for (const answer of answers.filter(({ status }) => status >= 300)) expect((answer.body as Refused).code).toBe('spending_cap_exceeded');
    const [spent] = await api.service.sql<{ kobo: number }[]>`
      select sum(case when released_at is null then amount_kobo else captured_kobo end)::bigint as kobo from holds where app_id = ${appIdOf(app)}`;
    expect(spent!.kobo).toBe(15 * 125_00);
    expect(refusalOf(await call(app))).toEqual(exceeded('app_day', 1875, 0, 125));
  });

  test('on an app counts what its people spend, together with its keys', async () => {
    const app = await api.createApp({ settings: { dailyCap: 3 * 125 + 50 } });
    const key = await keyOf(app, 125);
    const [{ browser: ada }, { browser: bola }] = [await signedInAs(api, app, 'operator'), await signedInAs(api, app, 'operator')];
    const nin = freshNin();
    expect((await call(ada, nin)).status).toBe(200);
    expect((await call(ada, nin)).body).toMatchObject({ cached: true, billed_amount: 50 });
    // What people spend leaves the key its own cap.
    expect((await call(key)).status).toBe(200);
    expect(refusalOf(await call(key))).toEqual(exceeded('key_day', 125, 0, 125));
    const answers = await Promise.all([ada, bola, app, ada, bola, app].map((who) => call(who)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(refusalOf(answer)).toEqual(exceeded('app_day', 425, 0, 125));
    const job = await bola.post('/api/v1/jobs', { check: 'nin_basic', input: { nin: freshNin() } });
    expect(refusalOf(job)).toEqual(exceeded('app_day', 425, 0, 125));
  });

  test('on a key goes on with the key that replaces it, and both share it meanwhile', async () => {
    const app = await api.createApp();
    const first = await keyOf(app, 5 * 125);
    expect((await call(first)).status).toBe(200);
    const second = await rotated(app, first);
    const third = await rotated(app, second);
    expect((await call(third)).status).toBe(200);
    const answers = await Promise.all([first, second, third, first, second, third, first, second, third].map((key) => call(key)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(refusalOf(answer)).toEqual(exceeded('key_day', 625, 0, 125));
    const batch = await third.csv('checks=nin_basic', `nin\n${freshNin()}\n`);
    expect(refusalOf(batch)).toEqual(exceeded('key_day', 625, 0, 125));
    // A key that another makes is not its successor.
    const made = await first.post<{ key: string }>('/api/v1/keys', { scopes: ['verify'], daily_cap: 125 });
    expect(made.status).toBe(201);
    expect((await call(openClient(api.url, app.app, made.body.entity.key))).status).toBe(200);
  });

  test('covers one app, one mode and one day', async () => {
    const [app, other] = [await api.createApp({ settings: { dailyCap: 125 } }), await api.createApp({ settings: { dailyCap: 125 } })];
    await api.admin.post(`/api/v1/admin/apps/${app.app}/topups`, { amount: 1_000, mode: 'live' });
    // Live spending counts towards live keys only.
    await api.service.sql`insert into holds (id, app_id, live, amount_kobo, captured_kobo, key_id, released_at)
      values (${newId()}, ${appIdOf(app)}, true, 12500, 12500, ${newId()}, now())`;
    for (const client of [app, other]) expect((await call(client)).status).toBe(200);
    for (const client of [app, other]) expect((await call(client)).status).toBe(403);
    await api.service
      .sql`update holds set created_at = date_trunc('day', now(), 'UTC') - interval '1 microsecond' where app_id = ${appIdOf(app)}`;
    expect((await call(app)).status).toBe(200);
    expect((await call(other)).status).toBe(403);
  });

  test('counts the whole quote of a batch that holds more later', async () => {
    const app = await api.createApp({ naira: 200, settings: { dailyCap: 500, partialRuns: true } });
    const rows = Array.from({ length: 3 }, freshNin).join('\n');
    const batch = (await app.csv('checks=nin_basic&start=manual', `nin\n${rows}\n`)).body.entity;
    expect([batch.quote_amount, batch.hold_amount]).toEqual([375, 200]);
    await api.admin.post(`/api/v1/admin/apps/${app.app}/topups`, { amount: 1_000, mode: 'test' });
    expect((await call(app)).status).toBe(200);
    expect(refusalOf(await call(app))).toEqual(exceeded('app_day', 500, 0, 125));
  });

  test('of zero refuses everything that costs', async () => {
    const app = await api.createApp({ settings: { dailyCap: 0 } });
    expect(refusalOf(await call(app))).toEqual(exceeded('app_day', 0, 0, 125));
    await change(app, { dailyCap: null });
    expect((await call(app)).status).toBe(200);
  });
});

describe('a batch cap', () => {
  test('limits the worst case, to the kobo, and does not affect calls', async () => {
    const app = await api.createApp({ settings: { batchCap: 250 } });
    const rows = Array.from({ length: 3 }, freshNin);
    expect(refusalOf(await app.csv('checks=nin_basic', `nin\n${rows.join('\n')}\n`))).toEqual(exceeded('batch', 250, 250, 375));
    const [left] = await api.service.sql`select count(*)::int as n from batches where app_id = ${appIdOf(app)}`;
    expect([left!.n, await lookedUp(app), (await app.wallet()).held]).toEqual([0, 0, 0]);
    const two = (await app.csv('checks=nin_basic', `nin\n${rows.slice(1).join('\n')}\n`)).body.entity;
    expect(two.hold_amount).toBe(250);
    for (let i = 0; i < 3; i++) expect((await call(app)).status).toBe(200);
    await app.ended(`/api/v1/batches/${two.id}`);
  });
});

describe('the operator', () => {
  test('changes settings while the app is storing an upload', async () => {
    const app = await api.createApp();
    await api.service.sql.begin(async (tx) => {
      // As Postgres locks the app's row for every row that refers to it.
      await tx`select 1 from apps where id = ${appIdOf(app)} for key share`;
      expect((await change(app, { weight: 3 })).status).toBe(200);
      expect((await app.send('PATCH', '/api/v1/retention', json({ live: { batches: 90 } }))).status).toBe(200);
    });
  });

  test('changes settings member by member; null restores the default', async () => {
    const app = await api.createApp({ settings: { weight: 2 } });
    const path = `/api/v1/admin/apps/${app.app}`;
    expect((await change(app, { dailyCap: 5, lowBalance: 7.5 })).body.entity).toEqual({
      id: app.app,
      object: 'app',
      name: 'Test',
      settings: { weight: 2, dailyCap: 5, lowBalance: 7.5 },
    });
    expect((await change(app, { weight: null, dailyCap: null })).body.entity).toMatchObject({ settings: { lowBalance: 7.5 } });
    for (const settings of [
      { dailyCap: -1 },
      { batchCap: 0.001 },
      { lowBalance: 0 },
      { lowBalance: '5' },
      { partialRuns: 1 },
      { unknown: 1 },
      { dailyCap: 1e12 },
      null,
    ]) {
      const answer = await api.admin.send('PATCH', path, json({ settings }));
      expect([answer.status, answer.body.details?.[0]?.path.split('.')[0]], JSON.stringify(settings)).toEqual([400, 'settings']);
    }
    expect((await api.admin.send('PATCH', `/api/v1/admin/apps/${showId('app', newId())}`, json({ settings: {} }))).status).toBe(404);
    expect((await app.send('PATCH', path, json({ settings: {} }))).status).toBe(403);
  });

  test('gets a 4xx for an unknown key or an invalid cap', async () => {
    const app = await api.createApp();
    for (const daily_cap of [-1, '5', 0.001, undefined]) expect((await capKey(app.keyId, daily_cap as number)).status).toBe(400);
    for (const id of [showId('key', newId()), 'key_1', 'x']) expect((await capKey(id, 5)).status).toBe(404);
    expect((await app.send('PATCH', `/api/v1/admin/keys/${app.keyId}`, json({ daily_cap: null }))).status).toBe(403);
  });
});

describe('a low balance', () => {
  const created = async (options: { naira: number; settings?: AppSettings }) => {
    const app = await api.createApp(options);
    const endpoint = { url: 'https://example.invalid/hook', events: ['wallet.low_balance'] };
    expect((await app.post('/api/v1/webhooks/endpoints', endpoint)).status).toBe(201);
    return app;
  };
  const told = (app: TestApp) => api.service.sql<{ live: boolean; data: Record<string, unknown> }[]>`
    select e.live, e.data from events e join deliveries d on d.event_id = e.id
    where e.app_id = ${appIdOf(app)} and e.type = 'wallet.low_balance' order by e.id`;

  test('is reported once, and again only after it has risen above the threshold', async () => {
    const app = await created({ naira: 1_000, settings: { lowBalance: 800 } });
    await call(app);
    expect(await told(app)).toEqual([]);
    const known = freshNin();
    await call(app, known);
    expect(await told(app)).toEqual([
      { live: false, data: { object: 'wallet', live: false, currency: 'NGX', available: 750, low_balance: 800 } },
    ]);
    await call(app);
    await call(app, known);
    await app.job({ check: 'nin_basic', input: { nin: freshNin() } });
    expect(await told(app)).toHaveLength(1);
    await api.admin.post(`/api/v1/admin/apps/${app.app}/topups`, { amount: 1_000, mode: 'test' });
    expect(await told(app)).toHaveLength(1);
    // This time by a batch, and at once by many calls.
    await app.csv('checks=nin_basic&start=manual', `nin\n${Array.from({ length: 6 }, freshNin).join('\n')}\n`);
    expect(await told(app)).toHaveLength(2);
  });

  test('is reported once when fifty calls cause it, one of them a cached answer', async () => {
    const app = await created({ naira: 10_000, settings: { lowBalance: 10_000 } });
    const answers = await Promise.all(Array.from({ length: 50 }, () => call(app)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await told(app)).toHaveLength(1);
    const known = freshNin();
    await change(app, { lowBalance: null });
    await call(app, known);
    await change(app, { lowBalance: (await app.wallet()).available });
    expect((await call(app, known)).body).toMatchObject({ cached: true, billed_amount: 50 });
    expect(await told(app)).toHaveLength(2);
  });

  test('is reported when a running batch holds more', async () => {
    const app = await created({ naira: 300, settings: { lowBalance: 100, partialRuns: true } });
    const rows = Array.from({ length: 3 }, freshNin).join('\n');
    const batch = (await app.csv('checks=nin_basic', `nin\n${rows}\n`)).body.entity;
    const path = `/api/v1/batches/${batch.id}`;
    type Paused = BatchEntity & { missing_amount: number | null; progress: { rate_per_second: number } };
    await waitFor('the money to run out', async () => (await app.get<BatchEntity>(path)).body.entity.status === 'paused_funds');
    // The rate is that of the work, however long the batch waits for money.
    await api.service.sql`
      update batches set started_at = now() - interval '1 hour', paused_at = now() - interval '1 hour' + interval '1 second' where id = ${parseId('bat', batch.id)}`;
    expect((await app.get<Paused>(path)).body.entity).toMatchObject({ missing_amount: 75, progress: { rate_per_second: 2 } });
    await change(app, { lowBalance: 480 });
    await api.admin.post(`/api/v1/admin/apps/${app.app}/topups`, { amount: 500, mode: 'test' });
    expect(await app.ended<Paused>(path)).toMatchObject({ billed_amount: 375, missing_amount: null });
    expect((await told(app)).map(({ data }) => [data.available, data.low_balance])).toEqual([
      [0, 100],
      [425, 480],
    ]);
  });

  test('is not reported to an app that did not ask, nor for a refused hold', async () => {
    const [silent, app] = [await created({ naira: 130 }), await created({ naira: 100, settings: { lowBalance: 50 } })];
    await call(silent);
    expect((await call(app)).status).toBe(402);
    expect([...(await told(silent)), ...(await told(app))]).toEqual([]);
  });
});
