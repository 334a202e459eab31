/** The tables of deletions: what was deleted, when and why. They are kept as proof, and hold no personal data once the work is done. */
import { sql } from 'drizzle-orm';
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant, kobo } from './columns.ts';

/** A batch or single job whose data is deleted, or will be within moments (`lifecycle/purge.ts`). Every reader of its data looks here first. */
export const deletions = pgTable(
  'deletions',
  {
    /** The id of the batch or job. */
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    kind: text('kind').$type<'batch' | 'job'>().notNull(),
    reason: text('reason').$type<'requested' | 'retention'>().notNull(),
    askedAt: instant('asked_at').notNull().defaultNow(),
    /** Jobs deleted so far. */
    jobs: integer('jobs').notNull().default(0),
    /** When its rows and results were taken out of what the app stores, all at once: they go with the partitions of their month (`lifecycle/drop-months.ts`). */
    givenBackAt: instant('given_back_at'),
    /** When the last of it was deleted. */
    finishedAt: instant('finished_at'),
  },
  (t) => [index('deletions_open').on(t.askedAt).where(sql`${t.finishedAt} is null`)],
);

/** Where an erasure is: in the app's single jobs and calls, in its batches, in work that had not ended, or in data that belongs to no single job. */
type ErasureStage = 'jobs' | 'calls' | 'batches' | 'waiting' | 'rest' | 'done';

/** What a request has found of a person: ids of single jobs and of calls, and the numbers of rows by batch. */
export interface FoundOfPerson {
  jobs: string[];
  calls: string[];
  rows: Record<string, number[]>;
  invalidRows: Record<string, number[]>;
}

/** A request for everything held on a person. It holds only where that is: the file is written when somebody takes it. */
export const subjectExports = pgTable(
  'subject_exports',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    /** Ciphertext of the identifiers and the reason; null once it has ended. */
    asked: bytea('asked'),
    /** Who asked: a key or a person. Both null for requests of earlier releases. */
    keyId: uuid('key_id'),
    personId: uuid('person_id'),
    askedAt: instant('asked_at').notNull().defaultNow(),
    stage: text('stage').$type<'jobs' | 'calls' | 'batches' | 'done'>().notNull().default('jobs'),
    /** As in `erasures`. */
    cursor: uuid('cursor'),
    row: integer('row').notNull().default(0),
    /** Null once it has ended. */
    found: jsonb('found').$type<FoundOfPerson>(),
    finishedAt: instant('finished_at'),
    /** When its file can no longer be downloaded. */
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [
    index('subject_exports_app').on(t.appId, t.live, t.id),
    index('subject_exports_open').on(t.id).where(sql`${t.finishedAt} is null`),
    index('subject_exports_expiry').on(t.expiresAt).where(sql`${t.asked} is not null`),
  ],
);

/** A person as keyed hashes, in hex: enough to find what is stored about them, and useless without the index key. */
export interface PersonMarks {
  /** The kinds of identifiers. */
  types: string[];
  /** As checks store their subject. */
  subjects: string[];
  /** As a cell or an input may hold them, by kind. `born`: of a name with a birth date, or with an empty one if any will do. */
  cells: Record<'nin' | 'bvn' | 'phone' | 'email' | 'name' | 'born', string[]>;
  /** Keys of cached and pending answers: those of the app, and those that all apps share. */
  cached: Record<'app' | 'deployment', string[]>;
  /** As portraits are enrolled under, in the sandbox. */
  portraits: { type: 'nin' | 'bvn'; subject: string }[];
}

/** A person whose data must be kept: by retention, deletion and erasure. */
export const subjectHolds = pgTable(
  'subject_holds',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    /** Ciphertext of the reason. */
    about: bytea('about'),
    marks: jsonb('marks').$type<PersonMarks>().notNull(),
    /** `marks.subjects`, for comparison in SQL. */
    subjects: bytea('subjects').array().notNull(),
    /** Who placed it: a key or a person. Both null for holds of earlier releases. */
    keyId: uuid('key_id'),
    personId: uuid('person_id'),
    heldAt: instant('held_at').notNull().defaultNow(),
    liftedAt: instant('lifted_at'),
  },
  (t) => [index('subject_holds_app').on(t.appId, t.live, t.id)],
);

/** Batches and single jobs that were due for deletion but stay, because a held person was found in them. */
export const heldPlaces = pgTable(
  'held_places',
  {
    /** A batch or a job. */
    place: uuid('place').notNull(),
    holdId: uuid('hold_id')
      .notNull()
      .references(() => subjectHolds.id, { onDelete: 'cascade' }),
  },
  (t) => [primaryKey({ columns: [t.place, t.holdId] }), index('held_places_hold').on(t.holdId)],
);

/** Where in a batch an identifier may stand: hashes of what its rows hold, with the rows (`batches/row-marks.ts`). */
export const rowMarks = pgTable(
  'row_marks',
  {
    batchId: uuid('batch_id').notNull(),
    /** How many bits of a hash choose the bucket, and those bits. */
    bucket: integer('bucket').notNull(),
    /** Numbers the parts of the batch; rows of a part were marked together. */
    part: integer('part').notNull(),
    /** For each hash its four bytes after the bucket's, and the number of the row. */
    entries: bytea('entries').notNull(),
  },
  (t) => [primaryKey({ columns: [t.batchId, t.bucket, t.part] })],
);

/** References of consents that were withdrawn, as keyed hashes. */
export const consentWithdrawals = pgTable(
  'consent_withdrawals',
  {
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    reference: bytea('reference').notNull(),
    id: uuid('id').notNull(),
    withdrawnAt: instant('withdrawn_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.appId, t.live, t.reference] })],
);

/** An app that is deleted, with all that it stored. Kept as proof: it names the app and nobody else. */
export const appDeletions = pgTable(
  'app_deletions',
  {
    appId: uuid('app_id').primaryKey(),
    askedAt: instant('asked_at').notNull().defaultNow(),
    /** What is deleted at present (`lifecycle/purge-app.ts`). */
    stage: text('stage').notNull(),
    /** It is continued then at the earliest. */
    nextAt: instant('next_at').notNull().defaultNow(),
    /** How many rows were deleted, by kind. */
    counts: jsonb('counts').$type<Record<string, number>>().notNull().default({}),
    /** The balance of the live wallet, and what was done with it. */
    balanceKobo: kobo('balance_kobo').notNull(),
    balance: text('balance').$type<'refunded' | 'written_off'>(),
    /** When it was written to the journal. */
    journaledAt: instant('journaled_at'),
    finishedAt: instant('finished_at'),
    /** The certificate as it was signed, and its signature. */
    certificate: text('certificate'),
    signature: text('signature'),
  },
  (t) => [index('app_deletions_open').on(t.nextAt).where(sql`${t.finishedAt} is null`)],
);

/** A request to erase a person. */
export const erasures = pgTable(
  'erasures',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    /** Ciphertext of the identifiers; null once the work is done, and for one that is repeated after a restore. */
    asked: bytea('asked'),
    /** For an erasure that is repeated after a restore: what the journal has about the person. Null once the work is done. */
    marks: jsonb('marks').$type<PersonMarks>(),
    /** When it was written to the journal. */
    journaledAt: instant('journaled_at'),
    /** Who asked: a key or a person. Both null for requests of earlier releases, and for those that are repeated after a restore. */
    keyId: uuid('key_id'),
    personId: uuid('person_id'),
    askedAt: instant('asked_at').notNull().defaultNow(),
    stage: text('stage').$type<ErasureStage>().notNull().default('jobs'),
    /** The last job or batch that is done, and in a batch the last row; in `rest` the last kept answer. */
    cursor: uuid('cursor'),
    row: integer('row').notNull().default(0),
    /** Batches in which the person is, and that have not ended. */
    waiting: uuid('waiting').array().notNull().default(sql`'{}'`),
    /** Single jobs of the person that had not ended. */
    waitingJobs: uuid('waiting_jobs').array().notNull().default(sql`'{}'`),
    /** It is continued then at the earliest. */
    nextAt: instant('next_at').notNull().defaultNow(),
    /** How many items were erased, by kind. */
    counts: jsonb('counts').$type<Record<string, number>>().notNull().default({}),
    /** Batches whose rows of the person stay, because of a legal hold. */
    held: uuid('held').array().notNull().default(sql`'{}'`),
    /** How many items stay because of a person's legal hold, by kind. */
    kept: jsonb('kept').$type<Record<string, number>>().notNull().default({}),
    finishedAt: instant('finished_at'),
    /** The receipt as it was signed, and its signature. */
    receipt: text('receipt'),
    signature: text('signature'),
  },
  (t) => [index('erasures_app').on(t.appId, t.live, t.id), index('erasures_open').on(t.nextAt).where(sql`${t.finishedAt} is null`)],
);

/** The backups that `confam backup` has written or is writing: when, but not where. Receipts of erasures name those that began earlier. */
export const backups = pgTable('backups', {
  /** The id in its manifest. */
  id: uuid('id').primaryKey(),
  takenAt: instant('taken_at').notNull(),
  /** False while it is being written; stays false if that process is killed. */
  isFinished: boolean('is_finished').notNull().default(true),
});
