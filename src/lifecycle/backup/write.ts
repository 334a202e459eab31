/**
 * Writes everything in a database to a file, as of one moment, while the service runs. The keys of the deployment are not in it: what is ciphertext in the
 * database is ciphertext in the file.
 */
import { once } from 'node:events';
import { type FileHandle, link, open, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import postgres from 'postgres';
import { type Pack, pack } from 'tar-stream';
import { ConfigError } from '../../foundation/config.ts';
import { digest } from '../../foundation/crypto.ts';
import { newId } from '../../foundation/ids.ts';
import { appliedMigrations, missingMigrations } from '../../foundation/migrations.ts';
import type { DeploymentKeys } from '../../foundation/wrapping.ts';
import { RELEASE } from '../../jobs/release.ts';
import { BACKUP, END, type End, MANIFEST, type Manifest, PART_BYTES, partName, quoted, rowsIn } from './archive.ts';
import { beginBackup, dropBackup, finishBackup } from './list.ts';

export interface Written {
  tables: number;
  rows: number;
  bytes: number;
}

/**
 * `ownerUrl`: of a user from whom no policy hides rows. The file appears under its name once it is whole, and only its owner may read it. Throws `ConfigError` if
 * a file of that name exists or cannot be written, or if the database is of a newer release, and the reason of `stop` once that is aborted; nothing is left of
 * it then.
 */
export async function writeBackup(ownerUrl: string, keys: DeploymentKeys, path: string, stop?: AbortSignal): Promise<Written> {
  stop?.throwIfAborted();
  const partial = `${path}.partial`;
  await refuseExisting(path);
  const file = await create(partial);
  const backup = { id: newId(), taken_at: new Date().toISOString() };
  // The second connection can remove a failed backup from the list even if the first one is stuck.
  const sql = postgres(ownerUrl, { max: 2, onnotice: () => {} });
  try {
    await refuseWalled(sql);
    // Neither `restore` nor `start` of this release would take what it wrote. An older database is backed up before it is brought up to date.
    await missingMigrations(sql);
    await beginBackup(sql, backup);
    // Nothing is awaited from here to the listener.
    stop?.throwIfAborted();
    const archive = pack();
    const saved = pipeline(archive, createGzip({ level: 1 }), file.createWriteStream({ flush: true }));
    const written = sql.begin('isolation level repeatable read read only', (tx) => writeAll(tx, keys, archive, backup));
    written.catch((error: Error) => archive.destroy(error));
    stop?.addEventListener('abort', () => archive.destroy(stop.reason));
    const [rows] = await Promise.all([written, saved]);
    await finishBackup(sql, backup);
    // Unlike a rename, this replaces nothing.
    await link(partial, path);
    const counts = Object.values(rows);
    return { tables: counts.length, rows: counts.reduce((sum, count) => sum + count, 0), bytes: (await stat(path)).size };
  } catch (error) {
    // If the database is gone, the entry stays for a day.
    await dropBackup(sql, backup).catch(() => {});
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'ENOSPC' ? new ConfigError(`${path} cannot be written: no space is left on the disk`) : error;
  } finally {
    await file.close();
    await rm(partial, { force: true });
    await sql.end({ timeout: 5 });
  }
}

async function refuseExisting(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found) throw new ConfigError(`${path} exists`);
}

async function create(partial: string): Promise<FileHandle> {
  try {
    return await open(partial, 'wx', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new ConfigError(`${partial} exists: a backup is being written, or one was interrupted and may be deleted`);
    throw new ConfigError(`${partial} cannot be written: ${code}`);
  }
}

async function writeAll(
  tx: postgres.TransactionSql,
  keys: DeploymentKeys,
  archive: Pack,
  backup: Pick<Manifest, 'id' | 'taken_at'>,
): Promise<End['rows']> {
  const manifest = await describe(tx, keys, backup);
  await add(archive, MANIFEST, JSON.stringify(manifest));
  const rows: End['rows'] = {};
  for (const { name, columns } of manifest.tables) rows[name] = await writeTable(tx, archive, name, columns);
  await add(archive, END, JSON.stringify({ rows } satisfies End));
  archive.finalize();
  return rows;
}

async function refuseWalled(sql: postgres.Sql): Promise<void> {
  const [user] = await sql<{ isOwner: boolean }[]>`select rolsuper or rolbypassrls as "isOwner" from pg_roles where rolname = current_user`;
  if (!user!.isOwner) throw new Error('a policy may hide rows from this user of the database');
}

async function describe(
  tx: postgres.TransactionSql,
  keys: DeploymentKeys,
  { id, taken_at }: Pick<Manifest, 'id' | 'taken_at'>,
): Promise<Manifest> {
  const [proof] = await keys.wrapping.wrap([{ id, key: digest(id) }]);
  const tables = await tx<{ name: string; columns: string[] }[]>`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition group by c.relname order by c.relname`;
  const sequences = await tx<{ name: string; last: string | null }[]>`
    select sequencename as name, last_value::text as last from pg_sequences where schemaname = 'public'`;
  return {
    format: 1,
    id,
    release: RELEASE,
    taken_at,
    migrations: await appliedMigrations(tx),
    proof: { sealed: proof!.wrapped.toString('base64'), signature: keys.indexer.sign(BACKUP, id).toString('base64') },
    tables: [...tables],
    sequences: Object.fromEntries(sequences.map(({ name, last }) => [name, last])),
  };
}

async function writeTable(tx: postgres.TransactionSql, archive: Pack, name: string, columns: readonly string[]): Promise<number> {
  // Selected, since COPY by itself refuses a partitioned table.
  const copied = await tx.unsafe(`copy (select ${columns.map(quoted).join(', ')} from ${quoted(name)}) to stdout`).readable();
  let [rows, part, bytes] = [0, 0, 0];
  let chunks: Buffer[] = [];
  const flush = async () => {
    await add(archive, partName(name, part), Buffer.concat(chunks));
    part += 1;
    [chunks, bytes] = [[], 0];
  };
  for await (const chunk of copied as AsyncIterable<Buffer>) {
    rows += rowsIn(chunk);
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= PART_BYTES) await flush();
  }
  // A stream that has ended leaves its socket paused (`results/copy-reader.ts`).
  copied._read(0);
  if (bytes > 0) await flush();
  return rows;
}

/** Waits while the disk is slower than the database. */
async function add(archive: Pack, name: string, content: string | Buffer): Promise<void> {
  const bytes = Buffer.from(content as string);
  const entry = archive.entry({ name, size: bytes.length, mode: 0o600 });
  entry.end(bytes);
  await once(entry, 'finish');
}
