/** Uploads as people send them: what their programs write, compressed or as a form, whole or not. */
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { type Answer, type BatchEntity, sendRaw, type TestApp, useApi } from '../setup/api.ts';
import { asOwner, waitFor } from '../setup/database.ts';
import { workbook, xlsx, zip } from '../setup/xlsx.ts';

const BYTES_MAX = 8 * 1024 * 1024;

// One at a time: an upload that kept its slot would stop all that follow.
const api = useApi({ CONFAM_UPLOADS_MAX: '1', CONFAM_UPLOAD_BYTES_MAX: String(BYTES_MAX), CONFAM_UPLOAD_ROWS_MAX: '5000' });
let app: TestApp;
beforeAll(async () => {
  app = await api.createApp({ naira: 10_000_000 });
});

const NIN = '70123456789';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const CSV = `NIN,Reference\n${NIN},007\n`;
const DOCUMENT = JSON.stringify({
  checks: ['nin_basic'],
  start: 'manual',
  mapping: { nin: 'NIN', reference: 'Reference' },
  rows: [{ NIN, Reference: '007' }],
});
const LINE = `{"nin":"${NIN}","reference":"007"}\n`;
const QUERY = '?checks=nin_basic&start=manual';

type Part = [name: string, content: string | Uint8Array, fileName?: string, type?: string];

const BOUNDARY = 'here-and-there';
const FORM = `multipart/form-data; boundary=${BOUNDARY}`;

function form(...parts: Part[]): Buffer {
  const bytes = parts.flatMap(([name, content, fileName, type]) => [
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n`,
    ),
    Buffer.from(`${type ? `Content-Type: ${type}\r\n` : ''}\r\n`),
    Buffer.from(content as string),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...bytes, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

const upload = (body: string | Uint8Array, headers: Record<string, string>, query = QUERY): Promise<Answer<BatchEntity>> =>
  app.post<BatchEntity>(`/api/v1/batches${query}`, body, headers);

/** The rows of a batch as submitted. */
async function submitted(answer: Answer<BatchEntity>): Promise<Record<string, unknown>[]> {
  expect(answer.status, answer.text).toBe(202);
  const { text } = await app.get(`/api/v1/batches/${answer.body.entity.id}/results?format=jsonl`);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).input);
}

async function left(of: TestApp) {
  const own = parseId('app', of.app);
  const [row] = await api.service.sql`
    select (select count(*)::int from batches where app_id = ${own}) as batches, (select count(*)::int from jobs where app_id = ${own}) as jobs,
      (select count(*)::int from holds where app_id = ${own}) as holds`;
  return { ...row };
}

function expectRefused(answer: Answer<unknown>, status: number, rule: string) {
  expect([answer.status, answer.body.details?.[0]?.rule], answer.text).toEqual([status, rule]);
  expect(answer.text).not.toContain(NIN);
}

describe('an upload is read', () => {
  const row = { NIN, Reference: '007' };
  const utf16 = (text: string) => Buffer.from(text, 'utf16le');
  const sheet = () => xlsx(['NIN', 'Reference'], [Number(NIN), '007']);
  test.each<[string, () => Promise<Buffer> | Buffer | string, Record<string, string>, string?]>([
    [
      'CSV in UTF-16, little-endian, as Excel saves "Unicode text"',
      () => utf16(`\ufeff${CSV.replaceAll(',', '\t').replaceAll('\n', '\r\n')}`),
      { 'Content-Type': 'text/csv' },
    ],
    ['CSV in UTF-16, big-endian', () => utf16(`\ufeff${CSV}`).swap16(), { 'Content-Type': 'text/csv' }],
    ['CSV in UTF-16 without a byte-order mark', () => utf16(CSV), { 'Content-Type': 'text/csv' }],
    ['tab-separated values', () => CSV.replaceAll(',', '\t'), { 'Content-Type': 'text/tab-separated-values' }],
    ['CSV with Content-Encoding: gzip', () => gzipSync(CSV), { 'Content-Type': 'text/csv', 'Content-Encoding': 'gzip' }],
    ['CSV as a gzip file', () => gzipSync(CSV), { 'Content-Type': 'application/gzip' }],
    [
      'CSV as a gzip file of two members',
      () => Buffer.concat([gzipSync('NIN,Reference\n'), gzipSync(`${NIN},007\n`)]),
      { 'Content-Type': 'application/gzip' },
    ],
    ['UTF-16 as a gzip file', () => gzipSync(utf16(`\ufeff${CSV}`)), { 'Content-Type': 'application/x-gzip' }],
    [
      'a form in Content-Encoding: gzip',
      () => gzipSync(form(['checks', 'nin_basic'], ['start', 'manual'], ['file', CSV, 'a.csv'])),
      { 'Content-Type': FORM, 'Content-Encoding': 'gzip' },
    ],
    ['a document as a gzip file', () => gzipSync(DOCUMENT), { 'Content-Type': 'application/gzip' }, ''],
    ['a workbook', sheet, { 'Content-Type': XLSX }],
    ['a workbook as a gzip file', async () => gzipSync(await sheet()), { 'Content-Type': 'application/gzip' }],
  ])('%s', async (_, make, headers, query) => {
    expect(await submitted(await upload(await make(), headers, query))).toEqual([row]);
  });

  test('NDJSON as a gzip file, declared or detected', async () => {
    const type = { 'Content-Type': 'application/gzip' };
    for (const query of [QUERY, `${QUERY}&format=jsonl`]) {
      expect(await submitted(await upload(gzipSync(LINE), type, query))).toEqual([{ nin: NIN, reference: '007' }]);
    }
  });

  test.each<[string, Part]>([
    ['a CSV file', ['file', CSV, 'staff.csv', 'text/csv']],
    ['a CSV file from a browser on Windows', ['file', CSV, 'staff.CSV', 'application/vnd.ms-excel']],
    ['a text file in UTF-16', ['file', Buffer.from(`\ufeff${CSV}`, 'utf16le'), 'staff.txt', 'text/plain']],
    ['a compressed file', ['file', gzipSync(CSV), 'staff.csv.gz', 'application/gzip']],
    ['a file without name and type', ['file', CSV]],
    ['a file whose name and type are members of every object', ['file', CSV, 'a.constructor', 'constructor']],
    ['a compressed document of another name', ['file', gzipSync(DOCUMENT), 'upload', 'application/octet-stream']],
  ])('as a form with %s', async (_, file) => {
    const body = form(['checks', 'nin_basic'], ['start', 'manual'], file);
    expect(await submitted(await upload(body, { 'Content-Type': FORM }, ''))).toEqual([row]);
  });

  test('as a form with a workbook, a sheet, a mapping and JSON in fields', async () => {
    const file = await workbook({
      sheets: [
        { rows: [['x']] },
        {
          name: 'Staff',
          rows: [
            ['Id card', 'Ref'],
            [NIN, '007'],
          ],
        },
      ],
    });
    const fields: Part[] = [
      ['checks', 'nin_basic'],
      ['start', 'manual'],
      ['sheet', 'staff'],
      ['map.nin', 'Id card'],
      ['map.reference', 'Ref'],
      ['metadata', '{"a":1}'],
    ];
    const answer = await upload(form(...fields, ['file', file, 'Staff.xlsx']), { 'Content-Type': FORM }, '');
    expect(await submitted(answer)).toEqual([{ 'Id card': NIN, Ref: '007' }]);
    expect(answer.body.entity.metadata).toEqual({ a: 1 });
  });

  test('as a form of many megabytes, streamed with back-pressure', async () => {
    const rows = Array.from({ length: 4_000 }, (_, i) => `${50_000_000_000 + i},${'x'.repeat(1_500)}\n`).join('');
    const answer = await upload(
      form(['checks', 'nin_basic'], ['start', 'manual'], ['file', `nin,note\n${rows}`, 'a.csv']),
      { 'Content-Type': FORM },
      '',
    );
    expect(answer.status, answer.text).toBe(202);
    expect(answer.body.entity.counts).toMatchObject({ rows: 4_000, invalid: 0 });
  });

  test('a workbook runs to its results, its bad rows named by column', async () => {
    const file = await xlsx(
      ['nin', 'ref'],
      [NIN, 'a'],
      [{ xml: '<c r="@" t="e"><v>#N/A</v></c>' }, 'b'],
      [{ xml: '<c r="@"><f>A1</f></c>' }, 'c'],
    );
    const answer = await upload(file, { 'Content-Type': XLSX }, '?checks=nin_basic&map.reference=ref');
    expect(answer.body.entity.errors).toMatchObject([
      { row: 2, path: 'nin', rule: 'error_cell' },
      { row: 3, path: 'nin', rule: 'formula_without_value' },
    ]);
    const path = `/api/v1/batches/${answer.body.entity.id}`;
    expect((await app.ended<BatchEntity>(path)).counts).toMatchObject({ rows: 3, found: 1, invalid: 2 });
    const lines = (await app.get(`${path}/results`)).text.split('\r\n');
    expect(lines[0]).toContain('nin,ref');
    expect(lines[1]).toContain(`${NIN},a`);
    expect(lines[2]).toContain('Row 2 (row 3 of the sheet) has an error value');
  });
});

describe('an upload is refused, and nothing is stored', () => {
  const csv = { 'Content-Type': 'text/csv' };
  const gzip = { 'Content-Type': 'application/gzip' };
  const thousandfold = () => gzipSync(`nin\n${'\n'.repeat(BYTES_MAX - 100)}`);
  const lines = (count: number) => `nin\n${`${NIN}\n`.repeat(count)}`;
  const cut = (body: Buffer) => body.subarray(0, -20);
  test.each<[string, () => Buffer | string | Promise<Buffer>, Record<string, string>, number, string, string?]>([
    ['that is no gzip', () => CSV, { ...csv, 'Content-Encoding': 'gzip' }, 400, 'bad_gzip'],
    ['that is half a gzip file', () => cut(gzipSync(randomBytes(5000))), gzip, 400, 'bad_gzip'],
    ['with trailing data after the gzip file', () => Buffer.concat([gzipSync(CSV), Buffer.from('more')]), gzip, 400, 'bad_gzip'],
    ['that expands to more than is allowed', () => gzipSync(`nin\n${'\n'.repeat(BYTES_MAX)}`), gzip, 413, 'expands_too_far'],
    ['that expands to blank lines', thousandfold, gzip, 413, 'expands_too_far'],
    [
      'of megabytes in a few kilobytes',
      () => gzipSync(`nin,n\n${`${NIN},${'x'.repeat(1_000)}\n`.repeat(4_000)}`),
      gzip,
      413,
      'expands_too_far',
    ],
    ['that is compressed twice', () => gzipSync(gzipSync(lines(1_000_001))), gzip, 400, 'nested_gzip'],
    [
      'that is compressed twice, once as Content-Encoding',
      () => gzipSync(gzipSync(CSV)),
      { ...gzip, 'Content-Encoding': 'gzip' },
      400,
      'nested_gzip',
    ],
    [
      'whose file in a compressed form is compressed',
      () => gzipSync(form(['checks', 'nin_basic'], ['file', gzipSync(CSV), 'a.csv.gz', 'application/gzip'])),
      { 'Content-Type': FORM, 'Content-Encoding': 'gzip' },
      400,
      'nested_gzip',
    ],
    [
      'whose file in a form is compressed twice',
      () => form(['checks', 'nin_basic'], ['file', gzipSync(gzipSync(CSV)), 'a.csv.gz', 'application/gzip']),
      { 'Content-Type': FORM },
      400,
      'nested_gzip',
    ],
    [
      'that expands in Content-Encoding',
      () => gzipSync(`nin\n${'\n'.repeat(BYTES_MAX)}`),
      { ...csv, 'Content-Encoding': 'gzip' },
      413,
      'expands_too_far',
    ],
    [
      'of mixed encodings',
      () => Buffer.concat([Buffer.from(`nin,n\n${NIN},\u00e9\n`), Buffer.from(`${NIN},\u00e9\n`, 'latin1')]),
      csv,
      400,
      'not_text',
    ],
    ['with an unknown sheet', () => xlsx(['nin'], [NIN]), { 'Content-Type': XLSX }, 400, 'unknown_sheet', `${QUERY}&sheet=none`],
    [
      'that is a workbook bomb',
      () => workbook({ sheets: [{ rows: `<row><c><v>${' '.repeat(5 * BYTES_MAX)}1</v></c></row>` }] }),
      { 'Content-Type': XLSX },
      413,
      'expands_too_far',
    ],
    [
      'that is a workbook of 1,000 columns',
      () =>
        xlsx(
          Array.from({ length: 1000 }, (_, i) => `c${i}`),
          [NIN],
        ),
      { 'Content-Type': XLSX },
      400,
      'too_many_columns',
    ],
    [
      'with merged cells below its rows',
      () => workbook({ sheets: [{ rows: [['nin'], [NIN], [NIN]], after: '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>' }] }),
      { 'Content-Type': XLSX },
      400,
      'merged_cells',
    ],
    [
      'of more rows than allowed',
      async () => xlsx(['nin'], ...Array.from({ length: 5001 }, () => [NIN])),
      { 'Content-Type': XLSX },
      400,
      'too_many_rows',
    ],
    ['of more rows than allowed, compressed', () => gzipSync(lines(5001)), gzip, 400, 'too_many_rows'],
    ['in a format that does not exist', () => gzipSync(CSV), gzip, 400, 'invalid_value', `${QUERY}&format=pdf`],
    ['as a form without a file', () => form(['checks', 'nin_basic']), { 'Content-Type': FORM }, 400, 'required', ''],
    ['as a form whose file field has another name', () => form(['upload', CSV, 'a.csv']), { 'Content-Type': FORM }, 400, 'unknown_part'],
    ['as a form of two files', () => form(['file', CSV, 'a.csv'], ['file', CSV, 'b.csv']), { 'Content-Type': FORM }, 400, 'several_files'],
    [
      'as a form with its checks after the file',
      () => form(['file', CSV, 'a.csv'], ['checks', 'nin_basic']),
      { 'Content-Type': FORM },
      400,
      'option_after_file',
      '',
    ],
    [
      'as a form with an option after a long file',
      () => form(['file', lines(4000), 'a.csv'], ['on_invalid', 'reject']),
      { 'Content-Type': FORM },
      400,
      'option_after_file',
    ],
    [
      'as a form with a field of 100 kB',
      () => form(['reference', 'x'.repeat(100_000)], ['file', CSV, 'a.csv']),
      { 'Content-Type': FORM },
      400,
      'too_large',
    ],
    [
      'as a form with 200 fields',
      () => form(...Array.from({ length: 200 }, (): Part => ['x', 'y']), ['file', CSV, 'a.csv']),
      { 'Content-Type': FORM },
      400,
      'required',
    ],
    ['as a form that breaks off in its file', () => cut(form(['file', lines(100), 'a.csv'])), { 'Content-Type': FORM }, 400, 'malformed'],
    ['as a form that breaks off before its file', () => cut(form(['reference', 'abc'])), { 'Content-Type': FORM }, 400, 'malformed'],
    [
      'as a form with another boundary',
      () => form(['file', CSV, 'a.csv']),
      { 'Content-Type': 'multipart/form-data; boundary=other' },
      400,
      'malformed',
    ],
    [
      'as a form that is half a gzip file',
      () => cut(gzipSync(form(['file', `nin\n${randomBytes(5000).toString('hex')}\n`, 'a.csv']))),
      { 'Content-Type': FORM, 'Content-Encoding': 'gzip' },
      400,
      'bad_gzip',
    ],
    ['as a form without a boundary', () => form(['file', CSV, 'a.csv']), { 'Content-Type': 'multipart/form-data' }, 400, 'malformed'],
    [
      'as a form with a wrong option in a field',
      () => form(['on_invalid', 'maybe'], ['file', CSV, 'a.csv']),
      { 'Content-Type': FORM },
      400,
      'invalid_value',
    ],
  ])('%s', async (_, make, headers, status, rule, query = QUERY) => {
    const before = await left(app);
    expectRefused(await upload(await make(), headers, query), status, rule);
    expect(await left(app)).toEqual(before);
  });

  test('a form damaged anywhere is read or refused, and frees its slot', async () => {
    const whole = form(['checks', 'nin_basic'], ['start', 'manual'], ['file', gzipSync(CSV), 'a.csv.gz', 'application/gzip']);
    const damage = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 })), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(damage, fc.integer({ min: 1, max: whole.length }), async (bytes, length) => {
        const body = Buffer.from(whole);
        for (const [at, byte] of bytes) body[at] = byte;
        for (const damaged of [body, whole.subarray(0, length)]) {
          const answer = await upload(damaged, { 'Content-Type': FORM }, '');
          expect([202, 400, 413], answer.text).toContain(answer.status);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('compressed in an unknown way', async () => {
    const answer = await upload(CSV, { ...csv, 'Content-Encoding': 'br' });
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
  });

  test('of mixed encodings, with the row', async () => {
    const bytes = Buffer.concat([Buffer.from(`\ufeffnin\n${NIN}\n${NIN}\n`, 'utf16le'), Buffer.from([0x00, 0xd8, 0x0a, 0x00])]);
    expect((await upload(bytes, csv)).body.details).toMatchObject([{ row: 3, rule: 'not_text' }]);
  });
});

describe('Content-Digest', () => {
  const digest = (algorithm: string, body: string | Uint8Array) => createHash(algorithm).update(body).digest('base64');
  const send = (header: string, body: string | Uint8Array = CSV, headers: Record<string, string> = { 'Content-Type': 'text/csv' }) =>
    upload(body, { ...headers, 'Content-Digest': header });

  test('of the bytes as sent is checked', async () => {
    expect((await send(`sha-256=:${digest('sha256', CSV)}:`)).status).toBe(202);
    expect((await send(`md5=:AAAA:, sha-512=:${digest('sha512', CSV)}:, sha-256=:${digest('sha256', CSV)}:`)).status).toBe(202);
    const packed = gzipSync(CSV);
    expect(
      (await send(`sha-256=:${digest('sha256', packed)}:`, packed, { 'Content-Type': 'text/csv', 'Content-Encoding': 'gzip' })).status,
    ).toBe(202);
    const body = form(['file', await xlsx(['nin'], [NIN]), 'a.xlsx']);
    expect((await send(`sha-256=:${digest('sha256', body)}:`, body, { 'Content-Type': FORM })).status).toBe(202);
  });

  test('that does not match refuses the upload after its last byte, whatever the format', async () => {
    const before = await left(app);
    const wrong = `sha-256=:${digest('sha256', 'something else')}:`;
    const sheet = await xlsx(['nin'], [NIN]);
    const bodies: [string | Uint8Array, Record<string, string>][] = [
      [CSV, { 'Content-Type': 'text/csv' }],
      [LINE, { 'Content-Type': 'application/x-ndjson' }],
      [DOCUMENT, { 'Content-Type': 'application/json' }],
      [sheet, { 'Content-Type': XLSX }],
      [gzipSync(CSV), { 'Content-Type': 'application/gzip' }],
      [form(['file', gzipSync(CSV), 'a.csv.gz']), { 'Content-Type': FORM }],
    ];
    for (const [body, headers] of bodies) expectRefused(await send(wrong, body, headers), 400, 'digest_mismatch');
    expectRefused(await send(`sha-256=:${digest('sha256', CSV)}:, sha-512=:${digest('sha512', 'x')}:`), 400, 'digest_mismatch');
    expect(await left(app)).toEqual(before);
  });

  test.each([
    ['without colons', 'sha-256=abc', 'malformed'],
    ['that is too short', 'sha-256=:YWJj:', 'malformed'],
    ['that is empty', ' , ', 'malformed'],
    ['of an unknown algorithm', 'md5=:YWJj:', 'unknown_algorithm'],
    ['of an algorithm that is a member of every object', 'constructor=:YWJj:', 'unknown_algorithm'],
  ])('%s is refused', async (_, header, rule) => {
    expectRefused(await send(header), 400, rule);
  });
});

test('a quote reads the same uploads and stores nothing', async () => {
  const before = await left(app);
  const file = await xlsx(['nin'], [NIN], ['70123456790'], ['bad']);
  const answer = await app.post<{ object: string; counts: object }>(
    '/api/v1/batches/quote',
    form(['checks', 'nin_basic'], ['file', gzipSync(file), 'a.xlsx.gz']),
    {
      'Content-Type': FORM,
    },
  );
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body.entity).toMatchObject({ object: 'quote', counts: { rows: 3, jobs: 2, invalid: 1 } });
  expect(await left(app)).toEqual(before);
});

describe('a file that is sent as another kind', () => {
  const ods = () => zip({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<x/>' }, { compress: false });
  const xls = () => Buffer.from('d0cf11e0a1b11ae1', 'hex');

  test.each<[string, () => Buffer | Promise<Buffer>, string, string, RegExp]>([
    ['a workbook as CSV', () => xlsx(['nin'], [NIN]), 'text/csv', 'not_text', /not text but a ZIP file, such as an XLSX workbook/],
    ['a workbook as NDJSON', () => xlsx(['nin'], [NIN]), 'application/x-ndjson', 'not_text', /a ZIP file/],
    ['a workbook as JSON', () => xlsx(['nin'], [NIN]), 'application/json', 'not_text', /a ZIP file/],
    ['a workbook of Excel 97 as CSV', xls, 'text/csv', 'bad_workbook', /Excel 97 to 2003 workbook \(\.xls\)/],
    ['OpenDocument as CSV', ods, 'text/csv', 'bad_workbook', /an OpenDocument spreadsheet \(\.ods\)\. Save it as XLSX or CSV/],
    ['OpenDocument as a workbook', ods, XLSX, 'bad_workbook', /\(\.ods\)/],
    ['OpenDocument as an archive', ods, 'application/zip', 'bad_workbook', /\(\.ods\)/],
    ['OpenDocument as a gzip file', async () => gzipSync(await ods()), 'application/gzip', 'bad_workbook', /\(\.ods\)/],
  ])('%s is refused with what it is', async (_, make, type, rule, message) => {
    const answer = await upload(await make(), { 'Content-Type': type });
    expectRefused(answer, 400, rule);
    expect(answer.body.error).toMatch(message);
  });

  const html =
    '<html xmlns:o="urn:schemas-microsoft-com:office:office">\n<head><meta charset="utf-8"></head><table><tr><td>nin</td></tr></table>';
  const rows = `[\n  {"nin": "${NIN}"}\n]`;
  const sheet = '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook/>';
  test.each<[string, string | Buffer, string, RegExp]>([
    ['a PDF', Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj', 'latin1'), 'staff.pdf', /a PDF file\. Copy its table into Excel/],
    ['an HTML page named .xls', html, 'staff.xls', /an HTML page.*Open it in Excel, save it as XLSX or CSV/],
    ['a table of HTML', '\ufeff\r\n<table border="1">\n<tr><td>nin</td></tr></table>', 'staff.xls', /an HTML page/],
    ['a doctype, in UTF-16', Buffer.from('\ufeff<!DOCTYPE html>\n<p>', 'utf16le'), 'staff.csv', /an HTML page/],
    ['an XML spreadsheet', sheet, 'staff.xml', /an XML file, such as an Excel 2003 XML spreadsheet\. Open it in Excel/],
    ['RTF', '{\\rtf1\\ansi nin\\par}', 'staff.rtf', /an RTF document\. Copy its table/],
    ['a RAR archive', Buffer.from('526172211a07010033', 'hex'), 'staff.rar', /a RAR archive\. Unpack it/],
    ['a 7-Zip archive', Buffer.from('377abcaf271c0004', 'hex'), 'staff.7z', /a 7-Zip archive\. Unpack it/],
  ])('%s is refused with what it is, as CSV and by its name', async (_, body, name, message) => {
    const named = form(['checks', 'nin_basic'], ['file', Buffer.from(body), name]);
    for (const answer of [await upload(body, { 'Content-Type': 'text/csv' }), await upload(named, { 'Content-Type': FORM })]) {
      expectRefused(answer, 400, 'not_a_table');
      expect(answer.body.error).toMatch(message);
    }
  });

  test.each([rows, `[{"nin":"${NIN}"}]`, `{"nin":"${NIN}"}\n{"nin":"70123456790"}\n`, `{\n  "rows": ${rows}}`])(
    'JSON as CSV is refused with the types to send it as: %s',
    async (text) => {
      const answer = await upload(text, { 'Content-Type': 'text/csv' });
      expectRefused(answer, 400, 'not_a_table');
      expect(answer.body.error).toMatch(
        /JSON, not CSV\. Send it as application\/json, or as application\/x-ndjson if each line is an object/,
      );
    },
  );

  test.each(['<table>', '<html>', '<xml>', '{name}', '{"name', '[a]', '%PDF', 'Rar!', '<!doctype', '7z'])(
    'CSV is read although its first column is called %s',
    async (name) => {
      const header = name.includes('"') ? `"${name.replaceAll('"', '""')}"` : name;
      const answer = await app.post('/api/v1/batches/quote?checks=nin_basic', `${header},nin\n<b>,${NIN}\n`, {
        'Content-Type': 'text/csv',
      });
      expect(answer.body.entity, answer.text).toMatchObject({ counts: { jobs: 1, invalid: 0 } });
    },
  );

  test('a Word document is refused as one', async () => {
    const answer = await upload(await zip({ '[Content_Types].xml': '<x/>', 'word/document.xml': '<x/>' }), { 'Content-Type': XLSX });
    expectRefused(answer, 400, 'bad_workbook');
    expect(answer.body.error).toMatch(/a Word document \(\.docx\)\. Copy its table into Excel/);
  });

  test('gzip is recognized by its bytes, whatever its type', async () => {
    const quoted = async (body: Buffer, headers: Record<string, string>) =>
      (await app.post('/api/v1/batches/quote?checks=nin_basic', body, headers)).body;
    expect((await quoted(gzipSync(`nin\n${NIN}\n`), { 'Content-Type': 'text/csv' })).entity).toMatchObject({ counts: { jobs: 1 } });
    const twice = await quoted(gzipSync(gzipSync(CSV)), { 'Content-Type': 'text/csv', 'Content-Encoding': 'gzip' });
    expect(twice.details[0]!.rule).toBe('nested_gzip');
  });
});

describe('columns that do not match', () => {
  test.each(['', '&map.nin=column%201'])('because the file has no header are told so, not suggested: %s', async (query) => {
    const answer = await app.post(`/api/v1/batches/quote?checks=nin_basic${query}`, `${NIN},Bello\n70123456790,Ojo\n`, {
      'Content-Type': 'text/csv',
    });
    expectRefused(answer, 400, 'missing_column');
    expect(answer.body.error).toMatch(/of nin_basic\. The first row looks like data, not like a heading: add a row of headings\.$/);
    expect(answer.body).toMatchObject({ found_columns: [], suggested_mapping: {} });
  });

  test.each<[string, string]>([
    ['application/json', `[{"Ident":"${NIN}"},{"Ident":"${NIN}"}]`],
    ['application/x-ndjson', `{"Ident":"${NIN}"}`],
  ])('are refused in rows of %s as in a table; the mapping names only columns that exist', async (type, rows) => {
    const answer = await upload(rows, { 'Content-Type': type });
    expectRefused(answer, 400, 'missing_column');
    expect(answer.body).toMatchObject({ found_columns: ['Ident'], needed_inputs: ['nin'], suggested_mapping: { nin: 'Ident' } });
    expect(answer.body.error).toContain('is it "Ident"?');
    const quoted = await app.post<{ mapping: unknown }>('/api/v1/batches/quote?checks=nin_basic', rows.replaceAll('Ident', 'nin'), {
      'Content-Type': type,
    });
    expect([quoted.status, quoted.body.entity.mapping]).toEqual([200, { nin: 'nin' }]);
  });

  test('answer with what was found, what is needed and the likely match', async () => {
    const answer = await upload(`ID Number,Customer Ref,Name\n${NIN},1,Ada\n`, { 'Content-Type': 'text/csv' });
    expectRefused(answer, 400, 'missing_column');
    expect(answer.body).toMatchObject({
      code: 'invalid_request',
      found_columns: ['ID Number', 'Customer Ref', 'Name'],
      needed_inputs: ['nin'],
      suggested_mapping: { nin: 'ID Number', reference: 'Customer Ref' },
    });
    expect(answer.body.error).toContain('map.nin=ID%20Number');
  });
});

describe('a client that hangs up in mid-upload', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, i) => `${50_000_000_000 + i}\n`).join('');
  const openForm = Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nnin\n${rows(4_900)}`);
  test.each<[string, string, () => Buffer | Promise<Buffer>]>([
    ['a form', FORM, () => openForm],
    ['a form before its file', FORM, () => openForm.subarray(0, 30)],
    ['a gzip file', 'application/gzip', () => gzipSync(`nin\n${rows(4_900)}`).subarray(0, -100)],
    [
      'a workbook',
      XLSX,
      async () =>
        (
          await xlsx(
            ['nin'],
            ...rows(4_900)
              .split('\n')
              .map((nin) => [nin]),
          )
        ).subarray(0, -100),
    ],
  ])('of %s leaves nothing, and frees its slot', async (_, type, make) => {
    const own = await api.createApp({ naira: 10_000_000 });
    const client = request({
      host: '127.0.0.1',
      port: api.port,
      method: 'POST',
      path: '/api/v1/batches?checks=nin_basic',
      headers: { Authorization: own.key, AppId: own.app, 'Content-Type': type, 'Transfer-Encoding': 'chunked' },
    });
    client.on('error', () => {});
    const bytes = await make();
    await new Promise<void>((resolve) => client.write(bytes, () => resolve()));
    // Gives the server time to begin reading.
    await own.wallet();
    client.destroy();
    const next = await upload(CSV, { 'Content-Type': 'text/csv' });
    expect(next.status, next.text).toBe(202);
    await waitFor('no transaction to be open', async () => {
      const sessions = await asOwner(
        api.service.databaseUrl,
        (sql) =>
          sql`select 1 from pg_stat_activity where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()`,
      );
      return sessions.length === 0;
    });
    expect(await left(own)).toEqual({ batches: 0, jobs: 0, holds: 0 });
    expect((await own.wallet()).held).toBe(0);
  });
});

test('a form refused from the start does not cost the client its connection', async () => {
  const body = form(['on_invalid', 'maybe'], ['file', `nin\n${'1\n'.repeat(1_000_000)}`, 'a.csv']);
  const headers = { Authorization: app.key, AppId: app.app, 'Content-Type': FORM };
  const answer = await sendRaw(api.port, { method: 'POST', path: '/api/v1/batches?checks=nin_basic', headers, body });
  expect([answer.status, JSON.parse(answer.text).details[0].rule]).toEqual([400, 'invalid_value']);
});
