/**
 * Deletes whole months. Where nothing is left of a month but batches that are deleted, its partitions are dropped instead of their rows
 * (docs/decisions/0042-deleted-months.md): what a batch stored is given back at once, then four functions of the database drop what it is made of. A batch of which
 * only a part lies in such a month, and every other batch, is left to `purge.ts`.
 */
import { setTimeout as rest } from 'node:timers/promises';
import type { Context, Tx } from '../foundation/context.ts';
import { inSteps } from './pace.ts';
import { type Freed, giveBack, purgeRowsWithCases } from './purge.ts';

/** A batch whose jobs have ids from `starts` until before `ends`. */
interface Batch {
  id: string;
  appId: string;
  live: boolean;
  starts: string;
  ends: string;
}

/** Rows that are looked at in one step, for each that a step of a deletion would delete: reading is that much faster. */
const READ_PER_DELETED = 20;
/** A partition that is in use is tried again so often, after a rest, and then by the next sweep. */
const TRIES = 100;
const REST_MS = 100;

/** Until `stop`, or until no month can be dropped now. */
export async function dropDeletedMonths(ctx: Context, stop: AbortSignal): Promise<void> {
  const batches = await ctx.sql<Batch[]>`
    select d.id, d.app_id, d.live, m.starts, m.ends from batches_of_deleted_months() m join deletions d on d.id = m.batch order by d.id`;
  for (const batch of batches) {
    await clearAround(ctx, batch, stop);
    if (stop.aborted) return;
    await giveAllBack(ctx, batch);
  }
  const [open] = await ctx.sql`select 1 from deletions where given_back_at is not null and finished_at is null limit 1`;
  if (open) await dropPartitions(ctx, stop);
}

/** What other tables have about a batch's jobs, in steps: cases, which go with their rows, and the questions that vendors were asked. */
async function clearAround({ sql }: Context, batch: Batch, stop: AbortSignal): Promise<void> {
  await inSteps(stop, (rows) => sql.begin((tx) => purgeRowsWithCases(tx, batch, rows)));
  // Test keys reach no vendor.
  if (!batch.live) return;
  let reached = 0;
  await inSteps(stop, async (rows) => {
    const [step] = await sql<{ last: number | null }[]>`
      with step as materialized (
        select id, row_number from jobs where batch_id = ${batch.id} and row_number >= ${reached} and id >= ${batch.starts} and id < ${batch.ends}
        order by row_number limit ${rows * READ_PER_DELETED}),
      trail as (delete from provider_lookups where job_id in (select id from step))
      select max(row_number) as last from step`;
    if (step!.last === null || step!.last === reached) return false;
    reached = step!.last;
    return true;
  });
}

/** Takes a batch's rows and results out of what its app stores. From then on they count for nobody, and no other process deletes them one by one. */
async function giveAllBack({ sql }: Context, { id, appId, live, starts, ends }: Batch): Promise<void> {
  await sql.begin(async (tx) => {
    // Waits for steps of `purge.ts` that are under way.
    const [open] = await tx`select 1 from deletions where id = ${id} and finished_at is null and given_back_at is null for update`;
    if (!open) return;
    const [counted] = await tx<
      { jobs: number }[]
    >`select count(*)::int as jobs from jobs where batch_id = ${id} and id >= ${starts} and id < ${ends}`;
    const blocks = await tx<Omit<Freed, 'appId' | 'live' | 'source'>[]>`
      select check_id, (created_at at time zone 'utc')::date::text as day, sum(octet_length(sealed))::float8 as bytes
      from result_blocks where batch_id = ${id} group by 1, 2`;
    const freed = [...blocks, ...(await resultsOutsideBlocks(tx, id, starts, ends))];
    await tx`update deletions set given_back_at = now(), jobs = jobs + ${counted!.jobs} where id = ${id}`;
    await giveBack(
      tx,
      freed.map((one) => ({ ...one, appId, live, source: 'batch' })),
    );
  });
}

/** Most months have none, which is told by a look at the index. */
async function resultsOutsideBlocks(tx: Tx, id: string, starts: string, ends: string): Promise<Omit<Freed, 'appId' | 'live' | 'source'>[]> {
  const [any] = await tx`select 1 from results where job_id >= ${starts} and job_id < ${ends} limit 1`;
  if (!any) return [];
  return tx`
    select j.check_id, (j.completed_at at time zone 'utc')::date::text as day,
      sum(octet_length(r.entity) + coalesce(octet_length(r.entity_images), 0))::float8 as bytes
    from results r join jobs j on j.id = r.job_id
    where j.batch_id = ${id} and j.id >= ${starts} and j.id < ${ends} and r.job_id >= ${starts} and r.job_id < ${ends} and j.completed_at is not null
    group by 1, 2`;
}

/** One after the other, each in a transaction of its own. */
async function dropPartitions({ sql, log }: Context, stop: AbortSignal): Promise<void> {
  for (let tries = 0; tries < TRIES && !stop.aborted; ) {
    const [dropped] = await sql<{ name: string | null }[]>`select drop_deleted_partition() as name`;
    if (dropped!.name === null) return;
    if (dropped!.name !== '') log.info({ partition: dropped!.name }, 'partition of a deleted month dropped');
    else tries++;
    await rest(REST_MS);
  }
}
