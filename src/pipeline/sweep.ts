/** Housekeeping: requeues lost jobs, releases unused holds, removes what has expired. Every sweep may run twice at once. */
import { setTimeout as rest } from 'node:timers/promises';
import { createPartitions } from '../access/audit/append.ts';
import { sealHeads } from '../access/audit/verify.ts';
import { dropOldMisses } from '../access/misses.ts';
import { dropOldFailures } from '../access/people/attempts.ts';
import { dropExpiredChallenges } from '../access/people/challenges.ts';
import { dropExpiredLinks } from '../access/people/links.ts';
import { dropExpiredSessions } from '../access/people/sessions.ts';
import { dropOldWindows } from '../access/rate-limit.ts';
import { dropMostRequests } from '../access/request-log.ts';
import { measureLists } from '../aml/status.ts';
import { expireApprovals } from '../approvals/approvals.ts';
import { resumeFunded, stopOverdue } from '../batches/control.ts';
import { forgetReleasedHolds } from '../batches/counters.ts';
import { cancelQueued, endBatches } from '../batches/ending.ts';
import { dropUnusedMappings } from '../batches/saved-mappings.ts';
import { listed, STARTED } from '../batches/states.ts';
import { sampleRunning } from '../batches/timeline.ts';
import { families } from '../checks/catalog.ts';
import { bound, type Context } from '../foundation/context.ts';
import { forgetGone } from '../jobs/release.ts';
import { batchDrift, ledgerDrift } from '../money/drift.ts';
import { releaseHolds } from '../money/ledger.ts';
import { dropExpiredPending } from '../providers/pending.ts';
import { dropOldResultLinks } from '../results/links.ts';
import { announceReviews } from '../reviews/opening.ts';
import { requeueLostDeliveries, webhookBacklog } from '../webhooks/delivery.ts';
import { forgetOldSecrets } from '../webhooks/endpoints.ts';
import { takeBackExpired } from './leases.ts';
import { sealOldRows } from './seal-old-rows.ts';

/** Rows touched in one transaction. */
const SLICE = 10_000;

/** Every second: work that clients wait for. */
export const sweepWork = (ctx: Context): Promise<void> =>
  each(ctx, [
    takeBackAllExpired,
    stopOverdue,
    resumeFunded,
    cancelStopped,
    endFinished,
    expireApprovals,
    sampleRunning,
    announceReviews,
    requeueLostDeliveries,
  ]);

/** Runs every step even if others fail, so that one fault does not stop all the rest. Throws the first failure. */
async function each(ctx: Context, steps: ((ctx: Context) => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step(ctx).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function takeBackAllExpired(ctx: Context): Promise<void> {
  while ((await takeBackExpired(ctx)) > 0);
}

/** Cancels the queued jobs of stopped batches. Skips batches that only wait for leased jobs: searching all their rows each time would find nothing. */
async function cancelStopped(ctx: Context): Promise<void> {
  const canceling = await ctx.sql<{ id: string }[]>`select id from batches where status = 'canceling' and (queued > 0 or leased = 0)`;
  for (const { id } of canceling) for (let row: number | null = 0; row !== null; ) row = await cancelQueued(ctx, id, row, SLICE);
}

/** Ends batches that have no job left. */
async function endFinished(ctx: Context): Promise<void> {
  const over = await ctx.sql<{ id: string }[]>`
    select id from batches where status in ${ctx.sql.unsafe(listed(STARTED))} and queued = 0 and leased = 0 order by id`;
  if (over.length === 0) return;
  await ctx.sql.begin(async (tx) => {
    const ids = over.map((batch) => batch.id);
    await tx`select 1 from batches where id = any(${ids}::uuid[]) order by id for update`;
    await endBatches(tx, ids);
  });
}

/** Every minute: expired rows, and rows that earlier releases left in the clear. Large kinds are removed in steps (`lifecycle/expired.ts`). */
export const sweepExpired = (ctx: Context): Promise<void> =>
  each(ctx, [
    releaseOverdueHolds,
    forgetOldSecrets,
    dropFinishedChunks,
    dropExpiredPending,
    dropOldResultLinks,
    dropOldWindows,
    forgetGone,
    dropOldMisses,
    dropExpiredSessions,
    dropExpiredLinks,
    dropExpiredChallenges,
    dropOldFailures,
    (context) => dropUnusedMappings(context, SLICE),
    dropMostRequests,
    sealOldRows,
  ]);

/** A finished chunk is kept for a minute: its pace decides the size of the next ones. */
const dropFinishedChunks = ({ sql }: Context) => sql`delete from chunks where finished_at < now() - interval '1 minute'`;

/** Releases holds of calls whose process died, and of batches that were never started. */
async function releaseOverdueHolds(ctx: Context): Promise<void> {
  const holds = await ctx.sql<
    { id: string }[]
  >`select id from holds where released_at is null and expires_at < now() order by id limit 1000`;
  if (holds.length === 0) return;
  await ctx.sql.begin(async (tx) => {
    const ids = holds.map((hold) => hold.id);
    // The hold of a batch that has been started in the meantime no longer expires.
    await tx`select 1 from batches where id = any(${ids}::uuid[]) order by id for update`;
    const overdue = await tx<{ id: string }[]>`
      select id from holds where id = any(${ids}::uuid[]) and released_at is null and expires_at < now() order by id for update`;
    const overdueIds = overdue.map((hold) => hold.id);
    await forgetReleasedHolds(tx, overdueIds);
    await releaseHolds(tx, overdueIds);
  });
}

/** Gauges that are read from tables. */
export async function measure(ctx: Context): Promise<void> {
  const { metrics } = ctx;
  const queued = await ctx.sql<{ family: string; queued: number }[]>`
    select family, sum(n)::int as queued from (
      select l.family, b.queued as n from lanes l join batches b on b.id = l.batch_id where l.open
      union all select family, count(*)::int from waiting_jobs where batch_id is null group by family) q group by family`;
  const counts = new Map(queued.map(({ family, queued: n }) => [family, n]));
  for (const family of families) metrics.jobsQueued.set({ family }, counts.get(family) ?? 0);
  metrics.webhookBacklog.set(await webhookBacklog(ctx));
  const [unmoved] = await ctx.sql<{ batches: number }[]>`
    select count(*)::int as batches from batches where unmoved_after is not null and deleted_at is null`;
  metrics.batchesUnmoved.set(unmoved!.batches);
  await measureLists(ctx);
}

/** When sweeps end here: another process measures from now on, and metrics add up the figures of all processes. */
export function forgetMeasured({ metrics }: Pick<Context, 'metrics'>): void {
  const { jobsQueued, webhookBacklog: backlog, batchesUnmoved, listAge, listEntries } = metrics;
  const { rescreensOpen, retentionOverdue, auditBroken, ledgerDrift: drift } = metrics;
  const measured = [jobsQueued, backlog, batchesUnmoved, listAge, listEntries, rescreensOpen, retentionOverdue, auditBroken, drift];
  for (const gauge of measured) gauge.reset();
}

/** Every minute: creates the audit's partitions before their months begin, and signs its heads. */
export async function sealAudit(ctx: Context): Promise<void> {
  await createPartitions(ctx);
  const broken = await sealHeads(ctx);
  ctx.metrics.auditBroken.set(broken.length);
  if (broken.length > 0) ctx.log.error({ chains: broken.slice(0, 10) }, 'the audit was changed: run `confam audit verify`');
}

/** Twice the interval between comparisons, so that every batch that ended is compared with the captures of its jobs. */
const ENDED_SECONDS = 600;

/** Sums the whole ledger, and all jobs of batches that have just ended. It therefore runs rarely, and sums the jobs in steps that calls do not notice. */
export async function compareLedger(ctx: Context, stop: AbortSignal): Promise<void> {
  const whole = await ctx.sql.begin('read only', async (tx) => {
    await bound(tx, 'large');
    // On one processor, so that calls have the others.
    await tx`set local max_parallel_workers_per_gather = 0`;
    return ledgerDrift({ sql: tx });
  });
  const drift = whole + (await batchDrift(ctx, ENDED_SECONDS, (ms) => rest(ms, null, { signal: stop })));
  ctx.metrics.ledgerDrift.set(drift);
  if (drift !== 0) ctx.log.error({ driftKobo: drift }, 'the ledger and the wallets disagree');
}
