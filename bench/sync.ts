/**
 * The single call that is answered from the cache: under full load compared with a bare Hono route that commits one row, and at a steady 200 requests a
 * second. `busy` is the latter while a batch runs.
 */

import postgres from 'postgres';
import { freshNins, untilCompleted, untilStarted } from './batch.ts';
import { type Callers, startCallers } from './callers.ts';
import { ms, type Report, type Summary, summarize, times, typical } from './figure.ts';
import { type App, type Bench, type Confam, type Options, rowsOf, type Size, sized, startOneRowRoute } from './harness.ts';
import { closedLoop, openClient, openLoop } from './load.ts';
import { sampleWaits, shown } from './waits.ts';

const CONNECTIONS = 50;
const NUMBERS = 200;
export const RATE = 200;
const WARM_UP_SECONDS: Size = { full: 4, tiny: 0.5 };
const BATCH_ROWS: Size = { full: 100_000, tiny: 5_000 };

const P50_RATIO_MAX = 1.3;
const P99_MS_MAX = 15;
const P99_BUSY_MS_MAX = 60;

export interface PacedSummary extends Summary {
  /** How late the load generator sent requests, in milliseconds. */
  lateness: Summary;
}

export async function sync(bench: Bench, options: Options): Promise<Report> {
  const confam = await bench.startConfam(options.backend);
  const app = await confam.createApp('Sync');
  const paths = await cacheNumbers(confam, app);
  const callers = await startCallers(bench, confam.baseUrl, app.headers);
  const reference = await startOneRowRoute(bench);
  const referenceCallers = await startCallers(bench, reference.line.url, {});
  const load = (seconds: number) => ({
    confam: () => closedLoop(confam.baseUrl, { connections: CONNECTIONS, seconds, paths, headers: app.headers }).then(summarize),
    reference: () => closedLoop(reference.line.url, { connections: CONNECTIONS, seconds, paths: ['/'] }).then(summarize),
  });

  await load(sized(options, WARM_UP_SECONDS)).confam();
  await load(sized(options, WARM_UP_SECONDS)).reference();
  const seconds = options.seconds / options.repeats;
  const runs: { confam: Summary; reference: Summary; paced: PacedSummary; referencePaced: PacedSummary }[] = [];
  for (let i = 0; i < options.repeats; i++) {
    runs.push({
      confam: await load(seconds).confam(),
      reference: await load(seconds).reference(),
      paced: await paced({ seconds }, callers, paths),
      referencePaced: await paced({ seconds }, referenceCallers, ['/']),
    });
  }
  await expectCached(confam, app);
  await Promise.all([callers.stop(), referenceCallers.stop()]);
  await reference.stop();
  await confam.stop();

  const of = (who: keyof (typeof runs)[number]) => runs.map((run) => run[who]);
  const [p50, referenceP50] = [typical(of('confam'), 'p50'), typical(of('reference'), 'p50')];
  const [p99, referenceP99] = [typical(of('paced'), 'p99'), typical(of('referencePaced'), 'p99')];
  return {
    figures: [
      {
        what: `cached call, ${CONNECTIONS} connections, p50`,
        measured: ms(p50),
        reference: `${ms(referenceP50)} one-row route`,
        ratio: times(p50 / referenceP50),
        target: `≤ ${P50_RATIO_MAX}`,
        ok: p50 / referenceP50 <= P50_RATIO_MAX,
      },
      {
        what: `cached call, ${RATE}/s, p99`,
        measured: ms(p99),
        reference: `${ms(referenceP99)} one-row route`,
        target: `< ${P99_MS_MAX} ms`,
        ok: p99 < P99_MS_MAX,
      },
    ],
    detail: { backend: options.backend, p50, referenceP50, p99, referenceP99, runs },
  };
}

export async function busy(bench: Bench, options: Options): Promise<Report> {
  const confam = await bench.startConfam(options.backend);
  const [app, other] = [await confam.createApp('Sync'), await confam.createApp('Batch')];
  const paths = await cacheNumbers(confam, app);
  const callers = await startCallers(bench, confam.baseUrl, app.headers);
  await paced({ seconds: sized(options, WARM_UP_SECONDS) }, callers, paths);
  const client = openClient(confam.baseUrl, app.headers);
  // A connection of its own: on another's, its statement would wait for theirs.
  const bare = postgres(confam.environment.DATABASE_URL!, { max: 1 });
  const runs: (PacedSummary & Parts & { batchRowsPerSecond: number })[] = [];
  for (let i = 0; i < options.repeats; i++) {
    const { id } = await other.upload(rowsOf(options, BATCH_ROWS));
    await untilStarted(confam.sql, id);
    const over = new AbortController();
    const until = { stop: over.signal };
    const batch = untilCompleted(confam.sql, id).finally(() => over.abort());
    const [summary, loop, statement, waits, run] = await Promise.all([
      paced(until, callers, paths),
      timed(until, () => client.get('/healthz')),
      timed(until, () => bare`select 1`),
      sampleWaits(confam.sql, over.signal),
      batch,
    ]);
    runs.push({ ...summary, loop, statement, waits, batchRowsPerSecond: Math.round((run.rows / run.ms) * 1000) });
  }
  await expectCached(confam, app);
  await Promise.all([callers.stop(), client.close(), bare.end()]);
  await confam.stop();
  const p99 = typical(runs, 'p99');
  return {
    figures: [
      {
        what: `cached call, ${RATE}/s beside a batch of ${rowsOf(options, BATCH_ROWS).toLocaleString('en')} rows, p99`,
        measured: ms(p99),
        reference: partsOf(runs),
        target: `≤ ${P99_BUSY_MS_MAX} ms`,
        ok: p99 <= P99_BUSY_MS_MAX,
      },
    ],
    detail: { backend: options.backend, p99, runs },
  };
}

/** The parts of a call's time beside a batch, each measured by itself at the same time. */
interface Parts {
  /** A request that asks no database: the event loop of the API, and what the system takes to give it a processor. */
  loop: Summary;
  /** A statement that reads nothing, from the load generator's own process: Postgres, and processors for it. */
  statement: Summary;
  /** Sessions at a time, by what they wait for. */
  waits: Record<string, number>;
}

/** A second between samples would miss what lasts a tenth of a second; many more samples would be a load of their own. */
const PARTS_PER_SECOND = 20;

const timed = async (until: { stop: AbortSignal }, ask: () => Promise<unknown>): Promise<Summary> =>
  summarize((await openLoop(PARTS_PER_SECOND, until, async () => void (await ask()))).samples);

function partsOf(runs: readonly (PacedSummary & Parts)[]): string {
  const p99 = (of: (run: PacedSummary & Parts) => Summary) => ms(typical(runs.map(of), 'p99'));
  return `p99 of sending late ${p99((run) => run.lateness)}, of a request without database ${p99((run) => run.loop)}, of an empty statement ${p99((run) => run.statement)}; sessions at once: ${shown(runs.at(-1)!.waits)}`;
}

/** Looks numbers up once, so that every later call for them is answered from the cache. */
export async function cacheNumbers({ baseUrl }: Confam, { headers }: App): Promise<string[]> {
  const paths = freshNins(NUMBERS).map((nin) => `/api/v1/kyc/nin/advance?nin=${nin}`);
  const client = openClient(baseUrl, headers);
  await Promise.all(paths.map((path) => client.get(path)));
  await client.close();
  return paths;
}

async function paced(
  until: { seconds: number } | { stop: AbortSignal },
  callers: Callers,
  paths: readonly string[],
): Promise<PacedSummary> {
  const { samples, lateness } = await callers.call(RATE, until, paths);
  return { ...summarize(samples), lateness: summarize(lateness) };
}

/** Checks that cache hits were measured: only the first look-up of each number was not one. */
async function expectCached(confam: Confam, app: App): Promise<void> {
  const [row] = await confam.sql<
    { uncached: number }[]
  >`select count(*)::int as uncached from jobs where app_id = ${app.id} and not cached`;
  if (row!.uncached !== NUMBERS) throw new Error(`${row!.uncached} calls were not answered from the cache, not ${NUMBERS}`);
}
