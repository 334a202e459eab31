/** Why the checks of a batch failed. */
import type { BatchRow } from '../contract/batches.ts';
import type { Context } from '../foundation/context.ts';
import { jobIdsOf } from '../jobs/job.ts';

export interface FailedJobs {
  checkId: string;
  /** As a job stores it (`storedError`). */
  error: string;
  jobs: number;
  firstRow: number;
}

/** How many jobs have failed, by check and error, the most frequent first. Duplicates are not counted. If any failed, this reads all jobs of the batch. */
export async function readFailures({ sql }: Pick<Context, 'sql'>, { id, failed }: Pick<BatchRow, 'id' | 'failed'>): Promise<FailedJobs[]> {
  if (failed === 0) return [];
  const { from, before } = jobIdsOf(id);
  return sql<FailedJobs[]>`
    select check_id, error_code as error, count(*)::int as jobs, min(row_number) as first_row from jobs
    where batch_id = ${id} and id >= ${from} and id < ${before} and status = 'failed' and error_code is not null
    group by check_id, error_code order by jobs desc, first_row, check_id`;
}
