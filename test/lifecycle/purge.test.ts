/** Deleting the data of batches in steps, without HTTP and workers; test/api/deletion.test.ts has the routes. */
import { expect, test } from 'vitest';
import { bySystem } from '../../src/access/audit/append.ts';
import { readBatch } from '../../src/batches/batch.ts';
import { cancelBatch } from '../../src/batches/control.ts';
import { readStorage } from '../../src/batches/storage.ts';
import type { BatchRow } from '../../src/contract/batches.ts';
import { deleteBatch } from '../../src/lifecycle/deletions.ts';
import { purgeDeleted } from '../../src/lifecycle/purge.ts';
import { ledgerDrift } from '../../src/money/drift.ts';
import { readRows } from '../../src/results/read.ts';
import { useDatabase } from '../setup/database.ts';
import { freshNin, makeOwner, never, stopAfter, uploadNins, useBench } from '../setup/work.ts';

const bench = useBench(useDatabase());
const by = bySystem('test');

/** A batch of `rows` rows that was canceled, so that nothing has to run. */
async function canceledBatch(rows: number): Promise<BatchRow> {
  const { service } = bench;
  const owner = await makeOwner(service);
  const { id } = await uploadNins(service, owner, [...Array.from({ length: rows }, freshNin), 'nobody']);
  return (await cancelBatch(service, owner.appId, id, by))!;
}

const left = async ({ id }: BatchRow): Promise<{ jobs: number; blocks: number; invalid: number }> => {
  const [row] = await bench.service.sql<{ jobs: number; blocks: number; invalid: number }[]>`
    select (select count(*) from jobs where batch_id = ${id})::int as jobs, (select count(*) from row_blocks where batch_id = ${id})::int as blocks,
      (select count(*) from invalid_rows where batch_id = ${id})::int as invalid`;
  return { ...row! };
};

test('a deletion that was stopped in the middle goes on where it was', async () => {
  const { service } = bench;
  const batch = await canceledBatch(2_500);
  expect((await deleteBatch(service, batch, by))!.status).toBe('deleting');
  expect(await purgeDeleted(service, stopAfter(1))).toBe(0);
  const { jobs } = await left(batch);
  expect(jobs).toBeGreaterThan(0);
  expect(jobs).toBeLessThan(2_500);
  expect((await readBatch(service, service.sql, batch.appId, batch.id))!.status).toBe('deleting');
  expect(await purgeDeleted(service, never)).toBe(1);
  expect(await left(batch)).toEqual({ jobs: 0, blocks: 0, invalid: 0 });
  const gone = (await readBatch(service, service.sql, batch.appId, batch.id))!;
  expect(gone).toMatchObject({ status: 'deleted', rows: 2_501, jobs: 2_500, canceled: 2_500, invalid: 1, columns: [], mapping: {} });
  expect(await readStorage(service.sql, { appId: batch.appId, settings: {} })).toMatchObject({ used: 0 });
  expect(await ledgerDrift(service)).toBe(0);
});

test('two processes share a deletion, and it ends once, when no row is left', async () => {
  const { service } = bench;
  const batch = await canceledBatch(1_500);
  await deleteBatch(service, batch, by);
  await service.sql.begin(async (tx) => {
    // Another process has this row in hand, for as long as the others take on a busy machine.
    await tx`set local idle_in_transaction_session_timeout = 0`;
    await tx`select 1 from jobs where batch_id = ${batch.id} order by row_number limit 1 for update`;
    expect(await Promise.all([purgeDeleted(service, never), purgeDeleted(service, never)])).toEqual([0, 0]);
    expect((await left(batch)).jobs).toBe(1);
  });
  expect(await purgeDeleted(service, never)).toBe(1);
  const [deletion] = await service.sql`select jobs, finished_at from deletions where id = ${batch.id}`;
  expect(deletion).toMatchObject({ jobs: 1_500, finishedAt: expect.any(String) });
});

test('a download in progress is cut off, and never looks whole', async () => {
  const { service } = bench;
  const batch = await canceledBatch(2_500);
  const rows = readRows(service, batch, { outcomes: null, since: null, isTable: true });
  const seen: number[] = [];
  const readOn = async () => {
    for await (const slice of rows) {
      for (const { row } of slice) seen.push(row);
      if (seen.length === 32) await deleteBatch(service, batch, by);
    }
  };
  await expect(readOn()).rejects.toThrow('deleted while it was read');
  expect(seen.length).toBeLessThan(2_000);
});
