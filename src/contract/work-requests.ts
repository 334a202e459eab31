/**
 * The shapes of the HTTP surface beside the checks' own: request bodies, and the one mapping from each row to its answer. Amounts are
 * naira outside (`billed_amount: 125`) and kobo inside.
 */
import { z } from 'zod';
import { knownCheck } from '../checks/catalog.ts';
import { LIST_ID, THRESHOLD_MIN } from '../engines/aml/request.ts';
import { type ErrorCode, errorCodes } from '../foundation/errors.ts';
import { showId } from '../foundation/ids.ts';
import { type BatchFormat, type batches, dateFormats } from '../schema/batches.ts';
import type { jobs } from '../schema/jobs.ts';
import type { batchAnswer, jobAnswer, progressAnswer } from './work.ts';

/** What rows of results can be asked for by: what came of their jobs, or that they have none because they are invalid. */
export const OUTCOMES = ['found', 'not_found', 'failed', 'invalid', 'canceled', 'duplicate', 'pending'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const naira = (kobo: number): number => kobo / 100;
export const kobo = (naira: number): number => Math.round(naira * 100);

/** Milliseconds, UTC: `2026-11-21T09:30:00.000Z`. */
export const instant = (text: string): string => new Date(text).toISOString();
export const instantOrNull = (text: string | null): string | null => (text === null ? null : instant(text));

/** Text that Postgres and JSON can both hold: no NUL, no lone surrogate. */
export const cleanText = (max: number) =>
  z
    .string('must be a string')
    .min(1, 'must not be empty')
    .max(max, `must be at most ${max} characters`)
    .refine((text) => text.isWellFormed() && !text.includes('\u0000'), 'must not contain NUL or unpaired surrogates');

export const reference = cleanText(200).describe('Your own id; echoed everywhere');
const metadata = z
  .record(z.string(), z.json())
  .refine((value) => {
    const text = JSON.stringify(value);
    return text.length <= 4096 && !text.includes('\\u0000') && !/\\ud[89a-f]/i.test(text);
  }, 'must be at most 4096 characters of JSON, without NUL or unpaired surrogates')
  .describe('Echoed everywhere; do not put personal data here');
export const callbackUrl = cleanText(2048)
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).username === '',
    'must be an http(s) URL without credentials',
  )
  .describe('Receives the signed webhook');
export const consent = z
  .strictObject({ reference: cleanText(200), purpose: cleanText(200), obtained_at: z.iso.datetime({ offset: true }) })
  .describe('That the subject has agreed: where that is on record with you, what to, and when');

/** Whether the cache may answer. */
const cacheMode = z.enum(['use', 'refresh'], 'must be use or refresh');

/** What a single call takes beside the inputs of its check, in its query or its body. */
export const callOptions = z.object({
  cache: cacheMode.default('use').describe('`refresh` looks up anew even when the cache has an answer'),
});

export const jobBody = z.strictObject({
  check: z.string('must be a string'),
  input: z.record(z.string(), z.unknown(), 'must be an object with the check’s input'),
  reference: reference.optional(),
  metadata: metadata.optional(),
  callback_url: callbackUrl.optional(),
  consent: consent.optional(),
  cache: cacheMode.default('use').describe('`refresh` looks up anew even when the cache has an answer'),
});

const checkList = z
  .union([z.array(z.string()), z.string().transform((text) => text.split(','))], 'must name at least one check')
  .transform((list) => [...new Set(list.map((id) => id.trim()).filter(Boolean))])
  .refine((list) => list.length >= 1 && list.length <= 20, 'must name 1 to 20 checks');

export const batchOptions = z.object({
  checks: checkList,
  mapping: z.record(z.string(), cleanText(200)).default({}).describe('Input field (or `reference`) → column name'),
  date_format: z
    .enum(dateFormats, 'must be dmy, mdy or ymd')
    .default('dmy')
    .describe('How dates such as 01/02/1990 are read; 1990-02-01, 1990/2/1 and 1-Feb-1990 are read whatever it is'),
  on_invalid: z.enum(['skip', 'reject']).default('skip').describe('`reject` refuses the whole upload when one row is invalid'),
  start: z.enum(['auto', 'manual']).default('auto'),
  reference: reference.optional(),
  metadata: metadata.optional(),
  callback_url: callbackUrl.optional(),
  consent: consent.optional().describe('Covers every row'),
  cache: cacheMode.default('use').describe('`refresh` looks up anew even what the cache has an answer to'),
  max_failure_percent: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(0, 'must be 0 to 100')
    .max(100, 'must be 0 to 100')
    .optional()
    .describe('The batch fails when more than this share of its jobs has failed'),
  expires_at: z.iso
    .datetime({ offset: true, error: 'must be an ISO time with an offset' })
    .optional()
    .describe('Deadline: what is not finished by then is canceled'),
});
export type BatchOptions = z.infer<typeof batchOptions>;

/** Uploads by media type. Browsers call a CSV file `text/plain` or `application/vnd.ms-excel`, so a part of a form goes by its name first. */
export const UPLOAD_TYPES: ReadonlyMap<string, BatchFormat> = new Map(
  Object.entries<BatchFormat>({
    'text/csv': 'csv',
    'application/csv': 'csv',
    'text/tab-separated-values': 'csv',
    'application/x-ndjson': 'ndjson',
    'application/ndjson': 'ndjson',
    'application/jsonl': 'ndjson',
    'application/json': 'json',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
    'application/vnd.ms-excel.sheet.macroenabled.12': 'xlsx',
    'application/zip': 'zip',
    'application/x-zip-compressed': 'zip',
  }),
);
export const GZIP_TYPES = ['application/gzip', 'application/x-gzip'];
export const FORM_TYPE = 'multipart/form-data';

/** How the file of an upload is to be read: options beside those of the batch, which outlive it. */
export const fileOptions = z.object({
  format: z.string().optional().describe('Form of the file, where neither its name nor its type says it'),
  sheet: z.string().optional().describe('Sheet of the workbook; the first one with a table if absent'),
});

const LINK_SECONDS_DEFAULT = 24 * 3600;
const LINK_SECONDS_MAX = 7 * 24 * 3600;

export const linkBody = z
  .strictObject({
    kind: z.enum(['results', 'errors']).default('results'),
    format: z.enum(['csv', 'jsonl', 'xlsx']).optional().describe('Of results; errors have the form of the upload'),
    outcome: z
      .union([z.array(z.enum(OUTCOMES)).min(1), z.enum(OUTCOMES).transform((one) => [one])], `must be some of ${OUTCOMES.join(', ')}`)
      .optional()
      .describe('Only these rows of the results'),
    expires_in_seconds: z.number('must be a number of seconds').int().min(1).max(LINK_SECONDS_MAX).default(LINK_SECONDS_DEFAULT),
  })
  .refine((link) => link.kind === 'results' || (link.format === undefined && link.outcome === undefined), {
    path: ['kind'],
    message: 'errors take neither format nor outcome',
  });

/** Naira, whole kobo. */
const amount = (max: number) =>
  z
    .number('must be a number of naira')
    .nonnegative()
    .max(max)
    .refine((n) => Number.isSafeInteger(kobo(n)) && Math.abs(n * 100 - kobo(n)) < 1e-6, 'must be whole kobo');
const AMOUNT_MAX = 1_000_000_000;

export const topUpBody = z.strictObject({
  amount: amount(AMOUNT_MAX).positive(),
  mode: z.enum(['live', 'test']).default('live'),
  note: cleanText(200).optional(),
});

const appSettings = {
  consentRequired: z.boolean(),
  weight: z.number().min(0.1).max(100),
  cacheScope: z.enum(['app', 'deployment']),
  partialRuns: z.boolean(),
  lowBalance: amount(AMOUNT_MAX).positive(),
  dailyCap: amount(AMOUNT_MAX),
  batchCap: amount(AMOUNT_MAX),
  requestsPerMinute: z.number().int().min(0).max(100_000_000),
  missesPerSubject: z.int().min(0).max(1_000_000),
  missesPerApp: z.int().min(0).max(100_000_000),
  amlThreshold: z.number().min(THRESHOLD_MIN).max(1),
  faceThreshold: z.number().min(0).max(100),
  keepImagesDays: z.int().min(1).max(365),
  amlLists: z.array(z.string().regex(LIST_ID, 'must be the id of a list')).min(1).max(50),
};

export const appBody = z.strictObject({ name: cleanText(100), settings: z.strictObject(appSettings).partial().default({}) });

const clearable = Object.fromEntries(Object.entries(appSettings).map(([name, schema]) => [name, schema.nullable()]));
/** What is not named stays as it is; `null` takes the default again. */
export const appPatch = z.strictObject({ settings: z.strictObject(clearable).partial() });

const dailyCap = amount(AMOUNT_MAX).nullable();
export const keyBody = z.strictObject({ mode: z.enum(['live', 'test']), daily_cap: dailyCap.default(null) });
export const keyPatch = z.strictObject({ daily_cap: dailyCap });

const PRICE_MAX = 1_000_000;
export const priceBody = z
  .strictObject({
    check: z.string('must be a string'),
    price: amount(PRICE_MAX),
    cached_price: amount(PRICE_MAX).optional().describe('Default: the same share of the price as on the price list'),
    valid_from: z.iso.datetime({ offset: true }).optional().describe('Default: now'),
    valid_until: z.iso.datetime({ offset: true }).nullable().default(null).describe('Exclusive; null: until it is ended'),
  })
  .refine(({ price, cached_price }) => (cached_price ?? 0) <= price, { path: ['cached_price'], error: 'must not be more than price' })
  .refine(({ valid_from, valid_until }) => !valid_from || !valid_until || Date.parse(valid_from) < Date.parse(valid_until), {
    path: ['valid_until'],
    error: 'must be after valid_from',
  });

/** Without its images, which nobody shows. */
export type JobRow = Omit<typeof jobs.$inferSelect, 'images'>;
export type BatchRow = typeof batches.$inferSelect;

/** A job as it is answered, without its entity. `runAfter`: when it is tried again, if it waits for that. */
export function showJob(job: JobRow & { runAfter?: string | null }): z.infer<typeof jobAnswer> {
  return {
    id: showId('job', job.id),
    object: 'job',
    check: job.checkId,
    status: job.status,
    outcome: job.outcome,
    reference: job.reference,
    metadata: job.metadata,
    batch: job.batchId === null ? null : showId('bat', job.batchId),
    row: job.rowNumber,
    duplicate_of: job.twinRow,
    service: knownCheck(job.checkId).service,
    billed_amount: naira(job.billedKobo),
    cached: job.cached,
    attempts: job.attempt,
    error: showJobError(job.errorCode),
    latency_ms: job.latencyMs,
    created_at: instant(job.createdAt),
    next_attempt_at: job.attempt > 0 ? instantOrNull(job.runAfter ?? null) : null,
    completed_at: instantOrNull(job.completedAt),
    live: job.live,
  };
}

/** What a failed job says of itself. */
const jobErrors: Record<string, string> = {
  provider_failed: 'The provider was asked and failed; nothing was charged.',
  provider_not_configured: 'No provider is configured for this check with a live key; nothing was charged.',
  invalid_identifier: 'The provider says that the identifier is malformed; nothing was charged.',
  subject_mismatch: 'What was sent about the subject contradicts its record; nothing was charged.',
  no_consent: 'The subject has not agreed that the record be shared; nothing was charged.',
  internal: 'Our fault; nothing was charged.',
};

/** As a job keeps it: `image_blurry:selfie_image` names the input that is to blame. */
export const storedError = ({ errorCode, field }: { errorCode: string; field?: string | null }): string =>
  field ? `${errorCode}:${field}` : errorCode;

/** What clients are told of a stored error. */
export function showJobError(stored: string | null): { code: string; message: string } | null {
  if (stored === null) return null;
  const [code, field] = stored.split(':') as [string, string?];
  const message = jobErrors[code] ?? pictureError(code) ?? 'The check failed.';
  return { code, message: field ? `${field}: ${message}` : message };
}

/** What is wrong with a picture is told in the words of a refused call. */
const pictureError = (code: string): string | undefined =>
  code in errorCodes ? `${errorCodes[code as ErrorCode].meaning.split(' Costs nothing')[0]} Nothing was charged.` : undefined;

/** States that a batch does not leave by itself. */
const BATCH_OVER: ReadonlySet<string> = new Set(['completed', 'canceled', 'failed', 'expired']);
export const isBatchOver = ({ status }: Pick<BatchRow, 'status'>): boolean => BATCH_OVER.has(status);

const JOB_OVER: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled']);
/** A duplicate is over when its twin is, which has the time. */
export const isJobOver = ({ status, completedAt }: Pick<JobRow, 'status' | 'completedAt'>): boolean =>
  JOB_OVER.has(status) || (status === 'duplicate' && completedAt !== null);

/** `nextAttemptMs`: a batch whose providers do not answer tries again in so long; null: they answer. */
export function showBatch(batch: BatchRow, nextAttemptMs: number | null = null): z.infer<typeof batchAnswer> {
  const id = showId('bat', batch.id);
  return {
    id,
    object: 'batch',
    status: batch.status,
    counts: {
      rows: batch.rows,
      jobs: batch.jobs,
      queued: batch.queued,
      leased: batch.leased,
      completed: batch.completed,
      found: batch.found,
      not_found: batch.notFound,
      failed: batch.failed,
      canceled: batch.canceled,
      invalid: batch.invalid,
      duplicate: batch.duplicate,
    },
    progress: showProgress(batch, averageRate(batch)),
    degraded: nextAttemptMs !== null,
    next_attempt_at: nextAttemptMs === null ? null : new Date(Date.now() + nextAttemptMs).toISOString(),
    reason: batch.reason,
    quote_amount: naira(batch.quoteKobo),
    hold_amount: naira(batch.holdKobo),
    billed_amount: naira(batch.billedKobo),
    checks: batch.checks,
    reference: batch.reference,
    metadata: batch.metadata,
    callback_url: batch.callbackUrl,
    live: batch.live,
    created_at: instant(batch.createdAt),
    started_at: instantOrNull(batch.startedAt),
    paused_at: instantOrNull(batch.pausedAt),
    completed_at: instantOrNull(batch.completedAt),
    canceled_at: instantOrNull(batch.canceledAt),
    failed_at: instantOrNull(batch.failedAt),
    expired_at: instantOrNull(batch.expiredAt),
    expires_at: instantOrNull(batch.expiresAt),
    max_failure_percent: batch.maxFailurePercent,
    results_url: `/api/v1/batches/${id}/results`,
    errors_url: batch.invalid === 0 ? null : `/api/v1/batches/${id}/errors`,
    events_url: `/api/v1/batches/${id}/events`,
    history_url: `/api/v1/batches/${id}/history`,
  };
}

type Counts = Pick<BatchRow, 'status' | 'jobs' | 'completed' | 'failed' | 'canceled'>;

const ended = (batch: Counts): number => batch.completed + batch.failed + batch.canceled;

/** `rate`: jobs that end a second, if known. An estimate of the time left is given only while it runs. */
export function showProgress(batch: Counts, rate: number | null): z.infer<typeof progressAnswer> {
  const left = batch.jobs - ended(batch);
  const runs = batch.status === 'queued' || batch.status === 'running' || batch.status === 'canceling';
  return {
    percent: batch.jobs === 0 ? 100 : Math.floor((ended(batch) / batch.jobs) * 1000) / 10,
    rate_per_second: rate === null ? null : Math.round(rate * 10) / 10,
    eta_seconds: runs && rate !== null && rate > 0 ? Math.ceil(left / rate) : null,
  };
}

/** Jobs that ended a second since the batch was started, pauses included; null before. Where it runs on, up to this machine's present. */
function averageRate(batch: BatchRow): number | null {
  if (batch.startedAt === null) return null;
  const until =
    batch.completedAt ?? batch.canceledAt ?? batch.failedAt ?? batch.expiredAt ?? (batch.status === 'paused' ? batch.pausedAt : null);
  const seconds = ((until === null ? Date.now() : Date.parse(until)) - Date.parse(batch.startedAt)) / 1000;
  return seconds > 0 ? ended(batch) / seconds : null;
}
