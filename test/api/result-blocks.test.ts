/** Results in blocks over HTTP: read together, beside those of earlier releases, from the cache, and without the person who was erased. */
import { expect, test } from 'vitest';
import { readBatch } from '../../src/batches/batch.ts';
import type { Opener } from '../../src/foundation/crypto.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { ResultBlock } from '../../src/jobs/result-blocks.ts';
import { openResultMover } from '../../src/lifecycle/move-results.ts';
import { jsonlWriter } from '../../src/results/jsonl.ts';
import { readRows } from '../../src/results/read.ts';
import { type BatchEntity, type JobEntity, type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { freshNin, never, storeAlone } from '../setup/work.ts';

const api = useApi();

const ROWS = 150;

async function run(app: TestApp, nins: string[], checks = 'nin_advance,nin_basic'): Promise<BatchEntity> {
  const made = await app.csv(`checks=${checks}`, `nin\n${nins.join('\n')}\n`);
  expect(made.status, made.text).toBe(202);
  return app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`);
}

const jobsOf = async (batch: BatchEntity) => [
  ...(await api.service.sql<{ id: string; checkId: string; rowNumber: number; resultBlock: string | null; resultSlot: number | null }[]>`
    select id, check_id, row_number, result_block, result_slot from jobs where batch_id = ${parseId('bat', batch.id)} and status <> 'duplicate' order by row_number`),
];

/** All that the API shows of a batch's results. */
async function readings(app: TestApp, batch: BatchEntity) {
  const path = `/api/v1/batches/${batch.id}`;
  const page = (await app.get<{ data: JobEntity[] }>(`${path}/jobs?limit=1000`)).body.entity.data;
  const one = (await app.get<JobEntity>(`/api/v1/jobs/${page.at(-1)!.id}`)).body.entity;
  const files = await Promise.all(
    ['csv', 'jsonl', 'csv&outcome=found'].map(async (format) => (await app.get(`${path}/results?format=${format}`)).text),
  );
  return { results: page.map(({ row, check, result }) => ({ row, check, result })), one: one.result, files };
}

test('a batch reads the same from blocks, from results one by one as earlier releases stored them, and from both', async () => {
  const app = await api.createApp({ naira: 1_000_000 });
  const nins = Array.from({ length: ROWS }, freshNin);
  // Every tenth is a duplicate of an earlier row, which has its result on another page.
  for (let row = 10; row < ROWS; row += 10) nins[row] = nins[row - 10]!;
  const batch = await run(app, nins);
  const jobs = await jobsOf(batch);
  const inBlocks = jobs.filter((job) => job.resultBlock !== null);
  // A group of one is stored by itself.
  expect(inBlocks.length).toBeGreaterThan(jobs.length * 0.9);
  const before = await readings(app, batch);
  expect(before.results).toHaveLength(2 * ROWS);
  for (const { row, result } of before.results) expect(result!.nin).toBe(nins[row! - 1]);

  const entities = new Map(before.results.map(({ row, check, result }) => [`${row} ${check}`, result!]));
  const move = async (some: typeof jobs) => {
    for (const { id, checkId, rowNumber } of some) await storeAlone(api.service, id, checkId, entities.get(`${rowNumber} ${checkId}`)!);
  };
  await move(inBlocks.filter((_, i) => i % 3 === 0));
  expect(await readings(app, batch)).toEqual(before);
  await move(inBlocks);
  expect(await readings(app, batch)).toEqual(before);
});

test('results of an earlier release are moved into blocks, and whoever reads meanwhile gets every one of them', async () => {
  const { sql } = api.service;
  const app = await api.createApp({ naira: 1_000_000 });
  const nins = Array.from({ length: ROWS }, freshNin);
  for (let row = 10; row < ROWS; row += 10) nins[row] = nins[row - 10]!;
  const batch = await run(app, nins);
  const id = parseId('bat', batch.id)!;
  const before = await readings(app, batch);
  for (const { id: jobId, checkId, rowNumber } of await jobsOf(batch)) {
    const { result } = before.results.find(({ row, check }) => row === rowNumber && check === checkId)!;
    await storeAlone(api.service, jobId, checkId, result!);
  }
  const apart = async () =>
    (await sql`select 1 from jobs j join results r on r.job_id = j.id where j.batch_id = ${id} and j.result_block is null`).length;
  expect(await apart()).toBe((await jobsOf(batch)).length);

  await sql`update batches set unmoved_after = 0 where id = ${id}`;
  let isMoving = true;
  let reads = 0;
  const readOn = async () => {
    do {
      expect(await readings(app, batch)).toEqual(before);
      const call = await app.get<Record<string, unknown>>(`/api/v1/kyc/nin/advance?nin=${nins[reads % ROWS]}`);
      expect(call.body.cached).toBe(true);
      reads++;
    } while (isMoving);
  };
  const move = async () => {
    // The sweeper of this API may be at it, too.
    await waitFor('the move', async () => {
      await openResultMover(api.service)(never);
      const [left] = await sql`select 1 from batches where id = ${id} and unmoved_after is not null`;
      return left === undefined;
    });
    isMoving = false;
  };
  await Promise.all([readOn(), move()]);
  expect(await apart()).toBe(0);
  expect((await jobsOf(batch)).every(({ resultBlock }) => resultBlock !== null)).toBe(true);
  expect(await sql`select 1 from results where job_id in (select id from jobs where batch_id = ${id})`).toHaveLength(0);
  expect(await readings(app, batch)).toEqual(before);
});

test('the cache answers from a block, for single calls and for a whole batch', async () => {
  const app = await api.createApp({ naira: 1_000_000 });
  const nins = Array.from({ length: ROWS }, freshNin);
  const first = await run(app, nins, 'nin_advance');
  const entityOf = new Map((await readings(app, first)).results.map(({ row, result }) => [nins[row! - 1], result]));
  for (const nin of [nins[0]!, nins[1]!, nins.at(-1)!]) {
    const call = await app.get<Record<string, unknown>>(`/api/v1/kyc/nin/advance?nin=${nin}`);
    expect([call.body.cached, call.body.entity]).toEqual([true, entityOf.get(nin)]);
  }
  const again = await run(app, nins, 'nin_advance');
  expect(again.billed_amount).toBe(ROWS * 50);
  expect((await readings(app, again)).results).toEqual((await readings(app, first)).results);
});

test('a download opens each block once a page, however many of its rows are on that page', async () => {
  const { service } = api;
  const app = await api.createApp({ naira: 1_000_000 });
  const shown = await run(app, Array.from({ length: 3 * ROWS }, freshNin));
  const batch = (await readBatch(service, service.sql, parseId('app', app.app)!, parseId('bat', shown.id)!))!;
  const opened: string[] = [];
  let pages = 0;
  // A page's rows come with an opener of their own.
  const openerOfBatch = async (id: string): Promise<Opener> => {
    const opener = await service.cipher.openerOfBatch(id);
    const page = ++pages;
    const openBytes: Opener['openBytes'] = (sealed, purpose, bound) => {
      if (purpose === 'result_block') opened.push(`${page} ${bound}`);
      return opener.openBytes(sealed, purpose, bound);
    };
    return { ...opener, openBytes };
  };
  const write = jsonlWriter(await service.cipher.openerOfBatch(batch.id), batch);
  const lines: string[] = [];
  const ctx = { ...service, cipher: { ...service.cipher, openerOfBatch } };
  for await (const slice of readRows(ctx, batch, { outcomes: null, since: null, isTable: false }))
    for (const row of slice) lines.push(write(row));
  expect(lines.join('')).toBe((await app.get(`/api/v1/batches/${shown.id}/results?format=jsonl`)).text);
  expect(pages).toBeGreaterThan(1);
  expect(new Set(opened).size).toBe(opened.length);
  const blocks = new Set((await jobsOf(shown)).flatMap(({ resultBlock }) => resultBlock ?? []));
  expect(new Set(opened.map((one) => one.split(' ')[1]))).toEqual(new Set([...blocks].map((id) => `${batch.id}:${id}`)));
});

test('a block that was changed is an error, never an answer without its entity', async () => {
  const app = await api.createApp();
  const batch = await run(app, Array.from({ length: 20 }, freshNin), 'nin_basic');
  await api.service.sql`
    update result_blocks set sealed = overlay(sealed placing '\\x00' from octet_length(sealed)) where batch_id = ${parseId('bat', batch.id)}`;
  const path = `/api/v1/batches/${batch.id}`;
  expect((await app.get(`${path}/jobs`)).status).toBe(500);
  await expect(app.get(`${path}/results?format=jsonl`)).rejects.toThrow();
});

test('an erased person is no longer in the block; the others of the block are, and what is stored shrinks', async () => {
  const app = await api.createApp({ naira: 1_000_000 });
  const nins = Array.from({ length: 40 }, freshNin);
  const batch = await run(app, nins, 'nin_advance');
  const batchId = parseId('bat', batch.id)!;
  const { sql, cipher } = api.service;
  const erased = (await jobsOf(batch)).find((job) => job.resultBlock !== null && job.resultSlot === 1)!;
  const nin = nins[erased.rowNumber - 1]!;
  const before = await readings(app, batch);
  const usedBytes = async () => (await app.get<{ storage: { used_bytes: number } }>('/api/v1/usage')).body.entity.storage.used_bytes;
  const used = await usedBytes();

  const asked = await app.post<{ id: string }>('/api/v1/subjects/erase', { identifiers: [{ type: 'nin', value: nin }] });
  await waitFor('the erasure', async () => {
    const { status } = (await app.get<{ status: string }>(`/api/v1/subjects/erasures/${asked.body.entity.id}`)).body.entity;
    return status === 'done';
  });
  const [{ sealed }] =
    (await sql`select sealed from result_blocks where batch_id = ${batchId} and id = ${erased.resultBlock}`) as unknown as [
      { sealed: Buffer },
    ];
  const block = new ResultBlock(await cipher.openerOfBatch(batchId), { batchId, id: erased.resultBlock! }, sealed);
  expect([block.entity(0)?.nin, block.entity(1)]).toEqual([
    nins[(await jobsOf(batch)).find((job) => job.resultBlock === erased.resultBlock && job.resultSlot === 0)!.rowNumber - 1],
    null,
  ]);
  const after = await readings(app, batch);
  expect(after.results).toEqual(before.results.filter(({ row }) => row !== erased.rowNumber));
  for (const file of after.files) expect(file).not.toContain(nin);
  expect(await usedBytes()).toBeLessThan(used);
  expect((await app.get(`/api/v1/kyc/nin/advance?nin=${nin}`)).body.cached).toBe(false);
});

test('a deleted batch leaves no block, and takes nothing', async () => {
  const app = await api.createApp({ naira: 1_000_000 });
  const batch = await run(app, Array.from({ length: ROWS }, freshNin), 'nin_advance');
  await app.send('DELETE', `/api/v1/batches/${batch.id}`);
  await waitFor('the deletion', async () => (await app.get<BatchEntity>(`/api/v1/batches/${batch.id}`)).body.entity.status === 'deleted');
  expect(await api.service.sql`select 1 from result_blocks where batch_id = ${parseId('bat', batch.id)}`).toHaveLength(0);
  const { storage } = (await app.get<{ storage: { used_bytes: number } }>('/api/v1/usage')).body.entity;
  expect(storage.used_bytes).toBe(0);
});
