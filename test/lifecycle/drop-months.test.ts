/** Months of which nothing is left but deleted batches go as partitions; everything else goes row by row, and each byte is given back once. */
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bySystem } from '../../src/access/audit/append.ts';
import { readBatch } from '../../src/batches/batch.ts';
import { readStorage } from '../../src/batches/storage.ts';
import { firstIdAt } from '../../src/foundation/ids.ts';
import { recordset } from '../../src/foundation/recordset.ts';
import { deleteBatch } from '../../src/lifecycle/deletions.ts';
import { dropDeletedMonths } from '../../src/lifecycle/drop-months.ts';
import { purgeDeleted } from '../../src/lifecycle/purge.ts';
import { useDatabase } from '../setup/database.ts';
import { monthName, monthsAgo, openPastMonths } from '../setup/months.ts';
import { makeOwner, never, stopAfter, useBench } from '../setup/work.ts';

const database = useDatabase();
const bench = useBench(database);
const by = bySystem('test');
const DAY_MS = 86_400_000;
const JOBS = 40;
const BLOCK_BYTES = 300;
const ROW_BYTES = 200;
const ALONE_BYTES = 70;

let owner: postgres.Sql;
beforeAll(() => {
  owner = postgres(database.url, { max: 2, onnotice: () => {} });
});
afterAll(() => owner.end());

/** Each test has a month of its own, so that what one leaves does not keep another's. */
let back = 14;
let month: { starts: number; ends: number };
beforeAll(() => openPastMonths(owner, back));
beforeEach(() => {
  month = monthsAgo(--back);
});

interface Stored {
  id: string;
  appId: string;
  live: boolean;
}

/** A batch that ended that month: its rows, their results in a block, two results outside of blocks, and what the app is counted for. */
async function storeBatch(appId: string, { live = false, at = month.starts + DAY_MS } = {}): Promise<Stored> {
  const { sql } = bench.service;
  const id = firstIdAt(at).replace(/.{4}$/, () =>
    Math.floor(Math.random() * 0xffff)
      .toString(16)
      .padStart(4, '0'),
  );
  const day = new Date(month.starts + 2 * DAY_MS).toISOString();
  await sql`
    insert into batches (id, app_id, live, status, checks, format, columns, mapping, stored_as, rows, jobs, queued, completed, found, invalid, quote_kobo,
      hold_kobo, started_at, completed_at, stored_bytes)
    values (${id}, ${appId}, ${live}, 'completed', '{nin_basic}', 'csv', '{nin}', '{"nin": "nin"}', 1, ${JOBS}, ${JOBS}, 0, ${JOBS}, ${JOBS}, 1, 0, 0, ${day}, ${day},
      ${JOBS * ROW_BYTES})`;
  await sql`
    insert into jobs (id, app_id, batch_id, live, check_id, family, status, outcome, price_kobo, cached_price_kobo, completed_at, row_number)
    select t.id, ${appId}, ${id}, ${live}, 'nin_basic', 'nin', 'completed', 'found', 0, 0, ${day}, t.row_number
    from ${recordset(
      sql,
      Array.from({ length: JOBS }, (_, at) => at),
      { id: ['uuid', (row) => firstIdAt(at + 1 + row).slice(0, 19) + id.slice(19)], row_number: ['int', (row) => row + 1] },
    )} t`;
  await sql`insert into row_blocks (batch_id, block, rows) select ${id}, n, decode(repeat('ab', 100), 'hex') from generate_series(0, 1) n`;
  await sql`insert into result_blocks (batch_id, id, check_id, sealed, created_at) values (${id}, ${id}, 'nin_basic', decode(repeat('cd', ${BLOCK_BYTES}), 'hex'), ${day})`;
  await sql`
    insert into results (job_id, entity) select id, decode(repeat('ef', ${ALONE_BYTES}), 'hex') from jobs where batch_id = ${id} and row_number <= 2`;
  await sql`insert into row_marks (batch_id, bucket, part, entries) values (${id}, 1, 0, 'x')`;
  await sql`insert into invalid_rows (batch_id, row_number, input, problems) values (${id}, ${JOBS + 1}, null, '[]')`;
  await sql`
    insert into usage_days (app_id, live, day, check_id, source, found, not_found, failed, cached, charged, billed_kobo, stored_bytes)
    values (${appId}, ${live}, ${day}::date, 'nin_basic', 'batch', ${JOBS}, 0, 0, 0, 0, 0, ${BLOCK_BYTES + 2 * ALONE_BYTES})
    on conflict (app_id, live, day, check_id, source) do update set stored_bytes = usage_days.stored_bytes + excluded.stored_bytes`;
  return { id, appId, live };
}

const markDeleted = async (...batches: Stored[]) => {
  for (const batch of batches) expect((await deleteBatch(bench.service, batch, by))!.status).toBe('deleting');
};

const storedBy = async (appId: string) => (await readStorage(bench.service.sql, { appId, settings: {} })).used;

async function partitionsOf(at: { starts: number }): Promise<string[]> {
  const rows = await owner<{ name: string }[]>`
    select relname as name from pg_class where relname in ${owner(['jobs', 'results', 'result_blocks', 'row_blocks'].map((table) => `${table}_${monthName(at.starts)}`))}
    order by 1`;
  return rows.map(({ name }) => name.replace(/_\d{4}_\d\d$/, ''));
}
const ALL = ['jobs', 'result_blocks', 'results', 'row_blocks'];

const deletionOf = async ({ id }: Stored) =>
  (
    await bench.service.sql<{ jobs: number; givenBackAt: string | null; finishedAt: string | null }[]>`
    select jobs, given_back_at, finished_at from deletions where id = ${id}`
  )[0]!;

describe('a month of deleted batches', () => {
  test('goes as a whole, and what it took is given back', async () => {
    const { service } = bench;
    const [one, other] = [await makeOwner(service, 0), await makeOwner(service, 0)];
    const batches = [await storeBatch(one.appId), await storeBatch(one.appId, { at: month.ends - DAY_MS }), await storeBatch(other.appId)];
    const [{ id: reviewed }] = await service.sql<
      [{ id: string }]
    >`select id from jobs where batch_id = ${batches[0]!.id} and row_number = 7`;
    await service.sql`
      insert into reviews (id, app_id, live, job_id, check_id, kind) values (${reviewed}, ${one.appId}, false, ${reviewed}, 'nin_basic', 'document')`;
    await markDeleted(...batches);
    await dropDeletedMonths(service, never);
    expect(await partitionsOf(month)).toEqual([]);
    expect(await purgeDeleted(service, never)).toBe(3);
    for (const batch of batches) {
      expect(await deletionOf(batch)).toMatchObject({ jobs: JOBS, givenBackAt: expect.any(String), finishedAt: expect.any(String) });
      expect((await readBatch(service, service.sql, batch.appId, batch.id))!.status).toBe('deleted');
      for (const table of ['jobs', 'row_blocks', 'result_blocks', 'invalid_rows', 'row_marks'])
        expect(await service.sql`select 1 from ${service.sql(table)} where batch_id = ${batch.id}`, table).toHaveLength(0);
    }
    expect(await storedBy(one.appId)).toBe(0);
    expect(await storedBy(other.appId)).toBe(0);
    expect(await service.sql`select 1 from reviews where job_id = ${reviewed}`).toHaveLength(0);
    // The neighbours are as they were.
    expect(await partitionsOf(monthsAgo(back + 1))).toEqual(ALL);
    expect(await partitionsOf(monthsAgo(back - 1))).toEqual(ALL);
  });

  test('with live batches goes with the questions that vendors were asked', async () => {
    const { service } = bench;
    const { appId } = await makeOwner(service, 0);
    const batch = await storeBatch(appId, { live: true });
    await service.sql`
      insert into provider_lookups (id, job_id, provider, kind, tier, outcome, latency_ms, cost_kobo)
      select id, id, 'sandbox', 'nin', 1, 'found', 5, 0 from jobs where batch_id = ${batch.id}`;
    await markDeleted(batch);
    await dropDeletedMonths(service, never);
    expect(await partitionsOf(month)).toEqual([]);
    expect(await service.sql`select 1 from provider_lookups`).toHaveLength(0);
    expect(await purgeDeleted(service, never)).toBe(1);
  });
});

describe('a month stays, and its deleted batches go row by row,', () => {
  test('while another batch has rows in it', async () => {
    const { service } = bench;
    const [one, other] = [await makeOwner(service, 0), await makeOwner(service, 0)];
    const [deleted, kept] = [await storeBatch(one.appId), await storeBatch(other.appId)];
    const bytes = await storedBy(other.appId);
    await markDeleted(deleted);
    await dropDeletedMonths(service, never);
    expect(await deletionOf(deleted)).toMatchObject({ jobs: 0, givenBackAt: null });
    expect(await purgeDeleted(service, never)).toBe(1);
    expect(await partitionsOf(month)).toEqual(ALL);
    expect(await storedBy(one.appId)).toBe(0);
    expect(await storedBy(other.appId)).toBe(bytes);
    expect(await service.sql`select 1 from jobs where batch_id = ${kept.id}`).toHaveLength(JOBS);
    await markDeleted(kept);
    await dropDeletedMonths(service, never);
    expect(await partitionsOf(month)).toEqual([]);
    expect(await purgeDeleted(service, never)).toBe(1);
  });

  test('while a call is recorded in it, or the books keep what a deleted job cost', async () => {
    const { service } = bench;
    const { appId } = await makeOwner(service, 0);
    const batch = await storeBatch(appId);
    const call = firstIdAt(month.starts + 5 * DAY_MS);
    await service.sql`
      insert into jobs (id, app_id, live, check_id, family, status, outcome, price_kobo, cached_price_kobo, subject)
      values (${call}, ${appId}, false, 'nin_basic', 'nin', 'completed', 'found', 0, 0, 'x')`;
    await markDeleted(batch);
    await dropDeletedMonths(service, never);
    expect(await deletionOf(batch)).toMatchObject({ givenBackAt: null });
    await service.sql`update jobs set subject = null where id = ${call}`;
    await service.sql`
      insert into deletions (id, app_id, live, kind, reason, finished_at) values (${call}, ${appId}, false, 'job', 'requested', now())`;
    await dropDeletedMonths(service, never);
    expect(await deletionOf(batch)).toMatchObject({ givenBackAt: null });
    expect(await partitionsOf(month)).toEqual(ALL);
    expect(await purgeDeleted(service, never)).toBe(1);
    expect(await service.sql`select 1 from jobs where id = ${call}`).toHaveLength(1);
  });

  test('while a batch of it has rows in the next month, which is not over', async () => {
    const { service } = bench;
    const { appId } = await makeOwner(service, 0);
    const batch = await storeBatch(appId);
    await service.sql`update jobs set id = ${firstIdAt(Date.now())} where batch_id = ${batch.id} and row_number = ${JOBS}`;
    await markDeleted(batch);
    await dropDeletedMonths(service, never);
    expect(await deletionOf(batch)).toMatchObject({ givenBackAt: null });
    expect(await purgeDeleted(service, never)).toBe(1);
    expect(await storedBy(appId)).toBe(0);
  });
});

describe('a month that cannot be dropped at once', () => {
  test('is dropped later, holds nobody up for long, and is given back once', async () => {
    const { service } = bench;
    const { appId } = await makeOwner(service, 0);
    const [batch, present] = [await storeBatch(appId), await storeBatch(appId, { at: Date.now() })];
    await markDeleted(batch);
    const kept = await storedBy(appId);
    await owner.begin(async (reader) => {
      await reader`select 1 from jobs limit 1`;
      const dropping = dropDeletedMonths(service, stopAfter(6));
      // A call writes its record meanwhile.
      const began = performance.now();
      for (let i = 0; i < 20; i++) await service.sql`update jobs set reference = null where id = ${firstIdAt(0)}`;
      expect((performance.now() - began) / 20).toBeLessThan(100);
      await dropping;
      expect(await partitionsOf(month)).toEqual(['jobs']);
    });
    expect(await deletionOf(batch)).toMatchObject({ jobs: JOBS, givenBackAt: expect.any(String), finishedAt: null });
    // Nobody deletes it row by row in the meantime; only what lies in no partition goes.
    expect(await purgeDeleted(service, never)).toBe(0);
    expect(await service.sql`select 1 from jobs where batch_id = ${batch.id}`).toHaveLength(JOBS);
    expect(await service.sql`select 1 from row_marks where batch_id = ${batch.id}`).toHaveLength(0);
    await dropDeletedMonths(service, never);
    expect(await partitionsOf(month)).toEqual([]);
    expect(await purgeDeleted(service, never)).toBe(1);
    // The rows of the deleted batch are given back as it ends, its results were before.
    expect(await storedBy(appId)).toBe(kept - JOBS * ROW_BYTES - BLOCK_BYTES - 2 * ALONE_BYTES);
    expect(await service.sql`select 1 from jobs where batch_id = ${present.id}`).toHaveLength(JOBS);
  });

  test('for a day is deleted row by row after all, without being given back again', async () => {
    const { service } = bench;
    const { appId } = await makeOwner(service, 0);
    const [batch] = [await storeBatch(appId), await storeBatch(appId, { at: Date.now() })];
    await markDeleted(batch);
    const kept = await storedBy(appId);
    await owner.begin(async (reader) => {
      await reader`lock table row_blocks in access share mode`;
      await dropDeletedMonths(service, stopAfter(3));
    });
    await service.sql`update deletions set given_back_at = given_back_at - interval '25 hours' where id = ${batch.id}`;
    expect(await purgeDeleted(service, never)).toBe(1);
    expect(await deletionOf(batch)).toMatchObject({ jobs: JOBS, finishedAt: expect.any(String) });
    expect(await storedBy(appId)).toBe(kept - JOBS * ROW_BYTES - BLOCK_BYTES - 2 * ALONE_BYTES);
  });
});
