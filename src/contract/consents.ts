/** Withdrawals of consents. */
import { z } from 'zod';
import { BASES } from '../schema/jobs.ts';
import { creator } from './created-by.ts';
import { cleanText, count, instant, text } from './fields.ts';
import { days, refusePeriod, wholePeriod } from './queries.ts';

export const withdrawBody = z.strictObject({ reference: cleanText(200).describe('The `reference` of the consent, as you have sent it') });

export const withdrawalAnswer = z.object({
  id: text.describe('wdr_…'),
  object: z.literal('consent_withdrawal'),
  live: z.boolean(),
  withdrawn_at: instant,
  withdrawn_by: creator(
    'As it is now; of a person without a name, the e-mail address. Null: a key without a name, or a person who has left',
  )
    .nullable()
    .describe('Who withdrew it first, from the audit; null: that month of the audit was dropped'),
});

export const withdrawnAnswer = withdrawalAnswer.extend({
  monitors_ended: count.describe('Monitors that rested on it'),
  naming: z
    .object({
      count: count.describe('Single jobs, calls and batches that name the reference, waiting or over. 0 may mean that it is mistyped'),
      complete: z.boolean().describe('Whether everything that is kept was looked at; false: only the newest 5,000 of each'),
    })
    .optional(),
});

export const lookupsQuery = z
  .object({
    format: z.enum(['json', 'csv'], 'must be json or csv').default('json'),
    ...days,
    purpose: z.string().max(200).optional().describe('Only look-ups for this purpose; empty: only those without one'),
    basis: z.enum(BASES).optional(),
    check: z.string().max(100).optional().describe('Only look-ups of this check'),
  })
  .transform(wholePeriod)
  .superRefine(refusePeriod);

export const lookupsAnswer = z.object({
  object: z.literal('lookups_by_purpose'),
  live: z.boolean(),
  from: text.describe('Day (UTC) on which the work was submitted'),
  to: text,
  data: z.array(
    z.object({
      purpose: text.nullable().describe('As it was sent; null: without consent'),
      basis: z.enum(BASES).nullable(),
      check: text,
      lookups: count.describe('Answered look-ups'),
      found: count,
      not_found: count,
    }),
  ),
});
