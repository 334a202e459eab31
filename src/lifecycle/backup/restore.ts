/** Loads a backup into an empty database in one transaction, wholly or not at all. The steps after it may be repeated. */
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import postgres from 'postgres';
import { type Config, ConfigError } from '../../foundation/config.ts';
import { migrateDatabase, migrateTo } from '../../foundation/context.ts';
import { digest, sameSecret } from '../../foundation/crypto.ts';
import { migrationsOf } from '../../foundation/migrations.ts';
import { reach } from '../../foundation/store-tls.ts';
import type { DeploymentKeys } from '../../foundation/wrapping.ts';
import { BACKUP, type Manifest, type OpenedBackup, openBackup, quoted, rowsIn } from './archive.ts';
import { finishBackup, recordRestore } from './list.ts';

export interface Restored {
  takenAt: string;
  release: string;
  tables: number;
  rows: number;
  /** What the second wall still needs from an administrator of the database (`migrateDatabase`). */
  missing: string | null;
}

/** A whole file that this release can load and these keys can read. */
export interface CheckedBackup {
  path: string;
  rows: number;
}

interface Target {
  config: Config;
  /** The URL of a superuser, or of another user that `refuseWeakUser` lets pass. */
  ownerUrl: string;
  /** The address that processes will use, if it is another one. */
  login: string | null;
  /** What the operator should restore into if this database is not empty. */
  instead?: string;
  /** The backup that a restore has begun to load into this database before it was interrupted. */
  interrupted?: string | null;
  /** Called before the first row of the backup with this `id` is loaded. */
  onLoad?: (id: string) => void;
}

/** Needs no database. Throws `ConfigError` if the file is damaged, the keys differ, or the backup is of a newer release. */
export async function checkBackup(path: string, keys: DeploymentKeys): Promise<CheckedBackup> {
  const { manifest, rows } = await verify(path);
  await refuseOtherKeys(keys, manifest);
  migrationsOf(manifest.migrations);
  return { path, rows };
}

/**
 * Migrates the database to where the backup was, loads it unless that has been done, and migrates on. Throws `ConfigError` if the database holds apps; it is as
 * it was before then.
 */
export async function restoreBackup(
  { config, ownerUrl, login, instead = 'an empty one', interrupted = null, onLoad = () => {} }: Target,
  { path, rows }: CheckedBackup,
): Promise<Restored> {
  const backup = await openBackup(path);
  const { manifest } = backup;
  const sql = postgres(...reach(ownerUrl, { max: 1, onnotice: () => {} }));
  try {
    await refuseWeakUser(sql);
    if (!(await isLoaded(sql, manifest, interrupted, instead))) {
      await migrateTo(ownerUrl, manifest.migrations);
      onLoad(manifest.id);
      await sql.begin((tx) => load(tx, backup));
    }
    const missing = await migrateDatabase(config, ownerUrl, login);
    // The backup's own copy of the list has it as unfinished, or not at all.
    await finishBackup(sql, manifest);
    await recordRestore(sql, manifest);
    await sql`analyze`;
    return { takenAt: manifest.taken_at, release: manifest.release, tables: manifest.tables.length, rows, missing };
  } finally {
    backup.close();
    await sql.end({ timeout: 5 });
  }
}

/** Reads the whole file, so that no part of a damaged one reaches the database. */
async function verify(path: string): Promise<{ manifest: Manifest; rows: number }> {
  const backup = await openBackup(path);
  const found: Record<string, number> = {};
  try {
    for await (const { name, rows } of backup.tables()) {
      found[name] = 0;
      for await (const part of rows) found[name] += rowsIn(part);
    }
  } finally {
    backup.close();
  }
  const { rows } = backup.end();
  const short = Object.keys(rows).find((name) => rows[name] !== found[name]);
  if (short) throw new ConfigError(`${path} is damaged: ${short} has ${found[short] ?? 0} rows instead of ${rows[short]}`);
  return { manifest: backup.manifest, rows: Object.values(found).reduce((sum, count) => sum + count, 0) };
}

async function refuseOtherKeys({ wrapping, indexer }: DeploymentKeys, { id, proof }: Manifest): Promise<void> {
  const [key] = await wrapping.unwrap([{ id, wrapped: Buffer.from(proof.sealed, 'base64') }]);
  if (!(key instanceof Buffer && key.equals(digest(id))))
    throw new ConfigError('The backup was made with other keys (CONFAM_KEYS, or "keys" in keys.json): its data could not be read');
  if (!indexer.signatures(BACKUP, id).some((signature) => sameSecret(signature.toString('base64'), proof.signature)))
    throw new ConfigError(
      'The backup was made with another index key (CONFAM_INDEX_KEY, or "indexKey" in keys.json): nobody would be found in it. After a rotation put the key of that time after the current one',
    );
}

/** Loading switches triggers and foreign keys off, and no policy may refuse a row: an ordinary owner of the tables may do neither. */
async function refuseWeakUser(sql: postgres.Sql): Promise<void> {
  const [user] = await sql<{ name: string; mayLoad: boolean }[]>`
    select current_user as name, rolsuper or (rolbypassrls and has_parameter_privilege(current_user, 'session_replication_role', 'SET')) as "mayLoad"
    from pg_roles where rolname = current_user`;
  if (!user!.mayLoad)
    throw new ConfigError(
      `The user ${user!.name} may not load a backup: name a superuser of the database in DATABASE_OWNER_URL for this command (docs/operations.md, "Backups")`,
    );
}

/** False: the database is empty. Throws `ConfigError` if it holds anything else than this backup. */
async function isLoaded(sql: postgres.Sql, { id }: Manifest, interrupted: string | null, instead: string): Promise<boolean> {
  const [table] = await sql<{ found: string | null }[]>`select to_regclass('public.apps') as found`;
  if (!table!.found) return false;
  const [app] = await sql`select 1 from apps limit 1`;
  if (!app || interrupted === id) return app !== undefined;
  throw new ConfigError(
    interrupted === null
      ? `The database holds apps already: restore into ${instead}`
      : `The restore that was interrupted here was from another backup: continue with that one, or restore into ${instead}`,
  );
}

async function load(tx: postgres.TransactionSql, backup: OpenedBackup): Promise<void> {
  // Neither triggers nor foreign keys: rows come as they were, in no particular order of tables.
  await tx`set local session_replication_role = replica`;
  await tx`select audit_create_partitions()`;
  // Migrations write rows of their own.
  await tx.unsafe(`truncate ${backup.manifest.tables.map(({ name }) => quoted(name)).join(', ')}`);
  const columnsOf = new Map(backup.manifest.tables.map(({ name, columns }) => [name, columns]));
  for await (const { name, rows } of backup.tables()) await loadTable(tx, name, columnsOf.get(name)!, rows);
  // Sessions that ended after the backup must not come back, so people sign in again.
  if (columnsOf.has('sessions')) await tx`delete from sessions`;
  for (const [name, last] of Object.entries(backup.manifest.sequences))
    if (last !== null) await tx`select setval(${quoted(name)}::regclass, ${last}::bigint)`;
}

async function loadTable(
  tx: postgres.TransactionSql,
  name: string,
  columns: readonly string[],
  parts: AsyncIterable<Buffer>,
): Promise<void> {
  const copy: Writable = await tx.unsafe(`copy ${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin`).writable();
  const copied = finished(copy);
  // Awaited below; until then a rejection must not count as unhandled.
  copied.catch(() => {});
  try {
    for await (const part of parts) {
      // Any refusal by Postgres arrives through `copied`.
      await Promise.race([new Promise<void>((resolve) => copy.write(part, () => resolve())), copied]);
    }
  } finally {
    // Also after an error: a ROLLBACK in the middle of a COPY would cost the connection and hide the error behind it.
    copy.end();
    await copied;
  }
}
