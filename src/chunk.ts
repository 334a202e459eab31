/** What a pool worker does with a chunk: loads it, verifies each job within its provider's budget, settles in groups. */

import { readInput } from './batches/columns.ts';
import { type InputReader, readSubmitted, type SubmittedJob } from './batches/submitted.ts';
import { knownCheck } from './checks/catalog.ts';
import { CheckRefusal } from './checks/check.ts';
import { imageInputs } from './checks/inputs.ts';
import { type Images, unpackImages } from './imagepack.ts';
import { type FailureCode, ProviderFailure, ProviderPending, ProviderUnavailable } from './providers/provider.ts';
import type { Asked } from './providers/seat.ts';
import type { AppSettings } from './schema/apps.ts';
import type { Service } from './service.ts';
import type { JobResult } from './settle.ts';
import type { Verdict } from './verify.ts';

interface ChunkRow {
  appId: string;
  live: boolean;
  family: string;
  checkId: string;
  settings: AppSettings;
  hasPortraits: boolean;
}

interface LoadedJob extends SubmittedJob {
  attempt: number;
  failures: number;
  priceKobo: number;
  cachedPriceKobo: number;
  cacheMode: 'use' | 'refresh';
}

/** Jobs of a chunk that are at work while they hold images, which are fetched one job at a time: bounds the memory, and is more than the cores can do. */
const IMAGE_JOBS_AT_ONCE = 8;

/** A chunk that is unknown, finished or taken back has nothing left to do: the queue may deliver it any number of times. */
export async function runChunk(service: Service, id: string): Promise<void> {
  const started = performance.now();
  const { sql, log, metrics, config } = service;
  const [chunk] = await sql<ChunkRow[]>`
    update chunks c set leased_until = now() + ${config.CONFAM_LEASE_MS} * interval '1 millisecond'
    from apps a where c.id = ${id} and c.finished_at is null and a.id = c.app_id
    returning c.app_id, c.live, c.family, c.check_id, a.settings,
      not c.live and exists (select 1 from sandbox_portraits p where p.app_id = c.app_id) as has_portraits`;
  if (!chunk) return;
  const jobs = await sql<LoadedJob[]>`
    select id, attempt, failures, batch_id, row_number, price_kobo, cached_price_kobo, cache_mode, input from jobs
    where id = any((select job_ids from chunks where id = ${id})::uuid[]) and status = 'leased' order by row_number`;
  const submitted = await readSubmitted(service, jobs);

  const heartbeat = setInterval(() => {
    sql`update chunks set leased_until = now() + ${config.CONFAM_LEASE_MS} * interval '1 millisecond' where id = ${id} and finished_at is null`.catch(
      (error) => log.warn({ chunk: id, err: error }, 'lease not renewed'),
    );
  }, config.CONFAM_LEASE_MS / 3);
  const counts: Record<string, number> = {};
  try {
    const waiting = jobs.values();
    const work = async () => {
      for (const job of waiting) {
        const outcome = await runJob(service, chunk, job, submitted);
        counts[outcome] = (counts[outcome] ?? 0) + 1;
      }
    };
    const atOnce = imageInputs(knownCheck(chunk.checkId)).length > 0 ? Math.min(jobs.length, IMAGE_JOBS_AT_ONCE) : jobs.length;
    const ended = await Promise.allSettled(Array.from({ length: atOnce }, work));
    // Only when all have ended: the lease must be renewed until then.
    for (const end of ended) if (end.status === 'rejected') throw end.reason;
  } finally {
    clearInterval(heartbeat);
  }
  const ms = Math.round(performance.now() - started);
  // One whose jobs all came back says nothing of how fast the family works.
  const isMeasured = Object.keys(counts).some((outcome) => outcome !== 'returned' && outcome !== 'superseded');
  await sql`update chunks set finished_at = now(), work_ms = ${isMeasured ? ms : null} where id = ${id} and finished_at is null`;
  metrics.chunkSeconds.observe({ family: chunk.family }, ms / 1000);
  log.info({ chunk: id, app: chunk.appId, check: chunk.checkId, jobs: jobs.length, ...counts, ms }, 'chunk');
}

type Submitted = (job: SubmittedJob) => InputReader;

/** Answers what became of the job, for the chunk's log line. Throws only what is wrong with the infrastructure. */
async function runJob(service: Service, chunk: ChunkRow, job: LoadedJob, submitted: Submitted): Promise<string> {
  const started = performance.now();
  const trail: Asked[] = [];
  const settle = async (result: JobResult): Promise<string> => {
    const settled = await service.settle.job({ jobId: job.id, attempt: job.attempt, checkId: chunk.checkId, result, trail });
    return settled === 'superseded'
      ? settled
      : result.status === 'completed'
        ? result.outcome
        : result.status === 'queued'
          ? 'returned'
          : 'failed';
  };
  const complete = (verdict: Verdict) =>
    settle({
      status: 'completed',
      ...verdict,
      // Of somebody who is not on record nothing was compared.
      keepImagesDays: verdict.outcome === 'found' ? chunk.settings.keepImagesDays : undefined,
      billedKobo: verdict.outcome === 'not_found' ? 0 : verdict.cached ? job.cachedPriceKobo : job.priceKobo,
      latencyMs: Math.round(performance.now() - started),
    });

  const check = knownCheck(chunk.checkId);
  let storing = false;
  try {
    return await service.verify(
      {
        check,
        input: await openInput(service, chunk, job, submitted),
        owner: {
          appId: chunk.appId,
          live: chunk.live,
          scope: chunk.settings.cacheScope ?? 'app',
          settings: chunk.settings,
          hasPortraits: chunk.hasPortraits,
        },
        cacheMode: job.cacheMode,
        priority: 'batch',
        waitMaxMs: 0,
        reference: job.id,
        storesEntity: true,
        trail,
      },
      (verdict) => {
        storing = true;
        return complete(verdict);
      },
    );
  } catch (error) {
    if (storing) throw error;
    if (error instanceof CheckRefusal) return settle({ status: 'failed', errorCode: error.code, field: error.field });
    if (!(error instanceof ProviderFailure || error instanceof ProviderUnavailable || error instanceof ProviderPending)) {
      service.log.error({ job: job.id, check: chunk.checkId, err: error }, 'check failed');
    }
    return settle(resultOfFailure(service, job, error));
  }
}

/** Failures that asking again does not change, as the job tells them. */
const finalFailures: Partial<Record<FailureCode, string>> = {
  not_configured: 'provider_not_configured',
  invalid: 'invalid_identifier',
  no_consent: 'no_consent',
  mismatch: 'subject_mismatch',
  list_not_loaded: 'lists_not_loaded',
};

/** Between us and the vendor: the job waits until that is settled, and loses no attempt. */
const BLAMELESS: ReadonlySet<FailureCode> = new Set(['rate_limited', 'out_of_credit', 'unauthorized', 'lists_not_loaded']);

/** Where a job goes whose look-up gave no answer. */
function resultOfFailure({ config }: Service, job: LoadedJob, error: unknown): JobResult {
  if (error instanceof ProviderUnavailable) return { status: 'queued', runAfterMs: error.retryAfterMs, failed: false };
  if (error instanceof ProviderPending) return { status: 'queued', runAfterMs: error.askAgainMs, failed: false };
  if (!(error instanceof ProviderFailure)) return { status: 'failed', errorCode: 'internal' };
  const errorCode = finalFailures[error.code];
  if (errorCode) return { status: 'failed', errorCode };
  if (BLAMELESS.has(error.code)) return { status: 'queued', runAfterMs: error.retryAfterMs ?? config.CONFAM_JOB_BACKOFF_MS, failed: false };
  if (!error.retryable || job.failures + 1 >= config.CONFAM_JOB_FAILURES_MAX) return { status: 'failed', errorCode: 'provider_failed' };
  return {
    status: 'queued',
    runAfterMs: Math.max(error.retryAfterMs ?? 0, config.CONFAM_JOB_BACKOFF_MS * 2 ** job.failures),
    failed: true,
  };
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
  const images = imageInputs(check).length > 0 ? await fetchImages(service, job.id) : null;
  const result = readInput(check, (key) => images?.[key.slice(key.lastIndexOf('.') + 1)] ?? stored(key));
  if ('problems' in result) throw new Error('a stored input no longer fits its check');
  return result.input;
}

async function fetchImages({ sql, cipher }: Service, id: string): Promise<Images> {
  const [row] = await sql<{ images: Buffer | null }[]>`select images from jobs where id = ${id}`;
  return row?.images ? unpackImages(cipher.openBytes(row.images, 'images', id)) : {};
}
