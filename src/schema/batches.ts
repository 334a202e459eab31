/** The tables of batches: their state and history, the dispatcher's position in each, and the submitted rows. */
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
  'deleting',
  'deleted',
]);

/** How a file orders day, month and year when all are numbers and the year comes last. */
export const dateFormats = ['dmy', 'mdy', 'ymd'] as const;
export type DateFormat = (typeof dateFormats)[number];

export const batchFormats = ['csv', 'ndjson', 'json', 'xlsx', 'zip'] as const;
export type BatchFormat = (typeof batchFormats)[number];

/** Why a batch is in its state, if the state alone does not say. */
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
    /** The upload's column names in order. For object rows: the keys in order of first appearance. */
    columns: text('columns').array().notNull(),
    /** Input field (or `reference`) → column name, as resolved. */
    mapping: jsonb('mapping').$type<Record<string, string>>().notNull(),
    /** How its dates are read. Null for batches older than this setting: all their dates are ISO. */
    dateFormat: text('date_format').$type<DateFormat>(),
    /** The format in which its rows are stored (`jobs/release.ts`). */
    storedAs: smallint('stored_as').notNull().default(1),
    /** In the clear in rows of earlier releases, until the sweeper seals it; likewise `metadata`. */
    reference: text('reference'),
    metadata: jsonb('metadata').$type<Record<string, unknown>>(),
    /** Ciphertext of reference, metadata and the consent that covers every row (`contract/about.ts`). */
    about: bytea('about'),
    /** HMAC of the reference. */
    referenceIndex: bytea('reference_index'),
    callbackUrl: text('callback_url'),
    rows: integer('rows').notNull(),
    jobs: integer('jobs').notNull(),
    queued: integer('queued').notNull(),
    leased: integer('leased').notNull().default(0),
    completed: integer('completed').notNull().default(0),
    found: integer('found').notNull().default(0),
    notFound: integer('not_found').notNull().default(0),
    /** Of `found`: somebody should look at them. Not counted in batches that earlier releases ran. */
    flagged: integer('flagged').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    canceled: integer('canceled').notNull().default(0),
    invalid: integer('invalid').notNull(),
    /** Rows whose person was erased, invalid ones too. They still count above. Not known of erasures by earlier releases. */
    erasedRows: integer('erased_rows').notNull().default(0),
    /** Checks whose input equals an earlier row's. Not looked up, not charged, not counted in `jobs`. */
    duplicate: integer('duplicate').notNull().default(0),
    quoteKobo: kobo('quote_kobo').notNull(),
    /** Held so far; less than the quote while a partial run waits for money. */
    holdKobo: kobo('hold_kobo').notNull(),
    billedKobo: kobo('billed_kobo').notNull().default(0),
    /** Worst-case price of the leased jobs. Added to `billedKobo` it never exceeds `holdKobo`. */
    leasedKobo: kobo('leased_kobo').notNull().default(0),
    /** Why it is paused, canceled, failed or expired: a stable word. */
    reason: text('reason').$type<BatchReason>(),
    /** The approval that its start waits for. */
    approvalId: uuid('approval_id'),
    /** The batch fails when more than this percentage of its jobs has failed. */
    maxFailurePercent: smallint('max_failure_percent'),
    /** Deadline: unfinished jobs are canceled then. */
    expiresAt: instant('expires_at'),
    /** Estimated bytes that its rows take; null for batches older than this column. Their results: `usage_days`. */
    storedBytes: bigint('stored_bytes', { mode: 'number' }),
    /** Who submitted it: a key or a person. Both null for batches of earlier releases. */
    keyId: uuid('key_id'),
    personId: uuid('person_id'),
    createdAt: instant('created_at').notNull().defaultNow(),
    startedAt: instant('started_at'),
    pausedAt: instant('paused_at'),
    completedAt: instant('completed_at'),
    canceledAt: instant('canceled_at'),
    failedAt: instant('failed_at'),
    expiredAt: instant('expired_at'),
    /** When its deletion was asked for. From then on its data is unreadable; this row stays, with its counts. */
    deletedAt: instant('deleted_at'),
    /** When its rows to correct became unreadable; the sweeper deletes them then. */
    invalidGoneAt: instant('invalid_gone_at'),
    /** While this is set, nothing of the batch is deleted. */
    legalHoldAt: instant('legal_hold_at'),
    /** Its first rows, which `row_marks` covers. */
    markedRows: integer('marked_rows').notNull().default(0),
    /**
     * Rows after this one may have results outside of blocks, as earlier releases stored them (`lifecycle/move-results.ts`). Null: none has. The default is for
     * a process of such a release, which does not know the column.
     */
    unmovedAfter: integer('unmoved_after').default(0),
  },
  (t) => [
    check('batches_add_up', sql`${t.queued} + ${t.leased} + ${t.completed} + ${t.failed} + ${t.canceled} = ${t.jobs}`),
    check('batches_covered', sql`${t.leasedKobo} >= 0 and ${t.leasedKobo} + ${t.billedKobo} <= ${t.holdKobo}`),
    check('batches_outcomes', sql`${t.found} + ${t.notFound} = ${t.completed}`),
    check(
      'batches_counts',
      sql`least(${t.rows}, ${t.queued}, ${t.leased}, ${t.found}, ${t.notFound}, ${t.failed}, ${t.canceled}, ${t.invalid}) >= 0`,
    ),
    index('batches_app').on(t.appId, t.live, t.id),
    index('batches_active').on(t.id).where(sql`${t.status} in ('queued', 'running', 'canceling')`),
    index('batches_open')
      .on(t.appId, t.live, t.id)
      .where(sql`${t.status} in ('awaiting_start', 'queued', 'running', 'canceling', 'paused', 'paused_funds')`),
    index('batches_clear').on(t.id).where(sql`${t.reference} is not null or ${t.metadata} is not null`),
    index('batches_invalid_gone').on(t.invalidGoneAt).where(sql`${t.invalidGoneAt} is not null`),
    index('batches_unmarked').on(t.appId, t.live, t.id).where(sql`${t.markedRows} < ${t.rows} and ${t.deletedAt} is null`),
    index('batches_unmoved').on(t.id).where(sql`${t.unmovedAfter} is not null and ${t.deletedAt} is null`),
    index('batches_deadline').on(t.expiresAt).where(sql`${t.expiresAt} is not null`),
  ],
);

/** Every change of a batch's status, written by a trigger (drizzle/). The event stream and the history read it. */
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
    /** How many of `completed` were found. Null in changes that an earlier release recorded. */
    found: integer('found'),
    notFound: integer('not_found'),
  },
  (t) => [index('batch_history_batch').on(t.batchId, t.id)],
);

/** The counters of running batches every few seconds, for the course of a batch over time (src/batches/timeline.ts). */
export const batchSamples = pgTable(
  'batch_samples',
  {
    batchId: uuid('batch_id')
      .notNull()
      .references(() => batches.id, { onDelete: 'cascade' }),
    at: instant('at').notNull().defaultNow(),
    found: integer('found').notNull(),
    notFound: integer('not_found').notNull(),
    failed: integer('failed').notNull(),
    canceled: integer('canceled').notNull(),
  },
  (t) => [primaryKey({ columns: [t.batchId, t.at] })],
);

/** One batch's queue for one check, and the dispatcher's position in it: `cursorRow` is the last fresh row it leased. */
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
    /** Worst-case price of each job. */
    priceKobo: integer('price_kobo').notNull().default(0),
    cursorRow: integer('cursor_row').notNull().default(0),
    /** True while fresh rows remain beyond the cursor. */
    fresh: boolean('fresh').notNull().default(true),
    /** False while the batch is not running, and for good once it has ended. The dispatcher skips closed lanes. */
    open: boolean('open').notNull(),
  },
  (t) => [primaryKey({ columns: [t.batchId, t.checkId] }), index('lanes_open').on(t.family, t.appId).where(sql`${t.open}`)],
);

/**
 * Leases that `batches` does not count yet: a lease adds a row here instead of waiting for the batch's row, which settlements share. A trigger on `batches`
 * (drizzle/) folds them into the counters at the next update of the batch by anybody. No foreign key: checking it would wait for that row after all.
 */
export const leaseCounts = pgTable(
  'lease_counts',
  {
    batchId: uuid('batch_id').notNull(),
    id: bigint('id', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    appId: uuid('app_id').notNull(),
    at: instant('at').notNull().defaultNow(),
    jobs: integer('jobs').notNull(),
    /** Worst-case price of these jobs. */
    kobo: kobo('kobo').notNull(),
  },
  (t) => [primaryKey({ columns: [t.batchId, t.id] })],
);

export interface RowProblem {
  field: string | null;
  rule: string;
  message: string;
}

/** The refused rows of an upload; never billed. */
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

/** The rows of an upload as submitted, without images: one ciphertext for each run of consecutive rows (src/batches/row-blocks.ts). */
export const rowBlocks = pgTable(
  'row_blocks',
  {
    batchId: uuid('batch_id').notNull(),
    block: integer('block').notNull(),
    rows: bytea('rows').notNull(),
  },
  (t) => [primaryKey({ columns: [t.batchId, t.block] })],
);

/** Mappings that an app has used, found again by the column names of a file. */
export const savedMappings = pgTable(
  'saved_mappings',
  {
    appId: uuid('app_id').notNull(),
    /** HMAC of the app and the column names, cut to 16 bytes. */
    id: uuid('id').notNull(),
    /** Ciphertext of mapping, checks and date format: names of columns may say something about people. */
    content: bytea('content').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    usedAt: instant('used_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.appId, t.id] }), index('saved_mappings_used').on(t.appId, t.usedAt, t.id)],
);
