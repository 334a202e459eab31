/** One invented person in every store of an app: the file about them has it all, and after the erasure nothing of it is left in any table. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId, parseId } from '../../src/foundation/ids.ts';
import { WALLED_TABLES } from '../../src/foundation/wall-tables.ts';
import { writePending } from '../../src/providers/pending.ts';
import { type Answer, type BatchEntity, type Entity, type JobEntity, type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { again, base64, canCompare, one, plain } from '../setup/face-pictures.ts';
import { freshNin } from '../setup/work.ts';

const receiver = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.end());
});
beforeAll(() => new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => receiver.close(resolve)));

const api = useApi({ CONFAM_FACE_THREADS: '1', ...(!canCompare && { CONFAM_FACE_MODELS: '/nowhere' }) });

const [nin, bvn] = [freshNin(), freshNin()];
const phone = '08031234567';
const email = 'musa.balarabewa@example.ng';
const listed = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14' };
/** Under this name lists come to name them later (docs/sandbox.md). */
const watched = { name: 'Tanimuwa Garbale Kwarkwasiyu', date_of_birth: '1988-11-05' };
const identifiers = [
  { type: 'nin', value: nin },
  { type: 'bvn', value: bvn },
  { type: 'phone', value: phone },
  { type: 'email', value: email },
  { type: 'person', ...listed },
  { type: 'person', ...watched },
];
const consent = { reference: 'form-9', purpose: 'onboarding', obtained_at: '2025-01-02T00:00:00Z' };
const note = { reason: 'Another birth date', cleared_by: 'Ibinabo (compliance)' };

/** Rows of the app by table, and of tables without apps all there are. Of what keeps a row once it is emptied, those that still hold something. */
async function rowsOf(app: TestApp): Promise<Record<string, number>> {
  const id = parseId('app', app.app)!;
  const countOf = (table: string): string => {
    const walled = WALLED_TABLES[table]!;
    if (walled.kind === 'shared') return 'true';
    if (walled.kind === 'tenant') return `t.${walled.column} = '${id}'`;
    if (walled.kind !== 'inherited') return 'false';
    const parentKey = { reviews: 'id', batches: 'id', jobs: 'id', deliveries: 'id', subject_holds: 'id', aml_monitors: 'id' }[
      walled.parent
    ];
    return `exists (select 1 from ${walled.parent} p where p.${parentKey} = t.${walled.column} and p.app_id = '${id}')`;
  };
  const counts = await api.service.sql.unsafe<{ name: string; rows: number }[]>(
    Object.keys(WALLED_TABLES)
      .map((table) => `select '${table}' as name, count(*)::int as rows from ${table} t where ${countOf(table)}`)
      .join(' union all '),
  );
  const [kept] = await api.service.sql<Record<string, number>[]>`
    select (select count(*) from idempotency_keys where app_id = ${id} and status < 400)::int as answers,
      (select count(*) from subject_exports where app_id = ${id} and asked is not null)::int as exports,
      (select count(*) from delivery_attempts where excerpt is not null)::int as excerpts,
      (select count(*) from jobs where app_id = ${id} and images is not null)::int as pictures`;
  return { ...Object.fromEntries(counts.map(({ name, rows }) => [name, rows])), ...kept };
}

const done = async <E>(asked: Promise<Answer<E>>): Promise<E> => {
  const answer = await asked;
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body.entity;
};

const job = async (app: TestApp, check: string, input: object, headers = {}) => {
  const body = { check, input, reference: 'c-77', metadata: { note: 'm-12' }, consent };
  const made = await done(app.post<JobEntity>('/api/v1/jobs', body, headers));
  const ended = await app.ended<JobEntity>(`/api/v1/jobs/${made.id}`);
  expect(ended.status, JSON.stringify(ended.error)).toBe('completed');
  return ended;
};

/** Puts the person into every store. */
async function liveALife(app: TestApp) {
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const events = ['job.completed', 'batch.completed', 'review.opened', 'review.decided', 'aml.monitor.hit'];
  await done(app.post('/api/v1/webhooks/endpoints', { url: hook, events }));
  const portrait = { headers: { 'Content-Type': 'image/jpeg' }, body: canCompare ? again() : await plain('red') };
  await done(app.send('PUT', `/api/v1/sandbox/portraits/nin/${nin}`, portrait));
  await done(app.get(`/api/v1/kyc/nin/advance?nin=${nin}`, { Consent: JSON.stringify(consent) }));
  await done(app.get(`/api/v1/kyc/email?email=${email.toUpperCase()}`));
  const onRecord = await done(app.get<{ phone_number1: string }>(`/api/v1/kyc/bvn/advance?bvn=${bvn}`));
  const asked = await job(app, 'nin_advance', { nin }, { 'Idempotency-Key': 'once' });
  await job(app, 'credit_bvn', { bvn, phone_number: onRecord.phone_number1 });
  await job(app, 'phone', { phone_number: '+234 803 123 4567' });
  if (canCompare) await job(app, 'photoid_verify', { id_type: 'NIN', id_number: nin, image: base64(one()) });
  const screened = await job(app, 'aml_screening', { ...listed, country: 'NG' });
  const [hit] = (screened.result as { hits: { list: string; source_id: string }[] }).hits;
  const [review] = (await done(app.get<{ data: { id: string }[] }>(`/api/v1/reviews?job=${screened.id}`))).data;
  await done(app.post(`/api/v1/reviews/${review!.id}/comment`, { text: 'Called Musa' }));
  await done(
    app.post(`/api/v1/reviews/${review!.id}/decide`, { decision: 'approve', reason: 'Seen in person' }, { 'Idempotency-Key': 'decided' }),
  );
  await done(app.post('/api/v1/aml/clearances', { ...listed, country: 'NG', list: hit!.list, source_id: hit!.source_id, ...note }));
  await job(app, 'aml_screening', { ...watched, country: 'NG', monitor: true });
  await done(app.post(`/api/v1/jobs/${asked.id}/reveal`, { purpose: 'complaint', reason: 'Musa asked' }));
  const made = await done(app.csv('checks=nin_basic,bvn_advance', `nin,bvn,note\n${nin},${bvn},${email}\nnobody,${bvn},x\n`));
  await app.ended<BatchEntity>(`/api/v1/batches/${made.id}`);
  // What an upstream leaves, which the sandbox is not.
  const { cache, sql } = api.service;
  const appId = parseId('app', app.app)!;
  const jobId = parseId('job', asked.id)!;
  await writePending(
    api.service,
    cache.address({ appId, live: false, scope: 'app' }, 'bvn', 2, bvn),
    { provider: 'slow', ticket: 't-1' },
    jobId,
  );
  await sql`
    insert into provider_lookups (id, job_id, provider, kind, tier, outcome, latency_ms, cost_kobo, reference)
    values (${newId()}, ${jobId}, 'slow', 'nin', 2, 'found', 12, 100, 'v-55')`;
  await waitFor('the hit', async () => (await rowsOf(app)).aml_monitor_hits! > 0);
  await waitFor('the messages', async () => {
    const [sent] = await sql<{ types: string[] }[]>`
      select array_agg(distinct e.type) as types from events e join deliveries d on d.event_id = e.id where e.app_id = ${appId} and d.status = 'delivered'`;
    return sent!.types?.length === events.length;
  });
  // Answers of receivers in a private network are not kept.
  await sql`
    update delivery_attempts set excerpt = 'sealed' where delivery_id in (select id from deliveries where app_id = ${appId})`;
}

test('a person in every store is exported whole, and erased from all of them', async () => {
  const settings = { reviews: { amlLevel: 'HIGH' as const }, keepImagesDays: 30 };
  const app = await api.createApp({ settings });
  const other = await api.createApp({ settings });
  await liveALife(app);
  // Another app's person, whom nobody may touch.
  await done(other.get(`/api/v1/kyc/nin/advance?nin=${nin}`));
  const theirs = await rowsOf(other);

  const found = await done(app.post<Entity & { id: string }>('/api/v1/subjects/export', { identifiers }));
  await waitFor('the export', async () => (await app.get(`/api/v1/subjects/exports/${found.id}`)).body.entity.status === 'done');
  const file = JSON.parse((await app.get(`/api/v1/subjects/exports/${found.id}/file`)).text);
  const checks = ['nin_advance', 'credit_bvn', 'phone', ...(canCompare ? ['photoid_verify'] : []), 'aml_screening', 'aml_screening'];
  expect(file.jobs.map(({ check }: JobEntity) => check)).toEqual(checks);
  const [first] = file.jobs;
  expect(first).toMatchObject({ reference: 'c-77', metadata: { note: 'm-12' }, consent: { reference: 'form-9' }, submitted: { nin } });
  expect(first.vendors_asked).toMatchObject([{ provider: 'slow', vendor_reference: 'v-55' }]);
  expect(first.seen_in_clear).toMatchObject([{ purpose: 'complaint', reason: 'Musa asked' }]);
  if (canCompare) expect(file.jobs[3].pictures).toEqual({ image: base64(one()) });
  expect(file.jobs.at(-2).review).toMatchObject({ decision: 'approve', notes: [{ text: 'Called Musa' }, { text: 'Seen in person' }] });
  expect(file.calls.map(({ check }: JobEntity) => check).toSorted()).toEqual(['bvn_advance', 'email_risk', 'nin_advance']);
  expect(file.rows).toMatchObject([{ row: 1, jobs: [{ outcome: 'found' }, { outcome: 'found' }] }]);
  expect(file.rows_to_correct).toMatchObject([{ row: 2 }]);
  expect(file.monitors).toMatchObject([{ name: watched.name, matches: [{ source_id: expect.any(String) }] }]);
  expect(file.clearances).toMatchObject([{ reason: note.reason, cleared_by: note.cleared_by }]);
  expect(file.portraits).toMatchObject([{ identifier: { type: 'nin', value: nin }, image: expect.any(String) }]);
  const kinds = new Set<string>(file.cached_answers.map(({ kind }: { kind: string }) => kind));
  // Which bureaus know a person differs.
  expect([...kinds].filter((kind) => !kind.startsWith('credit_')).toSorted()).toEqual(['bvn', 'email', 'nin', 'phone']);

  const before = await rowsOf(app);
  const stores = [
    'jobs',
    'reviews',
    'review_notes',
    'reveals',
    'provider_lookups',
    'invalid_rows',
    'row_blocks',
    'events',
    'deliveries',
    'delivery_attempts',
  ];
  stores.push(
    'aml_monitors',
    'aml_monitor_hits',
    'aml_clearances',
    'sandbox_portraits',
    'pending_lookups',
    'cache_records',
    'answers',
    'exports',
    'excerpts',
  );
  for (const store of [...stores, ...(canCompare ? ['pictures'] : [])]) expect([store, before[store]], store).not.toEqual([store, 0]);

  const asked = await done(app.post<Entity & { id: string }>('/api/v1/subjects/erase', { identifiers }));
  const erasure = await waitFor('the erasure', async () => {
    const { entity } = (
      await app.get<{ status: string; counts: Record<string, number>; receipt: string }>(`/api/v1/subjects/erasures/${asked.id}`)
    ).body;
    return entity.status === 'done' && entity;
  });
  expect(erasure.counts).toMatchObject({
    jobs: checks.length,
    calls: 3,
    rows: 1,
    invalid_rows: 1,
    monitors: 1,
    clearances: 1,
    portraits: 1,
    pending_answers: 1,
    exports: 1,
  });
  for (const secret of [nin, bvn, '1234567', 'musa', 'Balarabewa', 'Tanimuwa'])
    expect(erasure.receipt.toLowerCase()).not.toContain(secret.toLowerCase());
  const left = await rowsOf(app);
  const still = Object.keys(left).filter((table) => left[table]! > 0);
  // docs/privacy.md says why. The batch has its counts, its end was told to the app, and the case was decided by a request with an Idempotency-Key.
  const ofBatch = ['batches', 'batch_history', 'lanes', 'row_blocks', 'row_marks', 'events', 'deliveries', 'delivery_attempts', 'excerpts'];
  const books = [
    'wallets',
    'holds',
    'ledger_entries',
    'usage_days',
    'audit_entries',
    'audit_heads',
    'audit_seals',
    'erasures',
    'subject_exports',
  ];
  const ofApp = ['apps', 'api_keys', 'data_keys', 'webhook_endpoints', 'request_log', 'idempotency_keys', 'answers'];
  const passing = ['batch_samples', 'chunks', 'leads', 'processes', 'miss_counts', 'request_counts', 'lease_counts'];
  expect(still.filter((table) => ![...ofBatch, ...books, ...ofApp, ...passing, 'cache_records'].includes(table))).toEqual([]);
  expect([left.answers, left.events, left.cache_records]).toEqual([1, 1, 1]);
  const [event] = await api.service.sql`select type from events where app_id = ${parseId('app', app.app)}`;
  expect(event!.type).toBe('batch.completed');
  // Everything of the other app is as it was.
  const later = await rowsOf(other);
  for (const table of ['jobs', 'results', 'data_keys', 'usage_days']) expect([table, later[table]]).toEqual([table, theirs[table]]);
  expect((await other.get(`/api/v1/kyc/nin/advance?nin=${nin}`)).body.cached).toBe(true);
}, 120_000);
