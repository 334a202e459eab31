/** The tables of providers: their shared state, every question to a vendor, daily costs, and answers that come later. */
import { sql } from 'drizzle-orm';
import {
  boolean,
  date,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { bytea, instant, kobo } from './columns.ts';

/** The state that all processes share of a provider, or of one of its breakers (`provider/kind`). */
export const providerStates = pgTable('provider_states', {
  name: text('name').primaryKey(),
  /** When the next slot of its rate would be by the spacing alone (GCRA's theoretical arrival time). */
  arrivalAt: instant('arrival_at').notNull().defaultNow(),
  /** When each seat of its rate was last used, in ms since 1970 (`providers/slots.ts`). */
  seats: doublePrecision('seats').array().notNull().default([]),
  /** How many slots the last taker was granted. Only releases before seats use it. */
  granted: integer('granted').notNull().default(0),
  /** It is left alone until then: it asked for a pause, or its breaker is open. */
  pausedUntil: instant('paused_until'),
  /** When it started to fail; null again after its first good answer. */
  degradedSince: instant('degraded_since'),
});

/** Every live question to a vendor, kept for disputes, whatever came of it or its job. No personal data. */
export const providerLookups = pgTable(
  'provider_lookups',
  {
    /** The question's id: writing it twice leaves one row. */
    id: uuid('id').primaryKey(),
    jobId: uuid('job_id').notNull(),
    at: instant('at').notNull().defaultNow(),
    provider: text('provider').notNull(),
    kind: text('kind').notNull(),
    tier: smallint('tier').notNull(),
    /** `found`, `not_found`, `pending`, or the failure code. */
    outcome: text('outcome').notNull(),
    latencyMs: integer('latency_ms').notNull(),
    costKobo: integer('cost_kobo').notNull(),
    /** Asked because another vendor was slow with the same look-up. */
    hedged: boolean('hedged').notNull().default(false),
    /** HTTP status and the vendor's own code. */
    status: text('status'),
    /** The vendor's own transaction number. */
    reference: text('reference'),
    /** SHA-256 of the raw answer. */
    answerHash: bytea('answer_hash'),
  },
  (t) => [index('provider_lookups_job').on(t.jobId), index('provider_lookups_at').using('brin', t.at)],
);

/** Questions to vendors and what they cost per day (UTC), by check. Together with `usage_days` it gives the margin. Live keys only. */
export const providerDays = pgTable(
  'provider_days',
  {
    day: date('day', { mode: 'string' }).notNull(),
    provider: text('provider').notNull(),
    checkId: text('check_id').notNull(),
    kind: text('kind').notNull(),
    found: integer('found').notNull(),
    notFound: integer('not_found').notNull(),
    failed: integer('failed').notNull(),
    costKobo: kobo('cost_kobo').notNull(),
  },
  (t) => [primaryKey({ columns: [t.day, t.provider, t.checkId, t.kind] })],
);

/** Questions that a vendor accepted and will answer later. Keyed like the cache, so that nobody asks again in the meantime. */
export const pendingLookups = pgTable(
  'pending_lookups',
  {
    key: bytea('key').notNull(),
    /** Like `cache_records.subject`. */
    subject: bytea('subject'),
    tier: smallint('tier').notNull(),
    provider: text('provider').notNull(),
    /** The vendor reference: its ciphertext, and the HMAC by which the vendor's message finds this row. */
    ticket: bytea('ticket').notNull(),
    ticketIndex: bytea('ticket_index').notNull(),
    /** The job that asked and must be woken. */
    jobId: uuid('job_id').notNull(),
    /** Ciphertext of what the vendor's message said. */
    answer: bytea('answer'),
    askedAt: instant('asked_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.key, t.tier] }),
    uniqueIndex('pending_lookups_ticket').on(t.provider, t.ticketIndex),
    index('pending_lookups_expiry').on(t.expiresAt),
    index('pending_lookups_subject').on(t.subject).where(sql`${t.subject} is not null`),
  ],
);
