/** Companies: numbers with and without a prefix, entities, prices, and owners and officers from the same sandbox population. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findCheck } from '../../src/checks/catalog.ts';
import { companyTypes } from '../../src/checks/provider.ts';
import { createSandbox } from '../../src/sandbox/provider.ts';
import { type Answer, type Entity, useApi } from '../setup/api.ts';
import { CAC_BASIC } from '../setup/specification.ts';

const api = useApi();

const BASIC = '/api/v1/kyc/cac/basic';
const ADVANCE = '/api/v1/kyc/cac/advance';
const PREVIEW = '/v1/verify/cac';
const TYPES = ['COMPANY', 'BUSINESS_NAME', 'INCORPORATED_TRUSTEES'];

const ADVANCE_MEMBERS = [
  ...CAC_BASIC,
  'share_capital',
  'share_capital_in_words',
  'number_of_affiliates',
  'directors',
  'shareholders',
  'beneficial_owners',
  'secretary',
  'proprietors',
  'trustees',
];
const PERSON = [
  'surname',
  'firstname',
  'othername',
  'gender',
  'date_of_birth',
  'nationality',
  'occupation',
  'phone_number',
  'email',
  'address',
  'id_type',
  'id_number',
];
const OFFICER = [...PERSON, 'date_of_appointment'];

interface Affiliate {
  surname: string;
  firstname: string;
  othername: string;
  gender: string;
  date_of_birth: string;
  phone_number: string;
  id_number: string;
  date_of_appointment?: string;
  shares_allotted?: number;
  share_percent?: number;
  is_director?: boolean;
}

interface CompanyRecord {
  company_name: string;
  registration_date: string;
  status: string;
  share_capital: number | null;
  number_of_affiliates: number;
  directors: Affiliate[];
  shareholders: Affiliate[];
  beneficial_owners: Affiliate[];
  secretary: Affiliate | null;
  proprietors: Affiliate[];
  trustees: Affiliate[];
}

const get = (path: string, input: Record<string, string>) => `${path}?${new URLSearchParams(input)}`;

/** How the advance tier shows the registry's record. */
async function companyAt(identifier: string): Promise<CompanyRecord> {
  const [company_type, rc_number] = identifier.split(':') as [string, string];
  const result = await findCheck('cac_advance')!.run({ rc_number, company_type }, (kind, tier, asked) =>
    createSandbox().lookup({ kind, tier, identifier: asked, reference: 'test', signal: new AbortController().signal }),
  );
  if (!result.found) throw new Error(`no ${identifier}`);
  return result.entity as unknown as CompanyRecord;
}

const identifiers = fc
  .tuple(fc.constantFrom(...Object.values(companyTypes)), fc.integer({ min: 10, max: 99_999_999 }))
  .map(([type, number]) => `${type}:${number}`);
const companies = fc.integer({ min: 10, max: 99_999_999 }).map((number) => `COMPANY:${number}`);

const everybody = ({ directors, shareholders, beneficial_owners, secretary, proprietors, trustees }: CompanyRecord): Affiliate[] => [
  ...directors,
  ...shareholders,
  ...beneficial_owners,
  ...(secretary ? [secretary] : []),
  ...proprietors,
  ...trustees,
];

describe('a company by its number', () => {
  test.each([
    [BASIC, 'cac_basic', 120, 48, CAC_BASIC],
    [ADVANCE, 'cac_advance', 250, 100, ADVANCE_MEMBERS],
  ])('%s answers exactly the declared members, then again from the cache for less', async (path, service, price, cachedPrice, members) => {
    const app = await api.createApp({ naira: 1_000 });
    const first = await app.get(get(path, { rc_number: '1432074' }));
    expect(first.status, first.text).toBe(200);
    expect(Object.keys(first.body.entity)).toEqual(members);
    expect(first.body).toMatchObject({ billed_amount: price, cached: false, meta: { service } });
    expect(first.body.entity).toMatchObject({ rc_number: '1432074', company_type: 'COMPANY' });
    const second = await app.get(get(path, { rc_number: 'RC-1432074', company_type: 'company' }));
    expect(second.body).toMatchObject({ billed_amount: cachedPrice, cached: true, entity: first.body.entity });
    expect((await app.wallet()).available).toBe(1_000 - price - cachedPrice);
  });

  test('the preview is marked as such and shows the announced attributes', async () => {
    const app = await api.createApp({ naira: 1_000 });
    const answer = await app.post<CompanyRecord>(PREVIEW, { rc_number: '1432074' });
    expect(answer.status, answer.text).toBe(200);
    expect(Object.keys(answer.body.entity)).toEqual([
      'rc_number',
      'company_name',
      'incorporation_date',
      'directors',
      'shareholders',
      'status',
    ]);
    expect(answer.body).toMatchObject({ billed_amount: 250, cached: false, meta: { service: 'cac_verify', stage: 'in sandbox preview' } });
    const advance = await app.get<CompanyRecord>(get(ADVANCE, { rc_number: '1432074' }));
    expect(advance.body).toMatchObject({ billed_amount: 100, cached: true });
    expect(answer.body.entity.directors).toEqual(advance.body.entity.directors);
    expect(answer.body.entity.shareholders).toEqual(advance.body.entity.shareholders);
    expect(answer.body.entity).toMatchObject({ incorporation_date: advance.body.entity.registration_date });
  });

  test('without a live provider: 503, and nothing is charged', async () => {
    const app = await api.createApp();
    expect((await app.live.post(PREVIEW, { rc_number: '1432074' })).body.code).toBe('provider_not_configured');
    expect((await app.live.get(get(BASIC, { rc_number: '1432074' }))).body.code).toBe('provider_not_configured');
  });

  test('one number under three types is three records, each looked up and cached on its own', async () => {
    const app = await api.createApp({ naira: 1_000 });
    const names = new Set<unknown>();
    for (const company_type of TYPES) {
      const first = await app.get(get(BASIC, { rc_number: '1432074', company_type }));
      expect(first.body).toMatchObject({ billed_amount: 120, cached: false, entity: { rc_number: '1432074', company_type } });
      names.add(first.body.entity.company_name);
    }
    expect(names.size).toBe(3);
    for (const company_type of TYPES) {
      const second = await app.get(get(BASIC, { rc_number: '1432074', company_type }));
      expect(second.body).toMatchObject({ billed_amount: 48, cached: true, entity: { company_type } });
    }
  });

  test('the richer tier serves the poorer from the cache, never the reverse', async () => {
    const app = await api.createApp({ naira: 1_000 });
    const advance = await app.get(get(ADVANCE, { rc_number: '555' }));
    const basic = await app.get(get(BASIC, { rc_number: '555' }));
    expect(basic.body).toMatchObject({ cached: true, billed_amount: 48 });
    expect(advance.body.entity).toMatchObject(basic.body.entity);
    await app.get(get(BASIC, { rc_number: '556' }));
    expect((await app.get(get(ADVANCE, { rc_number: '556' }))).body).toMatchObject({ cached: false, billed_amount: 250 });
  });

  test.each([
    ['1432074', undefined, 'COMPANY', '1432074'],
    ['rc 1432074', undefined, 'COMPANY', '1432074'],
    ['RC-143-2074', '', 'COMPANY', '1432074'],
    ['7000', 'Company', 'COMPANY', '7000'],
    ['BN 2512345', undefined, 'BUSINESS_NAME', '2512345'],
    ['bn2512345', 'business_name', 'BUSINESS_NAME', '2512345'],
    ['2512345', ' BUSINESS_NAME ', 'BUSINESS_NAME', '2512345'],
    ['IT-12345', undefined, 'INCORPORATED_TRUSTEES', '12345'],
    ['RC12345', 'INCORPORATED_TRUSTEES', 'INCORPORATED_TRUSTEES', '12345'],
    ['LP1234', undefined, 'LIMITED_PARTNERSHIP', '1234'],
    ['LLP1234', undefined, 'LIMITED_LIABILITY_PARTNERSHIP', '1234'],
    ['kd023538', undefined, 'COMPANY', 'KD023538'],
    ['BN KD023538', undefined, 'BUSINESS_NAME', 'KD023538'],
  ])('%j with type %j is %s %s', async (rc_number, company_type, expectedType, expectedNumber) => {
    const app = await api.createApp();
    const { status, text, body } = await app.get(get(BASIC, { rc_number, ...(company_type !== undefined && { company_type }) }));
    expect(status, text).toBe(200);
    expect(body.entity).toMatchObject({ rc_number: expectedNumber, company_type: expectedType });
    expect(findCheck('cac_basic')!.subject(findCheck('cac_basic')!.input.parse({ rc_number, company_type }))).toBe(
      `${expectedType}:${expectedNumber}`,
    );
  });

  test('every member of each entity has its declared shape, for each type', async () => {
    const app = await api.createApp();
    for (const company_type of TYPES) {
      const { entity } = (await app.get<Entity & CompanyRecord>(get(ADVANCE, { rc_number: '1432074', company_type }))).body;
      expect(findCheck('cac_advance')!.entity.strict().parse(entity)).toEqual(entity);
      for (const list of [entity.directors, entity.proprietors, entity.trustees])
        for (const officer of list) expect(Object.keys(officer)).toEqual(OFFICER);
      for (const holder of entity.shareholders)
        expect(Object.keys(holder)).toEqual([...PERSON, 'share_type', 'shares_allotted', 'share_percent']);
      for (const owner of entity.beneficial_owners) expect(Object.keys(owner)).toEqual([...PERSON, 'share_percent', 'is_director']);
      if (entity.secretary) expect(Object.keys(entity.secretary)).toEqual(OFFICER);
    }
  });

  test('the people of a company are those their NINs name', async () => {
    const app = await api.createApp();
    for (const company_type of TYPES) {
      const { entity } = (await app.get<CompanyRecord>(get(ADVANCE, { rc_number: '1432074', company_type }))).body;
      const people = everybody(entity);
      expect(people.length).toBeGreaterThan(0);
      for (const person of people) {
        const { entity: holder } = (await app.get(get('/api/v1/kyc/nin', { nin: person.id_number }))).body;
        expect(holder).toEqual({
          nin: person.id_number,
          firstname: person.firstname,
          surname: person.surname,
          middlename: person.othername,
          gender: person.gender,
          birthdate: person.date_of_birth,
          telephoneno: person.phone_number,
        });
      }
    }
  });

  test.each([
    ['0000001', 404, 'record_not_found'],
    ['00000001', 404, 'record_not_found'],
    ['RC0000003', 424, 'provider_failed'],
  ])('the scripted number %s answers %i', async (rc_number, status, code) => {
    const app = await api.createApp({ naira: 500 });
    const answer = await app.get(get(BASIC, { rc_number }));
    expect(answer.status, answer.text).toBe(status);
    expect(answer.body.code).toBe(code);
    expect((await app.wallet()).available).toBe(500);
  });

  test('the scripted number of zeros is found', async () => {
    const app = await api.createApp();
    expect((await app.get(get(BASIC, { rc_number: '0000000' }))).body.entity).toMatchObject({ rc_number: '0000000' });
  });

  test('a bulk row may give the type in a column or in the prefix', async () => {
    const app = await api.createApp();
    const text = 'rc_number,company_type\n1432074,\nBN1432074,\n1432074,incorporated_trustees\nBN1432074,COMPANY\n';
    const { body } = await app.csv('checks=cac_basic', text);
    const batch = await app.ended<{ status: string; counts: { completed: number; invalid: number } }>(`/api/v1/batches/${body.entity.id}`);
    expect(batch.counts).toMatchObject({ completed: 3, invalid: 1 });
  });
});

describe('bad input', () => {
  const refusals: [string, Record<string, unknown>, string, RegExp][] = [
    ['no number', {}, 'rc_number', /required/],
    ['an empty number', { rc_number: '' }, 'rc_number', /must not be empty/],
    ['spaces', { rc_number: '   ' }, 'rc_number', /must not be empty/],
    ['a prefix alone', { rc_number: 'RC' }, 'rc_number', /1 to 8 digits/],
    ['nine digits', { rc_number: '123456789' }, 'rc_number', /1 to 8 digits/],
    ['letters', { rc_number: 'ABC123' }, 'rc_number', /1 to 8 digits/],
    ['letters within', { rc_number: '14320a4' }, 'rc_number', /1 to 8 digits/],
    ['a JSON number', { rc_number: 1432074 }, 'rc_number', /must be a string/],
    ['a list', { rc_number: ['1432074'] }, 'rc_number', /must be a string/],
    ['null', { rc_number: null }, 'rc_number', /is required/],
    ['a very long number', { rc_number: '1'.repeat(200_000) }, 'rc_number', /at most 40/],
    ['an unknown type', { rc_number: '1432074', company_type: 'CHARITY' }, 'company_type', /COMPANY, BUSINESS_NAME, INCORPORATED_TRUSTEES/],
    ['a type that is a number', { rc_number: '1432074', company_type: 1 }, 'company_type', /must be a string/],
    ['a type that is a list', { rc_number: '1432074', company_type: ['COMPANY'] }, 'company_type', /must be a string/],
    ['a very long type', { rc_number: '1432074', company_type: 'COMPANY'.repeat(10_000) }, 'company_type', /at most 40/],
    ['BN as a company', { rc_number: 'BN1432074', company_type: 'COMPANY' }, 'company_type', /COMPANY.*BN.*BUSINESS_NAME/],
    [
      'IT as a business name',
      { rc_number: 'IT12', company_type: 'BUSINESS_NAME' },
      'company_type',
      /BUSINESS_NAME.*IT.*INCORPORATED_TRUSTEES/,
    ],
    [
      'BN as trustees',
      { rc_number: 'bn-12', company_type: 'incorporated_trustees' },
      'company_type',
      /INCORPORATED_TRUSTEES.*BN.*BUSINESS_NAME/,
    ],
    ['LLP as a company', { rc_number: 'LLP12', company_type: 'COMPANY' }, 'company_type', /COMPANY.*LLP/],
  ];

  test.each(refusals)('%s is refused, free of charge', async (_name, input, path, message) => {
    const app = await api.createApp({ naira: 500 });
    const expectRefusal = (answer: Answer<Entity>) => {
      expect(answer.status, answer.text).toBe(400);
      expect(answer.body.code).toBe('invalid_request');
      expect(answer.body.details[0]!.path).toBe(path);
      expect(answer.body.details[0]!.message).toMatch(message);
    };
    expectRefusal(await app.post(PREVIEW, input));
    const isText = Object.values(input).every((value) => typeof value === 'string' && value.length < 10_000);
    if (isText) for (const call of [BASIC, ADVANCE]) expectRefusal(await app.get(get(call, input as Record<string, string>)));
    expect((await app.wallet()).available).toBe(500);
  });
});

describe('invented companies', () => {
  test('one number is the same company in every sandbox; leading zeros do not matter', async () => {
    await fc.assert(
      fc.asyncProperty(identifiers, async (identifier) => {
        const company = await companyAt(identifier);
        expect(await companyAt(identifier)).toEqual(company);
        const [type, number] = identifier.split(':') as [string, string];
        const padded = await companyAt(`${type}:${number.padStart(8, '0')}`);
        expect(padded.company_name).toBe(company.company_name);
        expect(everybody(padded)).toEqual(everybody(company));
      }),
      { numRuns: 300 },
    );
  });

  test('shares add up to the whole and to the share capital; holders of 5 % or more are beneficial owners', async () => {
    await fc.assert(
      fc.asyncProperty(companies, async (identifier) => {
        const { shareholders, share_capital, beneficial_owners, directors } = await companyAt(identifier);
        const sum = (pick: (holder: Affiliate) => number) => shareholders.reduce((total, holder) => total + pick(holder), 0);
        expect(sum((holder) => holder.share_percent!)).toBe(100);
        expect(sum((holder) => holder.shares_allotted!)).toBe(share_capital);
        expect(shareholders.every((holder) => holder.share_percent! > 0 && Number.isInteger(holder.shares_allotted))).toBe(true);
        const significant = shareholders.filter((holder) => holder.share_percent! >= 5).map((holder) => holder.id_number);
        expect(beneficial_owners.map((owner) => owner.id_number)).toEqual(significant);
        const directing = new Set(directors.map((director) => director.id_number));
        for (const owner of beneficial_owners) expect(owner.is_director).toBe(directing.has(owner.id_number));
      }),
      { numRuns: 500 },
    );
  });

  test('each type has its own kinds of people, each counted once and of age at registration', async () => {
    await fc.assert(
      fc.asyncProperty(identifiers, async (identifier) => {
        const company = await companyAt(identifier);
        const people = everybody(company);
        expect(company.number_of_affiliates).toBe(new Set(people.map((person) => person.id_number)).size);
        expect(company.directors.length > 0).toBe(identifier.startsWith('COMPANY'));
        expect(company.shareholders.length > 0).toBe(identifier.startsWith('COMPANY'));
        expect(company.share_capital === null).toBe(!identifier.startsWith('COMPANY'));
        expect(company.trustees.length > 0).toBe(identifier.startsWith('INCORPORATED'));
        expect(company.proprietors.length > 0).toBe(/^(BUSINESS|LIMITED)/.test(identifier));
        const eighteenBefore = `${Number(company.registration_date.slice(0, 4)) - 18}${company.registration_date.slice(4)}`;
        for (const person of people) expect(person.date_of_birth <= eighteenBefore, `${person.date_of_birth} ${eighteenBefore}`).toBe(true);
        expect(company.registration_date >= '1990-01-01' && company.registration_date < '2026-01-01').toBe(true);
        expect(['ACTIVE', 'INACTIVE']).toContain(company.status);
      }),
      { numRuns: 500 },
    );
  });
});
