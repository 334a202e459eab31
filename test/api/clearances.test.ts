/** Clearances over HTTP: who is cleared of what, until when, and what screenings read of it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type ClearanceRequest, openClearances, readClearances } from '../../src/aml/clearances.ts';
import { openRescreen } from '../../src/aml/rescreen.ts';
import { knownCheck } from '../../src/checks/catalog.ts';
import { newId, parseId, showId } from '../../src/foundation/ids.ts';
import { type Answer, type Client, type Entity, type TestApp, useApi } from '../setup/api.ts';
import { signedInAs } from '../setup/browser.ts';
import { digestOf, listed, putVersion, screenedResult, settleScreening } from '../setup/lists.ts';

const PATH = '/api/v1/aml/clearances';
const LIST = 'un_sc';

interface Clearance {
  id: string;
  object: string;
  list: string;
  source_id: string;
  reason: string;
  cleared_by: string;
  created_by: { kind: string; id: string; name: string | null } | null;
  created_at: string;
  expires_at: string | null;
  lapsed: boolean;
}
interface List {
  data: Clearance[];
  has_more: boolean;
  next_cursor: string | null;
}

const person = { name: 'Tamunokuro Ebiware Sotonye', date_of_birth: '1971-05-06', country: 'NG' };
const note = { reason: 'Another birth date; passport seen', cleared_by: 'Ibinabo (compliance)' };
const first = listed('T.1', 'Tamunokuro Sotonye');
const second = listed('T.2', 'Ebiware Sotonye');

const api = useApi({ CONFAM_TRUSTED_PROXIES: '127.0.0.1' });
beforeAll(async () => {
  await putVersion(api.service, LIST, [first, second]);
});

const clear = (client: Client, body: Entity = {}): Promise<Answer<Clearance>> =>
  client.post<Clearance>(PATH, { ...person, list: LIST, source_id: 'T.1', ...note, ...body });
const list = async (client: Client, query = '') => (await client.get<List>(`${PATH}${query}`)).body.entity;
const ownerOf = (client: Client) => ({ appId: parseId('app', client.app)!, live: true });

/** The question that a screening of `input` would ask. */
const requestOf = (client: Client, input: Record<string, string>, matches: ClearanceRequest['matches']): ClearanceRequest => ({
  ...ownerOf(client),
  subjects: api.service.cipher.indexes('subject', 'aml', subjectText(input)),
  matches,
});
const subjectText = (input: Record<string, string>) => knownCheck('aml_screening').subject(input);
const matchOf = (entry: typeof first) => ({ list: LIST, sourceId: entry.sourceId, digest: digestOf(entry) });
const cleared = async (client: Client, entry = first, input: Record<string, string> = person) =>
  (await readClearances(api.service, [requestOf(client, input, [matchOf(entry)])]))[0]![0];

/** Settles a job that screened the person, with its result. */
async function settleJob(client: Client, entity: Entity): Promise<string> {
  const [jobId, { appId }] = [newId(), ownerOf(client)];
  const subject = api.service.cipher.index('subject', 'aml', subjectText(person));
  await api.service.sql`
    insert into jobs (id, app_id, live, check_id, family, subject, price_kobo, cached_price_kobo, status, attempt)
    values (${jobId}, ${appId}, true, 'aml_screening', 'aml', ${subject}, 0, 0, 'leased', 1)`;
  const result = { ...screenedResult, entity };
  await api.service.settle.job({ jobId, appId, batchId: null, attempt: 1, checkId: 'aml_screening', trail: [], result });
  return showId('job', jobId);
}

const labelOf = async (version: string): Promise<string> =>
  (await api.service.sql<{ label: string }[]>`select label from aml_list_versions where id = ${version}`)[0]!.label;

async function makeApp(): Promise<TestApp> {
  return api.createApp({ naira: 0 });
}

describe('a clearance', () => {
  test('is made, read by screenings of that person, listed and revoked', async () => {
    const { live } = await makeApp();
    expect(await cleared(live)).toBeNull();
    const answer = await clear(live);
    expect(answer.status, answer.text).toBe(201);
    const made = answer.body.entity;
    expect(made).toEqual({
      id: expect.stringMatching(/^clr_[0-9a-f]{32}$/),
      object: 'aml_clearance',
      list: LIST,
      source_id: 'T.1',
      ...note,
      created_by: { kind: 'key', id: expect.stringMatching(/^key_/), name: null },
      created_at: expect.stringMatching(/Z$/),
      expires_at: null,
      lapsed: false,
    });
    expect(await cleared(live)).toEqual({
      clearance: made.id,
      ...note,
      recorded_by: made.created_by!.id,
      at: made.created_at,
      expires_at: null,
    });
    expect(await cleared(live, second), 'only of that entry').toBeNull();
    expect(await cleared(live, first, { ...person, name: 'Somebody Else' }), 'only of that person').toBeNull();
    expect(await list(live)).toMatchObject({ data: [made], has_more: false, next_cursor: null });

    expect((await live.send('DELETE', `${PATH}/${made.id}`)).body.entity).toEqual({ id: made.id, object: 'aml_clearance', revoked: true });
    expect(await cleared(live)).toBeNull();
    expect((await list(live)).data).toEqual([]);
    expect((await live.send('DELETE', `${PATH}/${made.id}`)).status).toBe(404);
  });

  test('holds for the person however the name is written, whether identified by a job or by its input', async () => {
    const { live } = await makeApp();
    const jobId = await settleScreening(api.service, ownerOf(live), person, false);
    const { name: _name, date_of_birth: _birth, country: _country, ...rest } = { ...person, list: LIST, source_id: 'T.1', ...note };
    const byJob = await live.post<Clearance>(PATH, { ...rest, job: showId('job', jobId) });
    expect(byJob.status, byJob.text).toBe(201);
    expect(await cleared(live)).toMatchObject({ clearance: byJob.body.entity.id });
    const again = await clear(live, { name: person.name.toUpperCase(), country: 'ng' });
    expect(again.status).toBe(201);
    expect(
      (await list(live)).data.map(({ id }) => id),
      'the later one replaces the earlier one',
    ).toEqual([again.body.entity.id]);
  });

  test('replaces the one before it, even if ten are made at once', async () => {
    const { live } = await makeApp();
    const made = await Promise.all(Array.from({ length: 10 }, (_, i) => clear(live, { reason: `Reason ${i}` })));
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
    const { data } = await list(live);
    expect(data).toHaveLength(1);
    expect((await cleared(live))?.clearance).toBe(data[0]!.id);
  });

  test('lapses when the publisher changes or removes the entry, and holds again when made anew', async () => {
    const { live } = await makeApp();
    const before = listed('T.9', 'Opuada Dokubo-Brown');
    await putVersion(api.service, LIST, [before]);
    expect((await clear(live, { source_id: 'T.9' })).status).toBe(201);
    expect(await cleared(live, before)).not.toBeNull();
    const after = { ...before, programs: ['TEST', 'MORE'] };
    await putVersion(api.service, LIST, [after]);
    expect(await cleared(live, after)).toBeNull();
    expect((await list(live)).data).toMatchObject([{ source_id: 'T.9', lapsed: true }]);
    expect((await clear(live, { source_id: 'T.9' })).body.entity.lapsed).toBe(false);
    expect(await cleared(live, after)).not.toBeNull();
    await putVersion(api.service, LIST, [], ['T.9']);
    expect((await list(live)).data).toMatchObject([{ source_id: 'T.9', lapsed: true }]);
    expect((await clear(live, { source_id: 'T.9' })).status, 'the entry is gone').toBe(404);
  });

  test('is refused if the entry has changed since the analyst saw it', async () => {
    const { live } = await makeApp();
    const before = listed('T.8', 'Tamunokuro Sotonye Ebiware');
    const shown = await labelOf(await putVersion(api.service, LIST, [before]));
    const hits = [{ list: LIST, source_id: 'T.8', list_version: shown }];
    const job = await settleJob(live, { hits });
    const byJob = { name: undefined, date_of_birth: undefined, country: undefined, job, source_id: 'T.8' };
    await putVersion(api.service, LIST, [listed('T.7', 'Quite Somebody Else')]);
    const made = await clear(live, byJob);
    expect(made.status, `another entry has changed: ${made.text}`).toBe(201);

    const after = { ...before, programs: ['TEST', 'MORE'] };
    const current = await labelOf(await putVersion(api.service, LIST, [after]));
    for (const body of [byJob, { source_id: 'T.8', list_version: shown }, { source_id: 'T.8', list_version: 'unknown' }]) {
      const refused = await clear(live, body);
      expect(refused.status, refused.text).toBe(409);
      expect(refused.body).toMatchObject({ code: 'conflict', error: expect.stringContaining('screen again') });
    }
    expect(await cleared(live, after)).toBeNull();
    expect((await list(live)).data, 'the earlier one is left alone').toMatchObject([{ id: made.body.entity.id, lapsed: true }]);
    for (const body of [{ source_id: 'T.8', list_version: current }, { ...byJob, list_version: current }, { source_id: 'T.8' }])
      expect((await clear(live, body)).status).toBe(201);
    expect(await cleared(live, after)).not.toBeNull();
  });

  test('expires on time', async () => {
    const { live } = await makeApp();
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = (await clear(live, { expires_at })).body.entity;
    expect(await cleared(live)).toMatchObject({ clearance: id, expires_at });
    await api.service.sql`update aml_clearances set expires_at = now() - interval '1 second' where id = ${parseId('clr', id)}`;
    expect(await cleared(live)).toBeNull();
    expect((await list(live)).data).toMatchObject([{ id, lapsed: true }]);
  });

  test('belongs to its app and mode', async () => {
    const { live, ...test } = await makeApp();
    const { live: other } = await makeApp();
    const { id } = (await clear(live)).body.entity;
    for (const stranger of [other, test]) {
      expect((await stranger.send('DELETE', `${PATH}/${id}`)).status).toBe(404);
      expect((await list(stranger)).data).toEqual([]);
    }
    expect(await cleared(other)).toBeNull();
    expect((await readClearances(api.service, [{ ...requestOf(live, person, [matchOf(first)]), live: false }]))[0]).toEqual([null]);
    const jobId = await settleScreening(api.service, ownerOf(live), person, false);
    const byJob = await other.post(PATH, { job: showId('job', jobId), list: LIST, source_id: 'T.1', ...note });
    expect(byJob.status).toBe(404);
    expect(await cleared(live)).toMatchObject({ clearance: id });
  });

  test('by a test key concerns the sandbox lists', async () => {
    const app = await makeApp();
    const { list: name, entry } = (await api.service.sandboxLists.inForce())[0]!;
    const body = { list: name, source_id: entry.sourceId };
    expect((await clear(app, body)).body.entity).toMatchObject({ ...body, lapsed: false });
    expect((await clear(app.live, body)).status).toBe(404);
    expect((await clear(app)).status, 'what is loaded for live keys').toBe(404);
  });

  test('stores neither reason nor author nor person in clear', async () => {
    const { live } = await makeApp();
    const { id } = (await clear(live)).body.entity;
    const [row] = await api.service.sql<{ row: string; note: Buffer }[]>`
      select c::text as row, note from aml_clearances c where id = ${parseId('clr', id)}`;
    for (const secret of ['Another birth', 'Ibinabo', 'Sotonye']) {
      expect(row!.row).not.toContain(secret);
      expect(row!.note.toString('latin1')).not.toContain(secret);
    }
  });
});

describe('who cleared it', () => {
  const body = { ...person, list: LIST, source_id: 'T.1', reason: note.reason };

  test('is the signed-in person by their own name, whatever they would like to be called', async () => {
    const app = await makeApp();
    const { browser, id } = await signedInAs(api, app, 'operator');
    const post = (own: Entity) => browser.post<Clearance>(PATH, { ...body, ...own }, { 'Confam-Mode': 'live' });
    const refused = await post({ cleared_by: 'Chief Compliance Officer A. Bello' });
    expect([refused.status, refused.body.details]).toEqual([
      400,
      [{ path: 'cleared_by', message: expect.stringContaining('own name'), rule: 'own_name' }],
    ]);
    expect((await list(app.live)).data).toEqual([]);
    const created_by = { kind: 'person', id, name: 'Ada Obi' };
    for (const own of [{}, { cleared_by: 'Ada Obi' }]) {
      const made = await post(own);
      expect(made.status, made.text).toBe(201);
      expect(made.body.entity).toMatchObject({ cleared_by: 'Ada Obi', created_by });
    }
    expect((await list(app.live)).data).toMatchObject([{ cleared_by: 'Ada Obi', created_by }]);
    expect(await cleared(app.live)).toMatchObject({ cleared_by: 'Ada Obi', recorded_by: null });
  });

  test('is whom a key names; it must name somebody, and is shown itself', async () => {
    const { live } = await makeApp();
    const unnamed = await clear(live, { cleared_by: undefined });
    expect(unnamed.body.details).toEqual([{ path: 'cleared_by', message: expect.any(String), rule: 'required' }]);
    const { id, key } = (await live.post<{ id: string; key: string }>('/api/v1/keys', { name: 'Core banking' })).body.entity;
    const made = await live.post<Clearance>(PATH, { ...body, ...note }, { Authorization: key });
    expect(made.body.entity).toMatchObject({ ...note, created_by: { kind: 'key', id, name: 'Core banking' } });
    expect(await cleared(live)).toMatchObject({ ...note, recorded_by: `Core banking (${id})` });
  });

  test('one of an earlier release does not say who recorded it', async () => {
    const { live } = await makeApp();
    const { id } = (await clear(live)).body.entity;
    const sealer = await api.service.cipher.sealer(ownerOf(live));
    const uuid = parseId('clr', id)!;
    const sealed = sealer.seal(JSON.stringify({ reason: note.reason, clearedBy: note.cleared_by }), 'clearance', uuid);
    await api.service.sql`update aml_clearances set note = ${sealed} where id = ${uuid}`;
    expect((await list(live)).data).toMatchObject([{ ...note, created_by: null }]);
    expect(await cleared(live)).toMatchObject({ ...note, recorded_by: null });
  });
});

describe('where two people must decide', () => {
  const listing = { list: 'ofac_sdn', source_id: '9900001' };
  const sanctioned = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14', country: 'NG' };
  const makeStrict = () => api.createApp({ settings: { reviews: { amlLevel: 'LOW', twoPerson: true } } });
  async function screen(app: TestApp): Promise<string> {
    const { id } = (await app.job({ check: 'aml_screening', input: sanctioned })).body.entity;
    await app.ended(`/api/v1/jobs/${id}`);
    return id;
  }
  async function decide(app: TestApp, job: string, decision: string, ...people: { browser: { post: Client['post'] } }[]): Promise<void> {
    const [review] = (await app.get<{ data: { id: string }[] }>(`/api/v1/reviews?job=${job}`)).body.entity.data;
    for (const { browser } of people)
      expect((await browser.post(`/api/v1/reviews/${review!.id}/decide`, { decision, reason: 'Another town' })).status).toBe(200);
  }
  test('the settings say so', async () => {
    const { reviews } = (await (await makeStrict()).get<{ reviews: object }>('/api/v1/settings')).body.entity;
    expect(reviews).toEqual({ face: false, liveness: false, aml_level: 'LOW', two_person: true });
  });

  const refusalOf = ({ status, body }: Answer<unknown>) => [status, body.code, body.error];
  const conflict = (words: RegExp) => [409, 'conflict', expect.stringMatching(words)];

  test('neither one person nor a key clears a hit before two people have approved its case; then either does', async () => {
    const app = await makeStrict();
    const [ada, bola] = [await signedInAs(api, app, 'operator'), await signedInAs(api, app, 'operator')];
    const job = await screen(app);
    const byPerson = (own: Entity = {}) => ada.browser.post(PATH, { job, ...listing, reason: 'Another town', ...own });
    const byKey = (own: Entity = {}) => app.post(PATH, { job, ...listing, ...note, ...own });
    const refused = async (words: RegExp) => {
      for (const answer of [await byPerson(), await byKey()]) expect(refusalOf(answer)).toEqual(conflict(words));
    };
    await refused(/approve the review case/);
    for (const answer of [await byPerson({ job: undefined, ...sanctioned }), await byKey({ job: undefined, ...sanctioned })])
      expect(refusalOf(answer)).toEqual(conflict(/by the `job`/));
    await decide(app, job, 'approve', ada);
    await refused(/approve the review case/);
    await decide(app, job, 'approve', bola);
    expect(refusalOf(await byKey({ source_id: '9900002' })), 'which the two have not seen').toEqual(conflict(/such a hit/));
    expect((await byPerson()).status).toBe(201);
    expect((await byKey()).status).toBe(201);
  });

  test('a case that they rejected, or that one person decided before the setting, clears nothing', async () => {
    const app = await makeStrict();
    const [ada, bola] = [await signedInAs(api, app, 'operator'), await signedInAs(api, app, 'operator')];
    const [rejected, alone] = [await screen(app), await screen(app)];
    await decide(app, rejected, 'reject', ada, bola);
    await api.service.sql`
      update reviews set state = 'decided', decision = 'approve', decided_by = ${ada.id}, decided_at = now() where job_id = ${parseId('job', alone)}`;
    for (const job of [rejected, alone])
      expect(refusalOf(await app.post(PATH, { job, ...listing, ...note }))).toEqual(conflict(/approve the review case/));
    expect((await list(app)).data).toEqual([]);
  });

  test('the entry must be as the job showed it, whatever version the request names', async () => {
    const app = await makeStrict();
    const before = listed('T.6', 'Tamunokuro Sotonye Ebiware');
    const shown = await labelOf(await putVersion(api.service, LIST, [before]));
    const job = await settleJob(app.live, { hits: [{ list: LIST, source_id: 'T.6', list_version: shown }] });
    await api.service.sql`
      insert into reviews (id, app_id, live, job_id, check_id, kind, state, proposal, proposed_by, decision, decided_by, decided_at)
      values (${newId()}, ${ownerOf(app.live).appId}, true, ${parseId('job', job)}, 'aml_screening', 'aml', 'decided', 'approve', 'per_1', 'approve', 'per_2', now())`;
    const current = await labelOf(await putVersion(api.service, LIST, [{ ...before, programs: ['MORE'] }]));
    const body = { job, list: LIST, source_id: 'T.6', ...note };
    for (const own of [{}, { list_version: current }])
      expect(refusalOf(await app.live.post(PATH, { ...body, ...own }))).toEqual(conflict(/screen again/));
  });
});

describe('where two people must decide about a new hit of a monitor', () => {
  test('it is cleared by the job of the monitor once they have decided its case again, and only as it was listed then', async () => {
    const app = await api.createApp({ settings: { reviews: { amlLevel: 'LOW', twoPerson: true } } });
    const { appId } = ownerOf(app.live);
    const entry = listed('T.5', person.name);
    const job = await settleScreening(api.service, { appId, live: true }, person);
    const rescreen = openRescreen(api.service, { lagMs: 0, overlapMs: 0 });
    await putVersion(api.service, LIST, [entry]);
    await rescreen();
    const clear = () => app.live.post(PATH, { job: showId('job', job), list: LIST, source_id: 'T.5', ...note });
    const agree = () => api.service.sql`
      update reviews set state = 'decided', decision = 'approve', proposed_by = 'per_1', decided_by = 'per_2', decided_at = now()
      where job_id = ${job} and state = 'open'`;
    expect((await clear()).body.error).toMatch(/approve the review case/);
    expect((await agree()).count).toBe(1);
    expect((await clear()).status).toBe(201);
    await putVersion(api.service, LIST, [{ ...entry, programs: ['MORE'] }]);
    expect((await clear()).body.error, 'changed since').toMatch(/such a hit/);
    await rescreen();
    expect((await clear()).body.error, 'opened again').toMatch(/approve the review case/);
    await agree();
    expect((await clear()).status).toBe(201);
  });
});

describe('a stored screening', () => {
  const SANCTIONED = { name: 'Gleb Voronetzky', date_of_birth: '1971-11-02', country: 'RU' };
  const HIT = { list: 'ofac_sdn', source_id: '9900002', ...note };
  type Screened = Entity & { id: string; result: Entity; cleared?: Entity };
  const COUNTS = { hits: [], all: false, risk_level: 'CRITICAL' };
  const CLEARED = { hits: [0], all: true, risk_level: 'LOW' };

  const screen = async (app: TestApp, input: Entity = SANCTIONED): Promise<Screened> =>
    app.ended<never>(`/api/v1/jobs/${(await app.job({ check: 'aml_screening', input })).body.entity.id}`);

  test('says which of its hits are cleared by now, and never changes', async () => {
    const app = await api.createApp();
    const before = await screen(app);
    expect(before.cleared).toEqual(COUNTS);
    const read = () => app.get<Screened>(`/api/v1/jobs/${before.id}`);
    const { headers } = await read();
    const made = await app.post<Clearance>(PATH, { job: before.id, ...HIT });
    expect(made.status, made.text).toBe(201);
    expect((await read()).body.entity).toEqual({ ...before, cleared: CLEARED });
    const unchanged = { 'If-None-Match': headers.get('etag')! };
    expect((await app.send('GET', `/api/v1/jobs/${before.id}`, { headers: unchanged })).status).toBe(200);
    const after = await screen(app);
    expect(after).toMatchObject({
      result: { risk_level: 'LOW', hits: [{ cleared: { clearance: made.body.entity.id } }] },
      cleared: CLEARED,
    });
    // What its result says is over.
    expect((await app.send('DELETE', `${PATH}/${made.body.entity.id}`)).status).toBe(200);
    expect((await app.get<Screened>(`/api/v1/jobs/${after.id}`)).body.entity).toEqual({ ...after, cleared: COUNTS });
    expect((await screen(app, { name: 'Nobody Whom Lists Know' })).cleared).toBeUndefined();
  });

  test('of a batch says so in its pages of rows, also to people, masked and in clear', async () => {
    const app = await api.createApp();
    const csv = `name,date_of_birth,country\n${'Gleb Voronetzky,1971-11-02,RU\n'.repeat(2)}Musa Danjumare Balarabewa,1968-03-14,NG\n`;
    const { id } = (await app.csv('checks=aml_screening', csv)).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const rows = async (client: Pick<Client, 'get'>) =>
      (await client.get<{ data: Screened[] }>(`/api/v1/batches/${id}/jobs`)).body.entity.data;
    const [gleb] = await rows(app);
    expect((await app.post(PATH, { job: gleb!.id, ...HIT, expires_at: new Date(Date.now() + 60_000).toISOString() })).status).toBe(201);
    const says = [CLEARED, CLEARED, { hits: [], all: false }];
    expect((await rows(app)).map(({ cleared }) => cleared)).toMatchObject(says);
    const { browser } = await signedInAs(api, app, 'operator');
    expect((await rows(browser)).map((row) => [row.masked, row.cleared])).toMatchObject(says.map((one) => [true, one]));
    expect((await browser.post<Screened>(`/api/v1/jobs/${gleb!.id}/reveal`, { purpose: 'review' })).body.entity.cleared).toEqual(CLEARED);
    await api.service.sql`update aml_clearances set expires_at = now() where app_id = ${parseId('app', app.app)}`;
    expect((await rows(app))[0]!.cleared).toEqual(COUNTS);
  });

  test('says that a hit counts if its clearance does not open, and that others do not', async () => {
    const { live } = await makeApp();
    const hit = (source_id: string, category: string) => ({ list: LIST, source_id, category, score: 0.9, ended_on: null, cleared: null });
    const hits = [hit('T.1', 'sanction'), hit('T.2', 'adverse_media')];
    const job = await settleJob(live, { total_hits: 2, screened_at: '2026-11-20T10:00:00.000Z', risk_level: 'CRITICAL', hits });
    const more = await settleJob(live, { total_hits: 102, screened_at: '2026-11-20T10:00:00.000Z', risk_level: 'CRITICAL', hits });
    // Only a job that was submitted can be read.
    await api.service.sql`update jobs set input = ${Buffer.from('x')} where app_id = ${parseId('app', live.app)}`;
    const says = async (id: string) => {
      const read = await live.get<Screened>(`/api/v1/jobs/${id}`);
      expect(read.status, read.text).toBe(200);
      return read.body.entity.cleared;
    };
    const { id } = (await clear(live, { job, name: undefined, date_of_birth: undefined, country: undefined })).body.entity;
    expect(await says(job)).toEqual({ hits: [0], all: false, risk_level: 'MEDIUM' });
    expect(await says(more)).toEqual({ hits: [0], all: false, risk_level: null });
    await api.service.sql`update aml_clearances set note = ${Buffer.from('x')} where id = ${parseId('clr', id)}`;
    expect(await says(job)).toMatchObject({ hits: [], risk_level: 'CRITICAL' });
  });
});

describe('the list', () => {
  test('is paged, newest first, and can be limited to one list or entry', async () => {
    const { live } = await makeApp();
    const made: string[] = [];
    for (const [i, source_id] of ['T.1', 'T.2', 'T.1'].entries())
      made.unshift((await clear(live, { source_id, name: `Person ${'ABC'[i]}` })).body.entity.id);
    const page = await list(live, '?limit=2');
    expect(page).toMatchObject({ data: [{ id: made[0] }, { id: made[1] }], has_more: true, next_cursor: made[1] });
    expect(await list(live, `?limit=2&cursor=${page.next_cursor}`)).toMatchObject({ data: [{ id: made[2] }], has_more: false });
    expect((await list(live, '?source_id=T.1')).data.map(({ id }) => id)).toEqual([made[0], made[2]]);
    expect((await list(live, `?list=${LIST}`)).data).toHaveLength(3);
    expect((await list(live, '?list=eu_fsf')).data).toEqual([]);
  });

  test('of a job are those of the person whom it screened', async () => {
    const { live } = await makeApp();
    const other = (await makeApp()).live;
    const job = await settleJob(live, { hits: [] });
    const mine = (await clear(live)).body.entity.id;
    await clear(live, { name: 'Somebody Else' });
    expect((await list(live, `?job=${job}`)).data.map(({ id }) => id)).toEqual([mine]);
    expect((await list(live, `?job=${job}&source_id=T.2`)).data).toEqual([]);
    for (const [client, id] of [
      [other, job],
      [live, showId('job', newId())],
      [live, 'job_x'],
    ] as const)
      expect((await list(client, `?job=${id}`)).data).toEqual([]);
  });
});

describe('what screenings read', () => {
  test('many people in one query, each match separately', async () => {
    const { live } = await makeApp();
    const { live: other } = await makeApp();
    await clear(live);
    await clear(other, { source_id: 'T.2' });
    const read = openClearances(api.service);
    const both = [matchOf(first), matchOf(second)];
    const answers = await Promise.all([
      read(requestOf(live, person, both)),
      read(requestOf(other, person, both)),
      read(requestOf(live, person, [])),
      read(requestOf(live, { ...person, country: 'GH' }, both)),
    ]);
    expect(answers.map((matches) => matches.map((match) => match !== null))).toEqual([[true, false], [false, true], [], [false, false]]);
  });

  test('a clearance that does not open clears nothing', async () => {
    const { live } = await makeApp();
    const { id } = (await clear(live)).body.entity;
    await api.service.sql`update aml_clearances set note = '\\x0102'::bytea where id = ${parseId('clr', id)}`;
    expect(await cleared(live)).toBeNull();
  });
});

describe('bad input', () => {
  test.each<[string, Entity, string]>([
    ['nobody', { name: undefined, date_of_birth: undefined, country: undefined }, 'name'],
    ['a person and a job', { job: 'job_x' }, 'name'],
    ['a name without letters', { name: '---' }, 'name'],
    ['a control character', { name: 'Ada\u0000' }, 'name'],
    ['a name that is not text', { name: 7 }, 'name'],
    ['a name of 5,000 characters', { name: 'a'.repeat(5_000) }, 'name'],
    ['a birth in the future', { date_of_birth: '2099-01-01' }, 'date_of_birth'],
    ['an unknown country', { country: 'XX' }, 'country'],
    ['no list', { list: undefined }, 'list'],
    ['no entry', { source_id: '' }, 'source_id'],
    ['no reason', { reason: undefined }, 'reason'],
    ['a blank reason', { reason: ' \n ' }, 'reason'],
    ['a reason too long', { reason: 'a'.repeat(1_001) }, 'reason'],
    ['no decider', { cleared_by: '' }, 'cleared_by'],
    ['a NUL in the decider', { cleared_by: 'A\u0000' }, 'cleared_by'],
    ['a time in the past', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    ['an invalid time', { expires_at: 'tomorrow' }, 'expires_at'],
    ['an unknown member', { until: '2030-01-01' }, 'until'],
  ])('%s is refused and named', async (_what, body, path) => {
    const { live } = await makeApp();
    const answer = await clear(live, body);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body).toMatchObject({ code: 'invalid_request', details: expect.arrayContaining([expect.objectContaining({ path })]) });
    expect((await list(live)).data).toEqual([]);
  });

  test('what does not exist is 404, saying what is missing', async () => {
    const { live } = await makeApp();
    const unknown: [Entity, RegExp][] = [
      [{ source_id: 'T.404' }, /entry/],
      [{ list: 'no_such_list' }, /entry/],
    ];
    for (const [body, sentence] of unknown) {
      const answer = await clear(live, body);
      expect(answer.status, answer.text).toBe(404);
      expect(answer.body).toMatchObject({ code: 'resource_not_found', error: expect.stringMatching(sentence) });
    }
    const rest = { list: LIST, source_id: 'T.1', ...note };
    for (const job of ['nonsense', 'job_00000000000000000000000000000000']) {
      const answer = await live.post(PATH, { ...rest, job });
      expect(answer.status, answer.text).toBe(404);
      expect(answer.body.error).toMatch(/screening/);
    }
    expect((await live.send('DELETE', `${PATH}/nonsense`)).status).toBe(404);
    expect((await live.get(`${PATH}?cursor=nonsense`)).status).toBe(400);
    expect((await live.get(`${PATH}?limit=0`)).status).toBe(400);
    expect((await live.send('POST', PATH, { body: '{}' })).status).toBe(415);
    expect((await live.send('PUT', PATH)).status).toBe(405);
  });
});
