/** Submitted rows are stored in blocks; workers, downloads and reports read them back. */
import { expect, test } from 'vitest';
import { BLOCK_ROWS, readBlocks } from '../../src/batches/row-blocks.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { type BatchEntity, type TestApp, useApi } from '../setup/api.ts';
import { sealedEarlier } from '../setup/keys.ts';

const api = useApi();

const ROWS = 3 * BLOCK_ROWS + 5;
const FAILS = '00000000003';
/** Invalid rows: the ends of the first blocks, and the whole third block. */
const isInvalid = (row: number): boolean => row % BLOCK_ROWS === 0 || row === BLOCK_ROWS + 1 || Math.ceil(row / BLOCK_ROWS) === 3;
const ninOf = (row: number): string => (row === 2 ? FAILS : isInvalid(row) ? 'none' : String(70_300_000_000 + row));
const rows = Array.from({ length: ROWS }, (_, i) => ({ row: i + 1, nin: ninOf(i + 1), note: `n${i + 1}` }));

async function run(app: TestApp, rule = 'checks=nin_basic,nin_advance'): Promise<BatchEntity> {
  const csv = `nin,note\n${rows.map(({ nin, note }) => `${nin},${note}\n`).join('')}`;
  const made = await app.post<BatchEntity>(`/api/v1/batches?${rule}`, csv, { 'Content-Type': 'text/csv' });
  expect(made.status, made.text).toBe(202);
  return app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`);
}

interface Line {
  row: number;
  input: { nin: string; note: string };
  status: string;
  checks: Record<string, { status: string; entity: { nin: string } | null }>;
}

async function linesOf(app: TestApp, { id }: BatchEntity, query = ''): Promise<Line[]> {
  const { text } = await app.get(`/api/v1/batches/${id}/results?format=jsonl${query}`);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const uuidOf = ({ id }: BatchEntity): string => parseId('bat', id)!;

test('every check gets its own row, and results show it, wherever invalid rows lie between', async () => {
  const app = await api.createApp();
  const batch = await run(app);
  const lines = await linesOf(app, batch);
  expect(lines.map(({ row, input }) => ({ row, ...input }))).toEqual(rows);
  for (const { row, status, checks } of lines) {
    expect(status, `row ${row}`).toBe(isInvalid(row) ? 'invalid' : 'valid');
    if (isInvalid(row) || row === 2) continue;
    for (const check of ['nin_basic', 'nin_advance']) expect(checks[check]!.entity?.nin, `${check} of row ${row}`).toBe(ninOf(row));
  }
  expect((await linesOf(app, batch, '&outcome=failed')).map(({ row, input }) => ({ row, ...input }))).toEqual([rows[1]]);
});

test('the table alone reveals nothing, and a block opens only in its own place', async () => {
  const app = await api.createApp();
  const batch = await run(app);
  const { sql } = api.service;
  const blocks = await sql<{ block: number; rows: Buffer }[]>`
    select block, rows from row_blocks where batch_id = ${uuidOf(batch)} order by block`;
  // The third block has no valid row.
  expect(blocks.map(({ block }) => block)).toEqual([0, 1, 3]);
  for (const { rows } of blocks) expect(rows.toString('latin1')).not.toMatch(/7030000|note|n1/);
  await sql`update row_blocks set rows = ${blocks[0]!.rows} where batch_id = ${uuidOf(batch)} and block = 1`;
  const { open: read } = await readBlocks(api.service, uuidOf(batch), [2, BLOCK_ROWS + 2]);
  expect(read(2)).toMatchObject([FAILS, 'n2']);
  expect(() => read(BLOCK_ROWS + 2)).toThrow();
});

test('batches older than blocks, whose rows are stored with their jobs, run like any other', async () => {
  const app = await api.createApp();
  const batch = await run(app, 'checks=nin_basic');
  const path = `/api/v1/batches/${batch.id}`;
  const before = (await app.get(`${path}/results`)).text;
  const { sql } = api.service;
  const jobs = await sql<{ id: string; row: number }[]>`select id, row_number as row from jobs where batch_id = ${uuidOf(batch)}`;
  for (const { id, row } of jobs) {
    const raw = [rows[row - 1]!.nin, rows[row - 1]!.note];
    await sql`update jobs set input = ${sealedEarlier(api.service).seal(JSON.stringify(raw), 'input', id)} where id = ${id}`;
  }
  await sql`delete from row_blocks where batch_id = ${uuidOf(batch)}`;
  expect((await app.get(`${path}/results`)).text).toBe(before);

  await sql`update jobs set input = ${sealedEarlier(api.service).seal(JSON.stringify([String(70_300_000_999), 'mended']), 'input', jobs.find(({ row }) => row === 2)!.id)}
    where batch_id = ${uuidOf(batch)} and row_number = 2`;
  expect((await app.post(`${path}/retry`, {})).status).toBe(200);
  await app.ended<BatchEntity>(path);
  expect((await linesOf(app, batch))[1]).toMatchObject({
    input: { note: 'mended' },
    checks: { nin_basic: { status: 'completed', entity: { nin: '70300000999' } } },
  });
});
