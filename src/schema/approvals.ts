/** What somebody has asked for and a second person decides. Only ids and amounts are in the clear. */
import { sql } from 'drizzle-orm';
import { boolean, index, pgEnum, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { apps } from './apps.ts';
import { bytea, instant, kobo } from './columns.ts';

/** `void`: what it was about had changed when it was approved, or whoever asked could no longer ask for it; nothing was done. */
export const approvalStatus = pgEnum('approval_status', ['pending_approval', 'approved', 'declined', 'expired', 'void']);

export const approvals = pgTable(
  'approvals',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id')
      .notNull()
      .references(() => apps.id, { onDelete: 'cascade' }),
    /** Null: it concerns both modes. */
    live: boolean('live'),
    action: text('action').notNull(),
    status: approvalStatus('status').notNull().default('pending_approval'),
    /** The id of what it is about, as clients see it. */
    target: text('target').notNull(),
    amountKobo: kobo('amount_kobo'),
    askedKind: text('asked_kind').notNull(),
    askedId: text('asked_id').notNull(),
    /** The person behind the request: the one who asked, or who made the key that asked. No reference: a person may be deleted. */
    askedPerson: uuid('asked_person'),
    /** Equal for the same request made twice; null where each request counts. */
    request: text('request'),
    /** Ciphertext: what exactly is to be done, and the reasons that people give. */
    about: bytea('about').notNull(),
    askedAt: instant('asked_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
    decidedBy: uuid('decided_by'),
    decidedAt: instant('decided_at'),
    /** For an approved read: how long the person who asked may use it. */
    usableUntil: instant('usable_until'),
  },
  (t) => [
    index('approvals_app').on(t.appId, t.id),
    index('approvals_expiry').on(t.expiresAt).where(sql`${t.status} = 'pending_approval'`),
    uniqueIndex('approvals_pending').on(t.request).where(sql`${t.status} = 'pending_approval'`),
    // Finds the approvals of a job, batch or export that is deleted.
    index('approvals_target').on(t.target),
    index('approvals_usable').on(t.target, t.askedId).where(sql`${t.usableUntil} is not null`),
  ],
);
