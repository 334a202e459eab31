/** One customer in many batches: rows are found by their reference wherever they are, and nobody finds those of another app or mode. */
import { beforeAll, expect, test } from 'vitest';
import { markRows } from '../../src/lifecycle/mark-rows.ts';
import { type Answer, type BatchEntity, type Entity, type TestApp, useApi } from '../setup/api.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi();
let app: TestApp;
beforeAll(async () => {
  app = await api.createApp({ naira: 5_000_000 });
});

interface Row {
  batch: string;
  batch_reference: string | null;
  created_at: string;
  row: number;
  problems: { field: string | null; column: string | null; rule: string }[] | null;
  jobs: { check: string; outcome: string | null; reference: string; result?: unknown; created_by: Entity }[];
}
type Page = { data: Row[]; next_cursor: string | null; searched_to: string | null };

/** Every row with the reference, over as many requests as it takes. */
async function find(reference: string, { client = app as Pick<TestApp, 'get'>, limit = 100 } = {}) {
  const rows: Row[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: URLSearchParams = new URLSearchParams({ reference, limit: String(limit), cursor });
    const { status, text, body }: Answer<Page> = await client.get<Page>(`/api/v1/rows?${query}`);
    expect(status, text).toBe(200);
    rows.push(...body.entity.data);
    cursor = body.entity.next_cursor;
  }
  return rows;
}

const submit = async (query: string, lines: string[], by: TestApp['live'] | TestApp = app) => {
  const { id } = (await by.csv(`${query}&map.reference=customer`, `customer,nin\n${lines.join('\n')}\n`)).body.entity;
  await by.ended<BatchEntity>(`/api/v1/batches/${id}`);
  return id;
};

test('rows of all batches are found, newest batch first, with what became of them, and invalid ones with what is wrong', async () => {
  const first = await submit('checks=nin_basic&reference=March', [`other,${freshNin()}`, `Ọlá/7,${freshNin()}`]);
  const second = await submit('checks=nin_basic,nin_advance&reference=April', [`Ọlá/7,${freshNin()}`, `x,${freshNin()}`]);
  const third = await submit('checks=nin_basic', [`y,${freshNin()}`, 'Ọlá/7,123']);
  expect((await app.csv('checks=nin_basic', `nin\n${freshNin()}\n`)).status).toBe(202);
  for (const limit of [100, 1, 99]) {
    // At last with marks, which say where to look.
    if (limit === 99) await markRows(api.service, new AbortController().signal, { restless: true });
    const rows = await find('Ọlá/7', { limit });
    expect(rows.map(({ batch, batch_reference, row }) => [batch, batch_reference, row])).toEqual([
      [third, null, 2],
      [second, 'April', 1],
      [first, 'March', 2],
    ]);
    expect(rows.map(({ jobs }) => jobs.map(({ check, outcome }) => `${check} ${outcome}`))).toEqual([
      [],
      ['nin_basic found', 'nin_advance found'],
      ['nin_basic found'],
    ]);
    expect(rows[0]!.problems).toMatchObject([{ field: 'nin', column: 'nin', rule: 'invalid_format' }]);
    expect(Date.parse(rows[0]!.created_at)).toBeGreaterThan(Date.parse(rows[1]!.created_at));
    expect(rows[1]!.jobs[0]).toMatchObject({ reference: 'Ọlá/7', created_by: { kind: 'key' } });
    expect(rows[1]!.jobs[0]).not.toHaveProperty('result');
  }
  expect(await find('nobody')).toEqual([]);
});

test('a page has no more rows than asked for, even where a batch has a valid and an invalid row with the reference', async () => {
  const id = await submit('checks=nin_basic', [`twice,${freshNin()}`, 'twice,12']);
  const expectBoth = async () => {
    for (const limit of [1, 2])
      expect((await find('twice', { limit })).map(({ batch, row }) => [batch, row])).toEqual([
        [id, 1],
        [id, 2],
      ]);
  };
  await expectBoth();
  await markRows(api.service, new AbortController().signal, { restless: true });
  await expectBoth();
  expect((await app.get<Page>('/api/v1/rows?reference=twice&limit=1')).body.entity.data).toHaveLength(1);
});

test('neither another app nor the other mode finds them; rows of a deleted batch and of an erased person are gone', async () => {
  const nin = freshNin();
  const kept = await submit('checks=nin_basic', [`c-9,${nin}`]);
  const deleted = await submit('checks=nin_basic', [`c-9,${freshNin()}`]);
  const other = await api.createApp();
  expect((await find('c-9')).map(({ batch }) => batch)).toEqual([deleted, kept]);
  expect(await find('c-9', { client: other })).toEqual([]);
  expect(await find('c-9', { client: app.live })).toEqual([]);
  expect((await app.send('DELETE', `/api/v1/batches/${deleted}`)).status).toBe(202);
  expect((await find('c-9')).map(({ batch }) => batch)).toEqual([kept]);
  const { id } = (await app.post<{ id: string }>('/api/v1/subjects/erase', { identifiers: [{ type: 'nin', value: nin }] })).body.entity;
  const status = async () => (await app.get<Entity>(`/api/v1/subjects/erasures/${id}`)).body.entity.status;
  await expect.poll(status, { timeout: 20_000 }).toBe('done');
  expect(await find('c-9')).toEqual([]);
});

test('a request without a reference, or with a cursor of elsewhere, is refused by its name', async () => {
  const { next_cursor: foreign } = (await app.get<Page>('/api/v1/rows?reference=x&limit=1')).body.entity;
  const other = await api.createApp();
  const queries = ['', '?reference=', `?reference=x&cursor=${foreign}`];
  const refusals = await Promise.all(queries.map((query) => other.get(`/api/v1/rows${query}`)));
  expect(foreign).not.toBeNull();
  expect(refusals.map(({ status, body }) => [status, (body as { details?: { path: string }[] }).details![0]!.path])).toEqual([
    [400, 'reference'],
    [400, 'reference'],
    [400, 'cursor'],
  ]);
});
