/**
 * What old jobs cost: a batch, cached calls and pages of jobs over a database with a million jobs of the past year (`--rows`), compared with an empty one. Both
 * deployments run on one Postgres, and are measured in turn.
 */
import { untilCompleted } from './batch.ts';
import { median, type Report, summarise, times } from './figure.ts';
import { type App, type Bench, type Confam, type Options, rowsOf, type Size, sized } from './harness.ts';
import { closedLoop, openClient } from './load.ts';
import { cacheNumbers } from './sync.ts';

const OLD_JOBS: Size = { full: 1_000_000, tiny: 5_000 };
const BATCH_ROWS: Size = { full: 20_000, tiny: 500 };
const CALL_SECONDS: Size = { full: 3, tiny: 0.3 };
const PAGES: Size = { full: 200, tiny: 5 };
const RATIO_MAX = 1.1;
const YEAR_MS = 365 * 86_400_000;
/** Rows of one statement. */
const SLICE = 250_000;

/** Milliseconds. */
interface Measured {
  batch: number;
  call: number;
  page: number;
}

const WHAT: Record<keyof Measured, string> = {
  batch: 'a batch from start to end',
  call: 'cached call, p50',
  page: 'page of 100 jobs, p50',
};

export async function oldJobs(bench: Bench, options: Options): Promise<Report> {
  const rows = rowsOf(options, OLD_JOBS);
  const [empty, full] = [await open(bench, options), await open(bench, options)];
  const began = performance.now();
  await fill(full, rows);
  const filledMs = Math.round(performance.now() - began);
  // Warms both up.
  for (const one of [empty, full]) await measure(one, options);
  const runs: { empty: Measured; full: Measured }[] = [];
  for (let i = 0; i < options.repeats; i++) runs.push({ empty: await measure(empty, options), full: await measure(full, options) });
  await Promise.all([empty.confam.stop(), full.confam.stop()]);
  return {
    figures: (Object.keys(WHAT) as (keyof Measured)[]).map((what) => {
      const [without, beside] = (['empty', 'full'] as const).map((which) => median(runs.map((run) => run[which][what]))) as [
        number,
        number,
      ];
      return {
        what: `${WHAT[what]}, beside ${rows.toLocaleString('en')} old jobs`,
        measured: `${beside.toFixed(1)} ms`,
        reference: `${without.toFixed(1)} ms without`,
        ratio: times(beside / without),
        target: `≤ ${RATIO_MAX}`,
        ok: beside / without <= RATIO_MAX,
      };
    }),
    detail: { rows, filledMs, runs },
  };
}

interface Deployment {
  confam: Confam;
  app: App;
}

async function open(bench: Bench, options: Options): Promise<Deployment> {
  const confam = await bench.startConfam(options.backend);
  return { confam, app: await confam.createApp('Old jobs') };
}

/** Answered calls of the past year, each with its result and its charge, evenly spread. */
async function fill({ confam: { sql }, app }: Deployment, rows: number): Promise<void> {
  const from = Date.now() - YEAR_MS;
  const stepMs = YEAR_MS / rows;
  for (let first = 0; first < rows; first += SLICE) {
    const last = Math.min(rows, first + SLICE) - 1;
    await sql.unsafe(`
      create temp table old on commit drop as select n,
        (substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-7' || substr(x, 1, 3) || '-8' || substr(x, 4, 3) || '-' || substr(x, 7, 12))::uuid as id,
        to_timestamp((${from} + n * ${stepMs}::float8) / 1000.0) as at
      from (select n, lpad(to_hex((${from} + n * ${stepMs}::float8)::bigint), 12, '0') as h, md5(n::text) as x from generate_series(${first}, ${last}) n) t;
      insert into jobs (id, app_id, live, status, outcome, price_kobo, cached_price_kobo, billed_kobo, latency_ms, created_at, completed_at, check_id, family, provider, subject)
        select id, '${app.id}', true, 'completed', 'found', 12500, 5000, 12500, 160, at, at, 'nin_advance', 'nin', 'sandbox', sha256(id::text::bytea) from old;
      insert into results (job_id, entity) select id, decode(repeat(md5(n::text), 25), 'hex') from old;
      insert into ledger_entries (at, app_id, live, kind, from_account, to_account, amount_kobo, hold_id, job_id, check_id, jobs)
        select at, '${app.id}', true, 'capture', 'held', 'revenue', 12500, id, id, 'nin_advance', 1 from old;`);
  }
  await sql.unsafe('vacuum analyze jobs, results, ledger_entries');
  await sql.unsafe('checkpoint');
}

async function measure({ confam, app }: Deployment, options: Options): Promise<Measured> {
  const { id } = await app.upload(sized(options, BATCH_ROWS));
  const { ms: batch } = await untilCompleted(confam.sql, id);
  const client = openClient(confam.baseUrl, app.headers);
  const paths = await cacheNumbers(confam, app);
  const samples = await closedLoop(confam.baseUrl, { connections: 10, seconds: sized(options, CALL_SECONDS), paths, headers: app.headers });
  const pages: number[] = [];
  for (let i = 0; i < sized(options, PAGES); i++) {
    const began = performance.now();
    await client.get(`/api/v1/batches/bat_${id.replaceAll('-', '')}/jobs?limit=100`);
    pages.push(performance.now() - began);
  }
  await client.close();
  return { batch, call: summarise(samples).p50, page: summarise(pages).p50 };
}
