/** Statements that keep a batch's counters when the dispatcher and the sweeper move its jobs. `ending.ts` counts outcomes. */
import type { Sql, Tx } from '../foundation/context.ts';

/** What a lease takes from a lane. */
interface Lease {
  batchId: string;
  checkId: string;
  appId: string;
  /** The batch was running when the lane was read. */
  isRunning: boolean;
  jobs: number;
  kobo: number;
}

/**
 * Counts jobs of the batch as leased, and marks it running. False: it was paused or stopped in the meantime, and nothing may be leased. Once the batch runs, only
 * its lane is locked: settlements and leases do not wait for each other.
 */
export async function countLeased(tx: Tx, { batchId, checkId, appId, isRunning, jobs, kobo }: Lease): Promise<boolean> {
  const counted = isRunning
    ? await tx`
      with lane as (select 1 from lanes where batch_id = ${batchId} and check_id = ${checkId} and open for no key update)
      insert into lease_counts (batch_id, app_id, jobs, kobo) select ${batchId}, ${appId}, ${jobs}, ${kobo} from lane`
    : await tx`
      update batches set queued = queued - ${jobs}, leased = leased + ${jobs}, leased_kobo = leased_kobo + ${kobo},
        status = 'running', started_at = coalesce(started_at, now())
      where id = ${batchId} and status in ('queued', 'running')`;
  return counted.count > 0;
}

/** After this time the dispatcher folds a lease that no settlement has folded. */
const FOLD_MS = 100;

/** Folds leases whose jobs take long to settle, through the trigger on `batches`. Skips batches that are being updated, since those updates fold their leases. */
export async function foldLeases(sql: Sql): Promise<void> {
  await sql`
    update batches set queued = queued where id in (
      select id from batches where id in (select batch_id from lease_counts where at < now() - ${FOLD_MS} * interval '1 millisecond')
      order by id for update skip locked)`;
}

/** Counts `jobs` of a lost lease as queued again. */
export async function countReturned(tx: Tx, batchId: string, jobs: number, kobo: number): Promise<void> {
  await tx`update batches set leased = leased - ${jobs}, queued = queued + ${jobs}, leased_kobo = leased_kobo - ${kobo} where id = ${batchId}`;
}

/** Records that the holds of these unstarted batches were released: starting one makes a new hold for its quote. */
export async function forgetReleasedHolds(tx: Tx, ids: string[]): Promise<void> {
  await tx`update batches set hold_kobo = 0 where id = any(${ids}::uuid[]) and status = 'awaiting_start'`;
}
