/** Deleting batches and jobs over HTTP: what goes, what stays, and who may; test/lifecycle/purge.test.ts has the steps. */
import { describe, expect, test } from 'vitest';
import { parseId, showId } from '../../src/foundation/ids.ts';
import { type BatchEntity, type Client, type Entity, type JobEntity, openClient, type TestApp, useApi } from '../setup/api.ts';
import { signedInAs } from '../setup/browser.ts';
import { waitFor } from '../setup/database.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi();

const remove = (client: Client, path: string) => client.send<Entity>('DELETE', path);
const csv = { 'Content-Type': 'text/csv' };

async function endedBatch(app: TestApp, nins: string[], query = ''): Promise<BatchEntity> {
  const made = await app.csv(`checks=nin_advance${query}`, `nin\n${nins.join('\n')}\n`);
  expect(made.status, made.text).toBe(202);
  return app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`);
}

/** Rows about the batch or job, by table. */
async function rowsAbout(shown: string): Promise<Record<string, number>> {
  const id = parseId(shown.startsWith('bat') ? 'bat' : 'job', shown)!;
  const [row] = await api.service.sql<Record<string, number>[]>`
    with ids as (select id from jobs where batch_id = ${id} or id = ${id})
    select (select count(*) from jobs where batch_id = ${id})::int as jobs, ((select count(*) from results where job_id in (select id from ids)) + (select count(*) from result_blocks where batch_id = ${id}))::int as results,
      (select count(*) from row_blocks where batch_id = ${id})::int as blocks, (select count(*) from invalid_rows where batch_id = ${id})::int as invalid,
      (select count(*) from events where data ->> 'id' = ${shown})::int as events`;
  return { ...row! };
}

describe('a batch', () => {
  test('is unreadable at once, then gone with all about it; counts, money and other work stay', async () => {
    const app = await api.createApp();
    await app.post('/api/v1/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook' });
    const nins = Array.from({ length: 40 }, freshNin);
    const body = `nin\n${[...nins, nins[0], 'nobody'].join('\n')}\n`;
    const upload = () =>
      app.post<BatchEntity>('/api/v1/batches?checks=nin_advance&reference=r-17', body, { ...csv, 'Idempotency-Key': 'once' });
    const path = `/api/v1/batches/${(await upload()).body.entity.id}`;
    const batch = await app.ended<BatchEntity>(path);
    expect(batch).toMatchObject({ reference: 'r-17', counts: { found: 40, invalid: 1, duplicate: 1 } });
    // Answered from the cache, where the row's result is.
    const cached = (await app.job({ check: 'nin_advance', input: { nin: nins[1] } })).body.entity;
    const before = await app.ended<JobEntity>(`/api/v1/jobs/${cached.id}`);
    expect(before.cached).toBe(true);
    const row = (await app.get<{ data: JobEntity[] }>(`${path}/jobs?limit=1`)).body.entity.data[0]!;
    const { path: link } = (await app.post<{ path: string }>(`${path}/links`, { kind: 'results', format: 'csv' })).body.entity;
    expect(await rowsAbout(batch.id)).toMatchObject({ jobs: 41, blocks: 2, invalid: 1 });
    expect((await rowsAbout(batch.id)).results).toBeGreaterThan(0);
    expect((await rowsAbout(batch.id)).events).toBeGreaterThan(0);
    const usageOf = async () => (await app.get<{ data: Entity[]; storage: { used_bytes: number } }>('/api/v1/usage')).body.entity;
    const usage = await usageOf();

    const answer = await remove(app, path);
    expect([answer.status, answer.body.entity.status, answer.body.entity.reference]).toEqual([202, 'deleting', null]);
    expect((await rowsAbout(batch.id)).events).toBe(0);
    for (const gone of [`${path}/results`, `${path}/jobs`, `${path}/errors`, `/api/v1/jobs/${row.id}`]) {
      const { status, body: refusal } = await app.get(gone);
      expect([gone, status, refusal.code]).toEqual([gone, 404, 'resource_not_found']);
    }
    expect((await app.get(link)).status).toBe(403);
    expect((await app.post(`${path}/links`, { kind: 'results', format: 'csv' })).status).toBe(404);
    for (const verb of ['retry', 'start', 'cancel']) expect((await app.post(`${path}/${verb}`)).status).toBe(409);

    const rest = await waitFor('the deletion', async () => {
      const { entity } = (await app.get<BatchEntity>(path)).body;
      return entity.status === 'deleted' && entity;
    });
    expect(rest).toMatchObject({ counts: batch.counts, billed_amount: batch.billed_amount, errors: [], reference: null, live: false });
    expect(await rowsAbout(batch.id)).toEqual({ jobs: 0, results: 0, blocks: 0, invalid: 0, events: 0 });
    expect((await app.get<JobEntity>(`/api/v1/jobs/${cached.id}`)).body.entity.result).toEqual(before.result);
    expect((await usageOf()).data).toEqual(usage.data);
    expect((await usageOf()).storage.used_bytes).toBeLessThan(usage.storage.used_bytes / 10);

    // Asked again, by mistake or because the answer was lost: nothing is made anew, and the audit has it once.
    expect([(await remove(app, path)).status, (await remove(app, path)).body.entity.status]).toEqual([200, 'deleted']);
    expect((await upload()).status).toBe(404);
    expect((await app.get<{ data: BatchEntity[] }>('/api/v1/batches')).body.entity.data.map(({ id }) => id)).toEqual([batch.id]);
    const entries = (await app.get<{ data: { action: string; target: string }[] }>('/api/v1/audit?action=batch.delete')).body.entity.data;
    expect(entries.map(({ target }) => target)).toEqual([batch.id]);
  });

  test('a cached answer ends with the result that it points at, and is looked up anew', async () => {
    const app = await api.createApp();
    const nin = freshNin();
    const batch = await endedBatch(app, [nin]);
    await remove(app, `/api/v1/batches/${batch.id}`);
    await waitFor('the deletion', async () => (await rowsAbout(batch.id)).results === 0);
    const again = await app.get(`/api/v1/kyc/nin/advance?nin=${nin}`);
    expect([again.status, again.body.cached]).toEqual([200, false]);
  });

  test('stays while it runs or waits, under a legal hold, and for another app', async () => {
    const app = await api.createApp();
    const other = await api.createApp();
    const manual = (await app.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`)).body.entity;
    const refused = await remove(app, `/api/v1/batches/${manual.id}`);
    expect([refused.status, refused.body.error]).toEqual([
      409,
      'A batch that is awaiting_start cannot be deleted: cancel it, and wait until it is canceled',
    ]);
    const path = `/api/v1/batches/${(await endedBatch(app, [freshNin()])).id}`;
    for (const stranger of [other, app.live]) {
      expect((await remove(stranger, path)).status).toBe(404);
      expect((await stranger.send('PUT', `${path}/legal-hold`)).status).toBe(404);
    }
    for (let twice = 0; twice < 2; twice++) {
      expect((await app.send<Entity>('PUT', `${path}/legal-hold`)).body.entity.legal_hold).toBe(true);
    }
    const held = await remove(app, path);
    expect([held.status, held.body.error]).toEqual([
      409,
      'The batch is under a legal hold: none of it can be deleted until the hold is lifted',
    ]);
    expect((await app.get(`${path}/results`)).status).toBe(200);
    expect((await remove(app, `${path}/legal-hold`)).body.entity.legal_hold).toBe(false);
    expect((await remove(app, path)).status).toBe(202);
    expect((await app.send('PUT', `${path}/legal-hold`)).status).toBe(409);
    const actions = (await app.get<{ data: { action: string }[] }>('/api/v1/audit')).body.entity.data.map(({ action }) => action);
    expect(actions.filter((action) => action.startsWith('batch.') && action !== 'batch.submit').toSorted()).toEqual([
      'batch.delete',
      'batch.hold',
      'batch.release',
    ]);
  });

  test('needs the scope privacy', async () => {
    const app = await api.createApp();
    const batch = await endedBatch(app, [freshNin()]);
    const made = await app.post<{ key: string }>('/api/v1/keys', { name: 'weak', scopes: ['batches:write', 'results:read'] });
    const weak = openClient(api.url, app.app, made.body.entity.key);
    expect((await remove(weak, `/api/v1/batches/${batch.id}`)).status).toBe(403);
  });
});

describe('a single job', () => {
  test('is gone with its result; what it cost stays, and deleting it twice is no error', async () => {
    const app = await api.createApp();
    await app.post('/api/v1/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook' });
    const made = (
      await app.post<JobEntity>(
        '/api/v1/jobs',
        { check: 'nin_advance', input: { nin: freshNin() }, reference: 'r-18' },
        { 'Idempotency-Key': 'job' },
      )
    ).body.entity;
    const path = `/api/v1/jobs/${made.id}`;
    await app.ended<JobEntity>(path);
    const spent = await app.wallet();
    for (let twice = 0; twice < 2; twice++) {
      const { status, body } = await remove(app, path);
      expect([status, body.entity]).toEqual([200, { id: made.id, object: 'job', deleted: true }]);
      expect((await rowsAbout(made.id)).events).toBe(0);
    }
    expect((await app.get(path)).status).toBe(404);
    expect((await app.get<{ data: unknown[] }>('/api/v1/jobs')).body.entity.data).toEqual([]);
    await waitFor('its result to go', async () => (await rowsAbout(made.id)).results === 0);
    const [row] = await api.service
      .sql`select billed_kobo, subject, input, about, reference_index from jobs where id = ${parseId('job', made.id)}`;
    expect(row).toEqual({ billedKobo: 12_500, subject: null, input: null, about: null, referenceIndex: null });
    expect(await app.wallet()).toEqual(spent);
    await waitFor('the answer that was kept to go', async () => {
      const again = await app.post('/api/v1/jobs', { check: 'nin_advance', input: { nin: '1' } }, { 'Idempotency-Key': 'job' });
      expect(again.status).toBe(422);
      const [deletion] = await api.service.sql`select finished_at from deletions where id = ${parseId('job', made.id)}`;
      return deletion!.finishedAt !== null;
    });
  });

  test('is refused for a row of a batch, a job of another app, a call, and what is none', async () => {
    const app = await api.createApp();
    const batch = await endedBatch(app, [freshNin()]);
    const [row] = (await app.get<{ data: JobEntity[] }>(`/api/v1/batches/${batch.id}/jobs`)).body.entity.data;
    const refused = await remove(app, `/api/v1/jobs/${row!.id}`);
    expect([refused.status, refused.body.error]).toEqual([409, `The job is a row of ${batch.id} and is deleted with it`]);
    const job = (await app.job({ check: 'nin_basic', input: { nin: freshNin() } })).body.entity;
    await app.ended<JobEntity>(`/api/v1/jobs/${job.id}`);
    expect((await remove(await api.createApp(), `/api/v1/jobs/${job.id}`)).status).toBe(404);
    const call = await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`);
    expect((await remove(app, `/api/v1/jobs/${call.body.meta.request_id.replace('req', 'job')}`)).status).toBe(404);
    expect((await remove(app, '/api/v1/jobs/70123456789')).status).toBe(404);
  });
});

test('what waits for approval goes at once with the job or the batch, reasons and all', async () => {
  const app = await api.createApp({ settings: { approveReveal: true, approveExport: true } });
  const [operator, approver] = [await signedInAs(api, app, 'operator'), await signedInAs(api, app, 'approver')];
  const job = async () => {
    const { id } = (await app.job({ check: 'nin_advance', input: { nin: freshNin() } })).body.entity;
    return (await app.ended<JobEntity>(`/api/v1/jobs/${id}`)).id;
  };
  const reveal = async (id: string) => {
    const asked = await operator.browser.post<{ id: string }>(`/api/v1/jobs/${id}/reveal`, { purpose: 'complaint', reason: 'Musa called' });
    expect(asked.status, asked.text).toBe(202);
    return asked.body.entity.id;
  };
  const [gone, stays] = [await job(), await job()];
  const [deleted, left] = [await endedBatch(app, [freshNin(), freshNin()]), await endedBatch(app, [freshNin()])];
  const rowOf = async ({ id }: BatchEntity) =>
    (await app.get<{ data: JobEntity[] }>(`/api/v1/batches/${id}/jobs?limit=1`)).body.entity.data[0]!.id;
  const exportOf = async ({ id }: BatchEntity) =>
    (await operator.browser.get<{ id: string }>(`/api/v1/batches/${id}/results`)).body.entity.id;
  const ends = [await reveal(gone), await reveal(await rowOf(deleted)), await exportOf(deleted)];
  const kept = [await reveal(stays), await reveal(await rowOf(left)), await exportOf(left)];

  expect((await remove(app, `/api/v1/jobs/${gone}`)).status).toBe(200);
  expect((await remove(app, `/api/v1/batches/${deleted.id}`)).status).toBe(202);
  const shown = await api.service.sql<{ id: string }[]>`select id from approvals where app_id = ${parseId('app', app.app)}`;
  expect(shown.map(({ id }) => showId('apr', id)).toSorted()).toEqual(kept.toSorted());
  for (const id of ends) {
    expect((await approver.browser.get(`/api/v1/approvals/${id}`)).status).toBe(404);
    expect((await approver.browser.post(`/api/v1/approvals/${id}/approve`)).status).toBe(404);
  }
  expect((await approver.browser.post(`/api/v1/approvals/${kept[0]}/approve`)).status).toBe(200);
});

test('what the app was told about review cases goes with the batch, the job, or the person, and nothing about others', async () => {
  const app = await api.createApp({ settings: { reviews: { amlLevel: 'HIGH' } } });
  const endpoint = { url: 'http://127.0.0.1:9/hook', events: ['review.opened', 'review.decided'] };
  expect((await app.post('/api/v1/webhooks/endpoints', endpoint)).status).toBe(201);
  const person = (born: string) => ({ name: 'Musa Danjumare Balarabewa', date_of_birth: born, country: 'NG' });
  const job = async (born: string) => {
    const { id } = (await app.job({ check: 'aml_screening', input: person(born) })).body.entity;
    return (await app.ended<JobEntity>(`/api/v1/jobs/${id}`)).id;
  };
  const rows = (...born: string[]) =>
    `name,date_of_birth,country\n${born.map((date) => Object.values(person(date)).join(',')).join('\n')}\n`;
  const upload = async (...born: string[]) => {
    const { id } = (await app.csv('checks=aml_screening', rows(...born))).body.entity;
    return app.ended<BatchEntity>(`/api/v1/batches/${id}`);
  };
  const [gone, stays] = [await job('1968-03-14'), await job('1968-03-15')];
  const [deleted, erased] = [await upload('1968-03-14', '1968-03-16'), await upload('1968-03-17', '1968-03-18')];
  const cases = async () =>
    (await app.get<{ data: { id: string; job: string }[] }>('/api/v1/reviews')).body.entity.data.map(({ id }) => id).toSorted();
  const told = async () => {
    const events = await api.service.sql<{ id: string }[]>`
      select distinct data ->> 'id' as id from events where app_id = ${parseId('app', app.app)} and type like 'review.%'`;
    return events.map(({ id }) => id).toSorted();
  };
  const all = await cases();
  expect(all).toHaveLength(6);
  expect((await app.post(`/api/v1/reviews/${all[0]}/decide`, { decision: 'approve', reason: 'Seen' })).status).toBe(200);
  await waitFor('all to be told', async () => (await told()).length === all.length);

  await remove(app, `/api/v1/jobs/${gone}`);
  await remove(app, `/api/v1/batches/${deleted.id}`);
  await app.post('/api/v1/subjects/erase', {
    identifiers: [{ type: 'person', name: person('').name, date_of_birth: '1968-03-17' }],
  });
  const left = await waitFor('them to go', async () => {
    const now = await told();
    return now.length === 2 && now;
  });
  expect(left).toEqual(await cases());
  expect((await app.get(`/api/v1/jobs/${stays}`)).status).toBe(200);
  expect(erased.counts.rows).toBe(2);
});
