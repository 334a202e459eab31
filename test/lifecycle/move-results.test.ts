/** Results that earlier releases stored one by one, on their way into blocks, without HTTP; test/api/result-blocks.test.ts reads them meanwhile. */
import { beforeAll, describe, expect, it } from 'vitest';
import { bySystem } from '../../src/access/audit/append.ts';
import type { Owner } from '../../src/access/owner.ts';
import { readBatch } from '../../src/batches/batch.ts';
import { knownCheck } from '../../src/checks/catalog.ts';
import { newId } from '../../src/foundation/ids.ts';
import { entityOpener, openEntity, type StoredEntity } from '../../src/jobs/entities.ts';
import { attachBlocks, type InBlock } from '../../src/jobs/result-blocks.ts';
import { deleteBatch } from '../../src/lifecycle/deletions.ts';
import { advanceErasures, askErasure } from '../../src/lifecycle/erase.ts';
import { openResultMover } from '../../src/lifecycle/move-results.ts';
import { purgeDeleted } from '../../src/lifecycle/purge.ts';
import { runChunk } from '../../src/pipeline/chunk.ts';
import { openDispatcher } from '../../src/pipeline/dispatch.ts';
import { useDatabase, waitFor } from '../setup/database.ts';
import { freshNin, makeOwner, never, stopAfter, storeAlone, uploadNins, useBench } from '../setup/work.ts';

const ROWS = 700;
const bench = useBench(useDatabase());
const by = bySystem('test');
let owner: Owner;
let nins: string[];
let id: string;

const sql = () => bench.service.sql;
const count = async (rows: Promise<readonly unknown[]>) => (await rows).length;
const apart = () =>
  count(sql()`select 1 from jobs j join results r on r.job_id = j.id where j.batch_id = ${id} and j.result_block is null`);
const inBlocks = () => count(sql()`select 1 from jobs where batch_id = ${id} and result_block is not null`);
const place = async () => (await sql()<{ row: number | null }[]>`select unmoved_after as row from batches where id = ${id}`)[0]!.row;
const move = () => openResultMover(bench.service)(never);

/** Every result of the batch, by row. */
async function read(): Promise<Map<number, unknown>> {
  const rows = await sql()<(StoredEntity & InBlock & { row: number })[]>`
    select j.row_number as row, j.id as entity_of, j.batch_id, j.result_block, j.result_slot, r.entity, r.entity_images
    from jobs j left join results r on r.job_id = j.id where j.batch_id = ${id} and j.outcome = 'found' order by j.row_number`;
  await attachBlocks(bench.service, rows);
  const opener = await entityOpener(bench.service.cipher, rows);
  return new Map(rows.map((row) => [row.row, openEntity(opener, row)]));
}

/** A batch that has ended, with its results as an earlier release stored them, and counted by the day. */
async function oldBatch(): Promise<void> {
  const { service } = bench;
  owner = await makeOwner(service, 1_000_000);
  nins = Array.from({ length: ROWS }, freshNin);
  ({ id } = await uploadNins(service, owner, nins));
  await waitFor('the batch to end', async () => {
    const { leased } = await openDispatcher(service, service.router).fill(service.sql);
    for (const chunk of leased) await runChunk(service, chunk.id);
    return (await readBatch(service, service.sql, owner.appId, id))!.status === 'completed';
  });
  const jobs = await sql()<
    { id: string; row: number }[]
  >`select id, row_number as row from jobs where batch_id = ${id} and outcome = 'found'`;
  const results = await read();
  for (const job of jobs) await storeAlone(service, job.id, 'nin_basic', results.get(job.row) as Record<string, unknown>);
  await sql()`delete from result_blocks where batch_id = ${id}`;
  // Half of them were stored a day earlier.
  await sql()`update jobs set completed_at = completed_at - interval '1 day' where batch_id = ${id} and row_number > ${ROWS / 2}`;
  await sql()`update batches set unmoved_after = 0 where id = ${id}`;
  await sql()`
    insert into usage_days (app_id, live, day, check_id, source, found, not_found, failed, cached, charged, billed_kobo)
    select app_id, live, day - 1, check_id, source, 0, 0, 0, 0, 0, 0 from usage_days where app_id = ${owner.appId}`;
  await sql()`
    update usage_days u set stored_bytes = s.bytes from (
      select (j.completed_at at time zone 'utc')::date as day, sum(octet_length(r.entity)) as bytes
      from jobs j join results r on r.job_id = j.id where j.batch_id = ${id} group by 1) s
    where u.app_id = ${owner.appId} and u.day = s.day`;
}

/** By day: the bytes that are counted, and those that are there. */
const bytes = async () => [
  ...(await sql()<{ counted: number; stored: number }[]>`
    with there as (
      select (j.completed_at at time zone 'utc')::date as day, octet_length(r.entity) as bytes from jobs j join results r on r.job_id = j.id where j.batch_id = ${id}
      union all select (created_at at time zone 'utc')::date, octet_length(sealed) from result_blocks where batch_id = ${id})
    select u.stored_bytes as counted, coalesce((select sum(bytes) from there t where t.day = u.day), 0)::int as stored
    from usage_days u where u.app_id = ${owner.appId} order by u.day`),
];

describe('results of an earlier release', () => {
  let before: Map<number, unknown>;
  beforeAll(async () => {
    await oldBatch();
    before = await read();
  });

  it('are moved in steps that may be stopped anywhere, and what is stored stays exact for each day', async () => {
    const all = await apart();
    expect(all).toBe(before.size);
    const counted = await bytes();
    expect(counted).toHaveLength(2);
    await openResultMover(bench.service)(stopAfter(3));
    expect([await place(), (await apart()) + (await inBlocks())]).toEqual([expect.any(Number), all]);
    expect(await apart()).toBeLessThan(all);
    expect(await read()).toEqual(before);
    for (const { counted, stored } of await bytes()) expect(counted).toBe(stored);

    await move();
    expect([await place(), await apart(), await inBlocks()]).toEqual([null, 0, all]);
    expect(await read()).toEqual(before);
    const after = await bytes();
    for (const [day, { counted: now, stored }] of after.entries()) {
      expect(now).toBe(stored);
      expect(now).toBeLessThan(counted[day]!.counted / 2);
    }
    const blocks = await sql()<{ jobs: number }[]>`
      select count(*)::int as jobs from jobs where batch_id = ${id} and result_block is not null group by result_block order by 1 desc`;
    expect(blocks[0]!.jobs).toBe(64);
    expect(blocks.length).toBeLessThan(30);
  });

  it('of a batch that is deleted afterwards give everything back', async () => {
    await deleteBatch(bench.service, { id, ...owner }, by);
    await purgeDeleted(bench.service, never);
    expect(await count(sql()`select 1 from result_blocks where batch_id = ${id}`)).toBe(0);
    expect((await bytes()).map(({ counted }) => counted)).toEqual([0, 0]);
  });
});

describe('results of an earlier release that', () => {
  beforeAll(oldBatch);

  it('somebody has locked are left to the next sweep, and those with a large image stay by themselves', async () => {
    const [first, second] = await sql()<{ id: string; row: number }[]>`
      select id, row_number as row from jobs where batch_id = ${id} and outcome = 'found' order by row_number limit 2`;
    const portrait = { nin: nins[second!.row - 1], photo: `data:image/jpeg;base64,${'A'.repeat(4_000)}` };
    expect(knownCheck('nin_premium').images).toContain('photo');
    await sql()`update jobs set check_id = 'nin_premium' where id = ${second!.id}`;
    await storeAlone(bench.service, second!.id, 'nin_premium', portrait);
    const before = await read();
    await sql().begin(async (tx) => {
      await tx`select 1 from jobs where id = ${first!.id} for update`;
      await move();
      expect(await place()).toBe(0);
      expect(await inBlocks()).toBeGreaterThan(0);
    });
    await move();
    expect(await place()).toBe(null);
    const alone = await sql()<{ id: string }[]>`select j.id from jobs j join results r on r.job_id = j.id where j.batch_id = ${id}`;
    expect(alone.map((job) => job.id)).toContain(second!.id);
    // The first was moved alone, after the others of its step.
    expect(alone.every((job) => [first!.id, second!.id].includes(job.id))).toBe(true);
    expect(await read()).toEqual(before);
  });
});

describe('while a process runs that reads no blocks', () => {
  it('nothing is moved', async () => {
    const old = newId();
    await oldBatch();
    await sql()`insert into processes (id, name, release, reads, reads_results, families) values (${old}, 'api', '0.1.0', 2, 1, '{}')`;
    await move();
    expect([await place(), await inBlocks()]).toEqual([0, 0]);
    // A batch of that time is looked at later.
    const { id: other } = await uploadNins(bench.service, owner, nins.slice(0, 2));
    const [batch] = await sql()<{ after: number | null }[]>`select unmoved_after as after from batches where id = ${other}`;
    expect(batch!.after).toBe(0);
    await sql()`delete from processes where id = ${old}`;
    await sql()`update batches set deleted_at = now() where id = ${other}`;
    const { id: later } = await uploadNins(bench.service, owner, nins.slice(0, 2));
    expect([...(await sql()`select unmoved_after from batches where id = ${later}`)]).toEqual([{ unmovedAfter: null }]);
  });

  it('nobody who is erased while results are moved comes back', async () => {
    const [erased] = await sql()<{ row: number }[]>`
      select row_number as row from jobs where batch_id = ${id} and outcome = 'found' and row_number > 300 order by row_number limit 1`;
    const before = await read();
    const asked = askErasure(bench.service, owner, [{ type: 'nin', value: nins[erased!.row - 1]! }], by, async () => {});
    await Promise.all([asked.then(() => advanceErasures(bench.service, never)), move()]);
    await waitFor('both to be done', async () => {
      await Promise.all([advanceErasures(bench.service, never), move()]);
      const [open] = await sql()`select 1 from erasures where finished_at is null`;
      return !open && (await place()) === null;
    });
    before.delete(erased!.row);
    expect(await read()).toEqual(before);
    for (const { counted, stored } of await bytes()) expect(counted).toBe(stored);
    // Nor is anything of them in a block that no job points at.
    const [slots] = await sql()<{ blocks: number; named: number }[]>`
      select count(*)::int as blocks, count(*) filter (where id in (select result_block from jobs where batch_id = ${id}))::int as named
      from result_blocks where batch_id = ${id}`;
    expect(slots!.named).toBe(slots!.blocks);
  });
});
