/** What every module needs, opened once in each entry point and passed first: configuration, database, encryption, logs, metrics. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { type Config, ConfigError } from './config.ts';
import { type Cipher, newSecretKey, openCipher } from './crypto.ts';
import { type Log, openLog } from './log.ts';
import { type Metrics, openMetrics } from './metrics.ts';
import { migrationsFolder, missingMigrations, refuseOtherMigrations } from './migrations.ts';
import { migrateQueue, openQueueBackend, type QueueBackend } from './queue.ts';
import { guardTransactions, isDriverMended } from './transactions.ts';
import { openTurns, type Turns } from './yielding.ts';

/** bigint columns (kobo, entry ids) read as numbers: exact up to 2^53. */
const types = { bigint: { to: 20, from: [20], parse: Number, serialize: String } };

export type Sql = postgres.Sql<{ bigint: number }>;
/** A transaction of `Sql`: functions that take one can only be called inside it. */
export type Tx = postgres.TransactionSql<{ bigint: number }>;

/** After the command that runs it; `tool` is any that serves nobody. */
export type ProcessName = 'api' | 'worker' | 'dispatcher' | 'tool';

export interface Context {
  config: Config;
  /** Which of the processes this is, for whoever reads the metrics of several. */
  process: ProcessName;
  log: Log;
  metrics: Metrics;
  cipher: Cipher;
  databaseUrl: string;
  /** Hot paths and anything in a transaction. Timestamps come back as text. */
  sql: Sql;
  /** Ordinary queries, over the same pool. */
  db: PostgresJsDatabase;
  queues: QueueBackend;
  turns: Turns;
  close(): Promise<void>;
}

/** Connections that one process may open in its main pool. BullMQ's come on top (see docs/operations.md). */
const POOL_MAX = 12;
/** Our tables are in `public`: a role that is named like the queue's schema would otherwise look there first ("$user"). */
const SESSION = { application_name: 'confam', search_path: 'public' };
/**
 * For the process that answers single calls: planning their large statements anew for each set of arrays costs more than carrying them out.
 * Not for pools, whose groups are large: there a plan for any size leaves results in an order that is read more slowly.
 */
const KEPT_PLANS = { plan_cache_mode: 'force_generic_plan' };
/**
 * Milliseconds that a statement may take, that it may wait for a lock, and that a transaction may stand still between two statements, by kind of
 * work. A process that is stopped in a transaction keeps its locks: after this Postgres ends its session, and what it held is free for the
 * others. No transaction of ours waits for a client or a vendor, so that one which stands still is one whose process does.
 */
const BOUNDS = {
  /** Others wait for what it locks: calls, settling, steering. */
  short: { statement_timeout: 60_000, lock_timeout: 5_000, idle_in_transaction_session_timeout: 1_500 },
  /** A statement that goes over all rows of a batch or all entries of the ledger. */
  large: { statement_timeout: 900_000, lock_timeout: 5_000, idle_in_transaction_session_timeout: 1_500 },
  /** Reads and computes for long between statements, and locks nothing that others wait for: rows of an upload, entries of a list. */
  reading: { statement_timeout: 900_000, lock_timeout: 900_000, idle_in_transaction_session_timeout: 120_000 },
} as const;
/** Seconds; a host that is gone is noticed after 25 s, and its session ended. */
const SERVER_KEEP_ALIVE = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 };
/** A connection that is not had by then is not waited for: who needs it is told, and may come again. */
const CONNECT_SECONDS = 4;
/** Attempts to connect follow each other by 10 ms at first and never by more than this, so that what waits goes on as soon as Postgres does. */
const RECONNECT_MAX_SECONDS = 0.5;
/** An idle connection is asked for a sign of life after so long: a host that is gone says nothing. */
const KEEP_ALIVE_SECONDS = 10;
/** Any fixed number: migrations of several processes that start together wait for each other on it. */
const MIGRATION_LOCK = 7_266_201;

export function openContext(
  config: Config,
  databaseUrl: string,
  options: { poolMax?: number; process?: ProcessName; log?: Log; keepPlans?: boolean } = {},
): Context {
  const log = options.log ?? openLog(config.CONFAM_LOG_LEVEL);
  if (!isDriverMended()) log.warn('postgres.js is not mended: run `node ops/patch-postgres.mjs`, or queries hang after a lost connection');
  const sql = guardTransactions(openSql(databaseUrl, options.poolMax ?? POOL_MAX, options.keepPlans));
  return {
    config,
    process: options.process ?? 'tool',
    log,
    metrics: openMetrics(),
    cipher: openConfiguredCipher(config),
    databaseUrl,
    sql,
    db: drizzle(sql),
    queues: openQueueBackend(config, databaseUrl, log),
    turns: openTurns(),
    close: () => sql.end({ timeout: 5 }),
  };
}

/** The connections alone: for a thread, which has no other part of the context. */
export function openSql(databaseUrl: string, max: number, keepPlans = false): Sql {
  const sql = postgres(databaseUrl, {
    max,
    types,
    // Columns come back in camel case, so that a row is what `schema/` says.
    transform: { column: { from: postgres.toCamel } },
    onnotice: () => {},
    connection: { ...SESSION, ...BOUNDS.short, ...SERVER_KEEP_ALIVE, ...(keepPlans && KEPT_PLANS) },
    connect_timeout: CONNECT_SECONDS,
    backoff: (retries) => Math.min(0.01 * 3 ** retries, RECONNECT_MAX_SECONDS) * (0.5 + Math.random() / 2),
    keep_alive: KEEP_ALIVE_SECONDS,
    // At the boundary of a pipeline a BEGIN would not reserve its connection (porsager/postgres#1189): never reach it.
    ...{ max_pipeline: 1_000_000 },
  });
  askTypesOnce(sql);
  return sql;
}

/** From here on the transaction has the bounds of this kind of work; it begins as `short`. */
export async function bound(tx: Tx, work: keyof typeof BOUNDS): Promise<void> {
  const { statement_timeout, lock_timeout, idle_in_transaction_session_timeout } = BOUNDS[work];
  await tx`
    select set_config('statement_timeout', ${String(statement_timeout)}, true), set_config('lock_timeout', ${String(lock_timeout)}, true),
      set_config('idle_in_transaction_session_timeout', ${String(idle_in_transaction_session_timeout)}, true)`;
}

/**
 * postgres.js 3.4.9 asks each new connection for its array types and listens to no error of that question: a connection that was cut in that
 * moment ended the process. They are the same on every connection, so only the first one is asked. (Not by `fetch_types: false`, which knows no array.)
 */
function askTypesOnce({ options }: Sql): void {
  const { typeArrayMap } = (options as unknown as { shared: { typeArrayMap: Record<number, number> } }).shared;
  Object.defineProperty(options, 'fetch_types', { get: () => Object.keys(typeArrayMap).length === 0 });
}

/** Throws `ConfigError` for a database that is not of this release: one which `migrateDatabase` has not brought up to date, or a newer one. */
export async function refuseOtherDatabase(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {}, connection: SESSION, connect_timeout: CONNECT_SECONDS });
  try {
    await refuseOtherMigrations(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Brings the database up to date. Throws `ConfigError` for one that this program must not touch. Several processes may start at once: one migrates, the others wait. */
export async function migrateDatabase(config: Config, databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {}, connection: SESSION });
  try {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`;
    await missingMigrations(sql);
    await migrate(drizzle(sql), { migrationsFolder: migrationsFolder() });
    await migrateQueue(config, databaseUrl);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** For commands that need no database. */
export function openConfiguredCipher(config: Config): Cipher {
  const { keys, indexKey } = readKeys(config);
  return openCipher(keys, indexKey);
}

/** Keys from the environment; in the embedded mode they are made at the first start and kept in the data folder. */
export function readKeys(config: Config): { keys: string; indexKey: string } {
  if (config.CONFAM_KEYS && config.CONFAM_INDEX_KEY) return { keys: config.CONFAM_KEYS, indexKey: config.CONFAM_INDEX_KEY };
  if (!config.embedded)
    throw new ConfigError('CONFAM_KEYS and CONFAM_INDEX_KEY are required with DATABASE_URL (make them with `confam keys generate`)');
  const path = join(config.CONFAM_DATA_DIR, 'keys.json');
  if (!existsSync(path)) {
    mkdirSync(config.CONFAM_DATA_DIR, { recursive: true });
    writeFileSync(path, JSON.stringify({ keys: `1:${newSecretKey()}`, indexKey: newSecretKey() }), { mode: 0o600, flag: 'wx' });
  }
  chmodSync(path, 0o600);
  return JSON.parse(readFileSync(path, 'utf8'));
}
