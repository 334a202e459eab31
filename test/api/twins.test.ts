/** The same question in another spelling is asked once: for every check of the catalog, within a batch, and against single calls and the cache. */
import { describe, expect, test } from 'vitest';
import { sampleInput } from '../../bench/inputs.ts';
import { checks } from '../../src/checks/catalog.ts';
import type { Check } from '../../src/checks/check.ts';
import { ninOfBvn } from '../../src/sandbox/numbers.ts';
import { personOf } from '../../src/sandbox/people.ts';
import { registries } from '../../src/sandbox/registries.ts';
import { type BatchEntity, type Client, type Entity, useApi } from '../setup/api.ts';

const api = useApi();

type Input = Record<string, unknown>;

interface Spellings {
  /** All of them ask the same. */
  same: Input[];
  /** Each asks something other than `same` and the rest. */
  other: Input[];
}

const NIN = '70123456789';
const BVN = '22312345670';
const bvnPhone = personOf(ninOfBvn(BVN)).phone;
const passportName = String(registries.passport!.record('B12345678')!.last_name);
const { image } = sampleInput('photoid_verify', 0)!;

const eleven = (name: string): Spellings => ({
  same: [NIN, ` ${NIN}`, `${NIN}\t`].map((number) => ({ [name]: number })),
  other: [{ [name]: '70123456780' }],
});
const company: Spellings = {
  same: [
    { rc_number: '612345' },
    { rc_number: '0612345' },
    { rc_number: 'RC612345' },
    { rc_number: 'rc-00 612 345', company_type: '' },
    { rc_number: '612345', company_type: 'COMPANY' },
    { rc_number: 'RC612345', company_type: ' company ' },
  ],
  other: [{ rc_number: 'BN612345' }, { rc_number: '6123450' }, { rc_number: '612345', company_type: 'INCORPORATED_TRUSTEES' }],
};
const taxNumber: Spellings = {
  same: [{ tin: 'RC612345' }, { tin: 'rc 612345' }, { tin: 'RC-0612345' }],
  other: [{ tin: '18609323-0001' }, { tin: '1860932300' }],
};
const selfie = (owner: Input, name: string): Spellings => ({
  same: [
    { ...owner, [name]: image, threshold: '0.8' },
    { ...owner, [name]: image!.replace(/=+$/, ''), threshold: 80 },
    { ...owner, [name]: `data:image/jpeg;base64,${image}`, threshold: ' 80.0 ' },
    { ...owner, [name]: image!.replace(/(.{76})/g, '$1\r\n'), threshold: '0.80' },
  ],
  other: [
    { ...owner, [name]: image },
    { ...owner, [name]: image, threshold: 81 },
  ],
});
const idSelfie: Spellings = {
  same: [...selfie({ id_type: 'NIN', id_number: NIN }, 'image').same, { id_type: 'nin ', id_number: NIN, image, threshold: 80 }],
  other: [{ id_type: 'BVN', id_number: NIN, image, threshold: 80 }],
};

const spellings: Record<string, Spellings> = {
  nin_basic: eleven('nin'),
  nin_advance: eleven('nin'),
  nin_premium: eleven('nin'),
  nin_slip: eleven('nin'),
  bvn_full: eleven('bvn'),
  bvn_advance: eleven('bvn'),
  bvn_match: {
    same: [
      { bvn: BVN, first_name: 'Adé Ola', last_name: 'Okonkwo-Bello', phone_number: '08031234567' },
      { bvn: BVN, first_name: 'ADE  OLA', last_name: 'okonkwo bello ', phone_number: '+234 803 123 4567', middle_name: '' },
      { bvn: BVN, first_name: 'Mr Ade Ola', last_name: 'Okonkwo Bello', phone_number: '2348031234567', dob: null },
    ],
    other: [{ bvn: BVN }, { bvn: BVN, first_name: 'Ade Ola' }, { bvn: BVN, first_name: 'Ola Ade' }, { bvn: BVN, last_name: 'Ade Ola' }],
  },
  cac_basic: company,
  cac_advance: company,
  cac_screening: company,
  verify_cac: company,
  tin: taxNumber,
  verify_tin: taxNumber,
  credit_bvn: {
    same: [bvnPhone, bvnPhone.replace(/^0/, '+234'), bvnPhone.replace(/^0/, '234'), bvnPhone.replace(/(\d{4})(\d{3})/, '$1 $2-')].map(
      (phone_number) => ({ bvn: BVN, phone_number }),
    ),
    other: [{ bvn: BVN, phone_number: '08031234567' }],
  },
  drivers_license: {
    same: ['ABC12345DE67', 'abc-12345-de67', ' ABC 12345 DE 67'].map((license_number) => ({ license_number })),
    other: [{ license_number: 'ABC12345DE68' }, { license_number: 'ABC12345DE67', date_of_birth: '1990-01-31' }],
  },
  passport: {
    same: [
      { passport_number: 'B12345678', last_name: passportName },
      { passport_number: 'b 1234-5678', last_name: ` ${passportName.toUpperCase()} ` },
      { passport_number: 'B12345678', last_name: passportName.toLowerCase().normalize('NFD') },
    ],
    other: [
      { passport_number: 'B12345679', last_name: passportName },
      { passport_number: 'B12345678', last_name: 'Somebody' },
    ],
  },
  pvc: {
    same: [
      { vin_number: '90F5B1C9E1000000000' },
      { vin_number: '90f5 b1c9 e100 0000 000', state: '' },
      { vin_number: '90F5-B1C9-E100-0000-000', last_name: ' ' },
    ],
    other: [{ vin_number: '90F5B1C9E1000000001' }, { vin_number: '90F5B1C9E1000000000', state: 'Lagos' }],
  },
  phone: {
    same: ['08031234567', '+2348031234567', '234 803 123 4567', '0803-123-4567'].map((phone_number) => ({ phone_number })),
    other: [{ phone_number: '08031234568' }],
  },
  address: {
    same: [
      { meter_number: '45000000007', latitude: '6.5', longitude: 3.3 },
      { meter_number: '4500-0000 007', latitude: '+6.50', longitude: '3.30' },
      { utility_bill: 'Meter No: 45000000007', latitude: 6.5, longitude: '3.3' },
      { utility_bill: 'MTR No. 4500 0000 007', latitude: 6.5, longitude: '3.3', first_name: '' },
    ],
    other: [{ meter_number: '45000000007' }, { meter_number: '45000000014', latitude: '6.5', longitude: 3.3 }],
  },
  aml_screening: {
    same: [
      { name: 'Adaeze Okonjo-Bello', country: 'ng', gender: 'f', threshold: 80, lists: 'un_sc,ofac_sdn' },
      { name: ' ADAEZE  OKONJO BELLO ', country: 'NG', gender: 'Female', threshold: '0.8', lists: 'ofac_sdn, un_sc', monitor: false },
      { name: 'Okonjo-Bello, Adaeze', country: 'NG', gender: 'female', threshold: '0.80', lists: ['ofac_sdn', 'un_sc', 'un_sc'] },
    ],
    other: [
      { name: 'Adaeze Okonjo-Bello', country: 'NG' },
      { name: 'Adaeze Okonjo-Bello', country: 'GH' },
      { name: 'Adaeze Okonjo-Bella', country: 'NG' },
    ],
  },
  email_risk: {
    same: ['ada@bücher.example', 'ADA@BÜCHER.example', ' ada@xn--bcher-kva.example', '"ada"@bücher.example'].map((email) => ({ email })),
    other: [{ email: 'ada+shop@bücher.example' }, { email: 'bola@bücher.example' }],
  },
  photoid_verify: idSelfie,
  face_match: idSelfie,
  photoid_compare: selfie({ photoid_image: image }, 'selfie_image'),
  nin_verify: selfie({ nin: NIN }, 'selfie_image'),
  bvn_verify: selfie({ bvn: BVN }, 'selfie_image'),
};

const ask = (client: Client, check: Check, input: Input) => {
  const { method, path } = check.route;
  if (method === 'POST') return client.post(path, input);
  const given = Object.entries(input).filter(([, value]) => value !== null && value !== '');
  return client.get(`${path}?${new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))}`);
};
const quote = async (client: Client, check: Check, rows: Input[]) => {
  const { body, text } = await client.post<Entity>('/api/v1/batches/quote', { checks: [check.id], rows });
  expect(body.status, text).toBe('success');
  return body.entity.counts as { jobs: number; duplicate: number; invalid: number; expected_cache_hits: number };
};

describe.each(checks.map((check) => [check.id, check] as const))('%s', (id, check) => {
  const { same, other } = spellings[id] ?? { same: [], other: [] };

  test('counts rows that ask the same as one, and all others separately', async () => {
    expect(same.length, `spellings of ${id}`).toBeGreaterThan(1);
    const app = await api.createApp();
    expect(await quote(app, check, [...same, ...other])).toMatchObject({ jobs: 1 + other.length, duplicate: same.length - 1, invalid: 0 });
  });

  test.skipIf(check.family === 'face')('looks up and charges one question of a batch once, however often it is asked', async () => {
    const app = await api.createApp();
    const { body, text } = await app.post<BatchEntity>('/api/v1/batches', { checks: [id], rows: same });
    expect(body.status, text).toBe('success');
    const done = await app.ended<BatchEntity>(`/api/v1/batches/${body.entity.id}`);
    expect(done).toMatchObject({ counts: { jobs: 1, found: 1, duplicate: same.length - 1 }, billed_amount: check.priceKobo / 100 });
  });

  test.runIf(check.cacheable)('answers every other spelling of a single call from the cache', async () => {
    const app = await api.createApp();
    const first = await ask(app, check, same[0]!);
    expect([first.status, first.body.cached], first.text).toEqual([200, false]);
    for (const input of same.slice(1)) {
      const again = await ask(app, check, input);
      expect([again.status, again.body.cached], again.text).toEqual([200, true]);
    }
    expect((await quote(app, check, same)).expected_cache_hits).toBe(1);
  });
});
