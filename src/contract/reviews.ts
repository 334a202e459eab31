/** Review cases: bodies, query and answers. */
import { z } from 'zod';
import { riskLevels } from '../engines/aml/risk.ts';
import { showId } from '../foundation/ids.ts';
import { reviewKinds, type reviewNotes, reviewState, type reviews } from '../schema/reviews.ts';
import { cleanText, count, instant, instantOrNull, showInstant, showInstantOrNull, text } from './fields.ts';
import { oneOf, page, someOf } from './queries.ts';

const note = cleanText(2000).refine((text) => text.trim() !== '', 'must not be blank');
const DECISIONS = ['approve', 'reject', 'escalate'] as const;

export const reviewsQuery = z.object({
  ...page,
  state: someOf(reviewState.enumValues).describe('Only these'),
  kind: oneOf(reviewKinds).describe('Only this kind'),
  assignee: z.string().max(100).optional().describe('`me`, `none`, or the id of a person or key'),
  job: z.string().max(100).optional().describe('Only the case of this job'),
});

export const assignBody = z.strictObject({
  assignee: z.string().max(100).nullable().describe('`me`, the id of a person of the app with the scope `reviews`, or null for nobody'),
});
export const commentBody = z.strictObject({ text: note.describe('Stored encrypted') });
export const decideBody = z.strictObject({
  decision: z.enum(DECISIONS, 'must be approve, reject or escalate'),
  reason: note.describe('Stored encrypted'),
});
export type Decision = z.infer<typeof decideBody>['decision'];

export const reviewAnswer = z.object({
  id: text.describe('rev_…'),
  object: z.literal('review'),
  kind: z.enum(reviewKinds).describe('Why it was opened'),
  state: z.enum(reviewState.enumValues).describe('`seconding`: somebody has decided, and another person must agree'),
  check: text,
  job: text.describe('job_…'),
  job_url: text,
  monitor: text.nullable().describe('mon_…: the monitor whose new hits opened it, or opened it again; null: the result of the job did'),
  assignee: text.nullable(),
  proposal: z.enum(['approve', 'reject']).nullable().describe('The first of two decisions'),
  proposed_by: text.nullable(),
  escalated_by: text.nullable(),
  decision: z.enum(['approve', 'reject']).nullable(),
  decided_by: text.nullable(),
  live: z.boolean(),
  opened_at: instant,
  decided_at: instantOrNull,
  names: z.record(text, text).optional().describe('By id, the names of the people and keys in it, as they are now. Webhooks leave it out'),
  reference: text.nullable().optional().describe('That of the job. Webhooks leave it out'),
  batch: text.nullable().optional().describe('bat_…; null for a single job. Webhooks leave it out'),
  row: count.nullable().optional().describe('Data row of the upload, from 1. Webhooks leave it out'),
  risk_level: z
    .enum(riskLevels)
    .nullable()
    .optional()
    .describe('Of a screening; null for other checks, and if the result is not stored. Webhooks leave it out'),
});

const score = z.number().describe('0 to 1');

/** What is known of the result without personal details. */
export const reviewSummary = z.object({
  face: z.object({ confidence: z.number(), threshold: z.number(), replay_suspected: z.boolean(), liveness: text }).nullable(),
  aml: z
    .object({
      risk_level: z.enum(riskLevels),
      risk_score: z.int(),
      total_hits: z.int(),
      hits: z.array(z.object({ list: text, category: text, score, cleared: z.boolean() })).describe('The best 10, without names'),
    })
    .nullable(),
});

export const reviewWithNotes = reviewAnswer.extend({
  summary: reviewSummary.nullable().describe('null: the result of a single call is not stored'),
  notes: z
    .array(z.object({ actor: text, decision: z.enum(DECISIONS).nullable().describe('null: a comment'), text, at: instant }))
    .describe('Comments and decisions, oldest first'),
});

export type ReviewRow = typeof reviews.$inferSelect;
export type NoteRow = typeof reviewNotes.$inferSelect;

export function showReview(row: ReviewRow): z.infer<typeof reviewAnswer> {
  const job = showId('job', row.jobId);
  return {
    id: showId('rev', row.id),
    object: 'review',
    kind: row.kind,
    state: row.state,
    check: row.checkId,
    job,
    job_url: `/api/v1/jobs/${job}`,
    monitor: row.monitorId && showId('mon', row.monitorId),
    assignee: row.assignee,
    proposal: row.proposal,
    proposed_by: row.proposedBy,
    escalated_by: row.escalatedBy,
    decision: row.decision,
    decided_by: row.decidedBy,
    live: row.live,
    opened_at: showInstant(row.openedAt),
    decided_at: showInstantOrNull(row.decidedAt),
  };
}
