/** What test keys stored in the sandbox: portraits of their own. The sandbox's people are computed and need no table. */
import { index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { apps } from './apps.ts';
import { bytea, instant } from './columns.ts';

/** A picture that an app enrolled for a number in place of the drawn one. No other app sees it. */
export const sandboxPortraits = pgTable(
  'sandbox_portraits',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id')
      .notNull()
      .references(() => apps.id),
    idType: text('id_type').$type<'nin' | 'bvn'>().notNull(),
    /** HMAC of the number. */
    subject: bytea('subject').notNull(),
    /** Ciphertext of the number's last digits. */
    masked: bytea('masked').notNull(),
    type: text('type').$type<'image/jpeg' | 'image/png' | 'image/webp'>().notNull(),
    bytes: integer('bytes').notNull(),
    /** Ciphertexts of base64: the picture as sent, and as records show it. */
    image: bytea('image').notNull(),
    shown: bytea('shown').notNull(),
    enrolledAt: instant('enrolled_at').notNull().defaultNow(),
  },
  (t) => [uniqueIndex('sandbox_portraits_subject').on(t.appId, t.idType, t.subject), index('sandbox_portraits_app').on(t.appId, t.id)],
);
