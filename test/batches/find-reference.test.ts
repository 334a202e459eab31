/** A row of a batch is found by its reference, whatever the file looks like, and a look that ends early says where to go on. */
import { describe, expect, test } from 'vitest';
import { readBatch } from '../../src/batches/batch.ts';
import { findReference, type Suggestion, suggestRows } from '../../src/batches/find-reference.ts';
import type { InvalidRow } from '../../src/client/client.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { markRows } from '../../src/lifecycle/mark-rows.ts';
import { type BatchEntity, type JobEntity, type TestApp, useApi } from '../setup/api.ts';
import { xlsx } from '../setup/xlsx.ts';

const api = useApi();

/** For files whose rows need not be looked up. */
const WAITING = 'nin_basic&start=manual';

const nin = (row: number): string => String(40_000_000_000 + row * 7);

async function upload(app: TestApp, content: string | Buffer, type: string, checks = 'nin_basic'): Promise<BatchEntity> {
  const made = await app.post<BatchEntity>(`/api/v1/batches?checks=${checks}&map.reference=ref`, content, { 'Content-Type': type });
  expect(made.status, made.text).toBe(202);
  return made.body.entity;
}

type Found = {
  data: (JobEntity & { row: number; reference: string; check: string })[];
  next_cursor: string | null;
  searched_to_row: number;
};

const find = async (app: TestApp, { id }: BatchEntity, reference: string, more = '') =>
  (await app.get<Found>(`/api/v1/batches/${id}/jobs?reference=${encodeURIComponent(reference)}${more}`)).body.entity;

describe('the row with a reference', () => {
  test('is found in a CSV file, with all its checks, also where quotes and other writings surround it', async () => {
    const app = await api.createApp({ naira: 100_000 });
    const references = ['c-1', 'c-10', '="007"', '"say ""so"""', '"=""a""""b"""', 'Adé\\n', "'=1+1"];
    const shown = ['c-1', 'c-10', '007', 'say "so"', 'a"b', 'Adé\\n', '=1+1'];
    const csv = `ref,nin,note\n${references.map((reference, i) => `${reference},${nin(i)},c-99\n`).join('')}`;
    const batch = await upload(app, csv, 'text/csv', 'nin_basic,nin_advance');
    for (const [i, reference] of shown.entries()) {
      const { data, next_cursor, searched_to_row } = await find(app, batch, reference);
      expect(data.map(({ row, check }) => [row, check])).toEqual([
        [i + 1, 'nin_advance'],
        [i + 1, 'nin_basic'],
      ]);
      expect(data[0]!.reference).toBe(reference);
      expect([next_cursor, searched_to_row]).toEqual([null, i + 1]);
    }
    // Another column's text is no reference, and neither is a part of one.
    for (const other of ['c-99', 'c-', 'C-1'])
      expect(await find(app, batch, other)).toMatchObject({ data: [], next_cursor: null, searched_to_row: 7 });
    expect((await find(app, batch, 'c-1', '&from_row=2')).data).toEqual([]);
    expect((await find(app, batch, 'c-10', '&status=duplicate')).data).toEqual([]);
    const first = await find(app, batch, 'c-10', '&limit=1');
    expect((await find(app, batch, 'c-10', `&limit=1&cursor=${first.next_cursor}`)).data.map(({ check }) => check)).toEqual(['nin_basic']);
  });

  test('is found among the invalid rows, in several looks if they are many', async () => {
    const app = await api.createApp();
    const many = Array.from({ length: 1_200 }, (_, i) => `bad-${i + 1},12\n`).join('');
    const batch = await upload(app, `ref,nin\nc-1,${nin(1)}\n${many}`, 'text/csv');
    const findInvalid = async (reference: string) => {
      for (let cursor = ''; ; ) {
        const path = `/api/v1/batches/${batch.id}/invalid-rows?reference=${reference}${cursor}`;
        const { data, next_cursor } = (await app.get<{ data: InvalidRow[]; next_cursor: string | null }>(path)).body.entity;
        if (data.length > 0 || next_cursor === null) return data;
        cursor = `&cursor=${next_cursor}`;
      }
    };
    expect(await findInvalid('bad-1100')).toMatchObject([{ row: 1_101, reference: 'bad-1100', problems: [{ field: 'nin' }] }]);
    for (const other of ['c-1', 'bad-1201']) expect(await findInvalid(other)).toEqual([]);
  });

  test('is found where references are numbers, in a workbook and in JSON', async () => {
    const app = await api.createApp({ naira: 100_000 });
    const book = await upload(
      app,
      await xlsx(['ref', 'nin'], [41, nin(1)], ['42', nin(2)]),
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    );
    const lines = [41, '42'].map((ref, i) => JSON.stringify({ ref, nin: nin(i) })).join('\n');
    const objects = await upload(app, lines, 'application/x-ndjson');
    for (const batch of [book, objects]) {
      expect((await find(app, batch, '41')).data.map(({ row }) => row)).toEqual([1]);
      expect((await find(app, batch, '42')).data.map(({ row }) => row)).toEqual([2]);
    }
  });

  test('is looked for as long as a request may take, and the next request goes on there', async () => {
    const app = await api.createApp({ naira: 1_000_000 });
    const count = 2_000;
    const made = await upload(
      app,
      `ref,nin\n${Array.from({ length: count }, (_, i) => `c-${i + 1},${nin(i)}\n`).join('')}`,
      'text/csv',
      WAITING,
    );
    const batch = (await readBatch(api.service, api.service.sql, parseId('app', app.app)!, parseId('bat', made.id)!))!;
    const looks: number[] = [];
    for (let from = 1; ; from = looks.at(-1)! + 1) {
      const { row, lookedTo } = await findReference(api.service, batch, 'c-100', { fromRow: from, suggestion: null, ms: 0 });
      looks.push(lookedTo);
      if (row !== null) break;
    }
    expect(looks).toEqual([32, 64, 96, 100]);
    expect(await findReference(api.service, batch, 'c-1', { fromRow: 101, suggestion: null, ms: 60_000 })).toEqual({
      row: null,
      lookedTo: count,
    });
    // One request searches for 0.4 s, which on a busy machine may not be enough.
    let last = await find(app, made, 'c-2000');
    while (last.data.length === 0) last = await find(app, made, 'c-2000', `&cursor=${last.next_cursor}`);
    expect(last.data.map(({ row }) => row)).toEqual([count]);
  });

  test('is found at once where rows are marked, also among the invalid ones, and by its whole text only', async () => {
    const app = await api.createApp({ naira: 1_000_000 });
    const rows = Array.from({ length: 2_000 }, (_, i) => `"c-${i + 1} ""Adé""",${i % 3 === 0 ? 'x' : nin(i)}\n`).join('');
    const made = await upload(app, `ref,nin\n${rows}`, 'text/csv', WAITING);
    // Its rows are marked once it is over.
    await app.post(`/api/v1/batches/${made.id}/cancel`);
    await app.ended<BatchEntity>(`/api/v1/batches/${made.id}`);
    const batch = (await readBatch(api.service, api.service.sql, parseId('app', app.app)!, parseId('bat', made.id)!))!;
    const suggested = async (reference: string): Promise<Suggestion> => (await suggestRows(api.service, [batch], reference)).get(batch.id)!;
    expect(await suggested('c-1500 "Adé"')).toBeNull();
    await markRows(api.service, new AbortController().signal, { restless: true });
    for (const [reference, row] of [
      ['c-1500 "Adé"', 1_500],
      ['c-2 "Adé"', 2],
    ] as const) {
      const suggestion = await suggested(reference);
      expect(suggestion).toEqual([row]);
      expect(await findReference(api.service, batch, reference, { fromRow: 1, suggestion, ms: 0 })).toEqual({ row, lookedTo: row });
      expect((await find(app, made, reference)).data.map((job) => job.row)).toEqual([row]);
    }
    const invalid = async (reference: string) =>
      (await app.get<{ data: InvalidRow[] }>(`/api/v1/batches/${made.id}/invalid-rows?reference=${encodeURIComponent(reference)}`)).body
        .entity.data;
    expect(await invalid('c-1500 "Adé"')).toEqual([]);
    expect(await invalid('c-1498 "Adé"')).toMatchObject([{ row: 1_498, reference: 'c-1498 "Adé"' }]);
    for (const other of ['c-15', 'c-2', nin(1)]) expect([await suggested(other), await invalid(other)]).toEqual([[], []]);
    expect(await findReference(api.service, batch, 'c-2 "Adé"', { fromRow: 3, suggestion: [2] })).toEqual({ row: null, lookedTo: 2_000 });
  });

  test('is nobody in a file without references, and never another app’s', async () => {
    const app = await api.createApp({ naira: 100_000 });
    const other = await api.createApp();
    const batch = await upload(app, `ref,nin\nc-1,${nin(1)}\n`, 'text/csv');
    expect((await other.get(`/api/v1/batches/${batch.id}/jobs?reference=c-1`)).status).toBe(404);
    const plain = await app.post<BatchEntity>('/api/v1/batches?checks=nin_basic', `nin\n${nin(1)}\n`, { 'Content-Type': 'text/csv' });
    expect(await find(app, plain.body.entity, nin(1))).toMatchObject({ data: [], next_cursor: null });
  });
});
