/** Checks what Confam keeps its data in: the second wall of the database, the watch lists in it, and Redis. Changes nothing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { configureLists, type ListDefinition } from '../aml/definitions.ts';
import { readStatus, showAge } from '../aml/status.ts';
import { type Config, ConfigError } from '../foundation/config.ts';
import { openKeys, readKeys, type Sql } from '../foundation/context.ts';
import { KeyFault } from '../foundation/crypto.ts';
import { parseIndexKeys } from '../foundation/index-keys.ts';
import { compareIndexKeys } from '../foundation/retired-index-keys.ts';
import { redisTls } from '../foundation/store-tls.ts';
import { excessOf, missingWall, wallGaps } from '../foundation/wall.ts';
import type { DeploymentKeys, WrappedKey } from '../foundation/wrapping.ts';
import { about, codeOf, type Finding, withoutSecrets } from './finding.ts';

/** The oldest version that Confam works with. */
const REDIS_MIN = 6.2;
/** How long connecting to a store may take. */
export const CONNECT_SECONDS = 5;

/** How many gaps one line names. */
const GAPS_SHOWN = 5;

/** The second wall, as migrations raise it, and whether processes could climb over it. */
export async function checkWall(sql: Sql, config: Config): Promise<Finding> {
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

/** The keys by which people are found. Null: there is one, as in every new deployment, and it is not known to be wrong. */
export async function checkIndexKeys(sql: Sql, config: Config): Promise<Finding | null> {
  const index = about('index keys');
  const [hasTable] = await sql`select 1 where to_regclass('data_keys') is not null`;
  if (!hasTable) return null;
  const given = keysOf(config);
  if (given === null) return null;
  const { configured, wrapping } = given;
  try {
    const { retired } = await compareIndexKeys(sql, wrapping, configured);
    if (configured.size === 1 && retired.size === 0) return null;
    const [current] = [...configured.keys()];
    const older = [...configured.keys()].slice(1);
    const says = [
      `key ${current} is the current one`,
      ...(older.length > 0 ? [`${older.join(', ')} beside it`] : []),
      ...(retired.size > 0 ? [`${[...retired.keys()].join(', ')} kept in the database`] : []),
    ].join(', ');
    return older.length > 0 ? index.note(`${says}; \`confam keys index\` says when it can go`) : index.ok(says);
  } catch (error) {
    if (error instanceof ConfigError) return index.broken(error.message);
    throw error;
  }
}

/**
 * Whether the settings have every key that data keys are wrapped by: processes start without an old one, and answer 503 where they need it. Opens one data key of
 * each. Null: all open.
 */
export async function checkDataKeys(sql: Sql, config: Config): Promise<Finding | null> {
  const dataKeys = about('data keys');
  const [hasTable] = await sql`select 1 where to_regclass('data_keys') is not null`;
  const given = hasTable ? keysOf(config) : null;
  if (given === null) return null;
  const samples = await sql<(WrappedKey & { keys: number })[]>`
    select one.id, one.wrapped, all_of_it.keys from (select wrapped_by, count(*)::int as keys from data_keys group by wrapped_by) all_of_it
    cross join lateral (select id, wrapped from data_keys where wrapped_by = all_of_it.wrapped_by limit 1) one`;
  try {
    const faults = (await given.wrapping.unwrap(samples)).flatMap((opened, at) =>
      opened instanceof KeyFault ? [`${samples[at]!.keys} cannot be opened (${opened.message})`] : [],
    );
    return faults.length === 0 ? null : dataKeys.broken(`${faults.join(', ')}: what they encrypt is answered with 503`);
  } catch (error) {
    if (error instanceof KeyFault) return dataKeys.broken(error.message);
    throw error;
  }
}

/** Null if they are missing or cannot be read, which `checkKeys` reports. */
function keysOf(config: Config): { configured: Map<number, Buffer>; wrapping: DeploymentKeys['wrapping'] } | null {
  // Reading them would generate them.
  if (config.embedded && !config.CONFAM_KEYS && !existsSync(join(config.CONFAM_DATA_DIR, 'keys.json'))) return null;
  try {
    return { configured: parseIndexKeys(readKeys(config).indexKey), wrapping: openKeys(config).wrapping };
  } catch {
    return null;
  }
}

export async function* checkLists(sql: Sql, config: Config): AsyncGenerator<Finding> {
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

export async function checkRedis(config: Config): Promise<Finding> {
  const queue = about('queue');
  const { REDIS_URL } = config;
  if (!REDIS_URL) return queue.ok('on Postgres (REDIS_URL is not set)');
  const where = withoutSecrets(REDIS_URL);
  const redis = new Redis(REDIS_URL, {
    lazyConnect: true,
    connectTimeout: CONNECT_SECONDS * 1_000,
    commandTimeout: CONNECT_SECONDS * 1_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    tls: redisTls(config),
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
    const [, limit] = /^maxmemory:(\d+)/m.exec(info) ?? [];
    if (Number.parseFloat(version) < REDIS_MIN) return queue.broken(`Redis ${version} at ${where}; ${REDIS_MIN} or newer is needed`);
    if (policy && policy !== 'noeviction') {
      const says = `Redis ${version} at ${where}: set maxmemory-policy noeviction (it is ${policy})`;
      // Without a limit it evicts nothing yet. With volatile-* it would evict the locks of running jobs, with allkeys-* the jobs too.
      return limit === '0' ? queue.note(says) : queue.broken(`${says}: it may evict parts of the queue`);
    }
    return queue.ok(`Redis ${version} at ${where}`);
  } catch (error) {
    return queue.broken(`Redis at ${where} cannot be used (${codeOf(trouble ?? error)})`);
  } finally {
    redis.disconnect();
  }
}
