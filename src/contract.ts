/**
 * The shapes of the HTTP surface beside the checks' own: request bodies, and the one mapping from each row to its answer. Amounts are
 * naira outside (`billed_amount: 125`) and kobo inside.
 */
import { z } from 'zod';
import { knownCheck } from './checks/catalog.ts';
import { showId } from './ids.ts';
import type { batches, jobs } from './schema.ts';

export const naira = (kobo: number): number => kobo / 100;

/** Milliseconds, UTC: `2026-11-21T09:30:00.000Z`. */
const instant = (text: string): string => new Date(text).toISOString();
const instantOrNull = (text: string | null): string | null => (text === null ? null : instant(text));

/** Text that Postgres and JSON can both hold: no NUL, no lone surrogate. */
const cleanText = (max: number) =>
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
const callbackUrl = cleanText(2048)
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).username === '',
    'must be an http(s) URL without credentials',
  )
  .describe('Receives the signed webhook');
const consent = z.object({ reference: cleanText(200), purpose: cleanText(200), obtained_at: z.iso.datetime({ offset: true }) });

export const jobBody = z.object({
  check: z.string('must be a string'),
  input: z.record(z.string(), z.unknown(), 'must be an object with the check’s input'),
  reference: reference.optional(),
  metadata: metadata.optional(),
  callback_url: callbackUrl.optional(),
  consent: consent.optional(),
  cache: z.enum(['use', 'refresh']).default('use').describe('`refresh` looks up anew even when the cache has an answer'),
});

const checkList = z
  .union([z.array(z.string()), z.string().transform((text) => text.split(','))], 'must name at least one check')
  .transform((list) => [...new Set(list.map((id) => id.trim()).filter(Boolean))])
  .refine((list) => list.length >= 1 && list.length <= 20, 'must name 1 to 20 checks');

export const batchOptions = z.object({
  checks: checkList,
  mapping: z.record(z.string(), cleanText(200)).default({}).describe('Input field (or `reference`) → column name'),
  on_invalid: z.enum(['skip', 'reject']).default('skip').describe('`reject` refuses the whole upload when one row is invalid'),
  start: z.enum(['auto', 'manual']).default('auto'),
  reference: reference.optional(),
  metadata: metadata.optional(),
  callback_url: callbackUrl.optional(),
  consent: consent.optional().describe('Covers every row'),
  cache: z.enum(['use', 'refresh']).default('use'),
});
export type BatchOptions = z.infer<typeof batchOptions>;

export const topUpBody = z.object({
  amount: z
    .number('must be a number of naira')
    .positive()
    .max(1_000_000_000)
    .refine((n) => Number.isSafeInteger(Math.round(n * 100)) && Math.abs(n * 100 - Math.round(n * 100)) < 1e-6, 'must be whole kobo'),
  mode: z.enum(['live', 'test']).default('live'),
  note: cleanText(200).optional(),
});

export const appBody = z.object({
  name: cleanText(100),
  settings: z
    .strictObject({
      consentRequired: z.boolean(),
      weight: z.number().min(0.1).max(100),
      cacheScope: z.enum(['app', 'deployment']),
      requestsPerMinute: z.number().int().min(0).max(100_000_000),
    })
    .partial()
    .default({}),
});

export const keyBody = z.object({ mode: z.enum(['live', 'test']) });

export type JobRow = typeof jobs.$inferSelect;
export type BatchRow = typeof batches.$inferSelect;

/** A job as it is answered, without its entity. `runAfter`: when it is tried again, if it waits for that. */
export function showJob(job: JobRow & { runAfter?: string | null }) {
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
    service: knownCheck(job.checkId).service,
    billed_amount: naira(job.billedKobo),
    cached: job.cached,
    attempts: job.attempt,
    error: job.errorCode === null ? null : { code: job.errorCode, message: jobErrors[job.errorCode] ?? 'The check failed.' },
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
  internal: 'Our fault; nothing was charged.',
};

export function showBatch(batch: BatchRow) {
  return {
    id: showId('bat', batch.id),
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
    completed_at: instantOrNull(batch.completedAt),
    canceled_at: instantOrNull(batch.canceledAt),
  };
}
