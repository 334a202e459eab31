/**
 * What customers and the sweeper do to a batch: start, pause, resume, cancel, retry. Each is one short transaction that changes the state and opens
 * or closes the lanes. From its commit on nothing new is leased; leased jobs finish. Their money is in `funding.ts`.
 *
 *     awaiting_start ─start─▶ queued ─▶ running ─▶ completed ─retry─▶ queued
 *                               │ ▲        │ ▲
 *                             pause resume │ └── money ── paused_funds
 *                               ▼ │        └── no money ──────▲
 *                             paused
 *     any of these ─cancel, too many failures, deadline─▶ canceling ─▶ canceled, failed, expired
 */

import { type Author, bySystem, record } from '../access/audit/append.ts';
import { voidStart } from '../approvals/approvals.ts';
import { checks } from '../checks/catalog.ts';
import { imageInputs } from '../checks/inputs.ts';
import { openRow } from '../contract/about.ts';
import type { ApprovalRow } from '../contract/approvals.ts';
import { type BatchRow, ENDED, type UnopenedBatch } from '../contract/batches.ts';
import type { EventType } from '../contract/webhooks.ts';
import { bound, type Context, type Tx } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import type { Fence } from '../foundation/leadership.ts';
import type { BatchReason } from '../schema/batches.ts';
import { emitEvents } from '../webhooks/events.ts';
import { askForBatch } from './approval.ts';
import { batchEvent, readBatch, WORK_CHANNEL } from './batch.ts';
import { cancelQueued, endBatches } from './ending.ts';
import { extendOrRefuse, findPayable, holdMissing, holdMissingOrRefuse, holdToStart } from './funding.ts';
import { listed, OPEN } from './states.ts';

/** Locks the batch, counts all its leases (`counters.ts`) and runs `act`. Opens nothing that is encrypted: the key may be away. */
async function change(ctx: Context, appId: string, id: string, act: (tx: Tx, batch: UnopenedBatch) => Promise<void>): Promise<void> {
  await ctx.sql.begin(async (tx) => {
    const [batch] = await tx<UnopenedBatch[]>`update batches set queued = queued where id = ${id} and app_id = ${appId} returning *`;
    if (batch) await act(tx, batch);
  });
}

/**
 * Like `change`, for a client, to whom the batch is then shown. Null if it does not exist or belongs to another app. If it cannot be shown, nothing
 * changes.
 */
async function changeForClient(
  ctx: Context,
  appId: string,
  id: string,
  act: (tx: Tx, batch: UnopenedBatch) => Promise<void>,
): Promise<BatchRow | null> {
  if ((await readBatch(ctx, ctx.sql, appId, id)) === null) return null;
  await change(ctx, appId, id, act);
  return readBatch(ctx, ctx.sql, appId, id);
}

const cannotBe = (batch: Pick<BatchRow, 'status'>, verb: string): ApiError =>
  new ApiError('conflict', `A batch that is ${batch.status} cannot be ${verb}`);

async function openLanes(tx: Tx, id: string): Promise<void> {
  await tx`update lanes set open = true where batch_id = ${id}`;
  await tx`select pg_notify(${WORK_CHANNEL}, '')`;
}

const closeLanes = (tx: Tx, id: string) => tx`update lanes set open = false where batch_id = ${id}`;

const tell = (tx: Tx, batch: UnopenedBatch, type: EventType) => emitEvents(tx, [batchEvent(batch, type, batch.callbackUrl)]);

/** Last in the transaction. */
const recordVerb = (tx: Tx, by: Author, { id, appId, live }: Pick<BatchRow, 'id' | 'appId' | 'live'>, verb: string): Promise<void> =>
  record(tx, by, { appId, live, action: 'batch.control', object: showId('bat', id), detail: { verb } });

/** The hold may have been released after CONFAM_MANUAL_HOLD_SECONDS. Then the quote is held again, or the answer is 402. */
export async function startBatch(ctx: Context, appId: string, id: string, by: Author): Promise<BatchRow | null> {
  return changeForClient(ctx, appId, id, async (tx, batch) => {
    if (batch.status !== 'awaiting_start') throw cannotBe(batch, 'started');
    await start(tx, batch, by);
  });
}

async function start(tx: Tx, batch: UnopenedBatch, by: Author): Promise<void> {
  const { id } = batch;
  const moreKobo = await holdToStart(tx, batch);
  await tx`update batches set status = 'queued', hold_kobo = hold_kobo + ${moreKobo} where id = ${id}`;
  await openLanes(tx, id);
  if (batch.jobs === 0) await endBatches(tx, [id]);
  await voidStart(tx, id, by);
  await recordVerb(tx, by, batch, 'start');
}

/** Starts a batch whose start was approved, in the transaction of the approval. False if it no longer waits to be started. */
export async function startApproved(tx: Tx, { appId, target }: Pick<ApprovalRow, 'appId' | 'target'>, by: Author): Promise<boolean> {
  const [batch] = await tx<UnopenedBatch[]>`select * from batches where id = ${parseId('bat', target)} and app_id = ${appId} for update`;
  if (batch?.status !== 'awaiting_start') return false;
  await start(tx, batch, by);
  return true;
}

/** Asks for approval to start a batch that waits to be started. `asked` runs last in the transaction. Null if the batch does not exist or belongs to another app. */
export async function askToStart(
  ctx: Context,
  appId: string,
  id: string,
  by: Author,
  asked: (tx: Tx, approval: ApprovalRow) => Promise<void>,
): Promise<ApprovalRow | null> {
  return ctx.sql.begin(async (tx) => {
    const [batch] = await tx<UnopenedBatch[]>`select * from batches where id = ${id} and app_id = ${appId} for update`;
    if (!batch) return null;
    if (batch.status !== 'awaiting_start') throw cannotBe(batch, 'started');
    const approval = await askForBatch(ctx, tx, batch, by);
    await asked(tx, approval);
    return approval;
  });
}

export async function pauseBatch(ctx: Context, appId: string, id: string, by: Author): Promise<BatchRow | null> {
  return changeForClient(ctx, appId, id, async (tx, batch) => {
    if (!['queued', 'running', 'paused_funds'].includes(batch.status)) throw cannotBe(batch, 'paused');
    await pause(tx, batch, 'paused', 'requested');
    await recordVerb(tx, by, batch, 'pause');
  });
}

/** The caller has locked the batch. */
async function pause(tx: Tx, { id }: UnopenedBatch, status: 'paused' | 'paused_funds', reason: BatchReason): Promise<void> {
  const [paused] = await tx<UnopenedBatch[]>`
    update batches set status = ${status}, reason = ${reason}, paused_at = now() where id = ${id} returning *`;
  await closeLanes(tx, id);
  await tell(tx, paused!, 'batch.paused');
}

/** A batch paused for funds resumes by itself once there is money. An earlier request to resume is refused and says what is missing. */
export async function resumeBatch(ctx: Context, appId: string, id: string, by: Author): Promise<BatchRow | null> {
  return changeForClient(ctx, appId, id, async (tx, batch) => {
    if (batch.status === 'paused_funds') await holdMissingOrRefuse(tx, batch);
    else if (batch.status === 'paused') await extendOrRefuse(tx, batch, 0, { batchKobo: batch.quoteKobo });
    else throw cannotBe(batch, 'resumed');
    await resume(tx, batch);
    await recordVerb(tx, by, batch, 'resume');
  });
}

async function resume(tx: Tx, { id }: UnopenedBatch): Promise<void> {
  const [resumed] = await tx<UnopenedBatch[]>`
    update batches set status = case when started_at is null then 'queued' else 'running' end::batch_status, reason = null where id = ${id} returning *`;
  await openLanes(tx, id);
  await tell(tx, resumed!, 'batch.resumed');
}

/** Resumes batches whose wallet again covers at least one of their jobs; called by the sweeper. Returns how many. */
export async function resumeFunded(ctx: Context): Promise<number> {
  let resumed = 0;
  for (const { id, appId } of await findPayable(ctx)) {
    await change(ctx, appId, id, async (tx, batch) => {
      if (batch.status !== 'paused_funds' || (await holdMissing(tx, batch)) !== true) return;
      await resume(tx, batch);
      resumed++;
    });
  }
  return resumed;
}

/** Pauses a batch that can no longer pay for any of its jobs; called by the dispatcher when none is leased. */
export async function pauseForFunds(ctx: Context, appId: string, id: string, fence: Fence): Promise<void> {
  await change(ctx, appId, id, async (tx, batch) => {
    if (['queued', 'running'].includes(batch.status) && batch.queued > 0 && batch.leased === 0)
      await pause(tx, batch, 'paused_funds', 'insufficient_funds');
    await fence(tx);
  });
}

/** Rows canceled in one transaction, and how long a request keeps canceling. The sweeper does the rest. */
const CANCEL_SLICE = 20_000;
const CANCEL_MS = 2_000;

/** Stops leasing at once and cancels queued jobs; leased jobs finish. A canceled batch is returned unchanged. */
export async function cancelBatch(ctx: Context, appId: string, id: string, by: Author): Promise<BatchRow | null> {
  const started = performance.now();
  const batch = await changeForClient(ctx, appId, id, async (tx, found) => {
    if (OPEN.includes(found.status)) await stop(tx, id, 'requested', by);
    else if (!['canceling', 'canceled'].includes(found.status)) throw cannotBe(found, 'canceled');
    await recordVerb(tx, by, found, 'cancel');
  });
  if (batch?.status !== 'canceling') return batch;
  for (let row: number | null = 0; row !== null && performance.now() - started < CANCEL_MS; )
    row = await cancelQueued(ctx, id, row, CANCEL_SLICE);
  return readBatch(ctx, ctx.sql, appId, id);
}

/** Stops leasing; `reason` decides how the batch will end. */
async function stop(tx: Tx, id: string, reason: BatchReason, by: Author): Promise<void> {
  await tx`update batches set status = 'canceling', reason = ${reason} where id = ${id}`;
  await closeLanes(tx, id);
  await voidStart(tx, id, by);
}

/** Stops batches whose deadline has passed; called by the sweeper. */
export async function stopOverdue(ctx: Context): Promise<void> {
  const overdue = await ctx.sql<{ id: string; appId: string }[]>`
    select id, app_id from batches where expires_at < now() and status in ${ctx.sql.unsafe(listed(OPEN))} order by id limit 1000`;
  for (const { id, appId } of overdue) {
    await change(ctx, appId, id, async (tx, batch) => {
      if (OPEN.includes(batch.status)) await stop(tx, id, 'deadline', bySystem('sweeper'));
    });
  }
}

/** Checks whose jobs cannot run again once their images are gone. */
const withImages = checks.filter((check) => imageInputs(check).length > 0).map(({ id }) => id);

/** Requeues failed jobs, not canceled ones, and holds their price again. None of them was charged, and each is charged at most once. */
export async function retryBatch(ctx: Context, appId: string, id: string, by: Author): Promise<BatchRow | null> {
  const found = await readBatch(ctx, ctx.sql, appId, id);
  if (!found) return null;
  if (!ENDED.includes(found.status)) throw cannotBe(found, 'retried');
  if (found.failed === 0) throw new ApiError('conflict', 'No job of this batch has failed');
  return ctx.sql.begin(async (tx) => {
    await bound(tx, 'large');
    const [again] = await tx<{ jobs: number; kobo: number }[]>`
      with failed as (
        select id from jobs where batch_id = ${id} and status = 'failed' and (images is not null or check_id <> all(${withImages})) order by id for update),
      queued as (
        update jobs j set status = 'queued', failures = 0, error_code = null, completed_at = null, images_until = null from failed f where j.id = f.id
        returning j.id, j.app_id, j.batch_id, j.family, j.check_id, j.price_kobo),
      waiting as (
        insert into waiting_jobs (job_id, app_id, batch_id, family, check_id) select id, app_id, batch_id, family, check_id from queued)
      select count(*)::int as jobs, coalesce(sum(price_kobo), 0)::bigint as kobo from queued`;
    const { jobs, kobo } = again!;
    const [batch] = await tx<UnopenedBatch[]>`
      update batches set status = 'queued', reason = null, failed = failed - ${jobs}, queued = queued + ${jobs}, hold_kobo = billed_kobo + ${kobo}::bigint,
        completed_at = null, expires_at = null
      where id = ${id} and status in ${tx.unsafe(listed(ENDED))} returning *`;
    if (batch && jobs === 0) throw new ApiError('conflict', 'The failed rows of this batch no longer have pictures: upload them again');
    // Another retry got there first.
    if (!batch) throw new ApiError('conflict', 'The batch is already being retried');
    await extendOrRefuse(tx, batch, kobo, { restKobo: kobo, batchKobo: batch.holdKobo });
    await openLanes(tx, id);
    await recordVerb(tx, by, batch, 'retry');
    return openRow<BatchRow>(await ctx.cipher.opener([batch.about]), 'bat', batch);
  });
}
