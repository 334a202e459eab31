/**
 * Approvals: what somebody asks for, and a second person decides. Asking starts, holds and spends nothing. A decision carries out what was asked for in its
 * own transaction, or grants the requester a right for an hour (`rights.ts`). `api/carry-out.ts` says how each action is carried out.
 *
 *     pending_approval ─approve─▶ approved, or void if its target has changed or whoever asked may no longer ask
 *                      ─decline─▶ declined
 *                      ─time────▶ expired
 *                      ─its batch starts otherwise, or stops─▶ void
 */
import type postgres from 'postgres';
import type { z } from 'zod';
import { mayDecide, mayStillAsk } from '../access/askers.ts';
import { type Author, bySystem, record } from '../access/audit/append.ts';
import { keysMadeBy, personBehind } from '../access/keys.ts';
import { readBackers } from '../access/people/accounts.ts';
import { type AnnouncedApproval, type ApprovalAction, type ApprovalRow, isOwnAction, showAnnounced } from '../contract/approvals.ts';
import { kobo } from '../contract/fields.ts';
import type { topUpBody } from '../contract/money.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { newId, parseId, showId } from '../foundation/ids.ts';
import { emitEvents } from '../webhooks/events.ts';
import { opened, type StoredApproval, sealed, shown, type Terms } from './stored.ts';

const EXPIRES_SECONDS = 72 * 3600;
const USABLE_SECONDS = 3600;
/** Approvals that may wait at a time: of one mode of an app (those that concern both count as a third), and of one key or person in it. */
const PENDING_MAX = 1_000;
const PENDING_OF_ONE_MAX = 500;
const EXPIRED_AT_ONCE = 100;

export interface ApprovalRequest {
  appId: string;
  live: boolean | null;
  action: ApprovalAction;
  target: string;
  amountKobo?: number | null;
  terms?: Terms;
  reason?: string | null;
  /** What must still hold when it is approved. */
  state?: string | null;
}

/** Equal for requests that need only one decision: all requests to start a batch or to end an app in the same way, and each person's own to see or take something. */
function requestOf({ action, target, terms, state }: ApprovalRequest, askedId: string): string | null {
  if (action === 'start_batch') return `${action} ${target}`;
  if (action === 'delete_app') return `${action} ${target} ${JSON.stringify(terms)} ${state}`;
  if (action === 'export') return `${action} ${target} ${askedId} ${terms?.kind} ${terms?.link_seconds ?? ''}`;
  return action === 'reveal' ? `${action} ${target} ${askedId} ${terms?.purpose ?? ''}` : null;
}

/** Asks for `asked`; the caller has locked its batch. Asking again for the same thing returns the pending approval. */
export async function ask(ctx: Pick<Context, 'cipher'>, tx: Tx, by: Author, asked: ApprovalRequest): Promise<ApprovalRow> {
  const { appId, live, action, target, amountKobo = null, terms = {}, reason = null, state = null } = asked;
  const { kind, id: actorId } = by.actor;
  const request = requestOf(asked, actorId);
  await expire(tx, tx`request = ${request}`);
  const id = newId();
  const [made] = await tx`
    insert into approvals (id, app_id, live, action, target, amount_kobo, asked_kind, asked_id, asked_person, request, about, expires_at)
    select ${id}::uuid, ${appId}::uuid, ${live}::boolean, ${action}::text, ${target}::text, ${amountKobo}::bigint, ${kind}::text, ${actorId}::text,
      ${await personBehind(tx, by.actor)}::uuid, ${request}::text, ${await sealed(ctx, { id, appId, action }, { terms, reason, state, declineReason: null })}::bytea,
      now() + make_interval(secs => ${EXPIRES_SECONDS})
    where (
      select count(*) < ${PENDING_MAX} and count(*) filter (where asked_id = ${actorId}) < ${PENDING_OF_ONE_MAX} from approvals
      where app_id = ${appId} and live is not distinct from ${live}::boolean and status = 'pending_approval')
    on conflict (request) where status = 'pending_approval' do nothing
    returning 1 as one`;
  const [row] = made
    ? await tx<StoredApproval[]>`select ${shown(tx)} from approvals r where r.id = ${id}`
    : await tx<StoredApproval[]>`select ${shown(tx)} from approvals r where r.request = ${request} and r.status = 'pending_approval'`;
  if (!row) {
    const bounds = `at most ${PENDING_OF_ONE_MAX} requests of one key or person, and ${PENDING_MAX} of an app, may wait for approval in each mode`;
    throw new ApiError('conflict', `Too many requests are already waiting: ${bounds}`);
  }
  const approval = await opened(ctx, row);
  if (!made) return approval;
  await announce(tx, approval, 'approval.requested');
  await record(tx, by, entryOf(approval, 'approval.ask'));
  return approval;
}

/** Asks for a change of an app that administrators decide. Null if there is no such app. */
export async function askAboutApp(ctx: Pick<Context, 'cipher'>, tx: Tx, by: Author, asked: ApprovalRequest): Promise<ApprovalRow | null> {
  const [app] = await tx`select 1 from apps where id = ${asked.appId} and deleted_at is null`;
  return app ? ask(ctx, tx, by, asked) : null;
}

export const topUpOf = (appId: string, body: z.infer<typeof topUpBody>): ApprovalRequest => ({
  appId,
  live: body.mode === 'live',
  action: 'top_up',
  target: showId('app', appId),
  amountKobo: kobo(body.amount),
  terms: body,
});

/** An app's endpoints hear only of what its own people decide. */
async function announce(tx: Tx, approval: AnnouncedApproval, type: 'approval.requested' | 'approval.decided'): Promise<void> {
  if (!isOwnAction(approval.action)) return;
  const { appId, live } = approval;
  const modes = live === null ? [true, false] : [live];
  await emitEvents(
    tx,
    modes.map((mode) => ({ appId, live: mode, type, data: showAnnounced(approval), url: null })),
  );
}

const entryOf = (
  { id, appId, live, action, target, status, amountKobo }: AnnouncedApproval,
  recordedAs: 'approval.ask' | 'approval.approve' | 'approval.decline' | 'approval.void' | 'approval.expire',
) => ({
  appId,
  live,
  action: recordedAs,
  object: showId('apr', id),
  detail: { action, target, amountKobo, ...(recordedAs === 'approval.approve' && { status }) },
});

/** Does what was asked for. False: its target has changed in the meantime, and nothing was done. */
export type CarryOut = (tx: Tx, approval: ApprovalRow) => Promise<boolean>;

/**
 * Approves, and carries it out in the same transaction; null for a read, for which it opens a right. It becomes void if whoever asked may no longer ask for it.
 * What `carryOut` throws leaves the approval pending.
 * `prepare` runs before that transaction, in transactions of its own, while `goesOn`: it is undecided, and both may still ask and decide. Throws `forbidden` for the
 * requester, and `conflict` if it is decided already.
 */
export async function approve(
  ctx: Context,
  approval: ApprovalRow,
  decider: { personId: string; by: Author },
  carryOut: CarryOut | null,
  prepare: (goesOn: () => Promise<boolean>) => Promise<void> = async () => {},
): Promise<ApprovalRow> {
  if (approval.askedPerson === decider.personId)
    throw new ApiError('forbidden', 'You have asked for this yourself, or with a key that you made; somebody else must approve it');
  await refuseBacked(ctx, approval, decider.personId);
  const goesOn = async () =>
    (await isPending(ctx.sql, approval)) &&
    (await mayStillAsk(ctx.sql, approval)) &&
    (await mayDecide(ctx.sql, approval, decider.personId));
  if (await goesOn()) await prepare(goesOn);
  return ctx.sql.begin(async (tx) => {
    // The batch is locked before its approval, as by everybody else who locks both.
    await tx`select 1 from batches where id = ${parseId('bat', approval.target)} for update`;
    await take(tx, approval, 'approved', decider.personId);
    const isDone = (await mayStillAsk(tx, approval)) && (carryOut === null || (await carryOut(tx, approval)));
    if (!isDone) await forget(tx, approval);
    const changes = isDone
      ? tx`usable_until = case when ${carryOut === null} then now() + make_interval(secs => ${USABLE_SECONDS}) end`
      : tx`status = 'void'`;
    await tx`update approvals set ${changes} where id = ${approval.id}`;
    return finish(ctx, tx, approval.id, decider.by, 'approval.approve');
  });
}

const isPending = async (sql: Sql, { id }: ApprovalRow): Promise<boolean> =>
  (await sql`select 1 from approvals where id = ${id} and status = 'pending_approval' and expires_at > now()`).count > 0;

/** A key must not ask for something and have it approved by a person whom it let in. */
async function refuseBacked({ sql }: Context, { appId, action, askedId }: ApprovalRow, personId: string): Promise<void> {
  const keys = await keysMadeBy(sql, askedId);
  if (keys.length === 0) return;
  const backers = await readBackers(sql, personId, isOwnAction(action) ? appId : null);
  if (!backers.some((backer) => backer !== null && keys.includes(backer))) return;
  throw new ApiError('forbidden', 'The key that asked for this has invited you, or given you your role; somebody else must approve it');
}

export async function decline(
  ctx: Context,
  approval: ApprovalRow,
  decider: { personId: string; by: Author },
  declineReason: string,
): Promise<ApprovalRow> {
  return ctx.sql.begin(async (tx) => {
    await forget(tx, approval);
    await take(tx, approval, 'declined', decider.personId);
    await tx`update approvals set about = ${await sealed(ctx, approval, { ...approval, declineReason })} where id = ${approval.id}`;
    return finish(ctx, tx, approval.id, decider.by, 'approval.decline');
  });
}

/** The batch that waited for it no longer does. */
const forget = (tx: Tx, { id, target }: Pick<ApprovalRow, 'id' | 'target'>) =>
  tx`update batches set approval_id = null where id = ${parseId('bat', target)} and approval_id = ${id}`;

/**
 * The first decision counts. The right to decide is checked again here, because the wait for locks may have been long; whoever asked may always decline, which
 * withdraws it.
 */
async function take(tx: Tx, approval: ApprovalRow, status: 'approved' | 'declined', personId: string): Promise<void> {
  const isWithdrawal = status === 'declined' && approval.askedPerson === personId;
  if (!isWithdrawal && !(await mayDecide(tx, approval, personId))) throw new ApiError('forbidden', 'You may not decide this');
  const taken = await tx`
    update approvals set status = ${status}, decided_by = ${personId}, decided_at = now()
    where id = ${approval.id} and status = 'pending_approval' and expires_at > now()`;
  if (taken.count === 0)
    throw new ApiError('conflict', 'This request was already decided, has expired, or is void because what it was about has changed');
}

async function finish(
  ctx: Context,
  tx: Tx,
  id: string,
  by: Author,
  recordedAs: 'approval.approve' | 'approval.decline',
): Promise<ApprovalRow> {
  const [row] = await tx<StoredApproval[]>`select ${shown(tx)} from approvals r where r.id = ${id}`;
  const approval = await opened(ctx, row!);
  await announce(tx, approval, 'approval.decided');
  await record(tx, by, entryOf(approval, recordedAs));
  return approval;
}

/** Voids the request to start a batch that can no longer be started. The caller has locked the batch. Last in the transaction. */
export async function voidStart(tx: Tx, batchId: string, by: Author): Promise<void> {
  const gone = await tx<AnnouncedApproval[]>`
    update approvals r set status = 'void', decided_at = now()
    where target = ${showId('bat', batchId)} and action = 'start_batch' and status = 'pending_approval' and expires_at > now() returning *`;
  for (const row of gone) {
    await announce(tx, row, 'approval.decided');
    await record(tx, by, entryOf(row, 'approval.void'));
  }
}

/** Deletes approvals about things that no longer exist, including the reasons given. The audit still says who asked and who decided. `targets`: public ids. */
export async function forgetApprovals(tx: Tx, targets: readonly string[]): Promise<void> {
  if (targets.length > 0) await tx`delete from approvals where target = any(${[...targets]}::text[])`;
}

/** The same for the rows of a batch. */
export async function forgetApprovalsOfRows(tx: Tx, { id, appId }: { id: string; appId: string }): Promise<void> {
  await tx`
    delete from approvals where id in (
      select r.id from approvals r join jobs j on j.id = case when r.target like 'job\\_%' then substr(r.target, 5)::uuid end
      where r.app_id = ${appId} and r.action = 'reveal' and j.batch_id = ${id})`;
}

/** Ends approvals that nobody has decided in time; called by the sweeper. */
export async function expireApprovals(ctx: Context): Promise<void> {
  const over = await ctx.sql<{ id: string; target: string }[]>`
    select id, target from approvals where status = 'pending_approval' and expires_at <= now() order by expires_at limit ${EXPIRED_AT_ONCE}`;
  for (const { id, target } of over) {
    await ctx.sql.begin(async (tx) => {
      await forget(tx, { id, target });
      await expire(tx, tx`id = ${id}`);
    });
  }
}

/** Ends those of `which` whose time has run out. */
async function expire(tx: Tx, which: postgres.PendingQuery<postgres.Row[]>): Promise<void> {
  const over = await tx<AnnouncedApproval[]>`
    update approvals r set status = 'expired' where ${which} and status = 'pending_approval' and expires_at <= now() returning *`;
  for (const row of over) {
    await announce(tx, row, 'approval.decided');
    await record(tx, bySystem('sweeper'), entryOf(row, 'approval.expire'));
  }
}
