/** The specification's tables, row by row: copied here as they stand there, and checked against the catalogue and the service. */
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { exampleInput } from '../../src/api/openapi/example-inputs.ts';
import { findCheck } from '../../src/checks/catalog.ts';
import { naira } from '../../src/contract/fields.ts';
import { type TestApp, useApi } from '../setup/api.ts';
import * as specification from '../setup/specification.ts';

type FieldType = 'string' | 'number' | 'boolean' | 'integer';
type Fields = Record<string, FieldType>;

interface Row {
  id: string;
  method: 'GET' | 'POST';
  path: string;
  required: string[];
  optional: string[];
  /** Naira. A band bounds the price. */
  price: number | readonly [from: number, to: number];
  /** Naira; absent: the specification gives none. */
  cachedPrice?: number | readonly [from: number, to: number];
  /** As observed. */
  service?: string;
  /** "Entity" tables; absent: not shown there. */
  entity?: Fields;
}

const strings = (...names: string[]): Fields => Object.fromEntries(names.map((name) => [name, 'string']));

const NIN_ADVANCE = strings(...specification.NIN_ADVANCE);
const BVN_FULL = strings(...specification.BVN_FULL);
const CAC_BASIC = strings(...specification.CAC_BASIC);
const FACE_MATCH: Fields = { match_status: 'string', confidence_score: 'number', liveness_verified: 'boolean', threshold: 'number' };
/** Null says what a boolean cannot: that it could not be judged. */
const NULLABLE = new Set(['liveness_verified']);
const AML: Fields = {
  risk_level: 'string',
  pep_detected: 'boolean',
  sanctions_match: 'boolean',
  total_hits: 'integer',
  screened_at: 'string',
};

/** "Endpoint table", rows 1 to 16, with "Billing constants" and the entities of "Resources". */
const available: Row[] = [
  {
    id: 'photoid_verify',
    method: 'POST',
    path: '/api/v1/kyc/photoid/verify',
    required: ['id_type', 'id_number', 'image'],
    optional: [],
    price: 150,
    service: 'face_match',
    entity: FACE_MATCH,
  },
  {
    id: 'aml_screening',
    method: 'POST',
    path: '/api/v1/aml/screening',
    // The specification requires birth and country; here a name alone can be screened too.
    required: ['name'],
    optional: ['date_of_birth', 'country'],
    price: 120,
    service: 'aml_screening',
    entity: AML,
  },
  { id: 'credit_bvn', method: 'GET', path: '/api/v1/credit/bvn', required: ['bvn', 'phone_number'], optional: [], price: 250 },
  { id: 'email_risk', method: 'GET', path: '/api/v1/kyc/email', required: ['email'], optional: [], price: 50 },
  { id: 'nin_basic', method: 'GET', path: '/api/v1/kyc/nin', required: ['nin'], optional: [], price: 125, cachedPrice: 50 },
  {
    id: 'nin_advance',
    method: 'GET',
    path: '/api/v1/kyc/nin/advance',
    required: ['nin'],
    optional: [],
    price: 125,
    cachedPrice: 50,
    service: 'nin_advance',
    entity: NIN_ADVANCE,
  },
  {
    id: 'nin_premium',
    method: 'GET',
    path: '/api/v1/kyc/nin/premium',
    required: ['nin'],
    optional: [],
    price: 150,
    cachedPrice: 50,
    entity: { ...NIN_ADVANCE, ...strings('religion', 'profession') },
  },
  // "listed under NIN tiers"
  {
    id: 'nin_slip',
    method: 'GET',
    path: '/api/v1/kyc/nin/nin_slip',
    required: ['nin'],
    optional: [],
    price: [125, 150],
    cachedPrice: 50,
    entity: strings('tracking_id'),
  },
  {
    id: 'nin_verify',
    method: 'POST',
    path: '/api/v1/kyc/nin/verify',
    required: ['nin', 'selfie_image'],
    optional: ['threshold'],
    price: 150,
  },
  {
    id: 'bvn_match',
    method: 'GET',
    path: '/api/v1/kyc/bvn',
    required: ['bvn'],
    optional: ['first_name', 'last_name', 'dob'],
    price: 95,
    cachedPrice: 38,
  },
  {
    id: 'bvn_full',
    method: 'GET',
    path: '/api/v1/kyc/bvn/full',
    required: ['bvn'],
    optional: [],
    price: 95,
    cachedPrice: 38,
    service: 'bvn',
    entity: BVN_FULL,
  },
  {
    id: 'bvn_advance',
    method: 'GET',
    path: '/api/v1/kyc/bvn/advance',
    required: ['bvn'],
    optional: [],
    price: [125, 150],
    cachedPrice: 38,
    entity: BVN_FULL,
  },
  {
    id: 'bvn_verify',
    method: 'POST',
    path: '/api/v1/kyc/bvn/verify',
    required: ['bvn', 'selfie_image'],
    optional: ['threshold'],
    price: [125, 150],
  },
  {
    id: 'cac_basic',
    method: 'GET',
    path: '/api/v1/kyc/cac/basic',
    required: ['rc_number'],
    optional: ['company_type'],
    price: 120,
    cachedPrice: 48,
    service: 'cac_basic',
    entity: CAC_BASIC,
  },
  {
    id: 'cac_advance',
    method: 'GET',
    path: '/api/v1/kyc/cac/advance',
    required: ['rc_number'],
    optional: ['company_type'],
    price: 250,
    cachedPrice: 100,
    entity: CAC_BASIC,
  },
  { id: 'tin', method: 'GET', path: '/api/v1/kyc/tin', required: ['tin'], optional: [], price: 90 },
];

/** "Planned endpoints": path, label, attributes. */
const planned = [
  {
    id: 'verify_cac',
    path: '/v1/verify/cac',
    label: 'in sandbox preview',
    attributes: ['rc_number', 'company_name', 'incorporation_date', 'directors', 'shareholders', 'status'],
  },
  {
    id: 'drivers_license',
    path: '/v1/verify/drivers-license',
    label: 'coming soon',
    attributes: ['license_number', 'full_name', 'date_of_birth', 'expiry_date', 'photo_url'],
  },
  {
    id: 'passport',
    path: '/v1/verify/passport',
    label: 'coming soon',
    attributes: ['passport_number', 'first_name', 'last_name', 'nationality', 'expiry_date'],
  },
  {
    id: 'pvc',
    path: '/v1/verify/pvc',
    label: 'coming soon',
    attributes: ['vin_number', 'full_name', 'polling_unit', 'ward', 'lga', 'state'],
  },
  {
    id: 'face_match',
    path: '/v1/verify/biometrics/face-match',
    label: 'development',
    attributes: ['confidence_score', 'match_result', 'liveness_detected', 'spoof_risk'],
  },
  {
    id: 'verify_tin',
    path: '/v1/verify/tin',
    label: 'development',
    attributes: ['tin', 'taxpayer_name', 'tax_office', 'filing_status', 'registration_date'],
  },
  {
    id: 'phone',
    path: '/v1/verify/phone',
    label: 'coming soon',
    attributes: ['phone_number', 'registered_name', 'network_carrier', 'sim_activation_date'],
  },
  {
    id: 'address',
    path: '/v1/verify/address',
    label: 'exploring',
    attributes: ['verified_address', 'meter_number', 'lga', 'state', 'geolocation_match'],
  },
];

// The examples hold no picture of anybody: faces are compared in test/api/faces.test.ts.
const api = useApi({ CONFAM_FACE_MODELS: '/nowhere' });
let app: TestApp;
beforeAll(async () => {
  app = await api.createApp();
});

function checkOf(id: string) {
  const check = findCheck(id);
  if (!check) throw new Error(`${id} is not in the catalogue`);
  return check;
}

interface Schema {
  properties?: Record<string, { type?: string | string[]; anyOf?: { type?: string }[] }>;
  required?: string[];
}
const inputOf = (id: string): Schema => z.toJSONSchema(checkOf(id).input, { io: 'input', unrepresentable: 'any' }) as Schema;
const entityOf = (id: string): Schema => z.toJSONSchema(checkOf(id).entity, { unrepresentable: 'any' }) as Schema;

/** By the documentation's example; throws if there is none. */
function call(id: string) {
  const { route } = checkOf(id);
  const input = exampleInput(checkOf(id));
  if (!input) throw new Error(`no example input of ${id} in src/api/openapi/example-inputs.ts`);
  return route.method === 'GET' ? app.get(`${route.path}?${new URLSearchParams(input)}`) : app.post(route.path, input);
}

function expectPrice(found: number, listed: number | readonly [number, number]): void {
  const [from, to] = typeof listed === 'number' ? [listed, listed] : listed;
  expect(found).toBeGreaterThanOrEqual(from);
  expect(found).toBeLessThanOrEqual(to);
}

/** A whole number may be declared where the specification says number, but not the reverse. */
function expectTypes(value: Record<string, unknown>, fields: Fields): void {
  for (const [name, type] of Object.entries(fields)) {
    if (type === 'integer') expect(Number.isInteger(value[name]), name).toBe(true);
    else expect(typeof value[name], name).toBe(type);
  }
}

describe('the endpoint table', () => {
  it('has sixteen rows', () => expect(available).toHaveLength(16));

  it.each(available)('$id: $method $path', ({ id, method, path }) => {
    expect(checkOf(id).route).toEqual({ method, path });
    expect(checkOf(id).stage).toBeNull();
  });

  it.each(available)('$id takes its inputs', ({ id, required, optional }) => {
    const input = inputOf(id);
    expect(input.required ?? []).toEqual(expect.arrayContaining(required));
    // It may accept more inputs, but not require them.
    expect(input.required).toHaveLength(required.length);
    expect(Object.keys(input.properties!)).toEqual(expect.arrayContaining([...required, ...optional]));
  });

  it.each(available)('$id costs its listed rate', ({ id, price, cachedPrice }) => {
    expectPrice(naira(checkOf(id).priceKobo), price);
    if (cachedPrice !== undefined) expectPrice(naira(checkOf(id).cachedPriceKobo), cachedPrice);
    if (checkOf(id).cacheable) expect(checkOf(id).cachedPriceKobo).toBeLessThan(checkOf(id).priceKobo);
  });

  it.each(available.filter((row) => row.service))('$id is called $service', ({ id, service }) => {
    expect(checkOf(id).service).toBe(service);
  });

  it.each(available.filter((row) => row.entity))('$id declares the fields of its entity', ({ id, entity }) => {
    const declared = entityOf(id);
    for (const [name, type] of Object.entries(entity!)) {
      const member = declared.properties?.[name];
      const found = NULLABLE.has(name) ? [member?.type ?? member?.anyOf?.map((one) => one.type)].flat(2)[0] : member?.type;
      expect(type === 'number' ? ['number', 'integer'] : [type], name).toContain(found);
      expect(declared.required, name).toContain(name);
    }
  });

  it.each(available)(
    '$id answers a test key in the envelope, or says that it is not served',
    async ({ id, price, entity = {}, service }) => {
      const { status, body } = await call(id);
      if (status === 503) {
        expect(body).toMatchObject({ status: 'error', code: 'provider_not_configured', error: expect.any(String) });
        return;
      }
      expect(body.error).toBeUndefined();
      expect(Object.keys(body).sort()).toEqual(['billed_amount', 'cached', 'entity', 'meta', 'status']);
      expect(body).toMatchObject({
        status: 'success',
        cached: expect.any(Boolean),
        meta: { request_id: expect.stringMatching(/^req_/), service: service ?? checkOf(id).service },
      });
      expect(Number.isInteger(body.meta.latency_ms)).toBe(true);
      if (!body.cached) expectPrice(body.billed_amount, price);
      expectTypes(body.entity, entity);
      expect(checkOf(id).entity.safeParse(body.entity).error).toBeUndefined();
    },
  );

  it.each(available)('$id costs the cached price the second time, if it is ever answered from the cache', async ({ id }) => {
    if ((await call(id)).status === 503) return;
    const { body } = await call(id);
    expect(body).toMatchObject({ cached: checkOf(id).cacheable, billed_amount: naira(checkOf(id).cachedPriceKobo) });
  });
});

describe('planned endpoints', () => {
  it('number eight', () => expect(planned).toHaveLength(8));

  it.each(planned)('$id: POST $path, $label', ({ id, path, label }) => {
    expect(checkOf(id).route).toEqual({ method: 'POST', path });
    expect(checkOf(id).stage).toBe(label);
  });

  it.each(planned)('$id declares its attributes', ({ id, attributes }) => {
    expect(entityOf(id).required).toEqual(expect.arrayContaining(attributes));
  });

  it.each(planned)('$id answers a test key with its label, or says that it is not served', async ({ id, label, attributes }) => {
    const { status, body } = await call(id);
    if (status === 503) {
      expect(body.code).toBe('provider_not_configured');
      return;
    }
    expect(body.error).toBeUndefined();
    expect(body.meta).toMatchObject({ stage: label, service: checkOf(id).service });
    expect(Object.keys(body.entity)).toEqual(expect.arrayContaining(attributes));
    expect(checkOf(id).entity.safeParse(body.entity).error).toBeUndefined();
  });

  it.each(planned)('$id tells a live key that it is not served', async ({ id }) => {
    const input = exampleInput(checkOf(id)) ?? {};
    const { status, body } = await app.live.post(checkOf(id).route.path, input);
    expect([status, body.code]).toEqual([503, 'provider_not_configured']);
  });
});
