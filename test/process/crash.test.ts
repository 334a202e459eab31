/** `kill -9` of everything, Postgres included, in the middle of a batch: the next start repairs it unaided. */
import { afterAll, expect, test } from 'vitest';
import { waitFor } from '../setup/database.ts';
import {
  embeddedServer,
  expectExactBooks,
  killConfams,
  makeDataDir,
  ninRows,
  processesMentioning,
  startEmbedded,
} from '../setup/process.ts';

const ROWS = 8_000;
const folder = makeDataDir();

afterAll(async () => {
  await killConfams();
  folder.remove();
});

test('a batch survives kill -9 of node and Postgres, and then of node alone, and charges every job at most once', async () => {
  const rows = ninRows(ROWS);
  const start = () => startEmbedded(folder.path, { CONFAM_SANDBOX_LATENCY_MS: '20' });
  let running = await start();
  const id = await running.api.upload(rows.csv, 'checks=nin_advance&map.reference=ref');
  let seen = 0;
  for (const killPostgres of [true, false]) {
    const batch = await running.api.until(id, 'to get on', ({ counts }) => counts.completed >= seen + 2_000 && counts.leased > 0);
    expect(batch.status, 'killed in the middle').toBe('running');
    const server = embeddedServer(folder.path);
    const dead = running.confam.kill();
    if (killPostgres) process.kill(-server.pid, 'SIGKILL');
    await dead;
    // The other time the orphaned Postgres keeps running; the next start deals with it.
    if (killPostgres) await waitFor('Postgres to be gone', () => processesMentioning(folder.path).length === 0);
    running = await start();
    console.log(
      `killed ${killPostgres ? 'all' : 'node alone'} at ${batch.counts.completed} of ${ROWS}; ready again after ${running.ms} ms`,
    );
    const after = await running.api.batch(id);
    expect(after.counts.completed, 'what was answered as done stays done').toBeGreaterThanOrEqual(batch.counts.completed);
    seen = after.counts.completed;
  }

  const ended = await running.api.until(id, 'to complete', ({ status }) => status === 'completed', 60_000);
  expect(ended.counts).toMatchObject({ rows: ROWS, completed: ROWS, found: rows.found, not_found: rows.notFound, failed: 0, canceled: 0 });
  expect(ended.billed_amount).toBe(rows.found * 125);
  expect(await expectExactBooks(embeddedServer(folder.path).url)).toEqual({ revenueKobo: rows.found * 125_00, jobs: ROWS });
  running.confam.signal('SIGTERM');
  expect((await running.confam.ended()).code).toBe(0);
  expect(processesMentioning(folder.path)).toEqual([]);
}, 150_000);
