/**
 * Leases queued jobs as chunks. Each family has a small window of work, filled from apps in rotation by weight, single jobs before batch rows. A job
 * that is not leased is only a row, so cancel and pause act at once, and a million-row upload delays nobody by more than a window. The window holds
 * waiting chunks; a chunk whose jobs are all at a vendor no longer counts, so pools take as much work as the vendors can carry, however slow they are.
 * Leasing happens in Postgres alone; the caller then adds the chunk ids to BullMQ, and again whenever in doubt.
 *
 * A cursor (`lanes.cursor_row`) walks the fresh rows of a batch; single and returned jobs are in `waiting_jobs`. Neither visits finished rows. One
 * leader dispatches at a time (`foundation/leadership.ts`); a former leader's lease is not committed.
 */

import { pauseForFunds } from '../batches/control.ts';
import { countLeased, countReturned, foldLeases } from '../batches/counters.ts';
import { checks, families, findCheck, knownCheck } from '../checks/catalog.ts';
import type { Family } from '../checks/check.ts';
import { imageInputs } from '../checks/inputs.ts';
import type { Budget } from '../checks/provider.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { newId } from '../foundation/ids.ts';
import type { Fence } from '../foundation/leadership.ts';
import { GONE_SECONDS, STORED_AS } from '../jobs/release.ts';
import type { Router } from '../providers/router.ts';
import type { AppSettings } from '../schema/apps.ts';

export interface LeasedChunk {
  id: string;
  family: Family;
  /** A single job: goes before batch rows in the queue. */
  single: boolean;
}

interface Lane {
  batchId: string;
  checkId: string;
  appId: string;
  live: boolean;
  family: Family;
  fresh: boolean;
  weight: number;
  priceKobo: number;
  /** Of the batch. */
  isRunning: boolean;
  /** Shared by all lanes of a batch. */
  funds: Funds;
}

interface Funds {
  /** Held, and neither captured nor leased. */
  roomKobo: number;
  /** Leased jobs, which may cost less than their worst-case price. */
  leased: number;
}

/** A family's unfinished chunks. */
interface Open {
  family: Family;
  all: number;
  /** How many of them are waiting, and how many of the waiting ones are single jobs. */
  waiting: number;
  singles: number;
  /** `workName` of each that has single jobs among them, waiting or begun. */
  singleWork: string[];
}

const NOTHING_OPEN: Omit<Open, 'family'> = { all: 0, waiting: 0, singles: 0, singleWork: [] };

/** Work that takes the same time whoever asks for it. */
interface Work {
  checkId: string;
  live: boolean;
}

/** Throughput of recent chunks. */
interface Pace extends Work {
  jobs: number;
  /** Time during which at least one of these chunks was running. */
  busyMs: number;
}

export interface Dispatcher {
  /** Fills the windows once. Returns what was leased and whether more is waiting. `fence` ends every leasing transaction. */
  fill(sql: Sql, fence?: Fence): Promise<{ leased: LeasedChunk[]; busy: boolean }>;
}

/** Most jobs in a check's first chunks, before its pace is known. */
const CHUNK_FIRST = 50;
/** Most single jobs an app may have leased for each free chunk of the window. */
const SINGLES_MAX = 50;
/** A slow vendor answers in waves; a few chunks should be able to replace one wave. */
const CHUNK_SHRINK_MAX = 8;
/** Target duration of a chunk: short enough to cancel and recover quickly, long enough to be worth its overhead. */
const CHUNK_WORK_MS = 250;
/** Jobs of a chunk that may hold images at a time. Bounds the memory, and is still more than the cores can process. */
export const IMAGE_JOBS_AT_ONCE = 8;
/** How often the pace is measured over the last `PACE_SECONDS`. The query reads every chunk of that time, so it does not run more often. */
const PACE_EVERY_MS = 1_000;
const PACE_SECONDS = 20;

export function openDispatcher(ctx: Context, router: Router): Dispatcher {
  /** Stride scheduling: the lowest pass is next and advances by 1/weight for each chunk. */
  const passes = new Map<string, number>();
  /** The last measured size: a check resumes with it after a rest. */
  const sizes = new Map<string, number>();
  let measuredAt = Number.NEGATIVE_INFINITY;
  const { CONFAM_WINDOW_CHUNKS: windowChunks, CONFAM_CHUNK_MAX: chunkMax, CONFAM_LEASE_MS: leaseMs } = ctx.config;

  async function measureSizes(sql: Sql): Promise<void> {
    if (performance.now() - measuredAt < PACE_EVERY_MS) return;
    for (const pace of await readPaces(sql)) sizes.set(workName(pace), Math.round((pace.jobs * CHUNK_WORK_MS) / Math.max(pace.busyMs, 1)));
    measuredAt = performance.now();
  }

  /** From recent measurements, or from what is known about its vendors. */
  function sizeOf(work: Work): number {
    const check = knownCheck(work.checkId);
    const first = Math.min(CHUNK_FIRST, firstSize(router.budgets(check.needs, work.live)));
    // Few jobs with images run at a time, and a chunk must not have fewer.
    const min = imageInputs(check).length > 0 ? IMAGE_JOBS_AT_ONCE : Math.ceil(first / CHUNK_SHRINK_MAX);
    return Math.min(chunkMax, Math.max(min, sizes.get(workName(work)) ?? first));
  }

  /** The provider is being tried with one job at a time until one is answered; more jobs would only come back. */
  function isDegraded({ checkId, live }: Work): boolean {
    const { needs } = knownCheck(checkId);
    // Jobs that nobody serves fail at once.
    return router.configured(needs, live) && router.outlook(needs, live).degraded;
  }

  const canBeAsked = ({ checkId, live }: Work) => router.unavailableForMs(knownCheck(checkId).needs, live) === 0;

  return {
    async fill(sql, fence = unfenced) {
      await measureSizes(sql);
      await foldLeases(sql);
      const open = await readOpen(sql);
      const lanes = await readLanes(sql);
      // Before anything is leased: what is leased must be returned, to be enqueued.
      for (const { appId, batchId } of brokeBatches(lanes)) await pauseForFunds(ctx, appId, batchId, fence);
      const withSingles = await familiesWithSingles(sql);
      const leased: LeasedChunk[] = [];
      let busy = lanes.length > 0;
      for (const family of families) {
        const { all, waiting, singles, singleWork } = open.get(family) ?? NOTHING_OPEN;
        busy ||= all > 0;
        const perApp = (windowChunks - singles) * Math.min(SINGLES_MAX, ...checksOf(family).map(sizeOf));
        if (perApp > 0 && withSingles.has(family)) {
          const work = checksOf(family).filter(canBeAsked);
          const well = work.filter((one) => !isDegraded(one));
          const tried = work.filter((one) => isDegraded(one) && !singleWork.includes(workName(one)));
          leased.push(...(await leaseSingles(ctx, family, { work: well, perApp }, sizeOf, leaseMs, fence)));
          for (const one of tried)
            leased.push(...(await leaseSingles(ctx, family, { work: [one], perApp: 1, jobsMax: 1 }, sizeOf, leaseMs, fence)));
          const held = checksOf(family).filter((one) => !well.includes(one));
          if (held.length > 0) await deferSingles(sql, family, held);
        }
        const slots = windowChunks - (waiting - singles);
        const eligible = lanes.filter((lane) => lane.family === family && canBeAsked(lane));
        for (const [lane, chunks] of shareSlots(eligible.filter(isAffordable), slots, passes))
          leased.push(...(await leaseRows(ctx, lane, chunks, isDegraded(lane) ? 1 : sizeOf(lane), leaseMs, fence)));
      }
      ctx.metrics.queueDepth.reset();
      for (const { family, all } of open.values()) ctx.metrics.queueDepth.set({ family }, all);
      return { leased, busy: busy || leased.length > 0 };
    },
  };
}

const workName = ({ checkId, live }: Work): string => `${checkId} ${live}`;

const checksOf = (family: Family): Work[] =>
  checks.filter((check) => check.family === family).flatMap(({ id }) => [true, false].map((live) => ({ checkId: id, live })));

/** Response times are unknown yet: a few chunks fill the slowest vendor's in-flight limit, or a second of its rate. */
const firstSize = (budgets: Budget[]): number =>
  Math.ceil(Math.min(...budgets.map(({ inFlightMax, requestsPerSecond }) => Math.min(inFlightMax, requestsPerSecond ?? inFlightMax) / 4)));

/** How many of `slots` each lane may lease: apps rotate by weight, and an app's lanes rotate among themselves. */
export function shareSlots<L extends { appId: string; weight: number }>(
  lanes: L[],
  slots: number,
  passes: Map<string, number>,
): Map<L, number> {
  const shares = new Map<L, number>();
  const byApp = groupBy(lanes, (lane) => lane.appId);
  // An app that comes back after a rest starts level with the others, without credit for the rest.
  const floor = Math.min(...[...byApp.keys()].map((appId) => passes.get(appId) ?? Number.POSITIVE_INFINITY));
  for (const appId of passes.keys()) if (!byApp.has(appId)) passes.delete(appId);
  for (const appId of byApp.keys()) if (!passes.has(appId)) passes.set(appId, Number.isFinite(floor) ? floor : 0);
  for (let slot = 0; slot < slots && byApp.size > 0; slot++) {
    const [appId, own] = [...byApp].reduce((best, candidate) => (passes.get(candidate[0])! < passes.get(best[0])! ? candidate : best));
    const lane = own.shift()!;
    own.push(lane);
    shares.set(lane, (shares.get(lane) ?? 0) + 1);
    passes.set(appId, passes.get(appId)! + 1 / lane.weight);
  }
  return shares;
}

async function readOpen(sql: Sql): Promise<Map<Family, Open>> {
  const rows = await sql<Open[]>`
    select family, count(*)::int as all, count(*) filter (where begun_at is null)::int as waiting,
      count(*) filter (where begun_at is null and single)::int as singles,
      coalesce(array_agg(distinct check_id || ' ' || live) filter (where single), '{}') as single_work
    from chunks where finished_at is null group by family`;
  return new Map(rows.map((row) => [row.family, row]));
}

const readPaces = (sql: Sql): Promise<Pace[]> => sql<Pace[]>`
  with paces as (
    select check_id, live, sum(cardinality(job_ids))::int as jobs,
      range_agg(tstzrange(greatest(finished_at - work_ms * interval '1 millisecond', now() - ${PACE_SECONDS} * interval '1 second'), finished_at, '[]')) as busy
    from chunks where finished_at > now() - ${PACE_SECONDS} * interval '1 second' and work_ms is not null and cardinality(job_ids) > 0
    group by check_id, live)
  select check_id, live, jobs, (select extract(epoch from sum(upper(r) - lower(r)))::float8 * 1000 from unnest(busy) r) as "busyMs" from paces`;

/** Lanes that workers can read. A check of a newer release waits for a dispatcher of that release. */
async function readLanes(sql: Sql): Promise<Lane[]> {
  const rows = await sql<(Omit<Lane, 'weight' | 'funds'> & Funds & { settings: AppSettings })[]>`
    select l.batch_id, l.check_id, l.app_id, l.live, l.family, l.fresh, l.price_kobo, b.status = 'running' as is_running,
      b.hold_kobo - b.billed_kobo - b.leased_kobo - c.kobo as "roomKobo", b.leased + c.jobs as leased, a.settings
    from lanes l join batches b on b.id = l.batch_id join apps a on a.id = l.app_id
      cross join lateral (select coalesce(sum(jobs), 0)::int as jobs, coalesce(sum(kobo), 0)::bigint as kobo from lease_counts where batch_id = l.batch_id) c
    where l.open and a.disabled_at is null and (b.stored_as <= ${STORED_AS} or exists (
      select 1 from processes p where p.reads >= b.stored_as and l.family = any(p.families) and p.seen_at > now() - ${GONE_SECONDS} * interval '1 second'))
    order by l.batch_id, l.check_id`;
  const funds = new Map(rows.map(({ batchId, roomKobo, leased }) => [batchId, { roomKobo, leased }]));
  return rows
    .filter(({ checkId }) => findCheck(checkId))
    .map(({ settings, ...lane }) => ({ ...lane, funds: funds.get(lane.batchId)!, weight: settings.weight ?? 1 }));
}

function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const own = groups.get(key);
    if (own) own.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

const isAffordable = ({ funds, priceKobo }: Lane): boolean => funds.roomKobo >= priceKobo;

/** Batches with nothing leased and no money for any of their lanes. */
function brokeBatches(lanes: Lane[]): Lane[] {
  const affordable = new Set(lanes.filter(isAffordable).map((lane) => lane.batchId));
  return [...new Map(lanes.map((lane) => [lane.batchId, lane])).values()].filter(
    ({ batchId, funds }) => !affordable.has(batchId) && funds.leased === 0,
  );
}

/** Leases up to `chunks` × `size` rows of a lane: returned jobs that are due, then fresh rows. Never more than the hold pays for. */
async function leaseRows(ctx: Context, lane: Lane, chunks: number, size: number, leaseMs: number, fence: Fence): Promise<LeasedChunk[]> {
  const leasing = ctx.sql.begin(async (tx) => {
    const wanted = lane.priceKobo === 0 ? chunks * size : Math.min(chunks * size, Math.floor(lane.funds.roomKobo / lane.priceKobo));
    const rows = await tx<{ id: string; row: number; fresh: boolean }[]>`
      with returned as (
        delete from waiting_jobs where job_id in (
          select job_id from waiting_jobs where batch_id = ${lane.batchId} and check_id = ${lane.checkId} and run_after <= now()
          order by run_after limit ${wanted} for update)
        returning job_id as id),
      fresh as (
        select id from jobs
        where ${lane.fresh} and batch_id = ${lane.batchId} and check_id = ${lane.checkId} and status = 'queued' and attempt = 0
          and row_number > (select cursor_row from lanes where batch_id = ${lane.batchId} and check_id = ${lane.checkId})
        order by row_number limit ${wanted} - (select count(*) from returned))
      update jobs j set status = 'leased', attempt = attempt + 1
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
    const made: { id: string; jobIds: string[] }[] = [];
    for (let i = 0; i < rows.length; i += size) made.push({ id: newId(), jobIds: rows.slice(i, i + size).map((row) => row.id) });
    for (const chunk of made) {
      await tx`
        insert into chunks (id, app_id, live, single, family, check_id, job_ids, leased_until)
        values (${chunk.id}, ${lane.appId}, ${lane.live}, false, ${lane.family}, ${lane.checkId}, ${chunk.jobIds}::uuid[], now() + ${leaseMs} * interval '1 millisecond')`;
    }
    await fence(tx);
    return made.map(({ id }) => ({ id, family: lane.family, single: false }));
  });
  return leasing.catch((error: unknown) => {
    if (error instanceof LaneClosed) return [];
    throw error;
  });
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

/** For tests, which have no other leader. */
const unfenced: Fence = async () => {};

/** The batch was canceled after the lanes were read; the lease is rolled back. */
class LaneClosed extends Error {}

/** Families with a single job that is due. One query for all: while there is work, a round is every few milliseconds. */
async function familiesWithSingles(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql<{ family: string }[]>`
    select f.family from unnest(${[...families]}::text[]) f(family)
    where exists (select 1 from waiting_jobs w where w.family = f.family and w.batch_id is null and w.run_after <= now())`;
  return new Set(rows.map(({ family }) => family));
}

interface Share {
  /** The rest stays queued: checks whose providers are away, and those of a newer release, which wait for a dispatcher of that release. */
  work: Work[];
  perApp: number;
  /** Of all apps together. */
  jobsMax?: number;
}

/** Leases a family's due single jobs in chunks of one app and check. */
async function leaseSingles(
  ctx: Context,
  family: Family,
  { work, perApp, jobsMax }: Share,
  sizeOf: (work: Work) => number,
  leaseMs: number,
  fence: Fence,
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
      update jobs j set status = 'leased', attempt = attempt + 1 from taken t where j.id = t.job_id and j.status = 'queued'
      returning j.id, j.app_id, j.live, j.check_id`;
    const made: LeasedChunk[] = [];
    for (const own of groupBy(rows, (row) => `${row.appId} ${row.live} ${row.checkId}`).values()) {
      const size = sizeOf(own[0]!);
      for (let i = 0; i < own.length; i += size) {
        const chunk = { id: newId(), family, single: true };
        await tx`
          insert into chunks (id, app_id, live, single, family, check_id, job_ids, leased_until)
          values (${chunk.id}, ${own[0]!.appId}, ${own[0]!.live}, true, ${family}, ${own[0]!.checkId}, ${own.slice(i, i + size).map((row) => row.id)}::uuid[],
            now() + ${leaseMs} * interval '1 millisecond')`;
        made.push(chunk);
      }
    }
    await fence(tx);
    return made;
  });
}

/** How long a single job waits whose check nobody can be asked for, and how many begin to wait in one round. */
const DEFER_MS = 1_000;
const DEFERRED_MAX = 2_000;

/** Lets due single jobs wait that were not leased because their providers are away: otherwise each round would look through them again. */
const deferSingles = (sql: Sql, family: Family, work: Work[]) => sql`
  update waiting_jobs set run_after = now() + ${DEFER_MS} * interval '1 millisecond' where job_id in (
    select q.job_id from waiting_jobs q join jobs j on j.id = q.job_id
    where q.family = ${family} and q.batch_id is null and q.run_after <= now()
      and q.check_id || ' ' || j.live = any(${work.map(workName)}::text[])
    limit ${DEFERRED_MAX})`;

/** Waiting chunks. A new leader queues them again in case the old one died before it could. */
export async function openChunks(ctx: Context): Promise<LeasedChunk[]> {
  return ctx.sql<LeasedChunk[]>`select id, family, single from chunks where begun_at is null and finished_at is null order by id`;
}

/**
 * Requeues the jobs of chunks whose lease ran out, or of all open chunks (`everything`: the caller knows that no worker is alive). The attempt stays
 * counted, so the results of a worker that was merely slow are refused. A job that came back from such a chunk and was leased again is left to its later
 * chunk.
 */
export async function releaseExpired(ctx: Context, everything = false): Promise<number> {
  return ctx.sql.begin(async (tx) => {
    const lost = await tx<{ id: string; jobIds: string[] }[]>`
      select id, job_ids from chunks where finished_at is null and (${everything} or leased_until < now()) order by id limit 100 for update skip locked`;
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
