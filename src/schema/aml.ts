/** The tables of screening: watch lists and their versions, what an app has cleared, whom it keeps under watch. */
import { sql } from 'drizzle-orm';
import { bigint, boolean, date, index, integer, jsonb, pgTable, text, unique, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

/** Where a file of a list was fetched, and what its publisher said of it, so that it is asked only for what is new. */
export interface FetchedFile {
  url: string;
  etag: string | null;
  lastModified: string | null;
}

/** A watch list as it is in force. */
export const amlLists = pgTable('aml_lists', {
  list: text('list').primaryKey(),
  versionId: uuid('version_id').notNull(),
  /** When its publisher last confirmed that this is what is in force, or somebody imported it: its age counts from here. */
  checkedAt: instant('checked_at').notNull().defaultNow(),
  /** Empty: imported by hand, and not refreshed by itself. */
  fetched: jsonb('fetched').$type<FetchedFile[]>().notNull().default([]),
  /** The last refresh that was refused or failed since: a stable word and a sentence. */
  refusedAt: instant('refused_at'),
  refusal: text('refusal'),
  refusalDetail: text('refusal_detail'),
});

export const amlListVersions = pgTable(
  'aml_list_versions',
  {
    id: uuid('id').primaryKey(),
    list: text('list').notNull(),
    /** What results show: publisher's date and the start of the checksum. */
    label: text('label').notNull(),
    format: text('format').notNull(),
    /** Address or file names that it came from. */
    origin: text('origin').notNull(),
    publishedOn: date('published_on', { mode: 'string' }),
    loadedAt: instant('loaded_at').notNull().defaultNow(),
    /** SHA-256 over the files' bytes, gzip undone. */
    checksum: bytea('checksum').notNull(),
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
    entries: integer('entries').notNull(),
    names: integer('names').notNull(),
    /** Companies, vessels, aircraft. */
    skipped: integer('skipped').notNull(),
    added: integer('added').notNull(),
    changed: integer('changed').notNull(),
    removed: integer('removed').notNull(),
  },
  (t) => [index('aml_list_versions_list').on(t.list, t.loadedAt)],
);

/** An entry from the version that brought it to the one that changed or removed it: what was in force at any time can be read. */
export const amlEntries = pgTable(
  'aml_entries',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    list: text('list').notNull(),
    sourceId: text('source_id').notNull(),
    /** First 8 bytes of the SHA-256 of the entry: tells whether it changed. */
    digest: bytea('digest').notNull(),
    /** `ListEntry` (`src/engines/aml/list.ts`). */
    entry: jsonb('entry').notNull(),
    fromVersion: uuid('from_version').notNull(),
    /** Null: in force. */
    toVersion: uuid('to_version'),
  },
  (t) => [
    uniqueIndex('aml_entries_in_force').on(t.list, t.sourceId).where(sql`${t.toVersion} is null`),
    index('aml_entries_from').on(t.fromVersion),
  ],
);

/** A hit that an app's analyst found to be somebody else, until the listing changes. */
export const amlClearances = pgTable(
  'aml_clearances',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    /** HMAC of the person who was screened, as in `jobs`. */
    subject: bytea('subject').notNull(),
    list: text('list').notNull(),
    sourceId: text('source_id').notNull(),
    /** Of the entry as it was. */
    digest: bytea('digest').notNull(),
    /** Ciphertext of reason and who decided. */
    note: bytea('note').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    expiresAt: instant('expires_at'),
    revokedAt: instant('revoked_at'),
  },
  (t) => [
    uniqueIndex('aml_clearances_subject').on(t.appId, t.live, t.subject, t.list, t.sourceId).where(sql`${t.revokedAt} is null`),
    index('aml_clearances_app').on(t.appId, t.live, t.id),
  ],
);

/** A person whom an app keeps under watch. */
export const amlMonitors = pgTable(
  'aml_monitors',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    subject: bytea('subject').notNull(),
    /** Ciphertext of the check's input. */
    input: bytea('input').notNull(),
    /** The screening that began it. */
    jobId: uuid('job_id').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** Last screened against what changed. */
    screenedAt: instant('screened_at'),
    endedAt: instant('ended_at'),
  },
  (t) => [
    uniqueIndex('aml_monitors_subject').on(t.appId, t.live, t.subject).where(sql`${t.endedAt} is null`),
    index('aml_monitors_app').on(t.appId, t.live, t.id),
    index('aml_monitors_watched').on(t.live, t.id).where(sql`${t.endedAt} is null`),
  ],
);

export const amlMonitorHits = pgTable(
  'aml_monitor_hits',
  {
    id: uuid('id').primaryKey(),
    monitorId: uuid('monitor_id')
      .notNull()
      .references(() => amlMonitors.id, { onDelete: 'cascade' }),
    at: instant('at').notNull().defaultNow(),
    list: text('list').notNull(),
    sourceId: text('source_id').notNull(),
    digest: bytea('digest').notNull(),
    /** Ciphertext of the hit as an answer shows it. */
    hit: bytea('hit').notNull(),
  },
  (t) => [unique('aml_monitor_hits_once').on(t.monitorId, t.list, t.sourceId, t.digest)],
);

/** Watched people are still to be screened against what this version of a list added and changed. */
export const amlRescreens = pgTable('aml_rescreens', {
  versionId: uuid('version_id').primaryKey(),
  list: text('list').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  /** The last watched person that is done. */
  cursor: uuid('cursor'),
  screened: integer('screened').notNull().default(0),
  hits: integer('hits').notNull().default(0),
  finishedAt: instant('finished_at'),
});
