/** A Postgres and a Redis for one run, which it may shut down in any way and restart on the same port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { startEmbeddedPostgres } from '../../src/embedded/embedded.ts';
import { readConfig } from '../../src/foundation/config.ts';
import { migrateDatabase } from '../../src/foundation/context.ts';
import { freePort } from '../../src/foundation/free-port.ts';
import { waitFor } from '../setup/database.ts';

export interface Store {
  url: string;
  /** Sends the signal, waits for the process to end, and starts it again `afterMs` later. */
  restart(signal: NodeJS.Signals, afterMs: number): Promise<void>;
  stop(): Promise<void>;
}

const START_MS = 60_000;

/** Created and migrated like the embedded one. Restarted by the command that first started it, so that its port stays. */
export async function openPostgres(folder: string): Promise<Store> {
  chmodSync(folder, 0o711);
  const made = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), settings: { fsync: 'off', max_connections: '300' } });
  await migrateDatabase(readConfig({}), made.url);
  const [program, ...args] = readFileSync(`/proc/${made.pid}/cmdline`, 'utf8').split('\0').slice(0, -1) as [string, ...string[]];
  const { uid, gid } = statSync(made.dataDir);
  await made.stop();
  const { PATH } = process.env;
  return openStore(
    made.url,
    () => spawn(program, args, { uid, gid, cwd: '/', env: { PATH, LC_ALL: 'C', TZ: 'UTC' }, detached: true, stdio: 'ignore' }),
    async () => {
      const sql = postgres(made.url, { max: 1, connect_timeout: 2, onnotice: () => {} });
      try {
        await sql`select 1`;
      } finally {
        await sql.end({ timeout: 1 });
      }
    },
    'SIGINT',
  );
}

export async function openRedis(folder: string): Promise<Store> {
  const port = await freePort();
  const options = { port, bind: '127.0.0.1', save: '', appendonly: 'no', dir: folder, 'maxmemory-policy': 'noeviction' };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return openStore(
    `redis://127.0.0.1:${port}`,
    () => spawn('redis-server', args, { stdio: 'ignore' }),
    async () => {
      const redis = new Redis(port, '127.0.0.1', { retryStrategy: () => null, lazyConnect: true });
      redis.on('error', () => {});
      try {
        await redis.connect();
        await redis.ping();
      } finally {
        redis.disconnect();
      }
    },
    'SIGTERM',
  );
}

async function openStore(url: string, start: () => ChildProcess, ping: () => Promise<void>, last: NodeJS.Signals): Promise<Store> {
  let child = start();
  const isUp = () =>
    ping().then(
      () => true,
      () => false,
    );
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  await waitFor(`${url} to start`, isUp, START_MS);
  return {
    url,
    async restart(signal, afterMs) {
      await end(signal);
      await sleep(afterMs);
      child = start();
      await waitFor(
        `${url} to start again`,
        () => {
          // Leftovers of the last process may keep it from starting for a moment.
          if (child.exitCode !== null) child = start();
          return isUp();
        },
        START_MS,
      );
    },
    stop: () => end(last),
  };
}
