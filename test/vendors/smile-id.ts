/** Smile ID: Enhanced KYC and Business Verification, as its documentation and its public server SDKs show them. All people are invented. */
import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { smileId } from '../../src/providers/adapters/smile-id.ts';
import {
  BVN,
  bvnAdvance,
  bvnFound,
  bvnFull,
  companyFound,
  companyRecord,
  NIN,
  ninFound,
  ninRecord,
  RC,
  TIN,
  taxFound,
  taxRecord,
} from './smile-id-subjects.ts';
import type { Recorded, Reply, VendorCase, VendorFixture } from './vendor.ts';

export const credentials = { partner_id: '0851', api_key: '6c1f0d0a-smile-secret' };

/** The documented formula, implemented independently. */
export const signatureAt = (timestamp: string): string =>
  createHmac('sha256', credentials.api_key)
    .update(timestamp, 'utf8')
    .update(credentials.partner_id, 'utf8')
    .update('sid_request', 'utf8')
    .digest('base64');

/** The conformance suite's reference. */
const jobOf = (kind: string, tier: number) => `f0f0f0f0-0000-7000-8000-000000000001-${kind}-${tier}`;
const partnerParams = (jobId: string, job_type: number) => ({ job_id: jobId, user_id: jobId, job_type });

export const result = (jobId: string, ResultCode: string, members: object = {}) => ({
  JSONVersion: '1.0.0',
  SmileJobID: '0000003071',
  PartnerParams: partnerParams(jobId, 5),
  ResultType: 'ID Verification',
  ResultText: 'A sentence',
  ResultCode,
  IsFinalResult: 'true',
  Actions: { Verify_ID_Number: 'Verified', Return_Personal_Info: 'Returned' },
  ...members,
  timestamp: '2026-11-20T10:46:49.392Z',
  signature: signatureAt('2026-11-20T10:46:49.392Z'),
});
const found = (jobId: string, members: object) => result(jobId, '1012', members);

const reply = (body: unknown, status = 200): Reply => ({ status, body });
export const refusal = (code: string, status = 400): Reply => reply({ error: 'A sentence', code, success: false }, status);

const sent = (path: string, jobId: string, job_type: number, input: object) => ({
  method: 'POST',
  path: `/v1/${path}`,
  body: { source_sdk: 'rest_api', source_sdk_version: '1.0.0', partner_params: partnerParams(jobId, job_type), country: 'NG', ...input },
});

const lookup = (
  about: Pick<VendorCase, 'kind' | 'tier' | 'identifier'>,
  product: 'id_verification' | 'business_verification',
  input: object,
  members: object,
  record: Record<string, string>,
): VendorCase => {
  const jobId = jobOf(about.kind, about.tier);
  return {
    ...about,
    sent: sent(product, jobId, product === 'id_verification' ? 5 : 7, input),
    reply: reply(found(jobId, members)),
    record,
    reference: '0000003071',
  };
};

const cases: VendorCase[] = [
  lookup({ kind: 'nin', tier: 1, identifier: NIN }, 'id_verification', { id_type: 'NIN_V2', id_number: NIN }, ninFound, ninRecord),
  lookup({ kind: 'bvn', tier: 1, identifier: BVN }, 'id_verification', { id_type: 'BVN', id_number: BVN }, bvnFound, bvnFull),
  lookup({ kind: 'bvn', tier: 2, identifier: BVN }, 'id_verification', { id_type: 'BVN', id_number: BVN }, bvnFound, bvnAdvance),
  lookup(
    { kind: 'cac', tier: 1, identifier: `COMPANY:${RC}` },
    'business_verification',
    { id_type: 'BUSINESS_REGISTRATION', id_number: RC, business_type: 'co' },
    companyFound,
    companyRecord,
  ),
  lookup(
    { kind: 'tin', tier: 1, identifier: TIN },
    'business_verification',
    { id_type: 'TAX_INFORMATION', id_number: TIN },
    taxFound,
    taxRecord,
  ),
];

const job = jobOf('nin', 1);
export const statusOf = (members: object): Reply =>
  reply({ timestamp: '2026-11-20T10:46:49.392Z', signature: signatureAt('2026-11-20T10:46:49.392Z'), job_success: false, ...members });
/** The result is a summary; the history has everything. */
export const completed = (jobId: string, members: object): Reply => {
  const { Actions: _, ...summary } = result(jobId, '1012');
  return statusOf({ code: '2302', job_complete: true, job_success: true, result: summary, history: [found(jobId, members)] });
};

const refused: VendorFixture['failures'] = {
  unauthorized: [refusal('2204'), refusal('2205'), refusal('2405'), refusal('2220', 403)],
  out_of_credit: [refusal('', 402)],
  down: [refusal('2201'), refusal('2401')],
  surprise: [refusal('2212'), refusal('2213'), refusal('2413'), reply({ message: 'Forbidden' }, 400), reply({ success: false })],
};

export const smileIdSync: VendorFixture = {
  name: 'smile_id, sync',
  adapter: smileId,
  credentials,
  authenticate({ body }: Recorded) {
    const { partner_id, timestamp, signature } = body as Record<string, string>;
    expect(partner_id).toBe(credentials.partner_id);
    expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Math.abs(Date.now() - Date.parse(timestamp!))).toBeLessThan(60_000);
    expect(signature).toBe(signatureAt(timestamp!));
  },
  bare: ({ partner_id: _, timestamp: __, signature: ___, ...body }) => body,
  cases,
  notFound: [reply(result(job, '1013', { IDNumber: NIN, FullData: {} }))],
  failures: {
    ...refused,
    invalid: [reply(result(job, '1014'))],
    unauthorized: [...refused.unauthorized!, reply(result(job, '1016'))],
    down: [...refused.down!, reply(result(job, '1015'))],
    surprise: [
      ...refused.surprise!,
      reply(result(job, '1022')),
      reply(found('another-job', ninFound)),
      reply(found(job, { ...ninFound, IDNumber: '71200450047' })),
      reply(found(job, { ...ninFound, DOB: 'NaN-NaN-NaN' })),
      reply(found(job, { ...ninFound, FullData: { ...ninFound.FullData, surname: 'Not Available' } })),
      reply(found(job, { ...ninFound, FullData: {} })),
    ],
  },
  reconcile: { answered: completed(job, ninFound), unknown: refusal('2303') },
};

const now = new Date().toISOString();

export const smileIdAsync: VendorFixture = {
  ...smileIdSync,
  name: 'smile_id, async',
  options: { mode: 'async' },
  cases: [],
  notFound: [],
  failures: refused,
  pending: cases.map(({ reply: answer, ...one }) => {
    const members = answer.body as Record<string, unknown>;
    const jobId = jobOf(one.kind, one.tier);
    const { path, body } = one.sent;
    return {
      ...one,
      sent: {
        method: 'POST',
        path: path.replace('/v1/', '/v1/async_'),
        body: { ...(body as object), callback_url: 'https://confam.example/v1/upstreams/vendor/callback' },
      },
      reply: reply({ success: true }),
      ticket: jobId,
      stillPending: statusOf({ code: '2302', job_complete: false, result: {}, history: [] }),
      answered: completed(jobId, members),
      message: { headers: {}, body: JSON.stringify({ ...members, timestamp: now, signature: signatureAt(now) }) },
    };
  }),
};
