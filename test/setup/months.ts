/** Partitions of past months, as a deployment has them that has run for so long; a new database has one for everything up to the end of this month. */
import type postgres from 'postgres';

const TABLES = ['jobs', 'results', 'result_blocks', 'row_blocks', 'events', 'provider_lookups'];

/** Instants, in milliseconds, at which the month that was so many months ago begins and ends. */
export function monthsAgo(months: number): { starts: number; ends: number } {
  const now = new Date();
  const at = (back: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1);
  return { starts: at(months), ends: at(months - 1) };
}

/** `2026_10` */
export const monthName = (ms: number): string => new Date(ms).toISOString().slice(0, 7).replace('-', '_');

/** Makes partitions of the past `months` months and this one. As the owner of the tables, which have no rows of that time yet. */
export async function openPastMonths(owner: postgres.Sql, months: number): Promise<void> {
  await owner.begin(async (tx) => {
    for (const table of TABLES) {
      await tx.unsafe(`alter table ${table} detach partition ${table}_earlier`);
      for (let back = months; back >= 0; back--) {
        const { starts, ends } = monthsAgo(back);
        const partition = `${table}_${monthName(starts)}`;
        await tx.unsafe(`
          select create_partition_table('${table}', '${partition}');
          do $$ begin execute format('alter table public.${table} attach partition public.${partition} for values from (%L) to (%L)',
            first_id_at(to_timestamp(${starts} / 1000.0)), first_id_at(to_timestamp(${ends} / 1000.0))); end $$`);
      }
      await tx.unsafe(`
        do $$ begin execute format('alter table public.${table} attach partition public.${table}_earlier for values from (minvalue) to (%L)',
          first_id_at(to_timestamp(${monthsAgo(months).starts} / 1000.0))); end $$`);
    }
  });
}
