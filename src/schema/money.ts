/** The tables of money: wallets, holds, the ledger, agreed prices, and usage. */
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, date, index, integer, pgEnum, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import { apps } from './apps.ts';
import { instant, kobo } from './columns.ts';

export const ledgerKind = pgEnum('ledger_kind', ['topup', 'hold', 'capture', 'release', 'refund', 'write_off']);
export const ledgerAccount = pgEnum('ledger_account', ['topups', 'available', 'held', 'revenue']);

/**
 * One wallet for live money and one for play money. Changed by hold and release, not by capture: `heldKobo` counts whole holds, and `holds.capturedKobo` says
 * how much of each open hold is captured.
 */
export const wallets = pgTable(
  'wallets',
  {
    appId: uuid('app_id')
      .notNull()
      .references(() => apps.id),
    live: boolean('live').notNull(),
    availableKobo: kobo('available_kobo').notNull().default(0),
    heldKobo: kobo('held_kobo').notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.appId, t.live] }),
    check('wallets_available', sql`${t.availableKobo} >= 0`),
    check('wallets_held', sql`${t.heldKobo} >= 0`),
  ],
);

/** Money held for a batch, a job or a call, whose id is the hold's `id`. */
export const holds = pgTable(
  'holds',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    amountKobo: kobo('amount_kobo').notNull(),
    capturedKobo: kobo('captured_kobo').notNull().default(0),
    /** The key that asked for it; spending caps count by key. */
    keyId: uuid('key_id'),
    /** The day it counts towards. Moves forward when work resumes (start, resume, retry). */
    createdAt: instant('created_at').notNull().defaultNow(),
    /** Captured before that day; no longer counts. */
    capturedBeforeKobo: kobo('captured_before_kobo').notNull().default(0),
    /** What it counts for that day while open. Null: its amount, or the whole quote of a partial run. */
    committedKobo: kobo('committed_kobo'),
    /** Set for a single call: if the process dies before it can release the hold, the sweeper does. */
    expiresAt: instant('expires_at'),
    releasedAt: instant('released_at'),
  },
  (t) => [
    check('holds_captured', sql`${t.capturedKobo} between 0 and ${t.amountKobo}`),
    index('holds_open').on(t.appId, t.live).where(sql`${t.releasedAt} is null`),
    index('holds_expiry').on(t.expiresAt).where(sql`${t.releasedAt} is null and ${t.expiresAt} is not null`),
    /** Serves spending caps: what was held today. */
    index('holds_by_day').on(t.appId, t.createdAt),
  ],
);

/** Double entry: each row moves `amountKobo` from one account to another, so that all accounts always sum to zero. Append-only. Partitioned by month: the primary key and `ledger_once` are each partition's own. */
export const ledgerEntries = pgTable(
  'ledger_entries',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: instant('at').notNull().defaultNow(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    kind: ledgerKind('kind').notNull(),
    fromAccount: ledgerAccount('from_account').notNull(),
    toAccount: ledgerAccount('to_account').notNull(),
    amountKobo: kobo('amount_kobo').notNull(),
    /** The hold that this entry makes, captures from or releases. */
    holdId: uuid('hold_id'),
    /** For a capture: the job charged. Null if it covers several rows of a batch. */
    jobId: uuid('job_id'),
    /** For a capture: the check. Null in entries of earlier releases. */
    checkId: text('check_id'),
    /** For a capture: how many jobs it covers, all at one price. Null in entries of earlier releases, whose captures cover one. */
    jobs: integer('jobs'),
    note: text('note'),
  },
  (t) => [
    check('ledger_amount', sql`${t.amountKobo} > 0`),
    check('ledger_accounts', sql`${t.fromAccount} <> ${t.toAccount}`),
    /** A single job or call is charged at most once, whatever crashes. A row of a batch is charged as it is settled, under the guard of its status and attempt. */
    unique('ledger_once').on(t.jobId, t.kind),
    index('ledger_by_app').on(t.appId, t.live, t.id),
    /** Charges of batches, a row for each group of jobs; those of single jobs and calls, whose hold has the id of the job, are not in it. */
    index('ledger_batch_captures').on(t.holdId).where(sql`${t.kind} = 'capture' and (${t.jobId} is null or ${t.jobId} <> ${t.holdId})`),
    /** Rows are in time order, so BRIN finds a month and costs an insert almost nothing. */
    index('ledger_at').using('brin', t.at),
  ],
);

/** Prices agreed with one app; they replace the price list while they are valid. */
export const priceOverrides = pgTable(
  'price_overrides',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id')
      .notNull()
      .references(() => apps.id),
    checkId: text('check_id').notNull(),
    priceKobo: integer('price_kobo').notNull(),
    cachedPriceKobo: integer('cached_price_kobo').notNull(),
    validFrom: instant('valid_from').notNull().defaultNow(),
    validUntil: instant('valid_until'),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [
    index('price_overrides_app').on(t.appId, t.checkId, t.validFrom),
    /** The hold covers the price, so a cached answer must not cost more. */
    check('price_overrides_prices', sql`${t.cachedPriceKobo} between 0 and ${t.priceKobo}`),
  ],
);

/** An app's usage per day (UTC), added up in the transactions that settle, so that statements and usage never scan jobs. */
export const usageDays = pgTable(
  'usage_days',
  {
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    checkId: text('check_id').notNull(),
    source: text('source').$type<'call' | 'job' | 'batch'>().notNull(),
    found: integer('found').notNull(),
    notFound: integer('not_found').notNull(),
    failed: integer('failed').notNull(),
    /** How many of found and not found came from the cache. */
    cached: integer('cached').notNull(),
    /** How many of them were charged for. */
    charged: integer('charged').notNull(),
    billedKobo: kobo('billed_kobo').notNull(),
    /** Estimated bytes that their results take. */
    storedBytes: bigint('stored_bytes', { mode: 'number' }).notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.appId, t.live, t.day, t.checkId, t.source] })],
);
