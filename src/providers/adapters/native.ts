/**
 * Calls this service's own published contract: any vendor of the API family, or another Confam. `mode: calls` uses single calls. `mode: jobs` submits a job
 * with an idempotency key, waits briefly and then polls; it suits vendors whose registries answer slowly.
 */
import { z } from 'zod';
import { isRequestable } from '../../checks/cac.ts';
import { type Answer, type Hints, type Lookup, ProviderFailure, type Receipt, type RecordKind } from '../../checks/provider.ts';
import { defineAdapter, expectShape, type Vendor } from '../adapter.ts';
import { receiptOf, type VendorRequest, type VendorResponse } from '../vendor-http.ts';
import { companyOf, image } from './mapping.ts';

/** One check of the contract: how to ask for it, and how to turn its entity into a record. */
interface Service {
  check: string;
  method: 'GET' | 'POST';
  path: string;
  input(identifier: string, hints: Hints): Record<string, string | undefined>;
  /** Default: the entity is the record. */
  record?(entity: Record<string, unknown>): Record<string, unknown>;
}

const nin = (check: string, path: string): Service => ({ check, method: 'GET', path, input: (id) => ({ nin: id }) });
const bvn = (tier: string): Service => ({
  check: `bvn_${tier}`,
  method: 'GET',
  path: `/api/v1/kyc/bvn/${tier}`,
  input: (id) => ({ bvn: id }),
});
const cac = (tier: string): Service => ({
  check: `cac_${tier}`,
  method: 'GET',
  path: `/api/v1/kyc/cac/${tier}`,
  input: (identifier) => {
    const { prefix, number, type } = companyOf(identifier);
    return isRequestable(type) ? { rc_number: number, company_type: type } : { rc_number: `${prefix}${number}` };
  },
});

/** Tiers of each kind, in order. */
const services: Partial<Record<RecordKind, readonly Service[]>> = {
  nin: [
    nin('nin_basic', '/api/v1/kyc/nin'),
    nin('nin_slip', '/api/v1/kyc/nin/nin_slip'),
    nin('nin_advance', '/api/v1/kyc/nin/advance'),
    nin('nin_premium', '/api/v1/kyc/nin/premium'),
  ],
  bvn: [bvn('full'), bvn('advance')],
  cac: [cac('basic'), cac('advance')],
  tin: [{ check: 'tin', method: 'GET', path: '/api/v1/kyc/tin', input: (tin) => ({ tin }) }],
  drivers_license: [
    {
      check: 'drivers_license',
      method: 'POST',
      path: '/v1/verify/drivers-license',
      input: (license_number, { dateOfBirth }) => ({ license_number, date_of_birth: dateOfBirth }),
      record: ({ photo_url, ...entity }) => ({ ...entity, photo: image.catch('').parse(photo_url) }),
    },
  ],
  passport: [
    {
      check: 'passport',
      method: 'POST',
      path: '/v1/verify/passport',
      input: (passport_number, { lastName }) => ({ passport_number, last_name: lastName }),
    },
  ],
  voter_card: [
    {
      check: 'pvc',
      method: 'POST',
      path: '/v1/verify/pvc',
      input: (vin_number, { lastName, state }) => ({ vin_number, last_name: lastName, state }),
    },
  ],
  phone: [
    {
      check: 'phone',
      method: 'POST',
      path: '/v1/verify/phone',
      input: (phone_number) => ({ phone_number }),
      record: ({ registered_name, ...entity }) => ({ ...entity, full_name: registered_name }),
    },
  ],
};

/** For the receipt only: an answer without it is as good. */
const meta = z.looseObject({ request_id: z.string().optional() }).optional().catch(undefined);

const success = z.looseObject({ entity: z.record(z.string(), z.unknown()), meta });

/** The body of a refusal; other vendors of the family may leave members out. */
const refused = z.looseObject({ code: z.string().optional().catch(undefined), meta });

const job = z.looseObject({
  id: z.string().min(1),
  status: z.enum(['queued', 'leased', 'completed', 'failed', 'canceled']),
  outcome: z.enum(['found', 'not_found']).nullish(),
  result: z.record(z.string(), z.unknown()).nullish(),
  error: z.looseObject({ code: z.string() }).nullish(),
});
const jobAnswer = z.looseObject({ entity: job });

/** First poll interval; it grows with the wait (`pending.ts`). */
const POLL_MS = 1_000;
/** Keys tried for one look-up: a vendor repeats a failure for the same key forever. */
const KEYS = 5;

export const native = defineAdapter({
  id: 'native',
  credentials: ['key', 'app_id'],
  baseUrl: null,
  options: z.strictObject({
    mode: z.enum(['calls', 'jobs']).default('calls').describe('`jobs`: submit and poll, for registries that answer slowly'),
    wait_seconds: z.number().int().min(0).max(25).default(5).describe('How long to wait for a submitted job before polling it'),
  }),
  serves: () => Object.fromEntries(Object.entries(services).map(([kind, tiers]) => [kind, tiers.length])),
  open(vendor) {
    const call = (lookup: Lookup) => askCall(vendor, lookup);
    if (vendor.options.mode === 'calls') return { lookup: call };
    return {
      lookup: (lookup) => submitJob(vendor, lookup, vendor.options.wait_seconds),
      poll: (ticket, lookup) => pollJob(vendor, ticket, lookup),
      // The key shows whether the job arrived: the vendor answers a known key again and accepts an unknown one now.
      reconcile: (lookup) => submitJob(vendor, lookup, 0),
    };
  },
});

type Native = Vendor<'key' | 'app_id', { mode: 'calls' | 'jobs'; wait_seconds: number }>;

const serviceOf = ({ kind, tier }: Lookup): Service => services[kind]![tier - 1]!;

function send(vendor: Native, request: VendorRequest): Promise<VendorResponse> {
  const { key, app_id } = vendor.credentials;
  return vendor.http.request({ ...request, headers: { Authorization: key, AppId: app_id, ...request.headers } });
}

async function askCall(vendor: Native, lookup: Lookup): Promise<Answer> {
  const service = serviceOf(lookup);
  const input = service.input(lookup.identifier, lookup.hints);
  const { method, path } = service;
  const response = await send(vendor, {
    method,
    path,
    signal: lookup.signal,
    ...(method === 'GET' ? { query: input } : { json: input, headers: { 'Idempotency-Key': keyOf(lookup, 0) } }),
  });
  if (response.status !== 200) return refusalOf(response);
  const { entity, meta } = expectShape(success, response.body, receiptOf(response));
  return { ...foundIn(service, entity), receipt: receiptOf(response, null, meta?.request_id) };
}

const foundIn = (service: Service, entity: Record<string, unknown>) => ({
  found: true as const,
  record: service.record?.(entity) ?? entity,
});

/** One job may look up several records; each gets its own key. */
const keyOf = ({ reference, kind, tier }: Lookup, n: number): string => [reference, kind, tier, ...(n > 0 ? [n] : [])].join('-');

async function submitJob(vendor: Native, lookup: Lookup, waitSeconds: number): Promise<Answer> {
  const service = serviceOf(lookup);
  for (let n = 0; ; n++) {
    const response = await send(vendor, {
      method: 'POST',
      path: '/api/v1/jobs',
      headers: { 'Idempotency-Key': keyOf(lookup, n), ...(waitSeconds > 0 && { Prefer: `wait=${waitSeconds}` }) },
      json: { check: service.check, input: service.input(lookup.identifier, lookup.hints) },
      signal: lookup.signal,
    });
    if (response.status > 202) return refusalOf(response);
    const { id } = expectShape(jobAnswer, response.body, receiptOf(response)).entity;
    if (response.header('idempotency-replayed') !== 'true') return readJob(service, response);
    // A replayed answer is a copy of the first one and may be out of date.
    const known = await pollJob(vendor, id, lookup).catch((error: unknown) => {
      if (n + 1 < KEYS && error instanceof ProviderFailure && error.receipt?.reference === id) return null;
      throw error;
    });
    if (known) return known;
  }
}

async function pollJob(vendor: Native, id: string, lookup: Lookup): Promise<Answer> {
  const response = await send(vendor, { method: 'GET', path: `/api/v1/jobs/${encodeURIComponent(id)}`, signal: lookup.signal });
  return response.status === 200 ? readJob(serviceOf(lookup), response) : refusalOf(response);
}

function readJob(service: Service, response: VendorResponse): Answer {
  const { entity } = expectShape(jobAnswer, response.body, receiptOf(response));
  const receipt = receiptOf(response, entity.error?.code ?? entity.outcome ?? entity.status, entity.id);
  if (entity.status === 'queued' || entity.status === 'leased') return { pending: entity.id, askAgainMs: POLL_MS, receipt };
  if (entity.status === 'completed' && entity.outcome === 'not_found') return { found: false, receipt };
  if (entity.status === 'completed' && entity.result) return { ...foundIn(service, entity.result), receipt };
  throw failureOf(entity.error?.code, response.status, receipt, { ended: true });
}

/** Returns "no record", and throws for any other refusal. */
function refusalOf(response: VendorResponse): Answer {
  const { code, meta } = refused.catch({}).parse(response.body);
  const receipt = receiptOf(response, code, meta?.request_id);
  if (code === 'record_not_found') return { found: false, receipt };
  throw failureOf(code, response.status, receipt);
}

/** Classifies by code if there is one; other vendors of the family send only the status. */
function failureOf(code: string | undefined, status: number, receipt: Receipt, { ended = false } = {}): ProviderFailure {
  if (code === 'insufficient_funds' || code === 'spending_cap_exceeded' || status === 402)
    return new ProviderFailure('out_of_credit', { receipt });
  if (status === 401 || status === 403) return new ProviderFailure('unauthorized', { receipt });
  if (code === 'subject_mismatch') return new ProviderFailure('mismatch', { receipt });
  if (code === 'no_consent') return new ProviderFailure('no_consent', { receipt });
  if (code === 'invalid_identifier' || code === 'invalid_request') return new ProviderFailure('invalid', { receipt });
  if (code === undefined && status === 400) return new ProviderFailure('invalid', { receipt });
  if (code === 'idempotency_in_progress' || status === 424 || status < 400) return new ProviderFailure('down', { receipt, ended });
  return new ProviderFailure('surprise', { receipt, detail: `status ${status}` });
}
