/** The last requests of an app: what they say, and what they never say. */
import { beforeAll, expect, test } from 'vitest';
import { dropMostRequests, dropOldRequests, type LoggedRequest, openRequestLog } from '../../src/access/request-log.ts';
import { firstIdAt, newId, parseId } from '../../src/foundation/ids.ts';
import { type Client, type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';

const api = useApi();
let app: TestApp;
beforeAll(async () => {
  app = await api.createApp({ naira: 1_000 });
});

interface Listed {
  id: string;
  method: string;
  route: string;
  status: number;
  code: string | null;
  duration_ms: number;
  actor: { kind: string; id: string };
  at: string;
}

const list = async (query = '', by: Client = app): Promise<Listed[]> =>
  (await by.get<{ data: Listed[] }>(`/api/v1/requests${query}`)).body.entity.data;

test('each request is listed with its route, status, time and code, and without path, query or body', async () => {
  const ok = await app.get('/api/v1/kyc/bvn/full?bvn=70123456789');
  const bad = await app.get('/api/v1/jobs/job_0123456789abcdef0123456789abcdef');
  expect(ok.status, ok.text).toBe(200);
  await app.live.get('/api/v1/wallet');
  await waitFor('the request', async () => (await list(`?request=${bad.body.meta.request_id}`)).length === 1);
  const requests = await list();
  const of = (id: string) => requests.find((one) => one.id === id)!;
  expect(of(bad.body.meta.request_id)).toMatchObject({
    method: 'GET',
    route: '/api/v1/jobs/:id',
    status: 404,
    code: 'resource_not_found',
    actor: { kind: 'key', id: app.keyId },
  });
  const good = of(ok.body.meta.request_id);
  expect(good.duration_ms).toBeGreaterThan(0);
  expect(Math.abs(Date.parse(good.at) - Date.now())).toBeLessThan(60_000);
  expect(requests.every(({ route }) => route !== '/api/v1/wallet')).toBe(true);
  const stored = await api.service.sql`select r::text from request_log r`;
  expect(JSON.stringify(stored)).not.toMatch(/70123456789|0123456789abcdef/);
  expect((await list('?status=4xx')).every(({ status }) => status >= 400 && status < 500)).toBe(true);
  expect((await list('?route=/api/v1/jobs/:id')).map(({ id }) => id)).toEqual([bad.body.meta.request_id]);
  expect(await list('?by=person')).toEqual([]);
  expect(await list('?request=nothing')).toEqual([]);
  expect((await app.get('/api/v1/requests?status=6xx')).status).toBe(400);
  const first = await app.get<{ data: Listed[]; next_cursor: string }>('/api/v1/requests?limit=1');
  expect((await list(`?limit=1&cursor=${first.body.entity.next_cursor}`))[0]!.id < first.body.entity.data[0]!.id).toBe(true);
});

const request = (appId: string, id = newId()): LoggedRequest => ({
  ...{ id, appId, live: false, method: 'GET', route: '/x', status: 200, code: null, duration: 10 },
  ...{ actorKind: 'key', actorId: 'key_1' },
});

test('requests beyond what one write takes are dropped and counted; none waits, and one app does not push out another', async () => {
  const log = openRequestLog(api.service);
  const [one, other] = [newId(), newId()];
  const before = (await api.service.metrics.requestsUnlogged.get()).values[0]?.value ?? 0;
  for (let i = 0; i < 150; i++) log.add(request(one));
  log.add(request(other));
  await log.close();
  const kept = await api.service.sql`select app_id, count(*)::int as n from request_log where app_id in (${one}, ${other}) group by app_id`;
  expect(Object.fromEntries(kept.map(({ appId, n }) => [appId, n]))).toEqual({ [one]: 100, [other]: 1 });
  expect((await api.service.metrics.requestsUnlogged.get()).values[0]!.value - before).toBe(50);
});

test('the sweeper keeps a week, and of each app the last 10,000', async () => {
  const { sql } = api.service;
  const [old, busy] = [newId(), newId()];
  const log = openRequestLog(api.service);
  log.add(request(old, firstIdAt(Date.now() - 8 * 86_400_000)));
  log.add(request(old));
  await log.close();
  const ids = Array.from({ length: 10_003 }, () => newId());
  await sql`
    insert into request_log (id, app_id, live, method, route, status, duration, actor_kind, actor_id)
    select id, ${busy}, true, 'GET', '/x', 200, 1, 'key', 'key_1' from unnest(${ids}::uuid[]) id`;
  expect(await dropOldRequests(api.service, 1_000)).toBe(1);
  await dropMostRequests(api.service);
  const kept =
    await sql`select app_id, count(*)::int as n, min(id::text) as least from request_log where app_id in (${old}, ${busy}) group by app_id`;
  expect(kept.find(({ appId }) => appId === old)!.n).toBe(1);
  expect(kept.find(({ appId }) => appId === busy)).toMatchObject({ n: 10_000, least: ids[3] });
  expect(parseId('app', app.app)).not.toBe(null);
});
