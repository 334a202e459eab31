/**
 * Measures the end of personal data among many stored results: the erasure of one person and of a thousand, rotation of the deployment's key, and retention of
 * everything, with cached calls meanwhile: first of a batch of this month, which goes row by row, then of all batches of last month, which goes as a whole.
 * `lifecycle-rows.ts` makes the rows.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fragment } from 'postgres';
import { openSql, type Sql } from '../src/foundation/context.ts';
import { newSecretKey } from '../src/foundation/crypto.ts';
import { firstIdAt } from '../src/foundation/ids.ts';
import { monthsAgo, openPastMonths } from '../test/setup/months.ts';
import { startCallers } from './callers.ts';
import { type Figure, ms, type Report, type Summary, summarize } from './figure.ts';
import { type App, type Bench, type Confam, type Options, rowsOf, type Size, sized } from './harness.ts';
import type { Made, Rows } from './lifecycle-rows.ts';
import { cacheNumbers } from './sync.ts';

const ROWS: Size = { full: 10_000_000, tiny: 5_000 };
const BATCHES = 10;
const SUBJECTS: Size = { full: 1_000, tiny: 10 };
const ONE_MS_MAX = 2_000;
const ALL_MS_MAX = 60_000;
const ROTATION_MS_MAX = 60_000;
const RATIO_MAX = 3;
/** Cached calls a second beside the work. */
const RATE = 100;
const FIRST_NIN = 60_000_000_000;
const ASKED_AT_ONCE = 8;
/** Days after which everything is due: longer than any default of test data. */
const DUE_DAYS = 31;

export async function lifecycle(bench: Bench, options: Options): Promise<Report> {
  const [key, nextKey, indexKey] = [`1:${newSecretKey()}`, `2:${newSecretKey()}`, newSecretKey()];
  const confam = await bench.startConfam(options.backend, { CONFAM_KEYS: `${key},${nextKey}`, CONFAM_INDEX_KEY: indexKey });
  const app = await confam.createApp('Lifecycle');
  const sql = openSql(confam.databaseUrl, 4);
  await openPastMonths(sql, 1);
  const rows = rowsOf(options, ROWS);
  const perBatch = Math.ceil(rows / BATCHES);
  const maker = await bench.startProgram<Made>(new URL('./lifecycle-rows.ts', import.meta.url), {
    ROWS: JSON.stringify({
      databaseUrl: confam.databaseUrl,
      key,
      indexKey,
      appId: app.id,
      batches: BATCHES,
      perBatch,
      firstNin: FIRST_NIN,
    } satisfies Rows),
  });
  const { madeMs, markedMs } = maker.line;
  await sql`vacuum analyze jobs, row_blocks, result_blocks`;
  const [size] = await sql<{ marks: number; all: number }[]>`
    select pg_total_relation_size('row_marks')::float8 as marks, pg_database_size(current_database())::float8 as all`;

  const nin = (index: number) => String(FIRST_NIN + index);
  const one = await erase(confam, app, [nin(Math.floor(rows / 2))]);
  const subjects = sized(options, SUBJECTS);
  const many = await erase(
    confam,
    app,
    Array.from({ length: subjects }, (_, at) => nin(Math.floor(((at + 0.25) * rows) / subjects))),
  );
  const [left] = await sql<{ count: number }[]>`select count(*)::int as count from jobs where app_id = ${app.id} and batch_id is not null`;
  if (left!.count !== perBatch * (BATCHES + 1) - subjects - 1) throw new Error(`${left!.count} rows are left`);

  const rotation = await rotate(bench, { ...confam.environment, CONFAM_KEYS: `${nextKey},${key}` });
  const thisMonth = firstIdAt(monthsAgo(0).starts);
  const [present, month] = [
    await retain(bench, confam, app, sql, options, sql`id >= ${thisMonth}`),
    await retain(bench, confam, app, sql, options, sql`id < ${thisMonth}`),
  ];
  await sql.end();
  await confam.stop();
  const among = `among ${rows.toLocaleString('en')} results`;
  return {
    figures: [
      { what: `erasure of one person ${among}`, measured: ms(one), target: `≤ ${ONE_MS_MAX} ms`, ok: one <= ONE_MS_MAX },
      {
        what: `erasure of ${subjects} people`,
        measured: `${(many / 1_000).toFixed(1)} s`,
        target: `≤ ${ALL_MS_MAX / 1_000} s`,
        ok: many <= ALL_MS_MAX,
      },
      {
        what: `rotation of the deployment's key (\`confam keys rotate\`) ${among}`,
        measured: `${(rotation / 1_000).toFixed(1)} s`,
        target: `≤ ${ROTATION_MS_MAX / 1_000} s`,
        ok: rotation <= ROTATION_MS_MAX,
      },
      retained('of this month, row by row', present),
      retained('of last month, as a whole', month),
    ],
    detail: { rows, madeMs, markedMs, bytes: size, one, many, rotation, present, month },
  };
}

function retained(which: string, { quiet, during, slow, deleted, left, seconds }: Retention): Figure {
  const worst = during.max / quiet.p99;
  return {
    what: `slowest cached call (${RATE}/s) during retention of ${deleted.toLocaleString('en')} results ${which}, in ${seconds.toFixed(0)} s (${left.toLocaleString('en')} left), as a ratio to its quiet p99`,
    measured: `${ms(during.max)}, p99 ${ms(during.p99)}; ${slow.length} of ${during.count} above ${RATIO_MAX} ×`,
    reference: `${ms(quiet.p99)}, slowest of ${quiet.count} ${ms(quiet.max)}`,
    ratio: worst.toFixed(2),
    target: `≤ ${RATIO_MAX}`,
    ok: worst <= RATIO_MAX,
  };
}

/** Until the last of them is done, from the first request on. One identifier each. */
async function erase({ baseUrl, sql }: Confam, { id, headers }: App, nins: readonly string[]): Promise<number> {
  const began = performance.now();
  const waiting = nins.values();
  const ask = async () => {
    for (const value of waiting) {
      const answer = await fetch(`${baseUrl}/api/v1/subjects/erase`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify({ identifiers: [{ type: 'nin', value }] }),
      });
      if (answer.status !== 202) throw new Error(`erase: ${answer.status} ${await answer.text()}`);
    }
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, ask));
  for (;;) {
    const [open] = await sql`select 1 from erasures where app_id = ${id} and finished_at is null limit 1`;
    if (!open) return performance.now() - began;
    await sleep(20);
  }
}

/** As an operator runs it beside the running service: its process from start to end. */
async function rotate(bench: Bench, environment: Record<string, string>): Promise<number> {
  const began = performance.now();
  const { process: child } = bench.startCommand(['keys', 'rotate', '--json'], environment);
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (piece: Buffer) => (said = `${said}${piece}`.slice(-2_000)));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`confam keys rotate ended with ${code}: ${said}`);
  return performance.now() - began;
}

interface Retention {
  quiet: Summary;
  during: Summary;
  /** When calls took more than `RATIO_MAX` times the quiet p99: seconds from the beginning. */
  slow: number[];
  deleted: number;
  left: number;
  seconds: number;
}

/** Ages these batches, and watches cached calls until their rows are gone or the time is up. */
async function retain(bench: Bench, confam: Confam, app: App, sql: Sql, options: Options, which: Fragment): Promise<Retention> {
  const paths = await cacheNumbers(confam, app);
  const callers = await startCallers(bench, confam.baseUrl, app.headers);
  const watch = async (until: { seconds: number } | { stop: AbortSignal }) => (await callers.call(RATE, until, paths)).samples;
  await watch({ seconds: sized(options, { full: 5, tiny: 1 }) });
  const quiet = summarize(await watch({ seconds: options.seconds }));
  const rowsLeft = async () =>
    (
      await sql<{ count: number }[]>`
        select count(*)::int as count from jobs where batch_id in (select id from batches where app_id = ${app.id} and ${which})`
    )[0]!.count;
  const before = await rowsLeft();
  // The sweeper finds them due within two minutes; a tiny run does not wait for that.
  await (options.tiny
    ? sql`with due as (update batches set deleted_at = now(), status = 'deleting' where app_id = ${app.id} and ${which} returning id, app_id, live)
        insert into deletions (id, app_id, live, kind, reason) select id, app_id, live, 'batch', 'retention' from due`
    : sql`update batches set completed_at = now() - ${DUE_DAYS} * interval '1 day' where app_id = ${app.id} and ${which}`);
  for (let open = 0; open === 0; await sleep(100)) open = (await sql`select 1 from deletions where ${which} limit 1`).count;
  const over = new AbortController();
  const began = performance.now();
  const during = watch({ stop: over.signal });
  for (let open = 1; open > 0 && performance.now() - began < options.minutes * 60_000; await sleep(500))
    open = (await sql`select 1 from deletions where finished_at is null and ${which} limit 1`).count;
  over.abort();
  const seconds = (performance.now() - began) / 1_000;
  const samples = await during;
  const left = await rowsLeft();
  await callers.stop();
  const slow = samples.flatMap((took, at) => (took > RATIO_MAX * quiet.p99 ? at / RATE : []));
  return { quiet, during: summarize(samples), slow, deleted: before - left, left, seconds };
}
