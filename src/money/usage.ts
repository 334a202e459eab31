/**
 * Usage by app, check and day (UTC). It is added up in the settling transactions, so it agrees with the ledger at every commit, and reading a year of
 * it touches a few rows for each day.
 */

import type postgres from 'postgres';
import type { Sql, Tx } from '../foundation/context.ts';
import { type Columns, recordset } from '../foundation/recordset.ts';
import type { WalletKey } from './ledger.ts';

/** What a job takes besides its input and result: its row, its share of the indexes, its ledger entries (`npm run bench -- portraits` measures the whole). */
export const ROW_BYTES = 600;

export interface Finished extends WalletKey {
  checkId: string;
  source: 'call' | 'job' | 'batch';
  outcome: 'found' | 'not_found' | 'failed';
  cached: boolean;
  billedKobo: number;
  /** Bytes of its result. */
  storedBytes: number;
}

interface Tally extends Omit<Finished, 'outcome' | 'cached'> {
  found: number;
  notFound: number;
  failed: number;
  cached: number;
  charged: number;
}

/**
 * The statement that counts the outcomes of a transaction. Must come last, after all other locks, because all settling for an app shares these rows. They are
 * locked in key order.
 */
export function addUsage(tx: Tx, finished: Finished[]) {
  const byKey = new Map<string, Tally>();
  for (const { outcome, cached, ...item } of finished) {
    const key = `${item.appId} ${item.live} ${item.checkId} ${item.source}`;
    let tally = byKey.get(key);
    if (!tally) {
      tally = { ...item, found: 0, notFound: 0, failed: 0, cached: 0, charged: 0, billedKobo: 0, storedBytes: 0 };
      byKey.set(key, tally);
    }
    if (outcome === 'found') tally.found++;
    else if (outcome === 'not_found') tally.notFound++;
    else tally.failed++;
    if (cached) tally.cached++;
    if (item.billedKobo > 0) tally.charged++;
    tally.billedKobo += item.billedKobo;
    tally.storedBytes += item.storedBytes;
  }
  return addUp(
    tx,
    tx`
    select app_id, live, (now() at time zone 'utc')::date, check_id, source, found, not_found, failed, cached, charged, billed, stored_bytes
    from ${recordset(tx, [...byKey.values()], tallyColumns)} t order by app_id, live, check_id, source`,
  );
}

const tallyColumns: Columns<Tally> = {
  app_id: ['uuid', (t) => t.appId],
  live: ['bool', (t) => t.live],
  check_id: ['text', (t) => t.checkId],
  source: ['text', (t) => t.source],
  found: ['int', (t) => t.found],
  not_found: ['int', (t) => t.notFound],
  failed: ['int', (t) => t.failed],
  cached: ['int', (t) => t.cached],
  charged: ['int', (t) => t.charged],
  billed: ['bigint', (t) => t.billedKobo],
  stored_bytes: ['bigint', (t) => t.storedBytes],
};

/** Statement that adds `rows` (the columns of `usage_days` in order, sorted by key) to the existing counts. */
export const addUp = (sql: Sql | Tx, rows: postgres.Fragment) => sql`
    insert into usage_days as u (app_id, live, day, check_id, source, found, not_found, failed, cached, charged, billed_kobo, stored_bytes)
    ${rows}
    on conflict (app_id, live, day, check_id, source) do update set
      found = u.found + excluded.found, not_found = u.not_found + excluded.not_found, failed = u.failed + excluded.failed,
      cached = u.cached + excluded.cached, charged = u.charged + excluded.charged, billed_kobo = u.billed_kobo + excluded.billed_kobo,
      stored_bytes = u.stored_bytes + excluded.stored_bytes`;

export interface UsageRow {
  /** `YYYY-MM-DD`. Null if not grouped by day. */
  day: string | null;
  checkId: string | null;
  /** Single calls, and jobs (single ones and rows), that were answered or failed. */
  calls: number;
  jobs: number;
  found: number;
  notFound: number;
  failed: number;
  cached: number;
  charged: number;
  billedKobo: number;
}

/** Usage from `from` to `to` (`YYYY-MM-DD`, inclusive), by day and check as asked. Days without usage are not listed. */
export async function readUsage(
  sql: Sql | Tx,
  { appId, live }: WalletKey,
  { from, to, byDay, byCheck }: { from: string; to: string; byDay: boolean; byCheck: boolean },
): Promise<UsageRow[]> {
  return sql<UsageRow[]>`
    select case when ${byDay} then day::text end as day, case when ${byCheck} then check_id end as check_id,
      coalesce(sum(found + not_found + failed) filter (where source = 'call'), 0)::bigint as calls,
      coalesce(sum(found + not_found + failed) filter (where source <> 'call'), 0)::bigint as jobs,
      sum(found)::bigint as found, sum(not_found)::bigint as not_found, sum(failed)::bigint as failed, sum(cached)::bigint as cached,
      sum(charged)::bigint as charged, sum(billed_kobo)::bigint as billed_kobo
    from usage_days where app_id = ${appId} and live = ${live} and day between ${from}::text::date and ${to}::text::date
    group by 1, 2 order by 1, 2`;
}
