/** The tables of work: jobs, their results, and how they reach a worker. Jobs and results are partitioned by month (drizzle/0037_partitions.sql): each partition has its own `jobs_batch_row`. */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

export const jobStatus = pgEnum('job_status', ['queued', 'leased', 'completed', 'failed', 'canceled', 'duplicate']);

export const jobOutcome = pgEnum('job_outcome', ['found', 'not_found']);

export interface Consent {
  reference: string;
  purpose: string;
  obtained_at: string;
  /** The lawful basis; without one it is consent. */
  basis?: Basis;
}

/** The lawful bases in section 25 (1) of the Nigeria Data Protection Act 2023. */
export const BASES = ['consent', 'contract', 'legal_obligation', 'vital_interest', 'public_interest', 'legitimate_interest'] as const;

export type Basis = (typeof BASES)[number];

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
    /** Somebody should look at its answer (`Check.flag`). True or null. */
    flagged: boolean('flagged').$type<true>(),
    /** Data row of the upload, counted from 1. */
    rowNumber: integer('row_number'),
    /** Fencing token: each lease increments it, and a result counts only under the attempt it was leased with. */
    attempt: smallint('attempt').notNull().default(0),
    /** For status `duplicate`: the row of the same batch and check that has the same input and holds the result of both. */
    twinRow: integer('twin_row'),
    /** Attempts that failed through the provider's fault. Parking does not count. */
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
    /** In the clear in rows of earlier releases, until the sweeper seals it; likewise `metadata` and `consent`. */
    reference: text('reference'),
    callbackUrl: text('callback_url'),
    /** `refresh` asks the provider even when the cache has an answer. */
    cacheMode: text('cache_mode').$type<'use' | 'refresh'>().notNull().default('use'),
    metadata: jsonb('metadata').$type<Record<string, unknown>>(),
    consent: jsonb('consent').$type<Consent>(),
    /** Ciphertext of reference, metadata and consent (`contract/about.ts`). Null for a row of a batch, whose reference is in `row_blocks`. */
    about: bytea('about'),
    /** HMAC of a single job's reference. */
    referenceIndex: bytea('reference_index'),
    /** HMAC of what is looked up; erasure and duplicate detection find the subject by it. */
    subject: bytea('subject'),
    /** Ciphertext of a single job's input, without images. Null for single calls, and for rows, whose input is in their batch's `row_blocks`. */
    input: bytea('input'),
    /** The format in which a single job's input is stored (`jobs/release.ts`); for a row, see its batch. */
    storedAs: smallint('stored_as'),
    /** Ciphertext of the check's images, kept apart from the row because every result read loads the row. Dropped once used. */
    images: bytea('images'),
    /** How long the images are kept after the work: for the retry of a failed row, or because the app wants them. */
    imagesUntil: instant('images_until'),
    /** Who submitted it: a key or a person. Both null for a row, whose batch says it, and for jobs of earlier releases. */
    keyId: uuid('key_id'),
    personId: uuid('person_id'),
    /** Where its entity is in the `result_blocks` of its batch. Null: in `results`, or there is none. */
    resultBlock: uuid('result_block'),
    resultSlot: smallint('result_slot'),
  },
  (t) => [
    uniqueIndex('jobs_batch_row').on(t.batchId, t.rowNumber, t.checkId).where(sql`${t.batchId} is not null`),
    // Lists single jobs: excludes batch rows and the records of calls.
    index('jobs_single').on(t.appId, t.live, t.id).where(sql`${t.batchId} is null and ${t.input} is not null`),
    // Records of single calls, for retention.
    index('jobs_calls').on(t.appId, t.live, t.id).where(sql`${t.batchId} is null and ${t.input} is null and ${t.subject} is not null`),
    // Rows that share the answer of another, for erasure.
    index('jobs_twins').on(t.batchId, t.twinRow).where(sql`${t.twinRow} is not null`),
    index('jobs_clear').on(t.id).where(sql`${t.reference} is not null or ${t.metadata} is not null or ${t.consent} is not null`),
    index('jobs_images_until').on(t.imagesUntil).where(sql`${t.imagesUntil} is not null`),
  ],
);

/**
 * Queued jobs that the dispatcher's cursor does not reach: single jobs, and rows that came back. Columns that change while a job runs stay out of the indexes of
 * `jobs`: updates stay on their page (HOT), and a million-row upload pays for one index.
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

/**
 * Ciphertexts of the entity that a job found and of its images (src/jobs/entities.ts). Written once, apart from the job, so that job rows stay small. Most rows
 * of batches have theirs in `resultBlocks` instead.
 */
export const results = pgTable('results', {
  jobId: uuid('job_id').primaryKey(),
  entity: bytea('entity').notNull(),
  /** Null if it has no image worth storing apart, or predates their separation. */
  entityImages: bytea('entity_images'),
});

/** Entities that were settled together, for jobs of one batch and check: one ciphertext (src/jobs/result-blocks.ts). Job rows point into it. */
export const resultBlocks = pgTable(
  'result_blocks',
  {
    batchId: uuid('batch_id').notNull(),
    id: uuid('id').notNull(),
    checkId: text('check_id').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    sealed: bytea('sealed').notNull(),
  },
  (t) => [primaryKey({ columns: [t.batchId, t.id] })],
);

/** Jobs that were leased together. Only a chunk's id travels through BullMQ. Kept for a minute after it finishes, to measure the pace. */
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
    /** Set when all its jobs are at slow vendors: it no longer counts as work waiting for a worker. */
    begunAt: instant('begun_at'),
    finishedAt: instant('finished_at'),
    workMs: integer('work_ms'),
  },
  (t) => [index('chunks_open').on(t.family, t.leasedUntil).where(sql`${t.finishedAt} is null`), index('chunks_finished').on(t.finishedAt)],
);

/** Who leads each task that only one process does at a time, and until when. An expired lead is taken with the next token. */
export const leads = pgTable('leads', {
  name: text('name').primaryKey(),
  token: bigint('token', { mode: 'number' }).notNull(),
  heldUntil: instant('held_until').notNull(),
});

/**
 * Cached registry answers. One row per subject and scope; a richer tier replaces a poorer one. Where a job's entity holds everything that was looked up, the
 * row points at it (`jobId`) instead of storing it again; when that result goes, the cached answer goes with it.
 */
export const cacheRecords = pgTable(
  'cache_records',
  {
    key: bytea('key').primaryKey(),
    /** For answers about an email address: the HMAC of the mailbox, which is the same for every spelling. Otherwise null. */
    subject: bytea('subject'),
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
    index('cache_records_subject').on(t.subject).where(sql`${t.subject} is not null`),
    check('cache_records_source', sql`${t.found} = (num_nonnulls(${t.jobId}, ${t.record}) = 1)`),
  ],
);
