/**
 * The only writer of outcomes. Each caller submits one result and waits; a group of results becomes one transaction that writes results, ledger
 * entries, batch counters, cache records and events. Callers get their answers after its commit.
 *
 * A job's result counts only if the job is still leased under the same attempt. A worker that was presumed dead, a chunk delivered twice and a
 * group retried after a lost connection therefore find nothing left to do, and nothing is charged twice.
 */

import type { AppMode } from '../access/owner.ts';
import { type NewMonitor, prepareMonitors, writeMonitors } from '../aml/start-monitoring.ts';
import { countInBatches } from '../batches/ending.ts';
import { countOnTheWay, deltasOf, isTurn, readProgress } from '../batches/outcomes.ts';
import type { Monitored } from '../checks/check.ts';
import { type JobRow, showJob, storedError, type UnopenedJob } from '../contract/jobs.ts';
import { fixedKinds } from '../contract/retention.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { type Group, group } from '../foundation/group.ts';
import { type Columns, recordset } from '../foundation/recordset.ts';
import { CALL_QUEUE_MS_MAX } from '../foundation/settings.ts';
import { endTogether } from '../foundation/transactions.ts';
import { jobColumns } from '../jobs/job.ts';
import { everyProcessReadsBlocks } from '../jobs/release.ts';
import { type CappedHold, type CapReached, holdWithinCaps } from '../money/caps.ts';
import { availableOf, capture, enterCaptures, releaseHolds, type WalletKey } from '../money/ledger.ts';
import { addUsage, type Finished, ROW_BYTES } from '../money/usage.ts';
import type { VendorLookup } from '../providers/guarded-provider.ts';
import { TIMEOUT_MS_MAX } from '../providers/upstreams.ts';
import { type NewReview, putReviews } from '../reviews/opening.ts';
import { emitEvents, type NewEvent } from '../webhooks/events.ts';
import { writeCache } from './cache.ts';
import { dropSuperseded, type FoundEntity, type NewBlock, type SealedResult, type SealedResults, sealResults } from './sealed-results.ts';
import { type Answered, type CallSettled, type CallSettlement, settleCachedCalls, settleHeldCalls } from './settle-calls.ts';
import { addTrail, countTrail } from './vendor-lookups.ts';

export type JobResult =
  /** `keepImagesDays`: undefined drops the images. */
  | ({ status: 'completed'; keepImagesDays?: number | undefined } & Answered)
  /** `field`: the input at fault. Retrying with the same input is useless. */
  | { status: 'failed'; errorCode: string; field?: string | null }
  /** Back to the queue. `failed`: the attempt counts. A parked job has no provider to ask and may wait any number of times. */
  | { status: 'queued'; runAfterMs: number; failed: boolean };

interface JobSettlement {
  jobId: string;
  appId: string;
  /** Null for a single job. */
  batchId: string | null;
  attempt: number;
  checkId: string;
  result: JobResult;
  /** Questions put to vendors. Kept even if the result is superseded. */
  trail: VendorLookup[];
}

export interface Settle {
  /** `superseded`: the job was settled or released by another worker; nothing was written. */
  job: Group<JobSettlement, 'settled' | 'superseded'>;
  /** Unless it returns `settled`, the answer must not be given. */
  call(settlement: CallSettlement): Promise<CallSettled>;
  /** Holds the price of a single call before its provider is asked. False: the wallet does not cover it. */
  holdForCall: Group<Omit<CappedHold, 'expiresInSeconds'>, boolean | CapReached>;
  /** What a wallet has, for the refusals of its calls: somebody whose wallet is empty may send many. */
  available: Group<WalletKey, number>;
  /** Resolves when nothing is waiting or running. */
  idle(): Promise<void>;
}

/** What a call may take besides asking its providers: waiting for its turn to settle, or for Postgres to restart. */
const CALL_SPARE_MS = 120_000;
/**
 * How long a hold outlives a process that died before settling. Longer than any call: it asks nobody after CONFAM_CALL_QUEUE_MS, and each answer takes at most
 * `timeout_ms`.
 */
const CALL_HOLD_SECONDS = (CALL_QUEUE_MS_MAX + TIMEOUT_MS_MAX + CALL_SPARE_MS) / 1_000;

/** Longer than a restart of Postgres, since vendors have been paid for these results. If another worker takes the jobs, they are superseded. */
const STORE_PATIENCE_MS = 30_000;

export function openSettle(ctx: Context): Settle {
  const mayUseBlocks = everyProcessReadsBlocks(ctx);
  // Two at a time: one is sent while the other waits for its commit.
  const job = group<JobSettlement, 'settled' | 'superseded'>(async (items) => settleJobs(ctx, items, { inBlocks: await mayUseBlocks() }), {
    itemsMax: 500,
    flushesMax: 2,
    patienceMs: STORE_PATIENCE_MS,
  });
  const byWallet = { itemsMax: 200, flushesMax: 2, rowOf: walletOf };
  // Two groups: a cached call must not wait while the answers of vendors are stored for other calls.
  const heldCall = group<CallSettlement, CallSettled>((items) => settleHeldCalls(ctx, items), byWallet);
  const cachedCall = group<CallSettlement, CallSettled>((items, mayBeDone) => settleCachedCalls(ctx, items, mayBeDone), byWallet);
  const holdForCall = group<Omit<CappedHold, 'expiresInSeconds'>, boolean | CapReached>(
    (requests) =>
      holdWithinCaps(
        ctx.sql,
        requests.map((request) => ({ ...request, expiresInSeconds: CALL_HOLD_SECONDS })),
      ),
    byWallet,
  );
  const available = group<WalletKey, number>((wallets) => availableOf(ctx.sql, wallets), { itemsMax: 500, flushesMax: 2 });
  return {
    job,
    call: (settlement) => (settlement.held ? heldCall : cachedCall)(settlement),
    holdForCall,
    available,
    async idle() {
      await Promise.all([job, heldCall, cachedCall, holdForCall, available].map((one) => one.idle()));
    },
  };
}

const walletOf = ({ appId, live }: AppMode): string => `${appId} ${live}`;

interface SettledRow {
  id: string;
  appId: string;
  live: boolean;
  batchId: string | null;
  status: 'completed' | 'failed' | 'queued';
  outcome: 'found' | 'not_found' | null;
  flagged: true | null;
  checkId: string;
  cached: boolean;
  priceKobo: number;
  billedKobo: number;
  /** Bytes of its result, or its share of its block. */
  resultBytes: number;
}

async function settleJobs(
  ctx: Context,
  unordered: JobSettlement[],
  { inBlocks }: { inBlocks: boolean },
): Promise<('settled' | 'superseded')[]> {
  // Rows are locked in this order, so that two groups with the same jobs (a chunk delivered twice) cannot deadlock.
  const items = unordered.toSorted((a, b) => (a.jobId < b.jobId ? -1 : 1));
  const found = items.flatMap(foundEntity);
  const sealed = sealResults(await ctx.cipher.sealers(found), found, { inBlocks });
  const rows = await writeGroup(ctx, items, sealed, { countLast: true }).catch((error) => {
    if (!isTurn(error)) throw error;
    return writeGroup(ctx, items, sealed, { countLast: false });
  });
  countTrail(ctx, items);
  countSettled(ctx, rows);
  const settled = new Set(rows.map((row) => row.id));
  return unordered.map(({ jobId }) => (settled.has(jobId) ? 'settled' : 'superseded'));
}

/** Metrics; called after the commit. Jobs that ended alike are counted together: incrementing a metric for each would be slow. */
function countSettled({ metrics }: Context, rows: readonly SettledRow[]): void {
  const tally = new Map<string, { row: SettledRow; count: number }>();
  for (const row of rows) {
    const name = `${row.checkId} ${row.status} ${row.outcome} ${row.batchId === null}`;
    const same = tally.get(name);
    if (row.live && row.billedKobo > 0) metrics.billed.inc({ check: row.checkId }, row.billedKobo);
    if (same) same.count++;
    else tally.set(name, { row, count: 1 });
  }
  for (const { row, count } of tally.values()) {
    if (row.status !== 'queued')
      metrics.jobs.inc({ check: row.checkId, outcome: row.outcome ?? row.status, source: row.batchId ? 'batch' : 'job' }, count);
  }
}

/**
 * One transaction for a group. Every group of a batch or an app updates the same batches, holds and usage of the day, so those statements come last, together
 * with the commit. If something may follow from the counts, such as the end of a batch, batches and holds are counted earlier; `countLast: false` says that it
 * does.
 */
const writeGroup = (
  ctx: Context,
  items: JobSettlement[],
  sealed: SealedResults,
  { countLast }: { countLast: boolean },
): Promise<SettledRow[]> =>
  endTogether(ctx.sql, async (tx) => {
    await prepareMonitors(
      tx,
      ctx,
      items.flatMap(({ appId, result }) =>
        result.status === 'completed' && result.monitor ? [{ appId, input: result.monitor.input }] : [],
      ),
    );
    const batches = new Set(items.flatMap(({ batchId }) => batchId ?? []));
    const [progress, settled] = await Promise.all([
      countLast && batches.size > 0 ? readProgress(tx, [...batches]) : [],
      writeJobs(tx, items, sealed),
    ]);
    const ours = new Set(settled.map((row) => row.id));
    if (settled.length < items.length) await dropSuperseded(tx, ctx.cipher, sealed.blocks, ours);
    // A superseded attempt was not charged: caching its records would make the next attempt cheaper than it is.
    const cached = items.flatMap(({ jobId, result }) => (result.status === 'completed' && ours.has(jobId) ? result.cacheEntries : []));
    await writeCache(tx, ctx, cached);
    const single = settled.filter((job) => job.batchId === null && job.status !== 'queued');
    const monitors = monitorsOf(items, settled);
    const hasMore = single.length > 0 || monitors.length > 0;
    const counts = hasMore ? null : countOnTheWay(tx, deltasOf(settled), progress);
    if (!counts) {
      await countInBatches(tx, settled);
      await endSingleJobs(tx, single);
      await writeMonitors(tx, ctx, monitors);
    }
    const finished = settled.flatMap(finishedJob);
    const reviews = reviewsOf(items, settled);
    const last = [
      ...(counts ?? []),
      ...(finished.length > 0 ? [addUsage(tx, finished)] : []),
      ...(reviews.length > 0 ? [putReviews(tx, reviews, tx`true`)] : []),
      ...(items.some(({ trail }) => trail.length > 0) ? [addTrail(tx, items)] : []),
    ];
    return { result: settled, last };
  });

/** For usage. A batch's rows were counted as stored when the batch was accepted. */
function finishedJob({ status, outcome, batchId, resultBytes, ...job }: SettledRow): Finished[] {
  if (status === 'queued') return [];
  const storedBytes = resultBytes + (batchId === null ? ROW_BYTES : 0);
  return [{ ...job, storedBytes, outcome: outcome ?? 'failed', source: batchId === null ? 'job' : 'batch' }];
}

const foundEntity = ({ jobId, appId, batchId, checkId, result }: JobSettlement): FoundEntity[] =>
  result.status === 'completed' && result.entity ? [{ jobId, appId, batchId, checkId, entity: result.entity }] : [];

/** Writes results and captures of the jobs that are still ours, and requeues returned ones. Returns what it wrote. */
async function writeJobs(tx: Tx, items: JobSettlement[], { bytes, blocks, byJob }: SealedResults): Promise<SettledRow[]> {
  const rows = items.map(({ jobId, attempt, result }): WrittenJob => {
    const answered = result.status === 'completed' ? result : null;
    return { jobId, attempt, result, answered, sealed: byJob.get(jobId) ?? null };
  });
  // All ciphertexts travel as one value that SQL cuts apart: this runs for every job of every batch. Base64 is a third shorter than the
  // hexadecimal digits that bytea parameters travel as.
  return tx<SettledRow[]>`
    with sealed as materialized (select decode(${bytes.toString('base64')}, 'base64') as bytes),
    input as ${recordset(tx, rows, writtenColumns)},
    blocks as ${recordset(tx, blocks, blockColumns)},
    settled as (
      update jobs j set
        status = i.status::job_status, outcome = i.outcome::job_outcome, billed_kobo = i.billed, cached = i.cached, provider = i.provider,
        latency_ms = i.latency, error_code = i.error_code, flagged = i.flagged, result_block = i.block, result_slot = i.slot, failures = j.failures + i.failures,
        completed_at = case when i.status = 'queued' then null else now() end,
        images = case when i.status = 'queued' or (i.image_days > 0 and (i.status = 'completed' or j.batch_id is not null)) then j.images end,
        images_until = case when j.images is not null and i.image_days > 0 and (i.status = 'completed' or j.batch_id is not null)
          then now() + i.image_days * interval '1 day' end
      from input i where j.id = i.id and j.status = 'leased' and j.attempt = i.attempt
      returning j.id, j.app_id, j.batch_id, j.live, j.family, j.check_id, j.status, j.outcome, j.flagged, j.cached, j.price_kobo, j.billed_kobo, j.result_block, i.start, i.size, i.image_size,
        i.stored_bytes, i.run_after_ms),
    found as (
      insert into results (job_id, entity, entity_images)
      select id, substring(bytes from start for size), case when image_size > 0 then substring(bytes from start + size for image_size) end
      from settled, sealed where size > 0),
    together as (
      insert into result_blocks (batch_id, id, check_id, sealed)
      select batch_id, id, check_id, substring(bytes from start for size) from blocks, sealed where id in (select result_block from settled)),
    returned as (
      insert into waiting_jobs (job_id, app_id, batch_id, family, check_id, run_after)
      select id, app_id, batch_id, family, check_id, now() + run_after_ms * interval '1 millisecond' from settled where status = 'queued'),
    captured as (${enterCaptures(tx, tx`settled`)})
    select id, app_id, live, batch_id, check_id, status, outcome, flagged, cached, price_kobo, billed_kobo, stored_bytes as result_bytes from settled`;
}

interface WrittenJob extends Pick<JobSettlement, 'jobId' | 'attempt' | 'result'> {
  answered: Answered | null;
  sealed: SealedResult | null;
}

const blockColumns: Columns<NewBlock> = {
  batch_id: ['uuid', (b) => b.batchId],
  id: ['uuid', (b) => b.id],
  check_id: ['text', (b) => b.checkId],
  start: ['int', (b) => b.start],
  size: ['int', (b) => b.sealed.length],
};

const writtenColumns: Columns<WrittenJob> = {
  id: ['uuid', (r) => r.jobId],
  attempt: ['int', (r) => r.attempt],
  status: ['text', (r) => r.result.status],
  outcome: ['text', (r) => r.answered?.outcome ?? null],
  flagged: ['bool', (r) => r.answered?.flagged || null],
  billed: ['int', (r) => r.answered?.billedKobo ?? 0],
  cached: ['bool', (r) => r.answered?.cached ?? false],
  provider: ['text', (r) => r.answered?.provider ?? null],
  latency: ['int', (r) => r.answered?.latencyMs ?? null],
  error_code: ['text', ({ result }) => (result.status === 'failed' ? storedError(result) : null)],
  image_days: ['int', (r) => daysOfImages(r.result)],
  run_after_ms: ['int', ({ result }) => (result.status === 'queued' ? result.runAfterMs : 0)],
  failures: ['int', ({ result }) => (result.status === 'failed' || (result.status === 'queued' && result.failed) ? 1 : 0)],
  block: ['uuid', (r) => r.sealed?.block ?? null],
  slot: ['int', (r) => r.sealed?.slot ?? null],
  start: ['int', (r) => r.sealed?.start ?? 0],
  size: ['int', (r) => r.sealed?.size ?? 0],
  image_size: ['int', (r) => r.sealed?.imageSize ?? 0],
  stored_bytes: ['int', (r) => r.sealed?.storedBytes ?? 0],
};

/** A failed row may be retried; a single job may not, nor may a job refused for its own picture. Null: the job still needs its images. */
function daysOfImages(result: JobResult): number | null {
  if (result.status === 'queued') return null;
  if (result.status === 'completed') return result.keepImagesDays ?? 0;
  return result.field ? 0 : RETRY_DAYS;
}

/** How long a failed row can be retried with its images. */
const RETRY_DAYS = fixedKinds.images.live;

/** Monitors requested by the jobs that were written. */
function monitorsOf(items: JobSettlement[], settled: SettledRow[]): NewMonitor[] {
  const monitored = new Map<string, Monitored>();
  for (const { jobId, result } of items) if (result.status === 'completed' && result.monitor) monitored.set(jobId, result.monitor);
  if (monitored.size === 0) return [];
  return settled.flatMap(({ id, appId, live, checkId }) => {
    const monitor = monitored.get(id);
    return monitor ? { jobId: id, appId, live, checkId, ...monitor } : [];
  });
}

/** Cases of the jobs that were written. */
function reviewsOf(items: JobSettlement[], settled: SettledRow[]): NewReview[] {
  const kinds = new Map<string, NewReview['kind']>();
  for (const { jobId, result } of items) if (result.status === 'completed' && result.review) kinds.set(jobId, result.review);
  if (kinds.size === 0) return [];
  return settled.flatMap(({ id, appId, live, checkId }) => {
    const kind = kinds.get(id);
    return kind ? [{ jobId: id, appId, live, checkId, kind }] : [];
  });
}

async function endSingleJobs(tx: Tx, ended: SettledRow[]): Promise<void> {
  if (ended.length === 0) return;
  const charged = ended.filter((job) => job.billedKobo > 0);
  await capture(
    tx,
    charged.map((job) => ({ id: job.id, amountKobo: job.billedKobo })),
  );
  const ids = ended.map((job) => job.id);
  await releaseHolds(tx, ids);
  const reported = await tx<UnopenedJob[]>`
    select ${tx.unsafe(jobColumns)} from jobs j where id = any(${ids}::uuid[]) and (callback_url is not null or exists (
      select 1 from webhook_endpoints e where e.app_id = j.app_id and e.live = j.live and e.deleted_at is null))`;
  await emitEvents(
    tx,
    reported.map(
      (job): NewEvent => ({
        appId: job.appId,
        live: job.live,
        type: job.status === 'failed' ? 'job.failed' : 'job.completed',
        // Reference and metadata stay sealed until the message is sent.
        data: showJob(job as JobRow),
        about: job.about,
        url: job.callbackUrl,
      }),
    ),
  );
}
