/** The running processes of a deployment, and the release of each. */
import { pgTable, smallint, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

export const processes = pgTable('processes', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  release: text('release').notNull(),
  /** The newest storage format that it can read (`jobs/release.ts`). */
  reads: smallint('reads').notNull(),
  /** The newest form of stored data that it can read (`jobs/release.ts`). */
  readsResults: smallint('reads_results').notNull().default(1),
  /** The check families it works for. */
  families: text('families').array().notNull(),
  startedAt: instant('started_at').notNull().defaultNow(),
  seenAt: instant('seen_at').notNull().defaultNow(),
});
