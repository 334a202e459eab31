/** Clients that request a results file and do not read it, or stop reading it, against a real API process: its memory, its database connections, and everybody else's calls. */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { useDatabase, waitFor } from '../setup/database.ts';
import { type Confam, client, killConfams, loadFactor, makeApp, startConfam, untilReady } from '../setup/process.ts';

const CLIENTS = 800;
/** 30 MB, more than the kernel buffers for a client. */
const FILE = `nin,note\n${Array.from({ length: 30_000 }, (_, i) => `${50_000_000_000 + i},${'n'.repeat(1_000)}\n`).join('')}`;
const STALL_MS = 5_000;
/** One app has half of 64 downloads, each of at most 256 KiB; the rest is garbage. Without a bound it was 3.9 GB. */
const GROWTH_MB = 150;
const CALL_MS = 1_000;

/** Clients that stop in the middle, five times as many as the process has connections to Postgres; how much each reads first, and what each may tie up afterwards. */
const STALLED = 64;
const READ_BYTES = 3 * 1024 * 1024;
const HELD_BYTES_MAX = 256 * 1024;

const database = useDatabase();
let confam: Confam;
let port: number;
beforeAll(async () => {
  port = await freePort();
  confam = startConfam(['api'], { ...database.environment, PORT: String(port), CONFAM_ANSWER_STALL_MS: String(STALL_MS) });
  await untilReady(confam, port);
});
afterAll(async () => {
  await killConfams();
});

/** Megabytes. */
function residentMb(): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${confam.pid}/status`, 'utf8'))!;
  return Number(kilobytes) / 1024;
}

test.skipIf(process.platform !== 'linux')(
  'clients that do not read take no memory and delay nobody, and are cut',
  { timeout: 240_000 },
  async () => {
    const owner = await makeApp(database);
    const api = client(`http://127.0.0.1:${port}`, owner.testKey, owner.appId);
    const batch = await api.upload(FILE, 'checks=nin_basic&start=manual');
    const link = await fetch(`http://127.0.0.1:${port}/api/v1/batches/${batch}/links`, {
      method: 'POST',
      headers: { Authorization: owner.testKey, AppId: owner.appId, 'Content-Type': 'application/json' },
      body: JSON.stringify({ kind: 'results', format: 'csv', expires_in_seconds: 3_600 }),
    });
    const { path } = ((await link.json()) as { entity: { path: string } }).entity;
    const caller = await makeApp(database);
    const call = async (): Promise<number> => {
      const began = performance.now();
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/kyc/nin?nin=70123456789`, {
        headers: { Authorization: caller.testKey, AppId: caller.appId },
      });
      await answer.text();
      expect(answer.status).toBe(200);
      return performance.now() - began;
    };
    for (let i = 0; i < 50; i++) await call();
    const before = residentMb();

    const statuses = new Map<string, number>();
    let closed = 0;
    const sockets: Socket[] = [];
    for (let i = 0; i < CLIENTS; i++) {
      const socket = connect(port, '127.0.0.1', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
      // The head, and nothing after it.
      socket.once('data', (bytes) => {
        const status = bytes.toString('latin1', 9, 12);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        socket.pause();
      });
      socket.on('error', () => {}).on('close', () => closed++);
      sockets.push(socket);
    }
    const times: number[] = [];
    let peak = before;
    const until = performance.now() + 2 * STALL_MS;
    while (performance.now() < until || [...statuses.values()].reduce((sum, n) => sum + n, 0) < CLIENTS) {
      times.push(await call());
      peak = Math.max(peak, residentMb());
    }
    const p99 = times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]!;
    // One app has half of the slots; some may have been cut and replaced by others.
    expect(statuses.get('429')).toBeGreaterThan(CLIENTS / 2);
    expect(statuses.get('200')).toBeGreaterThanOrEqual(32);
    for (const socket of sockets) socket.destroy();
    await waitFor('all to be gone', () => closed === CLIENTS);
    const quiet = await waitFor(
      'memory to come back',
      async () => {
        await call();
        return residentMb() - before < GROWTH_MB && residentMb();
      },
      60_000,
    );
    console.log(
      `${CLIENTS} clients: ${[...statuses].map(([s, n]) => `${n} × ${s}`).join(', ')}; resident ${before.toFixed(0)} → ${peak.toFixed(0)} → ${quiet.toFixed(0)} MB; ` +
        `${times.length} calls, p99 ${p99.toFixed(0)} ms, longest ${times.at(-1)!.toFixed(0)} ms`,
    );
    expect(peak - before).toBeLessThan(GROWTH_MB);
    expect(p99).toBeLessThan(CALL_MS * loadFactor());
  },
);

test.skipIf(process.platform !== 'linux')(
  'clients that read fast and then stop hold no database connection, and 256 KiB each on average',
  { timeout: 240_000 },
  async () => {
    const own = await freePort();
    const stopper = startConfam(['api'], { ...database.environment, PORT: String(own), CONFAM_DOWNLOADS_MAX: String(2 * STALLED) }, [
      '--expose-gc',
      '--import',
      `data:text/javascript,${encodeURIComponent(TELL)}`,
      join(inject('compiled'), 'src', 'cli.js'),
    ]);
    await untilReady(stopper, own);
    const owner = await makeApp(database);
    const api = client(`http://127.0.0.1:${own}`, owner.testKey, owner.appId);
    const batch = await api.upload(FILE, 'checks=nin_basic&start=manual');
    const calls = async (): Promise<void> => {
      for (let i = 0; i < 50; i++) expect((await api.get('/api/v1/kyc/nin?nin=70123456789')).status).toBe(200);
    };
    const head = `GET /api/v1/batches/${batch}/results HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${owner.testKey}\r\nAppId: ${owner.appId}\r\n\r\n`;
    const sockets: Socket[] = [];
    /** Reads some MB, then nothing. */
    const readSome = () =>
      new Promise<number>((stopped) => {
        let bytes = 0;
        const socket = connect(own, '127.0.0.1', () => socket.write(head));
        socket.on('error', () => {}).on('close', () => stopped(bytes));
        socket.on('data', (part) => {
          bytes += part.length;
          if (bytes < READ_BYTES) return;
          socket.pause();
          stopped(bytes);
        });
        sockets.push(socket);
      });
    // What the first downloads load and compile for good is not theirs.
    await Promise.all(Array.from({ length: 8 }, readSome));
    for (const socket of sockets.splice(0)) socket.destroy();
    await calls();
    const before = await heldBytes(stopper);

    const read = await Promise.all(Array.from({ length: STALLED }, readSome));
    expect(Math.min(...read)).toBeGreaterThanOrEqual(READ_BYTES);
    const sql = postgres(database.url, { max: 1, connection: { application_name: 'outsider' } });
    const busy = async (): Promise<number> => {
      const sessions = await sql`
        select 1 from pg_stat_activity where datname = current_database() and application_name <> 'outsider'
          and (state like 'idle in transaction%' or (state = 'active' and query ilike 'copy%'))`;
      return sessions.count;
    };
    // Until the kernel's buffers are full the process goes on reading and writing. A download that kept its connection would never let this end.
    let quietSince = performance.now();
    await waitFor(
      'a second without a busy session',
      async () => {
        if ((await busy()) > 0) quietSince = performance.now();
        return performance.now() - quietSince > 1_000;
      },
      120_000,
    );
    for (let look = 0; look < 10; look++) {
      expect(await busy()).toBe(0);
      await sleep(50);
    }
    await sql.end();
    const held = (await heldBytes(stopper)) - before;
    await calls();
    expect(sockets.filter((socket) => socket.destroyed)).toEqual([]);
    console.log(`${STALLED} stalled downloads hold ${Math.round(held / STALLED / 1024)} KiB each`);
    for (const socket of sockets) socket.destroy();
    expect(held / STALLED).toBeLessThan(HELD_BYTES_MAX);
  },
);

/** Runs inside the process: on a signal it collects its garbage and says what is left, in bytes. The second collection counts what the first one freed. */
const TELL = `process.on('SIGUSR2', () => {
  gc();
  setTimeout(() => {
    gc();
    const { heapUsed, external } = process.memoryUsage();
    console.error('held ' + (heapUsed + external));
  }, 500);
})`;

async function heldBytes(confam: Confam): Promise<number> {
  const said = () => [...confam.stderr().matchAll(/^held (\d+)$/gm)];
  const known = said().length;
  confam.signal('SIGUSR2');
  const all = await waitFor('the memory in use', () => said().length > known && said());
  return Number(all.at(-1)![1]);
}
