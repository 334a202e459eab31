/** Providers and their look-ups, as the operator sees them. */
import { z } from 'zod';
import { amount, count, instant, text } from './fields.ts';

const share = z.number().min(0).nullable();
const milliseconds = count.nullable();
export const providersAnswer = z.object({
  object: z.literal('list'),
  from: z.iso.date(),
  to: z.iso.date(),
  currency: z.literal('NGX'),
  data: z.array(
    z.object({
      name: text,
      records: z.array(
        z.object({
          record: text,
          tier: count.describe('The highest tier that it answers'),
          health: z.enum(['well', 'paused', 'down']).describe('`down`: its circuit breaker opened and it has answered nothing since'),
          retry_after_ms: count,
        }),
      ),
      reason: text.nullable().describe('Why it can answer nobody at present, such as missing watch lists; null: it can'),
      budget: z.object({
        requests_per_second: z.number().nullable(),
        burst: count,
        reserved_for_calls: z.number(),
        in_flight_max: count.describe('Per process'),
        timeout_ms: count,
        used_share: share.describe('Share of the rate used in the last minute'),
      }),
      lately: z.object({
        minutes: count,
        calls: count,
        found: count,
        not_found: count,
        pending: count,
        errors: z.record(z.string(), count).describe('By class: down, timeout, rate_limited, out_of_credit, unauthorized, surprise …'),
        latency_ms: z.object({ p50: milliseconds, p95: milliseconds, p99: milliseconds }),
      }),
      spend: z.object({ today_amount: amount, period_amount: amount }),
    }),
  ),
  margin: z
    .array(z.object({ day: z.iso.date(), check: text, billed_amount: amount, cost_amount: amount, margin_amount: amount }))
    .describe('For live work only'),
});

const PAUSE_MINUTES_MAX = 24 * 60;

export const pauseBody = z.strictObject({
  minutes: z
    .int('must be a whole number of minutes')
    .min(1, `must be 1 to ${PAUSE_MINUTES_MAX}`)
    .max(PAUSE_MINUTES_MAX, `must be 1 to ${PAUSE_MINUTES_MAX}`)
    .describe('Then it is asked again by itself'),
});

/** A question to a vendor, as the app sees it. */
export const askedAnswer = z.object({
  began_at: instant,
  provider: text,
  record: text,
  tier: count,
  outcome: text.describe('found, not_found, pending, abandoned (another answered first), or the class of the failure'),
  hedged: z.boolean().describe('Asked because another vendor was slow with the same look-up'),
  latency_ms: count,
  vendor_status: text.nullable().describe("HTTP status and the vendor's own code"),
  vendor_reference: text.nullable(),
});

/** The same as the operator sees it. */
export const lookupAnswer = askedAnswer.extend({
  at: instant.describe('When it was recorded, with the outcome of the job'),
  cost_amount: amount,
  answer_sha256: text.nullable().describe('SHA-256 of the raw answer'),
});
