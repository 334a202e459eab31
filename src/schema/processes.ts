/** Which processes of a deployment run, of which release. */
import { pgTable, smallint, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

export const processes = pgTable('processes', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  release: text('release').notNull(),
  /** The newest form of stored work that it reads (`jobs/release.ts`). */
  reads: smallint('reads').notNull(),
  /** That it works for. */
  families: text('families').array().notNull(),
  startedAt: instant('started_at').notNull().defaultNow(),
  seenAt: instant('seen_at').notNull().defaultNow(),
});
