/** Files as people really have them (`test/fixtures/uploads`): each is read as intended or refused with helpful words, and the answer says how it was read. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { readBlocks } from '../../src/batches/row-blocks.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { type Answer, type BatchEntity, type Client, type Entity, type TestApp, useApi } from '../setup/api.ts';
import { type WorkbookSpec, workbook } from '../setup/xlsx.ts';

const api = useApi();
let app: TestApp;
beforeAll(async () => {
  app = await api.createApp();
});

const NINS = ['70123456789', '70123456780'];
const CSV = { 'Content-Type': 'text/csv' };
const XLSX = { 'Content-Type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' };
const fixture = (name: string): Buffer => readFileSync(new URL(`../fixtures/uploads/${name}`, import.meta.url));

interface Read {
  counts: { rows: number; jobs: number; invalid: number };
  mapping: Record<string, string>;
  date_format: string;
  ambiguous_dates: { count: number; first: { row: number; path: string }[] };
  file: { sheet: string | null; header_row: number; left_out: string[]; encoding: string | null };
  errors: { row: number; path: string; rule: string; message: string }[];
}
type Batch = BatchEntity & Read;

const quote = async (bytes: Uint8Array, query: string, headers: Record<string, string> = CSV): Promise<Answer<Read & Entity>> =>
  app.post(`/api/v1/batches/quote?${query}`, bytes, headers);
const quoted = async (...args: Parameters<typeof quote>): Promise<Read> => {
  const { status, body, text } = await quote(...args);
  expect(status, text).toBe(200);
  return body.entity;
};

/** The inputs of a check as its jobs get them, in row order. */
async function run(client: Client, query: string, bytes: Uint8Array, headers: Record<string, string> = CSV): Promise<Batch> {
  const { status, body, text } = await client.post<Batch>(`/api/v1/batches?${query}`, bytes, headers);
  expect(status, text).toBe(202);
  return body.entity;
}
const resultsOf = async (batch: Batch, format = 'jsonl', more = ''): Promise<string> =>
  (await app.get(`/api/v1/batches/${batch.id}/results?format=${format}${more}`)).text;
const entitiesOf = async (batch: Batch): Promise<Entity[]> =>
  (await resultsOf(batch))
    .trim()
    .split('\n')
    .map((line) => Object.values((JSON.parse(line) as { checks: Record<string, { entity: Entity }> }).checks)[0]?.entity ?? {});

describe('a table is found in', () => {
  test.each<[name: string, mapping: string, headerRow: number]>([
    ['title-rows.csv', 'NIN No.', 4],
    ['title-one-column.csv', 'National ID', 2],
    ['leading-empty-columns.csv', 'NIN Number', 1],
    ['trailing-commas.csv', 'nin', 1],
    ['trailing-commas-rows-only.csv', 'nin', 1],
    ['blank-lines.csv', 'nin', 1],
    ['sep-line.csv', 'NIN', 2],
    ['pipes.csv', 'nin', 1],
    ['pandas-index.csv', 'nin', 1],
    ['windows-1252.csv', 'nin', 1],
  ])('%s', async (name, column, headerRow) => {
    const batch = await run(app, 'checks=nin_basic', fixture(name));
    expect(batch).toMatchObject({ counts: { rows: 2, jobs: 2, invalid: 0 }, mapping: { nin: column }, file: { header_row: headerRow } });
    await app.ended(`/api/v1/batches/${batch.id}`);
    expect((await entitiesOf(batch)).map(({ nin }) => nin)).toEqual(NINS);
  });

  test('Windows-1252 with its letters, and reported as such', async () => {
    const batch = await run(app, 'checks=nin_basic', fixture('windows-1252.csv'));
    expect(batch.file).toMatchObject({ encoding: 'windows-1252' });
    const { open } = await readBlocks(api.service, parseId('bat', batch.id)!, [1, 2]);
    expect([open(1), open(2)]).toEqual([
      [NINS[0], 'Zoë Obi'],
      [NINS[1], '“Bola” – Adé'],
    ]);
    expect((await quoted(fixture('blank-lines.csv'), 'checks=nin_basic')).file.encoding).toBeNull();
  });

  test('a bare JSON array, whose names are matched too', async () => {
    const batch = await run(app, 'checks=nin_basic', fixture('bare-array.json'), { 'Content-Type': 'application/json' });
    expect(batch).toMatchObject({ counts: { rows: 2, jobs: 2 }, mapping: { nin: 'NIN No.' } });
    await app.ended(`/api/v1/batches/${batch.id}`);
    expect((await entitiesOf(batch)).map(({ nin }) => nin)).toEqual(NINS);
    const without = await app.post('/api/v1/batches', fixture('bare-array.json'), { 'Content-Type': 'application/json' });
    expect([without.status, without.body.details[0]?.path]).toEqual([400, 'checks']);
  });

  test('a row with a value in an unnamed column is refused, and the others are not', async () => {
    const answer = await quoted(Buffer.from(`nin,name,\n${NINS[0]},Obi, Ada\n${NINS[1]},Ade,\n`), 'checks=nin_basic');
    // The first rows have a value there, so it is a column.
    expect(answer.counts).toMatchObject({ rows: 2, invalid: 0 });
    const late = `nin,name,\n${`${NINS[1]},Ade,\n`.repeat(30)}${NINS[0]},Obi, Ada\n`;
    expect((await quoted(Buffer.from(late), 'checks=nin_basic')).errors).toMatchObject([{ row: 31, rule: 'column_count' }]);
  });

  test.each<[string, string, string]>([
    ['NIN,nin ', 'map.nin', 'ambiguous_column'],
    ['NIN,nin', 'map.nin', 'ambiguous_column'],
    ['nin,nin ', 'nin', 'duplicate_column'],
  ])('the header "%s" is refused', async (header, path, rule) => {
    const { status, body } = await quote(Buffer.from(`${header}\n${NINS.join(',')}\n`), 'checks=nin_basic');
    expect([status, body.details.map((detail) => [detail.path, detail.rule])]).toEqual([400, [[path, rule]]]);
  });

  test('two candidate columns are asked about, never guessed', async () => {
    const { status, body } = await quote(fixture('several-nins.csv'), 'checks=nin_basic');
    expect([status, body.details.map(({ path, rule }) => [path, rule])]).toEqual([400, [['map.nin', 'ambiguous_column']]]);
    expect((await quoted(fixture('several-nins.csv'), 'checks=nin_basic&map.nin=Customer%20NIN')).mapping.nin).toBe('Customer NIN');
  });
});

describe('a workbook', () => {
  const sheets = async (...specs: WorkbookSpec['sheets']) => workbook({ sheets: specs });
  const NA = { xml: '<c r="@" t="e"><v>#N/A</v></c>' };

  test('with a cover, a title and empty columns: the first sheet with a table is taken and named', async () => {
    const bytes = await sheets(
      { name: 'Cover', rows: [['Zenith Staff Ltd'], ['Prepared by', 'Ada Obi']] },
      { name: 'Empty', rows: [] },
      {
        name: 'Staff',
        rows: [
          [null, 'Staff list 2024'],
          [null],
          [null, null, 'National ID', 'Name'],
          [null, null, NINS[0]!, 'Ada'],
          [null, null, NINS[1]!, 'Bola'],
        ],
      },
      { name: 'More', rows: [['nin'], ['70123456771']] },
    );
    const batch = await run(app, 'checks=nin_basic', bytes, XLSX);
    expect(batch).toMatchObject({
      counts: { rows: 2, jobs: 2, invalid: 0 },
      mapping: { nin: 'National ID' },
      file: { sheet: 'Staff', header_row: 3 },
    });
    await app.ended(`/api/v1/batches/${batch.id}`);
    expect((await entitiesOf(batch)).map(({ nin }) => nin)).toEqual(NINS);
    expect((await quoted(bytes, 'checks=nin_basic&sheet=More', XLSX)).file.sheet).toBe('More');
  });

  test('whose table begins further down: errors of its rows name the row of the sheet', async () => {
    const bytes = await sheets({
      rows: [['Staff list 2024'], [null], ['nin', 'reference'], [NINS[0]!, 'a'], [null], ['123', 'b'], [NINS[1]!, 'a']],
    });
    expect((await quoted(bytes, 'checks=nin_basic', XLSX)).errors).toEqual([
      { row: 2, path: 'nin', rule: expect.any(String), message: 'must be 11 digits (this is row 6 of the sheet)' },
      { row: 3, path: 'reference', rule: 'duplicate_reference', message: 'is the same as in row 1 (this is row 7 of the sheet)' },
    ]);
  });

  test('with #N/A in an unused column is whole; in a used one, only that row is refused', async () => {
    const bytes = await sheets({
      rows: [
        ['nin', 'branch', 'ref'],
        [NINS[0]!, NA, 'a'],
        [NINS[1]!, 'Ikeja', NA],
        [NA, NA, 'c'],
      ],
    });
    expect(await quoted(bytes, 'checks=nin_basic', XLSX)).toMatchObject({
      counts: { rows: 3, jobs: 2 },
      errors: [{ row: 3, path: 'nin', rule: 'error_cell' }],
    });
    const used = await quoted(bytes, 'checks=nin_basic&map.reference=ref', XLSX);
    expect(used.errors.map(({ row, path }) => [row, path])).toEqual([
      [2, 'ref'],
      [3, 'nin'],
    ]);
    const batch = await run(app, 'checks=nin_basic', bytes, XLSX);
    await app.ended(`/api/v1/batches/${batch.id}`);
    expect((await resultsOf(batch, 'csv', '&bom=0')).split('\r\n')[1]).toMatch(/^70123456789,#N\/A,a,completed,found,/);
  });
});

describe('a cell that says that there is no value', () => {
  const cells = ['N/A', 'NULL', '\\N', 'nan', ' NA ', 'nil', 'None', '-', '(null)', '<NA>'];

  test('is empty: nothing is compared with it, and a name that is missing is not screened as one', async () => {
    const rows = cells.map((cell, i) => `2230000001${i},Ada,${cell},${cell}`);
    const batch = await run(app, 'checks=bvn_match', Buffer.from(`bvn,first_name,middle_name,dob\n${rows.join('\n')}\n`));
    expect(batch.counts).toMatchObject({ jobs: cells.length, invalid: 0 });
    await app.ended(`/api/v1/batches/${batch.id}`);
    for (const entity of await entitiesOf(batch)) expect(Object.keys(entity)).toEqual(['bvn', 'first_name']);
    const names = await quoted(Buffer.from(`name\n${cells.join('\n')}\n`), 'checks=aml_screening');
    expect(names.errors.map(({ path, rule }) => `${path} ${rule}`)).toEqual(cells.map(() => 'name required'));
  });

  test.each(['Nan', 'Nat', 'Null', 'Na', 'Nila', 'N'])('is not what may be a name: %s', async (name) => {
    const batch = await run(app, 'checks=bvn_match', Buffer.from(`bvn,last_name\n22300000011,${name}\n`));
    await app.ended(`/api/v1/batches/${batch.id}`);
    expect((await entitiesOf(batch))[0]).toMatchObject({ last_name: { value: name } });
  });

  test('is not the code of Namibia', async () => {
    const batch = await run(app, 'checks=aml_screening', Buffer.from('name,country\nOla Bello,NA\nOla Bello,N/A\n'));
    // Two questions, so the country of the first was read.
    expect(batch.counts).toMatchObject({ jobs: 2, duplicate: 0 });
  });
});

test.each(['#N/A', '#REF!', '#NAME?', '#DIV/0!', '########', 'Err:502'])(
  'an error value that a spreadsheet saved as text refuses its row if its column is used: %s',
  async (cell) => {
    const read = await quoted(Buffer.from(`name,branch\n${cell},Ikeja\nOla Bello,${cell}\n`), 'checks=aml_screening');
    expect(read.counts).toMatchObject({ jobs: 1, invalid: 1 });
    expect(read.errors).toEqual([
      { row: 1, path: 'name', rule: 'error_cell', message: 'has an error value of a spreadsheet, such as #N/A' },
    ]);
  },
);

describe('digits', () => {
  test('with spaces, hyphens, .0, an apostrophe, ="…" and invisible marks are the number', async () => {
    const batch = await run(app, 'checks=nin_basic', fixture('digits.csv'));
    expect(batch).toMatchObject({ counts: { rows: 9, jobs: 9, invalid: 0 } });
    await app.ended(`/api/v1/batches/${batch.id}`);
    const nins = [89, 80, 71, 62, 53, 44, 35, 26, 17].map((end) => `701234567${end}`);
    expect((await entitiesOf(batch)).map(({ nin }) => nin)).toEqual(nins);
  });

  test('grouped by commas, as a column of amounts is saved, are the number', async () => {
    const batch = await run(app, 'checks=nin_basic', Buffer.from('nin\n"70,123,456,789"\n" 70,123,456,780.00 "\n"70,12,3456789"\n'));
    await app.ended(`/api/v1/batches/${batch.id}`);
    expect((await entitiesOf(batch)).map(({ nin }) => nin)).toEqual([...NINS, undefined]);
  });

  test('in a call or a job are taken literally', async () => {
    expect((await app.get('/api/v1/kyc/nin?nin=701%202345%206789')).status).toBe(400);
    expect((await app.job({ check: 'nin_basic', input: { nin: "'70123456789" } })).status).toBe(400);
  });

  test('that Excel has destroyed are reported as such, and not repeated', async () => {
    const { errors } = await quoted(fixture('excel-destroyed.csv'), 'checks=nin_basic');
    expect(errors.map(({ row, path, rule }) => [row, path, rule])).toEqual([
      [1, 'nin', 'scientific_notation'],
      [3, 'nin', 'scientific_notation'],
    ]);
    expect(errors[1]!.message).toMatch(/shortened by a spreadsheet.*lost.*format the column as text/);
    expect(errors[1]!.message).not.toContain('7.01235');
  });

  test('are cleaned for every number that a check takes, and twins are found among them', async () => {
    const phones = Buffer.from('phone\n\'08031234567\n="08031234567"\n8031234567.0\n\u200b+234 803 123 4567\n');
    expect(await quoted(phones, 'checks=phone')).toMatchObject({ counts: { jobs: 1, duplicate: 3 }, mapping: { phone_number: 'phone' } });
    const companies = Buffer.from('RC No\n612345.0\n="RC612345"\n\'0612345\nRC 612-345\n');
    expect(await quoted(companies, 'checks=cac_basic')).toMatchObject({
      counts: { jobs: 1, duplicate: 3 },
      mapping: { rc_number: 'RC No' },
    });
  });
});

describe('dates', () => {
  const dobs = async (query: string) => {
    const batch = await run(app, `checks=bvn_match&${query}`, fixture('dates-dmy.csv'));
    await app.ended(`/api/v1/batches/${batch.id}`);
    const entities = await entitiesOf(batch);
    return { batch, dates: entities.map((entity) => (entity.date_of_birth as { value: string } | undefined)?.value ?? null) };
  };
  const always = ['1990-01-05', '1990-01-05', '1990-01-05'];

  test('are read day first in Nigeria, which the answer says, listing the ambiguous ones', async () => {
    const { batch, dates } = await dobs('');
    expect(dates).toEqual(['1990-02-01', ...always, '1990-12-25', '1990-01-05', '1990-01-05', '1990-05-05', null, null]);
    expect(batch).toMatchObject({ date_format: 'dmy', ambiguous_dates: { count: 1, first: [{ row: 1, path: 'dob' }] } });
    const answer = await quoted(fixture('dates-dmy.csv'), 'checks=bvn_match');
    expect(answer).toMatchObject({ date_format: 'dmy', ambiguous_dates: { count: 1, first: [{ row: 1, path: 'dob' }] } });
    expect(answer.errors).toMatchObject([
      { row: 9, path: 'dob', message: expect.stringContaining('date_format=mdy') },
      { row: 10, path: 'dob', message: expect.stringContaining('a year of two digits') },
    ]);
  });

  test('are read month first where the upload says so', async () => {
    const { batch, dates } = await dobs('date_format=mdy');
    expect(dates).toEqual(['1990-01-02', ...always, null, '1990-01-05', '1990-01-05', '1990-05-05', '1990-12-25', null]);
    expect(batch.date_format).toBe('mdy');
  });

  test('with the year last are refused where the upload says year first', async () => {
    const answer = await quoted(fixture('dates-dmy.csv'), 'checks=bvn_match&date_format=ymd');
    expect(answer).toMatchObject({ date_format: 'ymd', ambiguous_dates: { count: 0 } });
    expect(answer.errors.map(({ row }) => row)).toEqual([1, 5, 8, 9, 10]);
  });

  test('in any other order are refused', async () => {
    const { status, body } = await quote(fixture('dates-dmy.csv'), 'checks=bvn_match&date_format=ydm');
    expect([status, body.details[0]?.path]).toEqual([400, 'date_format']);
  });

  test('are also read this way in JSON rows, but in calls only as ISO', async () => {
    const rows = [{ bvn: '22312345670', dob: '3/4/1990' }];
    const { body } = await app.post<Read>('/api/v1/batches/quote', { checks: ['bvn_match'], date_format: 'mdy', rows });
    expect(body.entity).toMatchObject({ counts: { invalid: 0 }, date_format: 'mdy', ambiguous_dates: { count: 1 } });
    expect((await app.get('/api/v1/kyc/bvn?bvn=22312345670&dob=3/4/1990')).status).toBe(400);
  });
});

describe('one of our files, uploaded again', () => {
  const INVALID = 'nin,Branch\n70123456789,Ikeja\n123,Yaba\n70123456780,Apapa\n';

  test.each([
    ['results', 'format=csv', true],
    ['results', 'format=csv&bom=1', true],
    ['results', 'format=csv&bom=0', false],
    ['results', 'format=jsonl', false],
    ['errors', '', true],
    ['errors', 'bom=0', false],
  ])('%s?%s: begins with a byte-order mark: %s', async (kind, query, isMarked) => {
    const batch = await run(app, 'checks=nin_basic', Buffer.from(INVALID));
    await app.ended(`/api/v1/batches/${batch.id}`);
    const file = await fetch(`${api.url}/api/v1/batches/${batch.id}/${kind}?${query}`, {
      headers: { Authorization: app.key, AppId: app.app },
    });
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(bytes.length).toBeGreaterThan(10);
    expect(bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))).toBe(isMarked);
  });

  test.each(['csv', 'xlsx'])('results as %s: what we added is left out, and the rest is as it was', async (format) => {
    const first = await run(app, 'checks=nin_basic,nin_advance', Buffer.from(INVALID));
    await app.ended(`/api/v1/batches/${first.id}`);
    const file = await fetch(`${api.url}/api/v1/batches/${first.id}/results?format=${format}`, {
      headers: { Authorization: app.key, AppId: app.app },
    });
    const again = await run(app, 'checks=nin_basic', Buffer.from(await file.arrayBuffer()), format === 'csv' ? CSV : XLSX);
    expect(again).toMatchObject({ counts: { rows: 3, jobs: 2, invalid: 1 }, mapping: { nin: 'nin' } });
    expect(again.file.left_out).toEqual(expect.arrayContaining(['nin_basic.status', 'nin_advance.nin', 'row_number', 'row_errors']));
    await app.ended(`/api/v1/batches/${again.id}`);
    const head = (await resultsOf(again, 'csv', '&bom=0')).split('\r\n')[0]!.split(',');
    expect(head.slice(0, 4)).toEqual(['nin', 'Branch', 'nin_basic.status', 'nin_basic.outcome']);
    expect(head.filter((name) => name === 'row_number')).toHaveLength(1);
  });

  test('results as JSON Lines', async () => {
    const first = await run(app, 'checks=nin_basic', Buffer.from(INVALID));
    await app.ended(`/api/v1/batches/${first.id}`);
    const again = await run(app, 'checks=nin_basic', Buffer.from(await resultsOf(first)), { 'Content-Type': 'application/x-ndjson' });
    expect(again.counts).toMatchObject({ rows: 3, jobs: 2, invalid: 1 });
  });

  test('rows to correct, corrected in place: their two columns are left out', async () => {
    const first = await run(app, 'checks=nin_basic', Buffer.from(INVALID));
    const errors = (await app.get(`/api/v1/batches/${first.id}/errors`)).text;
    const again = await run(app, 'checks=nin_basic', Buffer.from(errors.replace('123,Yaba', '70123456771,Yaba')));
    expect(again).toMatchObject({ counts: { rows: 1, jobs: 1, invalid: 0 }, file: { left_out: ['confam_row', 'confam_error'] } });
    await app.ended(`/api/v1/batches/${again.id}`);
    expect((await resultsOf(again, 'csv', '&bom=0')).split('\r\n')[0]).toMatch(/^nin,Branch,nin_basic\.status,/);
    expect(await run(app, 'checks=nin_basic', Buffer.from(errors))).toMatchObject({ counts: { rows: 1, invalid: 1 } });
  });

  test('columns of the client that are named like ours stay', async () => {
    const batch = await run(app, 'checks=nin_basic', Buffer.from(`row_number,nin_basic.nin,status\n7,${NINS[0]},new\n`));
    expect(batch).toMatchObject({ counts: { jobs: 1 }, mapping: { 'nin_basic.nin': 'nin_basic.nin' }, file: { left_out: [] } });
    await app.ended(`/api/v1/batches/${batch.id}`);
    const again = await run(app, 'checks=nin_basic', Buffer.from(await resultsOf(batch, 'csv')));
    expect(again.mapping).toMatchObject({ 'nin_basic.nin': 'nin_basic.nin' });
    await app.ended(`/api/v1/batches/${again.id}`);
    expect((await resultsOf(again, 'csv', '&bom=0')).split('\r\n')[1]).toMatch(/^7,70123456789,new,completed,found,/);
  });
});
