/** The screening tables: watch lists and their versions, each app's clearances, and its monitors. */
import { sql } from 'drizzle-orm';
import { bigint, boolean, date, index, integer, jsonb, pgTable, text, unique, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

/** Where one file of a list came from, and the publisher's validators for it: a refresh fetches only what changed. */
export interface FetchedFile {
  url: string;
  etag: string | null;
  lastModified: string | null;
}

/** One watch list and its current version. */
export const amlLists = pgTable('aml_lists', {
  list: text('list').primaryKey(),
  versionId: uuid('version_id').notNull(),
  /** When the publisher last confirmed this version, or an operator imported it. The list's age counts from this time. */
  checkedAt: instant('checked_at').notNull().defaultNow(),
  /** Empty if the list was imported by hand; such a list is never refreshed. */
  fetched: jsonb('fetched').$type<FetchedFile[]>().notNull().default([]),
  /** The last refused or failed refresh since then: a stable word and a sentence. */
  refusedAt: instant('refused_at'),
  refusal: text('refusal'),
  refusalDetail: text('refusal_detail'),
});

export const amlListVersions = pgTable(
  'aml_list_versions',
  {
    id: uuid('id').primaryKey(),
    list: text('list').notNull(),
    /** What results show: the publisher's date and the start of the checksum. */
    label: text('label').notNull(),
    format: text('format').notNull(),
    /** The URLs or file names it came from. */
    origin: text('origin').notNull(),
    publishedOn: date('published_on', { mode: 'string' }),
    loadedAt: instant('loaded_at').notNull().defaultNow(),
    /** SHA-256 of the files' bytes after gunzip. */
    checksum: bytea('checksum').notNull(),
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
    entries: integer('entries').notNull(),
    names: integer('names').notNull(),
    /** Entries that are neither people nor organizations: vessels, aircraft. */
    skipped: integer('skipped').notNull(),
    /** How much of its files was read (`READING` in `engines/aml/list.ts`). */
    reading: integer('reading').notNull().default(1),
    added: integer('added').notNull(),
    changed: integer('changed').notNull(),
    removed: integer('removed').notNull(),
  },
  (t) => [index('aml_list_versions_list').on(t.list, t.loadedAt)],
);

/** One entry, from the version that brought it to the version that changed or removed it, so any past state of a list can be read. */
export const amlEntries = pgTable(
  'aml_entries',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    list: text('list').notNull(),
    sourceId: text('source_id').notNull(),
    /** First 8 bytes of the entry's SHA-256; it differs when the entry changes. */
    digest: bytea('digest').notNull(),
    /** `ListEntry` (`src/engines/aml/list.ts`). */
    entry: jsonb('entry').notNull(),
    fromVersion: uuid('from_version').notNull(),
    /** Null while it is current. */
    toVersion: uuid('to_version'),
  },
  (t) => [
    uniqueIndex('aml_entries_in_force').on(t.list, t.sourceId).where(sql`${t.toVersion} is null`),
    index('aml_entries_from').on(t.fromVersion),
  ],
);

/** A clearance: an app's analyst decided that this hit is somebody else. It holds until the listing changes. */
export const amlClearances = pgTable(
  'aml_clearances',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    /** HMAC of the screened person, as in `jobs`. */
    subject: bytea('subject').notNull(),
    list: text('list').notNull(),
    /** In the clear in rows of earlier releases, until the sweeper seals it. */
    sourceId: text('source_id'),
    /** Ciphertext of the entry's number, and the HMAC that finds it (`aml/listings.ts`). */
    source: bytea('source'),
    sourceIndex: bytea('source_index'),
    /** Digest of the entry when it was cleared. Where `source_index` is set, an HMAC of that digest, because `aml_entries` has every digest in the clear. */
    digest: bytea('digest').notNull(),
    /** Ciphertext of the reason and of who decided. */
    note: bytea('note').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    expiresAt: instant('expires_at'),
    revokedAt: instant('revoked_at'),
  },
  (t) => [
    uniqueIndex('aml_clearances_subject').on(t.appId, t.live, t.subject, t.list, t.sourceId).where(sql`${t.revokedAt} is null`),
    uniqueIndex('aml_clearances_listing').on(t.appId, t.live, t.subject, t.list, t.sourceIndex).where(sql`${t.revokedAt} is null`),
    index('aml_clearances_clear').on(t.id).where(sql`${t.sourceId} is not null`),
    index('aml_clearances_app').on(t.appId, t.live, t.id),
  ],
);

/** A monitor: a person whom an app wants rescreened when lists change. */
export const amlMonitors = pgTable(
  'aml_monitors',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    subject: bytea('subject').notNull(),
    /** Ciphertext of the check's input. */
    input: bytea('input').notNull(),
    /** The screening that started it. */
    jobId: uuid('job_id').notNull(),
    /** The list versions of which the screening that wrote the input showed every hit (`Monitored.shown`); null for monitors of earlier releases. */
    shown: jsonb('shown').$type<Record<string, string>>(),
    /** Keyed hash of the reference of the consent that it rests on; null without one, and for monitors of earlier releases. */
    consent: bytea('consent'),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** When a later screening last replaced its input; null if none has. Earlier releases did not record it. */
    renewedAt: instant('renewed_at'),
    /** When a later screening last replaced `shown`. Earlier releases replaced the input only, so unless this equals `renewedAt`, `shown` says nothing about it. */
    shownAt: instant('shown_at'),
    /** When it was last screened against a change. */
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
    /** The monitor's app, stored here too to find an app's monitors with hits. Null in rows that a process of an earlier release wrote during an update. */
    appId: uuid('app_id'),
    at: instant('at').notNull().defaultNow(),
    list: text('list').notNull(),
    /** As in `aml_clearances`; the entry's number itself is in `hit`. */
    sourceId: text('source_id'),
    sourceIndex: bytea('source_index'),
    digest: bytea('digest').notNull(),
    /** Ciphertext of the hit as answers show it. */
    hit: bytea('hit').notNull(),
  },
  (t) => [
    unique('aml_monitor_hits_once').on(t.monitorId, t.list, t.sourceId, t.digest),
    unique('aml_monitor_hits_told').on(t.monitorId, t.list, t.sourceIndex, t.digest),
    index('aml_monitor_hits_app').on(t.appId, t.monitorId),
    index('aml_monitor_hits_clear').on(t.id).where(sql`${t.sourceId} is not null`),
  ],
);

/** A rescreen in progress: monitored people against what this list version added and changed. */
export const amlRescreens = pgTable('aml_rescreens', {
  versionId: uuid('version_id').primaryKey(),
  list: text('list').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  /** The last monitor that was screened. */
  cursor: uuid('cursor'),
  /** Cursor through the monitors renewed during the run, which are screened at its end. */
  renewedCursor: uuid('renewed_cursor'),
  screened: integer('screened').notNull().default(0),
  hits: integer('hits').notNull().default(0),
  finishedAt: instant('finished_at'),
});
