/** The tables of review cases: results that a person must decide about, and what people wrote about them. */
import { sql } from 'drizzle-orm';
import { boolean, index, pgEnum, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

/** `seconding`: somebody has decided, and another person must agree. */
export const reviewState = pgEnum('review_state', ['open', 'seconding', 'escalated', 'decided']);
export const reviewKinds = ['face', 'liveness', 'aml'] as const;
export type ReviewKind = (typeof reviewKinds)[number];
export type ReviewDecision = 'approve' | 'reject';

/** One for each job at most. Holds no personal data: what was found stays with the job. Actors are ids as the audit has them. */
export const reviews = pgTable(
  'reviews',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    jobId: uuid('job_id').notNull(),
    checkId: text('check_id').notNull(),
    kind: text('kind').$type<ReviewKind>().notNull(),
    state: reviewState('state').notNull().default('open'),
    assignee: text('assignee'),
    /** The first of two decisions. */
    proposal: text('proposal').$type<ReviewDecision>(),
    proposedBy: text('proposed_by'),
    escalatedBy: text('escalated_by'),
    decision: text('decision').$type<ReviewDecision>(),
    decidedBy: text('decided_by'),
    openedAt: instant('opened_at').notNull().defaultNow(),
    decidedAt: instant('decided_at'),
    /** The monitor whose new hits opened it, or opened it again. */
    monitorId: uuid('monitor_id'),
    /** When `review.opened` was emitted. */
    announcedAt: instant('announced_at'),
  },
  (t) => [
    uniqueIndex('reviews_job').on(t.jobId),
    index('reviews_app').on(t.appId, t.live, t.id),
    index('reviews_open').on(t.appId, t.live, t.id).where(sql`${t.state} <> 'decided'`),
    index('reviews_unannounced').on(t.id).where(sql`${t.announcedAt} is null`),
  ],
);

export const reviewNotes = pgTable(
  'review_notes',
  {
    id: uuid('id').primaryKey(),
    reviewId: uuid('review_id')
      .notNull()
      .references(() => reviews.id, { onDelete: 'cascade' }),
    actor: text('actor').notNull(),
    /** Null: a comment. */
    decision: text('decision').$type<ReviewDecision | 'escalate'>(),
    /** Ciphertext of the comment or the reason. */
    note: bytea('note').notNull(),
    at: instant('at').notNull().defaultNow(),
  },
  (t) => [index('review_notes_review').on(t.reviewId, t.id)],
);
