/**
 * Deletes what `deletions.ts` has marked, in small steps (`pace.ts`), each a transaction of its own: after a kill the next sweep continues where this one was.
 * Any number of processes may do so at once.
 */

import { forgetAnswers } from '../access/idempotency.ts';
import { forgetApprovals } from '../approvals/approvals.ts';
import type { Context, Tx } from '../foundation/context.ts';
import type { Cipher } from '../foundation/data-keys.ts';
import { NIL_ID, showId } from '../foundation/ids.ts';
import { recordset } from '../foundation/recordset.ts';
import { JOB_IS_OVER } from '../jobs/job.ts';
import { eraseFromBlocks } from '../jobs/result-blocks.ts';
import { ROW_BYTES } from '../money/usage.ts';
import { deleteEventsAbout } from '../webhooks/events.ts';
import { FailedItems } from './failed-items.ts';
import { commitLater, inSteps } from './pace.ts';

interface Owned {
  id: string;
  appId: string;
  live: boolean;
}

interface Deletion extends Owned {
  kind: 'batch' | 'job';
}

/** Deletes all that is marked, oldest first, until `stop`. Returns how many it finished. Throws at the end if any failed. */
export async function purgeDeleted(ctx: Context, stop: AbortSignal, failed = new FailedItems()): Promise<number> {
  const open = await ctx.sql<Deletion[]>`
    select id, app_id, live, kind from deletions where finished_at is null and id <> all(${failed.ids()}::uuid[]) order by asked_at limit 1000`;
  let finished = 0;
  const began = performance.now();
  for (const deletion of open) {
    const goesOn = await failed.attempt(prefixOf(deletion), async (take) => {
      take([deletion.id]);
      const reached: Reached = { row: 0, block: 0, result: NIL_ID };
      await inSteps(stop, (rows) =>
        ctx.sql.begin((tx) => (deletion.kind === 'batch' ? purgeBatch(tx, deletion, reached, rows) : purgeJob(tx, deletion))),
      );
      if (stop.aborted) return false;
      if (await finish(ctx, deletion)) finished++;
      return true;
    });
    // Meanwhile so much may have been marked that a whole month can go (`drop-months.ts`).
    if (!goesOn || performance.now() - began > LOOK_AGAIN_MS) break;
  }
  failed.tell();
  return finished;
}

const prefixOf = ({ kind }: Pick<Deletion, 'kind'>) => (kind === 'batch' ? 'bat' : 'job');

const LOOK_AGAIN_MS = 5_000;

/** How far a batch's tables were deleted: looking from the start, each step would pass over all that earlier ones have left in the indexes. */
interface Reached {
  row: number;
  block: number;
  result: string;
}

/** One step of a batch. False once nothing is left, or if another process has locked it. */
async function purgeBatch(tx: Tx, deletion: Deletion, reached: Reached, limit: number): Promise<boolean> {
  await commitLater(tx);
  // Locked against `drop-months.ts`, which gives back everything that is left at once.
  const [state] = await tx<{ givenBack: boolean; waits: boolean }[]>`
    select given_back_at is not null as given_back, coalesce(given_back_at > now() - ${DROPPED_WITHIN_HOURS} * interval '1 hour', false) as waits
    from deletions where id = ${deletion.id} for key share`;
  let rows = 0;
  if (!state!.waits) {
    const purged = await purgeRows(tx, deletion, reached, limit);
    if (!state!.givenBack) await giveBackRows(tx, deletion, purged);
    rows = purged.count;
  }
  return rows + (await purgeBesides(tx, deletion, limit)) > 0;
}

/** A month that could not be dropped for so long is deleted row by row after all. */
const DROPPED_WITHIN_HOURS = 24;

/** Tables about a batch's rows that are not partitioned. */
async function purgeBesides(tx: Tx, { id }: Owned, limit: number): Promise<number> {
  const invalid = await tx`
    delete from invalid_rows where batch_id = ${id} and row_number = any(array(
      select row_number from invalid_rows where batch_id = ${id} order by row_number limit ${limit} for update skip locked))`;
  const marks = await tx`
    delete from row_marks where (batch_id, bucket, part) in (
      select batch_id, bucket, part from row_marks where batch_id = ${id} limit ${limit})`;
  return invalid.count + marks.count;
}

interface Purged {
  /** Everything that is gone: jobs and blocks. */
  count: number;
  jobs: number;
  /** What they took of the app's storage. */
  freed: Freed[];
}

/** Deletes up to `limit` rows and their part of the batch's blocks. */
async function purgeRows(tx: Tx, { id, appId, live }: Deletion, reached: Reached, limit: number): Promise<Purged> {
  const blocksOf = Math.ceil(limit / ROWS_OF_BLOCK);
  const rows = await tx<{ id: string; row: number }[]>`
    select id, row_number as row from jobs where batch_id = ${id} and row_number >= ${reached.row} order by row_number limit ${limit} for update skip locked`;
  // What its rows take is counted with the batch, and only their results day by day.
  const jobs = await forgetJobs(tx, tx`delete from jobs where id = any(${rows.map((job) => job.id)}::uuid[]) returning ${tx.unsafe(GONE)}`);
  const blocks = await tx<{ block: number }[]>`
    delete from row_blocks where batch_id = ${id} and block = any(array(
      select block from row_blocks where batch_id = ${id} and block >= ${reached.block} order by block limit ${blocksOf} for update skip locked))
    returning block`;
  const results = await tx<(Omit<Freed, 'appId' | 'live' | 'source'> & { id: string })[]>`
    delete from result_blocks where batch_id = ${id} and id = any(array(
      select id from result_blocks where batch_id = ${id} and id >= ${reached.result} order by id limit ${blocksOf} for update skip locked))
    returning id, check_id, (created_at at time zone 'utc')::date::text as day, octet_length(sealed) as bytes`;
  reached.row = rows.at(-1)?.row ?? reached.row;
  reached.block = blocks.reduce((last, { block }) => Math.max(last, block), reached.block);
  reached.result =
    results
      .map((block) => block.id)
      .toSorted()
      .at(-1) ?? reached.result;
  return {
    count: jobs.count + blocks.count + results.count,
    jobs: jobs.count,
    freed: [...jobs.freed, ...results.map((block) => ({ ...block, appId, live, source: 'batch' }))],
  };
}

/** For a batch whose bytes have not been subtracted from what the app stores as a whole. */
async function giveBackRows(tx: Tx, { id }: Deletion, { jobs, freed }: Purged): Promise<void> {
  await tx`update deletions set jobs = jobs + ${jobs} where id = ${id}`;
  await giveBack(tx, freed);
}

/** Deletes some of a batch's rows that have a review, or that somebody has revealed or asked to reveal. Returns false once there are none. */
export async function purgeRowsWithCases(tx: Tx, { id, appId }: Owned, limit: number): Promise<boolean> {
  await commitLater(tx);
  const cases = await tx<{ id: string }[]>`
    select j.id from (
      select job_id from reviews where app_id = ${appId} union select job_id from reveals where app_id = ${appId}
      union select case when target like 'job\\_%' then substr(target, 5)::uuid end from approvals where app_id = ${appId}) c
    join jobs j on j.id = c.job_id where j.batch_id = ${id} order by j.id limit ${limit} for update of j skip locked`;
  if (cases.length === 0) return false;
  const { count, freed } = await forgetJobs(
    tx,
    tx`delete from jobs where id = any(${cases.map((job) => job.id)}::uuid[]) returning ${tx.unsafe(GONE)}`,
  );
  await tx`update deletions set jobs = jobs + ${count} where id = ${id}`;
  await giveBack(tx, freed);
  return true;
}

/** Rows for each block that a step deletes: few enough that blocks go no slower than rows. */
const ROWS_OF_BLOCK = 25;

/** The job's row stays: what it cost is part of the books. */
async function purgeJob(tx: Tx, { id }: Deletion): Promise<boolean> {
  const { freed } = await forgetJobs(tx, tx`select ${tx.unsafe(COUNTED)}, 'job' as source from jobs where id = ${id}`);
  await tx`update deletions set jobs = 1 where id = ${id}`;
  await giveBack(tx, freed);
  return false;
}

/** Deletes single jobs and records of calls, rows and all, with the events about them. Those that are not over stay. Returns which went. */
export async function forgetSingleJobs(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const over = await tx<{ id: string }[]>`
    select id from jobs where id = any(${[...ids]}::uuid[]) and batch_id is null and ${tx.unsafe(JOB_IS_OVER)} order by id for update skip locked`;
  const gone = over.map(({ id }) => id);
  if (gone.length === 0) return [];
  const { freed } = await forgetJobs(tx, tx`delete from jobs where id = any(${gone}::uuid[]) returning ${tx.unsafe(GONE)}`, {
    rowBytes: ROW_BYTES,
  });
  await deleteEventsAbout(
    tx,
    gone.map((id) => showId('job', id)),
  );
  await giveBack(tx, freed);
  return gone;
}

/** Deletes the jobs of some rows of a batch that is over, and takes their results out of its blocks. */
export async function forgetRows(tx: Tx, cipher: Cipher, { id: batchId, appId, live }: Owned, rows: number[]): Promise<void> {
  const slots = await tx<{ block: string; slot: number }[]>`
    select result_block as block, result_slot as slot from jobs
    where batch_id = ${batchId} and row_number = any(${rows}::int[]) and result_block is not null`;
  const erased = await eraseFromBlocks(tx, cipher, { appId, batchId }, slots);
  const { freed } = await forgetJobs(
    tx,
    tx`delete from jobs where batch_id = ${batchId} and row_number = any(${rows}::int[]) returning ${tx.unsafe(GONE)}`,
  );
  await giveBack(tx, [...freed, ...erased.map((block) => ({ ...block, appId, live, source: 'batch' }))]);
}

/** What `forgetJobs` must know of a job, as columns. */
const COUNTED = "id, app_id, live, check_id, (completed_at at time zone 'utc')::date as day";
const GONE = `${COUNTED},
      case when batch_id is not null then 'batch' when input is not null then 'job' else 'call' end as source`;

/** Bytes by the key under which they were counted. */
export interface Freed {
  appId: string;
  live: boolean;
  checkId: string;
  /** UTC. */
  day: string;
  source: string;
  bytes: number;
}

/** Deletes what other tables have about jobs. `gone`: a statement that gives the columns `GONE`. `rowBytes`: freed by each besides its result. */
async function forgetJobs(tx: Tx, gone: ReturnType<Tx>, { rowBytes = 0 } = {}): Promise<{ count: number; freed: Freed[] }> {
  const [row] = await tx<{ count: number; freed: Freed[] | null; cases: string[] | null }[]>`
    with gone as materialized (${gone}),
    cases as (delete from reviews where job_id in (select id from gone) returning id),
    seen as (delete from reveals where job_id in (select id from gone)),
    asked as (delete from approvals where target in (select 'job_' || replace(id::text, '-', '') from gone)),
    trail as (delete from provider_lookups where job_id in (select id from gone)),
    freed as (
      delete from results r using gone where r.job_id = gone.id
      returning r.job_id, octet_length(r.entity) + coalesce(octet_length(r.entity_images), 0) as bytes),
    sums as (
      select app_id, live, check_id, day, source, sum(coalesce(bytes, 0) + ${rowBytes}::int) as bytes from gone left join freed on job_id = id
      where day is not null group by app_id, live, check_id, day, source)
    select (select count(*) from gone)::int as count,
      (select json_agg(json_build_object('appId', app_id, 'live', live, 'checkId', check_id, 'day', day, 'source', source, 'bytes', bytes)) from sums where bytes > 0) as freed,
      (select array_agg(id) from cases) as cases`;
  // A separate statement also sees events that were added while this one waited for the cases. Few jobs have a case.
  await deleteEventsAbout(
    tx,
    (row!.cases ?? []).map((id) => showId('rev', id)),
  );
  return { count: row!.count, freed: row!.freed ?? [] };
}

/** Takes deleted results out of what apps store. Last in the transaction: all settling for an app shares these rows. */
export async function giveBack(tx: Tx, freed: Freed[]): Promise<void> {
  if (freed.length === 0) return;
  await tx`
    with freed as (select app_id, live, check_id, day, source, sum(bytes)::bigint as bytes from ${recordset(tx, freed, {
      app_id: ['uuid', (f) => f.appId],
      live: ['bool', (f) => f.live],
      check_id: ['text', (f) => f.checkId],
      day: ['text', (f) => f.day],
      source: ['text', (f) => f.source],
      bytes: ['bigint', (f) => f.bytes],
    })} t group by app_id, live, check_id, day, source),
    locked as (
      select u.app_id, u.live, u.day, u.check_id, u.source, f.bytes from usage_days u
      join freed f on f.app_id = u.app_id and f.live = u.live and f.day::date = u.day and f.check_id = u.check_id and f.source = u.source
      order by u.app_id, u.live, u.check_id, u.source, u.day for update of u)
    update usage_days u set stored_bytes = greatest(0, u.stored_bytes - l.bytes) from locked l
    where u.app_id = l.app_id and u.live = l.live and u.day = l.day and u.check_id = l.check_id and u.source = l.source`;
}

/** Deletes what belongs to the batch or job as a whole. False if another process is still deleting its rows. */
async function finish({ sql, cipher }: Context, { id, appId, live, kind }: Deletion): Promise<boolean> {
  const shown = showId(prefixOf({ kind }), id);
  return sql.begin(async (tx) => {
    const [left] = await tx`
      select 1 from jobs where batch_id = ${id} union all select 1 from row_blocks where batch_id = ${id}
      union all select 1 from result_blocks where batch_id = ${id} union all select 1 from invalid_rows where batch_id = ${id}
      union all select 1 from row_marks where batch_id = ${id} limit 1`;
    if (left) return false;
    // A process of an earlier release may have left some.
    await deleteEventsAbout(tx, [shown]);
    await forgetApprovals(tx, [shown]);
    await forgetAnswers(tx, cipher, { appId, live }, [`/api/v1/${kind === 'batch' ? 'batches' : 'jobs'}/${shown}`]);
    if (kind === 'batch') await tx`update batches set status = 'deleted', stored_bytes = 0, approval_id = null where id = ${id}`;
    await tx`update deletions set finished_at = now() where id = ${id}`;
    return true;
  });
}
