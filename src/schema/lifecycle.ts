/** The tables of deletions: what was deleted, when and why. They are kept as proof, and hold no personal data once the work is done. */
import { sql } from 'drizzle-orm';
import { boolean, index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

/** A batch or single job whose data is deleted, or will be within moments (`lifecycle/purge.ts`). Whoever reads its data looks here first. */
export const deletions = pgTable(
  'deletions',
  {
    /** That of the batch or job. */
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    kind: text('kind').$type<'batch' | 'job'>().notNull(),
    reason: text('reason').$type<'requested' | 'retention'>().notNull(),
    askedAt: instant('asked_at').notNull().defaultNow(),
    /** Jobs deleted so far. */
    jobs: integer('jobs').notNull().default(0),
    /** When nothing was left. */
    finishedAt: instant('finished_at'),
  },
  (t) => [index('deletions_open').on(t.askedAt).where(sql`${t.finishedAt} is null`)],
);

/** Where an erasure is: in the app's single jobs and calls, in its batches, in work that had not ended, or in what is not of one job. */
type ErasureStage = 'jobs' | 'calls' | 'batches' | 'waiting' | 'rest' | 'done';

/** What of a person a request has found: ids of single jobs and of calls, and the numbers of rows by batch. */
export interface FoundOfPerson {
  jobs: string[];
  calls: string[];
  rows: Record<string, number[]>;
  invalidRows: Record<string, number[]>;
}

/** A request for everything held on a person. It holds where that is and nothing of it: the file is written when somebody takes it. */
export const subjectExports = pgTable(
  'subject_exports',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    /** Ciphertext of the identifiers and the reason; null once it has ended. */
    asked: bytea('asked'),
    askedAt: instant('asked_at').notNull().defaultNow(),
    stage: text('stage').$type<'jobs' | 'calls' | 'batches' | 'done'>().notNull().default('jobs'),
    /** As in `erasures`. */
    cursor: uuid('cursor'),
    row: integer('row').notNull().default(0),
    /** Null once it has ended. */
    found: jsonb('found').$type<FoundOfPerson>(),
    finishedAt: instant('finished_at'),
    /** When its file can no longer be taken. */
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [
    index('subject_exports_app').on(t.appId, t.live, t.id),
    index('subject_exports_open').on(t.id).where(sql`${t.finishedAt} is null`),
    index('subject_exports_expiry').on(t.expiresAt).where(sql`${t.asked} is not null`),
  ],
);

/** A request to erase a person. */
export const erasures = pgTable(
  'erasures',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    /** Ciphertext of the identifiers; null once the work is done. */
    asked: bytea('asked'),
    askedAt: instant('asked_at').notNull().defaultNow(),
    stage: text('stage').$type<ErasureStage>().notNull().default('jobs'),
    /** The last job or batch that is done, and in a batch the last row. */
    cursor: uuid('cursor'),
    row: integer('row').notNull().default(0),
    /** Batches in which the person is, and that have not ended. */
    waiting: uuid('waiting').array().notNull().default(sql`'{}'`),
    /** Single jobs of the person that had not ended. */
    waitingJobs: uuid('waiting_jobs').array().notNull().default(sql`'{}'`),
    /** It is continued then at the earliest. */
    nextAt: instant('next_at').notNull().defaultNow(),
    /** How many of what were erased. */
    counts: jsonb('counts').$type<Record<string, number>>().notNull().default({}),
    /** Batches whose rows of the person stay, because of a legal hold. */
    held: uuid('held').array().notNull().default(sql`'{}'`),
    finishedAt: instant('finished_at'),
    /** The receipt as it was signed, and its signature. */
    receipt: text('receipt'),
    signature: text('signature'),
  },
  (t) => [index('erasures_app').on(t.appId, t.live, t.id), index('erasures_open').on(t.nextAt).where(sql`${t.finishedAt} is null`)],
);
