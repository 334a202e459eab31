/** Erases single jobs and records of calls; `erase.ts` decides which. Those that a worker has, or that another transaction has locked, are waited for. */

import { forgetAnswers } from '../access/idempotency.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { showId } from '../foundation/ids.ts';
import { JOB_IS_OVER } from '../jobs/job.ts';
import { count, type ErasureGroup, type ErasureRow } from './erasure-group.ts';
import { isHeldJob } from './holds.ts';
import { forgetSingleJobs } from './purge.ts';

/** A job, and the erasures that cover it: all of them were asked for after it was made. */
export interface AskedJob {
  id: string;
  by: readonly ErasureRow[];
}

type Kind = 'jobs' | 'calls';

export function waitFor({ id, by }: AskedJob): void {
  for (const erasure of by) erasure.waitingJobs = [...erasure.waitingJobs, id];
}

/** Does not wait for locks, which could cause a deadlock: the step may hold rows that the lock's owner needs. */
export async function eraseJobs(
  { cipher }: Pick<Context, 'cipher'>,
  tx: Tx,
  { erasures }: Pick<ErasureGroup, 'erasures'>,
  asked: readonly AskedJob[],
  kind: Kind,
): Promise<void> {
  const covered = asked.filter(({ by }) => by.length > 0);
  if (covered.length === 0) return;
  const ids = await forgetSingleJobs(
    tx,
    covered.map(({ id }) => id),
  );
  const gone = new Set(ids);
  for (const job of covered) {
    if (gone.has(job.id)) count(job.by[0]!, kind, 1);
    else waitFor(job);
  }
  if (kind === 'jobs')
    await forgetAnswers(
      tx,
      cipher,
      erasures[0]!,
      ids.map((id) => `/api/v1/jobs/${showId('job', id)}`),
    );
}

/** Erases the waiting jobs that have ended by now. */
export async function eraseEndedJobs(ctx: Context, tx: Tx, erasure: ErasureRow, held: ErasureGroup['held']): Promise<void> {
  // If the job was deleted meanwhile, its row is still there, but empty.
  const left = await tx<{ id: string; kind: Kind; isOver: boolean }[]>`
    select id, case when input is null then 'calls' else 'jobs' end as kind, ${tx.unsafe(JOB_IS_OVER)} as is_over
    from jobs where id = any(${erasure.waitingJobs}::uuid[]) and (input is not null or subject is not null)`;
  erasure.waitingJobs = left.flatMap(({ id, isOver }) => (isOver ? [] : [id]));
  for (const kind of ['jobs', 'calls'] as const) {
    const free: AskedJob[] = [];
    for (const { id } of left.filter((job) => job.isOver && job.kind === kind)) {
      if (held !== null && (await isHeldJob(ctx, tx, held, id))) count(erasure, kind, 1, 'kept');
      else free.push({ id, by: [erasure] });
    }
    await eraseJobs(ctx, tx, { erasures: [erasure] }, free, kind);
  }
}
