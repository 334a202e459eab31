/**
 * The announced document checks: driver's licence, passport, voter card, phone and address. Any provider that serves the kind of record can answer
 * them; until one is connected, that is the sandbox. The requests are our own design, since the specification shows none (`docs/previews.md`), and so
 * are price and cached price: ₦100 and ₦40.
 */
import { z } from 'zod';
import { compareGivenNames, compareSurnames } from '../names/compare.ts';
import { foldName, plainly } from '../names/fold.ts';
import { CheckRefusal, defineCheck, project } from './check.ts';
import { type Bill, parseBill } from './documents/bill.ts';
import { distanceMetres } from './documents/distance.ts';
import { imageUri, optionalBirthDate, optionalText, requiredText, written } from './inputs.ts';
import { assignedMobileNumber } from './phone.ts';

const PRICES = { priceKobo: 100_00, cachedPriceKobo: 40_00 } as const;
/** Each kind has one tier: the whole record. */
const TIER = 1;
const BILL_CHARACTERS_MAX = 20_000;
/** Coordinates this close to the meter count as at the address: the compound or street, plus the GPS error of a phone in a built-up area. */
const ADDRESS_RADIUS_METRES = 250;

/** A number that may be written with spaces and hyphens, in either case. */
const documentNumber = (form: RegExp, rule: string) =>
  written(
    'number',
    z
      .string()
      .max(40, 'must be at most 40 characters')
      .transform((value) => value.replace(/[\s-]/g, '').toUpperCase())
      .refine((value) => form.test(value), rule),
  );

const degrees = (max: number) =>
  z
    .union([z.string(), z.number()], 'must be a number of degrees')
    .optional()
    .transform((value) => (value === undefined || value === '' ? undefined : String(value).trim()))
    .refine(
      (value) => value === undefined || (/^[+-]?\d{1,3}(\.\d{1,20})?$/.test(value) && Math.abs(Number(value)) <= max),
      `must be decimal degrees from -${max} to ${max}`,
    )
    .transform((value) => (value === undefined ? undefined : String(Number(value))));

const text = z.string();
const date = text.describe('YYYY-MM-DD');

/** Throws unless the supplied value matches the record. `what`: the part of the input that does not. */
function refuseUnless(matches: boolean, field: string, what = field): void {
  if (!matches) throw new CheckRefusal(`${what} does not match the record`, 'subject_mismatch', field);
}

const isSurname = (supplied: string, onRecord: unknown): boolean => compareSurnames(supplied, String(onRecord)).status;

/** Some sources of voter cards do not give the surname separately. */
const isHolder = (supplied: string, { last_name, full_name }: Record<string, unknown>): boolean =>
  last_name
    ? isSurname(supplied, last_name)
    : String(full_name)
        .split(/[\s,]+/)
        .some((word) => isSurname(supplied, word));

const isGivenName = (supplied: string, { first_name, middle_name }: Record<string, unknown>): boolean =>
  compareGivenNames(supplied, String(first_name), String(middle_name ?? '')).status;

/** The capital territory goes by three names. */
const isState = (supplied: string, onRecord: unknown): boolean => stateName(supplied) === stateName(String(onRecord));

function stateName(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/state$/, '');
  return name === 'abuja' || name === 'federalcapitalterritory' ? 'fct' : name;
}

export const licenceNumber = documentNumber(
  /^(?=.*\d)[A-Z0-9]{9,15}$/,
  'must be 9 to 15 letters and digits, such as ABC12345DE67',
).describe('Three letters, five digits, two letters, two digits; older forms are accepted. Spaces and hyphens are ignored');

const licenceEntity = z.object({
  license_number: text,
  full_name: text,
  date_of_birth: date,
  issue_date: date,
  expiry_date: date,
  issuing_state: text,
  photo_url: text.describe('Portrait as a data: URI; nothing has to be fetched'),
});

const driversLicence = defineCheck({
  id: 'drivers_license',
  family: 'document',
  summary: "Holder, birth date, issue and expiry of a driver's licence, with portrait",
  method: 'POST',
  path: '/v1/verify/drivers-license',
  stage: 'coming soon',
  input: z.object({
    license_number: licenceNumber,
    date_of_birth: optionalBirthDate.describe('YYYY-MM-DD; refused if it differs from the record'),
  }),
  entity: licenceEntity,
  images: ['photo_url'],
  ...PRICES,
  needs: { all: { drivers_license: TIER } },
  entityIsRecord: false,
  subject: (input) => input.license_number,
  async run(input, lookup) {
    const answer = await lookup('drivers_license', TIER, input.license_number, { hints: { dateOfBirth: input.date_of_birth } });
    if (!answer.found) return answer;
    const { record } = answer;
    refuseUnless(input.date_of_birth === undefined || input.date_of_birth === record.date_of_birth, 'date_of_birth');
    return {
      found: true,
      entity: project(licenceEntity, { ...record, photo_url: imageUri(String(record.photo ?? '')) }),
    };
  },
});

const passportEntity = z.object({
  passport_number: text,
  first_name: text,
  last_name: text,
  nationality: text.describe('Three letters, ICAO 9303: NGA'),
  expiry_date: date,
});

export const passportNumber = documentNumber(/^[A-Z]\d{8,9}$/, 'must be a letter and 8 or 9 digits').describe('A letter and 8 digits');

const passport = defineCheck({
  id: 'passport',
  family: 'document',
  summary: 'Holder, nationality and expiry of an international passport',
  method: 'POST',
  path: '/v1/verify/passport',
  stage: 'coming soon',
  input: z.object({
    passport_number: passportNumber,
    last_name: requiredText(100).describe('Surname of the holder; refused if it differs from the record'),
  }),
  entity: passportEntity,
  ...PRICES,
  needs: { all: { passport: TIER } },
  entityIsRecord: false,
  subject: (input) => input.passport_number,
  // Vendors receive the name, and may compare it more strictly than we do.
  question: ({ passport_number, last_name }) => JSON.stringify([passport_number, plainly(last_name)]),
  async run(input, lookup) {
    const answer = await lookup('passport', TIER, input.passport_number, { hints: { lastName: input.last_name } });
    if (!answer.found) return answer;
    refuseUnless(isSurname(input.last_name, answer.record.last_name), 'last_name');
    return { found: true, entity: project(passportEntity, answer.record) };
  },
});

const voterEntity = z.object({
  vin_number: text,
  full_name: text,
  polling_unit: text,
  polling_unit_code: text.describe('State/LGA/ward/unit: SS/LL/WW/PPP'),
  ward: text,
  lga: text,
  state: text,
});

export const voterNumber = documentNumber(/^(?=.*\d)[A-Z0-9]{9,29}$/, 'must be 9 to 29 letters and digits').describe(
  'Voter identification number, commonly 19 letters and digits. Spaces and hyphens are ignored',
);

const voterCard = defineCheck({
  id: 'pvc',
  family: 'document',
  summary: 'Holder and polling unit of a permanent voter card',
  method: 'POST',
  path: '/v1/verify/pvc',
  stage: 'coming soon',
  input: z.object({
    vin_number: voterNumber,
    state: optionalText.describe('State of registration; refused if it differs from the record'),
    last_name: optionalText.describe('Surname of the holder; refused if it differs from the record'),
  }),
  entity: voterEntity,
  ...PRICES,
  needs: { all: { voter_card: TIER } },
  entityIsRecord: false,
  subject: (input) => input.vin_number,
  question: ({ vin_number, state, last_name }) => JSON.stringify([vin_number, state && stateName(state), last_name && plainly(last_name)]),
  async run(input, lookup) {
    const answer = await lookup('voter_card', TIER, input.vin_number, {
      hints: { lastName: input.last_name, state: input.state },
    });
    if (!answer.found) return answer;
    const { record } = answer;
    refuseUnless(input.state === undefined || isState(input.state, record.state), 'state');
    refuseUnless(input.last_name === undefined || isHolder(input.last_name, record), 'last_name');
    return { found: true, entity: project(voterEntity, record) };
  },
});

const phoneEntity = z.object({
  phone_number: text.describe('E.164'),
  registered_name: text,
  network_carrier: text.describe(
    'Current operator of the number; ported numbers keep their prefix, so the prefix does not identify the operator',
  ),
  sim_activation_date: date,
});

const phone = defineCheck({
  id: 'phone',
  family: 'document',
  summary: 'Registered holder, operator and activation of a Nigerian mobile number',
  method: 'POST',
  path: '/v1/verify/phone',
  stage: 'coming soon',
  input: z.object({ phone_number: assignedMobileNumber }),
  entity: phoneEntity,
  ...PRICES,
  needs: { all: { phone: TIER } },
  entityIsRecord: false,
  subject: (input) => input.phone_number,
  async run(input, lookup) {
    const answer = await lookup('phone', TIER, input.phone_number);
    if (!answer.found) return answer;
    return { found: true, entity: project(phoneEntity, { ...answer.record, registered_name: answer.record.full_name }) };
  },
});

const addressEntity = z.object({
  verified_address: text,
  meter_number: text,
  lga: text,
  state: text,
  geolocation_match: z
    .boolean()
    .nullable()
    .describe(`Whether the coordinates lie within ${ADDRESS_RADIUS_METRES} m of the meter; null: no coordinates were sent`),
});

const METER = /^(\d{11}|\d{13})$/;
const METER_RULE = 'must be a string of 11 or 13 digits';
export const meterNumber = documentNumber(METER, METER_RULE).describe('Electricity meter, 11 or 13 digits');

const addressInput = z
  .object({
    first_name: optionalText.describe('First name of the customer; refused if it differs from the record'),
    last_name: optionalText.describe('Surname of the customer; refused if it differs from the record'),
    meter_number: written(
      'number',
      optionalText
        .transform((value) => value?.replace(/[\s-]/g, ''))
        .refine((value) => value === undefined || METER.test(value), METER_RULE)
        .describe('Electricity meter, 11 or 13 digits. Required unless the bill states it'),
    ),
    utility_bill: z
      .string()
      .trim()
      .max(BILL_CHARACTERS_MAX, `must be at most ${BILL_CHARACTERS_MAX} characters`)
      .optional()
      .transform((value) => value || undefined)
      .describe("Text of an electricity bill. Its meter number is looked up; its customer's name and address are compared with the record"),
    latitude: degrees(90).describe('Decimal degrees; together with longitude'),
    longitude: degrees(180).describe('Decimal degrees; together with latitude'),
  })
  .superRefine((input, context) => {
    const complain = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (input.latitude !== undefined && input.longitude === undefined) complain('longitude', 'is required with latitude');
    if (input.longitude !== undefined && input.latitude === undefined) complain('latitude', 'is required with longitude');
    const onBill = billOf(input)?.meterNumber ?? null;
    if (input.meter_number === undefined && input.utility_bill === undefined)
      complain('meter_number', 'is required unless utility_bill states it');
    else if (input.meter_number === undefined && onBill === null)
      complain('utility_bill', 'contains no meter or account number of 11 or 13 digits');
    else if (input.meter_number !== undefined && onBill !== null && input.meter_number !== onBill)
      complain('meter_number', 'does not match the bill');
  });

const billOf = (input: { utility_bill?: string | undefined }): Bill | null =>
  input.utility_bill === undefined ? null : parseBill(input.utility_bill);

/** The schema guarantees that there is one. */
const meterOf = (input: z.infer<typeof addressInput>): string => input.meter_number ?? billOf(input)!.meterNumber!;

/** A bill is represented by what is read from it, so two bills with the same content are one question. */
function questionOfAddress(input: z.infer<typeof addressInput>): string {
  const bill = billOf(input);
  const names = [input.first_name, input.last_name].map((name) => name && foldName(name).words.join(' '));
  const written = [bill?.name, bill?.address].map((text) => text && plainly(text));
  return JSON.stringify([meterOf(input), names, written, input.latitude, input.longitude]);
}

const address = defineCheck({
  id: 'address',
  family: 'document',
  summary: 'Address of an electricity meter, against a bill and coordinates',
  method: 'POST',
  path: '/v1/verify/address',
  stage: 'exploring',
  input: addressInput,
  entity: addressEntity,
  ...PRICES,
  needs: { all: { address: TIER } },
  entityIsRecord: false,
  subject: meterOf,
  question: questionOfAddress,
  async run(input, lookup) {
    const answer = await lookup('address', TIER, meterOf(input));
    if (!answer.found) return answer;
    const { record } = answer;
    refuseUnless(input.first_name === undefined || isGivenName(input.first_name, record), 'first_name');
    refuseUnless(input.last_name === undefined || isSurname(input.last_name, record.last_name), 'last_name');
    refuseForeignBill(billOf(input), record);
    const verified = [record.street, record.town, record.lga, record.state].filter((part, at, all) => part && part !== all[at - 1]);
    return {
      found: true,
      entity: {
        verified_address: verified.join(', '),
        meter_number: String(record.meter_number),
        lga: String(record.lga),
        state: String(record.state),
        geolocation_match: isThere(input, record),
      },
    };
  },
});

/** Refuses a bill whose customer lacks the recorded surname, or whose address names neither the street, town, LGA nor state on record. */
function refuseForeignBill(bill: Bill | null, record: Record<string, unknown>): void {
  const isNamed = bill?.name?.split(/[\s,]+/).some((word) => isSurname(word, record.last_name));
  refuseUnless(isNamed !== false || isSurname(bill!.name!, record.last_name), 'utility_bill', 'the customer');
  const written = bill?.address?.toLowerCase();
  const places = [record.street, record.town, record.lga, record.state === 'FCT' ? 'Abuja' : record.state];
  refuseUnless(
    written === undefined || places.some((place) => place && written.includes(String(place).toLowerCase())),
    'utility_bill',
    'the address',
  );
}

function isThere(input: z.infer<typeof addressInput>, record: Record<string, unknown>): boolean | null {
  if (input.latitude === undefined || input.longitude === undefined) return null;
  const supplied = { latitude: Number(input.latitude), longitude: Number(input.longitude) };
  const meter = { latitude: Number(record.latitude), longitude: Number(record.longitude) };
  return distanceMetres(supplied, meter) <= ADDRESS_RADIUS_METRES;
}

export const documentChecks = [driversLicence, passport, voterCard, phone, address];
