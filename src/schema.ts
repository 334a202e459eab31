/**
 * The tables. Postgres owns every fact: a row here was committed before anybody was told about it. Append-only rules (ledger) and
 * storage settings are in the SQL migrations beside this file's generated ones (`drizzle/`).
 *
 * Identifiers of people are never stored in the clear: inputs, entities and records are AES-256-GCM ciphertext (`crypto.ts`), and a
 * subject is found again only by its keyed HMAC. `jobs` has no foreign key pointing at it, so that it can be partitioned by time.
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  customType,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';

export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });
/** Money is an integer number of kobo (₦1 = 100 kobo); bigint columns read as JS numbers, exact up to 2^53 kobo. */
export const kobo = (name: string) => bigint(name, { mode: 'number' });

export const jobStatus = pgEnum('job_status', ['queued', 'leased', 'completed', 'failed', 'canceled', 'duplicate']);
export const jobOutcome = pgEnum('job_outcome', ['found', 'not_found']);
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
export const keyKind = pgEnum('key_kind', ['live', 'test', 'admin']);

/** What an operator may set per app. Unset members take the default given here. */
export interface AppSettings {
  /** Refuse live jobs without `consent`. Default false. */
  consentRequired?: boolean;
  /** Share of the dispatcher's window relative to other apps. Default 1. */
  weight?: number;
  /** May this app be answered from look-ups that other apps paid for? Default `app` (no). */
  cacheScope?: 'app' | 'deployment';
  /** May a batch begin that the wallet does not cover as a whole? It pauses when the money runs out. Default false. */
  partialRuns?: boolean;
  /** `wallet.low_balance` is told when what is available falls below; naira. Default: never. */
  lowBalance?: number;
  /** Most that may be spent a day (UTC), and by one batch; naira. Default: no limit. */
  dailyCap?: number;
  batchCap?: number;
  /** Requests a minute that each of the app's keys may make; 0: no limit. Default: CONFAM_REQUESTS_PER_MINUTE. */
  requestsPerMinute?: number;
  /** Of screenings that do not say it themselves: 0.5 to 1, and the lists to look into. Default: 0.75, every list that is loaded. */
  amlThreshold?: number;
  amlLists?: string[];
  /** Confidence of a match, 0 to 100, of face checks that do not say it themselves. Default: 90. */
  faceThreshold?: number;
  /** Days for which the pictures of face jobs are kept that were answered. Default: none are. */
  keepImagesDays?: number;
}

export const apps = pgTable('apps', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  settings: jsonb('settings').$type<AppSettings>().notNull().default({}),
  webhookSecret: bytea('webhook_secret').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  disabledAt: instant('disabled_at'),
});

export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid('id').primaryKey(),
    /** Null for an admin key, which belongs to the deployment. */
    appId: uuid('app_id').references(() => apps.id),
    kind: keyKind('kind').notNull(),
    hash: bytea('hash').notNull(),
    /** The first characters, for people to tell keys apart. */
    hint: text('hint').notNull(),
    /** Most that this key may spend a day (UTC). */
    dailyCapKobo: kobo('daily_cap_kobo'),
    createdAt: instant('created_at').notNull().defaultNow(),
    revokedAt: instant('revoked_at'),
  },
  (t) => [uniqueIndex('api_keys_hash').on(t.hash), check('api_keys_owner', sql`(${t.kind} = 'admin') = (${t.appId} is null)`)],
);

export interface Consent {
  reference: string;
  purpose: string;
  obtained_at: string;
}

/** One check on one subject: a row of a batch, a single job, or (with `source = 'call'`) the record of a single call. */
export const jobs = pgTable(
  'jobs',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    batchId: uuid('batch_id'),
    live: boolean('live').notNull(),
    cached: boolean('cached').notNull().default(false),
    status: jobStatus('status').notNull().default('queued'),
    outcome: jobOutcome('outcome'),
    /** Data row of the upload, from 1. */
    rowNumber: integer('row_number'),
    /** Fencing token: counted up by each lease; a result is taken only with the attempt that it was leased under. */
    attempt: smallint('attempt').notNull().default(0),
    /** With status `duplicate`: the row of the same batch and check that has the same input; its result is this one's too. */
    twinRow: integer('twin_row'),
    /** Attempts that failed by fault of the provider; parking does not count. */
    failures: smallint('failures').notNull().default(0),
    priceKobo: integer('price_kobo').notNull(),
    cachedPriceKobo: integer('cached_price_kobo').notNull(),
    billedKobo: integer('billed_kobo').notNull().default(0),
    latencyMs: integer('latency_ms'),
    createdAt: instant('created_at').notNull().defaultNow(),
    completedAt: instant('completed_at'),
    checkId: text('check_id').notNull(),
    family: text('family').notNull(),
    provider: text('provider'),
    errorCode: text('error_code'),
    reference: text('reference'),
    callbackUrl: text('callback_url'),
    /** `refresh` looks up anew even when the cache has an answer. */
    cacheMode: text('cache_mode').$type<'use' | 'refresh'>().notNull().default('use'),
    metadata: jsonb('metadata').$type<Record<string, unknown>>(),
    consent: jsonb('consent').$type<Consent>(),
    /** HMAC of what is looked up: erasure and duplicates find a subject by it. */
    subject: bytea('subject'),
    /** Ciphertext of a single job's input, images left out. Null for a single call, and for a row, which is in its batch's `row_blocks`. */
    input: bytea('input'),
    /** Ciphertext of the images that the check takes, apart from the row, which is read with every result. Dropped once they have served. */
    images: bytea('images'),
    /** Of images that outlast the work: for a retry of a row that failed, or because the app keeps them. */
    imagesUntil: instant('images_until'),
  },
  (t) => [
    uniqueIndex('jobs_batch_row').on(t.batchId, t.rowNumber, t.checkId).where(sql`${t.batchId} is not null`),
    index('jobs_images_until').on(t.imagesUntil).where(sql`${t.imagesUntil} is not null`),
  ],
);

/**
 * Queued jobs that the dispatcher would not meet on its way through a batch: single jobs, and rows that were returned. Everything that
 * changes while a job runs is kept out of the indexes of `jobs`, so that its updates stay on their page (HOT) and a million-row upload
 * pays for one index.
 */
export const waitingJobs = pgTable(
  'waiting_jobs',
  {
    jobId: uuid('job_id').primaryKey(),
    appId: uuid('app_id').notNull(),
    batchId: uuid('batch_id'),
    family: text('family').notNull(),
    checkId: text('check_id').notNull(),
    runAfter: instant('run_after').notNull().defaultNow(),
  },
  (t) => [
    index('waiting_jobs_single').on(t.family, t.appId, t.runAfter).where(sql`${t.batchId} is null`),
    index('waiting_jobs_batch').on(t.batchId, t.checkId, t.runAfter).where(sql`${t.batchId} is not null`),
  ],
);

/** Ciphertexts of the entity that a job found, and of its images (src/entities.ts). Written once, apart from the job, whose row stays small. */
export const results = pgTable('results', {
  jobId: uuid('job_id').primaryKey(),
  entity: bytea('entity').notNull(),
  /** Null: it has none of any size, or is from before they were kept apart. */
  entityImages: bytea('entity_images'),
});

export type BatchFormat = 'csv' | 'ndjson' | 'json' | 'xlsx' | 'zip';

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

/** Why a batch is in its state, where the state alone does not say it. */
export type BatchReason = 'requested' | 'insufficient_funds' | 'max_failure_percent' | 'deadline';

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

/** Rows of an upload as they were submitted, images left out: a ciphertext of so many consecutive ones (src/batches/rowblocks.ts). */
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

/** Jobs that were leased together: what travels through BullMQ, by its id alone. Kept for a minute once finished, as the measure of pace. */
export const chunks = pgTable(
  'chunks',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    single: boolean('single').notNull(),
    family: text('family').notNull(),
    checkId: text('check_id').notNull(),
    jobIds: uuid('job_ids').array().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    leasedUntil: instant('leased_until').notNull(),
    finishedAt: instant('finished_at'),
    workMs: integer('work_ms'),
  },
  (t) => [index('chunks_open').on(t.family, t.leasedUntil).where(sql`${t.finishedAt} is null`), index('chunks_finished').on(t.finishedAt)],
);

/**
 * Answers of registries. One row a subject and scope; a richer tier replaces a poorer one. Where the entity of a job holds all that was
 * looked up, the row points at it (`jobId`) instead of storing it again; if that result is gone, so is the answer.
 */
export const cacheRecords = pgTable(
  'cache_records',
  {
    key: bytea('key').primaryKey(),
    found: boolean('found').notNull(),
    tier: smallint('tier').notNull(),
    jobId: uuid('job_id'),
    /** Ciphertext of the record. */
    record: bytea('record'),
    provider: text('provider').notNull(),
    fetchedAt: instant('fetched_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [
    index('cache_records_expiry').using('brin', t.expiresAt),
    check('cache_records_source', sql`${t.found} = (num_nonnulls(${t.jobId}, ${t.record}) = 1)`),
  ],
);

/** Answers of POST requests that carried an Idempotency-Key, to be given again; while the first one is under way, its claim. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    /** Keyed hash of the key: it may hold anything. */
    key: bytea('key').notNull(),
    /** Of the request that may keep its answer here; another one's takes its place when the lock runs out. Null once there is an answer. */
    claim: uuid('claim'),
    /** Of method, path, query and body. Null while the first request is under way, as is the answer. */
    fingerprint: bytea('fingerprint'),
    status: smallint('status'),
    headers: jsonb('headers').$type<Record<string, string>>(),
    /** Ciphertext. */
    body: bytea('body'),
    /** Until when the first request is believed to be under way. */
    lockedUntil: instant('locked_until'),
    createdAt: instant('created_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.appId, t.live, t.key] }), index('idempotency_expiry').on(t.expiresAt)],
);

/** Requests of a key within a window, over all processes. */
export const requestCounts = pgTable(
  'request_counts',
  {
    keyId: uuid('key_id').notNull(),
    window: instant('window').notNull(),
    requests: integer('requests').notNull(),
  },
  (t) => [primaryKey({ columns: [t.keyId, t.window] })],
);
