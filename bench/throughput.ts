/** How many rows a second a batch runs at, from the first lease to the last commit, compared with BullMQ alone on the same backend. */

import { type BatchRun, untilCompleted } from './batch.ts';
import { median, perSecond, type Report, times } from './figure.ts';
import { type Backend, type Bench, type Options, rowsOf, type Size, sized } from './harness.ts';

const ROWS: Size = { full: 50_000, tiny: 1_000 };
const REFERENCE_JOBS: Size = { full: 20_000, tiny: 500 };
const TARGET: Record<Backend, number> = { postgres: 8, redis: 1 };

export async function throughput(bench: Bench, options: Options): Promise<Report> {
  const report: Report = { figures: [], detail: {} };
  for (const backend of options.backends) {
    const name = `batch throughput, ${backend}`;
    if (backend === 'redis' && bench.redisUrl === null) {
      report.figures.push({ what: name, measured: 'skipped: redis-server is not installed' });
      continue;
    }
    const rows = rowsOf(options, ROWS);
    const runs = await measure(bench, options, backend, rows);
    const measured = median(runs.map((run) => (run.rows / run.ms) * 1000));
    const reference = median(runs.map((run) => run.reference));
    report.figures.push({
      what: name,
      measured: perSecond(measured, 'rows'),
      reference: `${perSecond(reference, 'no-op jobs')}`,
      ratio: times(measured / reference),
      target: `≥ ${TARGET[backend]}`,
      ok: measured / reference >= TARGET[backend],
    });
    report.detail[backend] = { rows, measured, reference, runs };
  }
  return report;
}

/** Batch and reference alternate, so that other load on the machine affects both. */
async function measure(bench: Bench, options: Options, backend: Backend, rows: number) {
  const confam = await bench.startConfam(backend);
  const referenceUrl = await bench.createDatabase();
  const app = await confam.createApp('Throughput');
  const runs: (BatchRun & { uploadMs: number; reference: number })[] = [];
  for (let i = 0; i < options.repeats; i++) {
    const { id, uploadMs } = await app.upload(rows);
    const run = await untilCompleted(confam.sql, id);
    const program = await bench.startProgram<{ perSecond: number }>(new URL('./reference-bullmq.ts', import.meta.url), {
      JOBS: String(sized(options, REFERENCE_JOBS)),
      ...(backend === 'redis' ? { REDIS_URL: bench.redisUrl! } : { DATABASE_URL: referenceUrl }),
    });
    await program.stop();
    runs.push({ ...run, uploadMs, reference: program.line.perSecond });
  }
  await confam.stop();
  return runs;
}
