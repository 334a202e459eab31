/** Webhooks: event types, bodies, and the answers made from endpoints and deliveries. */
import { z } from 'zod';
import { showId } from '../foundation/ids.ts';
import { type deliveries, type deliveryAttempts, deliveryStatus, type webhookEndpoints } from '../schema/webhooks.ts';
import { cleanText, count, instant, instantOrNull, sentTime, showInstant, showInstantOrNull, text } from './fields.ts';
import { callbackUrl } from './own-fields.ts';
import { cursor, pageSize } from './queries.ts';

/** The event types that an endpoint may subscribe to by name. */
export const eventTypes = [
  'job.completed',
  'job.failed',
  'batch.completed',
  'batch.canceled',
  'batch.failed',
  'batch.expired',
  'batch.paused',
  'batch.resumed',
  'batch.progress',
  'aml.monitor.hit',
  'wallet.low_balance',
  'approval.requested',
  'approval.decided',
  'review.opened',
  'review.decided',
  'endpoint.disabled',
] as const;

export type EventType = (typeof eventTypes)[number];

/** Sent only to endpoints that subscribe to them by name. */
export const optInEvents: readonly EventType[] = ['batch.progress', 'review.opened'];

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const base64url = z.string().regex(/^[A-Za-z0-9_-]{1,1400}$/, 'must be base64url');

const keyUse = { kid: cleanText(200).optional(), use: z.literal('enc').optional() };

const agreement = { ...keyUse, alg: z.literal('ECDH-ES+A256KW').optional() };

/** A public JWK that JWE can encrypt to. `webhooks/payload.ts` tests whether its numbers form a key when it is registered. */
const encryptionKey = z
  .record(z.string(), z.unknown())
  .refine((jwk) => !PRIVATE_MEMBERS.some((member) => member in jwk), {
    message: 'must be a public key, without private members',
    abort: true,
  })
  .pipe(
    z.union(
      [
        z.object({ kty: z.literal('RSA'), n: base64url, e: base64url, ...keyUse, alg: z.literal('RSA-OAEP-256').optional() }),
        z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), x: base64url, y: base64url, ...agreement }),
        z.object({ kty: z.literal('OKP'), crv: z.literal('X25519'), x: base64url, ...agreement }),
      ],
      'must be a JWK: RSA (RSA-OAEP-256), or P-256 or X25519 (ECDH-ES+A256KW)',
    ),
  );

export type EncryptionKey = z.infer<typeof encryptionKey>;

const endpointMembers = {
  url: callbackUrl,
  description: cleanText(200).nullable(),
  events: z
    .array(z.enum(eventTypes, `must be one of ${eventTypes.join(', ')}`))
    .max(100)
    .transform((types) => [...new Set(types)])
    .describe('Empty: all events, except those that must be named'),
  rate_per_second: z.int().min(1).max(1000).nullable().describe('Maximum deliveries a second'),
  encryption_key: encryptionKey
    .nullable()
    .describe('Your public key: events carry their results, encrypted to it. Setting one needs the scope `results:read` too'),
};

export const endpointBody = z.strictObject({
  ...endpointMembers,
  description: endpointMembers.description.default(null),
  events: endpointMembers.events.default([]),
  signing: z.enum(['v1', 'v1a']).default('v1').describe('`v1`: a shared secret; `v1a`: ed25519'),
  rate_per_second: endpointMembers.rate_per_second.default(null),
  encryption_key: endpointMembers.encryption_key.default(null),
  disabled: z.boolean().default(false).describe('true: nothing is sent to it, but its events are kept and can be followed'),
});

export const endpointPatch = z.strictObject({ ...endpointMembers, disabled: z.boolean() }).partial();

export const rotateBody = z.strictObject({
  revoke_previous: z.boolean().default(false).describe('true: the old secret has leaked and stops working at once'),
});

export const replayBody = z
  .strictObject({
    since: sentTime('must be an ISO 8601 date and time'),
    until: sentTime('must be an ISO 8601 date and time').optional(),
    missing_only: z.boolean().default(false),
  })
  .refine(({ since, until }) => until === undefined || Date.parse(until) > Date.parse(since), {
    path: ['until'],
    message: 'must be after since',
  });

const PAGE_MAX = 100;

const page = { limit: pageSize(PAGE_MAX, 50), cursor };

export const endpointPage = z.object(page);

export const deliveryPage = z.object({ ...page, status: z.enum(['pending', 'sending', 'delivered', 'failed']).optional() });

export type EndpointRow = typeof webhookEndpoints.$inferSelect;

/** What an endpoint shows besides its row. */
export interface EndpointFacts {
  /** For `v1a`, also the previous one while both are valid. A secret is shown once, by the call that creates it. */
  publicKey: string | null;
  previousPublicKey: string | null;
  results: z.infer<typeof endpointAnswer>['results'];
}

export function showEndpoint(
  endpoint: EndpointRow,
  { publicKey, previousPublicKey, results }: EndpointFacts,
): z.infer<typeof endpointAnswer> {
  return {
    id: showId('whe', endpoint.id),
    object: 'webhook_endpoint',
    url: endpoint.url,
    description: endpoint.description,
    events: endpoint.events,
    signing: endpoint.signing,
    public_key: publicKey,
    previous_public_key: previousPublicKey,
    previous_secret_expires_at: showInstantOrNull(endpoint.previousExpiresAt),
    rate_per_second: endpoint.ratePerSecond,
    encryption_key: endpoint.encryptionKey,
    results,
    disabled: endpoint.disabledAt !== null,
    disabled_reason: endpoint.disabledReason,
    disabled_at: showInstantOrNull(endpoint.disabledAt),
    failing_since: showInstantOrNull(endpoint.failingSince),
    live: endpoint.live,
    created_at: showInstant(endpoint.createdAt),
  };
}

export type DeliveryRow = typeof deliveries.$inferSelect & { type: string; eventAt: string };

export type AttemptRow = typeof deliveryAttempts.$inferSelect;

/** `response`: the first KiB of the receiver's answer at each attempt. */
export function showDelivery(
  delivery: DeliveryRow,
  attempts: (AttemptRow & { response: string | null })[],
): z.infer<typeof deliveryAnswer> {
  return {
    id: showId('dlv', delivery.id),
    object: 'webhook_delivery',
    event: { id: showId('evt', delivery.eventId), type: delivery.type, created_at: showInstant(delivery.eventAt) },
    endpoint: delivery.endpointId === null ? null : showId('whe', delivery.endpointId),
    url: delivery.url,
    status: delivery.status,
    error: delivery.error,
    attempts: attempts.map((attempt) => ({
      attempt: attempt.attempt,
      at: showInstant(attempt.at),
      status: attempt.status,
      error: attempt.error,
      latency_ms: attempt.latencyMs,
      response: attempt.response,
    })),
    next_attempt_at: delivery.status === 'pending' ? showInstant(delivery.nextAttemptAt) : null,
    created_at: showInstant(delivery.createdAt),
    delivered_at: showInstantOrNull(delivery.deliveredAt),
  };
}

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
  results: z
    .enum(['sent', 'withheld'])
    .nullable()
    .describe('`withheld`: whoever set `encryption_key` may not read results now, and messages carry none; null: no `encryption_key`'),
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
  endpoint: text.nullable().describe('null: sent to a `callback_url`'),
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

export const deliveryWithMessage = deliveryAnswer.extend({
  message: z
    .object({ type: text, timestamp: instant, data: z.record(z.string(), z.unknown()) })
    .describe('The body that was sent, without `encrypted`'),
});

export const replayAnswer = z.object({
  object: z.literal('webhook_replay'),
  deliveries: count,
  hastened: count,
  has_more: z.boolean(),
  next_since: instantOrNull,
});
