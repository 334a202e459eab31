/** What the sweeper deletes once it has been kept for long enough. Time passes by `aheadDays`. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixedKinds, retentionKinds } from '../../src/contract/retention.ts';
import { firstIdAt, newId, parseId } from '../../src/foundation/ids.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { dropExpired } from '../../src/lifecycle/expired.ts';
import { planRetention, sweepRetention } from '../../src/lifecycle/retention.ts';
import { type BatchEntity, type Entity, type JobEntity, type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { freshNin, never, stopAfter } from '../setup/work.ts';

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

describe('what is the same for every app, or ends by itself', () => {
  const sql = () => api.service.sql;
  const DAY_MS = 86_400_000;
  const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
  /** An id as it was made then; ids of one millisecond differ. */
  const idFrom = (days: number) => `${firstIdAt(Math.floor(Date.now() - days * DAY_MS)).slice(0, 18)}${newId().slice(18)}`;
  const countOf = async (table: string, id: string): Promise<number> =>
    (await sql()`select 1 from ${sql()(table)} where id = ${id}`).length;
  const overdue = async (kind: string) =>
    (await api.service.metrics.retentionOverdue.get()).values.find(({ labels }) => labels.kind === kind)!.value;
  const plan = async (kind: string, days = 0) => (await planRetention(api.service, days)).filter((one) => one.kind === kind);

  test('an ended monitor goes with its hits after a year, in test mode after a month; one that goes on stays', async () => {
    const app = await api.createApp();
    const monitor = async (live: boolean, endedDays: number | null) => {
      const id = newId();
      await sql()`
        insert into aml_monitors (id, app_id, live, subject, input, job_id, ended_at)
        values (${id}, ${appId(app)}, ${live}, ${randomBytes(8)}, '', ${newId()}, ${endedDays && daysAgo(endedDays)})`;
      await sql()`
        insert into aml_monitor_hits (id, monitor_id, list, digest, hit) values (${newId()}, ${id}, 'un_sc', ${randomBytes(8)}, 'sealed')`;
      return id;
    };
    const gone = [await monitor(true, 366), await monitor(false, 31)];
    const stay = [await monitor(true, 364), await monitor(false, 29), await monitor(false, null)];
    expect(await plan('monitors')).toMatchObject([
      { live: true, due: 1 },
      { live: false, due: 1 },
    ]);
    await sweep(0);
    for (const id of gone) expect(await countOf('aml_monitors', id)).toBe(0);
    for (const id of stay) expect(await countOf('aml_monitors', id)).toBe(1);
    expect(await sql()`select 1 from aml_monitor_hits where monitor_id = any(${[...gone, ...stay]}::uuid[])`).toHaveLength(3);
  });

  test('what a receiver answered goes after a week, its delivery later', async () => {
    const app = await api.createApp();
    const attempt = async (days: number) => {
      const [event, delivery] = [idFrom(days), idFrom(days)];
      await sql()`insert into events (id, app_id, live, type, data, created_at) values (${event}, ${appId(app)}, true, 'job.completed', '{}', ${daysAgo(days)})`;
      await sql()`
        insert into deliveries (id, event_id, app_id, url, host, status) values (${delivery}, ${event}, ${appId(app)}, 'https://x.example/', 'x.example', 'failed')`;
      await sql()`insert into delivery_attempts (delivery_id, attempt, at, latency_ms, excerpt) values (${delivery}, 1, ${daysAgo(days)}, 1, 'sealed')`;
      return async () =>
        (await sql()<{ excerpt: Buffer | null }[]>`select excerpt from delivery_attempts where delivery_id = ${delivery}`)[0]!.excerpt !==
        null;
    };
    const [old, recent] = [await attempt(8), await attempt(6)];
    expect(await plan('excerpts')).toMatchObject([{ live: true, due: 1 }]);
    await sweep(0);
    expect([await old(), await recent()]).toEqual([false, true]);
    expect(await plan('excerpts')).toEqual([]);
  });

  test('what was decided or has run out goes after a year, with its reason; what waits stays', async () => {
    const app = await api.createApp();
    const approval = async (days: number, status: string) => {
      const id = idFrom(days);
      await sql()`
        insert into approvals (id, app_id, live, action, target, status, asked_kind, asked_id, about, asked_at, expires_at)
        values (${id}, ${appId(app)}, true, 'reveal', ${`job_${id}`}, ${status}, 'person', 'per_1', 'sealed', ${daysAgo(days)}, now() + interval '1 hour')`;
      return id;
    };
    const gone = [await approval(366, 'approved'), await approval(366, 'declined'), await approval(366, 'expired')];
    const stay = [await approval(366, 'pending_approval'), await approval(364, 'approved')];
    expect(await plan('approvals')).toMatchObject([{ live: true, due: 3 }]);
    await sweep(0);
    for (const id of gone) expect(await countOf('approvals', id)).toBe(0);
    for (const id of stay) expect(await countOf('approvals', id)).toBe(1);
  });

  test('a clearance goes a year after it was revoked or has expired, in test mode after a month, unless its person is held', async () => {
    const app = await api.createApp();
    const clearance = async (live: boolean, { revoked, expired }: { revoked?: number; expired?: number }, subject = randomBytes(32)) => {
      const id = newId();
      const at = (days: number | undefined) => (days === undefined ? null : daysAgo(days));
      await sql()`
        insert into aml_clearances (id, app_id, live, subject, list, source_index, digest, note, created_at, revoked_at, expires_at)
        values (${id}, ${appId(app)}, ${live}, ${subject}, 'un_sc', ${randomBytes(32)}, 'digest', 'sealed', ${daysAgo(800)}, ${at(revoked)}, ${at(expired)})`;
      return id;
    };
    const held = randomBytes(32);
    await sql()`
      insert into subject_holds (id, app_id, live, about, marks, subjects)
      values (${newId()}, ${appId(app)}, true, 'sealed', '{"subjects": [], "cells": {}, "portraits": [], "cached": {"app": [], "deployment": []}}', array[${held}::bytea])`;
    const gone = [
      await clearance(true, { revoked: 366 }),
      await clearance(true, { expired: 366 }),
      await clearance(true, { revoked: 366, expired: 3 }),
      await clearance(false, { revoked: 31 }),
    ];
    const stay = [
      await clearance(true, {}),
      await clearance(true, { revoked: 364 }),
      await clearance(true, { expired: -1 }),
      await clearance(false, { expired: 29 }),
      await clearance(true, { revoked: 366 }, held),
    ];
    expect((await plan('clearances')).map(({ live, due }) => [live, due])).toEqual([
      [true, 3],
      [false, 1],
    ]);
    await sweep(0);
    for (const id of gone) expect(await countOf('aml_clearances', id)).toBe(0);
    for (const id of stay) expect(await countOf('aml_clearances', id)).toBe(1);
    await sql()`delete from subject_holds where app_id = ${appId(app)}`;
    await sql()`delete from aml_clearances where app_id = ${appId(app)}`;
  });

  test('a legal hold of a person goes a year after it was lifted, with reason and hashes', async () => {
    const app = await api.createApp();
    const hold = async (liftedDaysAgo: number | null) => {
      const id = newId();
      await sql()`
        insert into subject_holds (id, app_id, live, about, marks, subjects, held_at, lifted_at)
        values (${id}, ${appId(app)}, true, 'sealed', '{"subjects": [], "cells": {}, "portraits": [], "cached": {"app": [], "deployment": []}}', '{}',
          ${daysAgo(800)}, ${liftedDaysAgo === null ? null : daysAgo(liftedDaysAgo)})`;
      return id;
    };
    const [gone, recent, placed] = [await hold(366), await hold(364), await hold(null)];
    expect(await plan('lifted_holds')).toMatchObject([{ live: true, due: 1 }]);
    await sweep(0);
    expect([await countOf('subject_holds', gone), await countOf('subject_holds', recent), await countOf('subject_holds', placed)]).toEqual([
      0, 1, 1,
    ]);
    await sql()`delete from subject_holds where app_id = ${appId(app)}`;
  });

  test('a trail goes after a year, in test mode after a month even where its job is kept for longer', async () => {
    const app = await api.createApp();
    await change(app, { test: { jobs: 3_650, calls: 3_650, batches: 3_650 } });
    const trail = async (live: boolean, days: number, input: string | null) => {
      const [job, id] = [idFrom(days), idFrom(days)];
      await sql()`
        insert into jobs (id, app_id, live, check_id, family, subject, input, price_kobo, cached_price_kobo, status)
        values (${job}, ${appId(app)}, ${live}, 'nin_basic', 'nin', ${randomBytes(8)}, ${input}::text::bytea, 0, 0, 'completed')`;
      await sql()`
        insert into provider_lookups (id, job_id, at, provider, kind, tier, outcome, latency_ms, cost_kobo)
        values (${id}, ${job}, ${daysAgo(days)}, 'vendor', 'nin', 1, 'found', 1, 0)`;
      return { job, id };
    };
    const gone = [await trail(true, 366, null), await trail(false, 31, null), await trail(false, 31, 'sealed')];
    const stay = [await trail(true, 364, null), await trail(false, 29, 'sealed')];
    expect((await plan('trails')).map(({ live, due }) => [live, due])).toEqual([
      [null, 1],
      [false, 2],
    ]);
    await sweep(0);
    for (const { id } of gone) expect(await countOf('provider_lookups', id)).toBe(0);
    for (const { id } of stay) expect(await countOf('provider_lookups', id)).toBe(1);
    expect(await countOf('jobs', gone[1]!.job)).toBe(1);
    await sql()`delete from jobs where id = any(${[...gone, ...stay].map(({ job }) => job)}::uuid[])`;
  });

  test('cache, pictures, kept answers and requests are planned, overdue in the gauge, and gone after the sweep, thousands of them too', async () => {
    const app = await api.createApp();
    const job = newId();
    await sql()`
      insert into cache_records (key, found, tier, provider, expires_at)
      select decode(md5(n::text), 'hex'), false, 1, 'vendor', now() - interval '2 hours' from generate_series(1, 1700) n`;
    await sql()`
      insert into jobs (id, app_id, live, check_id, family, price_kobo, cached_price_kobo, status, images, images_until)
      values (${job}, ${appId(app)}, true, 'nin_verify', 'face', 0, 0, 'failed', 'sealed', now() - interval '3 hours')`;
    await sql()`
      insert into idempotency_keys (app_id, live, key, fingerprint, status, headers, body, expires_at)
      select ${appId(app)}, true, decode(md5(n::text), 'hex'), '', 200, '{}', 'sealed', now() - interval '4 hours' from generate_series(1, 1100) n`;
    const request = idFrom(7.25);
    await sql()`
      insert into request_log (id, app_id, live, method, route, status, duration, actor_kind, actor_id)
      values (${request}, ${appId(app)}, true, 'GET', '/x', 200, 1, 'key', 'key_1')`;
    expect([...(await plan('cache')), ...(await plan('images')), ...(await plan('answers')), ...(await plan('requests'))]).toMatchObject([
      { kind: 'cache', live: null, due: 1_700 },
      { kind: 'images', live: true, due: 1 },
      { kind: 'answers', live: true, due: 1_100 },
      { kind: 'requests', live: true, due: 1 },
    ]);
    await sweep(0);
    const hours = async () =>
      Promise.all(['cache', 'images', 'answers', 'requests'].map(async (kind) => Math.round((await overdue(kind)) / 3_600)));
    expect(await hours()).toEqual([2, 3, 4, 6]);
    await dropExpired(api.service, never);
    await sweep(0);
    expect(await hours()).toEqual([0, 0, 0, 0]);
    const [left] = await sql()`
      select (select count(*) from cache_records where expires_at < now())::int as cached, (select count(*) from idempotency_keys where expires_at < now())::int as answers,
        (select count(*) from jobs where images is not null)::int as pictures, (select count(*) from request_log where id = ${request})::int as requests`;
    expect(left).toEqual({ cached: 0, answers: 0, pictures: 0, requests: 0 });
    await sql()`delete from jobs where id = ${job}`;
  });

  test('a sweep that is told to stop leaves the rest to the next one', async () => {
    await sql()`
      insert into cache_records (key, found, tier, provider, expires_at)
      select decode(md5(n::text), 'hex'), false, 1, 'vendor', now() - interval '1 hour' from generate_series(1, 1700) n`;
    await dropExpired(api.service, stopAfter(4));
    expect((await plan('cache'))[0]!.due).toBeGreaterThan(0);
    await dropExpired(api.service, never);
    expect(await plan('cache')).toEqual([]);
  });
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
