/** The tables of batches: their state and history, where the dispatcher stands in them, and the rows that were submitted. */
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, jsonb, pgEnum, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core';
import { apps } from './apps.ts';
import { bytea, instant, kobo } from './columns.ts';

export const batchStatus = pgEnum('batch_status', [
  'awaiting_start',
  'queued',
  'running',
  'completed',
  'canceling',
  'canceled',
  'paused',
  'paused_funds',
  'failed',
  'expired',
]);

/** In which order a file writes day, month and year where they are all numbers and the year is last. */
export const dateFormats = ['dmy', 'mdy', 'ymd'] as const;
export type DateFormat = (typeof dateFormats)[number];

export type BatchFormat = 'csv' | 'ndjson' | 'json' | 'xlsx' | 'zip';

/** Why a batch is in its state, where the state alone does not say it. */
export type BatchReason = 'requested' | 'insufficient_funds' | 'max_failure_percent' | 'deadline';

export const batches = pgTable(
  'batches',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id')
      .notNull()
      .references(() => apps.id),
    live: boolean('live').notNull(),
    status: batchStatus('status').notNull(),
    checks: text('checks').array().notNull(),
    format: text('format').$type<BatchFormat>().notNull(),
    /** Column names of the upload in their order; for object rows the keys in the order in which they first appeared. */
    columns: text('columns').array().notNull(),
    /** Input field (or `reference`) → column name, as resolved. */
    mapping: jsonb('mapping').$type<Record<string, string>>().notNull(),
    /** How its dates are read; null, of before there was a choice: they are all ISO. */
    dateFormat: text('date_format').$type<DateFormat>(),
    /** The form in which its rows are stored (`jobs/release.ts`). */
    storedAs: smallint('stored_as').notNull().default(1),
    reference: text('reference'),
    metadata: jsonb('metadata').$type<Record<string, unknown>>(),
    callbackUrl: text('callback_url'),
    rows: integer('rows').notNull(),
    jobs: integer('jobs').notNull(),
    queued: integer('queued').notNull(),
    leased: integer('leased').notNull().default(0),
    completed: integer('completed').notNull().default(0),
    found: integer('found').notNull().default(0),
    notFound: integer('not_found').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    canceled: integer('canceled').notNull().default(0),
    invalid: integer('invalid').notNull(),
    /** Checks of rows that another row of the batch has already with the same input: not looked up, not charged, not among `jobs`. */
    duplicate: integer('duplicate').notNull().default(0),
    quoteKobo: kobo('quote_kobo').notNull(),
    /** Set aside so far; less than the quote while a partial run waits for money. */
    holdKobo: kobo('hold_kobo').notNull(),
    billedKobo: kobo('billed_kobo').notNull().default(0),
    /** Worst price of what is leased: with `billedKobo` it never exceeds `holdKobo`. */
    leasedKobo: kobo('leased_kobo').notNull().default(0),
    /** Why it is paused, canceled, failed or expired: a stable word. */
    reason: text('reason').$type<BatchReason>(),
    /** The batch fails when more than this share of its jobs has failed. */
    maxFailurePercent: smallint('max_failure_percent'),
    /** Deadline: what is not finished by then is canceled. */
    expiresAt: instant('expires_at'),
    createdAt: instant('created_at').notNull().defaultNow(),
    startedAt: instant('started_at'),
    pausedAt: instant('paused_at'),
    completedAt: instant('completed_at'),
    canceledAt: instant('canceled_at'),
    failedAt: instant('failed_at'),
    expiredAt: instant('expired_at'),
  },
  (t) => [
    check('batches_add_up', sql`${t.queued} + ${t.leased} + ${t.completed} + ${t.failed} + ${t.canceled} = ${t.jobs}`),
    check('batches_covered', sql`${t.leasedKobo} >= 0 and ${t.leasedKobo} + ${t.billedKobo} <= ${t.holdKobo}`),
    check('batches_outcomes', sql`${t.found} + ${t.notFound} = ${t.completed}`),
    check(
      'batches_counts',
      sql`least(${t.rows}, ${t.queued}, ${t.leased}, ${t.found}, ${t.notFound}, ${t.failed}, ${t.canceled}, ${t.invalid}) >= 0`,
    ),
    index('batches_app').on(t.appId, t.id),
    index('batches_active').on(t.id).where(sql`${t.status} in ('queued', 'running', 'canceling')`),
    index('batches_deadline').on(t.expiresAt).where(sql`${t.expiresAt} is not null`),
  ],
);

/** Every change of a batch's status, written by a trigger (drizzle/): what its events stream and history show. */
export const batchHistory = pgTable(
  'batch_history',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    batchId: uuid('batch_id')
      .notNull()
      .references(() => batches.id, { onDelete: 'cascade' }),
    at: instant('at').notNull().defaultNow(),
    status: batchStatus('status').notNull(),
    reason: text('reason').$type<BatchReason>(),
    queued: integer('queued').notNull(),
    leased: integer('leased').notNull(),
    completed: integer('completed').notNull(),
    failed: integer('failed').notNull(),
    canceled: integer('canceled').notNull(),
  },
  (t) => [index('batch_history_batch').on(t.batchId, t.id)],
);

/** The jobs of one check within a batch: where the dispatcher stands in it. `cursorRow` is the last fresh row that was leased. */
export const lanes = pgTable(
  'lanes',
  {
    batchId: uuid('batch_id')
      .notNull()
      .references(() => batches.id, { onDelete: 'cascade' }),
    checkId: text('check_id').notNull(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    family: text('family').notNull(),
    /** Worst price of each of its jobs. */
    priceKobo: integer('price_kobo').notNull().default(0),
    cursorRow: integer('cursor_row').notNull().default(0),
    /** Fresh rows are left beyond the cursor. */
    fresh: boolean('fresh').notNull().default(true),
    /** False while the batch is not running, and for good once it ended: the dispatcher does not look at it. */
    open: boolean('open').notNull(),
  },
  (t) => [primaryKey({ columns: [t.batchId, t.checkId] }), index('lanes_open').on(t.family, t.appId).where(sql`${t.open}`)],
);

export interface RowProblem {
  field: string | null;
  rule: string;
  message: string;
}

/** Rows of an upload that were refused; never billed. */
export const invalidRows = pgTable(
  'invalid_rows',
  {
    batchId: uuid('batch_id')
      .notNull()
      .references(() => batches.id, { onDelete: 'cascade' }),
    rowNumber: integer('row_number').notNull(),
    input: bytea('input'),
    problems: jsonb('problems').$type<RowProblem[]>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.batchId, t.rowNumber] })],
);

/** Rows of an upload as they were submitted, images left out: a ciphertext of so many consecutive ones (src/batches/row-blocks.ts). */
export const rowBlocks = pgTable(
  'row_blocks',
  {
    batchId: uuid('batch_id')
      .notNull()
      .references(() => batches.id, { onDelete: 'cascade' }),
    block: integer('block').notNull(),
    rows: bytea('rows').notNull(),
  },
  (t) => [primaryKey({ columns: [t.batchId, t.block] })],
);
