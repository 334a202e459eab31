/** A list of one app and mode reads what it shows, whatever else its table has. */
import type postgres from 'postgres';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Owner } from '../../src/access/owner.ts';
import { listRequests } from '../../src/access/request-log.ts';
import { listBatches, listJobs } from '../../src/batches/pages.ts';
import type { Context } from '../../src/foundation/context.ts';
import { newId } from '../../src/foundation/ids.ts';
import { asOwner, useDatabase } from '../setup/database.ts';
import { makeOwner, useBench } from '../setup/work.ts';

const OTHERS = 2_000;
const TABLES = ['batches', 'jobs', 'request_log'];

const database = useDatabase();
const bench = useBench(database);
let owner: Owner;

/** Live rows of the app, and statistics that say that no table has others. */
beforeAll(async () => {
  owner = { ...(await makeOwner(bench.service, 0)), live: true };
  const ids = Array.from({ length: OTHERS }, newId);
  await asOwner(database.url, async (sql) => {
    await sql`
      insert into batches (id, app_id, live, status, checks, format, columns, mapping, rows, jobs, queued, invalid, quote_kobo, hold_kobo)
      select id, ${owner.appId}, true, 'completed', '{nin_basic}', 'csv', '{nin}', '{"nin": "nin"}', 0, 0, 0, 0, 0, 0 from unnest(${ids}::uuid[]) id`;
    await sql`
      insert into jobs (id, app_id, live, status, price_kobo, cached_price_kobo, check_id, family, input)
      select id, ${owner.appId}, true, 'failed', 0, 0, 'nin_basic', 'nin', '\\x00' from unnest(${ids}::uuid[]) id`;
    await sql`
      insert into request_log (id, app_id, live, method, route, status, duration, actor_kind, actor_id)
      select id, ${owner.appId}, true, 'GET', '/api/v1/batches', 200, 1, 'key', 'key_1' from unnest(${ids}::uuid[]) id`;
    for (const table of TABLES) await sql.unsafe(`vacuum analyze ${table}`);
  });
});

/** Rows that the list's statement fetched from its table and the partitions of it, with a plan for any app, as processes that answer calls keep them. */
async function fetched(table: string, list: (ctx: Context) => Promise<unknown>): Promise<{ rows: number; shown: unknown }> {
  return bench.service.sql.begin(async (tx) => {
    await tx`set local plan_cache_mode = force_generic_plan`;
    const shown = await list({ ...bench.service, sql: tx as unknown as Context['sql'] });
    const [row] = await (tx as unknown as postgres.Sql)<{ rows: number }[]>`
      select coalesce(sum(idx_tup_fetch + seq_tup_read), 0)::int as rows from pg_stat_xact_user_tables where relname = ${table} or relname like ${`${table}\\_%`}`;
    return { rows: row!.rows, shown };
  });
}

const ALL = { statuses: null, outcome: null, check: null, reference: null, since: null, until: null, cursor: null, limit: 20 };
const ALL_REQUESTS = { before: null, limit: 20, statusClass: null, route: null, id: null, by: null };

describe.each([
  { table: 'batches', list: async (ctx: Context, whose: Owner) => (await listBatches(ctx, whose, ALL))!.batches },
  { table: 'jobs', list: async (ctx: Context, whose: Owner) => (await listJobs(ctx, whose, ALL))!.jobs },
  { table: 'request_log', list: (ctx: Context, whose: Owner) => listRequests(ctx, whose, ALL_REQUESTS) },
])('a list of $table', ({ table, list }) => {
  test('does not read the rows of the other mode or another app', async () => {
    const another = { ...(await makeOwner(bench.service, 0)), live: true };
    for (const whose of [{ ...owner, live: false }, another])
      expect(await fetched(table, (ctx) => list(ctx, whose))).toEqual({ rows: 0, shown: [] });
  });

  test('reads no more than its page', async () => {
    const { rows, shown } = await fetched(table, (ctx) => list(ctx, owner));
    expect(shown).toHaveLength(20);
    expect(rows).toBeGreaterThanOrEqual(20);
    expect(rows).toBeLessThan(100);
  });
});
