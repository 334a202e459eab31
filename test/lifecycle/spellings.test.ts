/** Identifiers as spreadsheets and clients write them: an erasure finds every spelling that the intake would accept. */
import { expect, test } from 'vitest';
import { markRows } from '../../src/lifecycle/mark-rows.ts';
import { type BatchEntity, type Client, type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { freshNin, never } from '../setup/work.ts';

const api = useApi();

const NIN = '70123456789';

async function upload(app: TestApp, type: string, text: string): Promise<BatchEntity> {
  const made = await app.post<BatchEntity>('/api/v1/batches?checks=nin_basic', text, { 'Content-Type': type });
  expect(made.status, made.text).toBe(202);
  return app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`);
}

async function erase(app: Client, ...identifiers: object[]): Promise<Record<string, number>> {
  const { id } = (await app.post('/api/v1/subjects/erase', { identifiers })).body.entity;
  const done = await waitFor('the erasure', async () => {
    const { entity } = (await app.get<{ status: string; counts: Record<string, number> }>(`/api/v1/subjects/erasures/${id}`)).body;
    return entity.status === 'done' && entity;
  });
  return done.counts;
}

/** Names in `note` of the rows that are left, to correct and accepted. */
async function left(app: Client, { id }: BatchEntity): Promise<string[]> {
  const texts = await Promise.all(
    ['errors', 'results'].map(async (file) => (await app.get(`/api/v1/batches/${id}/${file}?format=csv`)).text),
  );
  // Results name the rows to correct, too.
  return [...new Set(texts.join('\n').match(/other-\d|their-\d/g))].toSorted();
}

test.each([['marked'], ['new']])(
  'a number is found as spreadsheets write it, and in a column that may have either kind of number, in a %s batch',
  async (state) => {
    const app = await api.createApp();
    const batch = await upload(
      app,
      'text/csv',
      [
        'nin,NIN/BVN,opening BVN,old BVN,note,reference',
        `nobody,,,,70123456789.0,their-1`,
        `nobody,,,,"=""70123456789""",their-2`,
        `nobody,,,,'70123456789,their-3`,
        `nobody,,,,701-2345 6789,their-4`,
        `70123456789.00,x,,,,their-5`,
        `nobody,${NIN},,,,their-6`,
        `${freshNin()},${NIN},,,,their-7`,
        `${freshNin()},,,,701 2345 6789,their-8`,
        `nobody,,,,70123456788.0,other-1`,
        `${freshNin()},,${NIN},,,other-2`,
        `${freshNin()},,,${NIN},,other-3`,
      ].join('\n'),
    );
    if (state === 'marked') await markRows(api.service, never, { restless: true });
    expect(await erase(app, { type: 'nin', value: NIN })).toMatchObject({ invalid_rows: 5, rows: 3 });
    expect(await left(app, batch)).toEqual(['other-1', 'other-2', 'other-3']);
    // A BVN in a column whose name has the letters of another one.
    expect(await erase(app, { type: 'bvn', value: NIN })).toMatchObject({ rows: 2 });
  },
);

test.each([['marked'], ['new']])(
  'a number, a phone or a name is found within objects and lists of a row of JSON, in a %s batch',
  async (state) => {
    const app = await api.createApp();
    const rows = [
      { nin_basic: { nin: 'nobody' }, bvn_match: { bvn: NIN }, reference: 'their-1' },
      { nin: freshNin(), contacts: [{ kind: 'home', numbers: ['0803-123-4567', ' 8031234567.0'] }], reference: 'their-2' },
      { nin: 'nobody', next_of_kin: { name: '="Obi, Ada"', born: '1-Feb-1990' }, reference: 'their-3' },
      { nin_basic: { nin: freshNin() }, bvn_match: { nin: NIN }, reference: 'other-1' },
      { nin: 'nobody', next_of_kin: { name: 'Ada Obi', born: '2-Feb-1990' }, reference: 'other-2' },
    ];
    const batch = await upload(app, 'application/x-ndjson', rows.map((row) => JSON.stringify(row)).join('\n'));
    if (state === 'marked') await markRows(api.service, never, { restless: true });
    const identifiers = [
      { type: 'bvn', value: NIN },
      { type: 'phone', value: '08031234567' },
      { type: 'person', name: 'Ada Obi', date_of_birth: '1990-02-01' },
    ];
    expect(await erase(app, ...identifiers)).toMatchObject({ invalid_rows: 2, rows: 1 });
    expect(await left(app, batch)).toEqual(['other-1', 'other-2']);
  },
);
