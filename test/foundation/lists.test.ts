/** A list of one app and mode reads only the rows that it shows, whatever else is in its table. */
import type postgres from 'postgres';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Owner } from '../../src/access/owner.ts';
import { listRequests } from '../../src/access/request-log.ts';
import { listClearances } from '../../src/aml/clearing.ts';
import { listMonitors } from '../../src/aml/monitors.ts';
import { listBatches, listJobs } from '../../src/batches/pages.ts';
import type { Context } from '../../src/foundation/context.ts';
import { newId } from '../../src/foundation/ids.ts';
import { readErasures } from '../../src/lifecycle/erase.ts';
import { readExports } from '../../src/lifecycle/export.ts';
import { readHolds } from '../../src/lifecycle/holds.ts';
import { countPurposes } from '../../src/lifecycle/purposes.ts';
import { readBatchCharges } from '../../src/money/batch-charges.ts';
import { listReviews } from '../../src/reviews/reviews.ts';
import { asOwner, useDatabase } from '../setup/database.ts';
import { makeOwner, useBench } from '../setup/work.ts';

const OTHERS = 2_000;

/** By table: columns beside `id`, `app_id` and `live`, and their values in SQL. */
const TABLES: Record<string, readonly [columns: string, values: string]> = {
  batches: [
    'status, checks, format, columns, mapping, rows, jobs, queued, completed, found, invalid, quote_kobo, hold_kobo, billed_kobo',
    `'completed', '{nin_basic}', 'csv', '{nin}', '{"nin": "nin"}', 1, 1, 0, 1, 1, 0, 100, 100, 100`,
  ],
  jobs: ['status, price_kobo, cached_price_kobo, check_id, family, input', `'failed', 0, 0, 'nin_basic', 'nin', '\\x00'`],
  request_log: ['method, route, status, duration, actor_kind, actor_id', `'GET', '/api/v1/batches', 200, 1, 'key', 'key_1'`],
  reviews: ['job_id, check_id, kind', `id, 'aml_screening', 'aml'`],
  aml_clearances: ['subject, list, source_id, digest, note', `uuid_send(id), 'un', '1', '\\x00', '\\x00'`],
  aml_monitors: ['subject, input, job_id', `uuid_send(id), '\\x00', id`],
  erasures: ['finished_at', 'now()'],
  subject_exports: ['expires_at', 'now()'],
  subject_holds: ['marks, subjects', `'{}', '{}'`],
};

const database = useDatabase();
const bench = useBench(database);
let owner: Owner;

/** Live rows of one app in each table, and statistics that know of no others. */
beforeAll(async () => {
  owner = { ...(await makeOwner(bench.service, 0)), live: true };
  const ids = Array.from({ length: OTHERS }, newId);
  await asOwner(database.url, async (sql) => {
    for (const [table, [columns, values]] of Object.entries(TABLES)) {
      await sql.unsafe(
        `insert into ${table} (id, app_id, live, ${columns}) select id, $1::uuid, true, ${values} from unnest($2::uuid[]) id`,
        [owner.appId, ids],
      );
      await sql.unsafe(`vacuum analyze ${table}`);
    }
  });
});

/** Runs `list` with a generic plan, as processes that answer calls do, and counts the rows that it fetched from `table` and its partitions. */
async function fetched(table: string, list: (ctx: Context) => Promise<unknown>): Promise<{ rows: number; shown: unknown }> {
  return bench.service.sql.begin(async (tx) => {
    await tx`set local plan_cache_mode = force_generic_plan`;
    const shown = await list({ ...bench.service, sql: tx as unknown as Context['sql'] });
    const [row] = await (tx as unknown as postgres.Sql)<{ rows: number }[]>`
      select coalesce(sum(idx_tup_fetch + seq_tup_read), 0)::int as rows from pg_stat_xact_user_tables where relname = ${table} or relname like ${`${table}\\_%`}`;
    return { rows: row!.rows, shown };
  });
}

const PAGE = { before: null, cursor: null, limit: 20 };
const ANY = { statuses: null, outcome: null, flagged: null, check: null, reference: null, since: null, until: null, ...PAGE };
const TODAY = new Date().toISOString().slice(0, 10);
const purposes = (ctx: Context, { appId, live }: Owner) => countPurposes(ctx, { appId, live, from: TODAY, to: TODAY });

interface List {
  what: string;
  table: string;
  list(ctx: Context, whose: Owner): Promise<unknown[]>;
}

const PAGED: List[] = [
  { what: 'batches', table: 'batches', list: async (ctx, whose) => (await listBatches(ctx, whose, ANY))!.batches },
  { what: 'jobs', table: 'jobs', list: async (ctx, whose) => (await listJobs(ctx, whose, ANY))!.jobs },
  {
    what: 'requests',
    table: 'request_log',
    list: (ctx, whose) => listRequests(ctx, whose, { ...PAGE, statusClass: null, route: null, id: null, by: null }),
  },
  {
    what: 'reviews',
    table: 'reviews',
    list: (ctx, whose) => listReviews(ctx, whose, { ...PAGE, states: null, kind: null, assignee: null, jobId: null }),
  },
  { what: 'erasures', table: 'erasures', list: (ctx, whose) => readErasures(ctx, whose, { ...PAGE, id: null }) },
  { what: 'exports', table: 'subject_exports', list: (ctx, whose) => readExports(ctx, whose, { ...PAGE, id: null }) },
  { what: 'legal holds', table: 'subject_holds', list: (ctx, whose) => readHolds(ctx, whose, { ...PAGE, id: null }) },
];

/** Their rows here cannot be opened. */
const EMPTY: List[] = [
  {
    what: 'clearances',
    table: 'aml_clearances',
    list: (ctx, whose) => listClearances(ctx, whose, { ...PAGE, list: null, sourceId: null }),
  },
  { what: 'monitors', table: 'aml_monitors', list: (ctx, whose) => listMonitors(ctx, whose, { ...PAGE, jobId: undefined }) },
  {
    what: 'charges of batches',
    table: 'batches',
    list: async (ctx, whose) => (await readBatchCharges(ctx, whose, { since: null, until: null }, PAGE))!.charges,
  },
  { what: 'purposes of batches', table: 'batches', list: purposes },
  { what: 'purposes of jobs', table: 'jobs', list: purposes },
];

describe.each([...PAGED, ...EMPTY])('a list of $what', ({ table, list }) => {
  test('does not read the rows of the other mode or another app', async () => {
    const another = { ...(await makeOwner(bench.service, 0)), live: true };
    for (const whose of [{ ...owner, live: false }, another])
      expect(await fetched(table, (ctx) => list(ctx, whose))).toEqual({ rows: 0, shown: [] });
  });
});

describe.each(PAGED)('a list of $what', ({ table, list }) => {
  test('reads no more than its page', async () => {
    const { rows, shown } = await fetched(table, (ctx) => list(ctx, owner));
    expect(shown).toHaveLength(20);
    expect(rows).toBeGreaterThanOrEqual(20);
    expect(rows).toBeLessThan(100);
  });
});
