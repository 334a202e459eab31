/**
 * A data folder of the release before results were in blocks, killed in mid-batch, and this release on it: killed amid the migrations, and amid the move of old
 * results into blocks. The old release is taken from the history of this repository; without it (a shallow clone, a package) nothing is tested.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { waitFor } from '../setup/database.ts';
import {
  type Client,
  type Confam,
  client,
  embeddedServer,
  expectExactBooks,
  FROM_SOURCES,
  killConfams,
  makeDataDir,
  ninRows,
  processesMentioning,
  readSandbox,
  startConfam,
  untilReady,
} from '../setup/process.ts';

const DONE_ROWS = 12_000;
const CUT_ROWS = 6_000;
const TWINS = 60;
const JOBS = 30;
const PRICE = 125;

const old = oldRelease();
if ('missing' in old) console.log(`the release before blocks is not here, so nothing is tested: ${old.missing}`);

afterAll(async () => {
  await killConfams();
  if ('path' in old) rmSync(old.path, { recursive: true, force: true });
});

describe.skipIf('missing' in old).each([
  ['Postgres', null],
  ['Redis', inject('redisUrl')],
] as const)('with queues on %s, a data folder of the release before blocks', (backend, redisUrl) => {
  test.skipIf(backend === 'Redis' && redisUrl === null)(
    'is brought up to date through kill -9 of everything, and every row is answered and charged once',
    { timeout: 900_000 },
    async () => {
      const folder = makeDataDir();
      const environment = {
        CONFAM_DATA_DIR: folder.path,
        CONFAM_SANDBOX_LATENCY_MS: '5',
        ...(redisUrl && { REDIS_URL: redisUrl, CONFAM_QUEUE_PREFIX: 'old_release' }),
      };
      try {
        await runThrough(folder.path, environment);
      } finally {
        await killConfams();
        folder.remove();
      }
    },
  );
});

async function runThrough(dataDir: string, environment: Record<string, string>): Promise<void> {
  const { path } = old as { path: string };
  const start = async (isOld: boolean) => {
    const port = await freePort();
    const settings = { ...environment, PORT: String(port) };
    const confam = isOld ? startConfam(['start'], settings, FROM_SOURCES, path) : startConfam(['start'], settings);
    return { confam, port };
  };
  const ready = async ({ confam, port }: { confam: Confam; port: number }): Promise<Client> => {
    await untilReady(confam, port, 120_000);
    await waitFor('the keys', () => confam.stdout().includes('Try it:'), 60_000);
    const { test_key, app_id } = readSandbox(dataDir);
    return client(`http://127.0.0.1:${port}`, test_key, app_id);
  };
  const killAll = async (confam: Confam): Promise<void> => {
    const { pid } = embeddedServer(dataDir);
    const dead = confam.kill();
    process.kill(-pid, 'SIGKILL');
    await dead;
    await waitFor('Postgres to be gone', () => processesMentioning(dataDir).length === 0);
  };

  // The old release ends one batch, and is killed amid another.
  const before = await start(true);
  let api = await ready(before);
  const done = withTwins(ninRows(DONE_ROWS));
  const cut = ninRows(CUT_ROWS, 60_000_000_000);
  const doneId = await api.upload(done.csv, 'checks=nin_basic&map.reference=ref');
  await api.until(doneId, 'to complete', ({ status }) => status === 'completed', 180_000);
  const download = async (id: string) => (await api.text(`/api/v1/batches/${id}/results?format=csv`)).trim().split('\n');
  const byOldRelease = await download(doneId);
  expect(byOldRelease).toHaveLength(1 + DONE_ROWS + TWINS);
  const jobs: string[] = [];
  for (let i = 0; i < JOBS; i++) {
    const made = await api.post('/api/v1/jobs', { check: 'nin_basic', input: { nin: String(71_000_000_000 + i) } });
    jobs.push(((await made.json()) as { entity: { id: string } }).entity.id);
    expect((await api.get(`/api/v1/kyc/nin?nin=${72_000_000_000 + i}`)).status).toBe(200);
  }
  const cutId = await api.upload(cut.csv, 'checks=nin_basic&map.reference=ref');
  await api.until(cutId, 'to get on', ({ counts }) => counts.completed > 500 && counts.leased > 0, 120_000);
  await killAll(before.confam);

  // This one is killed twice amid the migrations, at a table that they change early and at one that they change later.
  for (const table of ['jobs', 'deliveries']) {
    const { confam } = await start(false);
    await ask(dataDir, confam, async (sql) => {
      const [locked] = await sql`
        select 1 from pg_locks where locktype = 'relation' and granted and mode = 'AccessExclusiveLock' and relation = to_regclass(${table})`;
      return locked !== undefined;
    });
    await killAll(confam);
  }

  // And three times amid the move, each time further on.
  let moved = 0;
  for (let kills = 0; kills < 3; kills++) {
    const { confam } = await start(false);
    await ask(dataDir, confam, async (sql) => {
      const [{ has }] = (await sql`
        select exists (select from information_schema.columns where table_name = 'batches' and column_name = 'unmoved_after') as has`) as unknown as [
        { has: boolean },
      ];
      if (!has) return false;
      const rows = await sql<
        { at: number | null }[]
      >`select unmoved_after as at from batches where status = 'completed' order by id limit 1`;
      const at = rows[0]!.at;
      if (at === null) throw new Error('moved before it could be killed');
      if (at <= moved) return false;
      moved = at;
      return true;
    });
    await killAll(confam);
  }
  expect(moved).toBeLessThan(DONE_ROWS);

  const now = await start(false);
  api = await ready(now);
  const ended = await api
    .until(cutId, 'to complete', ({ status }) => status === 'completed', 180_000)
    .catch(async (error: unknown) => {
      throw new Error(
        `${(error as Error).message}\n${await stateOf(dataDir)}\n${withoutRequests(now.confam.stdout()).slice(-6_000)}\n${now.confam.stderr().slice(-3_000)}`,
      );
    });
  expect(ended.counts).toMatchObject({ rows: CUT_ROWS, completed: CUT_ROWS, found: cut.found, not_found: cut.notFound, failed: 0 });
  await ask(dataDir, now.confam, async (sql) => (await sql`select 1 from batches where unmoved_after is not null`).length === 0);
  for (const id of jobs) expect((await api.get(`/api/v1/jobs/${id}`)).body.entity).toMatchObject({ status: 'completed', outcome: 'found' });

  // Byte for byte what the old release gave.
  expect(await download(doneId)).toEqual(byOldRelease);
  const afterwards = await download(cutId);
  expect(afterwards).toHaveLength(1 + CUT_ROWS);
  expect(new Set(afterwards.map((line) => line.split(',')[1])).size).toBe(1 + CUT_ROWS);
  await ask(dataDir, now.confam, async (sql) => {
    const [left] = (await sql`
      select count(*) filter (where j.batch_id is not null)::int as rows, count(*)::int as all
      from results r join jobs j on j.id = r.job_id`) as unknown as [{ rows: number; all: number }];
    // A few rows of the cut batch were settled alone by this release.
    expect(left.rows).toBeLessThan(CUT_ROWS / 10);
    expect(left.all - left.rows).toBeGreaterThanOrEqual(JOBS);
    return true;
  });
  const found = done.found + cut.found + 2 * JOBS;
  expect(await expectExactBooks(embeddedServer(dataDir).url)).toMatchObject({ revenueKobo: found * PRICE * 100 });
  now.confam.signal('SIGTERM');
  expect((await now.confam.ended(60_000)).code).toBe(0);
}

const withoutRequests = (log: string): string =>
  log
    .split('\n')
    .filter((line) => !line.includes('"msg":"request"'))
    .join('\n');

/** Rows that repeat the first of the others, under references of their own. */
function withTwins({ csv, ...counts }: ReturnType<typeof ninRows>) {
  const lines = csv.split('\n').slice(1, 1 + TWINS);
  return { csv: csv + lines.map((line) => `again-${line}\n`).join(''), ...counts };
}

/** Asks the embedded Postgres of a Confam that starts, until the answer is true. */
async function ask(dataDir: string, confam: Confam, question: (sql: postgres.Sql) => Promise<boolean>): Promise<void> {
  let sql: postgres.Sql | null = null;
  let fault: unknown = null;
  try {
    await waitFor(
      'the moment to kill',
      async () => {
        if (!confam.isRunning()) throw new Error(`ended by itself:\n${confam.stdout().slice(-2_000)}\n${confam.stderr().slice(-2_000)}`);
        try {
          sql ??= postgres(embeddedServer(dataDir).url, { max: 1, onnotice: () => {}, connect_timeout: 1 });
          return await question(sql);
        } catch (error) {
          fault = error;
          // Not there yet.
          await sql?.end({ timeout: 0 });
          sql = null;
          if (!isAway(error)) throw error;
          return false;
        }
      },
      180_000,
    );
  } catch (error) {
    throw new Error(`${(error as Error).message}; last: ${String(fault)}`, { cause: error });
  } finally {
    await (sql as postgres.Sql | null)?.end({ timeout: 0 });
  }
}

/** What dispatching depends on, for the message of a test whose batch stands still. */
async function stateOf(dataDir: string): Promise<string> {
  const sql = postgres(embeddedServer(dataDir).url, { max: 1, onnotice: () => {} });
  const state: Record<string, unknown> = {};
  for (const query of [
    'select name, token, held_until - now() as left from leads',
    `select id, status, hold_kobo, billed_kobo, leased_kobo, leased, stored_as from batches`,
    'select * from lanes',
    'select batch_id, sum(jobs) as jobs, sum(kobo) as kobo from lease_counts group by batch_id',
    'select family, single, begun_at, finished_at, leased_until - now() as left, cardinality(job_ids) as jobs from chunks where finished_at is null',
    'select batch_id, check_id, count(*), min(run_after) - now() as due from waiting_jobs group by batch_id, check_id',
    'select batch_id, status, attempt, count(*), min(row_number), max(row_number) from jobs where batch_id is not null group by 1, 2, 3',
    'select *, now() - seen_at as seen from processes',
    'select pid, state, wait_event_type, wait_event, now() - xact_start as age, left(query, 200) as query from pg_stat_activity where state is not null',
    'select pid, locktype, relation::regclass, mode from pg_locks where not granted',
  ])
    state[query] = await sql.unsafe(query).catch(String);
  await sql.end({ timeout: 1 });
  return JSON.stringify(state, null, 1);
}

/** Whether the server is not there, is starting, or has not been told its port yet. */
const isAway = (error: unknown): boolean =>
  ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECT_TIMEOUT', '57P03', '57P01'].includes(
    (error as { code?: string }).code ?? '',
  ) || error instanceof TypeError;

/** The sources of the last commit without blocks, beside the modules that are installed here. */
function oldRelease(): { path: string } | { missing: string } {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: packageRoot(), encoding: 'utf8', maxBuffer: 1 << 20 });
  const added = git('log', '--diff-filter=A', '--format=%H', '--', 'drizzle/0034_result_blocks.sql');
  const commit = added.stdout?.trim().split('\n').at(-1);
  if (added.status !== 0 || !commit) return { missing: 'no history' };
  if (git('rev-parse', '--verify', '--quiet', `${commit}^`).status !== 0) return { missing: 'the history does not reach back so far' };
  const path = mkdtempSync(join(tmpdir(), 'confam-old-release-'));
  const taken = spawnSync('sh', ['-c', `git archive ${commit}^ | tar x -C '${path}'`], { cwd: packageRoot() });
  if (taken.status !== 0) return { missing: 'git archive failed' };
  const dependenciesOf = (folder: string): Record<string, string> =>
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies;
  const here = dependenciesOf(packageRoot());
  const others = Object.entries(dependenciesOf(path)).filter(([name, version]) => here[name] !== version);
  if (others.length > 0) return { missing: `its dependencies are others: ${others.map(([name]) => name).join(', ')}` };
  symlinkSync(join(packageRoot(), 'node_modules'), join(path, 'node_modules'));
  return { path };
}
