/** How adapters read the notations of vendors, and answers that only some of their records have. */
import { describe, expect, test } from 'vitest';
import type { Lookup } from '../../src/checks/provider.ts';
import type { Adapter } from '../../src/providers/adapter.ts';
import {
  bankGender,
  companyOf,
  companyStatus,
  date,
  gender,
  image,
  imageUri,
  localPhone,
  phone,
  registeredAs,
  texts,
} from '../../src/providers/adapters/mapping.ts';
import { prembly } from '../../src/providers/adapters/prembly.ts';
import { youverify } from '../../src/providers/adapters/youverify.ts';
import type { VendorRequest } from '../../src/providers/vendor-http.ts';

describe('dates', () => {
  test.each([
    ['1989-09-24', '1989-09-24'],
    [' 1989-09-24 ', '1989-09-24'],
    ['24-09-1989', '1989-09-24'],
    ['4/9/1989', '1989-09-04'],
    ['24-Sep-1989', '1989-09-24'],
    ['01-January-1907', '1907-01-01'],
    ['31 DEC 1905', '1905-12-31'],
    ['1989-09-24T00:00:00Z', '1989-09-24'],
    ['1989-09-23T23:00:00.000Z', '1989-09-24'],
    ['2017-06-09T00:00:00.000+00:00', '2017-06-09'],
    ['2011-02-18 13:59:46', '2011-02-18'],
    ['', ''],
    [null, ''],
  ])('%s is %s', (written, expected) => {
    expect(date.parse(written)).toBe(expected);
  });

  test.each([
    '30-02-1989',
    '1989-02-30',
    '1989-02-30T00:00:00Z',
    '24-Sept-89',
    '12-Foo-1989',
    '09-24-1989',
    '1989',
    '0000-00-00',
    'yesterday',
    19_890_924,
  ])('%s is none', (written) => {
    expect(date.safeParse(written).success).toBe(false);
  });
});

test("genders use the registers' words; anything else stays as it is", () => {
  expect(['m', 'F', 'Male', 'female', 'x', null].map((written) => gender.parse(written))).toEqual([
    'MALE',
    'FEMALE',
    'MALE',
    'FEMALE',
    'X',
    '',
  ]);
  expect(['m', 'FEMALE', ''].map((written) => bankGender.parse(written))).toEqual(['Male', 'Female', '']);
});

test('telephone numbers are E.164 inside and local outside', () => {
  expect(['08030000017', '2348030000017', '+2348030000017', '080300xxxxx', ''].map((written) => phone.parse(written))).toEqual([
    '+2348030000017',
    '+2348030000017',
    '+2348030000017',
    '080300xxxxx',
    '',
  ]);
  expect(localPhone('+2348030000017')).toBe('08030000017');
});

test('images are bare or data URIs, as the record has them', () => {
  expect(image.parse('data:image/jpg;base64,/9j/aGk=')).toBe('/9j/aGk=');
  expect(imageUri.parse('/9j/aGk=')).toBe('data:image/jpeg;base64,/9j/aGk=');
  expect(imageUri.parse('iVBORw0KGgo=')).toBe('data:image/png;base64,iVBORw0KGgo=');
  expect(imageUri.parse('')).toBe('');
  expect(imageUri.parse('UklGRiQAAABXRUJQVlA4')).toBe('data:image/webp;base64,UklGRiQAAABXRUJQVlA4');
  expect([image, imageUri].map((one) => one.parse('https://vendor.example/portrait.jpg?a=b'))).toEqual(['', '']);
});

test('companies are identified by type and number', () => {
  expect(companyOf('LIMITED_LIABILITY_PARTNERSHIP:5012')).toEqual({ prefix: 'LLP', type: 'LIMITED_LIABILITY_PARTNERSHIP', number: '5012' });
  const written = ['RC1432074', 'rc 1432074', 'LLP-5012', 'LP5012', 'KD023538', '092932', ''];
  expect(written.map((number) => registeredAs(number, 'BUSINESS_NAME:1'))).toEqual([
    { rc_number: '1432074', company_type: 'COMPANY' },
    { rc_number: '1432074', company_type: 'COMPANY' },
    { rc_number: '5012', company_type: 'LIMITED_LIABILITY_PARTNERSHIP' },
    { rc_number: '5012', company_type: 'LIMITED_PARTNERSHIP' },
    { rc_number: 'KD023538', company_type: 'BUSINESS_NAME' },
    { rc_number: '092932', company_type: 'BUSINESS_NAME' },
    { rc_number: '', company_type: 'BUSINESS_NAME' },
  ]);
  expect(['Active', 'Not Active', 'inactive', 'Dissolved'].map((written) => companyStatus.parse(written))).toEqual([
    'ACTIVE',
    'INACTIVE',
    'INACTIVE',
    'DISSOLVED',
  ]);
});

test('of several spellings the first non-empty one counts, and another type is refused', () => {
  const town = texts({ town: ['residence_Town', 'residence_town'], state: 'state' });
  expect(town.parse({ residence_Town: ' ', residence_town: 'Ketu', more: 1 })).toEqual({ town: 'Ketu', state: '' });
  expect(town.safeParse({ residence_town: 'Ketu', state: 24 }).success).toBe(false);
});

describe('answers and questions that only some records have', () => {
  const ask = (adapter: Adapter, lookup: Pick<Lookup, 'kind' | 'identifier'>, body: object = {}) => {
    const asked: VendorRequest[] = [];
    const http = {
      request: async (request: VendorRequest) => {
        asked.push(request);
        return { status: 200, header: () => undefined, body, answerHash: Buffer.alloc(32) };
      },
      close: async () => {},
    };
    const credentials = Object.fromEntries(adapter.credentials.map((name) => [name, 'secret']));
    const { lookup: look } = adapter.open({ http, credentials, options: {} as never, callbackUrl: null });
    const question: Lookup = { ...lookup, tier: 1, hints: {}, reference: 'r', signal: AbortSignal.timeout(1_000) };
    return { asked, answer: look(question) };
  };

  test('youverify does not guess which of several holders of a number is meant', async () => {
    const holders = (...names: string[]) => ({
      success: true,
      data: { id: 'x', status: 'found', idNumber: '08030000017', phoneDetails: names.map((fullName) => ({ fullName })) },
    });
    const lookup = { kind: 'phone', identifier: '+2348030000017' } as const;
    await expect(ask(youverify, lookup, holders('BISI OKOROCHA', 'UCHE OKOROCHA')).answer).rejects.toMatchObject({ code: 'surprise' });
    await expect(ask(youverify, lookup, holders()).answer).rejects.toMatchObject({ code: 'surprise' });
  });

  test.each([
    ['prembly', prembly, ['70000000017']],
    ['youverify', youverify, ['RC1432074', '70000000017', '1234567890123']],
  ] as const)('%s is not asked for tax numbers in forms it does not know', async (_, adapter, identifiers) => {
    for (const identifier of identifiers) {
      const { asked, answer } = ask(adapter, { kind: 'tin', identifier });
      await expect(answer).rejects.toMatchObject({ code: 'not_configured', elsewhere: true, scope: 'subject' });
      expect(asked).toEqual([]);
    }
  });
});
