/** A pool worker's part: loads a chunk, verifies each job within its provider's budget, and settles the results in groups. */
import { setTimeout as sleep } from 'node:timers/promises';
import { withdrawnAmong } from '../access/consents.ts';
import { type Attempt, isMismatch, TooManyMisses } from '../access/misses.ts';
import { keptImages } from '../batches/images.ts';
import { type InputReader, readSubmitted, type SubmittedJob } from '../batches/submitted.ts';
import { knownCheck } from '../checks/catalog.ts';
import { CheckRefusal, isFlagged } from '../checks/check.ts';
import { type Failure, failureOf } from '../checks/failures.ts';
import { imageInputs } from '../checks/inputs.ts';
import { readInput } from '../checks/read-input.ts';
import { openAbout } from '../contract/about.ts';
import { isDatabaseFault, isRefusedStatement } from '../foundation/database-faults.ts';
import { ApiError } from '../foundation/errors.ts';
import { showId } from '../foundation/ids.ts';
import { refuseNewer } from '../jobs/release.ts';
import { chargeOf } from '../money/prices.ts';
import type { VendorLookup } from '../providers/guarded-provider.ts';
import { reviewOf } from '../reviews/rules.ts';
import type { AppSettings } from '../schema/apps.ts';
import { IMAGE_JOBS_AT_ONCE } from './dispatch.ts';
import type { Service } from './service.ts';
import type { JobResult } from './settle.ts';
import { requestOwner, type Verdict } from './verify.ts';

interface ChunkRow {
  appId: string;
  live: boolean;
  family: string;
  checkId: string;
  settings: AppSettings;
  hasPortraits: boolean;
  hasWithdrawals: boolean;
}

interface LoadedJob extends SubmittedJob {
  attempt: number;
  failures: number;
  priceKobo: number;
  cachedPriceKobo: number;
  cacheMode: 'use' | 'refresh';
  storedAs: number | null;
}

/** While a vendor takes longer than this, the pool takes more work. A chunk that ends sooner saves the extra statement. */
const SLOW_MS = 50;

/**
 * Runs a chunk. One that is unknown, begun, finished or taken back has nothing left to do, so the queue may deliver it any number of times.
 * `onBegun` is called once all its jobs are waiting for slow vendors, so that the pool can take the next chunk. Throws infrastructure errors and
 * `NewerRelease`; the caller then calls `handBack`.
 */
export async function runChunk(service: Service, id: string, onBegun?: () => void): Promise<void> {
  const started = performance.now();
  const { sql, log, metrics } = service;
  const chunk = await claimChunk(service, id);
  if (!chunk) return;
  if (service.suspensions.has(chunk.appId)) return handBack(service, [id]);
  const jobs = await loadJobs(service, id);
  refuseNewer(
    chunk.checkId,
    jobs.map(({ storedAs }) => storedAs),
  );
  const submitted = await readSubmitted(service, jobs);
  const withdrawn = chunk.hasWithdrawals ? await jobsWithdrawn(service, chunk, jobs) : null;

  const endRenewals = renewLease(service, id);
  const counts: Record<string, number> = {};
  const hasImages = imageInputs(knownCheck(chunk.checkId)).length > 0;
  // Images stay in memory until their job ends, so the next chunk's images must wait.
  const beginning = hasImages ? null : openBeginning(jobs.length, () => leaveWindow(service, id, onBegun));
  try {
    const waiting = jobs.values();
    const work = async () => {
      for (const job of waiting) {
        const beforeAsking = beginning?.job();
        const outcome = await runJob(service, chunk, job, submitted, { beforeAsking, isWithdrawn: withdrawn?.has(job.id) ?? false });
        beforeAsking?.();
        counts[outcome] = (counts[outcome] ?? 0) + 1;
      }
    };
    const atOnce = hasImages ? Math.min(jobs.length, IMAGE_JOBS_AT_ONCE) : jobs.length;
    const ended = await Promise.allSettled(Array.from({ length: atOnce }, work));
    // Wait for all of them first: the lease must be renewed until then.
    for (const end of ended) if (end.status === 'rejected') throw end.reason;
  } finally {
    endRenewals();
    beginning?.over();
  }
  const ms = Math.round(performance.now() - started);
  // A chunk whose jobs all went back to the queue says nothing about the family's speed.
  const isMeasured = Object.keys(counts).some((outcome) => outcome !== 'returned' && outcome !== 'superseded');
  await sql`update chunks set finished_at = now(), work_ms = ${isMeasured ? ms : null} where id = ${id} and finished_at is null`;
  metrics.chunkSeconds.observe({ family: chunk.family }, ms / 1000);
  log.info({ chunk: id, app: showId('app', chunk.appId), check: chunk.checkId, jobs: jobs.length, ...counts, ms }, 'chunk');
}

/** Renews the lease of a chunk that has not begun; undefined if there is no such chunk. */
async function claimChunk({ sql, config }: Service, id: string): Promise<ChunkRow | undefined> {
  const [chunk] = await sql<ChunkRow[]>`
    update chunks c set leased_until = now() + ${config.CONFAM_LEASE_MS} * interval '1 millisecond'
    from apps a where c.id = ${id} and c.begun_at is null and c.finished_at is null and a.id = c.app_id
    returning c.app_id, c.live, c.family, c.check_id, a.settings,
      not c.live and exists (select 1 from sandbox_portraits p where p.app_id = c.app_id) as has_portraits,
      exists (select 1 from consent_withdrawals w where w.app_id = c.app_id and w.live = c.live) as has_withdrawals`;
  return chunk;
}

/** If the chunk is delivered once more, a job that came back meanwhile may have been leased again, in a later chunk: it is left to that one. */
const loadJobs = ({ sql }: Service, id: string): Promise<LoadedJob[]> => sql<LoadedJob[]>`
  select j.id, j.attempt, j.failures, j.batch_id, j.row_number, j.price_kobo, j.cached_price_kobo, j.cache_mode, j.input,
    coalesce(b.stored_as, j.stored_as) as stored_as
  from jobs j left join batches b on b.id = j.batch_id
  where j.id = any((select job_ids from chunks where id = ${id})::uuid[]) and j.status = 'leased'
    and (j.attempt = 1 or j.id not in (
      select unnest(job_ids) from chunks where finished_at is null and created_at > (select created_at from chunks where id = ${id})))
  order by j.row_number`;

/** Renews the chunk's lease from time to time, until the returned function is called. */
function renewLease({ sql, log, config }: Service, id: string): () => void {
  const heartbeat = setInterval(() => {
    sql`update chunks set leased_until = now() + ${config.CONFAM_LEASE_MS} * interval '1 millisecond' where id = ${id} and finished_at is null`.catch(
      (error) => log.warn({ chunk: id, err: error }, 'lease not renewed'),
    );
  }, config.CONFAM_LEASE_MS / 3);
  return () => clearInterval(heartbeat);
}

/** Calls `onBegun` `SLOW_MS` after all `jobs` have begun, unless `over` is called first. */
function openBeginning(jobs: number, onBegun: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let left = jobs;
  return {
    /** The returned function is called when the job begins or ends; repeated calls do nothing. */
    job() {
      let hasBegun = false;
      return () => {
        if (hasBegun) return;
        hasBegun = true;
        if (--left === 0) timer = setTimeout(onBegun, SLOW_MS);
      };
    },
    over: () => clearTimeout(timer),
  };
}

function leaveWindow({ sql, log }: Service, id: string, onBegun: (() => void) | undefined): void {
  sql`update chunks set begun_at = now() where id = ${id} and finished_at is null`.then(onBegun, (error) =>
    log.warn({ chunk: id, err: error }, 'a chunk that has begun still counts as waiting'),
  );
}

/** How long `handBack` keeps trying. After that the lease runs out by itself. */
const HAND_BACK_MS = 10_000;
const HAND_BACK_AGAIN_MS = 250;

/** Ends the leases of abandoned chunks. The sweeper requeues their jobs at once, and no failure is counted. */
export async function handBack({ sql }: Service, ids: string[]): Promise<void> {
  for (const began = performance.now(); ; await sleep(HAND_BACK_AGAIN_MS)) {
    try {
      await sql`update chunks set leased_until = now() where id = any(${ids}::uuid[]) and finished_at is null`;
      return;
    } catch (error) {
      if (performance.now() - began > HAND_BACK_MS) throw error;
    }
  }
}

type Submitted = (job: SubmittedJob) => InputReader;

/** Returns the job's outcome for the chunk's log line. Throws only infrastructure errors. */
async function runJob(
  service: Service,
  chunk: ChunkRow,
  job: LoadedJob,
  submitted: Submitted,
  { beforeAsking, isWithdrawn }: { beforeAsking: (() => void) | undefined; isWithdrawn: boolean },
): Promise<string> {
  const started = performance.now();
  const trail: VendorLookup[] = [];
  const settle = async (result: JobResult): Promise<string> => {
    const settled = await service.settle.job({
      jobId: job.id,
      appId: chunk.appId,
      batchId: job.batchId,
      attempt: job.attempt,
      checkId: chunk.checkId,
      result,
      trail,
    });
    return settled === 'superseded' ? settled : outcomeOf(result);
  };
  const check = knownCheck(chunk.checkId);
  if (isWithdrawn) return settle({ status: 'failed', errorCode: 'consent_withdrawn' });
  let storing = false;
  let question: Attempt | undefined;
  try {
    const input = await openInput(service, chunk, job, submitted);
    question = service.misses.begin(chunk, check, input, job.batchId === null ? 'job' : 'row');
    return await service.verify(
      {
        check,
        owner: requestOwner(chunk),
        input,
        cacheMode: job.cacheMode,
        priority: 'batch',
        waitMaxMs: 0,
        reference: job.id,
        storesEntity: true,
        beforeAsking: () => {
          service.suspensions.refuse(chunk.appId);
          beforeAsking?.();
        },
        trail,
      },
      async (verdict) => {
        if (verdict.outcome === 'not_found' && !verdict.cached) await question!.missed();
        storing = true;
        return settle(completedBy(verdict, chunk, job, Math.round(performance.now() - started)));
      },
    );
  } catch (error) {
    // An answer that the database refuses is our fault. Any other database error says nothing about the job.
    if (isDatabaseFault(error) || (storing && !isRefusedStatement(error))) throw error;
    if (isMismatch(error)) await question?.missed();
    return settle(resultOfError(service, chunk, job, error));
  } finally {
    question?.end();
  }
}

const completedBy = (verdict: Verdict, { checkId, settings }: ChunkRow, job: LoadedJob, latencyMs: number): JobResult => ({
  status: 'completed',
  ...verdict,
  flagged: isFlagged(knownCheck(checkId), verdict.entity),
  // Nobody is on record, so nothing was compared.
  keepImagesDays: verdict.outcome === 'found' ? settings.keepImagesDays : undefined,
  review: reviewOf(settings, verdict.entity),
  billedKobo: chargeOf(verdict, job),
  latencyMs,
});

function outcomeOf(result: JobResult): string {
  if (result.status === 'completed') return result.outcome;
  return result.status === 'queued' ? 'returned' : 'failed';
}

/** The `jobs` whose consent was withdrawn after they were submitted. */
async function jobsWithdrawn({ sql, cipher }: Service, chunk: ChunkRow, jobs: readonly LoadedJob[]): Promise<Set<string>> {
  const withAbout = await sql<{ id: string; about: Buffer | null; batch: string | null; batchAbout: Buffer | null }[]>`
    select j.id, j.about, b.id as batch, b.about as batch_about from jobs j left join batches b on b.id = j.batch_id
    where j.id = any(${jobs.map(({ id }) => id)}::uuid[]) and (j.about is not null or b.about is not null)`;
  const opener = await cipher.opener(withAbout.flatMap(({ about, batchAbout }) => [about, batchAbout]));
  const references = new Map<string, string | undefined>();
  const ofJob = withAbout.map(({ id, about, batch, batchAbout }) => {
    const [owner, sealed] = batch === null ? [showId('job', id), about] : [showId('bat', batch), batchAbout];
    if (!references.has(owner)) references.set(owner, openAbout(opener, owner, sealed).consent?.reference);
    return { id, reference: references.get(owner) };
  });
  const withdrawn = await withdrawnAmong({ sql, cipher }, chunk, [...new Set(ofJob.flatMap(({ reference = [] }) => reference))]);
  return new Set(ofJob.flatMap(({ id, reference }) => (reference !== undefined && withdrawn.has(reference) ? [id] : [])));
}

function resultOfError(service: Service, { checkId }: ChunkRow, job: LoadedJob, error: unknown): JobResult {
  if (error instanceof TooManyMisses)
    return error.isReached
      ? { status: 'failed', errorCode: error.code }
      : { status: 'queued', runAfterMs: service.config.CONFAM_JOB_BACKOFF_MS, failed: false };
  if (error instanceof ApiError && error.code === 'app_suspended') return { status: 'queued', runAfterMs: 0, failed: false };
  if (error instanceof CheckRefusal) return { status: 'failed', errorCode: error.code, field: error.field };
  const failure = failureOf(error);
  if (failure.kind === 'fault') service.log.error({ job: showId('job', job.id), check: checkId, err: error }, 'check failed');
  return resultOfFailure(service, job, failure);
}

/** What happens to a job whose look-up got no answer. */
function resultOfFailure({ config }: Service, job: LoadedJob, failure: Failure): JobResult {
  const { jobCode, jobThen, retryAfterMs, jobRetryAfterMs, jobWaitMsMax = Number.POSITIVE_INFINITY } = failure;
  if (jobThen === 'park') {
    const waitMs = retryAfterMs ?? jobRetryAfterMs ?? config.CONFAM_JOB_BACKOFF_MS;
    return { status: 'queued', runAfterMs: Math.min(waitMs, jobWaitMsMax), failed: false };
  }
  const isLast = job.failures + 1 >= config.CONFAM_JOB_FAILURES_MAX;
  if (jobThen === 'fail' || isLast) return { status: 'failed', errorCode: jobCode };
  return { status: 'queued', runAfterMs: Math.max(retryAfterMs ?? 0, config.CONFAM_JOB_BACKOFF_MS * 2 ** job.failures), failed: true };
}

/** The input as it was validated at submission. */
async function openInput(
  service: Service,
  chunk: ChunkRow,
  job: LoadedJob,
  submitted: Submitted,
): Promise<Record<string, string | undefined>> {
  const check = knownCheck(chunk.checkId);
  const stored = submitted(job);
  const images = imageInputs(check).length > 0 ? await keptImages(service, job.id) : null;
  const result = readInput(check, (key) => images?.[key.slice(key.lastIndexOf('.') + 1)] ?? stored(key));
  if ('problems' in result) throw new Error('a stored input no longer fits its check');
  return result.input;
}
