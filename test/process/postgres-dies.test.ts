/** The embedded Postgres ends under a running Confam, or its disk fills up: Confam restarts it or ends, and reports the truth meanwhile. */
import { renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { waitFor } from '../setup/database.ts';
import {
  type Embedded,
  embeddedServer,
  expectExactBooks,
  killConfams,
  makeDataDir,
  ninRows,
  processesMentioning,
  startEmbedded,
} from '../setup/process.ts';
import { canMakeSmallDisks, makeSmallDisk } from '../setup/small-disk.ts';

afterAll(() => killConfams());

interface Running extends Embedded {
  /** The answer's status and body. */
  told(path: '/healthz' | '/readyz'): Promise<string>;
}

async function start(dataDir: string, settings: Record<string, string> = {}): Promise<Running> {
  const embedded = await startEmbedded(dataDir, { CONFAM_DRAIN_MS: '3000', ...settings });
  const told: Running['told'] = async (path) => {
    const answer = await fetch(`http://127.0.0.1:${embedded.port}${path}`);
    return `${answer.status} ${((await answer.json()) as { status: string }).status}`;
  };
  return { ...embedded, told };
}

test('Postgres killed in the middle of a batch is restarted, nothing is lost, and health tells the truth', {
  timeout: 180_000,
}, async () => {
  const folder = makeDataDir();
  const { confam, api, told } = await start(folder.path, { CONFAM_SANDBOX_LATENCY_MS: '20' });
  const rows = ninRows(6_000);
  const id = await api.upload(rows.csv, 'checks=nin_advance&map.reference=ref');
  await api.until(id, 'to get on', ({ counts }) => counts.completed > 500 && counts.leased > 0);
  const before = embeddedServer(folder.path);
  process.kill(before.pid, 'SIGKILL');
  const seen = new Set<string>();
  await waitFor(
    'Postgres to be back',
    async () => {
      const [health, ready] = await Promise.all([told('/healthz'), told('/readyz')]);
      seen.add(health).add(ready);
      return ready === '200 ready' && seen.has('503 database down');
    },
    60_000,
  );
  expect(await told('/healthz')).toBe('200 ok');
  expect(confam.stdout()).toContain('Postgres ended unexpectedly (SIGKILL); starting it again.');
  expect(confam.stdout()).toContain('Postgres is running again');
  const ended = await api.until(id, 'to complete', ({ status }) => status === 'completed', 120_000);
  expect(ended.counts).toMatchObject({ completed: rows.found + rows.notFound, failed: 0 });
  const after = embeddedServer(folder.path);
  expect(after.pid).not.toBe(before.pid);
  expect(after.url).toBe(before.url);
  await expectExactBooks(after.url);
  confam.signal('SIGTERM');
  expect((await confam.ended(30_000)).code).toBe(0);
  expect(processesMentioning(folder.path)).toEqual([]);
  folder.remove();
});

test('a Postgres that cannot be restarted is given up after three attempts, and Confam ends with 1', { timeout: 120_000 }, async () => {
  const folder = makeDataDir();
  const { confam, told } = await start(folder.path);
  const { pid } = embeddedServer(folder.path);
  // Without this file nothing starts.
  const control = join(folder.path, 'postgres', 'global', 'pg_control');
  renameSync(control, `${control}.away`);
  process.kill(pid, 'SIGKILL');
  await waitFor('health to say so', async () => (await told('/healthz').catch(() => 'gone')) !== '200 ok');
  const { code } = await confam.ended(60_000);
  expect(code).toBe(1);
  for (const attempt of [1, 2, 3]) expect(confam.stdout()).toContain(`attempt ${attempt} of 3`);
  expect(confam.stderr()).toContain('Postgres ended and could not be started again in 3 attempts.');
  expect(processesMentioning(folder.path)).toEqual([]);
  // Once repaired, the next start has everything.
  renameSync(`${control}.away`, control);
  const again = await start(folder.path);
  expect(await again.told('/readyz')).toBe('200 ready');
  again.confam.signal('SIGTERM');
  expect((await again.confam.ended(30_000)).code).toBe(0);
  folder.remove();
});

describe.skipIf(!canMakeSmallDisks())('on a disk of a known size', () => {
  test('readiness says that the disk is full, and recovers when there is room', { timeout: 180_000 }, async () => {
    const { path: disk, remove } = makeSmallDisk('400m');
    try {
      const dataDir = join(disk, 'data');
      const { confam, api, told } = await start(dataDir);
      expect(await told('/readyz')).toBe('200 ready');
      const filler = join(disk, 'filler');
      // Nearly full: Postgres still has room for a few segments, and does not end.
      fill(filler, { leaveBytes: 48 * 1024 * 1024 });
      await waitFor('readiness to say so', async () => (await told('/readyz')) === '503 disk full', 30_000);
      expect(await told('/healthz')).toBe('200 ok');
      expect((await api.get('/api/v1/wallet')).status).toBe(200);
      rmSync(filler);
      await waitFor('readiness to come back', async () => (await told('/readyz')) === '200 ready', 30_000);
      const batch = await api.upload('nin\n70123456789\n', 'checks=nin_basic');
      await api.until(batch, 'to complete', ({ status }) => status === 'completed');
      confam.signal('SIGTERM');
      expect((await confam.ended(30_000)).code).toBe(0);
    } finally {
      await killConfams();
      await waitFor('its processes', () => processesMentioning(disk).length === 0);
      remove();
    }
  });

  test('a Postgres that ended for lack of room is back once there is some, and the batch completes', { timeout: 240_000 }, async () => {
    const { path: disk, remove } = makeSmallDisk('420m');
    try {
      const dataDir = join(disk, 'data');
      const { confam, api, told } = await start(dataDir, { CONFAM_SANDBOX_LATENCY_MS: '20' });
      const rows = ninRows(20_000);
      const id = await api.upload(rows.csv, 'checks=nin_advance&map.reference=ref');
      await api.until(id, 'to get on', ({ counts }) => counts.completed > 500);
      const fillers = Array.from({ length: 1_000 }, (_, i) => join(disk, `filler-${i}`));
      let filled = 0;
      const waitsForRoom = () => confam.stdout().includes('is full. Postgres is started again every 2 s until there is room.');
      await waitFor(
        'Postgres to end',
        () => {
          if (filled < fillers.length) fill(fillers[filled++]!);
          return waitsForRoom();
        },
        60_000,
      );
      const fullSince = performance.now();
      // Longer than three attempts take.
      await waitFor('a while on a full disk', () => performance.now() - fullSince > 10_000, 15_000);
      expect(confam.isRunning(), confam.stderr()).toBe(true);
      expect(await told('/readyz')).toBe('503 disk full');
      for (const filler of fillers.slice(0, filled)) rmSync(filler, { force: true });
      await waitFor('readiness to come back', async () => (await told('/readyz')) === '200 ready', 60_000);
      const ended = await api.until(id, 'to complete', ({ status }) => status === 'completed', 120_000);
      expect(ended.counts).toMatchObject({ completed: rows.found + rows.notFound, failed: 0 });
      await expectExactBooks(embeddedServer(dataDir).url);
      confam.signal('SIGTERM');
      expect((await confam.ended(30_000)).code).toBe(0);
    } finally {
      await killConfams();
      await waitFor('its processes', () => processesMentioning(disk).length === 0);
      remove();
    }
  });
});

/** Writes until there is no room. */
function fill(path: string, { leaveBytes = 0 } = {}): void {
  const megabyte = Buffer.alloc(1024 * 1024);
  for (;;) {
    const { bavail, bsize } = statfsSync(dirname(path));
    if (leaveBytes > 0 && bavail * bsize <= leaveBytes) return;
    try {
      writeFileSync(path, megabyte, { flag: 'a' });
    } catch {
      return;
    }
  }
}
