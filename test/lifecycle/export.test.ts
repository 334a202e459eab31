/** Everything held on a person, over HTTP: what the file has, whom it leaves out, who may take it, and when it ends. */
import { describe, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { type BatchEntity, type Client, type Entity, type JobEntity, type TestApp, useApi } from '../setup/api.ts';
import { signedInAs } from '../setup/browser.ts';
import { waitFor } from '../setup/database.ts';
import { addHits } from '../setup/screening.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi();

interface Export {
  id: string;
  status: string;
  counts: Record<string, number>;
}
interface Place {
  kind: string;
  batch_id: string | null;
  row: number | null;
  jobs: { id: string; check: string; outcome: string | null }[];
}
interface SubjectFile {
  reason: string | null;
  jobs: (JobEntity & { submitted: Entity; pictures: Record<string, string>; review: Entity | null })[];
  calls: (JobEntity & { consent: Entity | null })[];
  rows: { batch: string; row: number; submitted: { column: string; value: string }[]; jobs: JobEntity[] }[];
  rows_to_correct: { row: number; submitted: { column: string; value: string }[] }[];
  monitors: { name: string; matches: Entity[] }[];
  clearances: { reason: string }[];
  cached_answers: { kind: string; record: Entity }[];
}

const consent = { reference: 'form-9', purpose: 'onboarding', obtained_at: '2025-01-02T00:00:00Z' };
const EXPORTS = '/api/v1/subjects/exports';

async function find(app: Client, body: object): Promise<Export> {
  const asked = await app.post<Export>('/api/v1/subjects/export', body);
  expect(asked.status, asked.text).toBe(202);
  return waitFor('the export', async () => {
    const { entity } = (await app.get<Export>(`${EXPORTS}/${asked.body.entity.id}`)).body;
    return entity.status === 'done' && entity;
  });
}

async function take(app: Client, id: string): Promise<{ text: string; file: SubjectFile }> {
  const answer = await app.get(`${EXPORTS}/${id}/file`);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${id}.json"`);
  return { text: answer.text, file: JSON.parse(answer.text) as SubjectFile };
}

async function upload(app: TestApp, query: string, text: string): Promise<BatchEntity> {
  const made = await app.csv(query, text);
  expect(made.status, made.text).toBe(202);
  return app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`);
}

const job = async (app: Client, check: string, input: object) =>
  app.ended<JobEntity>(`/api/v1/jobs/${(await app.job({ check, input, reference: 'c-77' })).body.entity.id}`);
const submittedIn = (row: { submitted: { column: string; value: string }[] }, column: string) =>
  row.submitted.find((cell) => cell.column === column)?.value;

test('a file holds jobs, calls, rows, rows to correct, answers and monitors of the person, and nothing about anybody else', async () => {
  const [app, other] = [await api.createApp(), await api.createApp()];
  const [nin, bystander] = [freshNin(), freshNin()];
  const text = `nin,reference,note\n${nin},r-1,first\n${bystander},r-2,second\n${freshNin()},r-3,${nin}\nnobody,r-4,${nin}\n`;
  for (const each of [app, other]) {
    await each.get(`/api/v1/kyc/nin/advance?nin=${nin}`, { Consent: JSON.stringify(consent) });
    await upload(each, 'checks=nin_basic', text);
  }
  const own = [
    await job(app, 'nin_basic', { nin }),
    await job(app, 'aml_screening', { name: 'OBI, Ada', date_of_birth: '1990-02-01', country: 'NG', monitor: true }),
  ];
  const strangers = [await job(app, 'nin_basic', { nin: bystander }), await job(other, 'nin_basic', { nin })];

  const found = await find(app, {
    identifiers: [
      { type: 'nin', value: nin },
      { type: 'person', name: 'Ada Obi', date_of_birth: '1990-02-01' },
    ],
    reason: 'Ada has written to us',
  });
  expect(found.counts).toEqual({ jobs: 2, calls: 1, rows: 2, invalid_rows: 1 });
  const { text: whole, file } = await take(app, found.id);
  expect(file.reason).toBe('Ada has written to us');
  expect(file.jobs.map(({ id, result, reference }) => ({ id, result, reference }))).toEqual(
    own.map(({ id, result }) => ({ id, result, reference: 'c-77' })),
  );
  expect(file.jobs[0]!.submitted).toEqual({ nin });
  expect(file.calls).toMatchObject([{ check: 'nin_advance', batch: null, consent: { reference: 'form-9' } }]);
  expect(file.rows.map((row) => [row.row, submittedIn(row, 'reference'), row.jobs.map(({ outcome }) => outcome)])).toEqual([
    [1, 'r-1', ['found']],
    [3, 'r-3', [expect.any(String)]],
  ]);
  expect(file.rows[0]!.jobs[0]!.result).toMatchObject({ nin });
  expect(file.rows_to_correct.map((row) => submittedIn(row, 'reference'))).toEqual(['r-4']);
  expect(file.monitors).toMatchObject([{ name: 'OBI, Ada' }]);
  expect(file.cached_answers).toMatchObject([{ kind: 'nin' }]);
  for (const stranger of [bystander, 'r-2', ...strangers.map(({ id }) => id)]) expect(whole).not.toContain(stranger);

  // The same places as a list, newest first, a page at a time.
  const at = `${EXPORTS}/${found.id}/places`;
  const listed = async (query: string) => (await app.get<{ data: Place[]; next_cursor: string | null }>(`${at}?${query}`)).body.entity;
  const { data: places, next_cursor: none } = await listed('limit=50');
  expect(none).toBeNull();
  const rowPlace = { batch_id: file.rows[0]!.batch };
  expect(places).toMatchObject([
    { kind: 'job', batch_id: null, row: null, jobs: [{ id: own[1]!.id, check: 'aml_screening', status: 'completed' }] },
    { kind: 'job', jobs: [{ id: own[0]!.id, check: 'nin_basic', status: 'completed', outcome: 'found' }] },
    { kind: 'row', ...rowPlace, row: 1, jobs: [{ id: file.rows[0]!.jobs[0]!.id, check: 'nin_basic', outcome: 'found' }] },
    { kind: 'row', ...rowPlace, row: 3, jobs: [{ check: 'nin_basic' }] },
    { kind: 'invalid_row', ...rowPlace, row: 4, jobs: [] },
    { kind: 'call', batch_id: null, jobs: [{ id: file.calls[0]!.id, check: 'nin_advance', outcome: 'found' }] },
  ]);
  const paged: Place[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data, next_cursor } = await listed(`limit=4${cursor && `&cursor=${cursor}`}`);
    paged.push(...data);
    cursor = next_cursor;
  }
  expect(paged).toEqual(places);
  expect((await app.get(`${at}?cursor=${found.id}`)).body).toMatchObject({ code: 'invalid_request', details: [{ path: 'cursor' }] });
  expect((await other.get(at)).status).toBe(404);
  expect((await app.send('DELETE', `/api/v1/batches/${rowPlace.batch_id}`)).status).toBe(202);
  expect((await listed('limit=50')).data.map(({ kind }) => kind)).toEqual(['job', 'job', 'call']);

  // Asking, looking and taking are in the audit; none names anybody.
  const entries = (await app.get<{ data: Entity[] }>(`/api/v1/audit?object=${found.id}`)).body.entity.data;
  expect(entries).toContainEqual(expect.objectContaining({ action: 'subject.places', outcome: 'allowed', detail: null }));
  expect(entries.flatMap(({ action, detail }) => (action === 'subject.places' ? [] : [[action, detail]]))).toEqual([
    ['subject.read', null],
    ['subject.export', { types: ['nin', 'person'] }],
  ]);
  // What is stored meanwhile are places and ciphertext.
  const stored = await api.service.sql<{ row: string }[]>`
    select row_to_json(e)::text as row from subject_exports e where id = ${parseId('exp', found.id)}`;
  for (const secret of [nin, 'Obi', 'written']) expect(stored[0]!.row).not.toContain(secret);
});

test('a row that shows the answer of an earlier row is listed with that row’s outcome', async () => {
  const app = await api.createApp();
  const nin = freshNin();
  const { id } = await upload(app, 'checks=nin_basic', `nin\n${nin}\n${nin}\n`);
  const found = await find(app, { identifiers: [{ type: 'nin', value: nin }] });
  const { data } = (await app.get<{ data: Place[] }>(`${EXPORTS}/${found.id}/places`)).body.entity;
  const jobs = [{ status: 'completed', outcome: 'found' }];
  expect(data).toMatchObject([
    { kind: 'row', batch_id: id, row: 1, jobs },
    { kind: 'row', batch_id: id, row: 2, jobs },
  ]);
});

test('cached answers about an email address are found under each spelling that was sent', async () => {
  const app = await api.createApp();
  const call = async (email: string) => (await app.get(`/api/v1/kyc/email?email=${encodeURIComponent(email)}`)).body;
  const theirs = ['musa.bala@gmail.com', 'musabala+shop@googlemail.com', 'm.usabala@gmail.com'];
  const stranger = 'musa.bala@example.com.ng';
  for (const email of [...theirs, stranger]) expect((await call(email)).status).toBe('success');
  const identifiers = [{ type: 'email', value: 'musabala+other@gmail.com' }];
  const { file } = await take(app, (await find(app, { identifiers, reason: 'Musa has written to us' })).id);
  expect(file.cached_answers.map(({ record }) => record.email).toSorted()).toEqual(theirs.toSorted());

  const { id } = (await app.post('/api/v1/subjects/erase', { identifiers })).body.entity;
  const erasure = await waitFor('the erasure', async () => {
    const { entity } = (await app.get<{ status: string; counts: object }>(`/api/v1/subjects/erasures/${id}`)).body;
    return entity.status === 'done' && entity;
  });
  expect(erasure.counts).toEqual({ calls: 3, cached_answers: 3, exports: 1 });
  for (const email of theirs) expect((await call(email)).cached).toBe(false);
  expect((await call(stranger)).cached).toBe(true);
});

test('an erasure of the person ends the export, and time does', async () => {
  const app = await api.createApp();
  const nin = freshNin();
  await job(app, 'nin_basic', { nin });
  const [erased, late] = [
    await find(app, { identifiers: [{ type: 'nin', value: nin }] }),
    await find(app, { identifiers: [{ type: 'nin', value: freshNin() }] }),
  ];
  const asked = await app.post<Export>('/api/v1/subjects/erase', { identifiers: [{ type: 'nin', value: nin }] });
  const erasure = await waitFor('the erasure', async () => {
    const { entity } = (await app.get<Export>(`/api/v1/subjects/erasures/${asked.body.entity.id}`)).body;
    return entity.status === 'done' && entity;
  });
  expect(erasure.counts).toMatchObject({ jobs: 1, exports: 1 });
  await api.service.sql`update subject_exports set expires_at = now() where id = ${parseId('exp', late.id)}`;
  const statusOf = async (id: string) => (await app.get<Export>(`${EXPORTS}/${id}`)).body.entity.status;
  await waitFor('it to end', async () => (await statusOf(late.id)) === 'expired');
  expect(await statusOf(erased.id)).toBe('expired');
  for (const { id } of [erased, late]) expect((await app.get(`${EXPORTS}/${id}/file`)).status).toBe(404);
  const left = await api.service.sql`select asked, found from subject_exports where app_id = ${parseId('app', app.app)}`;
  expect(left).toEqual([
    { asked: null, found: null },
    { asked: null, found: null },
  ]);
});

test('a screening of a business that has its owner’s name is found by that name', async () => {
  const app = await api.createApp();
  const business = await job(app, 'aml_screening', { name: 'Ada Obi', type: 'organization', monitor: true });
  await job(app, 'aml_screening', { name: 'Ada Obi', type: 'organization', registration_number: 'RC1432074' });
  const { file } = await take(app, (await find(app, { identifiers: [{ type: 'person', name: 'Ada Obi' }] })).id);
  expect(file.jobs.map(({ id }) => id)).toEqual([business.id]);
  expect(file.monitors).toHaveLength(1);
});

test('a monitor has all of its hits in the file, and fewer in an answer', async () => {
  const app = await api.createApp();
  const person = { name: 'Ada Obi', date_of_birth: '1990-02-01' };
  await job(app, 'aml_screening', { ...person, monitor: true });
  const { id } = (await app.get<{ data: { id: string }[] }>('/api/v1/aml/monitors')).body.entity.data[0]!;
  await addHits(api.service, parseId('app', app.app)!, id, 130);
  const { file } = await take(app, (await find(app, { identifiers: [{ type: 'person', ...person }] })).id);
  expect(file.monitors[0]!.matches.map((match) => match.source_id)).toEqual(Array.from({ length: 130 }, (_, n) => `Q${129 - n}`));
  expect((await app.get<{ matches: Entity[] }>(`/api/v1/aml/monitors/${id}`)).body.entity.matches).toHaveLength(100);
});

describe('who may', () => {
  test('where exports need an approval, the file waits for a second person, who sees what it is', async () => {
    const app = await api.createApp();
    const [owner, approver] = [await signedInAs(api, app, 'owner'), await signedInAs(api, app, 'approver')];
    await api.admin.send('PATCH', `/api/v1/admin/apps/${app.app}`, {
      body: JSON.stringify({ settings: { approveExport: true, revealNeedsReason: true } }),
      headers: { 'Content-Type': 'application/json' },
    });
    const identifiers = [{ type: 'nin', value: freshNin() }];
    const unreasoned = await waitFor('the settings', async () => {
      const answer = await owner.browser.post('/api/v1/subjects/export', { identifiers });
      return answer.status === 400 && answer;
    });
    expect(unreasoned.text).toContain('this app asks for a reason');
    const asked = await owner.browser.post<Export>('/api/v1/subjects/export', { identifiers, reason: 'A letter' });
    const path = `${EXPORTS}/${asked.body.entity.id}`;
    await waitFor('the export', async () => (await owner.browser.get<Export>(path)).body.entity.status === 'done');
    const waits = await owner.browser.get<Entity>(`${path}/file`);
    expect(waits.status).toBe(202);
    expect(waits.body.entity).toMatchObject({
      action: 'export',
      target: asked.body.entity.id,
      reason: 'A letter',
      terms: { kind: 'subject', identifiers: ['nin'] },
    });
    const viewer = await signedInAs(api, app, 'viewer');
    for (const [browser, reason] of [
      [viewer.browser, null],
      [approver.browser, 'A letter'],
    ] as const)
      expect((await browser.get<{ data: Entity[] }>('/api/v1/approvals')).body.entity.data).toMatchObject([{ reason }]);
    expect((await owner.browser.post(`/api/v1/approvals/${waits.body.entity.id}/approve`)).status).toBe(403);
    expect((await approver.browser.post(`/api/v1/approvals/${waits.body.entity.id}/approve`)).status).toBe(200);
    expect((await owner.browser.get(`${path}/file`)).status).toBe(200);
    const another = await signedInAs(api, app, 'owner');
    expect((await another.browser.get(`${path}/file`)).status).toBe(202);
    expect((await approver.browser.get(`${path}/file`)).status).toBe(403);
  });

  test('another app, the other mode, an operator and a key without the scope do not', async () => {
    const [app, other] = [await api.createApp(), await api.createApp()];
    const { id } = await find(app, { identifiers: [{ type: 'nin', value: freshNin() }] });
    for (const stranger of [other, app.live])
      for (const path of [`${EXPORTS}/${id}`, `${EXPORTS}/${id}/file`]) expect((await stranger.get(path)).status).toBe(404);
    const { browser } = await signedInAs(api, app, 'operator');
    expect((await browser.post('/api/v1/subjects/export', { identifiers: [{ type: 'nin', value: freshNin() }] })).status).toBe(403);
    expect((await browser.get(EXPORTS)).status).toBe(403);
    expect((await app.get<{ data: Export[] }>(EXPORTS)).body.entity.data.map((one) => one.id)).toEqual([id]);
  });
});
