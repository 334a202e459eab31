/** Checks where Confam keeps its data: the database with its migrations and watch lists, and Redis. Changes nothing in either. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { Redis } from 'ioredis';
import { configureLists, type ListDefinition } from '../../aml/definitions.ts';
import { readStatus } from '../../aml/status.ts';
import { findNativeFolder } from '../../embedded/binaries.ts';
import { borrowEmbeddedPostgres } from '../../embedded/embedded.ts';
import { EmbeddedPostgresError } from '../../embedded/error.ts';
import { type Config, ConfigError } from '../../foundation/config.ts';
import { openSql, type Sql } from '../../foundation/context.ts';
import { packageRoot } from '../../foundation/package-root.ts';
import { excessOf, missingWall, wallGaps } from '../../foundation/wall.ts';
import { databaseTrouble } from '../database-trouble.ts';
import { showAge } from '../lists.ts';
import { about, codeOf, type Finding, withoutSecrets } from './finding.ts';

/** The oldest versions that Confam works with. */
const POSTGRES_MIN = 14;
const REDIS_MIN = 6.2;
const CONNECT_SECONDS = 5;

/** Starts the embedded server for the duration of the check, unless it is already running. */
export async function* checkDatabase(config: Config): AsyncGenerator<Finding> {
  const database = about('database');
  if (config.embedded && !existsSync(join(config.CONFAM_DATA_DIR, 'postgres.json'))) {
    yield startable();
    return;
  }
  let stop = async (): Promise<void> => {};
  try {
    const borrowed = config.embedded ? await borrowEmbeddedPostgres({ dataDir: config.CONFAM_DATA_DIR }) : null;
    if (borrowed) stop = borrowed.stop;
    const sql = openSql(withTimeout(borrowed?.url ?? config.DATABASE_URL!), 1);
    try {
      const server = await checkServer(sql, config);
      yield server;
      if (server.state === 'ok') yield await checkWall(sql, config);
      if (server.state !== 'broken') yield* checkLists(sql, config);
    } finally {
      await sql.end({ timeout: CONNECT_SECONDS });
    }
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) yield database.broken(error.message);
    else yield database.broken(databaseTrouble(error) ?? `cannot be used (${codeOf(error)})`);
  } finally {
    await stop();
  }
}

function startable(): Finding {
  const database = about('database');
  try {
    return database.ok(`none yet; the first start creates an embedded Postgres ${findNativeFolder().version}`);
  } catch (error) {
    return database.broken((error as Error).message);
  }
}

function withTimeout(url: string): string {
  const bounded = new URL(url);
  if (!bounded.searchParams.has('connect_timeout')) bounded.searchParams.set('connect_timeout', String(CONNECT_SECONDS));
  return bounded.toString();
}

async function checkServer(sql: Sql, config: Config): Promise<Finding> {
  const database = about('database');
  const [server] = await sql<{ version: string; number: number; hasJournal: boolean; hasQueue: boolean }[]>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      to_regclass('drizzle.__drizzle_migrations') is not null as has_journal, to_regnamespace(${config.CONFAM_QUEUE_PREFIX}) is not null as has_queue`;
  const name = `Postgres ${server!.version}${config.embedded ? ', embedded' : ` at ${withoutSecrets(config.DATABASE_URL!)}`}`;
  if (server!.number < POSTGRES_MIN * 10_000) return database.broken(`${name}; ${POSTGRES_MIN} or newer is needed`);
  const [last] = server!.hasJournal
    ? await sql<{ at: string | null }[]>`select max(created_at)::text as at from drizzle.__drizzle_migrations`
    : [];
  const known = readMigrationFiles({ migrationsFolder: join(packageRoot(), 'drizzle') }).map(({ folderMillis }) => folderMillis);
  const pending = known.filter((at) => at > Number(last?.at ?? 0)).length;
  const lacksQueue = !config.REDIS_URL && !server!.hasQueue;
  if (pending > 0 || lacksQueue) {
    const behind = `${name}: ${pending > 0 ? `${pending} of ${known.length} migrations are missing` : 'the queue’s schema is missing'}`;
    return config.embedded ? database.note(`${behind}; the next start applies them`) : database.broken(`${behind}; run \`confam migrate\``);
  }
  if (Number(last!.at) > Math.max(...known)) return database.note(`${name}: migrated by a newer Confam`);
  return database.ok(`${name}: all ${known.length} migrations are applied`);
}

/** How many gaps one line names. */
const GAPS_SHOWN = 5;

/** The second wall, as migrations raise it, and whether processes could climb over it. */
async function checkWall(sql: Sql, config: Config): Promise<Finding> {
  const wall = about('second wall');
  const missing = await missingWall(sql).catch((error: unknown) => {
    if (error instanceof ConfigError) return error.message;
    throw error;
  });
  if (missing !== null) return wall.broken(missing);
  const gaps = await wallGaps(sql);
  if (gaps.length > 0) {
    const more = gaps.length > GAPS_SHOWN ? ` and ${gaps.length - GAPS_SHOWN} more` : '';
    return wall.broken(`${gaps.slice(0, GAPS_SHOWN).join(', ')}${more}; run \`confam migrate\``);
  }
  // Beside an embedded server, processes connect as a user that owns nothing.
  const excess = config.embedded ? null : await excessOf(sql);
  if (excess === null) return wall.ok('every table has its policies, and processes own nothing');
  return wall.note(
    `every table has its policies, but ${excess}: set DATABASE_OWNER_URL, and DATABASE_URL to a user of its own (docs/deploy.md)`,
  );
}

async function* checkLists(sql: Sql, config: Config): AsyncGenerator<Finding> {
  const lists = about('watch lists');
  let definitions: readonly ListDefinition[];
  try {
    definitions = configureLists(config);
  } catch (error) {
    yield lists.broken((error as Error).message.replaceAll('\n', '; '));
    return;
  }
  const [hasTable] = await sql`select 1 where to_regclass('aml_lists') is not null`;
  if (!hasTable) return;
  const status = await readStatus({ sql }, definitions);
  const loaded = status.filter(({ state }) => state !== 'absent');
  for (const { definition, state, version, ageSeconds, refusal } of loaded) {
    const list = about(`list ${definition.list}`);
    const says = `${version!.entries} entries, checked ${showAge(ageSeconds!)} ago`;
    if (state === 'too_old') {
      const tooOld = `${says}: older than its limit of ${definition.maxAgeDays} days`;
      yield definition.isRequired ? list.broken(`${tooOld}; live screenings answer 503`) : list.note(tooOld);
    } else yield refusal ? list.note(`${says}; the last refresh was refused (${refusal.reason})`) : list.ok(says);
  }
  const absent = status.filter(({ state, definition }) => state === 'absent' && definition.isRequired);
  if (absent.length > 0)
    yield lists.note(
      `${absent.map(({ definition }) => definition.list).join(', ')} not loaded: live screenings answer 503; run \`confam lists update\``,
    );
}

export async function checkRedis({ REDIS_URL }: Config): Promise<Finding> {
  const queue = about('queue');
  if (!REDIS_URL) return queue.ok('on Postgres (REDIS_URL is not set)');
  const where = withoutSecrets(REDIS_URL);
  const redis = new Redis(REDIS_URL, {
    lazyConnect: true,
    connectTimeout: CONNECT_SECONDS * 1_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // The promise reports it; without a listener the client would print it.
  let trouble: unknown;
  redis.on('error', (error) => {
    trouble = error;
  });
  try {
    await redis.connect();
    const info = await redis.info();
    const [, version = ''] = /^redis_version:(\S+)/m.exec(info) ?? [];
    const [, policy] = /^maxmemory_policy:(\S+)/m.exec(info) ?? [];
    if (Number.parseFloat(version) < REDIS_MIN) return queue.broken(`Redis ${version} at ${where}; ${REDIS_MIN} or newer is needed`);
    if (policy && policy !== 'noeviction')
      return queue.note(`Redis ${version} at ${where}: set maxmemory-policy noeviction (it is ${policy})`);
    return queue.ok(`Redis ${version} at ${where}`);
  } catch (error) {
    return queue.broken(`Redis at ${where} cannot be used (${codeOf(trouble ?? error)})`);
  } finally {
    redis.disconnect();
  }
}
