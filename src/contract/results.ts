/** Results: the outcomes that rows are asked for by, and signed links to download them. */
import { z } from 'zod';
import { jobOutcome, jobStatus } from '../schema/jobs.ts';
import { batchAnswer } from './batches.ts';
import { count, instant, instantOrNull, text } from './fields.ts';
import { flagged, jobAnswer } from './jobs.ts';
import { sameReference } from './own-fields.ts';
import { exactTime, nairaAmount, oneOf, page, someOf, wholeNumber } from './queries.ts';

/** The outcomes by which rows of results can be selected. `invalid` is a row that has no jobs. */
export const OUTCOMES = ['found', 'not_found', 'flagged', 'failed', 'invalid', 'canceled', 'duplicate', 'pending'] as const;

export type Outcome = (typeof OUTCOMES)[number];

export const RESULT_FORMATS = ['csv', 'jsonl', 'xlsx'] as const;
export type ResultFormat = (typeof RESULT_FORMATS)[number];

const bom = oneOf(['0', '1'], '1').describe('0: CSV without the leading byte-order mark that Excel needs to recognize UTF-8');

export const resultsQuery = z.object({
  format: oneOf(RESULT_FORMATS, 'csv').describe('Format of the file'),
  outcome: someOf(OUTCOMES).describe('Only these rows'),
  since: exactTime.describe('From this time on'),
  bom,
});

export const errorsQuery = z.object({
  format: oneOf(RESULT_FORMATS).describe('Default: that of the upload. A table is also to be had as `csv` or `xlsx`'),
  bom,
});

/** A file whose format is given. */
export const fileQuery = z.object({ bom });

/** Postgres's integer. */
const ROW_MAX = 2_147_483_647;

export const batchJobsQuery = z.object({
  status: oneOf(jobStatus.enumValues).describe('Only these. A duplicate counts with its original as well as under `duplicate`'),
  outcome: oneOf(jobOutcome.enumValues).describe('Only these'),
  flagged,
  reference: z
    .string()
    .optional()
    .describe('Only the row with this reference. A page may end before it is found: continue with `next_cursor` until that is null'),
  check: z.string().optional().describe('Only jobs of this check'),
  billed: nairaAmount.describe('Only jobs that were billed this amount, in naira'),
  from_row: wholeNumber(1, ROW_MAX).describe('Only from this row on; a `cursor` counts instead'),
  ...page,
});

export const invalidRowsQuery = z.object({
  reference: z
    .string()
    .optional()
    .describe('Only the first row with this reference. A page may end before it is found: continue with `next_cursor` until that is null'),
  from_row: wholeNumber(1, ROW_MAX).describe('Only from this row on; a `cursor` counts instead'),
  ...page,
});

export const invalidRowAnswer = z.object({
  object: z.literal('invalid_row'),
  row: count.describe('Data row of the upload, from 1'),
  reference: sameReference,
  problems: z
    .array(z.object({ field: text.nullable(), column: text.nullable(), rule: text, message: text }))
    .describe('`field`: input of a check or `reference`, null: the whole row; `column`: the column in which it was looked for'),
});

export const rowsQuery = z.object({
  reference: z.string('is required').min(1, 'must not be empty').meta({
    description: 'Of the rows. A page may end before every batch was searched: continue with `next_cursor` until that is null',
    example: 'c-7',
  }),
  ...page,
});

export const foundRowAnswer = z.object({
  object: z.literal('row'),
  batch: text.describe('bat_…'),
  batch_reference: sameReference,
  created_at: instant.describe('When the batch was submitted'),
  row: count.describe('Data row of the upload, from 1'),
  problems: invalidRowAnswer.shape.problems.nullable().describe('What is wrong with an invalid row, which has no jobs; null: it is valid'),
  jobs: z.array(jobAnswer).describe('One for each check, without results'),
});

/** Links for no longer than this are how browsers download: they are approved as downloads. */
export const DOWNLOAD_SECONDS = 60;

const LINK_SECONDS_DEFAULT = 24 * 3600;

const LINK_SECONDS_MAX = 7 * 24 * 3600;

export const linkBody = z
  .strictObject({
    kind: z.enum(['results', 'errors']).default('results'),
    format: z.enum(RESULT_FORMATS).optional().describe('Default: CSV for results, the format of the upload for errors'),
    outcome: z
      .union(
        [z.array(z.enum(OUTCOMES)).min(1), z.enum(OUTCOMES).transform((one) => [one])],
        `must be one or more of ${OUTCOMES.join(', ')}`,
      )
      .optional()
      .describe('Only rows with these outcomes'),
    expires_in_seconds: z.int().min(1).max(LINK_SECONDS_MAX).default(LINK_SECONDS_DEFAULT),
  })
  .refine((link) => link.kind === 'results' || link.outcome === undefined, { path: ['kind'], message: 'errors take no outcome' });

export const linkAnswer = z.object({
  id: text.describe('lnk_…'),
  object: z.literal('link'),
  url: text.describe('The file'),
  path: text,
  page_url: text.describe('A page for people: what the file is, how long the link works, and the download. The token follows `#`'),
  kind: z.enum(['results', 'errors']),
  format: z.enum(RESULT_FORMATS).nullable(),
  outcome: z.array(text).nullable(),
  expires_at: instant,
});

/** What a link leads to, for its holder. */
export const linkSummaryAnswer = z.object({
  object: z.literal('link_summary'),
  app: z.object({ name: text.describe('Who sent it') }),
  live: z.boolean().describe('false: invented people'),
  batch: batchAnswer.pick({ reference: true, status: true, checks: true, counts: true, created_at: true }),
  kind: z.enum(['results', 'errors']),
  format: z.enum(RESULT_FORMATS).nullable().describe('null: that of the upload'),
  outcome: z.array(text).nullable().describe('The file has only these rows; null: all'),
  expires_at: instant,
});

export const linksQuery = z.object({
  active: z
    .enum(['true', 'false'], 'must be true or false')
    .optional()
    .describe('true: only links that work; false: only those that no longer do'),
  ...page,
});

/** A link made earlier: its address is not kept. */
export const madeLinkAnswer = z.object({
  id: text.describe('lnk_…'),
  object: z.literal('link'),
  created_at: instant,
  expires_at: instant,
  revoked_at: instantOrNull,
});
