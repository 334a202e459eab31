/** What the sweeper deletes once it has been kept for long enough. Time passes by `aheadDays`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixedKinds, retentionKinds } from '../../src/contract/retention.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { planRetention, sweepRetention } from '../../src/lifecycle/retention.ts';
import { type BatchEntity, type Entity, type JobEntity, type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { freshNin, never } from '../setup/work.ts';

const api = useApi();
const json = { 'Content-Type': 'application/json' };
const change = (app: TestApp, body: object) =>
  app.send<Entity>('PATCH', '/api/v1/retention', { headers: json, body: JSON.stringify(body) });
const sweep = (days: number) => sweepRetention(api.service, never, days);

const appId = (app: TestApp) => parseId('app', app.app)!;
/** Rows of the app, by table. */
async function rowsOf(app: TestApp): Promise<Record<string, number>> {
  const id = appId(app);
  const [row] = await api.service.sql<Record<string, number>[]>`
    select (select count(*) from jobs where app_id = ${id} and batch_id is not null)::int as rows,
      (select count(*) from jobs where app_id = ${id} and batch_id is null and input is not null)::int as jobs,
      (select count(*) from jobs where app_id = ${id} and batch_id is null and input is null)::int as calls,
      (select count(*) from invalid_rows i join batches b on b.id = i.batch_id where b.app_id = ${id})::int as invalid,
      (select count(*) from events where app_id = ${id})::int as events`;
  return { ...row! };
}

/** One of each kind. */
async function work(app: TestApp): Promise<BatchEntity> {
  await app.post('/api/v1/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook' });
  const made = await app.csv('checks=nin_basic', `nin\n${freshNin()}\n${freshNin()}\nnobody\n`);
  const batch = await app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`);
  const job = (await app.job({ check: 'nin_basic', input: { nin: freshNin() } })).body.entity;
  await app.ended<JobEntity>(`/api/v1/jobs/${job.id}`);
  expect((await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`)).status).toBe(200);
  await waitFor('the record of the call', async () => (await rowsOf(app)).calls! >= 1);
  return batch;
}

test('each kind goes when its days are over, and not a day before', async () => {
  const app = await api.createApp();
  const batch = await work(app);
  const path = `/api/v1/batches/${batch.id}`;
  const all = { rows: 2, jobs: 1, calls: 1, invalid: 1 };
  await sweep(6);
  expect(await rowsOf(app)).toMatchObject(all);
  expect((await rowsOf(app)).events).toBeGreaterThan(0);
  expect((await app.get(`${path}/errors`)).status).toBe(200);
  await sweep(8);
  expect(await rowsOf(app)).toMatchObject({ ...all, invalid: 0, events: 0 });
  expect((await app.get(`${path}/errors`)).status).toBe(404);
  expect((await app.get<BatchEntity>(path)).body.entity.errors).toEqual([]);
  expect((await app.get(`${path}/results`)).text.trimEnd().split('\n')).toHaveLength(3);
  await sweep(29);
  expect(await rowsOf(app)).toMatchObject({ rows: 2, jobs: 1, calls: 1 });
  const spent = await app.wallet();
  await sweep(31);
  await waitFor('the rows to go', async () => (await rowsOf(app)).rows === 0);
  expect(await rowsOf(app)).toMatchObject({ rows: 0, jobs: 0, calls: 0, invalid: 0 });
  expect(await app.wallet()).toEqual(spent);
  await waitFor('the batch', async () => (await app.get<BatchEntity>(path)).body.entity.status === 'deleted');
  expect((await app.get<BatchEntity>(path)).body.entity.counts).toEqual(batch.counts);
  const [entry] = (await app.get<{ data: Entity[] }>('/api/v1/audit?action=batch.delete')).body.entity.data;
  expect(entry).toMatchObject({ target: batch.id, actor: { kind: 'system', id: 'retention' } });
  // Nothing is left that takes room.
  const [storage] = await api.service.sql`
    select coalesce(sum(stored_bytes), 0)::int as bytes from usage_days where app_id = ${appId(app)}`;
  expect(storage!.bytes).toBe(0);
});

test('what an app sets counts for that app and mode alone; a legal hold keeps a batch', async () => {
  const [short, usual] = [await api.createApp(), await api.createApp()];
  const [batch, held] = [await work(short), await work(short)];
  await work(usual);
  expect((await short.send('PUT', `/api/v1/batches/${held.id}/legal-hold`)).status).toBe(200);
  expect((await change(short, { test: { batches: 2, invalid_rows: 2 }, live: { jobs: 1 } })).status).toBe(200);
  await sweep(3);
  await waitFor('its rows to go', async () => (await rowsOf(short)).rows === 2);
  expect(await rowsOf(short)).toMatchObject({ jobs: 2, invalid: 1 });
  expect((await short.get(`/api/v1/batches/${batch.id}/results`)).status).toBe(404);
  expect((await short.get(`/api/v1/batches/${held.id}/results`)).status).toBe(200);
  expect(await rowsOf(usual)).toMatchObject({ rows: 2, invalid: 1 });
});

test('a batch that nobody starts is canceled, and gone with its rows', async () => {
  const app = await api.createApp();
  const { id } = (await app.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`)).body.entity;
  await sweep(8);
  await waitFor('its rows to go', async () => (await rowsOf(app)).rows === 0);
  expect((await app.wallet()).held).toBe(0);
  expect((await app.get<BatchEntity>(`/api/v1/batches/${id}`)).body.entity.counts).toMatchObject({ canceled: 1 });
});

test('the plan counts what a sweep would delete, and deletes nothing', async () => {
  const app = await api.createApp();
  await work(app);
  const before = await rowsOf(app);
  const due = async (days: number, kind: string) =>
    (await planRetention(api.service, days)).find((one) => one.kind === kind && !one.live)?.due ?? 0;
  const [now, later] = [await due(0, 'jobs'), await due(31, 'jobs')];
  expect(later).toBeGreaterThan(now);
  expect(await rowsOf(app)).toEqual(before);
});

describe('the settings', () => {
  const shown = async (app: TestApp, kind: string) =>
    (await app.get<{ data: { kind: string }[] }>('/api/v1/retention')).body.entity.data.find((one) => one.kind === kind);

  test('are the app’s own: shorter, longer within bounds, and back by null', async () => {
    const app = await api.createApp();
    expect(await shown(app, 'batches')).toMatchObject({ live_days: 365, test_days: 30, min_days: 1, max_days: 3650 });
    await change(app, { live: { batches: 1825 }, test: { batches: 1 } });
    await change(app, { live: { events: 7 } });
    expect(await shown(app, 'batches')).toMatchObject({ live_days: 1825, test_days: 1, default_live_days: 365 });
    await change(app, { live: { batches: null } });
    expect(await shown(app, 'batches')).toMatchObject({ live_days: 365, test_days: 1 });
    expect(await shown(app, 'events')).toMatchObject({ live_days: 7 });
    for (const body of [
      {},
      { live: {} },
      { live: { batches: 0 } },
      { live: { batches: 3651 } },
      { test: { events: 6 } },
      { live: { excerpts: 30 } },
      { live: { batches: '9' } },
      { both: {} },
    ]) {
      const answer = await change(app, body);
      expect([JSON.stringify(body), answer.status, answer.body.code]).toEqual([JSON.stringify(body), 400, 'invalid_request']);
    }
    const set = await api.admin.send('PATCH', `/api/v1/admin/apps/${app.app}`, {
      headers: json,
      body: JSON.stringify({ settings: { retention: { test: { jobs: 2 } } } }),
    });
    expect(set.status, set.text).toBe(200);
    expect(await shown(app, 'jobs')).toMatchObject({ test_days: 2 });
  });

  test('are documented as they are', () => {
    const page = readFileSync(join(packageRoot(), 'docs/privacy.md'), 'utf8');
    for (const [kind, { what, live, test, min, max }] of Object.entries({ ...retentionKinds, ...fixedKinds }))
      expect(page).toContain(`| \`${kind}\` | ${what} | ${live} | ${test} | ${min === max ? '–' : `${min} to ${max}`} |`);
  });
});
