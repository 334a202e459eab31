/** What requests leave in the audit: which reads and refused attempts have an entry, which have none, and who may read the audit. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resumeApp } from '../../src/access/apps.ts';
import { bySystem } from '../../src/access/audit/append.ts';
import { parseId } from '../../src/foundation/ids.ts';
import {
  type Answer,
  type BatchEntity,
  type Entity,
  type JobEntity,
  openClient,
  startApi,
  type TestApi,
  type TestApp,
} from '../setup/api.ts';
import { type AuditPage, auditEntries, expectWholeAudit } from '../setup/audit.ts';
import { signedInAs } from '../setup/browser.ts';
import { asOwner, waitFor } from '../setup/database.ts';
import { freshNin } from '../setup/work.ts';

let api: TestApi;
let app: TestApp;
let other: TestApp;
let job: string;
let batch: string;

const NIN = freshNin();
const PERSON = { name: 'Músá Danjumare Bàlárábẹwà', date_of_birth: '1968-03-14', country: 'NG' };

/** Entries of the app, or of the deployment, newest first. */
const entries = (query = '', of: string | null = app.app) => auditEntries(api, of, query);
const newest = async (of?: string | null) => (await entries('limit=1', of)).at(0)!;
const idOf = (answer: Answer<Entity>): string => answer.body.entity.id as string;
const appPath = () => `/api/v1/admin/apps/${app.app}`;

beforeAll(async () => {
  api = await startApi({ CONFAM_FACE_MODELS: '/nowhere' });
  [app, other] = [await api.createApp(), await api.createApp()];
  job = idOf(await app.post('/api/v1/jobs', { check: 'nin_advance', input: { nin: NIN } }));
  batch = (await app.csv('checks=nin_basic', `nin\n${freshNin()}\n${freshNin()}\nnot a number\n`)).body.entity.id;
  await app.ended<JobEntity>(`/api/v1/jobs/${job}`);
  await app.ended<BatchEntity>(`/api/v1/batches/${batch}`);
});
afterAll(async () => {
  await expectWholeAudit(api);
  await api.stop();
});

test('a list that shows no reference leaves no entry', async () => {
  await app.post('/api/v1/jobs', { check: 'nin_basic', input: { nin: freshNin() } });
  const before = (await newest()).seq;
  for (const path of ['jobs?limit=1', 'rows?reference=nobody', 'reviews?job=none', 'reviews', 'batches'])
    expect((await app.get(`/api/v1/${path}`)).status, path).toBe(200);
  expect((await newest()).seq).toBe(before);
});

test('a list that shows no reason, or hides it from whoever asks, leaves none', async () => {
  const hold = await other.post<Entity>('/api/v1/subjects/holds', { identifiers: [{ type: 'nin', value: freshNin() }] });
  const { id } = (await other.job({ check: 'nin_basic', input: { nin: freshNin() } })).body.entity;
  await other.ended(`/api/v1/jobs/${id}`);
  const asker = await signedInAs(api, other, 'operator');
  expect((await asker.browser.post(`/api/v1/jobs/${id}/reveal`, { purpose: 'support' })).status).toBe(200);
  await api.admin.send('PATCH', `/api/v1/admin/apps/${other.app}`, {
    body: JSON.stringify({ settings: { approveReveal: true } }),
    headers: { 'Content-Type': 'application/json' },
  });
  const asked = await asker.browser.post<Entity>(`/api/v1/jobs/${id}/reveal`, { purpose: 'legal', reason: 'Bisi Ade has called' });
  expect(asked.status, asked.text).toBe(202);
  const viewer = await signedInAs(api, other, 'viewer');
  const before = (await newest(other.app)).seq;
  for (const path of ['subjects/holds', `subjects/holds/${idOf(hold)}`, `jobs/${id}/reveals`])
    expect((await other.get(`/api/v1/${path}`)).status, path).toBe(200);
  for (const path of ['approvals', `approvals/${idOf(asked)}`])
    expect((await viewer.browser.get(`/api/v1/${path}`)).text, path).not.toContain('Bisi Ade');
  expect((await newest(other.app)).seq).toBe(before);
});

test('a download of many rows is one entry', async () => {
  const rows = Array.from({ length: 500 }, () => freshNin()).join('\n');
  const { id } = (await app.csv('checks=nin_basic', `nin\n${rows}\n`)).body.entity;
  await app.ended<BatchEntity>(`/api/v1/batches/${id}`);
  const file = await app.get(`/api/v1/batches/${id}/results`);
  expect(file.text.trimEnd().split('\n')).toHaveLength(501);
  const found = await entries(`object=${id}`);
  expect(found.map(({ action }) => action)).toEqual(['results.read', 'batch.submit']);
});

test('a job that is over leaves an entry although nothing was found', async () => {
  const asked = await app.job({ check: 'nin_basic', input: { nin: '00000000001' }, reference: 'of Ada Obi' });
  const { id } = asked.body.entity;
  await app.ended(`/api/v1/jobs/${id}`);
  const read = await app.get<JobEntity>(`/api/v1/jobs/${id}`);
  expect(read.body.entity).toMatchObject({ outcome: 'not_found', result: null, reference: 'of Ada Obi' });
  expect(await newest()).toMatchObject({ action: 'job.read', target: id, request_id: read.body.meta.request_id });
});

test('a job that is not over, and an answer that has not changed, leave nothing', async () => {
  const count = async () => (await newest()).seq;
  const slow = await app.job({ check: 'nin_basic', input: { nin: '00000000004' } });
  const early = await count();
  expect((await app.get<JobEntity>(`/api/v1/jobs/${slow.body.entity.id}`)).body.entity.status).not.toBe('completed');
  expect(await count()).toBe(early);
  const read = await app.get(`/api/v1/jobs/${job}`);
  const before = await count();
  expect((await app.get(`/api/v1/jobs/${job}`, { 'If-None-Match': read.headers.get('etag')! })).status).toBe(304);
  expect((await app.get(`/api/v1/batches/${batch}`)).status).toBe(200);
  expect(await count()).toBe(before);
});

describe('a kept answer that is read again leaves an entry', () => {
  const repeat = async (path: string, body: unknown) => {
    const headers = { 'Idempotency-Key': `repeated ${freshNin()}` };
    const first = await app.post<Entity>(path, body, headers);
    expect(first.status, first.text).toBeLessThan(300);
    const before = (await newest()).seq;
    const again = await app.post<Entity>(path, body, { ...headers, 'Audit-Purpose': 'support' });
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
    const [entry, ...older] = await entries('limit=2');
    expect(older[0]!.seq).toBe(before);
    expect(entry).toMatchObject({
      action: 'answer.read',
      outcome: 'allowed',
      purpose: 'support',
      address: '127.0.0.1',
      actor: { kind: 'key', id: app.keyId },
      request_id: again.headers.get('x-request-id'),
    });
    return { again, entry: entry! };
  };

  test('with the job, batch or endpoint that the request made', async () => {
    const { again, entry } = await repeat('/api/v1/jobs', { check: 'nin_basic', input: { nin: freshNin() } });
    expect(entry.target).toBe(idOf(again));
  });

  test('with the record of a single call', async () => {
    const { entry } = await repeat('/api/v1/aml/screening', PERSON);
    const [record] = await api.service.sql<{ checkId: string; subject: Buffer }[]>`
      select check_id, subject from jobs where id = ${parseId('job', entry.target!)} and app_id = ${parseId('app', app.app)}`;
    expect(record).toMatchObject({ checkId: 'aml_screening' });
  });

  test('without a target if nothing was made', async () => {
    const { entry } = await repeat('/api/v1/consents/withdrawals', { reference: 'repeated' });
    expect(entry.target).toBeNull();
  });
});

describe('a refused attempt', () => {
  test('at another app’s job is in the audit of who tried', async () => {
    expect((await other.get(`/api/v1/jobs/${job}`)).status).toBe(404);
    expect(await newest(other.app)).toMatchObject({
      action: 'job.read',
      target: job,
      outcome: 'refused',
      code: 'resource_not_found',
      actor: { id: other.keyId },
    });
    const [mine] = await entries(`object=${job}&action=job.read&limit=1`);
    expect(mine!.outcome).toBe('allowed');
  });

  test('of a key with another app’s id, and of an app’s key at the operator’s routes, is recorded', async () => {
    const wrong = openClient(api.url, other.app, app.key);
    expect((await wrong.get(`/api/v1/jobs/${job}`)).status).toBe(401);
    expect(await newest()).toMatchObject({ action: 'job.read', outcome: 'refused', code: 'unauthenticated' });
    expect((await openClient(api.url, '', app.key).post(`${appPath()}/suspend`)).status).toBe(403);
    expect(await newest()).toMatchObject({
      action: 'app.suspend',
      outcome: 'refused',
      code: 'forbidden',
      actor: { kind: 'key', id: app.keyId },
    });
  });

  test('with a key that nobody has is not: there is nobody to record', async () => {
    const before = [await newest(), await newest(null)].map(({ seq }) => seq);
    expect((await openClient(api.url, app.app, 'cf_test_wrong').get(`/api/v1/jobs/${job}`)).status).toBe(401);
    // The operator's own look at the audit is recorded in the deployment's chain.
    expect((await newest()).seq).toBe(before[0]);
    expect((await entries('limit=5&action=job.read', null)).length).toBe(0);
  });

  test('with an invalid link is in the deployment’s audit', async () => {
    expect((await app.get('/api/v1/links/bm90aGluZw.x')).status).toBe(403);
    const [entry] = await entries('action=link.read&limit=1', null);
    expect(entry).toMatchObject({ outcome: 'refused', code: 'link_invalid', target: null });
  });

  test('names in a path never reach the audit', async () => {
    expect((await app.get('/api/v1/jobs/Ada%20Obi%2070123456789')).status).toBe(404);
    expect(await newest()).toMatchObject({ action: 'job.read', target: null, outcome: 'refused' });
  });
});

describe('the audit over HTTP', () => {
  test('shows a key its own app and mode, and nothing of others', async () => {
    await app.live.get('/api/v1/aml/clearances');
    const [test, live] = [await app.get<AuditPage>('/api/v1/audit?limit=1000'), await app.live.get<AuditPage>('/api/v1/audit?limit=1000')];
    for (const page of [test, live]) expect(new Set(page.body.entity.data.map((entry) => entry.app))).toEqual(new Set([app.app]));
    expect(new Set(test.body.entity.data.map((entry) => entry.live))).toEqual(new Set([false, null]));
    expect(new Set(live.body.entity.data.map((entry) => entry.live))).toEqual(new Set([true, null]));
    expect((await other.get<AuditPage>(`/api/v1/audit?object=${batch}`)).body.entity.data).toEqual([]);
    expect((await app.get('/api/v1/admin/audit')).status).toBe(403);
  });

  test('filters, and pages by cursor', async () => {
    const refused = (await app.get<AuditPage>('/api/v1/audit?outcome=refused')).body.entity.data;
    expect(new Set(refused.map(({ outcome }) => outcome))).toEqual(new Set(['refused']));
    await app.get(`/api/v1/jobs/${job}`, { 'Audit-Purpose': 'complaint' });
    const complaints = (await app.get<AuditPage>('/api/v1/audit?purpose=complaint')).body.entity.data;
    expect(new Set(complaints.map(({ purpose }) => purpose))).toEqual(new Set(['complaint']));
    expect((await app.get('/api/v1/audit?outcome=maybe')).status).toBe(400);
    const only = (await app.get<AuditPage>(`/api/v1/audit?action=job.read&object=${job}&actor=${app.keyId}`)).body.entity.data;
    expect(only.length).toBeGreaterThan(0);
    expect(new Set(only.map(({ action, target }) => `${action} ${target}`))).toEqual(new Set([`job.read ${job}`]));
    const first = (await app.get<AuditPage>('/api/v1/audit?action=job.read&limit=1')).body.entity;
    const second = (await app.get<AuditPage>(`/api/v1/audit?action=job.read&limit=1&cursor=${first.next_cursor}`)).body.entity;
    expect(second.data[0]!.seq).toBeLessThan(first.data[0]!.seq);
    expect((await app.get(`/api/v1/audit?cursor=${first.next_cursor!.slice(0, -2)}`)).status).toBe(400);
    expect((await app.get('/api/v1/audit?action=nothing')).status).toBe(400);
  });

  test('comes as CSV', async () => {
    const csv = await app.get('/api/v1/audit?format=csv&action=job.read');
    const [head, ...lines] = csv.text.trimEnd().split('\r\n');
    expect(head).toBe(
      'app,seq,at,live,address,action,target,subject,purpose,request_id,outcome,code,detail,previous,hash,actor_kind,actor_id',
    );
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line).toContain(',job.read,');
  });

  test('keeps the purpose that a request states, out of a fixed list', async () => {
    expect((await app.get(`/api/v1/jobs/${job}`, { 'Audit-Purpose': 'complaint' })).status).toBe(200);
    expect(await newest()).toMatchObject({ action: 'job.read', purpose: 'complaint' });
    expect((await app.get(`/api/v1/jobs/${job}`, { 'Audit-Purpose': 'about Ada' })).body.code).toBe('invalid_request');
  });

  test('has an address exactly where there was a request', async () => {
    const { sql } = api.service;
    await resumeApp(api.service, parseId('app', other.app)!, bySystem('restore'));
    const kinds = await sql<{ kind: string; addressed: boolean }[]>`
      select distinct actor_kind as kind, address is not null as addressed from audit_entries where actor_id <> 'cli' order by 1`;
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        { kind: 'key', addressed: true },
        { kind: 'system', addressed: false },
      ]),
    );
    for (const { kind, addressed } of kinds) expect([kind, addressed]).toEqual([kind, kind !== 'system']);
  });

  test('holds the address that a trusted proxy tells', async () => {
    const behind = await startApi({ CONFAM_TRUSTED_PROXIES: '127.0.0.1' });
    try {
      const client = await behind.createApp();
      await client.get('/api/v1/aml/clearances', { 'X-Forwarded-For': '2001:db8::7' });
      const page = await client.get<AuditPage>('/api/v1/audit?action=clearance.read');
      expect(page.body.entity.data[0]!.address).toBe('2001:db8::7');
    } finally {
      await behind.stop();
    }
  });
});

test('a read whose entry cannot be written is refused, and nothing of it goes out', async () => {
  await asOwner(api.service.databaseUrl, (sql) => sql`alter table audit_heads rename to audit_heads_away`);
  try {
    const answer = await app.get(`/api/v1/jobs/${job}`);
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain(NIN);
    expect((await app.get(`/api/v1/batches/${batch}/results`)).status).toBe(500);
  } finally {
    await asOwner(api.service.databaseUrl, (sql) => sql`alter table audit_heads_away rename to audit_heads`);
  }
  await waitFor('reads to work again', async () => (await app.get(`/api/v1/jobs/${job}`)).status === 200);
});

test('a change whose entry cannot be written is undone', async () => {
  await asOwner(api.service.databaseUrl, (sql) => sql`alter table audit_heads rename to audit_heads_away`);
  const topUp = () => api.admin.post(`${appPath()}/topups`, { amount: 3, mode: 'test' });
  const before = await app.wallet();
  try {
    expect((await topUp()).status).toBe(500);
  } finally {
    await asOwner(api.service.databaseUrl, (sql) => sql`alter table audit_heads_away rename to audit_heads`);
  }
  expect(await app.wallet()).toEqual(before);
  expect(await api.drift()).toBe(0);
});
