/** How a batch ends: counts settled and canceled jobs, and the last of them ends the batch in the same transaction. */

import type { UnopenedBatch } from '../contract/batches.ts';
import type { EventType } from '../contract/webhooks.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { capture, releaseHolds } from '../money/ledger.ts';
import { emitEvents } from '../webhooks/events.ts';
import { batchEvent } from './batch.ts';
import { type BatchDelta, capturesOf, countOutcomes, deltasOf, type SettledJob } from './outcomes.ts';
import { listed, STARTED, STOPPED } from './states.ts';

/** Updates the counters and holds of the batches, stops those that fail too often, and ends those with nothing left. */
export async function countInBatches(tx: Tx, settled: readonly SettledJob[]): Promise<void> {
  const deltas = deltasOf(settled);
  if (deltas.size === 0) return;
  // Batches are locked before holds, as in `countOnTheWay`. Without `execute` this statement would be sent only when it is awaited, after those of `capture`.
  const counting = countOutcomes(tx, deltas).execute();
  const [counted] = await Promise.all([counting, capture(tx, capturesOf(deltas))]);
  await stopFailing(tx, counted.filter(failsTooOften));
  const isOver = (batch: UnopenedBatch) => batch.leased === 0 && batch.queued === 0;
  await endBatches(
    tx,
    counted.filter(isOver).map((batch) => batch.id),
  );
  const open = counted.filter((batch) => !isOver(batch));
  await emitEvents(
    tx,
    open.filter((batch) => hasPassedTenth(batch, deltas.get(batch.id)!)).map((batch) => batchEvent(batch, 'batch.progress', null)),
  );
}

const failsTooOften = ({ status, failed, jobs, maxFailurePercent }: UnopenedBatch): boolean =>
  status !== 'canceling' && maxFailurePercent !== null && failed * 100 > maxFailurePercent * jobs;

/** Leased jobs finish; the sweeper cancels the rest, and the batch ends as failed, even if nothing was left to cancel. */
async function stopFailing(tx: Tx, failing: UnopenedBatch[]): Promise<void> {
  if (failing.length === 0) return;
  const ids = failing.map((batch) => batch.id);
  await tx`update batches set status = 'canceling', reason = 'max_failure_percent' where id = any(${ids}::uuid[])`;
  await tx`update lanes set open = false where batch_id = any(${ids}::uuid[])`;
}

function hasPassedTenth({ jobs, completed, failed }: UnopenedBatch, delta: BatchDelta): boolean {
  const done = completed + failed;
  const before = done - delta.found - delta.notFound - delta.failed;
  return Math.floor((done * 10) / jobs) > Math.floor((before * 10) / jobs);
}

/**
 * Cancels at most `limit` queued jobs of a batch beyond row `afterRow`, and ends the batch if nothing is left. Returns the row to continue after,
 * or null if it canceled fewer than `limit`: the rest is leased. The sweeper cancels what comes back later. Leaves alone a batch that has ended and is being retried.
 */
export async function cancelQueued(ctx: Context, batchId: string, afterRow: number, limit: number): Promise<number | null> {
  return ctx.sql.begin(async (tx) => {
    const canceled = await tx<{ row: number }[]>`
      with picked as (
        select id from jobs
        where batch_id = ${batchId} and row_number > ${afterRow} and status = 'queued'
          and exists (select 1 from batches where id = ${batchId} and status = 'canceling')
        order by row_number limit ${limit} for update),
      forgotten as (delete from waiting_jobs where job_id in (select id from picked))
      update jobs j set status = 'canceled', completed_at = now(), images = null from picked p where j.id = p.id returning j.row_number as row`;
    const [batch] = await tx<{ queued: number; leased: number }[]>`
      update batches set queued = queued - ${canceled.count}, canceled = canceled + ${canceled.count} where id = ${batchId} returning queued, leased`;
    if (batch?.queued === 0 && batch.leased === 0) await endBatches(tx, [batchId]);
    // The checks of one row may lie on both sides of the limit, so the last row is looked at again.
    return canceled.count < limit ? null : canceled.reduce((last, { row }) => Math.max(last, row), 0) - 1;
  });
}

/**
 * Ends batches with nothing queued and nothing leased: final status, release of the hold, event. A batch being stopped ends as its reason says. A retried batch
 * that was stopped before, and so has jobs that never ran, ends as it did then. Any other completes, even a paused one. The caller holds their row locks.
 */
export async function endBatches(tx: Tx, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const ended = await tx<UnopenedBatch[]>`
    with ending as (
      select id, status, reason, canceled from batches
      where id = any(${ids}::uuid[]) and status in ${tx.unsafe(listed([...STARTED, 'canceling']))} and queued = 0 and leased = 0),
    input as (
      select id, case when reason = 'max_failure_percent' then 'failed' when reason = 'deadline' then 'expired' else 'canceled' end::batch_status as final,
        reason as because
      from ending where status = 'canceling'
      union all
      select e.id, coalesce(stopped.status, 'completed'), stopped.reason
      from ending e left join lateral (
        select h.status, h.reason from batch_history h
        where h.batch_id = e.id and e.canceled > 0 and h.status in ${tx.unsafe(listed(STOPPED))} order by h.id desc limit 1) stopped on true
      where e.status <> 'canceling')
    update batches b set status = final, reason = because,
      completed_at = case when final = 'completed' then now() else completed_at end,
      canceled_at = case when final = 'canceled' then now() else canceled_at end,
      failed_at = case when final = 'failed' then now() else failed_at end,
      expired_at = case when final = 'expired' then now() else expired_at end
    from input where b.id = input.id
    returning b.*`;
  await tx`update lanes set open = false where batch_id = any(${ended.map((batch) => batch.id)}::uuid[])`;
  await releaseHolds(
    tx,
    ended.map((batch) => batch.id),
  );
  await emitEvents(
    tx,
    ended.map((batch) => batchEvent(batch, `batch.${batch.status}` as EventType, batch.callbackUrl)),
  );
}
