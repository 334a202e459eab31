/** Checks the database and its migrations, as the next start would find them. Changes nothing in it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkConnections } from '../../doctor/connections.ts';
import { about, codeOf, type Finding, withoutSecrets } from '../../doctor/finding.ts';
import { CONNECT_SECONDS, checkDataKeys, checkIndexKeys, checkLists, checkWall } from '../../doctor/stores.ts';
import { findNativeFolder } from '../../embedded/binaries.ts';
import { borrowEmbeddedPostgres } from '../../embedded/embedded.ts';
import { EmbeddedPostgresError } from '../../embedded/error.ts';
import { type Config, ConfigError } from '../../foundation/config.ts';
import { isPooled, openSql, otherEncoding, POOLED, type Sql } from '../../foundation/context.ts';
import { missingMigrations, readMigrations } from '../../foundation/migrations.ts';
import { databaseTrouble } from '../database-trouble.ts';

/** The oldest version that Confam works with. */
const POSTGRES_MIN = 14;

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
      yield await checkConnections(sql, config);
      const indexKeys = server.state === 'broken' ? null : await checkIndexKeys(sql, config);
      if (indexKeys) yield indexKeys;
      const dataKeys = server.state === 'broken' ? null : await checkDataKeys(sql, config);
      if (dataKeys) yield dataKeys;
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
  const [server] = await sql<{ version: string; number: number; hasQueue: boolean }[]>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      to_regnamespace(${config.CONFAM_QUEUE_PREFIX}) is not null as has_queue`;
  const name = `Postgres ${server!.version}${config.embedded ? ', embedded' : ` at ${withoutSecrets(config.DATABASE_URL!)}`}`;
  if (server!.number < POSTGRES_MIN * 10_000) return database.broken(`${name}; ${POSTGRES_MIN} or newer is needed`);
  if (await isPooled(sql)) return database.broken(`${name}: ${POOLED}`);
  const encoding = await otherEncoding(sql);
  if (encoding !== null) return database.broken(`${name}: it stores text as ${encoding}, and UTF8 is needed`);
  const pending = await missingMigrations(sql).catch((error: unknown) => {
    if (error instanceof ConfigError) return error.message;
    throw error;
  });
  if (typeof pending === 'string') return database.broken(`${name}: ${pending}`);
  const known = readMigrations().length;
  const lacksQueue = !config.REDIS_URL && !server!.hasQueue;
  if (pending.length > 0 || lacksQueue) {
    const behind = `${name}: ${pending.length > 0 ? `${pending.length} of ${known} migrations are missing` : 'the queue’s schema is missing'}`;
    return config.embedded ? database.note(`${behind}; the next start applies them`) : database.broken(`${behind}; run \`confam migrate\``);
  }
  return database.ok(`${name}: all ${known} migrations are applied`);
}
