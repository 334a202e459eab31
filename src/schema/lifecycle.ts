/** The table of deletions: what was deleted, when and why. It holds no personal data and is kept as proof. */
import { sql } from 'drizzle-orm';
import { boolean, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

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
