/** A job as stored, with its own result or its original's. `batches/submitted.ts` reads it and opens what its client said about it. */

import { getTableColumns } from 'drizzle-orm';
import type { JobRow } from '../contract/jobs.ts';
import type { Sql, Tx } from '../foundation/context.ts';
import { firstIdAt, timeOfId } from '../foundation/ids.ts';
import { narrowed } from '../foundation/lists.ts';
import { DAY_MS } from '../foundation/time.ts';
import { jobs } from '../schema/jobs.ts';
import type { StoredEntity } from './entities.ts';

/** A job with its sealed entity (`attachBlocks` reads those in blocks), the time of its next attempt, and for a row the submitter of its batch. A duplicate shows its original's outcome and entity. */
export type StoredJob = JobRow & StoredEntity & { runAfter: string | null };

/** Joins the job whose result a duplicate shows. `j` is the duplicate. */
export const twinJoin =
  "left join jobs t on j.status = 'duplicate' and t.batch_id = j.batch_id and t.row_number = j.twin_row and t.check_id = j.check_id";

/** SQL condition: the job is over, as `isJobOver` says. Not for duplicates, which are over when their original is. */
export const JOB_IS_OVER = "status not in ('queued', 'leased')";

/** All columns of jobs `j` except their images, which are megabytes and never shown. */
export const jobColumns = Object.values(getTableColumns(jobs))
  .flatMap(({ name }) => (name === jobs.images.name ? [] : [`j.${name}`]))
  .join(', ');

/** Longer than an upload may take, so that ids of a batch and its jobs are nearer than this even if a clock is set in between. */
const IDS_APART_MS = 2 * DAY_MS;

/**
 * The range of ids that a batch's jobs lie in. With these bounds Postgres opens only the partitions of their month. Pass them as parameters only where the
 * id has the only index: without the values, Postgres cannot estimate how wide the range is, and may read all of it.
 */
export interface JobIds {
  from: string;
  before: string;
}

export const jobIdsOf = (batchId: string): JobIds => ({
  from: firstIdAt(timeOfId(batchId) - IDS_APART_MS),
  before: firstIdAt(timeOfId(batchId) + IDS_APART_MS),
});

/** Selects jobs `j`, of one batch if it is given; append `where`, then open them (`openJobs`). What a duplicate takes from its original `t` comes later in the row and replaces its own. */
export function selectJobs(sql: Sql | Tx, batch: { id: string; duplicate: number } | null = null) {
  const ids = batch && jobIdsOf(batch.id);
  return sql`
  select ${sql.unsafe(jobColumns)}, coalesce(t.outcome, j.outcome) as outcome, coalesce(t.flagged, j.flagged) as flagged, coalesce(t.error_code, j.error_code) as error_code, coalesce(t.cached, j.cached) as cached,
    case when t.id is null then j.completed_at else t.completed_at end as completed_at, coalesce(t.id, j.id) as entity_of, coalesce(t.result_block, j.result_block) as result_block,
    coalesce(t.result_slot, j.result_slot) as result_slot, coalesce(j.key_id, b.key_id) as key_id, coalesce(j.person_id, b.person_id) as person_id,
    r.entity, r.entity_images, w.run_after
  from jobs j
    ${batch?.duplicate === 0 ? sql`left join jobs t on false` : sql.unsafe(twinJoin)}
    left join batches b on b.id = j.batch_id
    left join results r on r.job_id = coalesce(t.id, j.id) ${narrowed(sql, [ids !== null && sql`r.job_id >= ${ids.from} and r.job_id < ${ids.before}`])}
    left join waiting_jobs w on w.job_id = j.id`;
}
