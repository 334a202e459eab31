/**
 * `confam/client`: the client for programs with a key, in Node 20 and later, browsers and edge runtimes. It needs `fetch`, web streams, WebCrypto and
 * AbortSignal, and depends on nothing. `webhooks.verify` is for receivers, who need no client.
 */

import { amlCalls } from './aml.ts';
import type { LogEntry } from './attempts.ts';
import { auditCalls } from './audit.ts';
import { batchCalls } from './batches.ts';
import { checkCalls, familyCalls } from './checks.ts';
import { consentCalls } from './consents.ts';
import { jobCalls } from './jobs.ts';
import { keyCalls } from './keys.ts';
import { linkCalls } from './links.ts';
import { moneyCalls } from './money.ts';
import { reviewCalls } from './reviews.ts';
import { subjectCalls } from './subjects.ts';
import { openTransport } from './transport.ts';
import { webhookCalls } from './webhooks.ts';

export type { Clearance, CurrentList, Monitor, MonitorDetail } from './aml.ts';
export type { LogEntry } from './attempts.ts';
export type { AuditEntry } from './audit.ts';
export type {
  Batch,
  BatchDetail,
  BatchEvent,
  BatchProgress,
  BatchStatus,
  BatchWaitOptions,
  Preview,
  Quote,
  StatusChange,
} from './batches.ts';
export type { CheckId, Checks } from './catalogue.ts';
export type { CallAnswer, CallOptions, Check } from './checks.ts';
export type { Withdrawal } from './consents.ts';
export { Refused, StillRunning, Unreachable } from './errors.ts';
export type { Job, JobOf, JobTerms } from './jobs.ts';
export type { Key, NewKey } from './keys.ts';
export type { Link } from './links.ts';
export type { BatchCharge, Entry, Limits, Price, Statement, Usage, Wallet } from './money.ts';
export type { ResultRow, ResultsOptions, RowResult } from './result-rows.ts';
export type { Review, ReviewDetail } from './reviews.ts';
export type { FileOptions, Row, UploadOptions, UploadSource } from './sources.ts';
export type { Erasure, Identifier, SubjectExport, SubjectHold } from './subjects.ts';
export type { Page, Query } from './transport.ts';
export { type WebhookEvent, type WebhookFault, type WebhookHeaders, WebhookRefused, webhooks } from './verify.ts';
export type { Delivery, Endpoint, EndpointWithSecret, Replay } from './webhooks.ts';

export interface ClientOptions {
  /** Where the service is, such as `https://confam.bank.example`. */
  baseUrl: string;
  /** An API key of the app, live or test. Keep it out of browsers: whoever has it can spend the app's money. */
  key: string;
  /** `app_…` */
  app: string;
  /** How often a request that failed is repeated at most (docs/clients.md says which failures). Default 4. */
  retries?: number;
  /** How long an answer may take, each attempt by itself; uploads and downloads are not limited. Default 60 s. */
  timeoutMs?: number;
  /** Called for each attempt with method, path without query, status, code, request id and time; never with a value. */
  log?: (entry: LogEntry) => void;
  /** Used instead of the runtime's own. */
  fetch?: typeof fetch;
}

export type ConfamClient = ReturnType<typeof createClient>;

const RETRIES = 4;
const TIMEOUT_MS = 60_000;
const HEADER_VALUE = /^[\x20-\x7e]+$/;

/** Throws a `TypeError` if the address, the key or the app is missing or malformed, or the last two are swapped. */
export function createClient({ baseUrl, key: keyText, app: appText, retries = RETRIES, timeoutMs = TIMEOUT_MS, ...rest }: ClientOptions) {
  // `localhost:8080` is a URL too, with the scheme `localhost:`.
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol))
    throw new TypeError('baseUrl must be the address of the service, such as https://confam.bank.example');
  // A file or the environment may add a line end.
  const [key = '', app = ''] = [keyText?.trim(), appText?.trim()];
  if (!HEADER_VALUE.test(key) || !HEADER_VALUE.test(app))
    throw new TypeError('key and app must be an API key and the id of its app (app_…)');
  if (key.startsWith('app_') || app.startsWith('cf_'))
    throw new TypeError('key and app are swapped: key is the API key (cf_…), app the id (app_…)');
  const transport = openTransport({ baseUrl, caller: () => ({ key, app }), retries, timeoutMs, ...rest });
  const { call, ...checks } = checkCalls(transport);
  const { nin, bvn, cac, tin, credit, document, face, aml, email } = familyCalls(call);
  const { read: readJob, ...jobs } = jobCalls(transport);
  const { read: readBatch, preview: _, quote: __, previewOf, quoteOf, ...batches } = batchCalls(transport);
  const { read: readReview, ...reviews } = reviewCalls(transport);
  const { read: readEndpoint, ...endpoints } = webhookCalls(transport);
  const { page: linkPage, revoke: revokeLink } = linkCalls(transport);
  return {
    nin,
    bvn,
    cac,
    tin,
    credit,
    document,
    face,
    email,
    aml: { ...aml, ...amlCalls(transport) },
    /** What the key may run, with its inputs. */
    checks,
    jobs: { ...jobs, get: readJob },
    batches: { ...batches, get: readBatch, preview: previewOf, quote: quoteOf, links: linkPage, revokeLink },
    reviews: { ...reviews, get: readReview },
    /** Endpoints and deliveries. */
    webhooks: { ...endpoints, get: readEndpoint },
    /** Balance, entries, statements, usage and prices. */
    wallet: moneyCalls(transport),
    keys: keyCalls(transport),
    audit: auditCalls(transport),
    /** Everything held on a person: finding, erasing and keeping it. */
    subjects: subjectCalls(transport),
    consents: consentCalls(transport),
  };
}
