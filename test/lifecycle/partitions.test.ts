/** Months have partitions of their own: made ahead, found by id, dropped once empty; and a database of the release before becomes partitioned as it is. */
import { readFileSync } from 'node:fs';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/foundation/config.ts';
import { migrateDatabase, migrateTo } from '../../src/foundation/context.ts';
import { firstIdAt, newId } from '../../src/foundation/ids.ts';
import { wallGaps } from '../../src/foundation/wall.ts';
import { keepPartitions } from '../../src/lifecycle/partitions.ts';
import { asOwner, createDatabase, useDatabase, waitFor } from '../setup/database.ts';
import { killConfams, startConfam } from '../setup/process.ts';
import { makeOwner, useBench } from '../setup/work.ts';

const TABLES = ['jobs', 'results', 'result_blocks', 'row_blocks', 'events', 'provider_lookups', 'ledger_entries'];
const DAY_MS = 86_400_000;

const partitionsOf = async (sql: postgres.Sql, table: string) =>
  (
    await sql<{ name: string }[]>`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = ${table}::regclass order by 1`
  ).map(({ name }) => name);

/** `_2026_11` of the month that is so many months ahead. */
const monthOf = (ahead: number) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1)).toISOString().slice(0, 7).replace('-', '_');
};

describe('partitions', () => {
  const database = useDatabase();
  const bench = useBench(database);
  let owner: postgres.Sql;
  beforeAll(() => {
    owner = postgres(database.url, { max: 1, onnotice: () => {} });
  });
  afterAll(() => owner.end());

  /** A job of a call, with the id of some other time. */
  async function storeJob(id: string): Promise<string> {
    const { appId } = await makeOwner(bench.service, 0);
    await owner`insert into jobs (id, app_id, live, status, price_kobo, cached_price_kobo, check_id, family)
      values (${id}, ${appId}, false, 'completed', 0, 0, 'nin_basic', 'nin')`;
    return (await owner<{ name: string }[]>`select tableoid::regclass::text as name from jobs where id = ${id}`)[0]!.name;
  }

  test('exist for the next two months, for every table', async () => {
    await keepPartitions(bench.service);
    for (const table of TABLES)
      expect(await partitionsOf(owner, table), table).toEqual(
        [`${table}_${monthOf(1)}`, `${table}_${monthOf(2)}`, `${table}_default`, `${table}_earlier`].sort(),
      );
  });

  test('take rows by the time of their ids; what no month has is not refused', async () => {
    const nextMonth = firstIdAt(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1, 1));
    expect(await storeJob(newId())).toBe('jobs_earlier');
    expect(await storeJob(firstIdAt(0))).toBe('jobs_earlier');
    expect(await storeJob(nextMonth)).toBe(`jobs_${monthOf(1)}`);
    expect(await storeJob('ffffffff-ffff-4fff-bfff-ffffffffffff')).toBe('jobs_default');
  });

  test('a job is looked up by its id in its own partition alone', async () => {
    const plan = await owner.unsafe(`explain (costs off) select 1 from jobs where id = '${newId()}'`);
    const text = plan.map((line) => Object.values(line)[0]).join('\n');
    expect(text).toContain('jobs_earlier');
    expect(text).not.toMatch(/jobs_default|jobs_2/);
  });

  test('a row of a batch is there once in its partition', async () => {
    const { appId } = await makeOwner(bench.service, 0);
    const insert = (id: string) => owner`
      insert into jobs (id, app_id, batch_id, row_number, live, price_kobo, cached_price_kobo, check_id, family)
      values (${id}, ${appId}, ${appId}, 1, false, 0, 0, 'nin_basic', 'nin')`;
    for (const month of [Date.now(), Date.now() + 32 * DAY_MS]) {
      await insert(firstIdAt(month));
      await expect(insert(firstIdAt(month + 1_000))).rejects.toMatchObject({ code: '23505' });
      await owner`delete from jobs where batch_id = ${appId}`;
    }
  });

  test('of the ledger refuse every change', async () => {
    await makeOwner(bench.service, 1);
    for (const statement of [
      'delete from ledger_entries',
      'truncate ledger_entries',
      `truncate ledger_entries_${monthOf(1)}`,
      'truncate ledger_entries_earlier',
    ])
      await expect(owner.unsafe(statement), statement).rejects.toThrow(/append-only/);
  });

  test('of past months are dropped once they are empty, and no sooner', async () => {
    await owner.unsafe(`create table public.events_2001_01 (like events including defaults including constraints);
      create table public.events_2001_02 (like events including defaults including constraints)`);
    // What a deployment of that time would have: the first partition ends where they begin.
    await owner.begin(async (tx) => {
      await tx`alter table events detach partition events_earlier`;
      await tx`alter table events attach partition public.events_2001_01 for values from ('00e3a93c-0000-0000-0000-000000000000') to ('00e448e0-0000-0000-0000-000000000000')`;
      await tx`alter table events attach partition public.events_2001_02 for values from ('00e448e0-0000-0000-0000-000000000000') to ('00e4d914-0000-0000-0000-000000000000')`;
    });
    const { appId } = await makeOwner(bench.service, 0);
    await owner`insert into events (id, app_id, type, data) values ('00e448e0-0000-7000-8000-000000000000', ${appId}, 'ping', '{}')`;
    await keepPartitions(bench.service);
    const left = await partitionsOf(owner, 'events');
    expect(left).not.toContain('events_2001_01');
    expect(left).toContain('events_2001_02');
    await bench.service.sql`delete from events where id < ${firstIdAt(Date.UTC(2002, 0))}`;
    await keepPartitions(bench.service);
    expect(await partitionsOf(owner, 'events')).not.toContain('events_2001_02');
    expect(await owner`select 1 from pg_class where relname like 'events_2001%'`).toHaveLength(0);
  });
});

describe('a database of the release before', () => {
  const journal = JSON.parse(readFileSync('drizzle/meta/_journal.json', 'utf8')) as { entries: { tag: string; when: number }[] };
  const before = journal.entries.slice(
    0,
    journal.entries.findIndex(({ tag }) => tag.endsWith('_partitions')),
  );
  afterAll(() => killConfams());

  test('is partitioned with everything that is in it, even if the first try is killed in the middle', { timeout: 120_000 }, async () => {
    const database = await createDatabase();
    const sql = postgres(database.url, { max: 2, onnotice: () => {} });
    try {
      await sql.unsafe('drop schema public cascade; create schema public; drop schema drizzle cascade');
      await migrateTo(
        database.url,
        before.map(({ when }) => when),
      );
      const [app, batch, job] = [newId(), newId(), newId()];
      await sql`insert into apps (id, name, webhook_secret) values (${app}, 'Before', '')`;
      await sql`insert into jobs (id, app_id, batch_id, row_number, live, price_kobo, cached_price_kobo, check_id, family)
        values (${job}, ${app}, ${batch}, 1, true, 100, 40, 'nin_basic', 'nin')`;
      await sql`insert into jobs (id, app_id, live, price_kobo, cached_price_kobo, check_id, family)
        select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, ${app}, true, 100, 40, 'nin_basic', 'nin' from generate_series(1, 1000) n`;
      await sql`insert into results (job_id, entity) values (${job}, 'x')`;
      await sql`insert into result_blocks (batch_id, id, check_id, sealed) values (${batch}, ${job}, 'nin_basic', 'x')`;
      await sql`insert into events (id, app_id, type, data) values (${job}, ${app}, 'ping', '{}')`;
      await sql`insert into deliveries (id, event_id, app_id, url, host) values (${newId()}, ${job}, ${app}, 'https://example.com', 'example.com')`;
      await sql`insert into provider_lookups (id, job_id, provider, kind, tier, outcome, latency_ms, cost_kobo) values (${newId()}, ${job}, 'x', 'nin', 1, 'found', 1, 0)`;
      await sql`insert into ledger_entries (app_id, live, kind, from_account, to_account, amount_kobo) select ${app}, true, 'topup', 'topups', 'available', n from generate_series(1, 5) n`;
      const count = async () =>
        Promise.all(TABLES.map(async (table) => [table, (await sql<{ n: number }[]>`select count(*)::int as n from ${sql(table)}`)[0]!.n]));
      const found = await count();

      // The migration comes to the last of its tables and waits there; then its process is killed.
      const held = await sql.reserve();
      await held`begin`;
      await held`lock table ledger_entries in share mode`;
      const killed = startConfam(['migrate'], database.environment);
      const [waiting] = await waitFor(
        'the migration to wait',
        async () => {
          const rows = await sql<{ pid: number }[]>`
            select pid from pg_locks where not granted and locktype = 'relation' and relation = 'public.ledger_entries'::regclass`;
          return rows.length > 0 && rows;
        },
        60_000,
      );
      killed.signal('SIGKILL');
      await killed.ended(10_000);
      await sql`select pg_terminate_backend(${waiting!.pid})`;
      await held`rollback`;
      held.release();
      expect((await sql`select relkind from pg_class where relname = 'jobs'`)[0]!.relkind).toBe('r');
      expect(await count()).toEqual(found);

      expect(await migrateDatabase(readConfig({}), database.url)).toBeNull();
      expect((await sql`select relkind from pg_class where relname = 'jobs'`)[0]!.relkind).toBe('p');
      expect(await count()).toEqual(found);
      expect(await asOwner(database.url, wallGaps)).toEqual([]);
      const [{ id: next }] = await sql<[{ id: string }]>`
        insert into ledger_entries (app_id, live, kind, from_account, to_account, amount_kobo) values (${app}, true, 'topup', 'topups', 'available', 6) returning id`;
      expect(Number(next)).toBe(6);
      // Events still take their deliveries with them.
      await sql`delete from events where id = ${job}`;
      expect(await sql`select 1 from deliveries`).toHaveLength(0);
    } finally {
      await sql.end();
      await database.drop();
    }
  });
});
