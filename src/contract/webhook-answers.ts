/** Answers about webhook endpoints, their deliveries and replays. */
import { z } from 'zod';
import { deliveryStatus } from '../schema/webhooks.ts';
import { count, instant, instantOrNull, text } from './fields.ts';

export const endpointAnswer = z.object({
  id: text.describe('whe_…'),
  object: z.literal('webhook_endpoint'),
  url: text,
  description: text.nullable(),
  events: z.array(text),
  signing: z.enum(['v1', 'v1a']),
  public_key: text.nullable().describe('whpk_…, of `v1a`'),
  previous_public_key: text.nullable(),
  previous_secret_expires_at: instantOrNull,
  rate_per_second: count.nullable(),
  encryption_key: z.record(z.string(), z.unknown()).nullable(),
  disabled: z.boolean(),
  disabled_reason: z.enum(['requested', 'gone', 'failing']).nullable(),
  disabled_at: instantOrNull,
  failing_since: instantOrNull,
  live: z.boolean(),
  created_at: instant,
});
export const endpointWithSecret = endpointAnswer.extend({ secret: text.nullable().describe('whsec_…, shown this once; null for `v1a`') });

export const deliveryAnswer = z.object({
  id: text.describe('dlv_…'),
  object: z.literal('webhook_delivery'),
  event: z.object({ id: text, type: text, created_at: instant }),
  endpoint: text.nullable().describe('null: to a `callback_url`'),
  url: text,
  status: z.enum(deliveryStatus.enumValues),
  error: text.nullable(),
  attempts: z.array(
    z.object({
      attempt: count,
      at: instant,
      status: count.nullable(),
      error: text.nullable(),
      latency_ms: count,
      response: text.nullable().describe('The first KiB of the answer'),
    }),
  ),
  next_attempt_at: instantOrNull,
  created_at: instant,
  delivered_at: instantOrNull,
});

export const replayAnswer = z.object({
  object: z.literal('webhook_replay'),
  deliveries: count,
  hastened: count,
  has_more: z.boolean(),
  next_since: instantOrNull,
});
