/** What is happening now in an app: the answer of the overview. */
import { z } from 'zod';
import { batchStatus } from '../schema/batches.ts';
import { batchAnswer } from './batches.ts';
import { amount, count, instant, instantOrNull, text } from './fields.ts';

/** Batches shown one by one. */
export const OPEN_BATCHES_MAX = 20;

const outcomes = { found: count, not_found: count, failed: count };

export const overviewAnswer = z.object({
  object: z.literal('overview'),
  live: z.boolean(),
  batches: z.object({
    counts: z.partialRecord(z.enum(batchStatus.enumValues), count).describe('Batches that are not over, by status'),
    data: z
      .array(batchAnswer)
      .describe(`At most ${OPEN_BATCHES_MAX}: paused for want of money, at work, paused, not started; the newest of each first`),
  }),
  outcomes: z.object({
    since: instant.describe('The beginning of yesterday (UTC)'),
    ...outcomes,
    checks: z.array(z.object({ check: text, ...outcomes })).describe('Those with most failures first'),
  }),
  refusals: z
    .array(z.object({ code: text, count }))
    .describe('Error codes of refused requests in the last 24 hours, the most frequent first; as far as `GET /requests` goes back'),
  money: z
    .object({
      currency: z.literal('NGX'),
      available: amount,
      held: amount,
      low_balance: amount.nullable().describe('The threshold of `wallet.low_balance`; null: none'),
      is_low: z.boolean(),
    })
    .nullable()
    .describe('null: the key lacks the scope `wallet:read`'),
  services: z
    .array(
      z.object({
        family: text,
        state: z.enum(['ok', 'degraded', 'not_configured']),
        degraded_checks: z.array(text).describe('Nobody answers for them at the moment'),
        missing_checks: z.array(text).describe('Nobody is set up to answer them, although others of the family are answered'),
        next_attempt_at: instantOrNull.describe('When somebody is asked again'),
        reason: text.nullable().describe('Why nobody can answer, where it is known, such as lists that are not loaded'),
      }),
    )
    .describe('Who answers, by family of checks'),
  reviews: z.object({
    open: count.describe('Review cases that nobody has decided, at most 1,000'),
    mine: count.describe('Of those, assigned to the caller'),
  }),
  monitors: z.object({ with_hits: count.describe('Active monitors that have found new hits since they began, at most 1,000') }).optional(),
  approvals: z
    .object({
      waiting: count.describe('What somebody has asked for and nobody has decided, at most 1,000'),
      own: count.describe('Of those, asked for by the caller or with a key that the caller made: somebody else decides'),
    })
    .optional(),
  webhooks: z.object({
    failing: z.array(
      z.object({
        id: text.describe('whe_…'),
        url: text,
        disabled: z.boolean(),
        disabled_reason: z.enum(['requested', 'gone', 'failing']).nullable(),
        failing_since: instantOrNull,
      }),
    ),
  }),
});
