/** A difference between the ledger and what it was decided from is found, in whichever place it is. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Owner } from '../../src/access/owner.ts';
import { readBatch } from '../../src/batches/batch.ts';
import { batchDrift, ledgerDrift, singleDrift } from '../../src/money/drift.ts';
import { runChunk } from '../../src/pipeline/chunk.ts';
import { openDispatcher } from '../../src/pipeline/dispatch.ts';
import { useDatabase, waitFor } from '../setup/database.ts';
import { type Bench, freshNin, makeOwner, openBench, uploadNins } from '../setup/work.ts';

const ROWS = 12;
const HOUR_SECONDS = 3_600;

const database = useDatabase();
let bench: Bench;
let owner: Owner;
let id: string;
beforeAll(async () => {
  bench = await openBench(database, {});
});
afterAll(async () => {
  await bench.service.close();
});
beforeEach(async () => {
  await bench.service.sql`update batches set completed_at = completed_at - interval '1 day'`;
  owner = await makeOwner(bench.service);
  ({ id } = await uploadNins(bench.service, owner, Array.from({ length: ROWS }, freshNin)));
  await waitFor('the batch to end', async () => {
    const { leased } = await openDispatcher(bench.service, bench.service.router).fill(bench.service.sql);
    for (const chunk of leased) await runChunk(bench.service, chunk.id);
    return (await readBatch(bench.service, bench.service.sql, owner.appId, id))!.status === 'completed';
  });
});

describe('a batch that has ended', () => {
  it('agrees with its captures, and is read in steps that one may rest between', async () => {
    const rests: number[] = [];
    expect(await batchDrift(bench.service, HOUR_SECONDS, async (ms) => rests.push(ms))).toBe(0);
    expect(rests).toHaveLength(2);
    expect(rests.every((ms) => ms > 0)).toBe(true);
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it.each([
    [
      'a job says that it was billed more',
      7,
      () => bench.service.sql`
      update jobs set billed_kobo = billed_kobo + 7 where batch_id = ${id} and row_number = 3`,
    ],
    [
      'a job says that it was billed nothing',
      125_00 + 1,
      () => bench.service.sql`
      update jobs set billed_kobo = 0 where batch_id = ${id} and row_number = 3`,
    ],
    [
      'the batch says that it was billed less',
      500,
      () => bench.service.sql`
      update batches set billed_kobo = billed_kobo - 500 where id = ${id}`,
    ],
  ])('is found where %s', async (_, drift, change) => {
    await change();
    expect(await batchDrift(bench.service, HOUR_SECONDS)).toBe(drift);
  });

  it('is compared by itself where a job was deleted', async () => {
    await bench.service.sql`delete from jobs where batch_id = ${id} and row_number = 3`;
    expect(await batchDrift(bench.service, HOUR_SECONDS)).toBe(0);
    await bench.service.sql`update batches set billed_kobo = billed_kobo - 500 where id = ${id}`;
    expect(await batchDrift(bench.service, HOUR_SECONDS)).toBe(500);
  });

  it('is not read again long after its end, unless everything is asked for', async () => {
    await bench.service.sql`update batches set billed_kobo = billed_kobo - 500, completed_at = now() - interval '2 hours' where id = ${id}`;
    expect(await batchDrift(bench.service, HOUR_SECONDS)).toBe(0);
    expect(await batchDrift(bench.service, null)).toBeGreaterThanOrEqual(500);
  });

  it('has no part in the comparison of single jobs', async () => {
    await bench.service.sql`update jobs set billed_kobo = billed_kobo + 7 where batch_id = ${id} and row_number = 3`;
    expect(await singleDrift(bench.service)).toBe(0);
  });
});
