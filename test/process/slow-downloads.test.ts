/** Eight hundred clients that request a results file and do not read it, against a real API process: its memory, and everybody else's calls. */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { useDatabase, waitFor } from '../setup/database.ts';
import { type Confam, client, killConfams, loadFactor, makeApp, startConfam, untilReady } from '../setup/process.ts';

const CLIENTS = 800;
const ROWS = 30_000;
const STALL_MS = 5_000;
/** 64 downloads of 256 KiB, plus garbage; without a bound it was 3.9 GB. */
const GROWTH_MB = 150;
const CALL_MS = 1_000;

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
    const rows = Array.from({ length: ROWS }, (_, i) => `${50_000_000_000 + i},${'n'.repeat(1_000)}\n`).join('');
    const batch = await api.upload(`nin,note\n${rows}`, 'checks=nin_basic&start=manual');
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
