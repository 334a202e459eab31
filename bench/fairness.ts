/** How long one app's single job waits while another app's large batch is running, for the same check and so in the same pool. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { freshNins, untilCompleted, untilStarted } from './batch.ts';
import { ms, type Report, type Summary, summarize, typical } from './figure.ts';
import { type Bench, type Options, rowsOf, type Size } from './harness.ts';
import { openClient, openLoop } from './load.ts';

/** Even a tiny batch runs for a second, so that jobs arrive meanwhile. */
const BATCH_ROWS: Size = { full: 100_000, tiny: 5_000 };
const JOBS_PER_SECOND = 10;
const P99_MS_MAX = 1_000;
const SETTLE_TIMEOUT_MS = 10_000;

interface Waits {
  /** From the insertion of the job's row to its result's transaction. */
  wait: Summary;
  /** The part of it until the dispatcher leased the job. The rest is BullMQ, the look-up and the group commit. */
  untilLease: Summary;
}

export async function fairness(bench: Bench, options: Options): Promise<Report> {
  const confam = await bench.startConfam(options.backend);
  const [large, small] = [await confam.createApp('Large'), await confam.createApp('Small')];
  const client = openClient(confam.baseUrl, small.headers);
  const submit = () => client.post('/api/v1/jobs', { check: 'nin_advance', input: { nin: freshNins(1)[0] } });
  await submit();

  const runs: (Waits & { accepted: Summary; batchMs: number })[] = [];
  for (let i = 0; i < options.repeats; i++) {
    const { id } = await large.upload(rowsOf(options, BATCH_ROWS));
    await untilStarted(confam.sql, id);
    const over = new AbortController();
    const batch = untilCompleted(confam.sql, id).finally(() => over.abort());
    const [jobs, run] = await Promise.all([openLoop(JOBS_PER_SECOND, { stop: over.signal }, submit), batch]);
    runs.push({ ...(await readWaits(confam.sql, small.id, id)), accepted: summarize(jobs.samples), batchMs: Math.round(run.ms) });
  }
  await client.close();
  await confam.stop();
  const p99 = typical(
    runs.map((run) => run.wait),
    'p99',
  );
  return {
    figures: [
      {
        what: `single job's wait beside another app's ${rowsOf(options, BATCH_ROWS).toLocaleString('en')} rows, p99`,
        measured: ms(p99),
        target: `≤ ${P99_MS_MAX} ms`,
        ok: p99 <= P99_MS_MAX,
      },
    ],
    detail: { backend: options.backend, p99, runs },
  };
}

/** The app's jobs that were accepted while the batch ran, on Postgres's clock. Throws if one is not completed in time. */
async function readWaits(sql: Sql, appId: string, batchId: string): Promise<Waits> {
  const deadline = performance.now() + SETTLE_TIMEOUT_MS;
  for (;;) {
    const jobs = await sql<{ status: string; wait: number; untilLease: number | null }[]>`
      select j.status, extract(epoch from j.completed_at - j.created_at)::float8 * 1000 as wait,
        extract(epoch from (select min(c.created_at) from chunks c where c.single and j.id = any(c.job_ids)) - j.created_at)::float8 * 1000 as "untilLease"
      from jobs j join batches b on b.id = ${batchId} and j.created_at between b.started_at and b.completed_at
      where j.app_id = ${appId}`;
    if (jobs.every((job) => job.status === 'completed')) {
      return { wait: summarize(jobs.map((job) => job.wait)), untilLease: summarize(jobs.flatMap((job) => job.untilLease ?? [])) };
    }
    if (performance.now() > deadline) throw new Error(`some of ${jobs.length} single jobs are still not completed`);
    await sleep(50);
  }
}
