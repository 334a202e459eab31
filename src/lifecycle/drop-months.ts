/**
 * Deletes whole months. Where nothing is left of a month but batches that are deleted, its partitions are dropped instead of their rows
 * (docs/decisions/0042-deleted-months.md): what a batch stored is given back at once, then a function of the database drops what it is made of. A batch of which
 * only a part lies in such a month, and every other batch, is left to `purge.ts`.
 */
import { setTimeout as rest } from 'node:timers/promises';
import type { Context, Tx } from '../foundation/context.ts';
import { inSteps } from './pace.ts';
import { type Freed, giveBack, purgeRowsWithCases } from './purge.ts';

/** A batch of `rows` rows whose jobs have ids from `starts` until before `ends`. */
interface Batch {
  id: string;
  appId: string;
  live: boolean;
  rows: number;
  starts: string;
  ends: string;
}

/** Counting is about this many times as fast as deleting, so a step counts this many times as many rows as it would delete. */
const READ_PER_DELETED = 20;
/** How often a partition that is in use is tried again, after a rest each time. Then it is left to the next sweep. */
const TRIES = 100;
const REST_MS = 100;

/** Until `stop`, or until no month can be dropped now. */
export async function dropDeletedMonths(ctx: Context, stop: AbortSignal): Promise<void> {
  const batches = await ctx.sql<Batch[]>`
    select d.id, d.app_id, d.live, b.rows, m.starts, m.ends
    from batches_of_deleted_months() m join deletions d on d.id = m.batch join batches b on b.id = m.batch order by d.id`;
  for (const batch of batches) {
    const counted = await clearAround(ctx, batch, stop);
    if (stop.aborted) return;
    await giveAllBack(ctx, batch, counted);
  }
  const [open] = await ctx.sql`select 1 from deletions where given_back_at is not null and finished_at is null limit 1`;
  if (open) await dropPartitions(ctx, stop);
}

/** How many jobs were deleted earlier, and how many are left. */
interface Counted {
  before: number;
  left: number;
}

/** Deletes in steps what other tables have about a batch's jobs: cases, which go with their rows, and the questions that vendors were asked. Counts its jobs. */
async function clearAround({ sql }: Context, { id, appId, live, rows }: Batch, stop: AbortSignal): Promise<Counted> {
  await inSteps(stop, (limit) => sql.begin((tx) => purgeRowsWithCases(tx, { id, appId, live }, limit)));
  const [deletion] = await sql<{ jobs: number }[]>`select jobs from deletions where id = ${id}`;
  let left = 0;
  let reached = 0;
  await inSteps(stop, async (limit) => {
    const to = reached + limit * READ_PER_DELETED;
    // Has no bounds on the id: with them, Postgres might scan the whole month by id.
    const some = sql`select id from jobs where batch_id = ${id} and row_number > ${reached} and row_number <= ${to}`;
    // Test keys reach no vendor.
    const [step] = live
      ? await sql<{ count: number }[]>`
          with step as materialized (${some}), trail as (delete from provider_lookups where job_id in (select id from step))
          select count(*)::int as count from step`
      : await sql<{ count: number }[]>`select count(*)::int as count from (${some}) step`;
    left += step!.count;
    reached = to;
    return reached < rows;
  });
  return { before: deletion!.jobs, left };
}

/** Takes a batch's rows and results out of what its app stores. From then on they count for nobody, and no other process deletes them one by one. */
async function giveAllBack({ sql }: Context, { id, appId, live, starts, ends }: Batch, { before, left }: Counted): Promise<void> {
  await sql.begin(async (tx) => {
    // Waits for steps of `purge.ts` that are under way. If one has deleted jobs since they were counted, the next sweep counts again.
    const [open] = await tx`
      select 1 from deletions where id = ${id} and finished_at is null and given_back_at is null and jobs = ${before} for update`;
    if (!open) return;
    const blocks = await tx<Omit<Freed, 'appId' | 'live' | 'source'>[]>`
      select check_id, (created_at at time zone 'utc')::date::text as day, sum(octet_length(sealed))::float8 as bytes
      from result_blocks where batch_id = ${id} group by 1, 2`;
    const freed = [...blocks, ...(await resultsOutsideBlocks(tx, id, starts, ends))];
    await tx`update deletions set given_back_at = now(), jobs = jobs + ${left} where id = ${id}`;
    await giveBack(
      tx,
      freed.map((one) => ({ ...one, appId, live, source: 'batch' })),
    );
  });
}

/** Most months have none, as a look at the index shows. */
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
