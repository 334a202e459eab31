/**
 * What old jobs cost: a batch, calls, files and lists over a database with ten million jobs of the past year (`--rows`) in the partitions of their months, compared
 * with an empty one. Both deployments run on one Postgres, and are measured alternately.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../src/foundation/ids.ts';
import { monthsAgo, openPastMonths } from '../test/setup/months.ts';
import { freshNins, untilCompleted } from './batch.ts';
import { median, ms, type Report, summarize, times } from './figure.ts';
import { type App, type Bench, type Confam, type Options, rowsOf, type Size, sized } from './harness.ts';
import { closedLoop, openClient } from './load.ts';
import { cacheNumbers } from './sync.ts';

const OLD_JOBS: Size = { full: 10_000_000, tiny: 5_000 };
const TURNS: Size = { full: 14, tiny: 1 };
const BATCH_ROWS: Size = { full: 10_000, tiny: 500 };
const SETTLE_MS: Size = { full: 20_000, tiny: 0 };
const CALL_SECONDS: Size = { full: 2, tiny: 0.3 };
/** More than can be asked in the time. */
const MISSES = 10_000;
const RATIO_MAX = 1.1;
/** Whole months before this one: data older than a year would be deleted during the measurement. */
const MONTHS = 11;
/** Rows of one statement. */
const SLICE = 250_000;
/** One in this many jobs is a call, with an event and a question to a vendor; the others are rows of batches. */
const CALL_EVERY = 10;
const ROWS_OF_BATCH = 10_000;
const JOBS_OF_RESULT_BLOCK = 64;
const ROWS_OF_BLOCK = 32;
const LISTED: Size = { full: 100, tiny: 3 };
const FILES: Size = { full: 3, tiny: 1 };
/** Ended batches of today in both, so that a list has the same page to show: more than a page. */
const RECENT_BATCHES = 150;

const WHAT = {
  batch: 'a batch from start to end',
  call: 'cached call, p50',
  miss: 'call that is not cached, p50',
  page: 'page of 100 jobs, p50',
  file: 'its results as CSV',
  batches: 'list of batches, p50',
  entries: 'page of the wallet’s entries, p50',
  wallet: 'wallet, p50',
} as const;
type Kind = keyof typeof WHAT;
const KINDS = Object.keys(WHAT) as Kind[];
/** Of the two databases, in milliseconds. */
type Turn = Record<'empty' | 'full', number>;

export async function oldJobs(bench: Bench, options: Options): Promise<Report> {
  const rows = rowsOf(options, OLD_JOBS);
  const [empty, full] = [await open(bench, options), await open(bench, options)];
  for (const one of [empty, full]) await addRecentBatches(one);
  const began = performance.now();
  await fill(full, rows);
  const filledMs = Math.round(performance.now() - began);
  // The file system is still writing what the checkpoint gave it: nothing is answered for seconds.
  await sleep(sized(options, SETTLE_MS));
  const measures = { empty: await measuresOf(empty, options), full: await measuresOf(full, options) };
  const turns = Object.fromEntries(KINDS.map((kind) => [kind, [] as Turn[]])) as Record<Kind, Turn[]>;
  // One database right after the other, each as often first: the machine is faster in one minute than in the next. The first turn warms both up.
  for (let turn = 0; turn <= sized(options, TURNS); turn++)
    for (const kind of KINDS) {
      const took: Turn = { empty: 0, full: 0 };
      for (const which of turn % 2 === 0 ? (['empty', 'full'] as const) : (['full', 'empty'] as const))
        took[which] = await measures[which][kind]();
      if (turn > 0) turns[kind].push(took);
    }
  for (const which of ['empty', 'full'] as const) await measures[which].close();
  await Promise.all([empty.confam.stop(), full.confam.stop()]);
  return {
    figures: KINDS.map((kind) => {
      const middle = (of: (turn: Turn) => number) => median(turns[kind].map(of));
      const ratio = middle((turn) => turn.full / turn.empty);
      return {
        what: `${WHAT[kind]}, beside ${rows.toLocaleString('en')} old jobs`,
        measured: ms(middle((turn) => turn.full)),
        reference: `${ms(middle((turn) => turn.empty))} without`,
        ratio: `${times(ratio)} (middle of ${turns[kind].length})`,
        target: `≤ ${RATIO_MAX}`,
        ok: ratio <= RATIO_MAX,
      };
    }),
    detail: { rows, filledMs, turns },
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

async function addRecentBatches({ confam: { sql }, app }: Deployment): Promise<void> {
  await sql`
    insert into batches (id, app_id, live, status, checks, format, columns, mapping, stored_as, rows, jobs, queued, completed, found, invalid, quote_kobo, hold_kobo,
        started_at, completed_at, unmoved_after, marked_rows)
      select id, ${app.id}, false, 'completed', '{nin_advance}', 'csv', '{nin}', '{"nin": "nin"}', 1, 0, 0, 0, 0, 0, 0, 0, 0, now(), now(), null, 0
      from unnest(${Array.from({ length: RECENT_BATCHES }, newId)}::uuid[]) id`;
}

/**
 * Fills the database with a year of ended batches and answered calls, spread evenly over the months: rows, result blocks, charges, events, and vendor lookups of the calls.
 * Everything is in test mode, like the key that asks, except the calls: vendor lookups of test calls are deleted after 30 days.
 */
async function fill({ confam: { sql }, app }: Deployment, rows: number): Promise<void> {
  await openPastMonths(sql, MONTHS);
  // So that nothing of it is due while it is measured.
  await sql`update apps set settings = settings || '{"retention": {"test": {"events": 365, "batches": 400}, "live": {"calls": 400}}}' where id = ${app.id}`;
  const from = monthsAgo(MONTHS).starts;
  const stepMs = (monthsAgo(0).starts - from) / rows;
  // An id of the time of row `n`; `salt` tells ids of one time apart.
  const idAt = (n: string, salt: string) => `(
    substr(lpad(to_hex((${from} + (${n}) * ${stepMs}::float8)::bigint), 12, '0'), 1, 8) || '-' || substr(lpad(to_hex((${from} + (${n}) * ${stepMs}::float8)::bigint), 12, '0'), 9, 4)
      || '-7' || substr(md5(${salt}), 1, 3) || '-8' || substr(md5(${salt}), 4, 3) || '-' || substr(md5(${salt}), 7, 12))::uuid`;
  const at = (n: string) => `to_timestamp((${from} + (${n}) * ${stepMs}::float8) / 1000.0)`;
  const firstOfBatch = `n - n % ${ROWS_OF_BATCH}`;
  const batch = idAt(firstOfBatch, `'b' || (${firstOfBatch})`);
  for (let first = 0; first < rows; first += SLICE) {
    const last = Math.min(rows, first + SLICE) - 1;
    await sql.unsafe(`
      insert into batches (id, app_id, live, status, checks, format, columns, mapping, stored_as, rows, jobs, queued, completed, found, invalid, quote_kobo, hold_kobo,
          started_at, completed_at, unmoved_after, marked_rows)
        select ${batch}, '${app.id}', false, 'completed', '{nin_advance}', 'csv', '{nin}', '{"nin": "nin"}', 1, ${ROWS_OF_BATCH}, ${ROWS_OF_BATCH}, 0, ${ROWS_OF_BATCH},
          ${ROWS_OF_BATCH}, 0, 0, 0, ${at('n')}, ${at('n')}, null, ${ROWS_OF_BATCH}
        from generate_series(${first}, ${last}) n where n % ${ROWS_OF_BATCH} = 0;
      insert into row_blocks (batch_id, block, rows)
        select ${batch}, (n % ${ROWS_OF_BATCH}) / ${ROWS_OF_BLOCK}, decode(repeat(md5(n::text), 50), 'hex') from generate_series(${first}, ${last}, ${ROWS_OF_BLOCK}) n;
      insert into result_blocks (batch_id, id, check_id, created_at, sealed)
        select ${batch}, ${idAt('n', `'r' || n`)}, 'nin_advance', ${at('n')}, decode(repeat(md5(n::text), 700), 'hex')
        from generate_series(${first}, ${last}, ${JOBS_OF_RESULT_BLOCK}) n;
      insert into jobs (id, app_id, live, status, outcome, price_kobo, cached_price_kobo, billed_kobo, latency_ms, created_at, completed_at, check_id, family, provider, subject,
          batch_id, row_number, attempt, result_block, result_slot)
        select ${idAt('n', `'j' || n`)}, '${app.id}', n % ${CALL_EVERY} = 0, 'completed', 'found', 12500, 5000, 12500, 160, ${at('n')}, ${at('n')}, 'nin_advance', 'nin', 'sandbox',
          substr(sha256(n::text::bytea), 1, 16), case when n % ${CALL_EVERY} > 0 then ${batch} end, case when n % ${CALL_EVERY} > 0 then n % ${ROWS_OF_BATCH} + 1 end, 1,
          case when n % ${CALL_EVERY} > 0 then ${idAt(`n - n % ${JOBS_OF_RESULT_BLOCK}`, `'r' || (n - n % ${JOBS_OF_RESULT_BLOCK})`)} end,
          case when n % ${CALL_EVERY} > 0 then n % ${JOBS_OF_RESULT_BLOCK} end
        from generate_series(${first}, ${last}) n;
      insert into ledger_entries (at, app_id, live, kind, from_account, to_account, amount_kobo, hold_id, job_id, check_id, jobs)
        select ${at('n')}, '${app.id}', false, 'capture', 'held', 'revenue', 12500, ${idAt('n', `'j' || n`)}, ${idAt('n', `'j' || n`)}, 'nin_advance', 1
        from generate_series(${first}, ${last}, ${CALL_EVERY}) n;
      insert into provider_lookups (id, job_id, at, provider, kind, tier, outcome, latency_ms, cost_kobo)
        select ${idAt('n', `'l' || n`)}, ${idAt('n', `'j' || n`)}, ${at('n')}, 'sandbox', 'nin', 1, 'found', 160, 5000 from generate_series(${first}, ${last}, ${CALL_EVERY}) n;
      insert into events (id, app_id, live, type, data, created_at)
        select ${idAt('n', `'e' || n`)}, '${app.id}', false, 'job.completed', '{"id": "job"}', ${at('n')} from generate_series(${first}, ${last}, ${CALL_EVERY}) n;`);
  }
  await sql.unsafe('vacuum analyze');
  await sql.unsafe('checkpoint');
}

/** Measures one kind at a time, in milliseconds. Pages and files are those of the batch that was measured last. */
async function measuresOf(
  { confam, app }: Deployment,
  options: Options,
): Promise<Record<Kind, () => Promise<number>> & { close(): Promise<void> }> {
  const rows = sized(options, BATCH_ROWS);
  const client = openClient(confam.baseUrl, app.headers);
  const paths = await cacheNumbers(confam, app);
  const loop = { connections: 10, seconds: sized(options, CALL_SECONDS), headers: app.headers };
  const calls = async (asked: readonly string[]) => summarize(await closedLoop(confam.baseUrl, { ...loop, paths: asked })).p50;
  let shown = '';
  const timed = (path: () => string, size: Size) => async () => {
    const took: number[] = [];
    for (let i = 0; i < sized(options, size); i++) {
      const began = performance.now();
      await client.get(path());
      took.push(performance.now() - began);
    }
    return summarize(took).p50;
  };
  return {
    async batch() {
      const { id } = await app.upload(rows);
      const { ms } = await untilCompleted(confam.sql, id);
      shown = `/api/v1/batches/bat_${id.replaceAll('-', '')}`;
      return ms;
    },
    call: () => calls(paths),
    miss: () => calls(freshNins(MISSES).map((nin) => `/api/v1/kyc/nin?nin=${nin}`)),
    page: timed(() => `${shown}/jobs?limit=100`, LISTED),
    file: timed(() => `${shown}/results`, FILES),
    batches: timed(() => '/api/v1/batches', LISTED),
    entries: timed(() => '/api/v1/wallet/entries', LISTED),
    wallet: timed(() => '/api/v1/wallet', LISTED),
    close: () => client.close(),
  };
}
