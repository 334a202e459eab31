/**
 * Starts what all test files share: an embedded Postgres with a migrated template database, and a Redis if `redis-server` is installed.
 * It also compiles the program for the tests that run it as a process. Everything listens on free ports of 127.0.0.1, lives in a temporary folder and is stopped at the end.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { compile } from '../../ops/compile.ts';
import { startEmbeddedPostgres } from '../../src/embedded/embedded.ts';
import { readConfig } from '../../src/foundation/config.ts';
import { migrateDatabase } from '../../src/foundation/context.ts';
import { freePort } from '../../src/foundation/free-port.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    adminUrl: string;
    redisUrl: string | null;
    /** The folder of compiled modules. */
    compiled: string;
  }
}

const MEMORY = '/dev/shm';
const MEMORY_BYTES = 8 * 1024 ** 3;

/**
 * Every test file creates a database of a thousand files: in memory a run takes a twelfth less time. Only in CI, since a run that is killed leaves its folder.
 */
const hasRoomInMemory = (): boolean => {
  if (!process.env.CI || !existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > MEMORY_BYTES && freemem() > MEMORY_BYTES;
};

export const TEMPLATE = 'confam_template';

export default async function setup(project: TestProject) {
  const folder = mkdtempSync(join(hasRoomInMemory() ? MEMORY : tmpdir(), 'confam-test-'));
  // When run as root, Postgres runs as another user, who must be able to reach the data.
  chmodSync(folder, 0o711);
  const compiling = compile('test');
  const server = await startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    settings: { fsync: 'off', full_page_writes: 'off', max_wal_size: '2GB', max_connections: '400' },
  });
  const admin = postgres(server.url, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${TEMPLATE}`);
  const url = new URL(server.url);
  url.pathname = `/${TEMPLATE}`;
  await migrateDatabase(readConfig({}), url.toString());
  await admin.end();

  const redis = await startRedis(folder);
  const compiled = await compiling;
  project.provide('adminUrl', server.url);
  project.provide('redisUrl', redis?.url ?? null);
  project.provide('compiled', compiled);
  if (!redis) console.log('redis-server is not installed: the queue suites run on Postgres only');

  return async () => {
    redis?.process.kill('SIGTERM');
    await server.stop();
    for (const made of [folder, compiled]) rmSync(made, { recursive: true, force: true });
  };
}

async function startRedis(folder: string): Promise<{ url: string; process: ChildProcess } | null> {
  if (spawnSync('redis-server', ['--version']).status !== 0) return null;
  const port = await freePort();
  const child = spawn(
    'redis-server',
    [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      folder,
      '--maxmemory-policy',
      'noeviction',
    ],
    {
      stdio: 'ignore',
    },
  );
  return { url: `redis://127.0.0.1:${port}`, process: child };
}
