/**
 * Smile ID, REST API v1 with signed requests. `mode: async` suits registries that are often down: the vendor keeps trying, and we fetch its answer when it
 * announces one, or at intervals. `docs/vendors/smile_id.md` says what was verified against what.
 */
import { createHmac } from 'node:crypto';
import { JSONParser } from '@streamparser/json';
import { z } from 'zod';
import { type Answer, type FailureCode, type Lookup, ProviderFailure, type VendorMessage } from '../../checks/provider.ts';
import { sameSecret } from '../../foundation/crypto.ts';
import { DAY_MS } from '../../foundation/time.ts';
import { defineAdapter, expectShape, type Vendor } from '../adapter.ts';
import { receiptOf, type VendorResponse } from '../vendor-http.ts';
import { type Service, services, tiers } from './smile-id-services.ts';

const refusal = z.looseObject({ code: z.string(), error: z.string() });
const accepted = z.looseObject({ success: z.literal(true) });

/** Members that every result has, whatever it says about the subject. */
const outcome = z.looseObject({
  /** For the receipt only. */
  SmileJobID: z.string().optional().catch(undefined),
  ResultCode: z.string(),
  PartnerParams: z.looseObject({ job_id: z.string().min(1) }),
});

const jobStatus = z.looseObject({
  code: z.string(),
  job_complete: z.boolean(),
  result: z.unknown().optional(),
  history: z.array(z.unknown()).nullish(),
});

const FOUND = '1012';
const NO_RECORD = '1013';
/** Codes of results: malformed number, registry down, product not activated. */
const results: Record<string, FailureCode> = { 1014: 'invalid', 1015: 'down', 1016: 'unauthorized' };

const JOB_EXISTS = '2215';
const JOB_KNOWN = '2302';
/** Codes of refusals: system error; wrong signature or timestamp; production not enabled. */
const refusals: Record<string, FailureCode> = {
  2201: 'down',
  2301: 'down',
  2401: 'down',
  2204: 'unauthorized',
  2205: 'unauthorized',
  2405: 'unauthorized',
  2220: 'unauthorized',
};
const refusalsByStatus: Record<number, FailureCode> = { 401: 'unauthorized', 402: 'out_of_credit', 403: 'unauthorized' };

/** Most jobs sent for one question. */
const JOBS = 5;
/** Poll interval if the vendor also calls back, and if it does not. */
const POLL_MS = { withCallback: 60_000, withoutCallback: 10_000 };
const CALLBACK_AGE_MS_MAX = DAY_MS;

export const smileId = defineAdapter({
  id: 'smile_id',
  credentials: ['partner_id', 'api_key'],
  baseUrl: 'https://api.smileidentity.com',
  options: z.strictObject({
    mode: z.enum(['sync', 'async']).default('sync').describe('`async`: the vendor keeps asking a registry that is down, and answers later'),
  }),
  serves: () => tiers,
  open(vendor) {
    const asked = {
      lookup: (lookup: Lookup) => ask(vendor, lookup, ticketOf(lookup)),
      poll: (ticket: string, lookup: Lookup) => follow(vendor, lookup, ticket),
      reconcile: (lookup: Lookup) => reconcile(vendor, lookup),
    };
    return vendor.options.mode === 'sync' ? asked : { ...asked, receive: (message) => readCallback(vendor, message) };
  },
});

type Smile = Vendor<'partner_id' | 'api_key', { mode: 'sync' | 'async' }>;

/** Sends the question's `n`th job. */
async function ask(smile: Smile, lookup: Lookup, ticket: string, n = 0): Promise<Answer> {
  const service = services[lookup.kind]!;
  const input = service.input(lookup.identifier);
  if (!input) throw new ProviderFailure('not_configured', { scope: 'subject' });
  const isAsync = smile.options.mode === 'async';
  const jobId = jobIdOf(ticket, n);
  const response = await send(smile, `${isAsync ? 'async_' : ''}${service.product}`, lookup.signal, {
    source_sdk: 'rest_api',
    source_sdk_version: '1.0.0',
    partner_params: { job_id: jobId, user_id: ticket, job_type: service.jobType },
    country: 'NG',
    ...input,
    ...(isAsync && smile.callbackUrl && { callback_url: smile.callbackUrl }),
  });
  const refused = refusalOf(response);
  if (refused === JOB_EXISTS) return follow(smile, lookup, ticket, n);
  if (refused !== null) throw failureOf(refused, response);
  if (!isAsync) return readResult(service, lookup, jobId, response.body, response);
  const receipt = receiptOf(response);
  expectShape(accepted, response.body, receipt);
  return { ...later(smile, ticket), receipt };
}

/** Reads the state of a job that the vendor holds; a failed one is sent again. */
async function follow(smile: Smile, lookup: Lookup, ticket: string, n = 0): Promise<Answer> {
  const known = await knownJob(smile, lookup, ticket, n);
  return known === 'failed' ? ask(smile, lookup, ticket, n + 1) : (known ?? later(smile, ticket));
}

/** The vendor reference: the same for every attempt at one record of a job. It is our user id and the id of the first job. */
const ticketOf = ({ reference, kind, tier }: Lookup): string => [reference, kind, tier].join('-');
const jobIdOf = (ticket: string, n: number): string => (n === 0 ? ticket : `${ticket}-${n}`);

const later = (smile: Smile, ticket: string) => ({
  pending: ticket,
  askAgainMs: smile.options.mode === 'async' && smile.callbackUrl ? POLL_MS.withCallback : POLL_MS.withoutCallback,
});

async function reconcile(smile: Smile, lookup: Lookup): Promise<Answer | null> {
  for (let n = 0; ; n++) {
    const known = await knownJob(smile, lookup, ticketOf(lookup), n);
    if (known !== 'failed') return known;
  }
}

/** Null: the vendor does not know the job. `failed`: permanently, so only a new job can bring an answer. */
async function knownJob(smile: Smile, lookup: Lookup, ticket: string, n: number): Promise<Answer | null | 'failed'> {
  return fetchJob(smile, lookup, ticket, jobIdOf(ticket, n)).catch((error: unknown) => {
    if (n + 1 < JOBS && error instanceof ProviderFailure && error.retryable && error.receipt?.reference) return 'failed';
    throw error;
  });
}

async function fetchJob(smile: Smile, lookup: Lookup, ticket: string, jobId: string): Promise<Answer | null> {
  const response = await send(smile, 'job_status', lookup.signal, { job_id: jobId, user_id: ticket, history: true, image_links: false });
  const refused = refusalOf(response);
  if (refused !== null) {
    const failure = failureOf(refused, response);
    // Its refusal of an unknown job is undocumented: whatever matches nothing else.
    if (failure.code === 'surprise') return null;
    throw failure;
  }
  const { code, job_complete, result, history } = expectShape(jobStatus, response.body, receiptOf(response));
  if (!job_complete) return code === JOB_KNOWN ? { ...later(smile, ticket), receipt: receiptOf(response, code) } : null;
  const results = [result, ...(history ?? [])]
    .flatMap((one) => outcome.safeParse(one).data ?? [])
    .filter(({ PartnerParams }) => PartnerParams.job_id === jobId);
  // The result may be a summary; the history holds everything that was sent to the callback.
  const whole = results.find((one) => one.ResultCode === FOUND && (one.FullData || one.company_information)) ?? results[0];
  return readResult(services[lookup.kind]!, lookup, jobId, whole, response);
}

function readResult(service: Service, lookup: Lookup, jobId: string, body: unknown, response: VendorResponse): Answer {
  const result = expectShape(outcome, body, receiptOf(response));
  const receipt = receiptOf(response, result.ResultCode, result.SmileJobID);
  if (result.PartnerParams.job_id !== jobId)
    throw new ProviderFailure('surprise', { receipt, detail: "PartnerParams.job_id: another job's" });
  if (result.ResultCode === NO_RECORD) return { found: false, receipt };
  if (result.ResultCode === FOUND) return { found: true, record: service.record(body, lookup, receipt), receipt };
  throw new ProviderFailure(results[result.ResultCode] ?? 'surprise', { receipt, detail: 'ResultCode' });
}

function send(smile: Smile, path: string, signal: AbortSignal, body: object): Promise<VendorResponse> {
  const timestamp = new Date().toISOString();
  const signed = { partner_id: smile.credentials.partner_id, timestamp, signature: sign(smile, timestamp) };
  return smile.http.request({ method: 'POST', path: `/v1/${path}`, json: { ...signed, ...body }, signal });
}

const sign = ({ credentials }: Smile, timestamp: string): string =>
  createHmac('sha256', credentials.api_key).update(`${timestamp}${credentials.partner_id}sid_request`).digest('base64');

/** The code of a refusal, which may come with any status; null if the answer is not a refusal. */
function refusalOf(response: VendorResponse): string | null {
  const refused = refusal.safeParse(response.body);
  if (refused.success) return refused.data.code;
  return response.status === 200 ? null : '';
}

function failureOf(code: string, response: VendorResponse): ProviderFailure {
  const meaning = refusalsByStatus[response.status] ?? refusals[code] ?? 'surprise';
  return new ProviderFailure(meaning, { receipt: receiptOf(response, code), detail: `status ${response.status}` });
}

/**
 * The signature covers only the timestamp, so anyone who has seen one can sign anything. The answer is therefore fetched, never taken from here, and the
 * message is read only up to the three members that matter.
 */
async function readCallback(smile: Smile, { body }: VendorMessage): Promise<{ ticket: string; answer: null } | null> {
  const parser = new JSONParser({ paths: ['$.timestamp', '$.signature', '$.PartnerParams.user_id'], keepStack: false });
  const found = new Map<unknown, unknown>();
  parser.onValue = ({ key, value }) => void found.set(key, value);
  // `write` throws on malformed JSON.
  parser.onError = () => {};
  for await (const chunk of body) {
    try {
      parser.write(chunk);
    } catch {
      return null;
    }
    const [timestamp, signature, ticket] = [found.get('timestamp'), found.get('signature'), found.get('user_id')];
    if (timestamp === undefined || signature === undefined) continue;
    if (!isGenuine(smile, timestamp, signature)) return null;
    if (typeof ticket === 'string' && ticket !== '') return { ticket, answer: null };
  }
  return null;
}

function isGenuine(smile: Smile, timestamp: unknown, signature: unknown): boolean {
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return false;
  return Math.abs(Date.now() - Date.parse(timestamp)) <= CALLBACK_AGE_MS_MAX && sameSecret(signature, sign(smile, timestamp));
}
