/** Jobs and batches say who submitted them: a key or a person, by id, with the name as it is now. */
import { beforeAll, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { type BatchEntity, type Client, type Entity, type JobEntity, openClient, type TestApp, useApi } from '../setup/api.ts';
import { signedInAs } from '../setup/browser.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi();
let app: TestApp;
let person: Awaited<ReturnType<typeof signedInAs>>;
beforeAll(async () => {
  app = await api.createApp();
  person = await signedInAs(api, app, 'owner');
});

type By = { created_by?: { kind: string; id: string; name: string | null } | null };
const jobOf = () => ({ check: 'nin_basic', input: { nin: freshNin() } });
const read = async (path: string, client: Pick<Client, 'get'> = app) => (await client.get<Entity & By>(path)).body.entity.created_by;
const firstOf = async (path: string, client: Pick<Client, 'get'> = app) =>
  (await client.get<{ data: By[] }>(path)).body.entity.data[0]!.created_by;

test('work of a key names the key, in the first answer and in every later one, also after the key is revoked', async () => {
  const made = await app.post<{ id: string; key: string }>('/api/v1/keys', { name: 'Nightly <upload>' });
  const by = { kind: 'key', id: made.body.entity.id, name: 'Nightly <upload>' };
  const nightly = openClient(api.url, app.app, made.body.entity.key);
  const job = await nightly.post<JobEntity & By>('/api/v1/jobs', jobOf(), { 'Idempotency-Key': 'once' });
  const batch = await nightly.csv('checks=nin_basic', `nin\n${freshNin()}\n`);
  expect([job.body.entity.created_by, (batch.body.entity as By).created_by]).toEqual([by, by]);
  const [jobId, batchId] = [job.body.entity.id, batch.body.entity.id];
  await app.ended<BatchEntity>(`/api/v1/batches/${batchId}`);
  const row = (await app.get<{ data: { id: string }[] }>(`/api/v1/batches/${batchId}/jobs`)).body.entity.data[0]!.id;
  expect((await app.post(`/api/v1/keys/${by.id}/revoke`)).status).toBe(200);
  for (const path of [`/api/v1/jobs/${jobId}`, `/api/v1/batches/${batchId}`, `/api/v1/jobs/${row}`])
    expect(await read(path), path).toEqual(by);
  for (const path of ['/api/v1/jobs', '/api/v1/batches', `/api/v1/batches/${batchId}/jobs`]) expect(await firstOf(path), path).toEqual(by);
  const [entry] = (await app.get<{ data: Entity[] }>(`/api/v1/audit?action=batch.submit&object=${batchId}`)).body.entity.data;
  expect(entry).toMatchObject({ actor: { kind: 'key', id: by.id }, address: '127.0.0.1', detail: { rows: 1 } });
});

test('work of a person names them until they leave the app, and nothing of them is stored with it but an id', async () => {
  const { browser, id } = await signedInAs(api, app, 'operator');
  const { browser: owner } = person;
  const job = (await browser.post<JobEntity & By>('/api/v1/jobs', jobOf())).body.entity;
  expect(job.created_by).toEqual({ kind: 'person', id, name: 'Ada Obi' });
  expect(await read(`/api/v1/jobs/${job.id}`)).toEqual({ kind: 'person', id, name: 'Ada Obi' });
  expect(await firstOf('/api/v1/jobs', owner)).toEqual({ kind: 'person', id, name: 'Ada Obi' });
  expect((await owner.send('DELETE', `/api/v1/people/${id}`)).status).toBe(200);
  expect(await read(`/api/v1/jobs/${job.id}`)).toEqual({ kind: 'person', id, name: null });
});

test('somebody without a name is shown by the e-mail address, on work, approvals and review cases, until they leave', async () => {
  const app = await api.createApp({ settings: { approveStartAboveKobo: 1_00, reviews: { amlLevel: 'HIGH' } } });
  const { browser: owner, id, email } = await signedInAs(api, app, 'owner');
  const approver = await signedInAs(api, app, 'approver');
  await api.service.sql`update people set name = null where id in ${api.service.sql([parseId('per', id)!, parseId('per', approver.id)!])}`;
  const sanctioned = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14', country: 'NG' };
  const job = (await owner.post<JobEntity & By>('/api/v1/jobs', { check: 'aml_screening', input: sanctioned })).body.entity;
  expect(job.created_by).toEqual({ kind: 'person', id, name: email });
  await app.ended<JobEntity>(`/api/v1/jobs/${job.id}`);
  const review = (await owner.get<{ data: { id: string }[] }>('/api/v1/reviews')).body.entity.data[0]!.id;
  const taken = await owner.post<{ names: Entity }>(`/api/v1/reviews/${review}/assign`, { assignee: 'me' });
  expect(taken.body.entity.names, taken.text).toMatchObject({ [id]: email });
  const batch = (await app.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`)).body.entity.id;
  const asked = (await owner.post<{ id: string }>(`/api/v1/batches/${batch}/start`)).body.entity.id;
  expect((await approver.browser.post(`/api/v1/approvals/${asked}/approve`)).status).toBe(200);
  const shown = async () => (await app.get<Entity>(`/api/v1/approvals/${asked}`)).body.entity;
  expect(await shown()).toMatchObject({ asked_by: { name: email }, decided_by: { name: approver.email } });
  expect((await owner.send('DELETE', `/api/v1/people/${approver.id}`)).status).toBe(200);
  expect(await shown()).toMatchObject({ asked_by: { name: email }, decided_by: { name: null } });
});

test('a single call keeps who made it', async () => {
  const [nin, other] = [freshNin(), freshNin()];
  await app.get(`/api/v1/kyc/nin?nin=${nin}`);
  await app.get(`/api/v1/kyc/nin?nin=${nin}`);
  await person.browser.get(`/api/v1/kyc/nin?nin=${other}`);
  const rows = await api.service.sql<{ keyId: string | null; personId: string | null; cached: boolean }[]>`
    select key_id, person_id, cached from jobs where app_id = ${parseId('app', app.app)} and batch_id is null and input is null order by id`;
  expect([...rows]).toEqual([
    { keyId: parseId('key', app.keyId), personId: null, cached: false },
    { keyId: parseId('key', app.keyId), personId: null, cached: true },
    { keyId: null, personId: parseId('per', person.id), cached: false },
  ]);
});

test('webhooks do not say it, and work of an earlier release says that it is not known', async () => {
  await app.post('/api/v1/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook', events: ['job.completed', 'batch.completed'] });
  const { id } = (await app.post<JobEntity>('/api/v1/jobs', jobOf())).body.entity;
  await app.ended<JobEntity>(`/api/v1/jobs/${id}`);
  const [event] = await api.service.sql<{ data: object }[]>`select data from events where data->>'id' = ${id}`;
  expect(event!.data).not.toHaveProperty('created_by');
  await api.service.sql`update jobs set key_id = null where id = ${parseId('job', id)}`;
  expect(await read(`/api/v1/jobs/${id}`)).toBeNull();
});

test.each([
  ['erasures', '/api/v1/subjects/erase', '/api/v1/subjects/erasures'],
  ['exports', '/api/v1/subjects/export', '/api/v1/subjects/exports'],
  ['legal holds', '/api/v1/subjects/holds', '/api/v1/subjects/holds'],
])('%s of people name who asked for them, in the first answer and in every later one', async (_what, ask, list) => {
  const { browser, id } = await signedInAs(api, app, 'owner');
  const identifiers = [{ type: 'nin', value: freshNin() }];
  const byPerson = { kind: 'person', id, name: 'Ada Obi' };
  const byKey = { kind: 'key', id: app.keyId };
  const asked = await browser.post<Entity & By & { id: string }>(ask, { identifiers });
  expect(asked.body.entity.created_by, asked.text).toEqual(byPerson);
  expect(await read(`${list}/${asked.body.entity.id}`)).toEqual(byPerson);
  expect((await app.post<Entity & By>(ask, { identifiers })).body.entity.created_by).toMatchObject(byKey);
  const { data } = (await app.get<{ data: By[] }>(list)).body.entity;
  expect(data.map(({ created_by }) => created_by)).toMatchObject([byKey, byPerson]);
});
