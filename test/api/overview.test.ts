/** The overview: what is happening now in an app and mode, in one answer. */
import { beforeAll, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import type { Overview } from '../../src/pipeline/overview.ts';
import { type Client, type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { addHits } from '../setup/screening.ts';

const api = useApi();
let app: TestApp;
beforeAll(async () => {
  app = await api.createApp({ naira: 10_000, settings: { lowBalance: 9_000 } });
});

const read = async (by: Client = app): Promise<Overview> => (await by.get<Overview>('/api/v1/overview')).body.entity;

test('it tells batches, outcomes, refusals, money and failing webhooks of this app and mode alone', async () => {
  const other = await api.createApp({ naira: 5_000 });
  const empty = await read(other);
  expect(empty).toMatchObject({
    object: 'overview',
    live: false,
    batches: { counts: {}, data: [] },
    outcomes: { found: 0, not_found: 0, failed: 0, checks: [] },
    refusals: [],
    money: { currency: 'NGX', available: 5_000, held: 0, low_balance: null, is_low: false },
    webhooks: { failing: [] },
  });
  const waiting = (await app.csv('checks=bvn_full&start=manual', 'bvn\n22345678901\n')).body.entity;
  const submitted = await app.csv('checks=bvn_full', 'bvn\n22345678902\n00000000001\n');
  expect(submitted.status, submitted.text).toBe(202);
  const done = submitted.body.entity;
  // What has been charged is no longer held.
  await api.service.sql`update holds set captured_kobo = 100 where id = ${parseId('bat', waiting.id)}`;
  await app.ended(`/api/v1/batches/${done.id}`);
  await app.get('/api/v1/jobs/job_0123456789abcdef0123456789abcdef');
  await api.service.sql`
    insert into webhook_endpoints (id, app_id, live, url, events, secret, failing_since)
    values (gen_random_uuid(), ${parseId('app', app.app)}, false, 'https://hooks.example/in', '{}', '', now())`;
  const seen = await waitFor('the facts', async () => {
    const overview = await read();
    return (
      overview.outcomes.found + overview.outcomes.not_found === 2 &&
      overview.refusals.length > 0 &&
      overview.webhooks.failing.length > 0 &&
      overview
    );
  });
  expect(seen.batches.counts).toEqual({ awaiting_start: 1 });
  expect(seen.batches.data.map(({ id }) => id)).toEqual([waiting.id]);
  expect(seen.outcomes.checks).toMatchObject([{ check: 'bvn_full', found: 1, not_found: 1, failed: 0 }]);
  expect(seen.refusals).toEqual([{ code: 'resource_not_found', count: 1 }]);
  expect(seen.webhooks.failing).toMatchObject([{ url: 'https://hooks.example/in', disabled: false }]);
  const wallet = await app.wallet();
  await api.service.sql`update holds set captured_kobo = 0 where id = ${parseId('bat', waiting.id)}`;
  expect(seen.money).toMatchObject({
    available: wallet.available,
    held: wallet.held,
    low_balance: 9_000,
    is_low: wallet.available < 9_000,
  });
  expect(seen.services.find(({ family }) => family === 'bvn')).toEqual({
    family: 'bvn',
    state: 'ok',
    degraded_checks: [],
    missing_checks: [],
    next_attempt_at: null,
    reason: null,
  });
  expect((await read(app.live)).services.find(({ family }) => family === 'aml')).toMatchObject({
    state: 'degraded',
    reason: 'Not loaded: ofac_sdn, un_sc',
  });
  expect((await read(app.live)).services.find(({ family }) => family === 'bvn')!.state).toBe('not_configured');
  // Pictures are compared with each other by an engine of our own, with portraits only once somebody serves NIN or BVN.
  expect((await read(app.live)).services.find(({ family }) => family === 'face')).toMatchObject({
    state: 'ok',
    missing_checks: ['photoid_verify', 'nin_verify', 'bvn_verify'],
  });
  expect((await read(app.live)).batches.data).toEqual([]);
  expect(await read(other)).toEqual(empty);
});

test('however many batches nobody has started, those that need somebody or are at work come first', async () => {
  const busy = await api.createApp();
  const manual = async () => parseId('bat', (await busy.csv('checks=bvn_full&start=manual', 'bvn\n22345678901\n')).body.entity.id)!;
  const [paused, poor, newer] = [await manual(), await manual(), await manual()];
  for (let n = 0; n < 20; n++) await manual();
  // As the dispatcher leaves them.
  await api.service.sql`update batches set status = 'paused' where id = ${paused}`;
  await api.service.sql`update batches set status = 'paused_funds' where id in ${api.service.sql([poor, newer])}`;
  const { counts, data } = await waitFor('the pauses', async () => {
    const { batches } = await read(busy);
    return batches.counts.paused_funds === 2 && batches;
  });
  expect(counts).toEqual({ awaiting_start: 20, paused: 1, paused_funds: 2 });
  expect(data.map(({ status }) => status)).toEqual(['paused_funds', 'paused_funds', 'paused', ...Array(17).fill('awaiting_start')]);
  expect(data.slice(0, 3).map(({ id }) => parseId('bat', id))).toEqual([newer, poor, paused]);
});

test('active monitors with new hits are counted and listed, of this app and mode alone', async () => {
  const watched = await api.createApp();
  const watch = async (client: TestApp, name: string) => {
    const { id } = (await client.job({ check: 'aml_screening', input: { name, monitor: true } })).body.entity;
    await client.ended(`/api/v1/jobs/${id}`);
    const [monitor] = (await client.get<{ data: { id: string }[] }>(`/api/v1/aml/monitors?job=${id}`)).body.entity.data;
    return monitor!.id;
  };
  const appId = parseId('app', watched.app)!;
  const monitors = [await watch(watched, 'Ada Obi'), await watch(watched, 'Emeka Obi'), await watch(watched, 'Bisi Ojo')];
  const count = async (client: Client, expected: number) =>
    waitFor(`${expected} monitors`, async () => (await read(client)).monitors!.with_hits === expected);
  await count(watched, 0);
  await addHits(api.service, appId, monitors[0]!, 3);
  await addHits(api.service, appId, monitors[1]!, 1);
  // The first as a process of an earlier release writes them.
  await api.service.sql`update aml_monitor_hits set app_id = ${appId} where monitor_id <> ${parseId('mon', monitors[0]!)}`;
  await count(watched, 2);
  await count(watched.live, 0);
  await count(app, 0);
  expect((await watched.send('DELETE', `/api/v1/aml/monitors/${monitors[0]}`)).status).toBe(200);
  await count(watched, 1);
  const listed = async (client: Client, query: string) =>
    (await client.get<{ data: { id: string }[] }>(`/api/v1/aml/monitors?${query}`)).body.entity.data.map(({ id }) => id);
  const [ended, hit, quiet] = monitors;
  expect(await listed(watched, 'active=true&with_hits=true')).toEqual([hit]);
  expect(await listed(watched, 'with_hits=true')).toEqual([hit, ended]);
  expect(await listed(watched, 'with_hits=false')).toEqual([quiet]);
  expect(await listed(watched, 'active=false')).toEqual([ended]);
  expect(await listed(watched, 'active=&with_hits=')).toEqual([quiet, hit, ended]);
  expect(await listed(watched.live, 'with_hits=true')).toEqual([]);
  expect((await watched.get('/api/v1/aml/monitors?with_hits=maybe')).status).toBe(400);
});

test('nothing new is 304; money needs its scope', async () => {
  const quiet = await api.createApp({ naira: 100 });
  const first = await quiet.get('/api/v1/overview');
  const tag = first.headers.get('etag')!;
  expect((await quiet.get('/api/v1/overview', { 'If-None-Match': tag })).status).toBe(304);
  await quiet.csv('checks=bvn_full&start=manual', 'bvn\n22345678901\n');
  await waitFor('a change', async () => (await quiet.get('/api/v1/overview', { 'If-None-Match': tag })).status === 200);
  const made = await quiet.post<{ key: string }>('/api/v1/keys', { scopes: ['results:read'] });
  const answer = await quiet.get<Overview>('/api/v1/overview', { Authorization: made.body.entity.key });
  expect(answer.body.entity.money).toBe(null);
});
