/** Cancels the single jobs of an app that is deleted. */
import type { Tx } from '../foundation/context.ts';
import { releaseHolds } from '../money/ledger.ts';

/** In one transaction. */
export const CANCELED_AT_ONCE = 1_000;

/** Cancels the jobs that no worker has. Returns how many. */
export async function cancelJobs(tx: Tx, appId: string): Promise<number> {
  const canceled = await tx<{ id: string }[]>`
    with picked as (
      select j.id from waiting_jobs w join jobs j on j.id = w.job_id
      where w.app_id = ${appId} and w.batch_id is null and j.status = 'queued' order by j.id limit ${CANCELED_AT_ONCE} for update of j),
    forgotten as (delete from waiting_jobs where job_id in (select id from picked))
    update jobs j set status = 'canceled', completed_at = now(), images = null from picked p where j.id = p.id returning j.id`;
  await releaseHolds(
    tx,
    canceled.map(({ id }) => id),
  );
  return canceled.length;
}
