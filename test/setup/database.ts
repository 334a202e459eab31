/** A database for one test file, cloned from the migrated template, and a context over it. */
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, inject } from 'vitest';
import { type Config, readConfig } from '../../src/foundation/config.ts';
import { type Context, openContext, type Sql } from '../../src/foundation/context.ts';
import { newSecretKey } from '../../src/foundation/crypto.ts';
import { TEMPLATE } from './services.ts';

export interface TestDatabase {
  url: string;
  /** Environment of a process that uses this database; merge what the test needs. */
  environment: Record<string, string>;
  config(extra?: Record<string, string>): Config;
  openContext(extra?: Record<string, string>): Context;
  /** Ends every connection to it. */
  cut(): Promise<void>;
  drop(): Promise<void>;
}

export async function createDatabase(backend: 'postgres' | 'redis' = 'postgres'): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const admin = postgres(inject('adminUrl'), { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${name} template ${TEMPLATE}`);
  const url = new URL(inject('adminUrl'));
  url.pathname = `/${name}`;
  return {
    ...databaseAt(url.toString(), backend === 'redis' ? { REDIS_URL: inject('redisUrl')!, CONFAM_QUEUE_PREFIX: name } : {}),
    cut: async () => void (await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`),
    async drop() {
      await admin.unsafe(`drop database if exists ${name} with (force)`);
      await admin.end();
    },
  };
}

/** A database for the whole file (or `describe`), dropped after its tests. Its members are there once the tests run. */
export function useDatabase(backend: 'postgres' | 'redis' = 'postgres'): TestDatabase {
  const database = {} as TestDatabase;
  beforeAll(async () => {
    Object.assign(database, await createDatabase(backend));
  });
  afterAll(() => database.drop());
  return database;
}

/** Opens a migrated database, wherever it is. */
export function databaseAt(
  url: string,
  extra: Record<string, string>,
): Pick<TestDatabase, 'url' | 'environment' | 'config' | 'openContext'> {
  const environment = {
    DATABASE_URL: url,
    CONFAM_KEYS: `1:${newSecretKey()}`,
    CONFAM_INDEX_KEY: newSecretKey(),
    CONFAM_LOG_LEVEL: 'silent',
    CONFAM_WEBHOOK_ALLOW_PRIVATE: 'true',
    CONFAM_WEBHOOK_SCHEDULE_MS: '0,50,100,200',
    ...extra,
  };
  const config = (more: Record<string, string> = {}) => readConfig({ ...environment, ...more });
  return { url, environment, config, openContext: (more) => openContext(config(more), url) };
}

/** `sql`, which counts the statements that it sends and that begin with `start`. */
export function counted(sql: Sql, start: string): { sql: Sql; count: () => number } {
  let count = 0;
  const apply = (send: Sql, self: unknown, given: unknown[]) => {
    if ((given[0] as readonly string[])[0]?.trimStart().startsWith(start)) count++;
    return Reflect.apply(send, self, given);
  };
  return { sql: new Proxy(sql, { apply }), count: () => count };
}

/** Does what no role of a process may do, as the owner of the tables. `databaseUrl`: with or without a role. */
export async function asOwner<Result>(databaseUrl: string, work: (sql: postgres.Sql) => Promise<Result>): Promise<Result> {
  const url = new URL(databaseUrl);
  url.searchParams.delete('role');
  const sql = postgres(url.toString(), { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

/** Polls until `probe` returns something truthy; fails after `timeoutMs`, naming what it waited for. */
export async function waitFor<T>(
  what: string,
  probe: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  timeoutMs = 20_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`timed out after ${timeoutMs} ms waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The queue backends this machine can test: `describe.each(backends())`. */
export function backends(): ('postgres' | 'redis')[] {
  return inject('redisUrl') ? ['postgres', 'redis'] : ['postgres'];
}
