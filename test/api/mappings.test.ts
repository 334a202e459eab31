/** Saved mappings: a file with known column names needs no mapping again. */
import { beforeAll, expect, test } from 'vitest';
import { fingerprintOf, saveMapping } from '../../src/batches/saved-mappings.ts';
import type { Preview } from '../../src/contract/previews.ts';
import { parseId } from '../../src/foundation/ids.ts';
import type { RowSource } from '../../src/rows/row.ts';
import { type Client, type TestApp, useApi } from '../setup/api.ts';

const api = useApi();
let app: TestApp;
beforeAll(async () => {
  app = await api.createApp({ naira: 1_000 });
});

interface Saved {
  id: string;
  mapping: Record<string, string>;
  checks: string[];
  date_format: string;
}

const preview = async (text: string, query = '?checks=bvn_match', by: Client = app): Promise<Preview> =>
  (await by.post<Preview>(`/api/v1/batches/preview${query}`, text, { 'Content-Type': 'text/csv' })).body.entity;
const list = async (by: Client = app): Promise<Saved[]> => (await by.get<{ data: Saved[] }>('/api/v1/mappings')).body.entity.data;

test('a submission’s mapping is found again by the names of the columns, in any order, with its dates', async () => {
  const query = '?checks=bvn_match&map.bvn=Code&map.dob=When&date_format=mdy';
  const submitted = await app.csv(`${query.slice(1)}&start=manual`, 'Code,When\n22345678901,01/02/1990\n');
  expect(submitted.status, submitted.text).toBe(202);
  const found = await preview('WHEN,Code\n01/02/1990,22345678902\n');
  expect(found.saved_mapping).toMatchObject({
    id: found.fingerprint,
    mapping: { bvn: 'Code', dob: 'When' },
    checks: ['bvn_match'],
    date_format: 'mdy',
  });
  expect(found.mapping.find(({ field }) => field === 'bvn')).toMatchObject({ column: 'Code', by: 'saved' });
  expect(found.mapping.find(({ field }) => field === 'dob')).toMatchObject({ column: 'WHEN', by: 'saved' });
  expect(found.date_format).toMatchObject({ value: 'mdy', confidence: 0.9 });
  expect(found).toMatchObject({ problems: [], invalid_rows: 0 });
  expect((await preview('Code,When,Note\n1,2,3\n')).saved_mapping).toBe(null);
  const { content } = (await api.service.sql<{ content: Buffer }[]>`select content from saved_mappings`)[0]!;
  expect(content.toString('latin1')).not.toContain('Code');
});

test('a mapping is saved, listed and forgotten by its fingerprint, and belongs to its app', async () => {
  const other = await api.createApp();
  const text = 'Ref,Figure\na,70000000001\n';
  const { fingerprint } = await preview(text, '?checks=nin_basic');
  const put = (path: string, body: unknown) =>
    app.send<Saved>('PUT', `/api/v1/mappings/${path}`, { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  expect((await put(fingerprint, { mapping: { nin: 'Figure' }, checks: ['nin_basic'] })).body.entity).toMatchObject({
    id: fingerprint,
    date_format: 'dmy',
  });
  expect((await put(fingerprint, { mapping: {}, checks: ['nin_basik'] })).body.details[0]!.rule).toBe('unknown_check');
  for (const wrong of [{ nin: 'Figure', bvn: 'Ref' }, { ninn: 'Figure' }, { 'bvn_full.bvn': 'Ref' }])
    expect((await put(fingerprint, { mapping: wrong, checks: ['nin_basic'] })).body.details[0]).toMatchObject({ rule: 'unknown_field' });
  expect((await put(fingerprint, { mapping: { nin: 'Figure', 'bvn_match.date_of_birth': 'Ref' } })).status).toBe(200);
  expect((await put('map_1', { mapping: {} })).status).toBe(404);
  expect((await list()).map(({ id }) => id)[0]).toBe(fingerprint);
  // Saved for other checks: what does not fit is left out.
  expect((await preview(text, '?checks=bvn_full')).mapping.find(({ by }) => by === 'saved')).toBe(undefined);
  expect((await preview(text, '?checks=nin_basic', other)).saved_mapping).toBe(null);
  expect((await other.send('DELETE', `/api/v1/mappings/${fingerprint}`)).status).toBe(404);
  expect((await app.send('DELETE', `/api/v1/mappings/${fingerprint}`)).status).toBe(200);
  expect((await preview(text, '?checks=nin_basic')).saved_mapping).toBe(null);
});

test('a mapping that calls an input by another of its names is proposed again, too', async () => {
  const text = 'bvn,When\n22222222222,1991-04-17\n';
  expect((await app.csv('checks=bvn_match&map.date_of_birth=When', text)).status).toBe(202);
  const proposed = (await preview(text, '?checks=bvn_match')).mapping;
  expect(proposed.find(({ field }) => field === 'dob')).toMatchObject({ column: 'When', by: 'saved' });
});

test('an app keeps the thousand that it used last', async () => {
  const one = await api.createApp();
  const { sql, cipher } = api.service;
  const appId = parseId('app', one.app)!;
  for (let i = 0; i < 1_003; i++) {
    const id = fingerprintOf(cipher, appId, { columns: [`c${i}`] } as unknown as RowSource);
    await saveMapping(sql, cipher, appId, id, { mapping: { nin: `c${i}` }, checks: [], date_format: 'dmy' });
  }
  const page = await one.get<{ data: Saved[]; next_cursor: string }>('/api/v1/mappings?limit=999');
  expect(page.body.entity.data[0]!.mapping).toEqual({ nin: 'c1002' });
  const rest = await one.get<{ data: Saved[]; has_more: boolean }>(`/api/v1/mappings?limit=999&cursor=${page.body.entity.next_cursor}`);
  expect(rest.body.entity.data.map(({ mapping }) => mapping.nin)).toEqual(['c3']);
});

test('the list goes on where it was, though the last one shown was used again or forgotten, and takes no other cursor', async () => {
  const app = await api.createApp();
  const idOf = (n: number) => `map_${String(n).repeat(32)}`;
  const save = (n: number) =>
    app.send('PUT', `/api/v1/mappings/${idOf(n)}`, {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ mapping: { nin: `c${n}` } }),
    });
  for (const n of [1, 2, 3, 4]) expect((await save(n)).status).toBe(200);
  const page = async (cursor: string | null = null) =>
    (await app.get<{ data: Saved[]; next_cursor: string | null }>(`/api/v1/mappings?limit=1${cursor ? `&cursor=${cursor}` : ''}`)).body
      .entity;
  const [first] = [await page()];
  const second = await page(first.next_cursor);
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual([idOf(4), idOf(3)]);
  await save(3);
  expect((await page(second.next_cursor)).data.map(({ id }) => id)).toEqual([idOf(2)]);
  expect((await app.send('DELETE', `/api/v1/mappings/${idOf(4)}`)).status).toBe(200);
  expect((await page(first.next_cursor)).data.map(({ id }) => id)).toEqual([idOf(2)]);
  const other = await api.createApp();
  for (const [client, cursor] of [
    [app, idOf(1)],
    [app, 'x'],
    [other, first.next_cursor],
  ] as const)
    expect((await client.get(`/api/v1/mappings?cursor=${cursor}`)).status, String(cursor)).toBe(400);
});
