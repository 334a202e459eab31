/** Screening of organizations over HTTP, and of a company with everybody on record with it, against the sandbox lists (docs/sandbox.md). */
import { beforeAll, describe, expect, test } from 'vitest';
import { readClearedNow } from '../../src/aml/cleared-now.ts';
import { personOf } from '../../src/checks/aml.ts';
import type { ScreenedCompany } from '../../src/checks/company-screening.ts';
import type { ScreeningEntity } from '../../src/checks/screening.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { type BatchEntity, type Client, type JobEntity, useApi } from '../setup/api.ts';
import { listsIndexed } from '../setup/screening.ts';

const ADVANCE = '/api/v1/kyc/cac/advance';
/** docs/sandbox.md: listed by name and number. */
const LISTED = '9900055';

const api = useApi();
beforeAll(() => listsIndexed(api.service));

interface Screened {
  company_name: string;
  directors: { id_number: string; screening: Partial<ScreeningEntity> | null }[];
  shareholders: { id_number: string; screening: Partial<ScreeningEntity> | null }[];
  beneficial_owners: { screening: Partial<ScreeningEntity> | null }[];
  secretary: { id_number: string; screening: Partial<ScreeningEntity> | null } | null;
  overall_risk: { risk_level: string; sanctions_match: boolean; total_hits: number; screened: number; not_screened: number };
  screening: ScreeningEntity;
}

describe('organizations', () => {
  test.each([
    ['another legal form', { name: 'Zurmatawa Agro Ventures Nig. Ltd', country: 'NG' }, 'ofac_sdn', '9900054'],
    ['a former name', { name: 'Kwaranguda Minerals Plc', country: 'NG' }, 'ofac_sdn', '9900054'],
    [
      'a number with another name',
      { name: 'Harvest Gate Limited', country: 'NG', registration_number: '99010477-0001' },
      'ofac_sdn',
      '9900054',
    ],
    ['an acronym and its country', { name: 'AQCF', country: 'JO' }, 'un_sc', 'SBe.9002'],
    ['Arabic', { name: 'مؤسسة القرافوة الخيرية', country: 'JO' }, 'un_sc', 'SBe.9002'],
  ])('%s', async (_tries, body, list, source_id) => {
    const app = await api.createApp();
    const { body: answer } = await app.post<ScreeningEntity>('/api/v1/aml/screening', { ...body, type: 'organization' });
    expect(answer).toMatchObject({ billed_amount: 120, entity: { sanctions_match: true } });
    expect(answer.entity.hits[0]).toMatchObject({ list, source_id, type: 'organization' });
  });

  test('are not compared with persons, nor persons with them, unless the request leaves the type open', async () => {
    const app = await api.createApp();
    const hits = async (body: object) => (await app.post<ScreeningEntity>('/api/v1/aml/screening', body)).body.entity.total_hits;
    const name = 'Zurmatawa Agro Ventures';
    expect([await hits({ name }), await hits({ name, type: 'company' }), await hits({ name, type: 'individual' })]).toEqual([1, 1, 0]);
    const person = 'Musa Danjumare Balarabewa';
    expect([await hits({ name: person }), await hits({ name: person, type: 'organization' })]).toEqual([1, 0]);
  });

  test.each([
    ['a date of birth', { type: 'organization', date_of_birth: '1990-01-01' }, 'date_of_birth'],
    ['a gender', { type: 'organization', gender: 'female' }, 'gender'],
    ['a registration number of a person', { type: 'person', registration_number: 'RC 1432074' }, 'registration_number'],
    [
      'a registration number beside a date of birth',
      { date_of_birth: '1990-01-01', registration_number: 'RC 1432074' },
      'registration_number',
    ],
    ['another type', { type: 'vessel' }, 'type'],
  ])('%s is refused, free of charge', async (_what, own, path) => {
    const app = await api.createApp();
    const answer = await app.post('/api/v1/aml/screening', { name: 'Zubandaro Mills', ...own });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'invalid_request', details: [{ path }] });
  });
});

describe('a cleared organization', () => {
  const named = { name: 'Coral Stone Packaging Nigeria Limited', type: 'organization', country: 'NG' };
  const entry = { list: 'ofac_sdn', source_id: '9900053' };
  const screen = async (app: Client, own: object = {}) =>
    (await app.post<ScreeningEntity>('/api/v1/aml/screening', { ...named, ...own })).body.entity;
  const clear = async (app: Client, own: object) => {
    const made = await app.post<{ id: string }>('/api/v1/aml/clearances', { ...named, ...own, ...entry, reason: 'r', cleared_by: 'c' });
    expect(made.status, made.text).toBe(201);
    return made.body.entity.id;
  };

  test('is the one with that number, however it is written: the one with the listed number stays a hit', async () => {
    const app = await api.createApp();
    const id = await clear(app, { registration_number: 'RC 111' });
    expect(await screen(app, { registration_number: '111' })).toMatchObject({ risk_level: 'LOW', hits: [{ cleared: { clearance: id } }] });
    const listed = await screen(app, { registration_number: LISTED });
    expect(listed).toMatchObject({ risk_level: 'CRITICAL', sanctions_match: true, hits: [{ ...entry, cleared: null }] });
    expect(listed.hits[0]!.explanation.rules).toContain('registration_number');
    expect((await screen(app)).hits, 'without a number').toMatchObject([{ cleared: null }]);
    const company = await app.get<Screened>(`${ADVANCE}?rc_number=RC${LISTED}&screen=true`);
    expect(company.body.entity.screening, 'nor is the company of the registry cleared').toMatchObject({ sanctions_match: true });
  });

  test('by an earlier release, which did not keep the number, is still the one without a number', async () => {
    const app = await api.createApp();
    const id = await clear(app, {});
    const former = api.service.cipher.index('subject', 'aml', personOf(named));
    await api.service.sql`update aml_clearances set subject = ${former} where id = ${parseId('clr', id)}`;
    expect(await screen(app)).toMatchObject({ risk_level: 'LOW', hits: [{ cleared: { clearance: id } }] });
    for (const registration_number of ['111', LISTED])
      expect((await screen(app, { registration_number })).hits, registration_number).toMatchObject([{ cleared: null }]);
    const own = await clear(app, {});
    expect(await screen(app), 'the newest is shown').toMatchObject({ hits: [{ cleared: { clearance: own } }] });
  });
});

describe('a company and everybody on record with it', () => {
  test('are screened in one call, at the price of a look-up and a screening; a cached record costs less', async () => {
    const app = await api.createApp();
    const live = await app.get<Screened>(`${ADVANCE}?rc_number=RC${LISTED}&screen=true`);
    expect(live.status, live.text).toBe(200);
    expect(live.body).toMatchObject({ billed_amount: 370, cached: false, meta: { service: 'cac_screening' } });
    const { entity } = live.body;
    expect(entity.screening).toMatchObject({
      sanctions_match: true,
      hits: [{ list: 'ofac_sdn', source_id: '9900053', type: 'organization' }],
    });
    const people = [...entity.directors, ...entity.shareholders, ...(entity.secretary ? [entity.secretary] : [])];
    expect(people.length).toBeGreaterThan(3);
    for (const { screening } of [...people, ...entity.beneficial_owners])
      expect(screening).toMatchObject({ risk_level: 'LOW', total_hits: 0 });
    const different = new Set(people.map(({ id_number }) => id_number));
    expect(entity.overall_risk).toMatchObject({
      risk_level: 'CRITICAL',
      sanctions_match: true,
      total_hits: 1,
      screened: different.size + 1,
      not_screened: 0,
    });
    const cached = await app.get<Screened>(`${ADVANCE}?rc_number=RC${LISTED}&screen=true`);
    expect(cached.body).toMatchObject({ billed_amount: 220, cached: true, entity: { overall_risk: { screened: different.size + 1 } } });
  });

  test('are not screened without `screen`, at the published price', async () => {
    const app = await api.createApp();
    for (const query of ['', '&screen=false', '&screen=']) {
      const { body } = await app.get<Screened>(`${ADVANCE}?rc_number=RC${LISTED}&cache=refresh${query}`);
      expect(body).toMatchObject({ billed_amount: 250, meta: { service: 'cac_advance' } });
      expect(body.entity).not.toHaveProperty('screening');
    }
    expect((await app.get(`${ADVANCE}?rc_number=RC${LISTED}&screen=perhaps`)).body).toMatchObject({ details: [{ path: 'screen' }] });
  });

  test('a job with `screen` is that check, and a row of a batch with it is told to name the check', async () => {
    const app = await api.createApp();
    const { id } = (await app.job({ check: 'cac_advance', input: { rc_number: LISTED, screen: true } })).body.entity;
    const job = await app.ended<JobEntity>(`/api/v1/jobs/${id}`);
    expect(job).toMatchObject({ check: 'cac_screening', billed_amount: 370, result: { screening: { sanctions_match: true } } });
    const refused = await app.csv('checks=cac_advance&on_invalid=reject', `rc_number,screen\n${LISTED},true\n`);
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ details: [{ path: 'screen', message: expect.stringContaining('cac_screening') }] });
    // An object that cannot be made into text.
    const odd = await app.job({ check: 'cac_advance', input: { rc_number: LISTED, screen: { toString: 'true' } } });
    expect(odd.status).toBe(400);
    expect(odd.body).toMatchObject({ details: [{ path: 'input.screen', message: 'must be true or false' }] });
  });

  test('a batch screens every company of its rows, and holds what it may cost', async () => {
    const app = await api.createApp();
    const accepted = await app.csv('checks=cac_screening', `rc_number\n${LISTED}\n9900054\n`);
    expect(accepted.body.entity).toMatchObject({ quote_amount: 740 });
    const batch = await app.ended<BatchEntity>(`/api/v1/batches/${accepted.body.entity.id}`);
    expect(batch).toMatchObject({ billed_amount: 740, counts: { found: 2, failed: 0 } });
  });

  test('opens a review case from the level of the app up, with the best hits of the company and its parties', async () => {
    const casesWith = async (amlLevel: 'CRITICAL' | null, rc_number: string) => {
      const app = await api.createApp({ settings: { reviews: { amlLevel } } });
      const { id } = (await app.job({ check: 'cac_screening', input: { rc_number } })).body.entity;
      await app.ended(`/api/v1/jobs/${id}`);
      const { data } = (await app.get<{ data: { id: string; kind: string }[] }>(`/api/v1/reviews?job=${id}`)).body.entity;
      return { app, data };
    };
    const { app, data } = await casesWith('CRITICAL', LISTED);
    expect(data).toMatchObject([{ kind: 'aml', check: 'cac_screening', state: 'open' }]);
    expect((await app.get(`/api/v1/reviews/${data[0]!.id}`)).body.entity).toMatchObject({
      summary: { face: null, aml: { risk_level: 'CRITICAL', total_hits: 1, hits: [{ list: 'ofac_sdn', cleared: false }] } },
    });
    expect((await casesWith('CRITICAL', '1432074')).data, 'nobody is listed').toEqual([]);
    expect((await casesWith(null, LISTED)).data, 'without the setting').toEqual([]);
  });

  test('a job says which hits of the company and of its parties are cleared by now; the stored result stays', async () => {
    const app = await api.createApp();
    const { id } = (await app.job({ check: 'cac_screening', input: { rc_number: LISTED } })).body.entity;
    type Shown = JobEntity & { result: Screened; cleared?: object };
    const read = async () => (await app.get<Shown>(`/api/v1/jobs/${id}`)).body.entity;
    const before = await app.ended<Shown>(`/api/v1/jobs/${id}`);
    expect(before.cleared).toEqual({ hits: [], all: false, risk_level: 'CRITICAL', parties: [] });

    // Nobody in the sandbox's record is listed, so its first director gets a hit here, as shareholder and owner too.
    const stored = before.result;
    const hit = { ...stored.screening.hits[0]!, list: 'ofac_sdn', source_id: '9900002', type: 'person', category: 'pep' };
    const [director] = stored.directors as unknown as Record<string, string>[];
    const roles = Object.entries(stored).flatMap(([role, member]) =>
      [member].flat().flatMap((party: unknown, i) => {
        const { id_number, screening } = (party ?? {}) as { id_number?: string; screening?: { hits: unknown[]; total_hits: number } };
        if (id_number !== director!.id_number) return [];
        Object.assign(screening!, { hits: [hit], total_hits: 1 });
        return [Array.isArray(member) ? `${role}.${i}` : role];
      }),
    );
    expect(roles).toContain('directors.0');
    const cleared = (screenings: Parameters<typeof readClearedNow>[3]) =>
      readClearedNow(api.service, api.service.digestOf, { appId: parseId('app', app.app)!, live: false }, screenings);
    const now = async () => (await cleared([{ company: stored as unknown as ScreenedCompany }]))[0];
    const partyNow = (own: object) => expect.objectContaining({ parties: [expect.objectContaining({ ...own, at: roles })] });
    expect(await now()).toEqual(partyNow({ hits: [], all: false }));

    const note = { list: 'ofac_sdn', reason: 'r', cleared_by: 'c' };
    const person = {
      name: [director!.firstname, director!.othername, director!.surname].join(' '),
      date_of_birth: director!.date_of_birth,
      country: 'NG',
    };
    expect((await app.post('/api/v1/aml/clearances', { ...person, ...note, source_id: '9900002' })).status).toBe(201);
    expect(await now()).toEqual(partyNow({ hits: [0], all: true, risk_level: 'LOW' }));
    expect(await now()).toMatchObject({ hits: [], all: false, risk_level: 'CRITICAL' });

    const named = { name: stored.company_name, type: 'organization', country: 'NG', registration_number: `RC${LISTED}` };
    const made = await app.post<{ id: string }>('/api/v1/aml/clearances', { ...named, ...note, source_id: '9900053' });
    expect(made.status, made.text).toBe(201);
    expect(await now()).toMatchObject({ hits: [0], all: true, risk_level: 'LOW' });
    const after = await read();
    expect(after).toMatchObject({ cleared: { hits: [0], all: true, risk_level: 'LOW', parties: [] }, flagged: true });
    expect(after.result.screening.hits[0]).toMatchObject({ cleared: null });
    await app.send('DELETE', `/api/v1/aml/clearances/${made.body.entity.id}`);
    expect((await read()).cleared).toEqual(before.cleared);
  });

  test('a job of a company without hits has nothing to say about clearances', async () => {
    const app = await api.createApp();
    const { id } = (await app.job({ check: 'cac_screening', input: { rc_number: '1432074' } })).body.entity;
    const job = await app.ended<JobEntity & { cleared?: object }>(`/api/v1/jobs/${id}`);
    expect(job).toMatchObject({ result: { overall_risk: { total_hits: 0 } } });
    expect(job.cleared).toBeUndefined();
  });
});
