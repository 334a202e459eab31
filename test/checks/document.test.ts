/** The announced document checks: formats, links between the invented people's documents, bills, phones, distances, and the way over HTTP. */
import { beforeAll, describe, expect, test } from 'vitest';
import { findCheck } from '../../src/checks/catalog.ts';
import { parseBill } from '../../src/checks/documents/bill.ts';
import { distanceMetres } from '../../src/checks/documents/distance.ts';
import { normalizePhone } from '../../src/checks/phone.ts';
import type { RecordKind } from '../../src/checks/provider.ts';
import {
  licenceOfNin,
  meterOfNin,
  ninOfLicence,
  ninOfMeter,
  ninOfPassport,
  ninOfVoter,
  PERSONA_DOCUMENTS,
  passportOfNin,
  voterOfNin,
} from '../../src/sandbox/document-numbers.ts';
import { PERSONA, phoneOfNin } from '../../src/sandbox/numbers.ts';
import { registries } from '../../src/sandbox/registries.ts';
import { type BatchEntity, type Entity, type TestApp, useApi } from '../setup/api.ts';

/** Spread over the whole range, including the scripted ones. */
const NINS = [
  ...Array.from({ length: 10 }, (_, d) => `0000000000${d}`),
  ...Array.from({ length: 2_000 }, (_, i) => String(10_000_000_019 + i * 44_999_983)),
];
const recordOf = (kind: RecordKind, identifier: string) => registries[kind]!.record(identifier) as Record<string, string>;

describe('the documents of one person', () => {
  test('licence, voter card and meter lead to the NIN and back', () => {
    for (const nin of [...NINS, PERSONA.nin]) {
      expect(ninOfLicence(licenceOfNin(nin))).toBe(nin);
      expect(ninOfVoter(voterOfNin(nin))).toBe(nin);
      expect(ninOfMeter(meterOfNin(nin))).toBe(nin);
      expect(ninOfMeter(`12${meterOfNin(nin)}`)).toBe(nin);
      expect(licenceOfNin(nin)).toMatch(/^[A-Z]{3}\d{5}[A-Z]{2}\d{2}$/);
      expect(voterOfNin(nin)).toMatch(/^[0-9A-F]{19}$|^91F6B1F5BE29535558655586$/);
    }
  });

  test('a passport leads to its holder, and a person without one is told so', () => {
    let holders = 0;
    for (const nin of NINS) {
      const passport = passportOfNin(nin);
      if (passport === undefined) continue;
      holders++;
      expect(passport).toMatch(/^[A-Z]\d{8}$/);
      expect(ninOfPassport(passport)).toBe(nin);
    }
    expect(holders).toBeGreaterThan(30);
  });

  test('every record names the person of the NIN record', () => {
    for (const nin of NINS.slice(0, 300)) {
      const person = recordOf('nin', nin);
      const known: [RecordKind, string | undefined][] = [
        ['drivers_license', licenceOfNin(nin)],
        ['passport', passportOfNin(nin)],
        ['voter_card', voterOfNin(nin)],
        ['address', meterOfNin(nin)],
      ];
      for (const [kind, identifier] of known) {
        if (identifier === undefined) continue;
        expect(registries[kind]!.accepts(identifier), identifier).toBe(true);
        const record = recordOf(kind, identifier);
        expect(record).toMatchObject({
          first_name: person.firstname,
          last_name: person.surname,
          date_of_birth: person.birthdate,
          gender: person.gender,
        });
        if ('lga' in record) expect([record.state, record.lga]).toEqual([person.residence_state, person.residence_lga]);
      }
      expect(recordOf('drivers_license', licenceOfNin(nin)).issuing_state).toBe(person.residence_state);
    }
  });

  test('the values that other vendors publish belong to the persona', () => {
    const numbers: [RecordKind, string][] = [
      ['drivers_license', PERSONA_DOCUMENTS.licence],
      ['drivers_license', PERSONA_DOCUMENTS.olderLicence],
      ['passport', PERSONA_DOCUMENTS.passport],
      ['voter_card', PERSONA_DOCUMENTS.voter],
      ['phone', '+2349011111111'],
      ['address', PERSONA_DOCUMENTS.meter],
    ];
    for (const [kind, number] of numbers) expect(recordOf(kind, number).full_name).toBe('Morenike Precious Durojaiye');
    expect(recordOf('passport', 'A123456788').full_name).toMatch(/\w/);
    expect(recordOf('drivers_license', '10000000001').full_name).toMatch(/\w/);
  });

  test('documents are issued to adults, expire later, and are located in Nigeria', () => {
    for (const nin of NINS.slice(0, 500)) {
      const licence = recordOf('drivers_license', licenceOfNin(nin));
      expect(Number(licence.issue_date!.slice(0, 4)) - Number(licence.date_of_birth!.slice(0, 4))).toBeGreaterThanOrEqual(18);
      expect(licence.issue_date! < licence.expiry_date!).toBe(true);
      expect(recordOf('voter_card', voterOfNin(nin)).polling_unit_code).toMatch(/^(0[1-9]|[12]\d|3[0-7])\/\d{2}\/\d{2}\/\d{3}$/);
      const { latitude, longitude } = recordOf('address', meterOfNin(nin));
      expect(Number(latitude)).toBeGreaterThan(4);
      expect(Number(latitude)).toBeLessThan(14);
      expect(Number(longitude)).toBeGreaterThan(2.7);
      expect(Number(longitude)).toBeLessThan(14.7);
    }
  });

  test("a phone number belongs to its holder; its operator may differ from the prefix's", () => {
    const carriers = NINS.slice(10).map((nin) => recordOf('phone', phoneOfNin(nin).replace(/^0/, '+234')).network_carrier!);
    expect(new Set(carriers)).toEqual(new Set(['MTN', 'AIRTEL', 'GLO', '9MOBILE']));
    const ofMtn = Array.from({ length: 500 }, (_, i) => recordOf('phone', `+234803${String(i * 9973).padStart(7, '0')}`).network_carrier);
    const ported = ofMtn.filter((carrier) => carrier !== 'MTN').length;
    expect(ported).toBeGreaterThan(15);
    expect(ported).toBeLessThan(80);
  });

  test.each<[RecordKind, (digit: number) => string]>([
    ['drivers_license', (d) => `ABC00000000${d}`],
    ['drivers_license', (d) => `AAA00000AA0${d}`],
    ['passport', (d) => `A0000000${d}`],
    ['voter_card', (d) => `${'0'.repeat(18)}${d}`],
    ['phone', (d) => `0000000000${d}`],
    ['address', (d) => `0000000000${d}`],
    ['address', (d) => `000000000000${d}`],
  ])('%s: the last digit after zeros scripts the outcome', (kind, identifier) => {
    const registry = registries[kind]!;
    expect([0, 1, 2, 3, 4, 5, 6, 7].map((digit) => registry.script(identifier(digit)))).toEqual(
      'found not_found found down slow limited_once down_once found'.split(' '),
    );
    expect(registry.accepts(identifier(0))).toBe(true);
    expect((registry.record(identifier(0)) as Entity).last_name).toBe('Tamuno');
  });
});

describe('distance', () => {
  const at = (latitude: number, longitude: number) => ({ latitude, longitude });
  test.each([
    ['the same point', at(6.5, 3.3), at(6.5, 3.3), 0],
    ['a degree of latitude', at(0, 0), at(1, 0), 111_195],
    ['a degree of longitude at 60° north', at(60, 0), at(60, 1), 55_597],
    ['across the date line', at(0, 179.5), at(0, -179.5), 111_195],
    ['antipodes', at(0, 0), at(0, 180), 20_015_115],
    ['pole to pole, whatever the longitude', at(90, 10), at(-90, -120), 20_015_115],
    ['Lagos to Abuja', at(6.4541, 3.3947), at(9.0579, 7.4951), 536_000],
  ])('%s', (_, one, other, metres) => {
    expect(Math.abs(distanceMetres(one, other) - metres)).toBeLessThanOrEqual(Math.max(1, metres * 0.005));
  });
});

describe('phone numbers', () => {
  test.each([
    ['08031234567', '+2348031234567'],
    ['+2348031234567', '+2348031234567'],
    ['2348031234567', '+2348031234567'],
    ['234 803 123 4567', '+2348031234567'],
    ['+234 (0) 803 123 4567', '+2348031234567'],
    ['0803-123-4567', '+2348031234567'],
    ['8031234567', '+2348031234567'],
    ['09011111111', '+2349011111111'],
    ['07012345678', '+2347012345678'],
    ['002348031234567', '+2348031234567'],
    ['00 234 803 123 4567', '+2348031234567'],
    ['09171234567', '+2349171234567'],
    ['+234 (0) 700 123 4567', '+2347001234567'],
    ['0023490012', null],
    ['06031234567', null],
    ['00000000003', '00000000003'],
    ['0803123456', null],
    ['080312345678', null],
    ['+14155552671', null],
    ['+447911123456', null],
    ['012345678', null],
    ['call 08031234567', null],
    ['08031234567 ext 5', null],
    ['', null],
    ['phone', null],
  ])('%j is %j', (written, expected) => expect(normalizePhone(written)).toBe(expected));
});

describe('bills', () => {
  const bill = (text: string) => parseBill(text);
  test.each<[string, string, string | null, string | null, string | null]>([
    [
      'label and value on a line',
      'Meter No: 45012345678\nName: ADA BELLO\nAddress: 1 Unity Close, Ikeja',
      '45012345678',
      'ADA BELLO',
      '1 Unity Close, Ikeja',
    ],
    ['13 digits', 'METER NUMBER: 0101234567890\nCUSTOMER NAME: ADA BELLO', '0101234567890', 'ADA BELLO', null],
    ['spaced groups', 'Meter No. 4501 234 5678\nCustomer: Ada Bello', '45012345678', 'Ada Bello', null],
    ['hyphens', 'Meter Number - 45-0123-45678', '45012345678', null, null],
    [
      'value on the next line',
      'METER NO\n45012345678\nCUSTOMER NAME\nADA BELLO\nADDRESS\n1 UNITY CLOSE',
      '45012345678',
      'ADA BELLO',
      '1 UNITY CLOSE',
    ],
    ['two columns by spaces', 'Name: Ada Bello     Meter No: 45012345678', '45012345678', 'Ada Bello', null],
    ['columns by bars', 'Account Name | Ada Bello | Meter Number | 45012345678', '45012345678', 'Ada Bello', null],
    ['columns by tabs', 'Customer Name\tAda Bello\nMeter Serial No\t45012345678', '45012345678', 'Ada Bello', null],
    ['Windows line ends', 'Meter No: 45012345678\r\nBilled To: Ada Bello\r\n', '45012345678', 'Ada Bello', null],
    ['an account instead of a meter', 'Account No: 10123456789\nAccount Name: Ada Bello', '10123456789', 'Ada Bello', null],
    ['the meter before the account', 'Account Number: 10123456789\nMeter Number: 45012345678', '45012345678', null, null],
    ['meter type first', 'Meter Type: Prepaid\nMeter No: 45012345678', '45012345678', null, null],
    [
      'address of two lines',
      'Service Address: 1 Unity Close\nIkeja, Lagos\nMeter No: 45012345678',
      '45012345678',
      null,
      '1 Unity Close, Ikeja, Lagos',
    ],
    ['apostrophe', "Customer's Name: Ada Bello\nCustomer's Address: 1 Unity Close", null, 'Ada Bello', '1 Unity Close'],
    ['supply address', 'ELECTRICITY BILL\nSupply Address: PLOT 3 GRA ROAD\nTariff: A-Non MD', null, null, 'PLOT 3 GRA ROAD'],
    ['too few digits', 'Meter No: 450123', null, null, null],
    ['12 digits are no meter', 'Meter No: 450123456789', null, null, null],
    ['a name with digits is no name', 'Name: 12345', null, null, null],
    ['equals sign', 'meter no = 45012345678', '45012345678', null, null],
    ['nothing of the kind', 'Thank you for paying your bill.', null, null, null],
    ['nothing at all', '', null, null, null],
  ])('%s', (_, text, meterNumber, name, address) => expect(bill(text)).toEqual({ meterNumber, name, address }));

  test('20,000 characters that look like a number are read at once', () => {
    const started = performance.now();
    expect(bill(`Meter No: ${'1 '.repeat(9_990)}`).meterNumber).toBeNull();
    expect(bill('meter '.repeat(3_300)).meterNumber).toBeNull();
    expect(performance.now() - started).toBeLessThan(200);
  });

  /** A line separator is whitespace that `.` does not match: patterns ending in `.*$` try every way to reach it. */
  test.each([
    ['dots', `Meter${'.'.repeat(19_980)}a\u2028b`],
    ['blanks', `name${'\v'.repeat(9_900)}name${'\v'.repeat(9_900)}a\u2028b`],
    ['colons', `address${':'.repeat(19_900)}a\u2028b`],
    ['labels', 'name\n'.repeat(4_000)],
  ])('20,000 characters of %s behind a label cost milliseconds', (_, text) => {
    const started = performance.now();
    bill(text);
    expect(performance.now() - started).toBeLessThan(200);
  });

  test('a cell is read up to 300 characters', () => {
    expect(bill(`Meter No: ${' .'.repeat(200)} 45012345678`).meterNumber).toBeNull();
    expect(bill(`Address: ${'Unity Close '.repeat(50)}`).address).toHaveLength(291);
  });
});

describe('over HTTP', () => {
  const api = useApi();
  let app: TestApp;
  beforeAll(async () => {
    app = await api.createApp();
  });

  const home = recordOf('address', PERSONA_DOCUMENTS.meter);
  const meter = PERSONA_DOCUMENTS.meter;
  const CALLS: [path: string, stage: string, body: Entity, entity: Entity][] = [
    [
      'drivers-license',
      'coming soon',
      { license_number: 'fkj 49409-ab13', date_of_birth: '1991-04-17' },
      { license_number: 'FKJ49409AB13', full_name: 'Morenike Precious Durojaiye', date_of_birth: '1991-04-17' },
    ],
    [
      'passport',
      'coming soon',
      { passport_number: 'a00123456', last_name: 'DUROJAIYE' },
      { passport_number: 'A00123456', first_name: 'Morenike', last_name: 'Durojaiye', nationality: 'NGA' },
    ],
    [
      'pvc',
      'coming soon',
      { vin_number: PERSONA_DOCUMENTS.voter, state: '', last_name: 'Durojaiye' },
      { full_name: 'Morenike Precious Durojaiye' },
    ],
    [
      'phone',
      'coming soon',
      { phone_number: '0901 111 1111' },
      { phone_number: '+2349011111111', registered_name: 'Morenike Precious Durojaiye' },
    ],
    [
      'address',
      'exploring',
      { meter_number: meter, latitude: Number(home.latitude), longitude: home.longitude },
      { meter_number: meter, lga: home.lga, state: home.state, geolocation_match: true },
    ],
  ];

  test.each(CALLS)(
    '%s answers the envelope with its stage, then from the cache, and 503 to a live key',
    async (path, stage, body, entity) => {
      const first = await app.post(`/v1/verify/${path}`, body);
      expect(first.status, first.text).toBe(200);
      expect(first.body).toMatchObject({ status: 'success', entity, billed_amount: 100, cached: false, meta: { stage } });
      expect((await app.post(`/v1/verify/${path}`, body)).body).toMatchObject({
        entity: first.body.entity,
        billed_amount: 40,
        cached: true,
      });
      const live = await app.live.post(`/v1/verify/${path}`, body);
      expect([live.status, live.text]).toEqual([503, expect.stringContaining('provider_not_configured')]);
    },
  );

  test("a licence's portrait has the type of its bytes", async () => {
    const record = { license_number: 'FKJ49409AB13', full_name: 'Ada Bello', date_of_birth: '1990-01-01', photo: '/9j/aGk=' };
    const answer = await findCheck('drivers_license')!.run({ license_number: 'FKJ49409AB13' }, async () => ({ found: true, record }));
    expect(answer).toMatchObject({ entity: { photo_url: 'data:image/jpeg;base64,/9j/aGk=' } });
  });

  test('a licence brings its portrait without a network', async () => {
    const { body } = await app.post('/v1/verify/drivers-license', { license_number: 'FKJ49409AB13' });
    expect(body.entity.photo_url).toMatch(/^data:image\/png;base64,iVBOR/);
    expect(Object.keys(body.entity)).toEqual(
      'license_number full_name date_of_birth issue_date expiry_date issuing_state photo_url'.split(' '),
    );
  });

  test.each<[string, Entity]>([
    ['drivers-license', { license_number: 'FKJ49409AB13', date_of_birth: '1991-04-18' }],
    ['passport', { passport_number: 'A00123456', last_name: 'Bello' }],
    ['pvc', { vin_number: PERSONA_DOCUMENTS.voter, last_name: 'Bello' }],
    ['pvc', { vin_number: PERSONA_DOCUMENTS.voter, state: 'Atlantis' }],
    ['address', { meter_number: meter, first_name: 'Bello' }],
    ['address', { meter_number: meter, last_name: 'Bello' }],
    ['address', { utility_bill: `Meter No: ${meter}\nName: ADA BELLO` }],
    ['address', { utility_bill: `Meter No: ${meter}\nAddress: 1 Nowhere Lane` }],
  ])('%s refuses what contradicts the record, free of charge: %j', async (path, body) => {
    const own = await api.createApp();
    const answer = await own.post(`/v1/verify/${path}`, body);
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('subject_mismatch')]);
    expect(await own.wallet()).toMatchObject({ available: 100_000, held: 0 });
  });

  test.each([
    ['passport?passport_number=A00123456&surname=Bello', 'surname'],
    ['dl?license_number=FKJ49409AB13&dob=1990-01-01', 'dob'],
  ])('a refusal names the input as the client sent it: %s', async (query, path) => {
    const { status, body } = await app.get<{ error: string; details: unknown[] }>(`/api/v1/kyc/${query}`);
    expect(status).toBe(422);
    expect(body).toMatchObject({
      error: `${path} does not match the record`,
      details: [{ path, message: 'does not match the record', rule: 'subject_mismatch' }],
    });
  });

  test('so does one about a number that is not on record', async () => {
    const answer = await app.get<{ error: string }>('/api/v1/kyc/vin?vin=0000000000000000001');
    expect([answer.status, answer.body.error]).toEqual([404, 'The registry has no record for this vin']);
  });

  test('a bill alone is enough, and coordinates match within 250 m', async () => {
    const utility_bill = `IKEJA ELECTRIC\nMeter No: ${meter}\nCustomer Name: DUROJAIYE MORENIKE\nAddress: ${home.street}, ${home.town}`;
    const match = async (north: number | null) => {
      const point = north === null ? {} : { latitude: String(Number(home.latitude) + north), longitude: home.longitude };
      const answer = await app.post('/v1/verify/address', { utility_bill, last_name: 'Durojaiye', ...point });
      expect(answer.status, answer.text).toBe(200);
      return answer.body.entity.geolocation_match;
    };
    // 0.001° of latitude is 111.2 m.
    expect([await match(null), await match(0.0022), await match(0.0023), await match(-0.0023)]).toEqual([null, true, false, false]);
  });

  const long = 'x'.repeat(200_000);
  test.each<[string, Entity, string]>([
    ['drivers-license', {}, 'license_number'],
    ['drivers-license', { license_number: '' }, 'license_number'],
    ['drivers-license', { license_number: ['FKJ49409AB13'] }, 'license_number'],
    ['drivers-license', { license_number: 12345678901 }, 'license_number'],
    ['drivers-license', { license_number: 'ABCDEFGHIJKL' }, 'license_number'],
    ['drivers-license', { license_number: 'FKJ49409AB13', date_of_birth: '2026-02-30' }, 'date_of_birth'],
    ['drivers-license', { license_number: 'FKJ49409AB13', date_of_birth: '2999-01-01' }, 'date_of_birth'],
    ['drivers-license', { license_number: 'FKJ49409AB13', date_of_birth: ['1991-04-17'] }, 'date_of_birth'],
    ['passport', { last_name: 'Durojaiye' }, 'passport_number'],
    ['passport', { passport_number: 'A0012345', last_name: 'Durojaiye' }, 'passport_number'],
    ['passport', { passport_number: '100123456', last_name: 'Durojaiye' }, 'passport_number'],
    ['passport', { passport_number: 'A00123456' }, 'last_name'],
    ['passport', { passport_number: 'A00123456', last_name: ' ' }, 'last_name'],
    ['passport', { passport_number: 'A00123456', last_name: long }, 'last_name'],
    ['passport', { passport_number: 'A00123456', last_name: 'a\u0000b' }, 'last_name'],
    ['pvc', {}, 'vin_number'],
    ['pvc', { vin_number: '12345678' }, 'vin_number'],
    ['pvc', { vin_number: `${'1'.repeat(30)}` }, 'vin_number'],
    ['pvc', { vin_number: '90F5AFA800294532951', state: {} }, 'state'],
    ['pvc', { vin_number: '90F5AFA800294532951', last_name: ['A'] }, 'last_name'],
    ['phone', {}, 'phone_number'],
    ['phone', { phone_number: 8031234567 }, 'phone_number'],
    ['phone', { phone_number: ['08031234567'] }, 'phone_number'],
    ['phone', { phone_number: '+14155552671' }, 'phone_number'],
    ['phone', { phone_number: '09171234567' }, 'phone_number'],
    ['phone', { phone_number: long }, 'phone_number'],
    ['address', {}, 'meter_number'],
    ['address', { meter_number: '1234' }, 'meter_number'],
    ['address', { meter_number: 45012345678 }, 'meter_number'],
    ['address', { utility_bill: 'no number here' }, 'utility_bill'],
    ['address', { utility_bill: ['Meter'] }, 'utility_bill'],
    ['address', { utility_bill: 'x'.repeat(20_001) }, 'utility_bill'],
    ['address', { meter_number: '45012345679', utility_bill: `Meter No: ${meter}` }, 'meter_number'],
    ['address', { meter_number: meter, latitude: 6.5 }, 'longitude'],
    ['address', { meter_number: meter, longitude: 3.3 }, 'latitude'],
    ['address', { meter_number: meter, latitude: 90.1, longitude: 0 }, 'latitude'],
    ['address', { meter_number: meter, latitude: 0, longitude: -180.1 }, 'longitude'],
    ['address', { meter_number: meter, latitude: 'north', longitude: 0 }, 'latitude'],
    ['address', { meter_number: meter, latitude: [1], longitude: 0 }, 'latitude'],
    ['address', { meter_number: meter, first_name: long }, 'first_name'],
    ['address', { meter_number: meter, last_name: 5 }, 'last_name'],
  ])('%s refuses bad input, case %#', async (path, body, field) => {
    const answer = await app.post(`/v1/verify/${path}`, body);
    expect(answer.status, answer.text).toBe(400);
    expect(JSON.parse(answer.text).details.map((detail: { path: string }) => detail.path)).toContain(field);
  });

  test('a name of 1 MB is refused, naming the field', async () => {
    const answer = await app.post<{ details: { path: string }[] }>('/v1/verify/passport', {
      passport_number: 'A00123456',
      last_name: 'x'.repeat(2 ** 20),
    });
    expect(answer.status).toBe(400);
    expect(answer.body.details).toMatchObject([{ path: 'last_name' }]);
  });

  test('a batch row runs two of the checks', async () => {
    const own = await api.createApp();
    const csv = 'phone_number,license_number\n09011111111,FKJ49409AB13\n00000000001,ABC000000001\n123,FKJ49409AB13\n';
    const accepted = await own.csv('checks=phone,drivers_license', csv);
    expect(accepted.status, accepted.text).toBe(202);
    const batch = await own.ended<BatchEntity>(`/api/v1/batches/${accepted.body.entity.id}`);
    expect(batch.status).toBe('completed');
    const results = await own.get(`/api/v1/batches/${batch.id}/results?format=jsonl`);
    const lines = results.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0].checks.phone.entity.registered_name).toBe('Morenike Precious Durojaiye');
    expect(lines[0].checks.drivers_license.entity.full_name).toBe('Morenike Precious Durojaiye');
    expect(lines[1].checks.phone.outcome).toBe('not_found');
    expect((await own.wallet()).available).toBe(100_000 - 200);
  });
});
