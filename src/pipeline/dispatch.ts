/**
 * Decides which queued jobs are leased as chunks. Each family has a small window of work, filled from apps in rotation by weight, single jobs before batch rows. A job
 * that is not leased is only a row, so cancel and pause act at once, and a million-row upload delays nobody by more than a window. The window holds
 * waiting chunks; a chunk whose jobs are all at a vendor no longer counts, so pools take as much work as the vendors can carry, however slow they are.
 * Leasing happens in Postgres alone; the caller then adds the chunk ids to BullMQ, and again whenever in doubt.
 *
 * One leader dispatches at a time (`foundation/leadership.ts`); a former leader's lease is not committed.
 */

import { pauseForFunds } from '../batches/control.ts';
import { foldLeases } from '../batches/counters.ts';
import { hasQueued } from '../batches/funding.ts';
import { checks, families, findCheck, knownCheck } from '../checks/catalog.ts';
import type { Family } from '../checks/check.ts';
import { imageInputs } from '../checks/inputs.ts';
import type { Budget } from '../checks/provider.ts';
import type { Context, Sql } from '../foundation/context.ts';
import { GONE_SECONDS } from '../foundation/data-keys.ts';
import { isRefusedStatement } from '../foundation/database-faults.ts';
import type { Fence } from '../foundation/leadership.ts';
import { STORED_AS } from '../jobs/release.ts';
import type { Router } from '../providers/router.ts';
import type { AppSettings } from '../schema/apps.ts';
import {
  deferSingles,
  type Funds,
  groupBy,
  type Lane,
  type LeasedChunk,
  leaseRows,
  leaseSingles,
  type Share,
  type Work,
  workName,
} from './leases.ts';

/** A family's unfinished chunks. */
interface Open {
  family: Family;
  all: number;
  /** How many of them are waiting, and how many of the waiting ones are single jobs. */
  waiting: number;
  singles: number;
  /** `workName` of the work of its single jobs, waiting or begun. */
  singleWork: string[];
}

type InWindow = Omit<Open, 'family'>;

const NOTHING_OPEN: InWindow = { all: 0, waiting: 0, singles: 0, singleWork: [] };

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
const REFUSED_REST_MS = 10_000;

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

  /** Work that Postgres refused to lease, and until when it is left alone, so that it does not block other work. */
  const resting = new Map<string, number>();
  async function unlessRefused(name: string, lease: () => Promise<LeasedChunk[]>): Promise<LeasedChunk[]> {
    if ((resting.get(name) ?? 0) > performance.now()) return [];
    resting.delete(name);
    try {
      return await lease();
    } catch (error) {
      if (!isRefusedStatement(error)) throw error;
      ctx.log.error({ err: error, work: name }, 'work could not be leased');
      resting.set(name, performance.now() + REFUSED_REST_MS);
      return [];
    }
  }

  const canBeAsked = ({ checkId, live }: Work) => router.unavailableForMs(knownCheck(checkId).needs, live) === 0;

  /** Leases a family's single jobs; while a provider is being tried, one at a time of each check that needs it. */
  async function fillWithSingles(sql: Sql, family: Family, { singles, singleWork }: InWindow, fence: Fence): Promise<LeasedChunk[]> {
    const all = checksOf(family);
    const perApp = (windowChunks - singles) * Math.min(SINGLES_MAX, ...all.map(sizeOf));
    if (perApp <= 0) return [];
    const lease = (share: Omit<Share, 'sizeOf'>) =>
      unlessRefused(family, () => leaseSingles(ctx, family, { ...share, sizeOf }, { leaseMs, fence }));
    const askable = all.filter(canBeAsked);
    const healthy = askable.filter((one) => !isDegraded(one));
    const tried = askable.filter((one) => !healthy.includes(one) && !singleWork.includes(workName(one)));
    const leased = await lease({ work: healthy, perApp });
    for (const one of tried) leased.push(...(await lease({ work: [one], perApp: 1, jobsMax: 1 })));
    const others = all.filter((one) => !healthy.includes(one));
    if (others.length > 0) await deferSingles(sql, family, others);
    return leased;
  }

  /** Leases rows of a family's lanes into what the window has left for them. */
  async function fillWithRows(family: Family, lanes: Lane[], { waiting, singles }: InWindow, fence: Fence): Promise<LeasedChunk[]> {
    const leased: LeasedChunk[] = [];
    const eligible = lanes.filter((lane) => lane.family === family && canBeAsked(lane) && isAffordable(lane));
    for (const [lane, chunks] of shareSlots(eligible, windowChunks - (waiting - singles), passes)) {
      const size = isDegraded(lane) ? 1 : sizeOf(lane);
      leased.push(
        ...(await unlessRefused(`${lane.batchId} ${lane.checkId}`, () => leaseRows(ctx, lane, { chunks, size }, { leaseMs, fence }))),
      );
    }
    return leased;
  }

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
        const inWindow = open.get(family) ?? NOTHING_OPEN;
        busy ||= inWindow.all > 0;
        if (withSingles.has(family)) leased.push(...(await fillWithSingles(sql, family, inWindow, fence)));
        leased.push(...(await fillWithRows(family, lanes, inWindow, fence)));
      }
      for (const family of families) ctx.metrics.queueDepth.set({ family }, open.get(family)?.all ?? 0);
      return { leased, busy: busy || leased.length > 0 };
    },
  };
}

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

/** Open lanes that have jobs to lease and that this release's workers can read. Checks added by a newer release wait for its dispatcher. */
async function readLanes(sql: Sql): Promise<Lane[]> {
  const rows = await sql<(Omit<Lane, 'weight' | 'funds'> & Funds & { settings: AppSettings })[]>`
    select l.batch_id, l.check_id, l.app_id, l.live, l.family, l.fresh, l.price_kobo, b.status = 'running' as is_running,
      b.hold_kobo - b.billed_kobo - b.leased_kobo - c.kobo as "roomKobo", b.leased + c.jobs as leased, a.settings
    from lanes l join batches b on b.id = l.batch_id join apps a on a.id = l.app_id
      cross join lateral (select coalesce(sum(jobs), 0)::int as jobs, coalesce(sum(kobo), 0)::bigint as kobo from lease_counts where batch_id = l.batch_id) c
    where l.open and a.disabled_at is null and ${hasQueued(sql)} and (b.stored_as <= ${STORED_AS} or exists (
      select 1 from processes p where p.reads >= b.stored_as and l.family = any(p.families) and p.seen_at > now() - ${GONE_SECONDS} * interval '1 second'))
    order by l.batch_id, l.check_id`;
  const funds = new Map(rows.map(({ batchId, roomKobo, leased }) => [batchId, { roomKobo, leased }]));
  return rows
    .filter(({ checkId }) => findCheck(checkId))
    .map(({ settings, ...lane }) => ({ ...lane, funds: funds.get(lane.batchId)!, weight: settings.weight ?? 1 }));
}

const isAffordable = ({ funds, priceKobo }: Lane): boolean => funds.roomKobo >= priceKobo;

/** Batches with nothing leased and no money for any lane that has jobs to lease. */
function brokeBatches(lanes: Lane[]): Lane[] {
  const affordable = new Set(lanes.filter(isAffordable).map((lane) => lane.batchId));
  return [...new Map(lanes.map((lane) => [lane.batchId, lane])).values()].filter(
    ({ batchId, funds }) => !affordable.has(batchId) && funds.leased === 0,
  );
}

/** For tests, which have no other leader. */
const unfenced: Fence = async () => {};

/** Families with a single job that is due. One query for all: while there is work, a round is every few milliseconds. */
async function familiesWithSingles(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql<{ family: string }[]>`
    select f.family from unnest(${[...families]}::text[]) f(family)
    where exists (select 1 from waiting_jobs w where w.family = f.family and w.batch_id is null and w.run_after <= now())`;
  return new Set(rows.map(({ family }) => family));
}
