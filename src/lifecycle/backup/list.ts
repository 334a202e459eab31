/** The list of backups: when each was made. Only the operator knows where a backup is and whether it still exists. */
import type postgres from 'postgres';
import { byOperator, record } from '../../access/audit/append.ts';
import { DEPLOYMENT } from '../../access/audit/entry.ts';
import type { Tx } from '../../foundation/context.ts';

interface Listed {
  id: string;
  taken_at: string;
}

/** Key of the advisory lock that keeps a new entry from being added while a receipt is being signed. An arbitrary fixed number. */
const LIST_LOCK = 7_266_206;

/** A database that an earlier release left, and that has not been migrated since, has no list of backups, or one without unfinished backups. */
async function hasColumn(sql: postgres.Sql, name: string): Promise<boolean> {
  const columns = await sql`select 1 from pg_attribute where attrelid = to_regclass('public.backups') and attname = ${name}`;
  return columns.length > 0;
}

/**
 * Lists a backup before it reads anything, so that erasures which end while it is being written name it in their receipts, and records it in the audit. Needs the
 * owner of the database.
 */
export async function beginBackup(sql: postgres.Sql, { id, taken_at }: Listed): Promise<void> {
  if (!(await hasColumn(sql, 'is_finished'))) return;
  await sql.begin(async (tx) => {
    // An erasure that is signing its receipt without this entry commits first, so the backup no longer contains the person.
    await tx`select pg_advisory_xact_lock(${LIST_LOCK})`;
    await tx`insert into backups (id, taken_at, is_finished) values (${id}, ${taken_at}, false)`;
    const detail = { backup: id };
    await record(tx as Tx, byOperator('cli'), { appId: DEPLOYMENT, live: null, action: 'backup.write', object: null, detail });
  });
}

/** Records in the audit that the database is now as it was then. Done again if a restore is interrupted before its end. As owner of the database. */
export const recordRestore = (sql: postgres.Sql, { id, taken_at }: Listed): Promise<void> =>
  sql.begin((tx) => {
    const detail = { backup: id, taken_at };
    return record(tx as Tx, byOperator('cli'), { appId: DEPLOYMENT, live: null, action: 'backup.restore', object: null, detail });
  });

/** As owner of the database. */
export async function finishBackup(sql: postgres.Sql, { id, taken_at }: Listed): Promise<void> {
  if (!(await hasColumn(sql, 'id'))) return;
  await sql.begin(async (tx) => {
    await tx`delete from backups where id = ${id}`;
    await tx`insert into backups (id, taken_at) values (${id}, ${taken_at})`;
  });
}

/** Unlists a backup that failed. `sql`: as owner of the database. */
export async function dropBackup(sql: postgres.Sql, { id }: Listed): Promise<void> {
  if (await hasColumn(sql, 'id')) await sql`delete from backups where id = ${id}`;
}

/** The newest backups, and how many there are. One that is still unfinished after a day was killed and is not counted. No backup begins until `tx` ends. */
export async function listBackups(tx: Tx, limit: number): Promise<{ made: string[]; number: number }> {
  await tx`select pg_advisory_xact_lock_shared(${LIST_LOCK})`;
  const rows = await tx<{ takenAt: string; number: number }[]>`
    select taken_at, (count(*) over ())::int as number from backups
    where is_finished or taken_at > now() - interval '1 day' order by taken_at desc limit ${limit}`;
  return { made: rows.map(({ takenAt }) => takenAt), number: rows[0]?.number ?? 0 };
}
