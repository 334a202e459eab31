/** The processes beside the API, pools and dispatcher: they may die, and never outlive their parent. */
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

/** The process of this command whose parent is `pid` (Linux). */
function childOf(pid: number, command: 'worker' | 'dispatcher'): number | undefined {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .find((child) => {
      try {
        const [, parent] = /\) \S+ (\d+)/.exec(readFileSync(`/proc/${child}/stat`, 'utf8')) ?? [];
        const words = readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0');
        return Number(parent) === pid && words.includes('--companion') && words.includes(command);
      } catch {
        return false;
      }
    });
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Kills it and waits for the one after it. */
async function replace(command: 'worker' | 'dispatcher'): Promise<void> {
  const first = await waitFor(`a ${command}`, () => childOf(confam.pid, command));
  process.kill(first, 'SIGKILL');
  await waitFor(`another ${command}`, () => {
    const next = childOf(confam.pid, command);
    return next !== undefined && next !== first;
  });
}

test('a worker process and a dispatcher killed in mid-batch are restarted, and every job is charged once', async () => {
  const { admin_key } = readSandbox(folder.path);
  // First that in the API's process, then the one beside it.
  await waitFor('the dispatcher to be handed over', () => confam.stdout().split('this dispatcher leads').length === 3);
  const rows = ninRows(ROWS);
  const id = await api.upload(rows.csv, 'checks=nin_advance&map.reference=ref');
  await api.until(id, 'to get on', ({ counts }) => counts.completed >= 1_000 && counts.leased > 0);
  await replace('worker');
  await replace('dispatcher');
  const ended = await api.until(id, 'to complete', ({ status }) => status === 'completed', 60_000);
  expect(ended.counts).toMatchObject({ completed: ROWS, failed: 0 });
  expect(await expectExactBooks(embeddedServer(folder.path).url)).toEqual({ revenueKobo: rows.found * 125_00, jobs: ROWS });
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { Authorization: admin_key } })).text();
  // Reported by the second worker process, and by the dispatcher; shown by the API.
  expect(metrics).toMatch(/^confam_chunk_seconds_count\{family="nin"\} [1-9]/m);
  expect(metrics).toContain(`process="dispatcher"`);
  expect(confam.stdout()).toMatch(/"msg":"dispatcher process ended; restarting it"/);
}, 120_000);

test('neither outlives its parent', async () => {
  const children = [childOf(confam.pid, 'worker')!, childOf(confam.pid, 'dispatcher')!];
  expect(children.every(isAlive)).toBe(true);
  // Field 19 of a thread's line is its priority.
  const priorities = children.flatMap((child) =>
    readdirSync(`/proc/${child}/task`).map(
      (thread) => /\) (?:\S+ ){16}(\S+)/.exec(readFileSync(`/proc/${child}/task/${thread}/stat`, 'utf8'))![1],
    ),
  );
  expect(new Set(priorities), 'each thread gives way to the API').toEqual(new Set(['10']));
  process.kill(confam.pid, 'SIGKILL');
  await waitFor('both to end', () => !children.some(isAlive));
}, 40_000);
