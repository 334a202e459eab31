/** The worker process beside the API: it may die, and it never outlives its parent. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../setup/database.ts';
import {
  type Client,
  type Confam,
  embeddedServer,
  expectExactBooks,
  killConfams,
  makeDataDir,
  ninRows,
  readSandbox,
  startEmbedded,
} from '../setup/process.ts';

const ROWS = 6_000;
const folder = makeDataDir();
let confam: Confam;
let port: number;
let api: Client;

beforeAll(async () => {
  ({ confam, port, api } = await startEmbedded(folder.path, { CONFAM_SANDBOX_LATENCY_MS: '20' }));
});

afterAll(async () => {
  await killConfams();
  folder.remove();
});

/** Node processes whose parent is `pid` (Linux). */
function childrenOf(pid: number): number[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const [, parent] = /\) \S+ (\d+)/.exec(readFileSync(`/proc/${entry}/stat`, 'utf8')) ?? [];
      const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8');
      return Number(parent) === pid && command.includes('--companion') ? [Number(entry)] : [];
    } catch {
      return [];
    }
  });
}

test('a worker process killed in mid-batch is restarted, and every job is charged once', async () => {
  const { admin_key } = readSandbox(folder.path);
  const rows = ninRows(ROWS);
  const id = await api.upload(rows.csv, 'checks=nin_advance&map.reference=ref');
  await api.until(id, 'to get on', ({ counts }) => counts.completed >= 1_000 && counts.leased > 0);
  const [first] = childrenOf(confam.pid);
  process.kill(first!, 'SIGKILL');
  const second = await waitFor('another worker process', () => childrenOf(confam.pid).find((pid) => pid !== first));
  expect(second).not.toBe(first);
  const ended = await api.until(id, 'to complete', ({ status }) => status === 'completed', 60_000);
  expect(ended.counts).toMatchObject({ completed: ROWS, failed: 0 });
  expect(await expectExactBooks(embeddedServer(folder.path).url)).toEqual({ revenueKobo: rows.found * 125_00, jobs: ROWS });
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { Authorization: admin_key } })).text();
  // Reported by the second worker process, shown by the first.
  expect(metrics).toMatch(/^confam_chunk_seconds_count\{family="nin"\} [1-9]/m);
}, 120_000);

test('a worker process never outlives its parent', async () => {
  const [pid] = childrenOf(confam.pid);
  process.kill(confam.pid, 'SIGKILL');
  await waitFor('the worker process to end', () => {
    try {
      process.kill(pid!, 0);
      return false;
    } catch {
      return true;
    }
  });
}, 40_000);
