/** Batches and quotes: the options of an upload, and the answers made from their rows. */
import { z } from 'zod';
import { showId } from '../foundation/ids.ts';
import { type batches, batchFormats, batchStatus, dateFormats } from '../schema/batches.ts';
import type { Unopened } from './about.ts';
import { createdBy } from './created-by.ts';
import { amount, cleanText, count, instant, instantOrNull, naira, sentTime, showInstant, showInstantOrNull, text } from './fields.ts';
import { cacheMode, callbackUrl, consent, metadata, reference, sameMetadata, sameReference } from './own-fields.ts';
import { exactTime, page, someOf, wholeNumber } from './queries.ts';

const CHECKS_RULE = 'must name 1 to 20 checks';

const checkList = z
  .union([z.array(z.string()), z.string().transform((text) => text.split(','))], CHECKS_RULE)
  .transform((list) => [...new Set(list.map((id) => id.trim()).filter(Boolean))])
  .refine((list) => list.length >= 1 && list.length <= 20, CHECKS_RULE);

export const batchesQuery = z.object({
  status: someOf(batchStatus.enumValues).describe('Only these'),
  reference: z.string().optional().describe('Only with this reference'),
  since: exactTime.describe('From this time on'),
  until: exactTime.describe('Before this time'),
  ...page,
});

export const batchOptions = z.object({
  checks: checkList,
  mapping: z.record(z.string(), cleanText(200)).default({}).describe('Input field (or `reference`) → column name'),
  date_format: z
    .enum(dateFormats, 'must be dmy, mdy or ymd')
    .default('dmy')
    .describe('How dates such as 01/02/1990 are read; 1990-02-01, 1990/2/1 and 1-Feb-1990 are always understood'),
  on_invalid: z.enum(['skip', 'reject']).default('skip').describe('`reject` refuses the whole upload when one row is invalid'),
  start: z.enum(['auto', 'manual']).default('auto'),
  reference: reference.optional(),
  metadata: metadata.optional(),
  callback_url: callbackUrl.optional(),
  consent: consent.optional().describe('Covers every row'),
  cache: cacheMode.default('use').describe('`refresh` looks up again even if the cache has an answer'),
  max_failure_percent: wholeNumber(0, 100).describe('The batch fails when more than this percentage of its jobs have failed'),
  expires_at: sentTime().optional().describe('Deadline: jobs not finished by then are canceled'),
});

export type BatchOptions = z.infer<typeof batchOptions>;

export type BatchRow = typeof batches.$inferSelect;
/** As it is stored (`about.ts`). */
export type UnopenedBatch = Unopened<BatchRow>;

/** States in which a batch has run its course. A retry leaves them, and so does a deletion. */
export const ENDED: readonly BatchRow['status'][] = ['completed', 'canceled', 'failed', 'expired'];

const BATCH_OVER: ReadonlySet<string> = new Set<BatchRow['status']>([...ENDED, 'deleting', 'deleted']);

export const isBatchOver = ({ status }: Pick<BatchRow, 'status'>): boolean => BATCH_OVER.has(status);

/** Null while it has not ended. A batch that was stopped and then retried also has the time at which it was stopped. */
export function endedAt(batch: BatchRow): string | null {
  if (!isBatchOver(batch)) return null;
  const times = [batch.completedAt, batch.canceledAt, batch.failedAt, batch.expiredAt].filter((time) => time !== null);
  return times.sort((a, b) => Date.parse(b) - Date.parse(a))[0] ?? null;
}

/** Without who submitted it. `nextAttemptMs`: time until a batch whose providers do not answer tries again; null if they answer. */
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
      flagged: batch.flagged,
      failed: batch.failed,
      canceled: batch.canceled,
      invalid: batch.invalid,
      duplicate: batch.duplicate,
    },
    progress: showProgress(batch, averageRate(batch)),
    degraded: nextAttemptMs !== null,
    next_attempt_at: nextAttemptMs === null ? null : new Date(Date.now() + nextAttemptMs).toISOString(),
    reason: batch.reason,
    approval: batch.status === 'awaiting_start' && batch.approvalId !== null ? showId('apr', batch.approvalId) : null,
    quote_amount: naira(batch.quoteKobo),
    hold_amount: naira(batch.holdKobo),
    billed_amount: naira(batch.billedKobo),
    checks: batch.checks,
    format: batch.format,
    reference: batch.reference,
    metadata: batch.metadata,
    callback_url: batch.callbackUrl,
    live: batch.live,
    created_at: showInstant(batch.createdAt),
    started_at: showInstantOrNull(batch.startedAt),
    paused_at: showInstantOrNull(batch.pausedAt),
    completed_at: showInstantOrNull(batch.completedAt),
    canceled_at: showInstantOrNull(batch.canceledAt),
    failed_at: showInstantOrNull(batch.failedAt),
    expired_at: showInstantOrNull(batch.expiredAt),
    expires_at: showInstantOrNull(batch.expiresAt),
    deleted_at: showInstantOrNull(batch.deletedAt),
    legal_hold: batch.legalHoldAt !== null,
    max_failure_percent: batch.maxFailurePercent,
    results_url: `/api/v1/batches/${id}/results`,
    errors_url: batch.invalid === 0 || batch.invalidGoneAt !== null ? null : `/api/v1/batches/${id}/errors`,
    events_url: `/api/v1/batches/${id}/events`,
    history_url: `/api/v1/batches/${id}/history`,
  };
}

type Counts = Pick<BatchRow, 'status' | 'jobs' | 'completed' | 'failed' | 'canceled'>;

const ended = (batch: Counts): number => batch.completed + batch.failed + batch.canceled;

/** `rate`: jobs that are answered in a second, if known. The time left is only estimated while the batch runs. */
export function showProgress(batch: Counts, rate: number | null): z.infer<typeof progressAnswer> {
  const left = batch.jobs - ended(batch);
  const runs = batch.status === 'queued' || batch.status === 'running' || batch.status === 'canceling';
  return {
    percent: batch.jobs === 0 ? 100 : Math.floor((ended(batch) / batch.jobs) * 1000) / 10,
    rate_per_second: rate === null ? null : Math.round(rate * 10) / 10,
    eta_seconds: runs && rate !== null && rate > 0 ? Math.ceil(left / rate) : null,
  };
}

/**
 * Seconds since the batch started, including pauses. Null before the start. For a running batch, up to now by this machine's clock. `restMs`: how long it had ended
 * before it was retried.
 */
export function runSeconds(batch: BatchRow, restMs = 0): number | null {
  if (batch.startedAt === null) return null;
  const until = endedAt(batch) ?? (batch.status === 'paused' || batch.status === 'paused_funds' ? batch.pausedAt : null);
  return Math.max(0, (until === null ? Date.now() : Date.parse(until)) - Date.parse(batch.startedAt) - restMs) / 1000;
}

/** Average number of jobs that ended per second, over `seconds`. Null before the start. */
export function averageRate(batch: BatchRow, seconds: number | null = runSeconds(batch)): number | null {
  if (seconds === null) return null;
  // A canceled job was never looked up.
  return seconds > 0 ? (batch.completed + batch.failed) / seconds : null;
}

const reason = z.enum(['requested', 'insufficient_funds', 'max_failure_percent', 'deadline']).nullable();

export const progressAnswer = z.object({
  percent: z.number().describe('0 to 100, one decimal'),
  rate_per_second: z.number().nullable(),
  eta_seconds: count.nullable().describe('Estimate, while the batch runs'),
});

const rowError = z.object({ row: count.optional(), path: text, rule: text.optional(), message: text });

export const batchAnswer = z.object({
  id: text.describe('bat_…'),
  object: z.literal('batch'),
  status: z.enum(batchStatus.enumValues),
  counts: z.object({
    rows: count,
    jobs: count,
    queued: count,
    leased: count,
    completed: count,
    found: count,
    not_found: count,
    flagged: count.describe('Of those found: answers that somebody should look at. Duplicates count with their original'),
    failed: count,
    canceled: count,
    invalid: count,
    duplicate: count,
  }),
  progress: progressAnswer,
  degraded: z.boolean().describe('No provider answers for one of its checks: its jobs wait, and resume automatically'),
  next_attempt_at: instantOrNull.describe('While degraded: when a provider is asked again'),
  reason: reason.describe('Why the batch is paused, canceled, failed or expired'),
  approval: text.nullable().describe('apr_…: the approval that its start waits for'),
  quote_amount: amount,
  hold_amount: amount,
  billed_amount: amount,
  checks: z.array(text),
  format: z.enum(batchFormats).describe('How the rows were uploaded'),
  reference: sameReference,
  metadata: sameMetadata,
  callback_url: text.nullable(),
  live: z.boolean(),
  created_at: instant,
  created_by: createdBy,
  started_at: instantOrNull,
  paused_at: instantOrNull,
  completed_at: instantOrNull,
  canceled_at: instantOrNull,
  failed_at: instantOrNull,
  expired_at: instantOrNull,
  expires_at: instantOrNull,
  deleted_at: instantOrNull.describe('When its deletion was asked for: its data is unreadable from then on'),
  legal_hold: z.boolean().describe('true: none of it is deleted'),
  max_failure_percent: count.nullable(),
  results_url: text,
  errors_url: text.nullable().describe('null: every row is valid, or its retention has ended'),
  events_url: text,
  history_url: text,
});

const unusedFiles = count.optional().describe('Files of the archive that no row names; they are not kept');

/** How an upload's columns and dates were interpreted. */
export const reading = {
  mapping: z.record(z.string(), text).describe('Input → column'),
  date_format: z.enum(dateFormats).describe('How dates such as 01/02/1990 were read'),
  ambiguous_dates: z
    .object({ count, first: z.array(z.object({ row: count, path: text })) })
    .describe('Dates whose day and month could be swapped: how many, and the first 100'),
  warnings: z
    .array(z.object({ code: z.enum(['unread_column']), message: text }))
    .optional()
    .describe('`unread_column`: a column that may be an optional input, such as `type` beside `rc_number`, is not read'),
  file: z
    .object({
      sheet: text.nullable().describe('The sheet of a workbook that was read'),
      header_row: count.describe('Line or row of the file that is the header; anything above it is a title'),
      left_out: z.array(text).describe('Columns added by an earlier results or corrections file; they are not read'),
      encoding: z.enum(['windows-1252']).nullable().describe('null: Unicode'),
      hidden_rows: count.describe('Rows that a workbook hides, by hand or by a filter; they are read and charged like the others'),
    })
    .optional()
    .describe('Only for tables: CSV, XLSX, the manifest of an archive'),
};

export const batchWithErrors = batchAnswer.extend({
  ...z.object(reading).partial().shape,
  unused_files: unusedFiles,
  errors: z.array(rowError).describe('Errors of invalid rows, the first 100'),
  took_seconds: z
    .number()
    .nullable()
    .describe('From the start to the end, without the time between an end and a retry; null: not started, or not ended')
    .optional(),
  erased_rows: count
    .describe('Rows that are gone because somebody was erased; the counts still include them. Not known of erasures by earlier releases')
    .optional(),
  missing_amount: amount
    .nullable()
    .describe('While `paused_funds`: what its rest needs at most, beyond what is held for it; null in any other state')
    .optional(),
});

export const changeAnswer = z.object({
  status: z.enum(batchStatus.enumValues),
  reason,
  at: instant,
  counts: z.object({ queued: count, leased: count, completed: count, failed: count, canceled: count }),
});

/** Checks of a batch that failed for the same reason. */
export const failureAnswer = z.object({
  check: text,
  code: text.describe('As in the error of its jobs'),
  message: text,
  jobs: count.describe('How many failed so; duplicates count with their original'),
  first_row: count.describe('The first data row among them'),
});

/** A batch's progress: what was done by each time. */
export const timelineAnswer = z.object({
  object: z.literal('timeline'),
  data: z
    .array(z.object({ at: instant, found: count, not_found: count, failed: count, canceled: count }))
    .describe('At most 240 points, oldest first: the counts so far, from the start to the end or now. Empty before the start'),
});

export const quoteAnswer = z.object({
  object: z.literal('quote'),
  counts: z.object({ rows: count, jobs: count, invalid: count, duplicate: count, expected_cache_hits: count }),
  checks: z.array(
    z.object({
      check: text,
      jobs: count,
      expected_cache_hits: count,
      price: amount,
      cached_price: amount,
      expected_amount: amount,
    }),
  ),
  currency: z.literal('NGX'),
  quote_amount: amount.describe('Naira if no answer comes from the cache; this amount is held'),
  expected_amount: amount,
  available_amount: amount,
  balance_after: amount,
  covered: z.boolean(),
  ...reading,
  unused_files: unusedFiles,
  errors: z.array(rowError),
});
