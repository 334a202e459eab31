/** Jobs: the body that submits one, and the answer made from its row. */
import { z } from 'zod';
import { knownCheck } from '../checks/catalog.ts';
import { jobFailureSentence } from '../checks/failures.ts';
import { riskLevels } from '../engines/aml/risk.ts';
import { type ErrorCode, errorCodes } from '../foundation/errors.ts';
import { showId } from '../foundation/ids.ts';
import { jobOutcome, jobStatus, type jobs } from '../schema/jobs.ts';
import type { Unopened } from './about.ts';
import { createdBy } from './created-by.ts';
import { amount, count, instant, instantOrNull, naira, showInstant, showInstantOrNull, text } from './fields.ts';
import { cacheMode, callbackUrl, consent, metadata, reference, sameMetadata, sameReference } from './own-fields.ts';
import { exactTime, oneOf, page, someOf, yesOrNo } from './queries.ts';

/** Options of a single call besides its check's inputs, in the query or the body. */
export const callOptions = z.object({
  cache: cacheMode.default('use').describe('`refresh` looks up again even if the cache has an answer'),
});

export const jobBody = z.strictObject({
  check: z.string(),
  input: z.record(z.string(), z.unknown(), 'must be an object with the check’s input'),
  reference: reference.optional(),
  metadata: metadata.optional(),
  callback_url: callbackUrl.optional(),
  consent: consent.optional(),
  cache: cacheMode.default('use').describe('`refresh` looks up again even if the cache has an answer'),
});

/** For lists of jobs. */
export const flagged = yesOrNo.describe('true: only jobs whose answer somebody should look at; false: only the others');

export const jobsQuery = z.object({
  status: someOf(jobStatus.enumValues).describe('Only these'),
  outcome: oneOf(jobOutcome.enumValues).describe('Only these'),
  flagged,
  check: z.string().optional().describe('Only this check'),
  reference: z.string().optional().describe('Only with this reference'),
  since: exactTime.describe('From this time on'),
  until: exactTime.describe('Before this time'),
  ...page,
});

export const imagePath = z.object({ side: z.enum(['selfie', 'portrait'], 'must be selfie or portrait') });

/** Without its images, which no answer shows. */
export type JobRow = Omit<typeof jobs.$inferSelect, 'images'>;
/** As it is stored (`about.ts`). */
export type UnopenedJob = Unopened<JobRow>;

/** A job's answer without its entity, and without who submitted it. `runAfter`: when a waiting job is tried again. */
export function showJob(job: JobRow & { runAfter?: string | null }): z.infer<typeof jobAnswer> {
  return {
    id: showId('job', job.id),
    object: 'job',
    check: job.checkId,
    status: job.status,
    outcome: job.outcome,
    flagged: job.flagged ?? false,
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
    created_at: showInstant(job.createdAt),
    next_attempt_at: job.attempt > 0 ? showInstantOrNull(job.runAfter ?? null) : null,
    completed_at: showInstantOrNull(job.completedAt),
    live: job.live,
  };
}

/** The form in which a job stores its error: `image_blurry:selfie_image` names the input at fault. */
export const storedError = ({ errorCode, field }: { errorCode: string; field?: string | null }): string =>
  field ? `${errorCode}:${field}` : errorCode;

/** A stored error as clients see it. */
export function showJobError(stored: string | null): { code: string; message: string } | null {
  if (stored === null) return null;
  const [code, field] = stored.split(':') as [string, string?];
  const sentence = jobFailureSentence(code);
  const message = sentence ? `${sentence}; nothing was charged.` : (pictureError(code) ?? 'The check failed.');
  return { code, message: field ? `${field}: ${message}` : message };
}

/** A fault in a picture, worded as in a refused call. */
const pictureError = (code: string): string | undefined =>
  code in errorCodes ? `${errorCodes[code as ErrorCode].meaning.split(' Costs nothing')[0]} Nothing was charged.` : undefined;

const JOB_OVER: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled']);

/** A duplicate is over when its original is. Only the original has the time. */
export const isJobOver = ({ status, completedAt }: Pick<JobRow, 'status' | 'completedAt'>): boolean =>
  JOB_OVER.has(status) || (status === 'duplicate' && completedAt !== null);

export const jobAnswer = z.object({
  id: text.describe('job_…'),
  object: z.literal('job'),
  check: text,
  status: z.enum(jobStatus.enumValues),
  outcome: z.enum(jobOutcome.enumValues).nullable(),
  flagged: z.boolean().describe('Somebody should look at the answer, for the reason that is given with the check'),
  reference: sameReference,
  metadata: sameMetadata,
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
  created_by: createdBy,
  next_attempt_at: instantOrNull,
  completed_at: instantOrNull,
  live: z.boolean(),
});

const clearedHits = z.object({
  hits: z.array(z.int()).describe('Their places in `hits` of the result, from 0'),
  all: z.boolean().describe('No hit counts any more'),
  risk_level: z.enum(riskLevels).nullable().describe('Of the other hits; null: the result does not show all hits'),
});

export const jobWithResult = jobAnswer.extend({
  result: z.record(z.string(), z.unknown()).nullable().describe('The entity of the check; null when there is none'),
  cleared: clearedHits
    .extend({
      parties: z
        .array(
          clearedHits.extend({ at: z.array(text).describe('Where the party is in `result`, such as `directors.0`, once for each role') }),
        )
        .optional()
        .describe(
          'Of `cac_screening` only: each different party with hits. `hits` beside it are those of the company, `all` and `risk_level` are of everybody',
        ),
    })
    .optional()
    .describe('Of a screening with hits: which are cleared at the time of this answer, whatever the result says'),
  submitted: z.record(z.string(), z.unknown()).optional().describe('For people only: what was submitted, without pictures'),
  masked: z.boolean().optional().describe('For people only: true unless the job was revealed'),
});
