/** The tables of work: jobs, what they found, and how they travel. `jobs` has no foreign key pointing at it, so that it can be partitioned by time. */
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, jsonb, pgEnum, pgTable, smallint, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

export const jobStatus = pgEnum('job_status', ['queued', 'leased', 'completed', 'failed', 'canceled', 'duplicate']);

export const jobOutcome = pgEnum('job_outcome', ['found', 'not_found']);

export interface Consent {
  reference: string;
  purpose: string;
  obtained_at: string;
}

/** One check on one subject: a row of a batch, a single job, or the record of a single call (which has neither `batchId` nor `input`). */
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
    /** The form in which a single job's input is stored (`jobs/release.ts`); of a row it is its batch's. */
    storedAs: smallint('stored_as'),
    /** Ciphertext of the images that the check takes, apart from the row, which is read with every result. Dropped once they have served. */
    images: bytea('images'),
    /** Of images that outlast the work: for a retry of a row that failed, or because the app keeps them. */
    imagesUntil: instant('images_until'),
  },
  (t) => [
    uniqueIndex('jobs_batch_row').on(t.batchId, t.rowNumber, t.checkId).where(sql`${t.batchId} is not null`),
    // Single jobs, for their list: neither rows of batches nor the records of calls are in it.
    index('jobs_single').on(t.appId, t.live, t.id).where(sql`${t.batchId} is null and ${t.input} is not null`),
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

/** Ciphertexts of the entity that a job found, and of its images (src/jobs/entities.ts). Written once, apart from the job, whose row stays small. */
export const results = pgTable('results', {
  jobId: uuid('job_id').primaryKey(),
  entity: bytea('entity').notNull(),
  /** Null: it has none of any size, or is from before they were kept apart. */
  entityImages: bytea('entity_images'),
});

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
    /** All of its jobs are at their vendors, who take their time: it no longer counts as work that waits for its turn. */
    begunAt: instant('begun_at'),
    finishedAt: instant('finished_at'),
    workMs: integer('work_ms'),
  },
  (t) => [index('chunks_open').on(t.family, t.leasedUntil).where(sql`${t.finishedAt} is null`), index('chunks_finished').on(t.finishedAt)],
);

/** Who does what only one process does at a time, and until when. A lead that ran out is taken with the next token. */
export const leads = pgTable('leads', {
  name: text('name').primaryKey(),
  token: bigint('token', { mode: 'number' }).notNull(),
  heldUntil: instant('held_until').notNull(),
});

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
