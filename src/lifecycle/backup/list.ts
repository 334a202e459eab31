/** The list of backups: when each was made. Only the operator knows where a backup is and whether it still exists. */
import type postgres from 'postgres';
import type { Tx } from '../../foundation/context.ts';

/** As owner of the database. One that an earlier release made, and that has not been migrated since, has no list. */
export async function recordBackup(sql: postgres.Sql, { id, taken_at }: { id: string; taken_at: string }): Promise<void> {
  const [list] = await sql`select to_regclass('public.backups') as "isThere"`;
  if (list!.isThere !== null) await sql`insert into backups (id, taken_at) values (${id}, ${taken_at}) on conflict do nothing`;
}

/** The newest, and how many there are. */
export async function listBackups(tx: Tx, limit: number): Promise<{ made: string[]; number: number }> {
  const rows = await tx<{ takenAt: string; number: number }[]>`
    select taken_at, (count(*) over ())::int as number from backups order by taken_at desc limit ${limit}`;
  return { made: rows.map(({ takenAt }) => takenAt), number: rows[0]?.number ?? 0 };
}
