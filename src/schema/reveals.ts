/** Who has seen a job in clear, and why. The audit has the same without the reason, which may name somebody. */
import { boolean, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { apps } from './apps.ts';
import { bytea, instant } from './columns.ts';

export const reveals = pgTable(
  'reveals',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id')
      .notNull()
      .references(() => apps.id, { onDelete: 'cascade' }),
    live: boolean('live').notNull(),
    jobId: uuid('job_id').notNull(),
    actorKind: text('actor_kind').notNull(),
    actorId: text('actor_id').notNull(),
    purpose: text('purpose').notNull(),
    /** Ciphertext. */
    reason: bytea('reason'),
    at: instant('at').notNull().defaultNow(),
  },
  (t) => [index('reveals_job').on(t.jobId, t.id)],
);
