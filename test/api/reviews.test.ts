/** Review cases: which results open one, that none is lost or told twice, and who may decide. */
import { beforeAll, describe, expect, test } from 'vitest';
import { changeRole, disablePerson, removeMember } from '../../src/access/people/accounts.ts';
import { newId, parseId } from '../../src/foundation/ids.ts';
import { announceReviews } from '../../src/reviews/opening.ts';
import { reviewOf } from '../../src/reviews/rules.ts';
import type { AppSettings } from '../../src/schema/apps.ts';
import { type Client, type Entity, type TestApp, useApi } from '../setup/api.ts';
import { signedInAs } from '../setup/browser.ts';
import { waitFor } from '../setup/database.ts';
import { hitOf, screeningOf } from '../setup/screening.ts';

const api = useApi({ CONFAM_TRUSTED_PROXIES: '127.0.0.1' });
const sql = () => api.service.sql;
const SANCTIONED = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14', country: 'NG' };
const CLEAR = { name: 'Morenike Precious Durojaiye', date_of_birth: '1991-04-17', country: 'NG' };
const HIGH: AppSettings = { reviews: { amlLevel: 'HIGH' } };

interface Review {
  id: string;
  kind: string;
  state: string;
  check: string;
  job: string;
  assignee: string | null;
  proposal: string | null;
  decision: string | null;
  decided_by: string | null;
  escalated_by: string | null;
  names: Record<string, string>;
  summary: { aml: { risk_level: string; hits: { list: string }[] } | null } | null;
  notes: { actor: string; decision: string | null; text: string }[];
}

const REVIEWS = '/api/v1/reviews';
const list = async (by: Pick<Client, 'get'>, query = ''): Promise<Review[]> =>
  (await by.get<{ data: Review[] }>(`${REVIEWS}${query}`)).body.entity.data;
const csvOf = (people: { name: string; date_of_birth: string; country: string }[]) =>
  `name,date_of_birth,country\n${people.map((one) => `${one.name},${one.date_of_birth},${one.country}`).join('\n')}\n`;
const decide = (by: Pick<Client, 'post'>, id: string, decision: string, reason = 'Seen in person') =>
  by.post<Review>(`${REVIEWS}/${id}/decide`, { decision, reason });
const eventsOf = async ({ app }: TestApp, type: string) =>
  (await sql()<{ data: Entity }[]>`select data from events where app_id = ${parseId('app', app)} and type = ${type}`).map(
    ({ data }) => data,
  );

/** A job of the app whose result needs a review. */
async function reviewed(app: TestApp): Promise<Review> {
  const job = (await app.job({ check: 'aml_screening', input: SANCTIONED })).body.entity;
  await app.ended(`/api/v1/jobs/${job.id}`);
  return (await list(app, `?job=${job.id}`))[0]!;
}

describe('rules', () => {
  const face = (own: Entity) => ({
    ...{ confidence_score: 95, threshold: 90, replay_suspected: false, liveness: { decision: 'live' }, ...own },
  });
  const all: AppSettings = { reviews: { face: true, liveness: true, amlLevel: 'MEDIUM' } };
  test.each<[string, AppSettings, Entity | null, string | null]>([
    ['a match', all, face({}), null],
    ['a doubtful face', all, face({ confidence_score: 70 }), 'face'],
    ['a doubtful face of a NIN', all, { ...face({ selfie_verification: { confidence_value: 70 } }), confidence_score: undefined }, 'face'],
    ['a suspected replay', all, face({ replay_suspected: true }), 'face'],
    ['another face', all, face({ confidence_score: 20 }), null],
    ['liveness that could not be judged', all, face({ liveness: { decision: 'inconclusive' } }), 'liveness'],
    ['the same, where only faces count', { reviews: { face: true } }, face({ liveness: { decision: 'inconclusive' } }), null],
    ['hits', all, screeningOf([hitOf()]), 'aml'],
    ['no hits', all, screeningOf([]), null],
    ['hits below the level', { reviews: { amlLevel: 'CRITICAL' } }, { ...screeningOf([hitOf()]), risk_level: 'HIGH' }, null],
    ['hits that are all cleared', { reviews: { amlLevel: 'LOW' } }, screeningOf([hitOf({ cleared: {} as never })]), null],
    ['anything without the setting', {}, screeningOf([hitOf()]), null],
    ['another check', all, { bvn: '1' }, null],
    ['nothing found', all, null, null],
  ])('%s', (_, settings, entity, kind) => {
    expect(reviewOf(settings, entity)).toBe(kind);
  });
});

describe('opening', () => {
  test('a case is there as soon as its call, job or row has ended, once for each, and nobody else sees it', async () => {
    const [app, other] = [await api.createApp({ naira: 100_000, settings: HIGH }), await api.createApp({ naira: 1_000 })];
    expect((await app.post('/api/v1/aml/screening', SANCTIONED)).status).toBe(200);
    expect((await app.post('/api/v1/aml/screening', CLEAR)).status).toBe(200);
    expect((await other.post('/api/v1/aml/screening', SANCTIONED)).status).toBe(200);
    const ofCall = await list(app);
    expect(ofCall).toMatchObject([{ kind: 'aml', state: 'open', check: 'aml_screening', assignee: null, decision: null }]);
    const ofJob = await reviewed(app);
    const rows = Array.from({ length: 600 }, (_, i) => (i % 2 ? SANCTIONED : CLEAR));
    // Different birth years, so that no row is another's duplicate.
    const people = rows.map((one, i) => ({ ...one, date_of_birth: `19${60 + (i % 20)}-0${1 + (i % 9)}-${10 + (i % 18)}` }));
    const submitted = await app.csv('checks=aml_screening', csvOf(people));
    expect(submitted.status, submitted.text).toBe(202);
    const batch = submitted.body.entity;
    const ended = await app.ended<typeof batch>(`/api/v1/batches/${batch.id}`);
    const [hits] = await sql()<{ n: number }[]>`
      select count(*)::int as n from jobs j where batch_id = ${parseId('bat', batch.id)} and exists (select 1 from reviews r where r.job_id = j.id)`;
    const { text } = await app.get(`/api/v1/batches/${ended.id}/results?format=jsonl`);
    const answers = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).checks.aml_screening as Entity);
    // A duplicate has no case of its own.
    const risky = answers.filter((one) => !one.duplicate_of && /"risk_level":"(HIGH|CRITICAL)"/.test(JSON.stringify(one)));
    expect(risky.length).toBeGreaterThan(50);
    expect(hits!.n).toBe(risky.length);
    expect((await list(app, '?limit=1000')).length).toBe(2 + hits!.n);
    expect(await list(other)).toEqual([]);
    expect((await other.get(`${REVIEWS}/${ofJob.id}`)).status).toBe(404);
    expect((await app.live.get(`${REVIEWS}/${ofJob.id}`)).status).toBe(404);
    const page = await app.get<{ data: Review[]; next_cursor: string }>(`${REVIEWS}?limit=2&kind=aml&state=open&assignee=none`);
    const next = await list(app, `?limit=1&cursor=${page.body.entity.next_cursor}`);
    expect(next[0]!.id < page.body.entity.data[1]!.id).toBe(true);
    expect(await list(app, '?kind=face')).toEqual([]);
    expect((await app.get<{ reviews: Entity }>('/api/v1/overview')).body.entity.reviews).toMatchObject({ mine: 0 });
  });

  test('a case shows no personal data but its notes; the summary has no names', async () => {
    const app = await api.createApp({ naira: 1_000, settings: HIGH });
    const { id } = await reviewed(app);
    const { body, text } = await app.get<Review>(`${REVIEWS}/${id}`);
    expect(body.entity.summary!.aml).toMatchObject({ risk_level: 'CRITICAL', hits: [{ category: 'sanction', cleared: false }] });
    expect(text).not.toMatch(/Musa|Balarabewa|1968/i);
    const [row] = await sql()`select r::text from reviews r where id = ${parseId('rev', id)}`;
    expect(JSON.stringify(row)).not.toMatch(/Musa|Balarabewa|1968/i);
  });

  test('a case says which row it is about and how high the risk is; its webhook does not', async () => {
    const app = await api.createApp({ naira: 1_000, settings: HIGH });
    await app.post('/api/v1/webhooks/endpoints', { url: 'https://hooks.example/in' });
    const rows = `customer,name,date_of_birth,country\n${[CLEAR, SANCTIONED].map((one, at) => `c-${at},${Object.values(one).join(',')}`).join('\n')}\n`;
    const { id } = (await app.csv(`checks=aml_screening&mapping=${encodeURIComponent('{"reference":"customer"}')}`, rows)).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const about = { reference: 'c-1', batch: id, row: 2, risk_level: 'CRITICAL' };
    const [review] = await list(app);
    expect(review).toMatchObject(about);
    const single = await reviewed(app);
    expect(single).toMatchObject({ reference: null, batch: null, row: null, risk_level: 'CRITICAL' });
    expect((await decide(app, review!.id, 'approve')).body.entity).toMatchObject(about);
    const [told] = await eventsOf(app, 'review.decided');
    for (const name of Object.keys(about)) expect(told).not.toHaveProperty(name);
  });

  test('a process that dies before it tells the app loses nothing: others do, once, to those who asked for it', async () => {
    const app = await api.createApp({ naira: 1_000, settings: HIGH });
    const endpoint = (events: string[]) => app.post('/api/v1/webhooks/endpoints', { url: 'https://hooks.example/in', events });
    expect((await endpoint(['review.opened', 'review.decided'])).status).toBe(201);
    const review = await reviewed(app);
    await waitFor('the event', async () => (await eventsOf(app, 'review.opened')).length > 0);
    // As it is left by a process that settled the job and died.
    const left = Array.from({ length: 2_500 }, () => newId());
    await sql()`
      insert into reviews (id, app_id, live, job_id, check_id, kind)
      select id, ${parseId('app', app.app)}, false, gen_random_uuid(), 'aml_screening', 'aml' from unnest(${left}::uuid[]) id`;
    await Promise.all([announceReviews(api.service), announceReviews(api.service), announceReviews(api.service)]);
    await waitFor('all', async () => (await eventsOf(app, 'review.opened')).length === 2_501);
    const told = await eventsOf(app, 'review.opened');
    expect(new Set(told.map(({ id }) => id)).size).toBe(2_501);
    expect(told.find(({ id }) => id === review.id)).toMatchObject({ object: 'review', state: 'open', job: review.job });
    expect(JSON.stringify(told)).not.toMatch(/Musa/);
  });
});

describe('deciding', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await api.createApp({ naira: 10_000, settings: HIGH });
    await app.post('/api/v1/webhooks/endpoints', { url: 'https://hooks.example/in' });
  });

  test('assign, comment, decide with a reason; a decision stands, and is told once', async () => {
    const ada = await signedInAs(api, app, 'operator');
    const stranger = await signedInAs(api, await api.createApp(), 'operator');
    const { id } = await reviewed(app);
    const assign = (assignee: string | null) => ada.browser.post<Review>(`${REVIEWS}/${id}/assign`, { assignee });
    expect((await assign('me')).body.entity.assignee).toBe(ada.id);
    expect((await list(ada.browser as never, '?assignee=me')).map((one) => one.id)).toEqual([id]);
    expect((await assign(stranger.id)).body.details[0]!.rule).toBe('unknown_person');
    expect((await ada.browser.post(`${REVIEWS}/${id}/comment`, { text: 'Musa was seen at the branch' })).status).toBe(200);
    expect((await ada.browser.post(`${REVIEWS}/${id}/comment`, { text: ' ' })).status).toBe(400);
    expect((await app.post(`${REVIEWS}/${id}/decide`, { decision: 'approve' })).status).toBe(400);
    const answers = await Promise.all([decide(ada.browser as never, id, 'approve'), decide(app, id, 'reject')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { body } = await app.get<Review>(`${REVIEWS}/${id}`);
    expect(body.entity.state).toBe('decided');
    expect(body.entity.notes.map(({ text }) => text)).toEqual(['Musa was seen at the branch', 'Seen in person']);
    expect((await eventsOf(app, 'review.decided')).filter((data) => data.id === id)).toHaveLength(1);
    // `review.opened` must be named.
    expect(await eventsOf(app, 'review.opened')).toEqual([]);
    const stored = await sql()<{ note: Buffer }[]>`select note from review_notes`;
    expect(stored.some(({ note }) => note.toString('latin1').includes('Musa'))).toBe(false);
    const audit = await sql()<{ action: string; detail: string | null }[]>`
      select action, detail from audit_entries where object = ${id} and outcome = 'allowed' order by seq`;
    expect(audit.map(({ action }) => action)).toEqual(['review.assign', 'review.comment', 'review.decide', 'review.read']);
    expect(JSON.stringify(audit)).not.toMatch(/Musa|Seen/);
  });

  test('a case that is deleted while somebody works on it is not there, rather than a fault', async () => {
    const app = await api.createApp({ naira: 1_000, settings: HIGH });
    const { id } = await reviewed(app);
    let asked!: ReturnType<typeof app.post>[];
    await api.service.sql.begin(async (tx) => {
      await tx`delete from reviews where id = ${parseId('rev', id)}`;
      asked = [
        app.post(`/api/v1/reviews/${id}/assign`, { assignee: 'me' }),
        app.post(`/api/v1/reviews/${id}/comment`, { text: 'x' }),
        app.post(`/api/v1/reviews/${id}/decide`, { decision: 'approve', reason: 'x' }),
      ];
      await waitFor('the requests to wait', async () => (await api.service.sql`select 1 from pg_locks where not granted`).length > 0);
    });
    for (const { status, body } of await Promise.all(asked)) expect([status, body.code]).toEqual([404, 'resource_not_found']);
  });

  test('only people who may review are assigned, and only to a case that is not decided', async () => {
    const [ada, viewer] = [await signedInAs(api, app, 'operator'), await signedInAs(api, app, 'viewer')];
    const disabled = await signedInAs(api, app, 'operator');
    await disablePerson(api.service, parseId('per', disabled.id)!);
    const { id } = await reviewed(app);
    const assign = (assignee: string | null) => ada.browser.post<Review>(`${REVIEWS}/${id}/assign`, { assignee });
    for (const who of [viewer, disabled]) {
      const refused = await assign(who.id);
      expect([refused.status, refused.body.details[0]!.rule]).toEqual([400, 'unknown_person']);
    }
    expect((await assign(ada.id)).body.entity.assignee).toBe(ada.id);
    await decide(app, id, 'approve');
    for (const who of ['me', null]) {
      const refused = await assign(who);
      expect([refused.status, refused.body.error]).toEqual([409, 'The case has already been decided']);
    }
    expect((await app.get<Review>(`${REVIEWS}/${id}`)).body.entity.assignee).toBe(ada.id);
  });

  test.each<[string, (appId: string, personId: string) => Promise<unknown>]>([
    ['removed', (appId, personId) => removeMember(api.service, { appId, personId })],
    ['demoted', (appId, personId) => changeRole(api.service, { appId, personId, role: 'viewer' })],
    ['disabled', (_, personId) => disablePerson(api.service, personId)],
  ])('the undecided cases of somebody who was %s are assigned to nobody, and the audit has it', async (_, end) => {
    const [ada, bola] = [await signedInAs(api, app, 'operator'), await signedInAs(api, app, 'operator')];
    const [open, decided, other] = [await reviewed(app), await reviewed(app), await reviewed(app)];
    for (const { id } of [open, decided]) await ada.browser.post(`${REVIEWS}/${id}/assign`, { assignee: 'me' });
    await bola.browser.post(`${REVIEWS}/${other.id}/assign`, { assignee: 'me' });
    await decide(ada.browser as never, decided.id, 'approve');
    await end(parseId('app', app.app)!, parseId('per', ada.id)!);
    const now = new Map((await list(app, '?limit=100')).map(({ id, assignee }) => [id, assignee]));
    expect([open, decided, other].map(({ id }) => now.get(id))).toEqual([null, ada.id, bola.id]);
    expect((await list(app, '?assignee=none&limit=100')).map(({ id }) => id)).toContain(open.id);
    const trail = await sql()<{ detail: string }[]>`
      select detail from audit_entries where object = ${open.id} and action = 'review.assign' order by seq`;
    expect(trail.map(({ detail }) => JSON.parse(detail))).toEqual([{ assignee: ada.id }, { assignee: null }]);
  });

  test('a person who is promoted keeps their cases', async () => {
    const ada = await signedInAs(api, app, 'operator');
    const { id } = await reviewed(app);
    await ada.browser.post(`${REVIEWS}/${id}/assign`, { assignee: 'me' });
    await changeRole(api.service, { appId: parseId('app', app.app)!, personId: parseId('per', ada.id)!, role: 'approver' });
    expect((await list(app, `?assignee=${ada.id}`)).map((one) => one.id)).toEqual([id]);
  });

  test('roles and keys without the scope may not decide', async () => {
    const viewer = await signedInAs(api, app, 'viewer');
    const { id } = await reviewed(app);
    expect((await decide(viewer.browser as never, id, 'approve')).status).toBe(403);
    expect((await list(viewer.browser as never)).length).toBeGreaterThan(0);
    const key = (await app.post<{ key: string }>('/api/v1/keys', { scopes: ['results:read'] })).body.entity.key;
    expect((await app.post(`${REVIEWS}/${id}/decide`, { decision: 'approve', reason: 'x' }, { Authorization: key })).status).toBe(403);
  });

  test('escalated, a case is for somebody else', async () => {
    const [ada, bola] = [await signedInAs(api, app, 'operator'), await signedInAs(api, app, 'operator')];
    const { id } = await reviewed(app);
    expect((await decide(ada.browser as never, id, 'escalate')).body.entity).toMatchObject({ state: 'escalated', escalated_by: ada.id });
    expect((await decide(ada.browser as never, id, 'approve')).status).toBe(409);
    expect((await decide(bola.browser as never, id, 'reject')).body.entity).toMatchObject({
      state: 'decided',
      decision: 'reject',
      decided_by: bola.id,
    });
    const names = { [ada.id]: 'Ada Obi', [bola.id]: 'Ada Obi' };
    expect((await app.get<Review>(`${REVIEWS}/${id}`)).body.entity.names).toEqual(names);
    expect((await list(app)).find((one) => one.id === id)!.names).toEqual(names);
    for (const event of await eventsOf(app, 'review.decided')) expect(event).not.toHaveProperty('names');
  });

  test('with two people, another person must agree; if not, it is escalated', async () => {
    const two = await api.createApp({ naira: 10_000, settings: { reviews: { amlLevel: 'HIGH', twoPerson: true } } });
    const [ada, bola] = [await signedInAs(api, two, 'operator'), await signedInAs(api, two, 'operator')];
    const [agreed, disputed] = [await reviewed(two), await reviewed(two)];
    expect((await decide(two, agreed.id, 'approve')).status).toBe(403);
    expect((await decide(ada.browser as never, agreed.id, 'approve')).body.entity).toMatchObject({
      state: 'seconding',
      proposal: 'approve',
      decision: null,
    });
    expect((await decide(ada.browser as never, agreed.id, 'approve')).status).toBe(409);
    expect((await decide(bola.browser as never, agreed.id, 'approve')).body.entity).toMatchObject({
      state: 'decided',
      decision: 'approve',
    });
    await decide(ada.browser as never, disputed.id, 'approve');
    expect((await decide(bola.browser as never, disputed.id, 'reject')).body.entity).toMatchObject({
      state: 'escalated',
      decision: null,
      proposal: null,
    });
    // The two alone cannot settle it: a third proposes, and Bola, who escalated it, does not agree either.
    const decided = (who: { browser: unknown }, decision: string) => decide(who.browser as never, disputed.id, decision);
    for (const who of [ada, bola])
      for (const decision of ['approve', 'reject', 'escalate']) expect((await decided(who, decision)).status).toBe(409);
    const chi = await signedInAs(api, two, 'operator');
    expect((await decided(chi, 'approve')).body.entity).toMatchObject({ state: 'seconding', proposed_by: chi.id });
    for (const who of [bola, chi]) expect((await decided(who, 'approve')).status).toBe(409);
    expect((await decided(ada, 'approve')).body.entity).toMatchObject({ state: 'decided', decision: 'approve', decided_by: ada.id });
  });

  test('somebody who escalated a case does not decide it after a second escalation', async () => {
    const two = await api.createApp({ naira: 10_000, settings: { reviews: { amlLevel: 'HIGH', twoPerson: true } } });
    const [ada, bola, chi] = [
      await signedInAs(api, two, 'operator'),
      await signedInAs(api, two, 'operator'),
      await signedInAs(api, two, 'operator'),
    ];
    const { id } = await reviewed(two);
    expect((await decide(ada.browser as never, id, 'escalate')).body.entity.state).toBe('escalated');
    expect((await decide(bola.browser as never, id, 'approve')).body.entity.state).toBe('seconding');
    // Whoever proposed may still pass it on.
    expect((await decide(bola.browser as never, id, 'escalate')).body.entity).toMatchObject({ state: 'escalated', escalated_by: bola.id });
    for (const { browser } of [ada, bola]) expect((await decide(browser as never, id, 'approve')).status).toBe(409);
    expect((await decide(chi.browser as never, id, 'approve')).body.entity.state).toBe('seconding');
    expect((await decide(bola.browser as never, id, 'approve')).status).toBe(409);
    expect((await decide(ada.browser as never, id, 'approve')).body.entity.state).toBe('decided');
  });
});
