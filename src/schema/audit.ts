/**
 * The audit: who read personal data, and who changed access, money, configuration or lists. Partitioned by month; triggers refuse every change. Only the
 * function `audit_append` writes (`drizzle/0019_audit.sql`), which links the entries of an app into a chain of hashes.
 */

import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

/** An entry holds no personal data: people appear only as `subject`, a keyed HMAC. */
export const auditEntries = pgTable(
  'audit_entries',
  {
    /** The app that it concerns, whose entries form one chain; the nil UUID for the deployment. */
    appId: uuid('app_id').notNull(),
    /** Counts the app's entries from 1 without gaps. */
    seq: bigint('seq', { mode: 'number' }).notNull(),
    at: instant('at').notNull(),
    /** Null if it concerns both modes of the app. */
    live: boolean('live'),
    actorKind: text('actor_kind').notNull(),
    actorId: text('actor_id').notNull(),
    address: text('address'),
    action: text('action').notNull(),
    /** The id of what was read or changed, as clients see it. */
    object: text('object'),
    subject: bytea('subject'),
    /** A word of a fixed list (`contract/audit.ts`): free text could name people. */
    purpose: text('purpose'),
    requestId: text('request_id'),
    outcome: text('outcome').$type<'allowed' | 'refused'>().notNull(),
    /** The error code of a refusal. */
    code: text('code'),
    /** JSON: what exactly was changed. */
    detail: text('detail'),
    /** The hash of the entry before it. */
    previous: bytea('previous').notNull(),
    hash: bytea('hash').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.appId, t.seq, t.at] }),
    index('audit_entries_at').on(t.at, t.appId, t.seq),
    index('audit_entries_object').on(t.object),
    check('audit_entries_outcome', sql`${t.outcome} in ('allowed', 'refused')`),
  ],
);

/** The last entry of each chain. Kept apart, so that removing the last entries shows. Locked by every append, last in its transaction. */
export const auditHeads = pgTable('audit_heads', {
  appId: uuid('app_id').primaryKey(),
  seq: bigint('seq', { mode: 'number' }).notNull(),
  hash: bytea('hash').notNull(),
});

/** An entry of each chain, signed with a key that the database does not have: somebody who rewrites a chain in the database cannot rewrite this. */
export const auditSeals = pgTable('audit_seals', {
  appId: uuid('app_id').primaryKey(),
  seq: bigint('seq', { mode: 'number' }).notNull(),
  hash: bytea('hash').notNull(),
  at: instant('at').notNull().defaultNow(),
  signature: bytea('signature').notNull(),
});
