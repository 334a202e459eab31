/** A job as it is stored, and the one way to read it: with its result, or its twin's. */

import { getTableColumns } from 'drizzle-orm';
import type { JobRow } from '../contract/jobs.ts';
import type { Sql, Tx } from '../foundation/context.ts';
import { jobs } from '../schema/jobs.ts';
import type { StoredEntity } from './entities.ts';

/** A job with its sealed entity and when it is tried again. A duplicate has what came of its twin, to which the entity belongs. */
export type StoredJob = JobRow & StoredEntity & { runAfter: string | null };

/** The job that a duplicate shows the result of. `j` is the duplicate. */
export const twinJoin =
  "left join jobs t on j.status = 'duplicate' and t.batch_id = j.batch_id and t.row_number = j.twin_row and t.check_id = j.check_id";

/** Of jobs `j`: all but their images, which are megabytes, and which nobody shows. */
export const jobColumns = Object.values(getTableColumns(jobs))
  .flatMap(({ name }) => (name === jobs.images.name ? [] : [`j.${name}`]))
  .join(', ');

/** Jobs `j`, to be followed by `where`; what a duplicate takes from its twin `t` comes later in the row and replaces its own. */
export const selectJobs = (sql: Sql | Tx) => sql`
  select ${sql.unsafe(jobColumns)}, coalesce(t.outcome, j.outcome) as outcome, coalesce(t.error_code, j.error_code) as error_code, coalesce(t.cached, j.cached) as cached,
    case when t.id is null then j.completed_at else t.completed_at end as completed_at, coalesce(t.id, j.id) as entity_of, r.entity, r.entity_images, w.run_after
  from jobs j
    ${sql.unsafe(twinJoin)}
    left join results r on r.job_id = coalesce(t.id, j.id)
    left join waiting_jobs w on w.job_id = j.id`;

/** Null: unknown, or another app's. */
export async function readJob(sql: Sql | Tx, appId: string, id: string): Promise<StoredJob | null> {
  const [row] = await sql<StoredJob[]>`${selectJobs(sql)} where j.id = ${id} and j.app_id = ${appId}`;
  return row ?? null;
}
