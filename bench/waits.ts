/** What the database sessions of a Confam are doing: running, or waiting, and for what. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';

const SAMPLE_MS = 20;

/** Average number of sessions by activity: `runs`, or the event that they waited for. */
export async function sampleWaits(sql: Sql, stop: AbortSignal): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  let samples = 0;
  for (; !stop.aborted; samples++) {
    const rows = await sql<{ what: string; n: number }[]>`
      select case when state = 'active' then coalesce(wait_event_type || ':' || wait_event, 'runs') else 'in a transaction, waits for its process' end as what,
        count(*)::int as n
      from pg_stat_activity
      where application_name = 'confam' and datname = current_database() and state in ('active', 'idle in transaction') and pid <> pg_backend_pid() group by 1`;
    for (const { what, n } of rows) counts[what] = (counts[what] ?? 0) + n;
    await sleep(SAMPLE_MS);
  }
  return Object.fromEntries(Object.entries(counts).map(([what, n]) => [what, n / samples]));
}

const LEAST_SHOWN = 0.02;

export const shown = (waited: Record<string, number>): string =>
  Object.entries(waited)
    .filter(([, n]) => n >= LEAST_SHOWN)
    .sort(([, a], [, b]) => b - a)
    .map(([what, n]) => `${what} ${n.toFixed(2)}`)
    .join(', ');
