/** Our own contract: the envelope of the interface specification and the entities that our sandbox answers. */
import { expect } from 'vitest';
import { native } from '../../src/providers/adapters/native.ts';
import type { Recorded, Reply, VendorCase, VendorFixture } from './vendor.ts';

const success = (entity: unknown): Reply => ({
  status: 200,
  body: { status: 'success', entity, billed_amount: 125, cached: false, meta: { request_id: 'req_1', service: 'x', latency_ms: 5 } },
});
const refusal = (status: number, code: string): Reply => ({
  status,
  body: { status: 'error', error: 'A sentence', code, meta: { request_id: 'req_2' } },
});

const NIN = '70000000017';
const ninRecord = {
  nin: NIN,
  firstname: 'Bisi',
  surname: 'Okorocha',
  middlename: '',
  gender: 'FEMALE',
  birthdate: '1990-02-03',
  telephoneno: '08030000017',
};
const bvnRecord = { bvn: '22000000017', first_name: 'Bisi', last_name: 'Okorocha', date_of_birth: '1990-02-03', image: 'aGVsbG8=' };
const company = {
  rc_number: '1432074',
  company_name: 'PALM GATE LIMITED',
  company_type: 'COMPANY',
  registration_date: '2011-01-05',
  status: 'ACTIVE',
  share_capital: 1_000_000,
  directors: [{ surname: 'Okorocha', firstname: 'Bisi' }],
};
const licence = { license_number: 'ABC12345DE67', full_name: 'Bisi Okorocha', date_of_birth: '1990-02-03', expiry_date: '2027-01-01' };
const passport = { passport_number: 'A12345678', first_name: 'Bisi', last_name: 'Okorocha', nationality: 'NGA', expiry_date: '2030-01-01' };
const voter = { vin_number: '90F5B1234567890123A', full_name: 'Bisi Okorocha', ward: 'W', lga: 'L', state: 'Lagos' };
const phone = { phone_number: '+2348030000017', network_carrier: 'MTN', sim_activation_date: '2020-01-01' };

const call = (
  about: Pick<VendorCase, 'kind' | 'tier' | 'identifier' | 'hints'>,
  sent: VendorCase['sent'],
  entity: Record<string, unknown>,
  record = entity,
): VendorCase => ({ ...about, sent, reply: success(entity), record, reference: 'req_1' });
const get = (path: string, query: Record<string, string>) => ({ method: 'GET', path, query });
const post = (path: string, body: unknown) => ({ method: 'POST', path, body });

const credentials = { key: 'cf_live_secret', app_id: 'app_mine' };
const authenticate = ({ headers }: Recorded) =>
  expect(headers).toMatchObject({ authorization: credentials.key, appid: credentials.app_id });

const failures: VendorFixture['failures'] = {
  invalid: [refusal(400, 'invalid_request'), { status: 400, body: { error: 'BVN must be 11 digits' } }],
  out_of_credit: [refusal(402, 'insufficient_funds'), refusal(403, 'spending_cap_exceeded')],
  unauthorized: [refusal(401, 'unauthenticated'), refusal(403, 'forbidden')],
  mismatch: [refusal(422, 'subject_mismatch')],
  no_consent: [refusal(422, 'no_consent')],
  down: [refusal(424, 'provider_failed'), refusal(503, 'provider_unavailable')],
  surprise: [refusal(404, 'resource_not_found'), refusal(405, 'method_not_allowed'), refusal(400, 'service_not_subscribed')],
};

export const nativeCalls: VendorFixture = {
  name: 'native, calls',
  adapter: native,
  credentials,
  authenticate,
  cases: [
    call({ kind: 'nin', tier: 1, identifier: NIN }, get('/api/v1/kyc/nin', { nin: NIN }), ninRecord),
    call({ kind: 'nin', tier: 2, identifier: NIN }, get('/api/v1/kyc/nin/nin_slip', { nin: NIN }), ninRecord),
    call({ kind: 'nin', tier: 3, identifier: NIN }, get('/api/v1/kyc/nin/advance', { nin: NIN }), ninRecord),
    call({ kind: 'nin', tier: 4, identifier: NIN }, get('/api/v1/kyc/nin/premium', { nin: NIN }), ninRecord),
    call({ kind: 'bvn', tier: 1, identifier: '22000000017' }, get('/api/v1/kyc/bvn/full', { bvn: '22000000017' }), bvnRecord),
    call({ kind: 'bvn', tier: 2, identifier: '22000000017' }, get('/api/v1/kyc/bvn/advance', { bvn: '22000000017' }), bvnRecord),
    call(
      { kind: 'cac', tier: 1, identifier: 'COMPANY:1432074' },
      get('/api/v1/kyc/cac/basic', { rc_number: '1432074', company_type: 'COMPANY' }),
      company,
    ),
    call(
      { kind: 'cac', tier: 2, identifier: 'COMPANY:1432074' },
      get('/api/v1/kyc/cac/advance', { rc_number: '1432074', company_type: 'COMPANY' }),
      company,
    ),
    call({ kind: 'cac', tier: 1, identifier: 'LIMITED_PARTNERSHIP:1432074' }, get('/api/v1/kyc/cac/basic', { rc_number: 'LP1432074' }), {
      ...company,
      company_type: 'LIMITED_PARTNERSHIP',
    }),
    call(
      { kind: 'cac', tier: 2, identifier: 'LIMITED_LIABILITY_PARTNERSHIP:1432074' },
      get('/api/v1/kyc/cac/advance', { rc_number: 'LLP1432074' }),
      { ...company, company_type: 'LIMITED_LIABILITY_PARTNERSHIP' },
    ),
    call({ kind: 'tin', tier: 1, identifier: '12345678-0001' }, get('/api/v1/kyc/tin', { tin: '12345678-0001' }), {
      search: '12345678-0001',
      taxpayer_name: 'PALM GATE LIMITED',
    }),
    call(
      { kind: 'drivers_license', tier: 1, identifier: 'ABC12345DE67', hints: { dateOfBirth: '1990-02-03' } },
      post('/v1/verify/drivers-license', { license_number: 'ABC12345DE67', date_of_birth: '1990-02-03' }),
      { ...licence, photo_url: 'data:image/png;base64,aGVsbG8=' },
      { ...licence, photo: 'aGVsbG8=' },
    ),
    call(
      { kind: 'drivers_license', tier: 1, identifier: 'ABC12345DE67' },
      post('/v1/verify/drivers-license', { license_number: 'ABC12345DE67' }),
      { ...licence, photo_url: 'https://vendor.example/portrait.jpg' },
      { ...licence, photo: '' },
    ),
    call(
      { kind: 'passport', tier: 1, identifier: 'A12345678', hints: { lastName: 'Okorocha' } },
      post('/v1/verify/passport', { passport_number: 'A12345678', last_name: 'Okorocha' }),
      passport,
    ),
    call(
      { kind: 'voter_card', tier: 1, identifier: '90F5B1234567890123A', hints: { state: 'Lagos' } },
      post('/v1/verify/pvc', { vin_number: '90F5B1234567890123A', state: 'Lagos' }),
      voter,
    ),
    call(
      { kind: 'phone', tier: 1, identifier: '+2348030000017' },
      post('/v1/verify/phone', { phone_number: '+2348030000017' }),
      { ...phone, registered_name: 'Bisi Okorocha' },
      { ...phone, full_name: 'Bisi Okorocha' },
    ),
  ],
  notFound: [refusal(404, 'record_not_found')],
  failures: {
    ...failures,
    surprise: [
      ...failures.surprise!,
      success({ ...ninRecord, nin: '70000000025' }),
      success({ ...ninRecord, surname: ' ' }),
      success({ ...ninRecord, birthdate: '03/02/1990' }),
    ],
  },
};

const JOB = 'job_000000000000000000000001';
const jobReply = (status: number, members: object): Reply => ({
  status,
  body: {
    status: 'success',
    entity: { id: JOB, object: 'job', outcome: null, error: null, result: null, ...members },
    meta: { request_id: 'r' },
  },
});
const completed = (result: unknown) => jobReply(200, { status: 'completed', outcome: 'found', result });
const queued = jobReply(202, { status: 'queued' });
/** The services by path, and the check that each is as a job. */
const CHECKS: Record<string, string> = {
  '/api/v1/kyc/nin': 'nin_basic',
  '/api/v1/kyc/nin/nin_slip': 'nin_slip',
  '/api/v1/kyc/nin/advance': 'nin_advance',
  '/api/v1/kyc/nin/premium': 'nin_premium',
  '/api/v1/kyc/bvn/full': 'bvn_full',
  '/api/v1/kyc/bvn/advance': 'bvn_advance',
  '/api/v1/kyc/cac/basic': 'cac_basic',
  '/api/v1/kyc/cac/advance': 'cac_advance',
  '/api/v1/kyc/tin': 'tin',
  '/v1/verify/drivers-license': 'drivers_license',
  '/v1/verify/passport': 'passport',
  '/v1/verify/pvc': 'pvc',
  '/v1/verify/phone': 'phone',
};
const submitted = ({ path, query, body }: VendorCase['sent']) => post('/api/v1/jobs', { check: CHECKS[path], input: query ?? body });
const failed = (code: string) => jobReply(200, { status: 'failed', error: { code, message: 'A sentence' } });

export const nativeJobs: VendorFixture = {
  ...nativeCalls,
  name: 'native, jobs',
  options: { mode: 'jobs', wait_seconds: 2 },
  cases: nativeCalls.cases.map((one) => ({
    ...one,
    sent: submitted(one.sent),
    reply: completed((one.reply.body as { entity: unknown }).entity),
    reference: JOB,
  })),
  notFound: [jobReply(200, { status: 'completed', outcome: 'not_found' })],
  failures: {
    ...failures,
    invalid: [...failures.invalid!, failed('invalid_identifier')],
    mismatch: [...failures.mismatch!, failed('subject_mismatch')],
    no_consent: [...failures.no_consent!, failed('no_consent')],
    down: [...failures.down!, failed('provider_failed')],
    surprise: [...failures.surprise!, completed({ ...ninRecord, surname: '' }), jobReply(200, { status: 'dreaming' })],
  },
  pending: [
    {
      kind: 'nin',
      tier: 1,
      identifier: NIN,
      sent: post('/api/v1/jobs', { check: 'nin_basic', input: { nin: NIN } }),
      reply: queued,
      ticket: JOB,
      stillPending: jobReply(200, { status: 'leased' }),
      answered: completed(ninRecord),
      record: ninRecord,
    },
  ],
  reconcile: { answered: completed(ninRecord), unknown: queued },
};
