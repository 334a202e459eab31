/** Answers about jobs, batches, quotes and links. */
import { z } from 'zod';
import { batchStatus, dateFormats } from '../schema/batches.ts';
import { jobOutcome, jobStatus } from '../schema/jobs.ts';
import { amount, count, instant, instantOrNull, text } from './fields.ts';

const metadata = z.record(z.string(), z.unknown()).nullable().describe('As you gave it');
const reference = text.nullable().describe('As you gave it');
const reason = z.enum(['requested', 'insufficient_funds', 'max_failure_percent', 'deadline']).nullable();

export const jobAnswer = z.object({
  id: text.describe('job_…'),
  object: z.literal('job'),
  check: text,
  status: z.enum(jobStatus.enumValues),
  outcome: z.enum(jobOutcome.enumValues).nullable(),
  reference,
  metadata,
  batch: text.nullable().describe('bat_…; null for a single job'),
  row: count.nullable().describe('Data row of the upload, from 1'),
  duplicate_of: count.nullable().describe('The row with the same input, whose result this one shares'),
  service: text,
  billed_amount: amount,
  cached: z.boolean(),
  attempts: count,
  error: z.object({ code: text, message: text }).nullable(),
  latency_ms: count.nullable(),
  created_at: instant,
  next_attempt_at: instantOrNull,
  completed_at: instantOrNull,
  live: z.boolean(),
});
export const jobWithResult = jobAnswer.extend({
  result: z.record(z.string(), z.unknown()).nullable().describe('The entity of the check; null when there is none'),
});

export const progressAnswer = z.object({
  percent: z.number().describe('0 to 100, one decimal'),
  rate_per_second: z.number().nullable(),
  eta_seconds: count.nullable().describe('Estimate, while it runs'),
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
    failed: count,
    canceled: count,
    invalid: count,
    duplicate: count,
  }),
  progress: progressAnswer,
  degraded: z.boolean().describe('No provider answers for one of its checks: its jobs wait, and go on by themselves'),
  next_attempt_at: instantOrNull.describe('While it is degraded: when a provider is asked again'),
  reason: reason.describe('Why it is paused, canceled, failed or expired'),
  quote_amount: amount,
  hold_amount: amount,
  billed_amount: amount,
  checks: z.array(text),
  reference,
  metadata,
  callback_url: text.nullable(),
  live: z.boolean(),
  created_at: instant,
  started_at: instantOrNull,
  paused_at: instantOrNull,
  completed_at: instantOrNull,
  canceled_at: instantOrNull,
  failed_at: instantOrNull,
  expired_at: instantOrNull,
  expires_at: instantOrNull,
  max_failure_percent: count.nullable(),
  results_url: text,
  errors_url: text.nullable().describe('null: every row is valid'),
  events_url: text,
  history_url: text,
});
const unusedFiles = count.optional().describe('Files of an archive that no row names; nothing is kept of them');

/** What was made of an upload's columns and dates. */
export const reading = {
  mapping: z.record(z.string(), text).describe('Input → column'),
  date_format: z.enum(dateFormats).describe('How dates such as 01/02/1990 were read'),
  ambiguous_dates: z
    .object({ count, first: z.array(z.object({ row: count, path: text })) })
    .describe('Dates whose day and month could stand the other way round, and the first 100 of them'),
  file: z
    .object({
      sheet: text.nullable().describe('The sheet of a workbook that was read'),
      header_row: count.describe('The line or row of the file that is the header; what stands above it is a title'),
      left_out: z.array(text).describe('Columns that a file of results or of rows to correct had added'),
      encoding: z.enum(['windows-1252']).nullable().describe('null: Unicode'),
    })
    .optional()
    .describe('Of tables: CSV, XLSX, the manifest of an archive'),
};

export const batchWithErrors = batchAnswer.extend({
  ...z.object(reading).partial().shape,
  unused_files: unusedFiles,
  errors: z.array(rowError).describe('Of invalid rows, the first 100'),
});

export const changeAnswer = z.object({
  status: z.enum(batchStatus.enumValues),
  reason,
  at: instant,
  counts: z.object({ queued: count, leased: count, completed: count, failed: count, canceled: count }),
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
  quote_amount: amount.describe('Naira, if nothing comes from the cache: what is held'),
  expected_amount: amount,
  available_amount: amount,
  balance_after: amount,
  covered: z.boolean(),
  ...reading,
  unused_files: unusedFiles,
  errors: z.array(rowError),
});

export const linkAnswer = z.object({
  object: z.literal('link'),
  url: text,
  path: text,
  kind: z.enum(['results', 'errors']),
  format: z.enum(['csv', 'jsonl', 'xlsx']).nullable(),
  outcome: z.array(text).nullable(),
  expires_at: instant,
});
