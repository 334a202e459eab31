/** What people see of jobs: masked values, and in clear only for a purpose that is recorded. Keys see what they always have. */
import { beforeAll, describe, expect, test } from 'vitest';
import { revealsOf } from '../../src/api/kept-items.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { type Entity, type JobEntity, openClient, type TestApp, useApi } from '../setup/api.ts';
import { type Browser, signedInAs } from '../setup/browser.ts';
import { waitFor } from '../setup/database.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi({ CONFAM_FACE_MODELS: '/nowhere' });
type Shown = JobEntity & { submitted?: Entity; masked?: boolean };
let app: TestApp;
let viewer: Browser;
let operator: Browser;
let person: string;

beforeAll(async () => {
  app = await api.createApp();
  viewer = (await signedInAs(api, app, 'viewer')).browser;
  ({ browser: operator, id: person } = await signedInAs(api, app, 'operator'));
});

async function answered(check: string, input: Entity, of = app): Promise<JobEntity> {
  const { body } = await of.job({ check, input });
  expect(body.entity?.id, JSON.stringify(body)).toMatch(/^job_/);
  return of.ended<JobEntity>(`/api/v1/jobs/${body.entity.id}`);
}

/** Every text in an answer, with its path. */
function texts(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => texts(member, `${path}.${name}`));
}
const shape = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(shape)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shape(member)]))
      : null;

const NIN = freshNin();
const BVN = '22123456789';
const CHECKS: [string, Entity][] = [
  ['nin_premium', { nin: NIN }],
  ['bvn_advance', { bvn: BVN }],
  ['bvn_match', { bvn: BVN, first_name: 'Amina', last_name: 'Okafor' }],
  ['cac_advance', { rc_number: 'RC1432074' }],
  ['aml_screening', { name: 'Músá Danjumare Bàlárábẹwà', date_of_birth: '1968-03-14', country: 'NG' }],
  ['email_risk', { email: 'ada.obi@example.com' }],
];

describe('a person sees a job masked', () => {
  test.each(CHECKS)('%s: its shape, and no value that tells who it is', async (check, input) => {
    const clear = await answered(check, input);
    const { body, status } = await viewer.get<Shown>(`/api/v1/jobs/${clear.id}`);
    expect(status).toBe(200);
    const seen = body.entity;
    expect(seen).toMatchObject({ id: clear.id, status: clear.status, outcome: clear.outcome, masked: true });
    expect(shape(seen.result)).toEqual(shape(clear.result));
    const missing = (result: unknown) => JSON.stringify(result).split('null').length;
    expect(missing(seen.result), 'what is hidden is not said to be missing').toBe(missing(clear.result));
    expect(Object.keys(seen.submitted!).sort()).toEqual(Object.keys(input).sort());
    // Words of fixed lists, and the time of a screening, say nothing about a person, and are the only values that stay.
    const isPlain = (path: string) =>
      /\.(status|decision|verdict|risk_level|level|gender|category|type|company_type|result|method|version|screened_at)$/.test(path);
    const known = new Set(
      texts({ result: clear.result, input }).flatMap(([path, text]) => (isPlain(path) || text.length < 2 ? [] : [text])),
    );
    for (const [path, text] of texts({ result: seen.result, submitted: seen.submitted }))
      if (!isPlain(path)) expect(known.has(text), `${path}: ${text}`).toBe(false);
  });

  test('numbers keep three characters, names their first letters, dates their year, images that there is one', async () => {
    const clear = await answered('nin_premium', { nin: NIN });
    const found = clear.result as Record<string, string>;
    const { result, submitted } = (await viewer.get<Shown>(`/api/v1/jobs/${clear.id}`)).body.entity;
    expect(result).toMatchObject({
      nin: `•••${NIN.slice(-3)}`,
      firstname: `${found.firstname![0]}•••`,
      surname: `${found.surname![0]}•••`,
      birthdate: `${found.birthdate!.slice(0, 4)}-••-••`,
      telephoneno: `•••${found.telephoneno!.slice(-3)}`,
      gender: found.gender,
      photo: '••• (a picture)',
      signature: '••• (a picture)',
      residence_address_line_1: '•••',
    });
    expect(submitted).toEqual({ nin: `•••${NIN.slice(-3)}` });
  });

  test('rows of a batch too; files and pictures stay closed to a viewer, and a key sees everything', async () => {
    const [one, other] = [freshNin(), freshNin()];
    const { id } = (await app.csv('checks=nin_basic', `nin,reference\n${one},a-1\n${other},a-2\n`)).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const page = (await viewer.get<{ data: Shown[] }>(`/api/v1/batches/${id}/jobs`)).body.entity.data;
    expect(page.map(({ masked, submitted }) => [masked, submitted])).toEqual([
      [true, { nin: `•••${one.slice(-3)}` }],
      [true, { nin: `•••${other.slice(-3)}` }],
    ]);
    expect(page[0]!.result!.nin).toBe(`•••${one.slice(-3)}`);
    const job = page[0]!.id;
    for (const path of [
      `/api/v1/batches/${id}/results`,
      `/api/v1/batches/${id}/errors`,
      `/api/v1/jobs/${job}/images/selfie`,
      `/api/v1/jobs/${job}/report`,
    ])
      expect((await viewer.get(path)).status, path).toBe(403);
    expect((await viewer.post(`/api/v1/jobs/${job}/reveal`, { purpose: 'review' })).status).toBe(403);
    const byKey = (await app.get<Shown>(`/api/v1/jobs/${job}`)).body.entity;
    expect(byKey.result!.nin).toBe(one);
    expect('masked' in byKey || 'submitted' in byKey).toBe(false);
  });
});

describe('to see it in clear', () => {
  test('needs a purpose, and leaves who, why and whom', async () => {
    const clear = await answered('nin_advance', { nin: NIN });
    const path = `/api/v1/jobs/${clear.id}/reveal`;
    expect((await operator.post(path, { reason: 'because' })).status).toBe(400);
    expect((await operator.post(path, { purpose: 'curiosity' })).status).toBe(400);
    const shown = await operator.post<Shown>(path, { purpose: 'complaint', reason: 'Amina says that the name is wrong' });
    expect(shown.status, shown.text).toBe(200);
    expect(shown.body.entity).toMatchObject({ result: clear.result, submitted: { nin: NIN }, masked: false });
    const [entry] = (await api.admin.get<{ data: Entity[] }>(`/api/v1/admin/audit?object=${clear.id}&action=job.reveal`)).body.entity.data;
    expect(entry).toMatchObject({
      actor: { kind: 'person', id: person },
      purpose: 'complaint',
      subject: expect.stringMatching(/^[0-9a-f]+$/),
    });
    expect(JSON.stringify(entry)).not.toContain('Amina');
    const [row] = await api.service.sql`select reason from reveals where job_id = ${parseId('job', clear.id)}`;
    expect(String(row!.reason)).not.toContain('Amina');
    const listed = await app.get<{ data: Entity[] }>(`/api/v1/jobs/${clear.id}/reveals`);
    expect(listed.body.entity.data).toMatchObject([
      { actor: { kind: 'person', id: person }, purpose: 'complaint', reason: 'Amina says that the name is wrong' },
    ]);
    expect((await operator.get(`/api/v1/jobs/${clear.id}/reveals`)).status).toBe(403);
    // More looks than a page has hide none.
    await api.service.sql`
      insert into reveals (id, app_id, live, job_id, actor_kind, actor_id, purpose)
      select gen_random_uuid(), app_id, live, job_id, actor_kind, actor_id, purpose from reveals, generate_series(1, 249)
      where job_id = ${parseId('job', clear.id)}`;
    const ids = new Set<unknown>();
    for (let cursor = '', pages = 0; cursor !== '' || pages === 0; pages++) {
      const page = await app.get<{ data: Entity[]; next_cursor: string | null }>(`/api/v1/jobs/${clear.id}/reveals?cursor=${cursor}`);
      for (const { id } of page.body.entity.data) ids.add(id);
      cursor = page.body.entity.next_cursor ?? '';
    }
    expect(ids.size).toBe(250);
    expect(await revealsOf(api.service, parseId('job', clear.id)!)).toHaveLength(250);
  });

  test('needs a reason if the app demands one, and an approval for that job if it demands that', async () => {
    const strict = await api.createApp({ settings: { revealNeedsReason: true, approveReveal: true } });
    const [asker, approver] = [(await signedInAs(api, strict, 'operator')).browser, (await signedInAs(api, strict, 'approver')).browser];
    const [one, other] = [
      await answered('nin_basic', { nin: freshNin() }, strict),
      await answered('nin_basic', { nin: freshNin() }, strict),
    ];
    const reveal = (id: string, reason?: string) =>
      asker.post<Shown & { status: string }>(`/api/v1/jobs/${id}/reveal`, { purpose: 'fraud', ...(reason && { reason }) });
    const bare = await reveal(one.id);
    expect([bare.status, bare.body.details[0]!.path]).toEqual([400, 'reason']);
    const asked = await reveal(one.id, 'a complaint came in');
    expect([asked.status, asked.body.entity.status]).toEqual([202, 'pending_approval']);
    expect(asked.text).not.toContain(one.result!.nin as string);
    const seen = await approver.get<{ reason: string; target: string }>(`/api/v1/approvals/${asked.body.entity.id}`);
    expect(seen.body.entity).toMatchObject({ reason: 'a complaint came in', target: one.id });
    for (const [role, reason] of [
      ['viewer', null],
      ['operator', null],
      ['approver', 'a complaint came in'],
      ['owner', 'a complaint came in'],
    ] as const) {
      const { browser } = await signedInAs(api, strict, role);
      expect((await browser.get<Entity>(`/api/v1/approvals/${asked.body.entity.id}`)).body.entity.reason, role).toBe(reason);
      expect((await browser.get<{ data: Entity[] }>('/api/v1/approvals?action=reveal')).body.entity.data[0]!.reason, role).toBe(reason);
    }
    const { key } = (await strict.post<{ key: string }>('/api/v1/keys', { scopes: ['results:read'] })).body.entity;
    const reader = openClient(api.url, strict.app, key);
    expect((await reader.get<Entity>(`/api/v1/approvals/${asked.body.entity.id}`)).body.entity.reason).toBeNull();
    expect((await asker.get<Entity>(`/api/v1/approvals/${asked.body.entity.id}`)).body.entity.reason).toBe('a complaint came in');
    await approver.post(`/api/v1/approvals/${asked.body.entity.id}/approve`);
    expect((await reveal(one.id, 'a complaint came in')).body.entity.result).toEqual(one.result);
    // An approval is for the purpose that was asked for, and the reason that was approved is the one that is kept.
    const elsewhere = await asker.post(`/api/v1/jobs/${one.id}/reveal`, { purpose: 'onboarding', reason: 'a complaint came in' });
    expect(elsewhere.status).toBe(202);
    expect((await reveal(one.id, 'something else')).status).toBe(200);
    const kept = (await strict.get<{ data: Entity[] }>(`/api/v1/jobs/${one.id}/reveals`)).body.entity.data;
    expect(kept).toMatchObject([
      { purpose: 'fraud', reason: 'a complaint came in' },
      { purpose: 'fraud', reason: 'a complaint came in' },
    ]);
    expect((await reveal(other.id, 'out of curiosity')).status).toBe(202);
    expect((await approver.post(`/api/v1/jobs/${one.id}/reveal`, { purpose: 'fraud', reason: 'mine' })).status).toBe(202);
    expect((await strict.get<Shown>(`/api/v1/jobs/${one.id}`)).body.entity.result).toEqual(one.result);
  });

  test('with a reason that the app demands opens the report for an hour; without one it stays closed', async () => {
    const strict = await api.createApp({ settings: { revealNeedsReason: true } });
    const [mine, other] = [(await signedInAs(api, strict, 'operator')).browser, (await signedInAs(api, strict, 'operator')).browser];
    const { id } = await answered('aml_screening', { name: 'Morenike Precious Durojaiye' }, strict);
    const path = `/api/v1/jobs/${id}`;
    for (const file of ['report', 'images/selfie']) {
      const { status, body } = await mine.get(`${path}/${file}`);
      expect([file, status, body.error]).toEqual([file, 403, expect.stringContaining('requires a reason')]);
    }
    await mine.post(`${path}/reveal`, { purpose: 'fraud', reason: 'a complaint came in' });
    expect((await mine.get(`${path}/report`)).status).toBe(200);
    expect((await other.get(`${path}/report`)).status).toBe(403);
    expect((await strict.get(`${path}/report`)).status).toBe(200);
    await api.service.sql`update reveals set at = now() - interval '61 minutes' where job_id = ${parseId('job', id)!}`;
    expect((await mine.get(`${path}/report`)).status).toBe(403);
  });

  test.each([
    ['a reason', { revealNeedsReason: true }],
    ['an approval', { approveReveal: true }],
  ])('where the app demands %s, people see monitors masked too, until they have it for the monitor’s job', async (_what, settings) => {
    const strict = await api.createApp({ settings });
    const [mine, approver] = [(await signedInAs(api, strict, 'operator')).browser, (await signedInAs(api, strict, 'approver')).browser];
    // The sandbox finds a hit for them a second after the monitor has begun (docs/sandbox.md).
    const details = { name: 'Tanimuwa Garbale Kwarkwasiyu', date_of_birth: '1988-11-05', country: 'NG' };
    const { id } = await answered('aml_screening', { ...details, monitor: true }, strict);
    type Monitor = Entity & { id: string; hits: number; matches: { name: string; at: string; category: string }[] };
    const PATH = '/api/v1/aml/monitors';
    const listed = async (by: Pick<Browser, 'get'>) => (await by.get<{ data: Monitor[] }>(PATH)).body.entity.data;
    const [clear] = await waitFor('the hit of the sandbox', async () => {
      const monitors = await listed(strict as unknown as Browser);
      return monitors[0]!.hits > 0 && monitors;
    });
    expect(clear).toMatchObject({ ...details, job: id });
    expect(clear).not.toHaveProperty('masked');
    const hidden = { name: 'T••• G••• K•••', date_of_birth: '1988-••-••', country: '•••', masked: true };
    expect(await listed(mine)).toMatchObject([{ ...hidden, id: clear!.id, hits: clear!.hits, created_at: clear!.created_at }]);
    const whole = (await strict.get<Monitor>(`${PATH}/${clear!.id}`)).body.entity;
    const read = async (by: Browser) => (await by.get<Monitor>(`${PATH}/${clear!.id}`)).body.entity;
    const [hit] = whole.matches;
    const [seen] = (await read(mine)).matches;
    expect(seen).toMatchObject({ at: hit!.at, category: hit!.category });
    expect(seen!.name).not.toBe(hit!.name);
    const reveal = () =>
      mine.post<{ id: string; object: string }>(`/api/v1/jobs/${id}/reveal`, { purpose: 'screening', reason: 'a new hit' });
    const asked = (await reveal()).body.entity;
    if (asked.object === 'approval') await approver.post(`/api/v1/approvals/${asked.id}/approve`);
    expect(await listed(mine)).toEqual([clear]);
    expect(await read(mine)).toEqual(whole);
    expect(await listed(approver)).toMatchObject([hidden]);
    await api.service.sql`update reveals set at = now() - interval '61 minutes' where job_id = ${parseId('job', id)!}`;
    await api.service.sql`update approvals set usable_until = now() - interval '1 second' where target = ${id}`;
    expect(await listed(mine)).toMatchObject([hidden]);
    const open = await api.createApp();
    await answered('aml_screening', { ...details, monitor: true }, open);
    expect(await listed((await signedInAs(api, open, 'operator')).browser)).toMatchObject([details]);
  });

  test('is never repeated from memory: an Idempotency-Key outlives no approval, and each look is recorded', async () => {
    const strict = await api.createApp({ settings: { approveReveal: true } });
    const [asker, approver] = [(await signedInAs(api, strict, 'operator')).browser, (await signedInAs(api, strict, 'approver')).browser];
    const { id } = await answered('nin_basic', { nin: freshNin() }, strict);
    const reveal = () => asker.post<{ id: string }>(`/api/v1/jobs/${id}/reveal`, { purpose: 'fraud' }, { 'Idempotency-Key': 'look-1' });
    const { body } = await reveal();
    await approver.post(`/api/v1/approvals/${body.entity.id}/approve`);
    for (let i = 0; i < 2; i++) expect((await reveal()).status).toBe(200);
    expect((await strict.get<{ data: unknown[] }>(`/api/v1/jobs/${id}/reveals`)).body.entity.data).toHaveLength(2);
    await api.service.sql`update approvals set usable_until = now() - interval '1 second' where target = ${id}`;
    expect((await reveal()).status).toBe(202);
  });
});
