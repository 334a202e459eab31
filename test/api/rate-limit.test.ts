/** Rate limits by key: headers that count down, 429 before anything is done, one count over all processes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createApp } from '../../src/access/apps.ts';
import { createKey } from '../../src/access/keys.ts';
import { openRateLimits } from '../../src/access/rate-limit.ts';
import { newId, parseId, showId } from '../../src/foundation/ids.ts';
import { sweepExpired } from '../../src/pipeline/sweep.ts';
import { type Running, runRoles } from '../../workers/main.ts';
import { openClient, useApi } from '../setup/api.ts';
import { asOwner, useDatabase, waitFor } from '../setup/database.ts';

const api = useApi({ CONFAM_REQUESTS_PER_MINUTE: '10' });

/** Waits, if necessary, for a minute with enough time left for a test. */
async function earlyInMinute(): Promise<void> {
  const [clock] = await api.service.sql<{ s: number }[]>`select extract(second from now())::int as s`;
  if (clock!.s > 45) await sleep((61 - clock!.s) * 1000);
}

const numbers = (header: string | null) => {
  const match = /^"minute";r=(\d+);t=(\d+)$/.exec(header ?? '');
  return match ? { remaining: Number(match[1]), seconds: Number(match[2]) } : null;
};
const requestsCounted = async (keyId: string) =>
  (await api.service.sql`select coalesce(sum(requests), 0)::int as n from request_counts where key_id = ${parseId('key', keyId)}`)[0]!
    .n as number;

describe('a key', () => {
  test('sees on every answer how much is left, then 429 until the minute is over; other keys are not affected', async () => {
    await earlyInMinute();
    const app = await api.createApp({ settings: { requestsPerMinute: 4 } });
    const paths = ['/api/v1/wallet', '/api/v1/kyc/bvn?bvn=1', '/api/v1/batches/bat_none', '/api/v1/wallet'];
    for (const [i, path] of paths.entries()) {
      const answer = await app.get(path);
      expect([200, 400, 404]).toContain(answer.status);
      expect(answer.headers.get('ratelimit-policy')).toBe('"minute";q=4;w=60');
      const left = numbers(answer.headers.get('ratelimit'));
      expect(left?.remaining).toBe(3 - i);
      expect(left?.seconds).toBeGreaterThanOrEqual(1);
      expect(left?.seconds).toBeLessThanOrEqual(60);
    }
    // A body that is not even JSON, to show that it was not read.
    for (const answer of [await app.get('/api/v1/wallet'), await app.post('/api/v1/jobs', '{', { 'Idempotency-Key': 'k' })]) {
      expect([answer.status, answer.body.code]).toEqual([429, 'rate_limited']);
      expect(answer.headers.get('ratelimit-policy')).toBe('"minute";q=4;w=60');
      expect(numbers(answer.headers.get('ratelimit'))?.remaining).toBe(0);
      expect(answer.headers.get('retry-after')).toBe(String(numbers(answer.headers.get('ratelimit'))?.seconds));
      expect(answer.headers.get('x-request-id')).toBe(answer.body.meta.request_id);
    }
    expect((await api.service.sql`select 1 from idempotency_keys`).count).toBe(0);
    // The same app's live key has its own count.
    expect(numbers((await app.live.get('/api/v1/wallet')).headers.get('ratelimit'))?.remaining).toBe(3);
  });

  test('has the configured limit, including an operator’s; downloads carry the headers too', async () => {
    await earlyInMinute();
    const app = await api.createApp();
    const batch = await app.csv('checks=nin_basic&start=manual', 'nin\n70123456789\n');
    expect(batch.headers.get('ratelimit-policy')).toBe('"minute";q=10;w=60');
    const results = await app.get(`/api/v1/batches/${batch.body.entity.id}/results`);
    expect(results.status).toBe(200);
    expect(numbers(results.headers.get('ratelimit'))?.remaining).toBe(8);
    const admin = await api.admin.post('/api/v1/admin/apps', { name: 'a', settings: { requestsPerMinute: -1 } });
    expect(admin.status).toBe(400);
    expect(admin.headers.get('ratelimit-policy')).toBe('"minute";q=10;w=60');
  });

  test('with a limit of 0 has none, and no headers', async () => {
    const app = await api.createApp({ settings: { requestsPerMinute: 0 } });
    for (let i = 0; i < 20; i++) {
      const answer = await app.get('/api/v1/wallet');
      expect([answer.status, answer.headers.get('ratelimit'), answer.headers.get('ratelimit-policy')]).toEqual([200, null, null]);
    }
  });

  test('that is wrong learns of no limit', async () => {
    const answer = await openClient(api.url, 'app_x', 'cf_test_wrong').get('/api/v1/wallet');
    expect([answer.status, answer.headers.get('ratelimit')]).toEqual([401, null]);
  });

  test('costs no statement per request: counts are added in groups, and refusals not at all', async () => {
    await earlyInMinute();
    const app = await api.createApp({ settings: { requestsPerMinute: 50 } });
    await Promise.all(Array.from({ length: 80 }, () => app.get('/api/v1/wallet')));
    // A flush sends the counts of all keys.
    const next = await api.createApp();
    await next.get('/api/v1/wallet');
    await waitFor('the next flush', async () => (await requestsCounted(next.keyId)) === 1);
    expect(await requestsCounted(app.keyId)).toBe(50);
  });

  test('is swept once its minute is long over', async () => {
    await api.service.sql`update request_counts set "window" = "window" - interval '1 hour'`;
    await sweepExpired(api.service);
    expect((await api.service.sql`select 1 from request_counts where "window" < now() - interval '30 minutes'`).count).toBe(0);
  });
});

describe('several processes', () => {
  const database = useDatabase();
  const running: Running[] = [];
  beforeAll(async () => {
    const apiAlone = { api: true, pools: [], webhooks: false, dispatcher: false };
    for (let i = 0; i < 2; i++) {
      running.push(await runRoles(database.config({ HOST: '127.0.0.1', PORT: '0', CONFAM_DRAIN_MS: '3000' }), database.url, apiAlone));
    }
  });
  afterAll(() => Promise.all(running.map((one) => one.drain())));

  test('share one count', async () => {
    await earlyInMinute();
    const { service } = running[0]!;
    const { id } = await createApp(service, 'Test', { requestsPerMinute: 20 });
    const { key } = (await createKey(service, 'test', id))!;
    const [one, other] = running.map(({ port }) => openClient(`http://127.0.0.1:${port}`, showId('app', id), key));
    const counted = async () => (await service.sql`select coalesce(sum(requests), 0)::int as n from request_counts`)[0]!.n as number;
    for (let i = 0; i < 12; i++) expect((await one!.get('/api/v1/wallet')).status).toBe(200);
    await waitFor('the first process to tell', async () => (await counted()) === 12);
    // The other process learns of it with its own first request.
    expect((await other!.get('/api/v1/wallet')).status).toBe(200);
    await waitFor('the second process to tell', async () => (await counted()) === 13);
    const next = await waitFor('the second process to learn', async () => {
      const answer = await other!.get('/api/v1/wallet');
      return numbers(answer.headers.get('ratelimit'))!.remaining < 8 && answer;
    });
    expect(next.status).toBe(200);
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) statuses.push((await other!.get('/api/v1/wallet')).status);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(6);
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('a window', () => {
  test('gives the whole limit back once it is over', async () => {
    const limits = await openRateLimits(api.service, 2_000);
    const id = newId();
    const take = () => limits.take(id, 3);
    // A window that just began.
    await waitFor('a window', () => limits.take(newId(), 1).resetSeconds === 2);
    expect([take(), take(), take(), take()].map((taken) => [taken.allowed, taken.remaining])).toEqual([
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
    ]);
    expect(take().resetSeconds).toBeLessThanOrEqual(2);
    await waitFor('the next window', () => take().allowed);
    expect(take().remaining).toBe(1);
    await limits.close();
    const rows = await api.service.sql`select requests from request_counts where key_id = ${id} order by "window" desc`;
    expect(rows[0]!.requests).toBe(2);
  });

  test('keeps its count through a short database outage', async () => {
    const limits = await openRateLimits(api.service, 3_600_000);
    const id = newId();
    const warnings = vi.spyOn(api.service.log, 'warn');
    await asOwner(api.service.databaseUrl, (sql) => sql`alter table request_counts rename to request_counts_away`);
    for (let i = 0; i < 5; i++) limits.take(id, 10);
    await waitFor('a flush to fail', () => warnings.mock.calls.length > 0);
    expect(limits.take(id, 10).remaining).toBe(4);
    await asOwner(api.service.databaseUrl, (sql) => sql`alter table request_counts_away rename to request_counts`);
    await limits.close();
    const [row] = await api.service.sql`select requests from request_counts where key_id = ${id}`;
    expect(row!.requests).toBe(6);
  });
});
