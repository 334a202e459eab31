/** Review cases after they were opened: listing, assigning, commenting, deciding. Comments and reasons are stored as ciphertext. */
import { type Author, record } from '../access/audit/append.ts';
import type { AppMode } from '../access/owner.ts';
import { isMemberWith, REVIEWING } from '../access/people/accounts.ts';
import type { Action } from '../contract/audit.ts';
import { type Decision, type NoteRow, type ReviewRow, showReview } from '../contract/reviews.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { newId, parseId, showId } from '../foundation/ids.ts';
import { narrowed, ownedBy } from '../foundation/lists.ts';
import { emitEvents } from '../webhooks/events.ts';

export interface ReviewFilter {
  states: readonly string[] | null;
  kind: string | null;
  /** The id of an actor; `none`: nobody. */
  assignee: string | null;
  jobId: string | null;
  /** The last id of the previous page. */
  before: string | null;
  limit: number;
}

/** Newest first. */
export async function listReviews({ sql }: Context, { appId, live }: AppMode, filter: ReviewFilter): Promise<ReviewRow[]> {
  const { states, kind, assignee, jobId, before, limit } = filter;
  const isOpen = states !== null && !states.includes('decided');
  return sql<ReviewRow[]>`
    select * from reviews
    where ${ownedBy(sql, { appId, live })}
      ${narrowed(sql, [
        before !== null && sql`id < ${before}`,
        isOpen && sql`state <> 'decided'`,
        states !== null && sql`state::text = any(${states as string[]})`,
        kind !== null && sql`kind = ${kind}`,
        jobId !== null && sql`job_id = ${jobId}`,
        assignee !== null && (assignee === 'none' ? sql`assignee is null` : sql`assignee = ${assignee}`),
      ])}
    order by live desc, id desc limit ${limit}`;
}

export async function readReview({ sql }: Context, { appId, live }: AppMode, id: string): Promise<ReviewRow | null> {
  const [row] = await sql<ReviewRow[]>`select * from reviews where id = ${id} and app_id = ${appId} and live = ${live}`;
  return row ?? null;
}

export type Note = Omit<NoteRow, 'note'> & { text: string };

/** Oldest first. */
export async function readNotes({ sql, cipher }: Context, reviewId: string): Promise<Note[]> {
  const rows = await sql<NoteRow[]>`select * from review_notes where review_id = ${reviewId} order by id`;
  const { open } = await cipher.opener(rows.map(({ note }) => note));
  return rows.map(({ note, ...row }) => ({ ...row, text: open(note, PURPOSE, row.id) }));
}

const PURPOSE = 'review';

/**
 * `assignee`: the id of a person of the app who may review, or of the caller; null: nobody. Throws `invalid_request` for anybody else, and `conflict` for a case
 * that is decided.
 */
export async function assignReview(ctx: Context, review: ReviewRow, assignee: string | null, by: Author): Promise<ReviewRow> {
  return change(ctx, review, by, { action: 'review.assign', detail: { assignee } }, async (tx, current) => {
    if (current.state === 'decided') throw alreadyDecided();
    if (assignee !== null && assignee !== by.actor.id) await refuseNonReviewer(tx, review.appId, assignee);
    const [row] = await tx<ReviewRow[]>`update reviews set assignee = ${assignee} where id = ${review.id} returning *`;
    return row!;
  });
}

const alreadyDecided = () => new ApiError('conflict', 'The case has already been decided');

async function refuseNonReviewer(tx: Tx, appId: string, assignee: string): Promise<void> {
  if (await isMemberWith(tx, appId, parseId('per', assignee), REVIEWING)) return;
  throw new ApiError('invalid_request', 'assignee is not a person of this app who may review', {
    details: [
      { path: 'assignee', message: 'must be `me`, or the id of a person of the app with the scope reviews', rule: 'unknown_person' },
    ],
  });
}

export async function commentReview(ctx: Context, review: ReviewRow, text: string, by: Author): Promise<ReviewRow> {
  return change(ctx, review, by, { action: 'review.comment', detail: null }, async (tx, current) => {
    await addNote(tx, ctx, current, by, { decision: null, text });
    return current;
  });
}

interface Decided {
  decision: Decision;
  reason: string;
  /** Whether another person must agree. */
  twoPerson: boolean;
}

/** Throws `conflict` for a case that is decided or that somebody else must decide, and `forbidden` for a key where two people must decide. */
export async function decideReview(
  ctx: Context,
  review: ReviewRow,
  { decision, reason, twoPerson }: Decided,
  by: Author,
): Promise<ReviewRow> {
  return change(ctx, review, by, { action: 'review.decide', detail: { decision } }, async (tx, current) => {
    refuseDecider(current, await decidersOf(tx, current), decision, twoPerson, by);
    await addNote(tx, ctx, current, by, { decision, text: reason });
    const [row] = await write(tx, current, decision, twoPerson, by.actor.id);
    if (row!.state === 'decided')
      await emitEvents(tx, [{ appId: row!.appId, live: row!.live, type: 'review.decided', data: showReview(row!), url: null }]);
    return row!;
  });
}

/** Who has decided or escalated the case since it was last opened. */
async function decidersOf(tx: Tx, { id, openedAt }: ReviewRow): Promise<Set<string>> {
  const rows = await tx<
    { actor: string }[]
  >`select actor from review_notes where review_id = ${id} and decision is not null and at >= ${openedAt}`;
  return new Set(rows.map(({ actor }) => actor));
}

/** An escalated case needs somebody who has not decided it yet, and whoever escalated it cannot be the second person to agree. */
function refuseDecider(review: ReviewRow, deciders: Set<string>, decision: Decision, twoPerson: boolean, { actor }: Author): void {
  if (review.state === 'decided') throw alreadyDecided();
  if (twoPerson && actor.kind !== 'person')
    throw new ApiError('forbidden', 'In this app, two people must decide: sign in instead of using a key');
  if (decision === 'escalate') {
    if (review.state === 'escalated') throw new ApiError('conflict', 'The case is already escalated');
    return;
  }
  if (review.state === 'escalated' && deciders.has(actor.id))
    throw new ApiError('conflict', 'You have already decided or escalated this case: somebody else must decide it');
  if (review.state === 'seconding' && review.proposedBy === actor.id)
    throw new ApiError('conflict', 'You have already decided: another person must agree');
  if (review.state === 'seconding' && review.escalatedBy === actor.id)
    throw new ApiError('conflict', 'You have escalated the case: somebody else must decide it');
}

/** With two people, the first decision is a proposal. If the second person does not agree, the case is escalated, and a third makes the next proposal. */
function write(tx: Tx, review: ReviewRow, decision: Decision, twoPerson: boolean, actor: string) {
  const disagrees = review.state === 'seconding' && review.proposal !== decision;
  if (decision === 'escalate' || (twoPerson && disagrees))
    return tx<ReviewRow[]>`
      update reviews set state = 'escalated', escalated_by = ${actor}, proposal = null, proposed_by = null, assignee = null
      where id = ${review.id} returning *`;
  if (twoPerson && review.state !== 'seconding')
    return tx<ReviewRow[]>`
      update reviews set state = 'seconding', proposal = ${decision}, proposed_by = ${actor}, assignee = null where id = ${review.id} returning *`;
  return tx<ReviewRow[]>`
    update reviews set state = 'decided', decision = ${decision}, decided_by = ${actor}, decided_at = now() where id = ${review.id} returning *`;
}

/** Without a decision, it is a comment. */
async function addNote(
  tx: Tx,
  { cipher }: Context,
  review: ReviewRow,
  by: Author,
  { decision, text }: Pick<Note, 'decision' | 'text'>,
): Promise<void> {
  const id = newId();
  const { seal } = await cipher.sealer(review);
  await tx`
    insert into review_notes (id, review_id, actor, decision, note)
    values (${id}, ${review.id}, ${by.actor.id}, ${decision}, ${seal(text, PURPOSE, id)})`;
}

/** Locks the case, changes it and records that. Throws `resource_not_found` if it was deleted since it was found, with its job. */
async function change(
  { sql }: Context,
  { id, appId, live }: ReviewRow,
  by: Author,
  { action, detail }: { action: Action; detail: Record<string, unknown> | null },
  make: (tx: Tx, current: ReviewRow) => Promise<ReviewRow>,
): Promise<ReviewRow> {
  return sql.begin(async (tx) => {
    const [current] = await tx<ReviewRow[]>`select * from reviews where id = ${id} for update`;
    if (!current) throw new ApiError('resource_not_found', 'There is no such review case');
    const changed = await make(tx, current);
    await record(tx, by, { appId, live, action, object: showId('rev', id), detail });
    return changed;
  });
}
