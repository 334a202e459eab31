/** Gives each test a folder for an embedded Postgres. Afterwards its servers are stopped, also those that a failed test left running, and the folder is removed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterEach, beforeEach, expect } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/embedded.ts';
import { waitUntil } from '../../src/embedded/process.ts';

export const isRoot = process.getuid?.() === 0;
export const TEST_TIMEOUT_MS = 60_000;

/** What the test that runs may put files into; the folder of Postgres is `dataDir`, in it. */
export let root: string;
export let dataDir: string;
/** The servers that were started, in order. */
export let running: EmbeddedPostgres[];
let owners: ChildProcess[];

/** For each test of a file. */
export function useEmbeddedPostgres(): void {
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'confam-embedded-'));
    chmodSync(root, 0o711);
    dataDir = join(root, '.data');
    running = [];
    owners = [];
  });

  afterEach(async () => {
    for (const postgres of running) await postgres.stop();
    for (const owner of owners) owner.kill('SIGKILL');
    const places = new Set([root, ...running.map((postgres) => dirname(postgres.dataDir))]);
    const left = () => [...places].flatMap(processesMentioning);
    await waitUntil(() => left().length === 0, 10_000, 50);
    const leaked = left();
    for (const pid of leaked) process.kill(pid, 'SIGKILL');
    for (const place of places) rmSync(place, { recursive: true, force: true, maxRetries: 3 });
    expect(leaked, 'processes left behind').toEqual([]);
  });
}

export async function start(settings: Record<string, string> = {}, folder = dataDir): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir: folder, settings: { shared_buffers: '16MB', ...settings } });
  running.push(postgres);
  return postgres;
}

export function spawnOwner(mode: 'stay' | 'return' | 'lock'): ChildProcess {
  const script = new URL('../fixtures/embedded-owner.ts', import.meta.url).pathname;
  // Its own process group, as under a shell, so that a test can signal it together with its initdb.
  const owner = spawn(process.execPath, ['--import', 'tsx', script, mode, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  owners.push(owner);
  return owner;
}

export async function startOwner(
  mode: 'stay' | 'return' | 'lock',
): Promise<{ owner: ChildProcess; url: string; pid: number; won?: boolean }> {
  const owner = spawnOwner(mode);
  const [line] = await once(createInterface({ input: owner.stdout! }), 'line');
  return { owner, ...JSON.parse(line) };
}

export async function kill(owner: ChildProcess): Promise<void> {
  if (owner.exitCode !== null || owner.signalCode !== null) return;
  owner.kill('SIGKILL');
  await once(owner, 'exit');
}

export async function query(url: string, statement: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** Empty where there is no /proc. */
function processesMentioning(path: string): number[] {
  if (!existsSync('/proc/self/cmdline')) return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid && pid !== process.pid && commandOf(pid).includes(path));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
