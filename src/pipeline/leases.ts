/**
 * Leases jobs as chunks, in Postgres, and takes back leases that have run out. A cursor (`lanes.cursor_row`) walks the fresh rows of a batch; returned and single jobs
 * come from `waiting_jobs`. Neither visits finished rows. `dispatch.ts` decides what to lease.
 */
import type postgres from 'postgres';
import { countLeased, countReturned } from '../batches/counters.ts';
import type { Family } from '../checks/check.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { newId } from '../foundation/ids.ts';
import type { Fence } from '../foundation/leadership.ts';

export interface LeasedChunk {
  id: string;
  family: Family;
  /** A single job: goes before batch rows in the queue. */
  single: boolean;
}

export interface Lane {
  batchId: string;
  checkId: string;
  appId: string;
  live: boolean;
  family: Family;
  fresh: boolean;
  weight: number;
  priceKobo: number;
  /** Whether the batch is running. */
  isRunning: boolean;
  /** Shared by all lanes of a batch. */
  funds: Funds;
}

export interface Funds {
  /** Held, and neither captured nor leased. */
  roomKobo: number;
  /** Leased jobs, which may cost less than their worst-case price. */
  leased: number;
}

/** Work that takes the same time whoever asks for it. */
export interface Work {
  checkId: string;
  live: boolean;
}

export const workName = ({ checkId, live }: Work): string => `${checkId} ${live}`;

/** The batch was canceled after the lanes were read; the lease is rolled back. */
class LaneClosed extends Error {}

/** A parked job may be leased any number of times, so the count wraps before the column overflows. It wraps to 2: 0 and 1 mean that a job has never come back. */
const nextAttempt = (sql: Sql | Tx) => sql`case when attempt < ${ATTEMPT_MAX} then attempt + 1 else 2 end`;
const ATTEMPT_MAX = 32_767;

/** What all leases of a turn have in common. */
interface Leasing {
  leaseMs: number;
  fence: Fence;
}

/** Leases up to `chunks` × `size` rows of a lane: returned jobs that are due, then fresh rows. Never more than the hold pays for. */
export async function leaseRows(
  ctx: Context,
  lane: Lane,
  { chunks, size }: { chunks: number; size: number },
  { leaseMs, fence }: Leasing,
): Promise<LeasedChunk[]> {
  const leasing = ctx.sql.begin(async (tx) => {
    const wanted = lane.priceKobo === 0 ? chunks * size : Math.min(chunks * size, Math.floor(lane.funds.roomKobo / lane.priceKobo));
    const rows = await tx<{ id: string; row: number; fresh: boolean }[]>`
      with due as materialized (
        -- As a subquery of the delete, Postgres may run it again for each row (it does where it has no statistics). It then passes over what is
        -- already deleted, and more rows than the limit go.
        select job_id from waiting_jobs where batch_id = ${lane.batchId} and check_id = ${lane.checkId} and run_after <= now()
        order by run_after limit ${wanted} for update),
      returned as (
        delete from waiting_jobs w using due where w.job_id = due.job_id returning w.job_id as id),
      fresh as (
        select id from jobs
        where ${lane.fresh} and batch_id = ${lane.batchId} and check_id = ${lane.checkId} and status = 'queued' and attempt = 0
          and row_number > (select cursor_row from lanes where batch_id = ${lane.batchId} and check_id = ${lane.checkId})
        order by row_number limit ${wanted} - (select count(*) from returned))
      update jobs j set status = 'leased', attempt = ${nextAttempt(tx)}
      from (select id, false as fresh from returned union all select id, true from fresh) picked
      where j.id = picked.id and j.status = 'queued'
      returning j.id, j.row_number as row, picked.fresh`;
    const freshRows = rows.filter((row) => row.fresh);
    const lastRow = freshRows.reduce((last, row) => Math.max(last, row.row), 0);
    const exhausted = lane.fresh && rows.length < wanted && (await isExhausted(tx, lane, lastRow));
    if (rows.length === 0 && !exhausted) return [];
    if (rows.length > 0) {
      const kobo = rows.length * lane.priceKobo;
      if (!(await countLeased(tx, { ...lane, jobs: rows.length, kobo }))) throw new LaneClosed();
      lane.funds.roomKobo -= kobo;
      lane.funds.leased += rows.length;
    }
    if (freshRows.length > 0 || exhausted) {
      await tx`
        update lanes set cursor_row = greatest(cursor_row, ${lastRow}), fresh = ${!exhausted}
        where batch_id = ${lane.batchId} and check_id = ${lane.checkId}`;
    }
    rows.sort((a, b) => a.row - b.row);
    const made = await makeChunks(tx, rows, { ...lane, single: false, size, leaseMs });
    await fence(tx);
    return made;
  });
  return leasing.catch((error: unknown) => {
    if (error instanceof LaneClosed) return [];
    throw error;
  });
}

/** What all chunks that `makeChunks` writes have in common. */
interface NewChunks extends Pick<Lane, 'appId' | 'live' | 'family' | 'checkId'> {
  single: boolean;
  /** Jobs of a chunk. */
  size: number;
  leaseMs: number;
}

/** Writes `jobs`, which are leased, as chunks. */
async function makeChunks(
  tx: Tx,
  jobs: readonly { id: string }[],
  { appId, live, family, checkId, single, size, leaseMs }: NewChunks,
): Promise<LeasedChunk[]> {
  const made: LeasedChunk[] = [];
  for (let i = 0; i < jobs.length; i += size) {
    const chunk = { id: newId(), family, single };
    const jobIds = jobs.slice(i, i + size).map(({ id }) => id);
    await tx`
      insert into chunks (id, app_id, live, single, family, check_id, job_ids, leased_until)
      values (${chunk.id}, ${appId}, ${live}, ${single}, ${family}, ${checkId}, ${jobIds}::uuid[], now() + ${leaseMs} * interval '1 millisecond')`;
    made.push(chunk);
  }
  return made;
}

/**
 * Whether no fresh row is left beyond `lastRow`. This is a new query because the lease may have missed rows: it waited for another leader's lease and
 * then skipped those rows.
 */
async function isExhausted(tx: Tx, lane: Lane, lastRow: number): Promise<boolean> {
  const [left] = await tx`
    select 1 from jobs
    where batch_id = ${lane.batchId} and check_id = ${lane.checkId} and status = 'queued' and attempt = 0
      and row_number > greatest(${lastRow}::int, (select cursor_row from lanes where batch_id = ${lane.batchId} and check_id = ${lane.checkId}))
    limit 1`;
  return left === undefined;
}

export interface Share {
  /** The rest stays queued: checks whose providers are away, and those of a newer release, which wait for a dispatcher of that release. */
  work: Work[];
  perApp: number;
  /** Jobs of all apps together. */
  jobsMax?: number;
  /** Jobs of a chunk. */
  sizeOf(work: Work): number;
}

/** Leases a family's due single jobs in chunks of one app and check. */
export async function leaseSingles(
  ctx: Context,
  family: Family,
  { work, perApp, jobsMax, sizeOf }: Share,
  { leaseMs, fence }: Leasing,
): Promise<LeasedChunk[]> {
  if (work.length === 0) return [];
  const [live, test] = [true, false].map((isLive) => work.filter((one) => one.live === isLive).map(({ checkId }) => checkId));
  return ctx.sql.begin(async (tx) => {
    const rows = await tx<{ id: string; appId: string; live: boolean; checkId: string }[]>`
      with recursive waiting as (
        (select app_id from waiting_jobs where family = ${family} and batch_id is null order by app_id limit 1)
        union all
        select (select w.app_id from waiting_jobs w where w.family = ${family} and w.batch_id is null and w.app_id > last.app_id order by w.app_id limit 1)
        from waiting last where last.app_id is not null),
      taken as (
        delete from waiting_jobs where job_id in (
          select due.job_id from waiting w cross join lateral (
            select job_id, run_after from waiting_jobs q
            where family = ${family} and batch_id is null and app_id = w.app_id and run_after <= now()
              and check_id = any(case when (select j.live from jobs j where j.id = q.job_id) then ${live!}::text[] else ${test!}::text[] end)
            order by run_after limit ${perApp}) due
          where w.app_id is not null and not exists (select 1 from apps a where a.id = w.app_id and a.disabled_at is not null)
          order by due.run_after limit ${jobsMax ?? null})
        returning job_id)
      update jobs j set status = 'leased', attempt = ${nextAttempt(tx)} from taken t where j.id = t.job_id and j.status = 'queued'
      returning j.id, j.app_id, j.live, j.check_id`;
    const made: LeasedChunk[] = [];
    for (const own of groupBy(rows, (row) => `${row.appId} ${row.live} ${row.checkId}`).values())
      made.push(...(await makeChunks(tx, own, { ...own[0]!, family, single: true, size: sizeOf(own[0]!), leaseMs })));
    await fence(tx);
    return made;
  });
}

/** How long a single job is put off while no provider of its check can be asked, and how many are put off in one round. */
const DEFER_MS = 1_000;
const DEFERRED_MAX = 2_000;

/** Puts off due single jobs whose providers are away. Otherwise every round would read them again. */
export const deferSingles = (sql: Sql, family: Family, work: Work[]) => sql`
  update waiting_jobs set run_after = now() + ${DEFER_MS} * interval '1 millisecond' where job_id in (
    select q.job_id from waiting_jobs q join jobs j on j.id = q.job_id
    where q.family = ${family} and q.batch_id is null and q.run_after <= now()
      and q.check_id || ' ' || j.live = any(${work.map(workName)}::text[])
    limit ${DEFERRED_MAX})`;

/** Waiting chunks. A new leader queues them again in case the old one died before it could. */
export async function openChunks(ctx: Context): Promise<LeasedChunk[]> {
  return ctx.sql<LeasedChunk[]>`select id, family, single from chunks where begun_at is null and finished_at is null order by id`;
}

/** Requeues the jobs of up to 100 chunks whose lease ran out. Returns how many chunks. */
export const takeBackExpired = (ctx: Context): Promise<number> => takeBack(ctx, ctx.sql`leased_until < now()`);

/** As `takeBackExpired`, of all open chunks: for a caller that knows that no worker is alive. */
export const takeBackOpen = (ctx: Context): Promise<number> => takeBack(ctx, ctx.sql`true`);

/**
 * The attempt stays counted, so the results of a worker that was merely slow are refused. A job that came back from such a chunk and was leased again is left
 * to its later chunk.
 */
async function takeBack(ctx: Context, isLost: postgres.Fragment): Promise<number> {
  return ctx.sql.begin(async (tx) => {
    const lost = await tx<{ id: string; jobIds: string[] }[]>`
      select id, job_ids from chunks where finished_at is null and ${isLost} order by id limit 100 for update skip locked`;
    if (lost.length === 0) return 0;
    // Locked before the later chunks are read: from here on nobody leases them.
    const locked = await tx<{ id: string }[]>`
      select id from jobs where id = any(${lost.flatMap((chunk) => chunk.jobIds)}::uuid[]) and status = 'leased' order by id for update`;
    const returned = await tx<{ batchId: string | null; priceKobo: number }[]>`
      with lost as (delete from chunks where id = any(${lost.map(({ id }) => id)}::uuid[]) returning id, job_ids, created_at),
      ours as (select job_id, max(created_at) as leased_at from lost, unnest(job_ids) job_id group by job_id),
      others as (
        select job_id, max(created_at) as leased_at from chunks, unnest(job_ids) job_id
        where finished_at is null and id not in (select id from lost) group by job_id),
      returned as (
        update jobs j set status = 'queued' from ours left join others using (job_id)
        where j.id = ours.job_id and j.id = any(${locked.map(({ id }) => id)}::uuid[])
          and (others.leased_at is null or others.leased_at <= ours.leased_at)
        returning j.id, j.app_id, j.batch_id, j.family, j.check_id, j.price_kobo),
      waiting as (
        insert into waiting_jobs (job_id, app_id, batch_id, family, check_id) select id, app_id, batch_id, family, check_id from returned)
      select batch_id, price_kobo from returned`;
    const byBatch = groupBy(
      returned.filter((job) => job.batchId !== null),
      (job) => job.batchId!,
    );
    for (const batchId of [...byBatch.keys()].sort()) {
      const back = byBatch.get(batchId)!;
      const kobo = back.reduce((sum, job) => sum + job.priceKobo, 0);
      await countReturned(tx, batchId, back.length, kobo);
    }
    return lost.length;
  });
}

export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const own = groups.get(key);
    if (own) own.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
