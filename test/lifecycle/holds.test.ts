/** Legal holds of people: what is about them is kept by deletion, erasure and retention until the hold is lifted. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { changeMarks } from '../../src/batches/row-marks.ts';
import { newId, parseId } from '../../src/foundation/ids.ts';
import { dropExpired } from '../../src/lifecycle/expired.ts';
import { markRows } from '../../src/lifecycle/mark-rows.ts';
import { planRetention, sweepRetention } from '../../src/lifecycle/retention.ts';
import { type BatchEntity, type Client, type Entity, type JobEntity, type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { freshNin, never } from '../setup/work.ts';

const api = useApi();

interface Hold {
  id: string;
  identifiers: string[];
  reason: string | null;
  lifted_at: string | null;
}

interface Erasure {
  id: string;
  status: string;
  counts: Record<string, number>;
  kept: Record<string, number>;
  receipt: string;
}

async function hold(app: Client, ...identifiers: object[]): Promise<Hold> {
  const placed = await app.post<Hold>('/api/v1/subjects/holds', { identifiers, reason: 'Suit 17' });
  expect(placed.status, placed.text).toBe(201);
  return placed.body.entity;
}

const lift = (app: Client, { id }: Hold) => app.send<Hold>('DELETE', `/api/v1/subjects/holds/${id}`);

async function erase(app: Client, ...identifiers: object[]): Promise<Erasure> {
  const { id } = (await app.post<Erasure>('/api/v1/subjects/erase', { identifiers })).body.entity;
  return waitFor('the erasure', async () => {
    const { entity } = (await app.get<Erasure>(`/api/v1/subjects/erasures/${id}`)).body;
    return entity.status === 'done' && entity;
  });
}

async function upload(app: TestApp, text: string): Promise<BatchEntity> {
  const made = await app.csv('checks=nin_basic', text);
  expect(made.status, made.text).toBe(202);
  const ended = await app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`);
  await markRows(api.service, never);
  return ended;
}

async function job(app: Client, nin: string): Promise<string> {
  const { id } = (await app.job({ check: 'nin_basic', input: { nin } })).body.entity;
  return (await app.ended<JobEntity>(`/api/v1/jobs/${id}`)).id;
}

const rowsOf = async (app: Client, { id }: BatchEntity) =>
  (await app.get(`/api/v1/batches/${id}/results?format=jsonl`)).text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { row: number }).row);

describe('while a person is held', () => {
  test('an erasure keeps what is about them, erases the rest, and its receipt says what was kept and why', async () => {
    const app = await api.createApp();
    const [held, free] = [freshNin(), freshNin()];
    const batch = await upload(app, `nin,phone\n${held},08031234567\n${free},08031234567\nnobody,08031234567\n`);
    const jobs = [await job(app, held), await job(app, free)];
    await app.get(`/api/v1/kyc/nin?nin=${held}`);
    const placed = await hold(app, { type: 'nin', value: held });
    const erasure = await erase(app, { type: 'nin', value: held }, { type: 'nin', value: free }, { type: 'phone', value: '08031234567' });
    expect(erasure).toMatchObject({ counts: { jobs: 1, rows: 1, invalid_rows: 1 }, kept: { jobs: 1, calls: 1, rows: 1 } });
    const { kept } = JSON.parse(erasure.receipt) as { kept: object[] };
    for (const what of ['jobs', 'calls', 'rows']) expect(kept).toContainEqual({ what, number: 1, why: 'legal hold of a person' });
    expect(erasure.receipt).not.toContain(held);
    expect(await rowsOf(app, batch)).toEqual([1]);
    expect((await app.get(`/api/v1/jobs/${jobs[0]}`)).status).toBe(200);
    expect((await app.get(`/api/v1/jobs/${jobs[1]}`)).status).toBe(404);
    expect((await app.get(`/api/v1/kyc/nin?nin=${held}`)).body.cached).toBe(true);

    expect((await lift(app, placed)).body.entity.lifted_at).not.toBeNull();
    const after = await erase(app, { type: 'nin', value: held });
    expect(after).toMatchObject({ counts: { jobs: 1, calls: 2, rows: 1 }, kept: {} });
  });

  test('their jobs and batches with their rows cannot be deleted; others can', async () => {
    const app = await api.createApp();
    const [held, free] = [freshNin(), freshNin()];
    const [theirs, others] = [await upload(app, `nin\n${held}\n`), await upload(app, `nin\n${free}\n`)];
    const jobs = [await job(app, held), await job(app, free)];
    const placed = await hold(app, { type: 'nin', value: held });
    const paths = [`/api/v1/batches/${theirs.id}`, `/api/v1/jobs/${jobs[0]}`];
    for (const path of paths) {
      const refused = await app.send('DELETE', path);
      expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
      expect(refused.text).toContain('legal hold');
      expect(refused.text).not.toContain(held);
    }
    for (const path of [`/api/v1/batches/${others.id}`, `/api/v1/jobs/${jobs[1]}`])
      expect((await app.send('DELETE', path)).status).toBeLessThan(300);
    await lift(app, placed);
    for (const path of paths) expect((await app.send('DELETE', path)).status).toBeLessThan(300);
  });

  test('a monitor that ends keeps their details, unseen, until the hold is lifted; of others they are deleted', async () => {
    const app = await api.createApp();
    const person = { name: 'Morenike Precious Durojaiye', date_of_birth: '1991-04-17' };
    const consent = { reference: 'form-3', purpose: 'onboarding', obtained_at: '2025-01-02T00:00:00Z' };
    const monitored = async (input: object) => {
      const screened = await app.post('/api/v1/aml/screening', { ...input, monitor: true }, { Consent: JSON.stringify(consent) });
      expect(screened.status, screened.text).toBe(200);
      return (await app.get<{ data: { id: string }[] }>('/api/v1/aml/monitors')).body.entity.data[0]!.id;
    };
    const [theirs, withdrawn] = [await monitored(person), await monitored({ ...person, country: 'NG' })];
    const others = await monitored({ name: 'Ibraheem Lukman Durojaiye' });
    const placed = await hold(app, { type: 'person', ...person });
    const inputs = async () => {
      const ids = [theirs, withdrawn, others].map((id) => parseId('mon', id)!);
      const rows = await api.service.sql<{ id: string; bytes: number }[]>`
        select id, octet_length(input) as bytes from aml_monitors where id = any(${ids}::uuid[])`;
      return ids.map((id) => rows.find((row) => row.id === id)!.bytes > 0);
    };
    for (const id of [theirs, others])
      expect((await app.send('DELETE', `/api/v1/aml/monitors/${id}`)).body.entity).toMatchObject({ name: null });
    expect((await app.post('/api/v1/consents/withdrawals', { reference: consent.reference })).status).toBe(200);
    expect((await app.get(`/api/v1/aml/monitors/${withdrawn}`)).body.entity).toMatchObject({ name: null, ended_at: expect.any(String) });
    expect(await inputs()).toEqual([true, true, false]);
    await lift(app, placed);
    expect(await inputs()).toEqual([false, false, false]);
  });

  test('retention deletes what is about others, and the rest once the hold is lifted', async () => {
    const app = await api.createApp();
    const [held, free] = [freshNin(), freshNin()];
    const [theirs, others] = [await upload(app, `nin\n${held}\n`), await upload(app, `nin\n${free}\n`)];
    const jobs = [await job(app, held), await job(app, free)];
    for (const nin of [held, free]) await app.get(`/api/v1/kyc/nin?nin=${nin}`);
    const calls = async () =>
      (
        await api.service
          .sql`select 1 from jobs j join apps a on a.id = j.app_id where batch_id is null and input is null and 'app_' || replace(a.id::text, '-', '') = ${app.app}`
      ).count;
    const statusOf = async ({ id }: BatchEntity) => (await app.get<BatchEntity>(`/api/v1/batches/${id}`)).body.entity.status;
    const placed = await hold(app, { type: 'nin', value: held });
    for (let times = 0; times < 2; times++) await sweepRetention(api.service, never, 31);
    expect([await statusOf(theirs), await calls()]).toEqual(['completed', 1]);
    expect(await rowsOf(app, theirs)).toEqual([1]);
    expect(await statusOf(others)).toMatch(/^delet/);
    expect((await app.get(`/api/v1/jobs/${jobs[0]}`)).status).toBe(200);
    expect((await app.get(`/api/v1/jobs/${jobs[1]}`)).status).toBe(404);
    await lift(app, placed);
    await sweepRetention(api.service, never, 31);
    expect(await statusOf(theirs)).toMatch(/^delet/);
    expect((await app.get(`/api/v1/jobs/${jobs[0]}`)).status).toBe(404);
    expect(await calls()).toBe(0);
  });

  test('what a hold keeps goes once that hold is lifted, whoever else is held', async () => {
    const app = await api.createApp();
    const [one, other] = [freshNin(), freshNin()];
    const batches = [await upload(app, `nin\n${one}\n`), await upload(app, `nin\n${other}\n`)];
    const jobs = [await job(app, one), await job(app, other)];
    const left = async () => {
      await sweepRetention(api.service, never, 31);
      const statuses = await Promise.all(batches.map(({ id }) => app.get<BatchEntity>(`/api/v1/batches/${id}`)));
      const answers = await Promise.all(jobs.map((id) => app.get(`/api/v1/jobs/${id}`)));
      return [...statuses.map(({ body }) => body.entity.status.replace('deleting', 'deleted')), ...answers.map(({ status }) => status)];
    };
    const first = await hold(app, { type: 'nin', value: one });
    const second = await hold(app, { type: 'nin', value: other });
    expect(await left()).toEqual(['completed', 'completed', 200, 200]);
    await lift(app, first);
    expect(await left()).toEqual(['deleted', 'completed', 404, 200]);
    await lift(app, second);
    expect(await left()).toEqual(['deleted', 'deleted', 404, 404]);
  });

  test('pictures of theirs and of a held batch stay until the hold is lifted; others go', async () => {
    const { sql } = api.service;
    const app = await api.createApp();
    const [held, free] = [freshNin(), freshNin()];
    const inText = await upload(app, `nin,note\n${free},${held}\n`);
    const batches = [inText, await upload(app, `nin\n${free}\n`), await upload(app, `nin\n${free}\n`)];
    const jobs = [await job(app, held), await job(app, free)];
    const ids = [...batches.map(({ id }) => parseId('bat', id)!), ...jobs.map((id) => parseId('job', id)!)];
    const left = async (): Promise<boolean[]> => {
      const rows = await sql<{ place: string }[]>`
        select coalesce(batch_id, id) as place from jobs where coalesce(batch_id, id) = any(${ids}::uuid[]) and images is not null`;
      return ids.map((id) => rows.some(({ place }) => place === id));
    };
    const placed = await hold(app, { type: 'nin', value: held });
    await app.send('PUT', `/api/v1/batches/${batches[1]!.id}/legal-hold`);
    await sql`
      update jobs set images = 'sealed', images_until = now() - interval '1 hour' where id = any(${ids}::uuid[]) or batch_id = any(${ids}::uuid[])`;
    for (let times = 0; times < 2; times++) await dropExpired(api.service, never);
    expect(await left()).toEqual([true, true, false, true, false]);
    const due = (await planRetention(api.service)).filter(({ kind }) => kind === 'images');
    expect(due).toEqual([]);
    await lift(app, placed);
    await app.send('DELETE', `/api/v1/batches/${batches[1]!.id}/legal-hold`);
    await dropExpired(api.service, never);
    expect(await left()).toEqual([false, false, false, false, false]);
  });

  test('pictures of a batch about which nothing is known yet keep no others', async () => {
    const { sql } = api.service;
    const app = await api.createApp();
    const [appId, undecided] = [parseId('app', app.app)!, newId()];
    const free = parseId('job', await job(app, freshNin()))!;
    await hold(app, { type: 'nin', value: freshNin() });
    await sql`
      insert into batches (id, app_id, live, status, checks, format, columns, mapping, rows, jobs, queued, canceled, invalid, quote_kobo, hold_kobo)
      values (${undecided}, ${appId}, false, 'completed', '{nin_basic}', 'csv', '{nin}', '{"nin": "nin"}', 1000000, 1000000, 0, 1000000, 0, 0, 0)`;
    await sql`
      insert into jobs (id, app_id, live, batch_id, row_number, check_id, family, price_kobo, cached_price_kobo, status, images, images_until)
      select gen_random_uuid(), ${appId}, false, ${undecided}, n, 'nin_basic', 'nin', 0, 0, 'completed', 'sealed', now() - interval '2 hours'
      from generate_series(1, 600) n`;
    await sql`update jobs set images = 'sealed', images_until = now() - interval '1 hour' where id = ${free}`;
    await dropExpired(api.service, never);
    const left =
      await sql`select coalesce(batch_id, id) as place, count(*)::int from jobs where app_id = ${appId} and images is not null group by 1`;
    expect([...left]).toEqual([{ place: undecided, count: 600 }]);
    await sql`delete from jobs where batch_id = ${undecided}`;
    await sql`delete from batches where id = ${undecided}`;
  });

  test('a legal hold that a batch gets while a sweep looks at it saves its pictures', async () => {
    const { sql } = api.service;
    const app = await api.createApp();
    const { id } = await upload(app, `nin\n${freshNin()}\n`);
    const batch = parseId('bat', id)!;
    await hold(app, { type: 'nin', value: freshNin() });
    await sql`update jobs set images = 'sealed', images_until = now() - interval '1 hour' where batch_id = ${batch}`;
    const sweep = await sql.begin(async (tx) => {
      await changeMarks(tx);
      const swept = dropExpired(api.service, never);
      await waitFor('the sweep', async () => (await sql`select 1 from pg_locks where locktype = 'advisory' and not granted`).length > 0);
      expect((await app.send('PUT', `/api/v1/batches/${id}/legal-hold`)).status).toBe(200);
      return { swept };
    });
    await sweep.swept;
    expect(await sql`select 1 from jobs where batch_id = ${batch} and images is not null`).toHaveLength(1);
  });

  test('retention waits while marks change: a batch that has just lost its marks would seem to be about nobody', async () => {
    const app = await api.createApp();
    const held = freshNin();
    const theirs = await upload(app, `nin\n${held}\n`);
    await hold(app, { type: 'nin', value: held });
    const sweep = await api.service.sql.begin(async (tx) => {
      await changeMarks(tx);
      const swept = sweepRetention(api.service, never, 31).then(() => 'swept');
      expect(await Promise.race([swept, sleep(500, 'waits')])).toBe('waits');
      return { swept };
    });
    expect(await sweep.swept).toBe('swept');
    expect(await rowsOf(app, theirs)).toEqual([1]);
  });

  test('a number that stands beside the one that was looked up is enough', async () => {
    const app = await api.createApp();
    const bvn = (await app.job({ check: 'bvn_match', input: { bvn: freshNin(), phone_number: '0803 765 4321' } })).body.entity;
    await app.ended(`/api/v1/jobs/${bvn.id}`);
    await hold(app, { type: 'phone', value: '+2348037654321' });
    expect((await app.send('DELETE', `/api/v1/jobs/${bvn.id}`)).status).toBe(409);
    await sweepRetention(api.service, never, 31);
    expect((await app.get(`/api/v1/jobs/${bvn.id}`)).status).toBe(200);
  });
});

test('a hold shows nobody, is in the audit, and exists for its app and mode only', async () => {
  const [app, other] = [await api.createApp(), await api.createApp()];
  const nin = freshNin();
  const placed = await hold(app, { type: 'nin', value: nin }, { type: 'person', name: 'Ada Obi' });
  expect(placed).toMatchObject({ identifiers: ['nin', 'person'], reason: 'Suit 17', lifted_at: null });
  const path = `/api/v1/subjects/holds/${placed.id}`;
  for (const stranger of [other, app.live]) {
    expect((await stranger.get(path)).status).toBe(404);
    expect((await stranger.send('DELETE', path)).status).toBe(404);
  }
  // Another app's data is not held.
  const theirs = await job(other, nin);
  expect((await other.send('DELETE', `/api/v1/jobs/${theirs}`)).status).toBe(200);
  for (const times of [1, 2]) expect([times, (await lift(app, placed)).status]).toEqual([times, 200]);
  expect((await app.get<{ data: Hold[] }>('/api/v1/subjects/holds')).body.entity.data).toHaveLength(1);
  const { data } = (await app.get<{ data: Entity[] }>('/api/v1/audit?limit=3')).body.entity;
  expect(data.map(({ action, target, purpose }) => [action, target, purpose])).toEqual([
    ['reasons.read', null, null],
    ['subject.release', placed.id, null],
    ['subject.hold', placed.id, null],
  ]);
  const [stored] = await api.service.sql`select encode(about, 'escape') || marks::text as text from subject_holds order by id desc limit 1`;
  for (const secret of [nin, 'Obi', 'Suit']) expect(stored!.text).not.toContain(secret);
});

test('identifiers that are none are refused', async () => {
  const app = await api.createApp();
  for (const body of [
    {},
    { identifiers: [] },
    { identifiers: [{ type: 'nin', value: '7' }] },
    { identifiers: [{ type: 'nin', value: freshNin() }], reason: '' },
  ]) {
    const refused = await app.post('/api/v1/subjects/holds', body);
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
  }
});
