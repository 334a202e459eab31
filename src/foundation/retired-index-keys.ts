/**
 * The database's own copies of the index keys, wrapped like data keys. Each start compares the settings with them, so that a wrong or missing key is noticed before
 * anything is indexed by it, and so is a wrong key of CONFAM_KEYS before it wraps anything: it does not open the copy that has its number. Later hashes are made from those of the first key: with its copy, an old key may go from the settings.
 */
import type postgres from 'postgres';
import { ConfigError } from './config.ts';
import { KeyFault } from './crypto.ts';
import { missingIndexKey } from './index-keys.ts';
import type { Wrapping } from './wrapping.ts';

type Sql = postgres.Sql<{ bigint: number }>;

/** Their rows in `data_keys` have these ids, which no data key has: version 8, with the key's id as the last byte. */
const PREFIX = '00000000-0000-8000-8000-0000000000';
const rowOf = (id: number): string => PREFIX + id.toString(16).padStart(2, '0');
const [FIRST_ROW, LAST_ROW] = [rowOf(0), rowOf(255)];

/** The keys that only the database has, by id. Stores those of the settings that it has not. Throws as `compareIndexKeys`. */
export async function readRetiredKeys(sql: Sql, wrapping: Wrapping, configured: ReadonlyMap<number, Buffer>): Promise<Map<number, Buffer>> {
  const { retired, fresh } = await compareIndexKeys(sql, wrapping, configured);
  if (fresh.length === 0) return retired;
  const wrapped = await wrapUnlessAway(wrapping, fresh);
  if (wrapped === null) return retired;
  for (const [at, { id }] of fresh.entries())
    await sql`insert into data_keys (id, wrapped, wrapped_by) values (${id}, ${wrapped[at]!.wrapped}, ${wrapped[at]!.by}) on conflict do nothing`;
  // Another process may have stored another key first.
  return readRetiredKeys(sql, wrapping, configured);
}

interface Compared {
  /** Keys that only the database has, by id. */
  retired: Map<number, Buffer>;
  /** Keys of the settings that the database has no copy of, by the row that will hold it. */
  fresh: { id: string; key: Buffer }[];
}

/**
 * Changes nothing. Throws `ConfigError` if a key is missing, or differs from the one that indexed or sealed this database. A database that no process of this
 * release has opened yet may have no copy.
 */
export async function compareIndexKeys(sql: Sql, wrapping: Wrapping, configured: ReadonlyMap<number, Buffer>): Promise<Compared> {
  const retired = new Map<number, Buffer>();
  const rows = await readCopies(sql);
  const copies = await unwrapAll(wrapping, rows);
  for (const [at, { id: row }] of rows.entries()) {
    const id = Number.parseInt(row.slice(-2), 16);
    const [copy, own] = [copies[at]!, configured.get(id)];
    if (copy instanceof KeyFault) {
      if (copy.otherKey !== null) throw new ConfigError(`${copy.otherKey} is not the one that this database was sealed with`);
      // The key that wrapped it is away, or was removed before the rotation ended: then requests that need it say so.
      if (own) continue;
      throw new ConfigError(`CONFAM_INDEX_KEY: key ${id} is not in it, and the copy in the database does not open. ${copy.message}`);
    }
    if (own && !own.equals(copy))
      throw new ConfigError(`CONFAM_INDEX_KEY: its key ${id} is not the key ${id} with which this database was indexed`);
    if (!own) retired.set(id, copy);
  }
  const missing = missingIndexKey([...configured.keys(), ...retired.keys()]);
  if (missing !== null)
    throw new ConfigError(
      `CONFAM_INDEX_KEY: key ${missing} is missing, by which rows of this database are found: put it after the others (2:<new>,1:<old>)`,
    );
  const stored = new Set(rows.map(({ id }) => id));
  return { retired, fresh: [...configured].map(([id, key]) => ({ id: rowOf(id), key })).filter(({ id }) => !stored.has(id)) };
}

const readCopies = (sql: Sql) => sql<{ id: string; wrapped: Buffer }[]>`
  select id, wrapped from data_keys where id between ${FIRST_ROW} and ${LAST_ROW} order by id`;

/** Null: the key service is unavailable, and a later start stores them. */
async function wrapUnlessAway(wrapping: Wrapping, keys: { id: string; key: Buffer }[]): Promise<{ wrapped: Buffer; by: string }[] | null> {
  try {
    return await wrapping.wrap(keys);
  } catch (error) {
    if (error instanceof KeyFault) return null;
    throw error;
  }
}

/** While the key service is unavailable, none of them can be read. */
async function unwrapAll(wrapping: Wrapping, rows: { id: string; wrapped: Buffer }[]): Promise<(Buffer | KeyFault)[]> {
  try {
    return await wrapping.unwrap(rows);
  } catch (error) {
    if (!(error instanceof KeyFault)) throw error;
    return rows.map(() => error);
  }
}
