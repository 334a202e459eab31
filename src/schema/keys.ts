/** Data keys, wrapped (`foundation/data-keys.ts`). */
import { sql } from 'drizzle-orm';
import { date, index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

/**
 * The key of a batch, or of what an app stored in a month. Ciphertexts name it by its id, which is the batch's own for the key of a batch. Deleting the row makes
 * all of them unreadable.
 */
export const dataKeys = pgTable(
  'data_keys',
  {
    id: uuid('id').primaryKey(),
    /** Null: of what belongs to no app. */
    appId: uuid('app_id'),
    /** The first day of the month (UTC) in which it seals. Null: the key of a batch. */
    month: date('month'),
    wrapped: bytea('wrapped').notNull(),
    /** Which key of the deployment, or of its key service, has wrapped it. */
    wrappedBy: text('wrapped_by').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('data_keys_month')
      .on(sql`coalesce(${t.appId}, '00000000-0000-0000-0000-000000000000')`, t.month)
      .where(sql`${t.month} is not null`),
    index('data_keys_wrapped_by').on(t.wrappedBy, t.id),
  ],
);
