/**
 * Keeps the partitions by month (docs/decisions/0031-partitions-by-month.md): makes them before their month begins, and drops old ones whose last row was
 * deleted by retention or on request. Two functions of the database do the work, since no role of a process may change tables.
 */
import type { Context } from '../foundation/context.ts';

export async function keepPartitions({ sql, log }: Pick<Context, 'sql' | 'log'>): Promise<void> {
  await sql`select create_month_partitions()`;
  const dropped = await sql<{ name: string }[]>`select drop_empty_partitions() as name`;
  if (dropped.length > 0) log.info({ partitions: dropped.map(({ name }) => name) }, 'empty partitions of past months dropped');
}
