/**
 * The stores behind all measurements of a run: an embedded Postgres with the settings that users get (fsync on), and a Redis if `redis-server` is installed.
 * They listen on free ports of 127.0.0.1 and keep their files in a temporary folder that is deleted with them.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { compile } from '../ops/compile.ts';
import { startEmbeddedPostgres } from '../src/embedded/embedded.ts';
import { freePort } from '../src/foundation/free-port.ts';
import { stoppable } from './process.ts';

export interface Servers {
  /** Of a database from which others can be created. */
  postgresUrl: string;
  postgresVersion: string;
  /** Null: `redis-server` is not installed. */
  redisUrl: string | null;
  /** For files of the measurements. */
  folder: string;
  /** Confam's command line, compiled as for production. */
  program: string;
  /** Stops everything; may be called repeatedly. */
  close(): Promise<void>;
}

/** An arbitrary fixed port: the process that listens on it has the machine to itself. */
const TURN_PORT = 47_266;
const TURN_RETRY_MS = 500;

/** `alone`: waits until no other benchmark runs on this machine. */
export async function startServers({ alone }: { alone: boolean }): Promise<Servers> {
  const closers: (() => Promise<void>)[] = alone ? [await takeTurn()] : [];
  let closing: Promise<void> | null = null;
  const closeAll = async () => {
    for (const closer of closers.splice(0).reverse()) await closer().catch((error) => console.error(error));
  };
  const close = () => (closing ??= closeAll());
  const folder = mkdtempSync(join(tmpdir(), 'confam-bench-'));
  // Under root, Postgres runs as another user, who must reach the data.
  chmodSync(folder, 0o711);
  closers.push(async () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  try {
    const compiled = await compile('bench');
    closers.push(async () => rmSync(compiled, { recursive: true, force: true }));
    // Two or three services at a time take more connections than the 150 of a deployment.
    const server = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), settings: { max_connections: '400' } });
    closers.push(() => server.stop());
    const redis = await startRedis(folder);
    if (redis) closers.push(redis.stop);
    const sql = postgres(server.url, { max: 1, onnotice: () => {} });
    const [row] = await sql<{ version: string }[]>`select current_setting('server_version') as version`;
    await sql.end();
    return {
      postgresUrl: server.url,
      postgresVersion: row!.version,
      redisUrl: redis?.url ?? null,
      folder,
      program: join(compiled, 'src/cli.js'),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Two benchmarks at a time would measure each other: the second waits until the first has ended, however it ends. */
async function takeTurn(): Promise<() => Promise<void>> {
  const turn = createServer();
  for (let said = false; ; said = true) {
    turn.listen(TURN_PORT, '127.0.0.1');
    const taken = await once(turn, 'listening').then(
      () => false,
      () => true,
    );
    if (!taken) return async () => void turn.close();
    if (!said) process.stderr.write(`waiting for another benchmark on this machine to end (it holds port ${TURN_PORT}) … `);
    await sleep(TURN_RETRY_MS);
  }
}

async function startRedis(folder: string): Promise<{ url: string; stop(): Promise<void> } | null> {
  if (spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status !== 0) return null;
  const port = await freePort();
  const options = [
    '--port',
    port,
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'no',
    '--maxmemory-policy',
    'noeviction',
  ];
  const child = stoppable(spawn('redis-server', options.map(String), { stdio: 'ignore' }));
  return { url: `redis://127.0.0.1:${port}`, stop: child.stop };
}
