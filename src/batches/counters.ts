/** Statements that keep a batch's counters when the dispatcher and the sweeper move its jobs. `ending.ts` counts outcomes. */
import type { Tx } from '../foundation/context.ts';

/** Counts `jobs` of the batch as leased and marks it running. False: it was paused or stopped in the meantime, and nothing may be leased. */
export async function countLeased(tx: Tx, batchId: string, jobs: number, kobo: number): Promise<boolean> {
  const counted = await tx`
    update batches set queued = queued - ${jobs}, leased = leased + ${jobs}, leased_kobo = leased_kobo + ${kobo},
      status = 'running', started_at = coalesce(started_at, now())
    where id = ${batchId} and status in ('queued', 'running')`;
  return counted.count > 0;
}

/** Counts `jobs` of a lost lease as queued again. */
export async function countReturned(tx: Tx, batchId: string, jobs: number, kobo: number): Promise<void> {
  await tx`update batches set leased = leased - ${jobs}, queued = queued + ${jobs}, leased_kobo = leased_kobo - ${kobo} where id = ${batchId}`;
}

/** Records that the holds of these unstarted batches were released: starting one makes a new hold for its quote. */
export async function forgetReleasedHolds(tx: Tx, ids: string[]): Promise<void> {
  await tx`update batches set hold_kobo = 0 where id = any(${ids}::uuid[]) and status = 'awaiting_start'`;
}
