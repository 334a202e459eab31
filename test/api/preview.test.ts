/** Previews: what the beginning of a file holds, and what Confam makes of it, before anything is submitted. */
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import type { Preview } from '../../src/contract/previews.ts';
import { type Answer, type TestApp, useApi } from '../setup/api.ts';
import { workbook } from '../setup/xlsx.ts';

const api = useApi();
let app: TestApp;
beforeAll(async () => {
  app = await api.createApp({ naira: 1_000 });
});

const CSV = 'text/csv';
const preview = (body: string | Uint8Array, query = '', type = CSV, by: { post: TestApp['post'] } = app): Promise<Answer<Preview>> =>
  by.post<Preview>(`/api/v1/batches/preview${query}`, body, { 'Content-Type': type });

async function previewed(body: string | Uint8Array, query = '', type = CSV): Promise<Preview> {
  const answer = await preview(body, query, type);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.entity;
}

const fieldOf = ({ mapping }: Preview, field: string) => mapping.find((one) => one.field === field);
const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => String(70_000_000_000 + i));

test.each([
  ['nin\n70123456789\n', []],
  ['Customer,2024-05-01\nAda,1\n', ['header_is_data']],
  ['nin,2024-05-01\n70123456789,1\n', []],
  ['70123456789\n70123456790\n70123456791\n', ['header_is_data']],
  ['Ada Obi,ada@example.ng\nBola Ade,bola@example.ng\n', ['header_is_data']],
  ['Ada Obi,01/02/1990\nBola Ade,03/04/1991\n', ['header_is_data']],
  ['Ada Obi,+234 803 123 4567\nBola Ade,0803 123 4568\n', ['header_is_data']],
  ['Name,Q1 2024\nAda,5\n', []],
])('a first row that looks like data is warned about: %j', async (csv, codes) => {
  expect((await previewed(csv)).warnings.map(({ code }) => code)).toEqual(codes);
});

test('a column that may be the type of a company is not overlooked in silence: a business name is no company', async () => {
  const own = await api.createApp();
  const csv = 'rc_number,type\n1432074,BUSINESS_NAME\n2123456,BUSINESS_NAME\n';
  const codesOf = ({ warnings = [] }: { warnings?: { code: string; message: string }[] }) => warnings.map(({ code }) => code);
  const named = ['?checks=cac_basic&map.company_type=type', csv] as const;
  const found = await previewed(csv, '?checks=cac_basic');
  expect(found.warnings).toEqual([
    { code: 'unread_column', message: 'The column "type" is not read; if it is company_type, send map.company_type=type' },
  ]);
  expect(fieldOf(found, 'company_type')).toMatchObject({ column: 'type', by: 'likeness' });
  expect(codesOf(await previewed(named[1], named[0]))).toEqual([]);
  const ask = async (path: string, query: string, body: string, type = CSV) =>
    codesOf(
      (await own.post<{ warnings?: { code: string; message: string }[] }>(`/api/v1/batches${path}${query}`, body, { 'Content-Type': type }))
        .body.entity,
    );
  const rows = JSON.stringify([{ rc_number: '1432074', type: 'BUSINESS_NAME' }]);
  for (const path of ['/quote', '']) {
    const manual = path === '' ? '&start=manual' : '';
    expect(await ask(path, `?checks=cac_basic${manual}`, csv)).toEqual(['unread_column']);
    expect(await ask(path, `${named[0]}${manual}`, csv)).toEqual([]);
    expect(await ask(path, `?checks=cac_basic${manual}`, rows, 'application/json')).toEqual(['unread_column']);
    expect(await ask(path, `?checks=cac_basic${manual}`, 'rc_number,Business Type\n1432074,BUSINESS_NAME\n')).toEqual([]);
  }
});

test.each(['NIN:Name', 'NIN^Name', '"NIN,Name"', '"NIN;Name"'])(
  'a header that was not split is warned about, and nothing is guessed from it: %s',
  async (header) => {
    const found = await previewed(`${header}\n${header.replace('NIN', '70123456789')}\n`, '?checks=nin_basic');
    expect(found.warnings).toMatchObject([
      { code: 'one_column', message: expect.stringMatching(/^The header has only one column: separate/) },
    ]);
    expect(fieldOf(found, 'nin')).toMatchObject({ column: null, confidence: 0 });
    expect(found.problems).toEqual([]);
  },
);

test('text that is not Unicode is read as Windows-1252 with a warning, whatever it is', async () => {
  const csv = (name: number[]) => Buffer.concat([Buffer.from('nin,surname\n70123456789,Ad'), Buffer.from(name), Buffer.from('\n')]);
  const macRoman = await previewed(csv([0x8e]));
  expect(macRoman.warnings).toMatchObject([
    { code: 'windows_1252', message: expect.stringContaining('make sure that letters with accents are right') },
  ]);
  expect(macRoman.rows).toEqual([['70123456789', 'AdŽ']]);
  expect((await previewed(csv([0xe9]))).warnings.map(({ code }) => code)).toEqual(['windows_1252']);
  expect((await previewed(csv([0xc3, 0xa9]))).warnings).toEqual([]);
});

test.each(['National ID,NIN No', 'National ID,national id', 'ID number,Bank verification'])(
  'a column with a name of a person’s number is never proposed as the reference: %s',
  async (header) => {
    const rows = `${header}\n70123456789,70123456790\n`;
    expect(fieldOf(await previewed(rows, '?checks=nin_basic'), 'reference')).toMatchObject({ column: null });
    const refused = await app.csv('checks=nin_basic,bvn_match', rows);
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ suggested_mapping: expect.not.objectContaining({ reference: expect.anything() }) });
  },
);

test('what is wrong with a row says what a spreadsheet may have done to it', async () => {
  const csv = await previewed('bvn,dob\n22222222222,31/02/1990\n2222222222,1990-02-01\n22222222222,soon\n', '?checks=bvn_match');
  expect(csv.problems.map(({ row, line, column, message }) => [row, line, column, message])).toEqual([
    [1, 2, 'dob', 'is not a day of the calendar'],
    [2, 3, 'bvn', 'must be 11 digits; this has 10, so a leading zero may have been lost'],
    [3, 4, 'dob', expect.stringMatching(/^must be a date: 1990-01-31, /)],
  ]);
  const NA = { xml: '<c r="@" t="e"><v>#N/A</v></c>' };
  const book = await workbook({ sheets: [{ name: 'Staff', rows: [['BVN'], ['22222222222'], [NA]] }] });
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  expect((await previewed(book, '?checks=bvn_full', type)).problems).toEqual([
    { row: 2, line: null, column: 'BVN', rule: 'error_cell', message: 'Row 2 (row 3 of the sheet) has an error value such as #N/A in BVN' },
  ]);
});

test('what is wrong with a row below titles and blank lines names its line, also in an upload that a thread reads', async () => {
  const titled = `Staff of Lagos\n\n\nNIN\n${numbered(4).join('\n\n')}\n123\n`;
  const problem = { row: 5, rule: 'invalid_format', message: 'must be 11 digits (this is line 12 of the file)' };
  expect((await previewed(titled, '?checks=nin_basic')).problems).toMatchObject([{ ...problem, line: 12 }]);
  const large = `${titled}${numbered(30_000).join('\n')}\n`;
  const rich = await api.createApp({ naira: 5_000_000 });
  const submitted = await rich.csv('checks=nin_basic&start=manual', large);
  expect(submitted.body.entity.errors).toMatchObject([{ row: 5, message: problem.message }]);
});

test('a CSV tells its dialect, columns, first rows and a mapping with reasons, and nothing is kept or charged', async () => {
  const rows = numbered(40).map((nin, i) => `"Ada; ${i}";${nin};${String((i % 28) + 1).padStart(2, '0')}/02/1990;${i % 2 ? 'c' : ''}`);
  const found = await previewed(
    `Staff of Lagos\r\nFull Name;NIN No.;Date of Birth;Note\r\n${rows.join('\r\n')}\r\n`,
    '?checks=nin_basic,bvn_match',
  );
  expect(found).toMatchObject({
    object: 'preview',
    format: 'csv',
    dialect: { delimiter: ';', line_end: '\n', quote: '"', encoding: 'utf-8', header_row: 2 },
    sheet: null,
    is_whole: true,
    sampled_rows: 40,
    checks: ['nin_basic', 'bvn_match'],
  });
  expect(found.columns.map(({ name }) => name)).toEqual(['Full Name', 'NIN No.', 'Date of Birth', 'Note']);
  expect(found.columns[3]).toEqual({ name: 'Note', position: 3, filled_percent: 50, samples: ['c'] });
  expect(found.rows).toHaveLength(20);
  expect(found.rows[0]).toEqual(['Ada; 0', '70000000000', '01/02/1990', '']);
  expect(fieldOf(found, 'nin')).toMatchObject({ column: 'NIN No.', by: 'synonym', confidence: 0.9, required: ['nin_basic'] });
  expect(fieldOf(found, 'nin')!.reason).toMatch(/all 40 values checked fit\.$/);
  const one = await previewed(`NIN No.\n${numbered(1)[0]}\n`, '?checks=nin_basic');
  expect(fieldOf(one, 'nin')!.reason).toMatch(/the one value checked fits\.$/);
  expect(fieldOf(found, 'bvn')).toMatchObject({ column: null, confidence: 0, required: ['bvn_match'] });
  expect(found.date_format).toMatchObject({ value: 'dmy', confidence: 0.99 });
  // A required column is missing, so that no row can be judged.
  expect(found).toMatchObject({ problems: [], invalid_rows: 0 });
  expect((await app.get<{ data: unknown[] }>('/api/v1/batches')).body.entity.data).toEqual([]);
  expect((await app.wallet()).available).toBe(1_000);
});

test('rows of the sample that would be invalid are named with their column, as the submission names them', async () => {
  const text = `National ID,Note\n${numbered(3).join(',a\n')},a\n7.01E+10,a\n123,a\n`;
  const found = await previewed(text, '?checks=nin_basic');
  expect(found.invalid_rows).toBe(2);
  expect(found.problems).toMatchObject([
    { row: 4, column: 'National ID', rule: 'scientific_notation' },
    { row: 5, column: 'National ID' },
  ]);
  const submitted = await app.csv('checks=nin_basic&start=manual', text);
  expect(submitted.body.entity.errors.map(({ row, rule, message }) => ({ row, rule, message }))).toEqual(
    found.problems.map(({ row, rule, message }) => ({ row, rule, message })),
  );
});

test('without checks, the checks are suggested that the file has columns for', async () => {
  const found = await previewed(`BVN,Surname,First name,DOB\n22345678901,Obi,Ada,1990-01-05\n`);
  const suggested = found.suggested_checks.map(({ check }) => check);
  expect(suggested).toContain('bvn_match');
  expect(suggested).not.toContain('nin_basic');
  expect(suggested.indexOf('bvn_match')).toBeLessThan(suggested.indexOf('bvn_full'));
  expect(found.mapping.every(({ column }) => column !== null)).toBe(true);
  expect(fieldOf(found, 'bvn')).toMatchObject({ column: 'BVN', by: 'name', confidence: 1 });
  expect(found.problems).toEqual([]);
});

test('a column is proposed by its values when its name says nothing, and by a similar name, for confirmation only', async () => {
  const text = `Code,Refrence\n${numbered(5).join(',x\n')},y\n`;
  const found = await previewed(text, '?checks=nin_basic');
  expect(fieldOf(found, 'nin')).toMatchObject({ column: 'Code', by: 'values', confidence: 0.5 });
  expect(fieldOf(found, 'nin')!.reason).toContain('make sure that it is the right one');
  expect(fieldOf(found, 'reference')).toMatchObject({ column: 'Refrence', by: 'likeness' });
  expect((await app.csv('checks=nin_basic', text)).status).toBe(400);
  const named = await previewed(text, '?checks=nin_basic&map.nin=Code');
  expect(fieldOf(named, 'nin')).toMatchObject({ column: 'Code', by: 'requested', confidence: 1 });
});

test('a column whose values fit is proposed before one whose name alone is similar, which is still the last resort', async () => {
  const rows = numbered(5).map((nin, i) => `c${i};${nin}`);
  const found = await previewed(`Cust ID;Full National No\n${rows.join('\n')}\n`, '?checks=nin_basic');
  expect(fieldOf(found, 'nin')).toMatchObject({ column: 'Full National No', by: 'values', confidence: 0.5 });
  expect(fieldOf(found, 'reference')).toMatchObject({ column: 'Cust ID' });
  const wrong = await previewed('Natinal ID;Note\n7012;a\n7013;b\n', '?checks=nin_basic');
  expect(fieldOf(wrong, 'nin')).toMatchObject({ column: 'Natinal ID', by: 'likeness', confidence: 0.12 });
});

test('a similar name alone gives an optional input no column: its values must fit', async () => {
  const rows = numbered(5).map((nin) => `Ada Obi;${nin};1990-01-05;08031234567`);
  const text = `Customer Name;National Identity No;D.O.B;Phone\n${rows.join('\n')}\n`;
  expect(fieldOf(await previewed(text, '?checks=aml_screening'), 'country')).toMatchObject({ column: null });
  const codes = 'Name;Country of Residence\nAda Obi;NG\nBola Ade;GH\n';
  expect(fieldOf(await previewed(codes, '?checks=aml_screening'), 'country')).toMatchObject({
    column: 'Country of Residence',
    by: 'likeness',
  });
});

test.each(['FULL NAME', 'Customer Name', 'Name', 'Names', 'Account Name', 'Bank Name'])(
  'a column %s is proposed as no part of a name',
  async (name) => {
    const found = await previewed(`${name},BVN NUMBER,DATE OF BIRTH\nAda Obi,22345678901,1990-01-05\n`, '?checks=bvn_match');
    expect(found.mapping.filter(({ column }) => column !== null).map(({ field }) => field)).toEqual(['bvn', 'dob']);
  },
);

test.each([
  ['first_name', 'first_name'],
  ['Frist Name', 'first_name'],
  ['Fname', 'first_name'],
  ['Lname', 'last_name'],
  ['Middle Names', 'middle_name'],
])('a column %s is still proposed as %s', async (name, field) => {
  const found = await previewed(`${name},BVN\nAda,22345678901\n`, '?checks=bvn_match');
  expect(fieldOf(found, field)).toMatchObject({ column: name });
});

test.each([
  ['Customer Name;National Identity No;D.O.B;Phone', 'Ada Obi;70123456789;1990-01-05;08031234567', 'nin_basic'],
  ['FULL NAME;BVN NUMBER;DATE OF BIRTH', 'Ada Obi;22345678901;1990-01-05', 'bvn_match'],
  ['Name;Country;Type;RC No', 'Acme Ltd;NG;organization;RC1234567', 'cac_basic'],
  ['Full Name;DOB;Phone', 'Ada Obi;1990-01-05;08031234567', 'aml_screening'],
])('the check that looks up a number of the file is suggested before one that needs a name: %s', async (header, row, check) => {
  expect((await previewed(`${header}\n${row}\n`)).suggested_checks[0]).toMatchObject({ check });
});

test('values that do not fit lower the confidence', async () => {
  const found = await previewed('NIN\nabc\n70000000001\n', '?checks=nin_basic');
  expect(fieldOf(found, 'nin')).toMatchObject({ column: 'NIN', by: 'name', confidence: 0.6 });
});

test.each([
  ['01/31/1990', 'mdy', 0.99],
  ['01/02/1990', 'dmy', 0.6],
  ['1990-01-31', 'dmy', 1],
])('dates such as %s are read as %s', async (date, value, confidence) => {
  const found = await previewed(`bvn,dob\n22345678901,${date}\n`, '?checks=bvn_match');
  expect(found.date_format).toMatchObject({ value, confidence });
});

test('the first 256 KiB of a large text are enough, wherever they end', async () => {
  const lines = ['nin,name', ...numbered(9_000).map((nin, i) => `${nin},"Ọlá ${i}\nof Ẹ̀kọ́"`)].join('\n');
  const whole = Buffer.from(lines);
  for (const bytes of [whole, ...[0, 1, 2, 3, 7, 19].map((more) => Buffer.concat([whole.subarray(more), whole]).subarray(0, 256 * 1024))]) {
    const found = await previewed(bytes.subarray(0, 256 * 1024));
    expect(found).toMatchObject({ is_whole: false, sampled_rows: 1_000, dialect: { encoding: 'utf-8' } });
  }
  // Fewer than 1,000 rows, cut in the middle of one, in the middle of a character, or of a quoted line end.
  const wide = Buffer.from(
    `nin,name\n${numbered(500)
      .map((nin) => `${nin},"${'ẹ'.repeat(200)}\n${'x'.repeat(300)}"`)
      .join('\n')}\n`,
  );
  for (const end of [0, 1, 2, 300, 500]) {
    const start = Buffer.from(`${'t'.repeat(end)}\n`);
    const found = await previewed(Buffer.concat([start, wide]).subarray(0, 256 * 1024), '?checks=nin_basic');
    expect(found).toMatchObject({ is_whole: false, invalid_rows: 0, problems: [], dialect: { encoding: 'utf-8' } });
    expect(found.sampled_rows).toBeGreaterThan(200);
  }
});

test('on a slow line the answer waits for the rest of a short body, and the connection stays', async () => {
  const csv = `nin\n${numbered(16_000).join('\n')}\n`;
  const most = csv.length * 0.75;
  const sending = request({
    host: '127.0.0.1',
    port: api.port,
    method: 'POST',
    path: '/api/v1/batches/preview',
    agent: false,
    headers: { Authorization: app.key, AppId: app.app, 'Content-Type': CSV, 'Content-Length': csv.length, Connection: 'keep-alive' },
  });
  let isSent = false;
  const answered = new Promise<{ status: number; isEarly: boolean; connection: string }>((resolve, reject) => {
    sending.on('error', reject);
    sending.on('response', (response) =>
      resolve({ status: response.statusCode!, isEarly: !isSent, connection: response.resume().headers.connection ?? '' }),
    );
  });
  sending.write(csv.slice(0, most));
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  isSent = true;
  sending.end(csv.slice(most));
  expect(await answered).toEqual({ status: 200, isEarly: false, connection: 'keep-alive' });
});

test('other formats and encodings: UTF-16, Windows-1252, gzip, NDJSON, JSON, and each cut off', async () => {
  const csv = `nin\tsurname\n${numbered(3)
    .map((nin) => `${nin}\tAdé`)
    .join('\n')}\n`;
  expect(await previewed(Buffer.from(`\ufeff${csv}`, 'utf16le'))).toMatchObject({
    dialect: { delimiter: '\t', encoding: 'utf-16' },
    sampled_rows: 3,
  });
  expect(await previewed(Buffer.from(csv, 'latin1'))).toMatchObject({ dialect: { encoding: 'windows-1252' } });
  const long = Buffer.from(`nin\n${numbered(200_000).join('\n')}\n`);
  expect(await previewed(gzipSync(long).subarray(0, 256 * 1024), '', 'application/gzip')).toMatchObject({ format: 'csv', is_whole: false });
  const objects = numbered(9_000).map((nin) => ({ nin, bvn_match: { dob: '1990-01-05' } }));
  const lines = Buffer.from(objects.map((row) => JSON.stringify(row)).join('\n'));
  const document = Buffer.from(JSON.stringify({ checks: ['nin_basic'], rows: objects }));
  for (const [bytes, type, format] of [
    [lines, 'application/x-ndjson', 'ndjson'],
    [document, 'application/json', 'json'],
  ] as const) {
    const found = await previewed(bytes.subarray(0, 256 * 1024), '', type);
    expect(found).toMatchObject({ format, is_whole: false, sampled_rows: 1_000, dialect: { delimiter: null, header_row: null } });
    expect(found.columns.map(({ name }) => name)).toEqual(['nin', 'bvn_match.dob']);
    expect(found.rows[0]).toEqual(['70000000000', '1990-01-05']);
  }
  const short = await previewed(JSON.stringify({ rows: [{ NIN: '70000000001' }], checks: ['nin_basic'] }), '', 'application/json');
  expect(short).toMatchObject({ is_whole: true, checks: ['nin_basic'], invalid_rows: 0 });
});

test('a workbook tells its sheets', async () => {
  const book = await workbook({
    sheets: [
      { name: 'Cover', rows: [['Welcome']] },
      { name: 'Staff', rows: [['NIN'], ['70000000001']] },
    ],
  });
  const found = await previewed(book, '?checks=nin_basic', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
  expect(found).toMatchObject({ format: 'xlsx', sheet: 'Staff', sheets: ['Cover', 'Staff'], sampled_rows: 1, invalid_rows: 0 });
});

test('what cannot be read is refused as a submission is', async () => {
  expect((await preview('')).body.details[0]!.rule).toBe('empty_file');
  expect((await preview('nin\n')).body.details[0]!.rule).toBe('header_only');
  expect((await preview('nin\n7\n', '?checks=nin_basik')).body.details[0]!.rule).toBe('unknown_check');
  expect((await preview('nin\n7\n', '?checks=nin_basic&map.nix=nin')).body.details[0]!.rule).toBe('unknown_field');
  expect((await preview('nin\n7\n', '?chekcs=nin_basic')).status).toBe(400);
  expect((await preview(Buffer.from('PK\u0003\u0004half of a workbook'), '', 'application/zip')).body.code).toBe('invalid_upload');
});
