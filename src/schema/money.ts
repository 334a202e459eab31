/** The tables of money: wallets, what is set aside, the ledger, agreed prices, and what was used. */
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, date, index, integer, pgEnum, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import { apps } from './apps.ts';
import { instant, kobo } from './columns.ts';

export const ledgerKind = pgEnum('ledger_kind', ['topup', 'hold', 'capture', 'release']);
export const ledgerAccount = pgEnum('ledger_account', ['topups', 'available', 'held', 'revenue']);

/**
 * One wallet for live money and one for play money. Touched at hold and release, not at capture: `heldKobo` counts whole holds, and what
 * was captured of the open ones stands in `holds.capturedKobo`.
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

/** Money set aside for a batch, a job or a call; `id` is the id of what it is for. */
export const holds = pgTable(
  'holds',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    amountKobo: kobo('amount_kobo').notNull(),
    capturedKobo: kobo('captured_kobo').notNull().default(0),
    /** The key that asked for it; caps on spending count by it. */
    keyId: uuid('key_id'),
    /** The day that it counts for; moves on when the work goes on (start, resume, retry). */
    createdAt: instant('created_at').notNull().defaultNow(),
    /** Captured before that day: counts no more. */
    capturedBeforeKobo: kobo('captured_before_kobo').notNull().default(0),
    /** What it counts for that day while it is open. Null: its amount, or the whole quote of a partial run. */
    committedKobo: kobo('committed_kobo'),
    /** Set for a single call: the sweeper gives the money back when the process died before it could. */
    expiresAt: instant('expires_at'),
    releasedAt: instant('released_at'),
  },
  (t) => [
    check('holds_captured', sql`${t.capturedKobo} between 0 and ${t.amountKobo}`),
    index('holds_open').on(t.appId, t.live).where(sql`${t.releasedAt} is null`),
    index('holds_expiry').on(t.expiresAt).where(sql`${t.releasedAt} is null and ${t.expiresAt} is not null`),
    /** Serves caps: what was set aside today. */
    index('holds_by_day').on(t.appId, t.createdAt).where(sql`${t.keyId} is not null`),
  ],
);

/** Double entry: each row moves `amountKobo` from one account to another, so that all accounts always sum to zero. Append-only. */
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
    /** Of a hold, its captures and its release. */
    holdId: uuid('hold_id'),
    /** Of a capture: the job that was charged. */
    jobId: uuid('job_id'),
    note: text('note'),
  },
  (t) => [
    check('ledger_amount', sql`${t.amountKobo} > 0`),
    check('ledger_accounts', sql`${t.fromAccount} <> ${t.toAccount}`),
    /** A job is charged at most once, whatever crashes. */
    unique('ledger_once').on(t.jobId, t.kind),
    index('ledger_by_app').on(t.appId, t.live, t.id),
    /** Entries stand in the order of their time: finds a month for the price of almost nothing at each insert. */
    index('ledger_at').using('brin', t.at),
  ],
);

/** Prices that the operator agreed with an app, in place of the price list while they are valid. */
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
    /** Money is set aside for the price: an answer from the cache must not cost more. */
    check('price_overrides_prices', sql`${t.cachedPriceKobo} between 0 and ${t.priceKobo}`),
  ],
);

/** What an app used on a day (UTC), added up in the transactions that settle: statements and usage never walk jobs. */
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
    /** Of found and not found: answered from the cache. */
    cached: integer('cached').notNull(),
    /** How many of them cost something. */
    charged: integer('charged').notNull(),
    billedKobo: kobo('billed_kobo').notNull(),
  },
  (t) => [primaryKey({ columns: [t.appId, t.live, t.day, t.checkId, t.source] })],
);
