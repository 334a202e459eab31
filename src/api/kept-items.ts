/** Decrypted items that the file of a person and the file of an app share. Some also appear in answers. */
import type { z } from 'zod';
import { readReveals } from '../access/reveals.ts';
import { type NameSource, readSubmitters } from '../access/submitters.ts';
import { openNote } from '../aml/clearing.ts';
import { openAbout } from '../contract/about.ts';
import type { UnopenedBatch } from '../contract/batches.ts';
import type { ClearanceRow } from '../contract/clearances.ts';
import type { withdrawalAnswer } from '../contract/consents.ts';
import { showInstant, showInstantOrNull } from '../contract/fields.ts';
import { type ReviewRow, showReview } from '../contract/reviews.ts';
import type { holdAnswer } from '../contract/subjects.ts';
import type { Context } from '../foundation/context.ts';
import { showId } from '../foundation/ids.ts';
import type { StoredJob } from '../jobs/job.ts';
import { type HoldRow, reasonOf } from '../lifecycle/holds.ts';
import type { WithdrawalRow } from '../lifecycle/withdrawals.ts';
import { readNotes } from '../reviews/reviews.ts';

/** A row as the file had it: each cell with the name of its column, or the members of an object. */
export const named = ({ columns }: Pick<UnopenedBatch, 'columns'>, raw: unknown) =>
  Array.isArray(raw) ? raw.map((value, at) => ({ column: columns[at] ?? `column ${at + 1}`, value })) : raw;

/** In the order of `jobs`. */
export async function consentsOf({ cipher }: Context, jobs: readonly StoredJob[]): Promise<unknown[]> {
  const opener = await cipher.opener(jobs.map(({ about }) => about));
  return jobs.map((job) => openAbout(opener, showId('job', job.id), job.about).consent ?? job.consent);
}

/** Who saw a job in clear, and why. */
export async function revealsOf(ctx: Context, jobId: string) {
  return (await readReveals(ctx, jobId)).map(({ actorKind, actorId, purpose, reason, at }) => ({
    actor: { kind: actorKind, id: actorId },
    purpose,
    reason,
    at: showInstant(at),
  }));
}

export async function reviewWithNotes(ctx: Context, review: ReviewRow) {
  const notes = await readNotes(ctx, review.id);
  return { ...showReview(review), notes: notes.map(({ actor, decision, text, at }) => ({ actor, decision, text, at: showInstant(at) })) };
}

export const showHold = async (ctx: Pick<Context, 'cipher'>, row: HoldRow): Promise<z.infer<typeof holdAnswer>> => ({
  id: showId('hld', row.id),
  object: 'subject_hold',
  live: row.live,
  identifiers: row.marks.types,
  reason: await reasonOf(ctx, row),
  held_at: showInstant(row.heldAt),
  lifted_at: showInstantOrNull(row.liftedAt),
});

export async function clearanceWithReason({ cipher }: Context, one: ClearanceRow) {
  const { reason, clearedBy, createdBy = null } = openNote(await cipher.opener([one.note]), one);
  return {
    id: showId('clr', one.id),
    list: one.list,
    source_id: one.sourceId,
    reason,
    cleared_by: clearedBy,
    created_by: createdBy,
    created_at: showInstant(one.createdAt),
    expires_at: showInstantOrNull(one.expiresAt),
    revoked_at: showInstantOrNull(one.revokedAt),
  };
}

/** `asking`: whose own name need not be read. */
export async function showWithdrawals(
  source: NameSource,
  asking: Parameters<typeof readSubmitters>[1],
  rows: readonly WithdrawalRow[],
): Promise<z.infer<typeof withdrawalAnswer>[]> {
  const submitterOf = await readSubmitters(source, asking, rows);
  return rows.map((row) => ({
    id: showId('wdr', row.id),
    object: 'consent_withdrawal',
    live: row.live,
    withdrawn_at: showInstant(row.withdrawnAt),
    withdrawn_by: submitterOf(row),
  }));
}
