/** Tax numbers: every form of them, each leading to the same company or person as the other registries. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { companyTypes } from '../../src/checks/provider.ts';
import { createSandbox } from '../../src/sandbox/provider.ts';
import { useApi } from '../setup/api.ts';

const api = useApi();

const PATH = '/api/v1/kyc/tin';
const PREVIEW = '/v1/verify/tin';
const MEMBERS = [
  'search',
  'tin',
  'taxpayer_name',
  'tin_type',
  'cac_reg_number',
  'firstin',
  'jittin',
  'tax_office',
  'phone_number',
  'email',
];
const TIN = /^\d{8}-\d{4}$/;

const ask = (tin: string) => `${PATH}?${new URLSearchParams({ tin })}`;

const sandbox = createSandbox();
async function recordOf(kind: 'tin' | 'cac' | 'nin', identifier: string): Promise<Record<string, string>> {
  const result = await sandbox.lookup({ kind, tier: 9, identifier, reference: 'test', signal: new AbortController().signal });
  if (!result.found) throw new Error(`no ${kind} ${identifier}`);
  return result.record as Record<string, string>;
}

const elevenDigits = fc.integer({ min: 10, max: 10 ** 11 - 1 }).map((value) => String(value).padStart(11, '0'));
const taxNumbers = fc
  .tuple(fc.integer({ min: 1, max: 10 ** 8 - 1 }), fc.integer({ min: 0, max: 9_999 }))
  .map(([base, suffix]) => `${String(base).padStart(8, '0')}-${String(suffix).padStart(4, '0')}`);

describe('a tax number', () => {
  test.each([
    ['18609323-0001', '18609323-0001', 'corporate'],
    [' 18609323-0001 ', '18609323-0001', 'corporate'],
    ['1234567890', '1234567890', 'individual'],
    ['70123456789', '70123456789', 'individual'],
    ['1234567890123', '1234567890123', 'individual'],
    ['RC1432074', 'RC1432074', 'corporate'],
    ['rc-1432074', 'RC1432074', 'corporate'],
  ])('%j answers exactly the declared members at 90, and from the cache at 36', async (tin, search, type) => {
    const app = await api.createApp({ naira: 1_000 });
    const first = await app.get(ask(tin));
    expect(first.status, first.text).toBe(200);
    expect(Object.keys(first.body.entity)).toEqual(MEMBERS);
    for (const member of MEMBERS) expect(first.body.entity[member], member).toEqual(expect.any(String));
    expect(first.body).toMatchObject({ billed_amount: 90, cached: false, meta: { service: 'tin' }, entity: { search, tin_type: type } });
    expect(first.body.entity.tin).toMatch(TIN);
    const second = await app.get(ask(tin));
    expect(second.body).toMatchObject({ billed_amount: 36, cached: true, entity: first.body.entity });
    expect((await app.wallet()).available).toBe(1_000 - 90 - 36);
  });

  test('the published test number belongs to itself: its record states it', async () => {
    const app = await api.createApp();
    expect((await app.get(ask('18609323-0001'))).body.entity).toMatchObject({ tin: '18609323-0001', cac_reg_number: 'RC14013931' });
  });

  test('the preview is marked as such and shows the announced attributes', async () => {
    const app = await api.createApp();
    const { status, text, body } = await app.post(PREVIEW, { tin: 'RC1432074' });
    expect(status, text).toBe(200);
    expect(Object.keys(body.entity)).toEqual(['tin', 'taxpayer_name', 'tax_office', 'filing_status', 'registration_date']);
    expect(body).toMatchObject({ billed_amount: 90, cached: false, meta: { service: 'tin_verify', stage: 'development' } });
    expect(body.entity.filing_status).toMatch(/^(UP_TO_DATE|OVERDUE|NOT_FILED)$/);
    expect(body.entity.registration_date).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect((await app.get(ask('RC1432074'))).body).toMatchObject({ cached: true, entity: { taxpayer_name: body.entity.taxpayer_name } });
    expect((await app.live.post(PREVIEW, { tin: 'RC1432074' })).body.code).toBe('provider_not_configured');
  });

  test('the API leads from a company to its tax number and back', async () => {
    const app = await api.createApp();
    const company = (await app.get('/api/v1/kyc/cac/basic?rc_number=1432074')).body.entity;
    const byRegistration = (await app.get(ask('RC1432074'))).body.entity;
    expect(byRegistration).toMatchObject({ taxpayer_name: company.company_name, cac_reg_number: 'RC1432074', email: company.email });
    const byTin = (await app.get(ask(byRegistration.tin as string))).body.entity;
    expect(byTin).toEqual({ ...byRegistration, search: byRegistration.tin });
  });

  test("a NIN is its holder's tax number", async () => {
    const app = await api.createApp();
    const { entity } = (await app.get(ask('70123456789'))).body;
    expect(entity).toMatchObject({
      taxpayer_name: 'DUROJAIYE MORENIKE PRECIOUS',
      tin_type: 'individual',
      cac_reg_number: '',
      phone_number: '09011111111',
    });
  });

  test.each([
    ['00000000-0001', 404],
    ['0000000001', 404],
    ['00000000001', 404],
    ['0000000000001', 404],
    ['RC0000001', 404],
    ['00000000-0003', 424],
  ])('the scripted number %s answers %i, free of charge', async (tin, status) => {
    const app = await api.createApp({ naira: 500 });
    expect((await app.get(ask(tin))).status).toBe(status);
    expect((await app.wallet()).available).toBe(500);
  });

  test('the scripted number of zeros is found', async () => {
    const app = await api.createApp();
    expect((await app.get(ask('00000000-0000'))).status).toBe(200);
  });
});

describe('bad input', () => {
  test.each<[string, Record<string, unknown>, RegExp]>([
    ['no number', {}, /required/],
    ['an empty number', { tin: '' }, /must not be empty/],
    ['spaces', { tin: '  ' }, /must not be empty/],
    ['letters', { tin: 'ABCDEFGH-0001' }, /must be 8 and 4 digits/],
    ['a company number without prefix', { tin: '1432074' }, /RC and a company number/],
    ['another prefix', { tin: 'BN1432074' }, /RC and a company number/],
    ['twelve digits without the dash', { tin: '186093230001' }, /with a dash/],
    ['the dash elsewhere', { tin: '1860932-30001' }, /with a dash/],
    ['nine digits', { tin: '123456789' }, /10 digits/],
    ['a JSON number', { tin: 1234567890 }, /must be a string/],
    ['a list', { tin: ['1234567890'] }, /must be a string/],
    ['null', { tin: null }, /is required/],
    ['a very long text', { tin: '1'.repeat(200_000) }, /at most 40/],
  ])('%s is refused, free of charge', async (_name, input, message) => {
    const app = await api.createApp({ naira: 500 });
    const answers = [await app.post(PREVIEW, input)];
    if (typeof input.tin === 'string' && input.tin.length < 10_000) answers.push(await app.get(ask(input.tin)));
    for (const { status, text, body } of answers) {
      expect(status, text).toBe(400);
      expect(body.code).toBe('invalid_request');
      expect(body.details[0]!.path).toBe('tin');
      expect(body.details[0]!.message).toMatch(message);
    }
    expect((await app.wallet()).available).toBe(500);
  });
});

describe('invented taxpayers', () => {
  test('every 8-4 number belongs to somebody, who is the same under the number in the record', async () => {
    await fc.assert(
      fc.asyncProperty(taxNumbers, async (number) => {
        const { search, ...taxpayer } = await recordOf('tin', number);
        expect(search).toBe(number);
        expect(await recordOf('tin', taxpayer.tin!)).toEqual({ ...taxpayer, search: taxpayer.tin });
      }),
      { numRuns: 1_000 },
    );
  });

  test('a company of any type has one tax number, which leads back to it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 10, max: 99_999_999 }), async (number) => {
        const { search: _, ...taxpayer } = await recordOf('tin', `RC${number}`);
        expect(await recordOf('tin', taxpayer.tin!)).toMatchObject({ ...taxpayer, cac_reg_number: `RC${number}` });
        for (const [index, [prefix, type]] of Object.entries(companyTypes).entries()) {
          const sibling = await recordOf('tin', `${taxpayer.tin!.slice(0, 8)}-000${index + 1}`);
          const company = await recordOf('cac', `${type}:${number}`);
          expect(sibling).toMatchObject({
            cac_reg_number: `${prefix}${number}`,
            taxpayer_name: company.company_name,
            tin_type: 'corporate',
          });
        }
      }),
      { numRuns: 200 },
    );
  });

  test('a person has one tax number, which leads back to the holder of the NIN', async () => {
    await fc.assert(
      fc.asyncProperty(elevenDigits, async (nin) => {
        const { search: _, ...taxpayer } = await recordOf('tin', nin);
        const holder = await recordOf('nin', nin);
        expect(taxpayer.taxpayer_name).toBe([holder.surname, holder.firstname, holder.middlename].filter(Boolean).join(' ').toUpperCase());
        expect(taxpayer).toMatchObject({ tin_type: 'individual', phone_number: holder.telephoneno, email: holder.email });
        expect(await recordOf('tin', taxpayer.tin!)).toMatchObject(taxpayer);
      }),
      { numRuns: 500 },
    );
  });

  test('a Joint Tax Board number belongs to one person, whose record states it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 10, max: 10 ** 10 - 1 }), async (value) => {
        const number = String(value).padStart(10, '0');
        const { search: _, ...taxpayer } = await recordOf('tin', number);
        expect(taxpayer.jittin).toBe(number);
        expect(await recordOf('tin', taxpayer.tin!)).toMatchObject(taxpayer);
      }),
      { numRuns: 500 },
    );
  });
});
