/** The tables of events: what happened, who wants to know, and every attempt to deliver it. */
import { sql } from 'drizzle-orm';
import { boolean, index, integer, jsonb, pgEnum, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core';
import { apps } from './apps.ts';
import { bytea, instant } from './columns.ts';

export const deliveryStatus = pgEnum('delivery_status', ['pending', 'sending', 'delivered', 'failed']);

/**
 * Something an app is notified of. `data` is thin: ids, status, counts; no personal data. What the client said about its work is sealed in `about`, and so
 * are the listed entries that a monitored person matches.
 */
export const events = pgTable(
  'events',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull().default(true),
    type: text('type').notNull(),
    data: jsonb('data').$type<Record<string, unknown>>().notNull(),
    /** Ciphertext of members that are null or empty in `data` (`contract/about.ts`). */
    about: bytea('about'),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [
    index('events_app').on(t.appId, t.live, t.id),
    // Finds the events about a job or batch that is deleted.
    index('events_about').on(sql`(${t.data} ->> 'id')`),
    // Finds the events of a monitor whose person is erased.
    index('events_monitor').on(sql`(${t.data} ->> 'monitor')`).where(sql`${t.data} ->> 'monitor' is not null`),
    // Finds rows of earlier releases for the sweeper.
    index('events_clear')
      .on(t.id)
      .where(sql`${t.about} is null
      and (${t.data} ->> 'reference' is not null or ${t.data} ->> 'metadata' is not null or ${t.data} ->> 'source_ids' <> '[]')`),
  ],
);

/** An address where an app wants its events. The `callback_url` of a job or batch has no row here. */
export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id')
      .notNull()
      .references(() => apps.id),
    live: boolean('live').notNull(),
    url: text('url').notNull(),
    description: text('description'),
    /** The event types it wants; empty: all but the opt-in ones. */
    events: text('events').array().notNull(),
    /** `v1`: HMAC with a shared secret; `v1a`: ed25519. */
    signing: text('signing').$type<'v1' | 'v1a'>().notNull().default('v1'),
    /** Ciphertext of `whsec_…` or `whsk_…`; the previous secret stays while both are valid. */
    secret: bytea('secret').notNull(),
    previousSecret: bytea('previous_secret'),
    previousExpiresAt: instant('previous_expires_at'),
    /** Deliveries a second; null: no limit. */
    ratePerSecond: integer('rate_per_second'),
    /** When its past deliveries have used up their share of the rate (GCRA's theoretical arrival time). */
    pacedUntil: instant('paced_until'),
    /** The receiver's public key (JWK): events carry their results, encrypted to it. Null: thin events. */
    encryptionKey: jsonb('encryption_key').$type<Record<string, unknown>>(),
    /** Who set it, a key or a person (`webhooks/makers.ts`). Both null although there is a key: it was set in an earlier release. */
    makerKeyId: uuid('maker_key_id'),
    makerPersonId: uuid('maker_person_id'),
    /** Start of the current run of failed attempts. */
    failingSince: instant('failing_since'),
    disabledAt: instant('disabled_at'),
    disabledReason: text('disabled_reason').$type<'requested' | 'gone' | 'failing'>(),
    createdAt: instant('created_at').notNull().defaultNow(),
    deletedAt: instant('deleted_at'),
  },
  (t) => [index('webhook_endpoints_app').on(t.appId, t.live)],
);

/** One event on its way to one address, until delivered or given up. */
export const deliveries = pgTable(
  'deliveries',
  {
    id: uuid('id').primaryKey(),
    eventId: uuid('event_id')
      .notNull()
      .references(() => events.id, { onDelete: 'cascade' }),
    appId: uuid('app_id').notNull(),
    /** Null for the `callback_url` of a job or batch. */
    endpointId: uuid('endpoint_id').references(() => webhookEndpoints.id),
    url: text('url').notNull(),
    /** The lane, so that a slow receiver delays only itself: the host of `url`, or `endpoint:` and the endpoint's id. */
    host: text('host').notNull(),
    status: deliveryStatus('status').notNull().default('pending'),
    attempt: smallint('attempt').notNull().default(0),
    nextAttemptAt: instant('next_attempt_at').notNull().defaultNow(),
    leasedUntil: instant('leased_until'),
    responseStatus: smallint('response_status'),
    error: text('error'),
    createdAt: instant('created_at').notNull().defaultNow(),
    deliveredAt: instant('delivered_at'),
  },
  (t) => [
    index('deliveries_lane').on(t.host, t.nextAttemptAt, t.id).where(sql`${t.status} = 'pending'`),
    index('deliveries_sending').on(t.host).where(sql`${t.status} = 'sending'`),
    index('deliveries_event').on(t.eventId),
    index('deliveries_endpoint').on(t.endpointId, t.id).where(sql`${t.endpointId} is not null`),
  ],
);

/** One attempt of a delivery, and the receiver's answer. */
export const deliveryAttempts = pgTable(
  'delivery_attempts',
  {
    deliveryId: uuid('delivery_id')
      .notNull()
      .references(() => deliveries.id, { onDelete: 'cascade' }),
    attempt: smallint('attempt').notNull(),
    at: instant('at').notNull().defaultNow(),
    /** HTTP status; null if there was no answer. */
    status: smallint('status'),
    error: text('error'),
    latencyMs: integer('latency_ms').notNull(),
    /** Ciphertext of the first 1 KiB of the answer. */
    excerpt: bytea('excerpt'),
  },
  (t) => [
    primaryKey({ columns: [t.deliveryId, t.attempt] }),
    index('delivery_attempts_excerpts').on(t.deliveryId).where(sql`${t.excerpt} is not null`),
  ],
);
