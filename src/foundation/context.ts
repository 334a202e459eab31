/** What every module needs, opened once in each entry point and passed first: configuration, database, encryption, logs, metrics. */
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { z } from 'zod';
import { type Config, ConfigError } from './config.ts';
import { newSecretKey, openDeploymentKeys } from './crypto.ts';
import { type Cipher, openDataKeys } from './data-keys.ts';
import { createDurably, readWhole } from './durable-files.ts';
import { openIndexer, parseIndexKeys } from './index-keys.ts';
import { type Log, openLog } from './log.ts';
import { type Metrics, openMetrics } from './metrics.ts';
import { applyMigrations, migrationsOf, missingMigrations, readMigrations, refuseOtherMigrations } from './migrations.ts';
import { LIFT_LIMITS, migrateQueue, openQueueBackend, type QueueBackend } from './queue.ts';
import { compareIndexKeys, readRetiredKeys } from './retired-index-keys.ts';
import { type SilenceWatch, watchForSilence } from './silence.ts';
import { reach } from './store-tls.ts';
import { type Bound, openTenants } from './tenants.ts';
import { guardTransactions, isDriverMended } from './transactions.ts';
import { openTransit } from './transit.ts';
import { asRole, missingWall, raiseWall } from './wall.ts';
import type { Part } from './wall-tables.ts';
import { type DeploymentKeys, openWrapping } from './wrapping.ts';
import { openYielding, type Yielding } from './yielding.ts';

/** bigint columns (kobo, entry ids) read as numbers: exact up to 2^53. */
const types = { bigint: { to: 20, from: [20], parse: Number, serialize: String } };

export type Sql = postgres.Sql<{ bigint: number }>;
/** A transaction of `Sql`: functions that take one can only be called inside it. */
export type Tx = postgres.TransactionSql<{ bigint: number }>;

/** Named after the command that runs the process; `tool` is any command that is not a server. */
export type ProcessName = 'api' | 'worker' | 'dispatcher' | 'tool';

export interface Context {
  config: Config;
  /** Which process this is, for readers of several processes' metrics. */
  process: ProcessName;
  log: Log;
  metrics: Metrics;
  cipher: Cipher;
  /** With the role that this process acts as. */
  databaseUrl: string;
  /** For hot paths and everything in a transaction, over all apps. Timestamps come back as text. */
  sql: Sql;
  /** Ordinary queries, over the same pool. */
  db: PostgresJsDatabase;
  /** `sql` and `db` for requests of one app: they see its rows only. `bulk`: over connections of their own. */
  tenant(appId: string, work?: RequestWork): Bound;
  queues: QueueBackend;
  yielding: Yielding;
  close(): Promise<void>;
}

/** Uploads and files of results hold connections for seconds. They use their own, so that no other request waits behind them. */
export type RequestWork = 'short' | 'bulk';

/** Connections that one process may open in its main pool, and as many again for short requests of apps. BullMQ's are extra (see docs/operations.md). */
const POOL_MAX = 12;
/** Connections for files of results: three pages at a time (`access/admission.ts`), each of which takes up to three. Each upload that is read takes one more. */
const FOR_FILES = 9;
/** Besides its main pool, a process opens one for LISTEN and one for data keys. */
export const PROCESS_CONNECTIONS = POOL_MAX + 2;
/** What the API opens in addition: for short requests of apps, for files, and for uploads. */
export const apiConnections = ({ CONFAM_UPLOADS_MAX }: Config): number => POOL_MAX + FOR_FILES + CONFAM_UPLOADS_MAX;
/** Our tables are in `public`. A role named like the queue's schema would otherwise look there first ("$user"). */
const SESSION = {
  application_name: 'confam',
  search_path: 'public',
  // On a new database Postgres overestimates our larger statements, and compiling one takes longer (200 ms) than running it.
  jit: 'off',
  // Whatever the server, the database or the user prefers. Statements that wait for a lock go on with what they find then, which stricter isolation refuses.
  default_transaction_isolation: 'read committed' as const,
  // The forms in which the driver and we read answers.
  bytea_output: 'hex',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  timezone: 'UTC',
};
/**
 * For the process that answers single calls: replanning its large statements for each set of arrays costs more than running them. Not for pools, whose groups
 * are large: there a generic plan leaves results in an order that is slower to read.
 */
const KEPT_PLANS = { plan_cache_mode: 'force_generic_plan' };
/**
 * Bounds in milliseconds, by kind of work: for a statement, for the wait for a lock, and for a transaction that is idle between two statements. A process
 * that is stopped inside a transaction keeps its locks; after the last bound Postgres ends its session and releases them. None of our transactions waits for
 * a client or a vendor, so an idle one means a stopped process.
 */
const BOUNDS = {
  /** Others wait for its locks: calls, settling, control of batches. */
  short: { statement_timeout: 60_000, lock_timeout: 5_000, idle_in_transaction_session_timeout: 1_500 },
  /** A statement over all rows of a batch or all entries of the ledger. */
  large: { statement_timeout: 900_000, lock_timeout: 5_000, idle_in_transaction_session_timeout: 1_500 },
  /** Reads and computes for long between statements, and locks nothing that others need: rows of an upload, entries of a list. */
  reading: { statement_timeout: 900_000, lock_timeout: 900_000, idle_in_transaction_session_timeout: 120_000 },
} as const;
/** Seconds. Postgres notices a lost host after 25 s and ends its session. */
const SERVER_KEEP_ALIVE = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 };
/** A caller that waits longer than this for a connection gets an error and may try again. */
const CONNECT_SECONDS = 4;
/** Attempts to connect start 10 ms apart and are never more than this apart, so that waiting work resumes as soon as Postgres does. */
const RECONNECT_MAX_SECONDS = 0.5;
/** An idle connection is probed after this time: a lost host says nothing by itself. */
const KEEP_ALIVE_SECONDS = 10;
/** An arbitrary fixed number, on which processes that start together wait for each other's migrations. */
const MIGRATION_LOCK = 7_266_201;

interface ContextOptions {
  poolMax?: number;
  process?: ProcessName;
  log?: Log;
  keepPlans?: boolean;
}

/**
 * Opens a migrated database: behind the second wall if it can be used, and with the index keys that only the database still has. Throws `ConfigError` if nothing
 * can be used, or an index key is missing or wrong.
 */
export async function openDeployed(config: Config, databaseUrl: string, options: ContextOptions = {}): Promise<Context> {
  const isWalled = await findWall(databaseUrl, options.log);
  const keys = await findKeys(config, isWalled ? asRole(databaseUrl, partOf(options.process ?? 'tool')) : databaseUrl);
  return openContext(config, databaseUrl, { ...options, isWalled, keys });
}

/** `databaseUrl`: with the role that may read keys. */
async function findKeys(config: Config, databaseUrl: string): Promise<DeploymentKeys> {
  const keys = openKeys(config);
  const { indexKey } = readKeys(config);
  const retired = await withConnection(databaseUrl, (sql) => readRetiredKeys(sql as Sql, keys.wrapping, parseIndexKeys(indexKey)));
  return retired.size === 0 ? keys : { ...keys, indexer: openIndexer(indexKey, retired) };
}

export function openContext(
  config: Config,
  databaseUrl: string,
  /** `isWalled: false`: the roles of the second wall cannot be used here (`findWall`), and everything runs as the user in the address. */
  options: ContextOptions & { isWalled?: boolean; keys?: DeploymentKeys } = {},
): Context {
  const log = options.log ?? openLog(config.CONFAM_LOG_LEVEL);
  if (!isDriverMended()) log.warn('postgres.js is not patched: run `node ops/patch-postgres.mjs`, or queries hang after a lost connection');
  const { process = 'tool', poolMax = POOL_MAX, keepPlans, isWalled = true, keys = openKeys(config) } = options;
  const watch = watchForSilence(log);
  const open = (url: string, max = poolMax) => guardTransactions(openSql(url, max, { keepPlans, watch }));
  const url = isWalled ? asRole(databaseUrl, partOf(process)) : databaseUrl;
  const sql = open(url);
  const db = drizzle(sql);
  // Connections are opened when they are first needed: a process without the API has none of them.
  const asTenant = isWalled ? asRole(databaseUrl, 'tenant') : url;
  const tenants = isWalled ? open(asTenant) : null;
  const bulk = open(asTenant, config.CONFAM_UPLOADS_MAX + FOR_FILES);
  const unwalled = { sql: bulk, db: drizzle(bulk) };
  const tenant: Record<RequestWork, (appId: string) => Bound> = {
    short: tenants ? openTenants(tenants) : () => ({ sql, db }),
    bulk: isWalled ? openTenants(bulk) : () => unwalled,
  };
  // A separate connection for keys: those who wait for a key may hold all the others.
  const forKeys = openSql(url, 1, { watch, isAsked: true });
  watch.ask(() => forKeys`select 1`);
  const cipher = openDataKeys(forKeys, keys);
  return {
    config,
    process,
    log,
    metrics: openMetrics(),
    cipher,
    databaseUrl: url,
    sql,
    db,
    tenant: (appId, work = 'short') => tenant[work](appId),
    queues: openQueueBackend(config, isWalled ? asRole(databaseUrl, 'queue') : databaseUrl, log, watch),
    yielding: openYielding(),
    async close() {
      cipher.close();
      watch.close();
      await Promise.all([sql, tenants, bulk, forKeys].map((pool) => pool?.end({ timeout: 5 })));
    },
  };
}

const partOf = (process: ProcessName): Part => (process === 'worker' ? 'worker' : 'service');

/** False if the second wall cannot be used in this database; then it writes that to `log`. Throws `ConfigError` if nothing can be used. */
export async function findWall(databaseUrl: string, log?: Log): Promise<boolean> {
  const missing = await withConnection(databaseUrl, missingWall);
  if (missing) log?.warn(`this process can do everything in its database (docs/deploy.md, "Roles of the database"): ${missing}`);
  return missing === null;
}

async function withConnection<Result>(databaseUrl: string, work: (sql: postgres.Sql) => Promise<Result>): Promise<Result> {
  const sql = postgres(...reach(databaseUrl, { max: 1, onnotice: () => {}, connection: SESSION, connect_timeout: CONNECT_SECONDS }));
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

interface SqlOptions {
  keepPlans?: boolean;
  watch?: SilenceWatch;
  /** The watch asks over these connections, so they are not replaced when they have been open for an hour. */
  isAsked?: boolean;
}

/** Only the connections: for a thread, which has no other part of the context. */
export function openSql(databaseUrl: string, max: number, { keepPlans, watch, isAsked }: SqlOptions = {}): Sql {
  const sql = postgres(
    ...reach(databaseUrl, {
      max,
      types,
      // Column names become camel case, so that rows match `schema/`.
      transform: { column: { from: postgres.toCamel } },
      onnotice: () => {},
      connection: { ...SESSION, ...BOUNDS.short, ...SERVER_KEEP_ALIVE, ...(keepPlans && KEPT_PLANS) },
      connect_timeout: CONNECT_SECONDS,
      backoff: (retries: number) => Math.min(0.01 * 3 ** retries, RECONNECT_MAX_SECONDS) * (0.5 + Math.random() / 2),
      keep_alive: KEEP_ALIVE_SECONDS,
      ...(isAsked && { max_lifetime: null }),
      // At a pipeline boundary a BEGIN would not reserve its connection (porsager/postgres#1189), so never reach it.
      ...{ max_pipeline: 1_000_000 },
    }),
  );
  askTypesOnce(sql);
  // Called for each connection before it is opened (`ops/patch-postgres.mjs`).
  if (watch) Object.assign(sql.options, { onsocket: (socket: Socket) => watch.track(socket, isAsked) });
  return sql;
}

/** Gives the rest of the transaction the bounds of this kind of work. Every transaction begins as `short`. */
export async function bound(tx: Tx, work: keyof typeof BOUNDS): Promise<void> {
  const { statement_timeout, lock_timeout, idle_in_transaction_session_timeout } = BOUNDS[work];
  await tx`
    select set_config('statement_timeout', ${String(statement_timeout)}, true), set_config('lock_timeout', ${String(lock_timeout)}, true),
      set_config('idle_in_transaction_session_timeout', ${String(idle_in_transaction_session_timeout)}, true)`;
}

/**
 * postgres.js 3.4.9 asks each new connection for its array types without listening for errors: a connection cut at that moment ended the process. The types
 * are the same on every connection, so only the first one is asked. (`fetch_types: false` would know no arrays.)
 */
function askTypesOnce({ options }: Sql): void {
  const { typeArrayMap } = (options as unknown as { shared: { typeArrayMap: Record<number, number> } }).shared;
  Object.defineProperty(options, 'fetch_types', { get: () => Object.keys(typeArrayMap).length === 0 });
}

/** Tells whoever explains an error (`cli/database-trouble.ts`) that it is about the owner's address. */
const blaming =
  ({ DATABASE_OWNER_URL }: Config, databaseUrl: string) =>
  (error: Error): never => {
    throw databaseUrl === DATABASE_OWNER_URL ? Object.assign(error, { setting: 'DATABASE_OWNER_URL' }) : error;
  };

/** Throws `ConfigError` if the keys in the settings are not this database's. Either may have none yet: a process that only migrates needs no keys. */
export async function refuseOtherKeys(config: Config, databaseUrl: string): Promise<void> {
  if (config.CONFAM_INDEX_KEY === undefined) return;
  const { wrapping } = openKeys(config);
  const configured = parseIndexKeys(config.CONFAM_INDEX_KEY);
  await withConnection(databaseUrl, async (sql) => {
    const [hasTable] = await sql`select 1 where to_regclass('data_keys') is not null`;
    if (hasTable) await compareIndexKeys(sql as Sql, wrapping, configured);
  }).catch(blaming(config, databaseUrl));
}

/** Throws `ConfigError` unless the database is at this release: older (`migrateDatabase` has not run) and newer ones are refused. */
export const refuseOtherDatabase = (databaseUrl: string): Promise<void> =>
  withConnection(databaseUrl, async (sql) => {
    await refusePooler(sql);
    await refuseOtherMigrations(sql);
  });

/** Throws `ConfigError` if something between us and Postgres discards the settings of a connection, and with them its role, which keeps apps apart. */
async function refusePooler(sql: postgres.Sql): Promise<void> {
  if (await isPooled(sql)) throw new ConfigError(`DATABASE_URL, DATABASE_OWNER_URL: ${POOLED}`);
}

export const POOLED = "a pooler discards the settings of our connections: give Postgres's own address";

/**
 * Whether a connection with the settings of `SESSION` lacks them. `jit` stands for all of them: a pooler can follow those that Postgres reports to it, which
 * neither `jit` nor the role of a connection is.
 */
export async function isPooled(sql: postgres.Sql): Promise<boolean> {
  const [jit] = await sql<{ ours: boolean }[]>`select source = 'client' as ours from pg_settings where name = 'jit'`;
  return !jit!.ours;
}

/**
 * Brings the database up to date, as its owner, and raises the second wall. Throws `ConfigError` if this program must not touch it. If several processes start
 * at once, one migrates and the others wait. `login`: the address that processes will use, if it is another user's. Returns why there is no wall, or null.
 */
export async function migrateDatabase(config: Config, ownerUrl: string, login: string | null = null): Promise<string | null> {
  const sql = postgres(...reach(ownerUrl, { max: 1, onnotice: () => {}, connection: SESSION }));
  try {
    await refusePooler(sql);
    await sql.unsafe(LIFT_LIMITS);
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`;
    const missing = await missingMigrations(sql);
    if (missing.length === readMigrations().length) await refuseOtherEncoding(sql);
    // For 0044_outside.sql: what held until then for apps that had not said anything.
    await sql`select set_config('confam.email_outside', ${String(config.CONFAM_EMAIL_OUTSIDE ?? true)}, false)`;
    if (missing.length > 0) await applyMigrations(sql, readMigrations());
    await migrateQueue(config, ownerUrl);
    return await raiseWall(sql, login, config.REDIS_URL ? null : config.CONFAM_QUEUE_PREFIX);
  } catch (error) {
    return blaming(config, ownerUrl)(error as Error);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Throws `ConfigError` unless it stores every character, and counts characters instead of bytes. */
async function refuseOtherEncoding(sql: postgres.Sql): Promise<void> {
  const encoding = await otherEncoding(sql);
  if (encoding !== null)
    throw new ConfigError(`The database stores text as ${encoding}. Make one with: create database … encoding 'UTF8' template template0`);
}

/** Null if the database stores text as UTF-8. */
export async function otherEncoding(sql: postgres.Sql): Promise<string | null> {
  const [database] = await sql<{ encoding: string }[]>`select current_setting('server_encoding') as encoding`;
  return database!.encoding === 'UTF8' ? null : database!.encoding;
}

/** Brings an empty database to where a backup was, by its `appliedMigrations`. Throws `ConfigError` if this program does not know them. */
export async function migrateTo(ownerUrl: string, applied: readonly number[]): Promise<void> {
  const migrations = migrationsOf(applied);
  await withConnection(ownerUrl, async (sql) => {
    await sql.unsafe(LIFT_LIMITS);
    await applyMigrations(sql, migrations);
  });
}

export function openKeys(config: Config): DeploymentKeys {
  const { keys, indexKey } = readKeys(config);
  const own = keys === null ? null : openDeploymentKeys(keys);
  const { CONFAM_TRANSIT_URL: url, CONFAM_TRANSIT_KEY: key, CONFAM_TRANSIT_TOKEN: token } = config;
  return {
    wrapping: openWrapping(own, url ? openTransit({ url, key, token: token! }) : null),
    direct: own,
    indexer: openIndexer(indexKey),
  };
}

const KeysFile = z.object({ keys: z.string(), indexKey: z.string() });

/** Keys from the environment. With embedded Postgres they are generated on the first start, before the database, and kept in the data folder. `keys`: null if a key service has them. */
export function readKeys(config: Config): { keys: string | null; indexKey: string } {
  if (config.CONFAM_INDEX_KEY && (config.CONFAM_KEYS || (config.CONFAM_TRANSIT_URL && !config.embedded)))
    return { keys: config.CONFAM_KEYS ?? null, indexKey: config.CONFAM_INDEX_KEY };
  if (!config.embedded)
    throw new ConfigError('CONFAM_KEYS and CONFAM_INDEX_KEY are required with DATABASE_URL (make them with `confam keys generate`)');
  if (config.CONFAM_KEYS || config.CONFAM_INDEX_KEY)
    throw new ConfigError(
      `CONFAM_KEYS and CONFAM_INDEX_KEY belong together: ${config.CONFAM_KEYS ? 'CONFAM_INDEX_KEY' : 'CONFAM_KEYS'} is missing, and the keys of the data folder would be used instead`,
    );
  const path = join(config.CONFAM_DATA_DIR, 'keys.json');
  if (!existsSync(path)) {
    if (existsSync(join(config.CONFAM_DATA_DIR, 'postgres.json')))
      throw new ConfigError(
        `${path} is missing, and the database in this folder cannot be read without it; restore it from a backup. If the folder has never held any data, because its first start did not end, empty it and start again`,
      );
    mkdirSync(config.CONFAM_DATA_DIR, { recursive: true });
    createDurably(path, JSON.stringify({ keys: `1:${newSecretKey()}`, indexKey: newSecretKey() }), 0o600);
  }
  if (statSync(path).mode & 0o077) chmodSync(path, 0o600);
  const found = readWhole(path, KeysFile);
  if (!found) throw new ConfigError(`${path} is damaged, and the data cannot be read without it; restore it from a backup`);
  return found;
}
