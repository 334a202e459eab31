/** The workbook reader: what cells become, what is refused and how it is worded. Needs neither a database nor a network. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { customFormat, numberText } from '../../src/rows/cells.ts';
import { ROW_LIMITS, type Row, type RowLimits, UploadError } from '../../src/rows/row.ts';
import { spool } from '../../src/rows/spool.ts';
import { readXlsx } from '../../src/rows/xlsx.ts';
import { type Cell, workbook, xlsx, zip } from '../setup/xlsx.ts';

const MEGABYTE = 1024 * 1024;
const NIN = '70123456789';

async function read(
  file: Buffer,
  {
    sheet = null,
    expandedMax = 100 * MEGABYTE,
    limits = ROW_LIMITS,
  }: { sheet?: string | null; expandedMax?: number; limits?: RowLimits } = {},
) {
  async function* chunks() {
    for (let at = 0; at < file.length; at += 1000) yield file.subarray(at, at + 1000);
  }
  const source = await readXlsx(await spool(chunks()), { sheet, expandedMax }, limits);
  const rows: Row<string[]>[] = [];
  for await (const batch of source.rows) rows.push(...batch);
  return { columns: source.columns, rows };
}

/** A workbook of one row whose ZIP has so many parts. */
async function withParts(count: number): Promise<Buffer> {
  const rows: Cell[][] = [['nin'], [NIN]];
  const pictures = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`xl/media/image${i}.png`, 'x']));
  const own = entriesOf(await workbook({ sheets: [{ rows }] }));
  return workbook({ sheets: [{ rows }], parts: pictures(count - own) });
}

/** By the record at a ZIP's end (APPNOTE 4.3.16), which has no comment here. */
const entriesOf = (file: Buffer): number => file.readUInt16LE(file.length - 22 + 10);

async function refusal(file: Buffer, options?: Parameters<typeof read>[1]): Promise<UploadError> {
  try {
    await read(file, options);
  } catch (error) {
    if (error instanceof UploadError) return error;
    throw error;
  }
  throw new Error('the workbook was accepted');
}

/** The problem of a row, or of the first of its bad cells. */
const flawOf = (row: Row<string[]>) => row.error ?? (row.error === null ? row.cellErrors?.[0] : undefined) ?? null;

/** Values of one column under a header. */
async function column(cells: Cell[], spec: { formats?: string[]; uses1904?: boolean } = {}): Promise<(string | undefined)[]> {
  const { rows } = await read(await workbook({ sheets: [{ rows: [['id', 'x'], ...cells.map((cell, i) => [String(i), cell])] }], ...spec }));
  return rows.map((row) => flawOf(row)?.rule ?? row.value?.[1]);
}

const formatted = (value: string | number, style = 1): Cell => ({ xml: `<c r="@" s="${style}"><v>${value}</v></c>` });

const openFiles = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes('confam-') ? [fd] : [];
    } catch {
      return [];
    }
  });

describe('cells', () => {
  test('text, numbers, booleans, inline text, rich text and results of formulas are read', async () => {
    const cells: Cell[] = [
      'Ada & <Co> "x"',
      ' 007 ',
      70123456789,
      { xml: '<c r="@"><v>7.0123456789E10</v></c>' },
      { xml: '<c r="@"><v>1.2345678901E10</v></c>' },
      { xml: '<c r="@"><v>12.300000000000001</v></c>' },
      { xml: '<c r="@" t="b"><v>1</v></c>' },
      { xml: '<c r="@" t="inlineStr"><is><r><t>A</t></r><r><t>da</t></r><rPh><t>no</t></rPh></is></c>' },
      { xml: '<c r="@" t="str"><f>A1&amp;""</f><v>00123</v></c>' },
      { xml: '<c r="@"><f>1+1</f><v>2</v></c>' },
      { xml: '<c r="@" t="str"><f>""</f><v></v></c>' },
      { xml: '<c r="@" t="d"><v>1990-02-03T00:00:00</v></c>' },
      'a_x000D_b',
    ];
    expect(await column(cells)).toEqual([
      'Ada & <Co> "x"',
      ' 007 ',
      NIN,
      NIN,
      '12345678901',
      '12.3',
      'TRUE',
      'Ada',
      '00123',
      '2',
      '',
      '1990-02-03',
      'a\rb',
    ]);
  });

  test('leading zeros of a number format survive', async () => {
    expect(await column([formatted(123456789), formatted('8012345678', 2)], { formats: ['00000000000', '0000-000-0000'] })).toEqual([
      '00123456789',
      '08012345678',
    ]);
  });

  test('dates become ISO, in both date systems, with a time where the format shows one', async () => {
    const formats = ['dd/mm/yyyy', '[$-409]d mmm yyyy hh:mm AM/PM;@', 'h:mm:ss', '[h]:mm', '"day" 0', '[Red]0.00'];
    const cells = [
      formatted(32907),
      formatted(32907.75),
      formatted(32907.75, 2),
      formatted(32907, 2),
      formatted(0.5, 3),
      formatted(1.25, 4),
      formatted(32907, 5),
      formatted(1.5, 6),
      formatted(32907, 7),
      formatted(1),
      formatted(59),
      formatted(60),
      formatted(61),
      formatted(-1),
      formatted(2_958_466),
      formatted(36525.9999999999, 2),
    ];
    expect(await column(cells, { formats })).toEqual([
      '1990-02-03',
      '1990-02-03',
      '1990-02-03T18:00:00',
      '1990-02-03',
      '12:00:00',
      '30:00:00',
      '32907',
      '1.5',
      '1990-02-03',
      '1900-01-01',
      '1900-02-28',
      'invalid_date',
      '1900-03-01',
      'invalid_date',
      'invalid_date',
      '2000-01-01',
    ]);
    expect(await column([formatted(31445), formatted(0)], { formats, uses1904: true })).toEqual(['1990-02-03', '1904-01-01']);
  });

  test('number formats that only look like dates, and the reverse, are told apart', () => {
    expect(customFormat('General').kind).toBe('plain');
    expect(customFormat('#,##0.00').kind).toBe('plain');
    expect(customFormat('"Days "0').kind).toBe('plain');
    expect(customFormat('0\\d').kind).toBe('plain');
    expect(customFormat('_-* #,##0_-').kind).toBe('plain');
    expect(customFormat('mmmm')).toEqual({ kind: 'date', hasDate: true, hasTime: false });
    expect(customFormat('mm:ss.0')).toEqual({ kind: 'date', hasDate: false, hasTime: true });
  });

  test.each([
    ['0', '0'],
    ['-0.0', '0'],
    ['1E3', '1000'],
    ['1.5E-3', '0.0015'],
    ['-2.5', '-2.5'],
    ['123456789012345678', '123456789012345678'],
    ['0.1', '0.1'],
    ['0x10', null],
    ['', null],
    ['NaN', null],
    ['1E999', null],
  ])('the number %s reads %s', (raw, text) => {
    expect(numberText(raw)).toBe(text);
  });
});

describe('rows', () => {
  test('blank rows are skipped, gaps are empty cells, rows count from 1', async () => {
    const { columns, rows } = await read(await xlsx([null], ['nin', ' Ref '], [NIN, null], [null, ' '], [null, 'b']));
    expect(columns).toEqual(['nin', 'Ref']);
    expect(rows).toEqual([
      { row: 1, value: [NIN, ''], error: null, sheetRow: 3 },
      { row: 2, value: ['', 'b'], error: null, sheetRow: 5 },
    ]);
  });

  test('rows that the sheet hides are read and counted; a hidden title, header or blank row is not', async () => {
    const cell = (text: string) => `<c t="str"><v>${text}</v></c>`;
    const rows =
      `<row hidden="1">${cell('Staff')}</row><row hidden="true">${cell('nin')}${cell('name')}</row><row hidden="1"></row>` +
      [0, 1, 2].map((i) => `<row hidden="${i}">${cell(NIN)}${cell('Ada')}</row>`).join('') +
      `<row hidden="true">${cell(NIN)}${cell('Obi')}</row>`;
    async function* bytes() {
      yield await workbook({ sheets: [{ rows }] });
    }
    const source = await readXlsx(await spool(bytes()), { sheet: null, expandedMax: MEGABYTE });
    let count = 0;
    for await (const batch of source.rows) count += batch.length;
    expect([source.columns, count, source.about.hiddenRows]).toEqual([['nin', 'name'], 4, 2]);
  });

  test('cells and rows without references, and prefixed names, are read as well', async () => {
    const rows = '<x:row><x:c t="inlineStr"><x:is><x:t>nin</x:t></x:is></x:c></x:row><x:row><x:c><x:v>70123456789</x:v></x:c></x:row>';
    const sheet = `<x:worksheet xmlns:x="urn:x"><x:sheetData>${rows}</x:sheetData></x:worksheet>`;
    const read1 = await read(await workbook({ sheets: [{ rows: '' }], parts: { 'xl/worksheets/sheet1.xml': sheet } }));
    expect(read1.rows).toEqual([{ row: 1, value: [NIN], error: null, sheetRow: 2 }]);
  });

  test.each<[string, Cell, string, RegExp]>([
    [
      'an error value',
      { xml: '<c r="@" t="e"><v>#N/A</v></c>' },
      'error_cell',
      /^Row 2 \(row 4 of the sheet\) has an error value .* in nin$/,
    ],
    ['a formula without a value', { xml: '<c r="@"><f>A1</f></c>' }, 'formula_without_value', /row 4 of the sheet.* in nin$/],
    ['a formula with an empty value', { xml: '<c r="@"><f>A1</f><v/></c>' }, 'formula_without_value', /row 4/],
    ['an invalid number', { xml: '<c r="@"><v>abc</v></c>' }, 'invalid_number', /row 4/],
    ['a NUL', '_x0000_', 'invalid_characters', /row 4/],
  ])('%s is an error of its row, and reading continues', async (_, cell, rule, message) => {
    const { rows } = await read(await xlsx(['ref', 'nin'], ['a', NIN], [null], ['b', cell], ['c', NIN]));
    expect(rows.map((row) => flawOf(row)?.rule ?? null)).toEqual([null, rule, null]);
    expect(flawOf(rows[1]!)).toMatchObject({ row: 2, field: 'nin', message: expect.stringMatching(message) });
    expect(rows[1]!.value?.[0]).toBe('b');
  });

  test('a cell beyond the header is an error of its row', async () => {
    const { rows } = await read(await xlsx(['nin'], [NIN, null, 'note']));
    expect(rows[0]!.error).toMatchObject({
      rule: 'column_count',
      message: 'Row 1 (row 2 of the sheet) has a cell in column C; the header ends with column A',
    });
  });

  test('of a table that begins further right, what stands outside of it comes behind its columns', async () => {
    const rows = Array.from({ length: 30 }, () => [null, NIN, 'Ada']);
    const read1 = await read(await xlsx([null, 'nin', 'name'], ...rows, ['note', NIN, 'Ada']));
    expect(read1.rows[30]).toMatchObject({ value: [NIN, 'Ada', 'note'], error: { rule: 'column_count' } });
  });

  test("Excel's last column costs no more than any other; whitespace beyond the header is ignored", async () => {
    const far = { xml: '<c r="XFD3"><v>1</v></c>' };
    const { rows } = await read(await workbook({ sheets: [{ rows: [['nin'], [NIN, ' '], [NIN, far]] }] }));
    expect(rows.map(({ error }) => error?.message ?? null)).toEqual([
      null,
      'Row 2 (row 3 of the sheet) has a cell in column XFD; the header ends with column A',
    ]);
    expect(rows[1]!.value).toHaveLength(ROW_LIMITS.columnsMax);
  });

  test('a row of too much text is an error of its row', async () => {
    const { rows } = await read(await xlsx(['nin', 'x'], [NIN, 'x'.repeat(70_000)], [NIN, 'y']));
    expect(rows.map(({ error }) => error?.rule ?? null)).toEqual(['row_too_large', null]);
  });

  test('texts of any length and number come back from the spool, wherever its pages end', async () => {
    const texts = Array.from({ length: 20_000 }, (_, i) => `${i} ${'ọ'.repeat(i % 97)}`);
    const { rows } = await read(await xlsx(['nin'], ...texts.map((text) => [text]), ...texts.toReversed().map((text) => [text])));
    expect(rows.map(({ value }) => value![0])).toEqual([...texts, ...texts.toReversed()]);
  });
});

describe('sheets', () => {
  const three = workbook({
    sheets: [
      { name: 'Secret', state: 'hidden', rows: [['x'], ['hidden']] },
      { name: 'Staff', rows: [['x'], ['staff']] },
      { name: 'Clients 2', rows: [['x'], ['clients']] },
    ],
  });

  test('the first visible one, or the named one', async () => {
    expect((await read(await three)).rows[0]!.value).toEqual(['staff']);
    expect((await read(await three, { sheet: ' clients 2' })).rows[0]!.value).toEqual(['clients']);
    expect((await read(await three, { sheet: 'Secret' })).rows[0]!.value).toEqual(['hidden']);
  });

  test('an unknown one is refused, listing those that are there', async () => {
    const error = await refusal(await three, { sheet: 'Sheet1' });
    expect(error.rule).toBe('unknown_sheet');
    expect(error.message).toContain('Sheets found: Secret, Staff, Clients 2');
  });
});

describe('a workbook that is refused', () => {
  const ole = (name: string) => {
    const file = Buffer.alloc(4096);
    Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]).copy(file);
    file.writeUInt16LE(9, 30);
    file.writeUInt32LE(1, 48);
    file.write(name, 1024 + 128, 'utf16le');
    return file;
  };
  const bomb = () => workbook({ sheets: [{ rows: `<row><c><v>${' '.repeat(40 * MEGABYTE)}1</v></c></row>` }] });
  const doctype = '<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet><sheetData><row><c t="str"><v>&a;</v></c></row></sheetData></worksheet>';
  const pieces = randomBytes(MEGABYTE)
    .toString('hex')
    .match(/.{1,1000}/g)!;
  const part = (xml: string | Buffer) => workbook({ sheets: [{ rows: '' }], parts: { 'xl/worksheets/sheet1.xml': xml } });
  const merged = (ref: string) =>
    workbook({
      sheets: [
        {
          rows: [
            ['nin', 'ref'],
            [NIN, 'a'],
            [NIN, 'b'],
          ],
          after: `<mergeCells><mergeCell ref="${ref}"/></mergeCells>`,
        },
      ],
    });
  const locked = async () => {
    const file = await xlsx(['nin'], [NIN]);
    for (let at = file.indexOf('PK\u0001\u0002'); at !== -1; at = file.indexOf('PK\u0001\u0002', at + 4)) file[at + 8]! |= 1;
    return file;
  };

  test.each<[string, () => Promise<Buffer> | Buffer, string, RegExp]>([
    ['an empty upload', () => Buffer.alloc(0), 'empty_file', /empty/],
    ['a text', () => Buffer.from('nin\n1\n'), 'bad_workbook', /not an XLSX/],
    [
      'junk behind the magic bytes',
      () => Buffer.concat([Buffer.from('PK\u0003\u0004'), randomBytes(5000)]),
      'bad_workbook',
      /not a complete/,
    ],
    ['a ZIP file of something else', () => zip({ 'a.txt': 'x' }), 'bad_workbook', /a part of it is missing/],
    ['half a workbook', async () => (await xlsx(['nin'], [NIN])).subarray(0, 1500), 'bad_workbook', /not a complete/],
    ['one with a password', () => ole('EncryptedPackage'), 'password_protected', /password/],
    ['one whose parts are encrypted', locked, 'password_protected', /password/],
    ['an Excel 97 file', () => ole('Workbook'), 'bad_workbook', /\.xls\b/],
    ['a zip bomb', bomb, 'expands_too_far', /more than 200 times/],
    ['a document type declaration', () => part(doctype), 'bad_workbook', /document type/],
    ['malformed XML', () => part('<worksheet><sheetData></worksheet>'), 'bad_workbook', /not well-formed/],
    ['XML in another encoding', () => part(Buffer.from('<worksheet>\u00e9</worksheet>', 'latin1')), 'bad_workbook', /not well-formed/],
    [
      'a cell of 5 MB',
      () => part(`<worksheet><sheetData><row><c><v>${randomBytes(2.5 * MEGABYTE).toString('hex')}`),
      'bad_workbook',
      /has a cell of more/,
    ],
    [
      'a cell of many short texts',
      () => part(`<worksheet><sheetData><row><c t="str"><v>${pieces.join('<x/>')}`),
      'bad_workbook',
      /has a text of more/,
    ],
    ['deep nesting', () => part('<a>'.repeat(1000)), 'bad_workbook', /nested deeper/],
    [
      'an unknown shared string',
      () => part('<worksheet><sheetData><row><c t="s"><v>9</v></c></row></sheetData></worksheet>'),
      'bad_workbook',
      /text is missing/,
    ],
    [
      'rows out of order',
      () => part('<worksheet><sheetData><row r="5"/><row r="2"/></sheetData></worksheet>'),
      'bad_workbook',
      /not in order/,
    ],
    ['an empty sheet', () => xlsx(), 'empty_file', /empty/],
    ['a sheet of blank rows', () => xlsx([null], [' '], ['']), 'empty_file', /empty/],
    ['only a header', () => xlsx(['nin']), 'header_only', /no rows/],
    ['duplicate headers', () => xlsx(['nin', 'nin'], [NIN, 'a']), 'duplicate_column', /same name/],
    [
      '1,000 columns',
      () =>
        xlsx(
          Array.from({ length: 1000 }, (_, i) => `c${i}`),
          [NIN],
        ),
      'too_many_columns',
      /1000 columns; at most 200/,
    ],
    [
      '1,001 sheets',
      () => workbook({ sheets: Array.from({ length: 1_001 }, () => ({ rows: '' })) }),
      'bad_workbook',
      /more than 1000 sheets/,
    ],
    ['10,001 parts', () => withParts(10_001), 'bad_workbook', /more than 10000 parts/],
    ['merged cells', () => merged('A2:A3'), 'merged_cells', /A2:A3 .*row 2, column nin/],
    ['cells merged with the header', () => merged('B1:C1'), 'merged_cells', /column ref/],
  ])('%s', async (_, make, rule, message) => {
    const before = openFiles().length;
    const error = await refusal(await make());
    expect([error.rule, error.message]).toEqual([rule, expect.stringMatching(message)]);
    expect(error.code).toBe(rule === 'expands_too_far' ? 'payload_too_large' : 'invalid_upload');
    expect(error.message).not.toContain(NIN);
    expect(openFiles().length).toBe(before);
  });

  test('a workbook damaged anywhere is read or refused, and releases its files', async () => {
    const whole = await workbook({
      sheets: [{ rows: [['nin', 'name'], ...Array.from({ length: 50 }, (_, i): Cell[] => [70_000_000_000 + i, `n${i}`])] }],
      formats: ['0'],
    });
    const before = openFiles().length;
    const damage = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(damage, fc.nat(whole.length), async (bytes, cut) => {
        const file = Buffer.from(whole);
        for (const [at, byte] of bytes) file[at] = byte;
        for (const damaged of [file, whole.subarray(0, cut)]) {
          const error = await read(damaged).then(
            () => null,
            (thrown) => thrown,
          );
          expect(error === null || error instanceof UploadError, String(error?.stack)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
    expect(openFiles().length).toBe(before);
  });

  test('as many sheets and parts as allowed are read', async () => {
    const rows: Cell[][] = [['nin'], [NIN]];
    expect(
      (await read(await workbook({ sheets: Array.from({ length: 1_000 }, () => ({ rows })) }), { sheet: 'Sheet1000' })).rows,
    ).toHaveLength(1);
    expect((await read(await withParts(10_000))).rows).toHaveLength(1);
  });

  test('more bytes than allowed, over all parts', async () => {
    const text = randomBytes(MEGABYTE).toString('hex');
    const rows = Array.from({ length: 100 }, (_, i) => [text.slice(i * 20_000, (i + 1) * 20_000)]);
    const file = await xlsx(['nin'], ...rows);
    expect((await refusal(file, { expandedMax: MEGABYTE })).rule).toBe('expands_too_far');
    expect((await read(file)).rows).toHaveLength(100);
  });

  test('a shared text that far too many cells show: a small file does not become a large batch', async () => {
    const text = 'x'.repeat(30_000);
    const showing = (rows: number) => xlsx(['nin', 'a', 'b'], ...Array.from({ length: rows }, () => [NIN, text, text]));
    const file = await showing(400);
    expect(file.length).toBeLessThan(MEGABYTE / 20);
    expect(await refusal(file)).toMatchObject({ rule: 'expands_too_far', message: expect.stringContaining('the same long text') });
    expect((await read(await showing(200))).rows).toHaveLength(200);
  });

  test('more rows than allowed', async () => {
    const file = await xlsx(['nin'], [NIN], [NIN], [NIN]);
    expect((await read(file, { limits: { ...ROW_LIMITS, rowsMax: 3 } })).rows).toHaveLength(3);
    expect(await refusal(file, { limits: { ...ROW_LIMITS, rowsMax: 2 } })).toMatchObject({ rule: 'too_many_rows', row: 3 });
  });

  test('a merged title or footnote outside the table does no harm', async () => {
    const rows: Cell[][] = [['nin'], [NIN]];
    const after = '<mergeCells><mergeCell ref="A9:C9"/><mergeCell ref="D2:E2"/></mergeCells>';
    expect((await read(await workbook({ sheets: [{ rows, after }] }))).rows).toHaveLength(1);
  });

  test('if its reader stops in the middle of the rows, it releases its files', async () => {
    const file = await xlsx(['nin'], ...Array.from({ length: 20_000 }, () => [NIN]));
    const before = openFiles().length;
    async function* chunks() {
      yield file;
    }
    const source = await readXlsx(await spool(chunks()), { sheet: null, expandedMax: 100 * MEGABYTE });
    for await (const _ of source.rows) break;
    await source.close();
    expect(openFiles().length).toBe(before);
    const unread = await readXlsx(await spool(chunks()), { sheet: null, expandedMax: 100 * MEGABYTE });
    await unread.close();
    expect(openFiles().length).toBe(before);
  });
});
