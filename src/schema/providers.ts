/** The tables of providers: what all processes share of them, each question to a vendor, what a day cost, answers that come later. */
import { date, index, integer, pgTable, primaryKey, smallint, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant, kobo } from './columns.ts';

/** What all processes share about a provider, or about one of its breakers (`provider/kind`). */
export const providerStates = pgTable('provider_states', {
  name: text('name').primaryKey(),
  /** GCRA's theoretical arrival time: the next free slot of its rate. */
  arrivalAt: instant('arrival_at').notNull().defaultNow(),
  /** How many slots the last who asked for some was given. */
  granted: integer('granted').notNull().default(0),
  /** It asked for a pause, or its breaker is open. */
  pausedUntil: instant('paused_until'),
  /** Since when it is not well; null again with its first good answer. */
  degradedSince: instant('degraded_since'),
});

/** Each question that was put to a vendor with a live key, for disputes: whatever came of it, and of its job. No personal data. */
export const providerLookups = pgTable(
  'provider_lookups',
  {
    /** Of the question: written twice it stays one. */
    id: uuid('id').primaryKey(),
    jobId: uuid('job_id').notNull(),
    at: instant('at').notNull().defaultNow(),
    provider: text('provider').notNull(),
    kind: text('kind').notNull(),
    tier: smallint('tier').notNull(),
    /** `found`, `not_found`, `pending`, or the failure. */
    outcome: text('outcome').notNull(),
    latencyMs: integer('latency_ms').notNull(),
    costKobo: integer('cost_kobo').notNull(),
    /** HTTP status and the vendor's own code. */
    status: text('status'),
    /** The vendor's number of the transaction. */
    reference: text('reference'),
    /** SHA-256 of the raw answer. */
    answerHash: bytea('answer_hash'),
  },
  (t) => [index('provider_lookups_job').on(t.jobId), index('provider_lookups_at').using('brin', t.at)],
);

/** What vendors were asked and cost on a day (UTC), by check: with `usage_days` it gives the margin. Live keys only. */
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

/** Questions that a vendor took and answers later. By the key of the cache, so that nobody asks again meanwhile. */
export const pendingLookups = pgTable(
  'pending_lookups',
  {
    key: bytea('key').notNull(),
    tier: smallint('tier').notNull(),
    provider: text('provider').notNull(),
    /** What the vendor calls it: ciphertext, and the HMAC by which its message finds it. */
    ticket: bytea('ticket').notNull(),
    ticketIndex: bytea('ticket_index').notNull(),
    /** The job that asked, to be woken. */
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
  ],
);
