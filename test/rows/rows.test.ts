/** The row reader: what it guarantees for good uploads, for bad ones, and about memory. Needs neither a database nor a network. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { ownLines } from '../../src/results/own-rows.ts';
import { columnLabels } from '../../src/rows/column-names.ts';
import { csvLine, readCsv } from '../../src/rows/csv.ts';
import { hasInexactNumber } from '../../src/rows/exact-numbers.ts';
import { type JsonUpload, readJson } from '../../src/rows/json.ts';
import { readNdjson } from '../../src/rows/ndjson.ts';
import { ROW_LIMITS, type Row, type RowLimits, type RowSource, UploadError } from '../../src/rows/row.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MEGABYTE = 1024 * 1024;
const NIN = '12345678901';

/** A byte stream that records whether it was released. */
class Feed {
  readonly chunks: Iterable<Uint8Array>;
  isReleased = false;
  pulled = 0;

  constructor(chunks: Iterable<Uint8Array>) {
    this.chunks = chunks;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (const chunk of this.chunks) {
        this.pulled += 1;
        yield chunk;
      }
    } finally {
      this.isReleased = true;
    }
  }
}

function feed(content: string | Uint8Array, chunkBytes = 65_536): Feed {
  const bytes = Buffer.from(content as string);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) chunks.push(bytes.subarray(at, at + chunkBytes));
  return new Feed(chunks);
}

function within(limits: Partial<RowLimits>): RowLimits {
  return { ...ROW_LIMITS, ...limits };
}

async function drain<T>(source: { rows: AsyncIterable<Row<T>[]> }): Promise<Row<T>[]> {
  const rows: Row<T>[] = [];
  for await (const batch of source.rows) {
    expect(batch.length).toBeLessThanOrEqual(500);
    rows.push(...batch);
  }
  return rows;
}

async function csvRows(content: string | Uint8Array, limits = ROW_LIMITS): Promise<Row<string[]>[]> {
  return drain(await readCsv(feed(content), limits));
}

/** The outcome of reading everything: rows, or the error as far as it must be the same for every chunking. */
async function outcome(open: () => Promise<RowSource>): Promise<unknown> {
  try {
    const source = await open();
    return { columns: source.columns, rows: await drain(source as { rows: AsyncIterable<Row<unknown>[]> }) };
  } catch (error) {
    if (!(error instanceof UploadError)) throw error;
    return { code: error.code, rule: error.rule, row: error.row, field: error.field, message: error.message };
  }
}

async function refusal(open: () => Promise<{ rows: AsyncIterable<unknown> }>): Promise<UploadError> {
  try {
    for await (const _ of (await open()).rows);
  } catch (error) {
    if (error instanceof UploadError) return error;
    throw error;
  }
  throw new Error('the upload was accepted');
}

const SPECIAL = fc.constantFrom('"', ',', ';', '\t', '\n', '\r\n', ' ', 'é', 'Ọ', '😀', '漢', 'a', '0', "'", '=', '\uFEFF', '""');
const CELL = fc
  .oneof(
    fc.array(SPECIAL, { maxLength: 6 }).map((parts) => parts.join('')),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constant(NIN),
  )
  .filter((cell) => !cell.includes('\0') && cell.isWellFormed());
const NAME = fc.tuple(fc.constantFrom('nin', 'Full name', 'date, of "birth"', 'é'), fc.nat(99)).map(([name, n]) => `${name} ${n}`);
const DELIMITERS = [',', ';', '\t', '|'] as const;
const TABLE = fc.uniqueArray(NAME, { minLength: 1, maxLength: 5 }).chain((columns) =>
  fc.record({
    columns: fc.constant(columns),
    rows: fc.array(fc.array(CELL, { minLength: columns.length, maxLength: columns.length }), { minLength: 1, maxLength: 8 }),
  }),
);

function quotedLine(cells: string[], delimiter: string, lineEnd: string): string {
  return cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter) + lineEnd;
}

function isBlank(cells: string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

afterEach(() => {
  globalThis.gc?.();
});

describe('CSV', () => {
  test('a table survives writing and reading, whatever its cells, delimiter, line ends and chunking', async () => {
    await fc.assert(
      fc.asyncProperty(
        TABLE,
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        async ({ columns, rows }, delimiter, lineEnd, chunkBytes, pieceBytes, hasMark) => {
          const lines = [columns, ...rows].map((cells) => quotedLine(cells, delimiter, lineEnd));
          const text = lines.join('');
          const lineOf = (at: number) =>
            lines
              .slice(0, at + 1)
              .join('')
              .split('\n').length;
          const kept = rows.map((value, at) => ({ value, line: lineOf(at) })).filter(({ value }) => !isBlank(value));
          fc.pre(kept.length > 0);
          const source = await readCsv(feed((hasMark ? '\uFEFF' : '') + text, chunkBytes), within({ pieceBytes }));
          expect(source.columns).toEqual(columns);
          expect(await drain(source)).toEqual(
            kept.map(({ value, line }, index) => ({ row: index + 1, value, error: null, ...(line !== index + 2 && { line }) })),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  test('what csvLine writes reads back as the same cells, apart from the formula guard', async () => {
    await fc.assert(
      fc.asyncProperty(TABLE, fc.constantFrom(...DELIMITERS), async ({ columns, rows }, delimiter) => {
        // The guard before a tab or carriage return makes a blank cell visible.
        const kept = rows.filter((cells) => !isBlank(cells) || cells.some((cell) => /^[\t\r]/.test(cell)));
        fc.pre(kept.length > 0);
        const read = await csvRows([columns, ...rows].map((cells) => csvLine(cells, delimiter)).join(''));
        const unguarded = read.map(({ value }, r) => value?.map((cell, c) => (kept[r]?.[c] === cell ? cell : cell.replace(/^'/, ''))));
        expect(unguarded).toEqual(kept);
      }),
      { numRuns: 300 },
    );
  });

  test('every chunk boundary of a hostile text gives the same rows or the same refusal', async () => {
    const hostile = fc.array(fc.constantFrom('"', '"', ',', '\n', '\r', '\r\n', ';', 'a', 'é', ' ', '12'), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(hostile, fc.constantFrom(8, 65_536), async (parts, rowBytesMax) => {
        const text = `nin,name\n${parts.join('')}`;
        const whole = await outcome(() => readCsv(feed(text), within({ rowBytesMax })));
        for (const pieceBytes of [1, 2, 3, 5, 11]) {
          expect(await outcome(() => readCsv(feed(text, 1), within({ rowBytesMax, pieceBytes })))).toEqual(whole);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('a text that csv-parse accepts as a whole reads as csv-parse reads it', async () => {
    const parts = fc.array(fc.constantFrom('"', '""', '","', ',', '\n', '\r\n', 'a', 'é', ' '), { maxLength: 24 });
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(parts, async (body) => {
        const text = `a,b\nx,y\n${body.join('')}`;
        let expected: string[][];
        try {
          expected = parse(text, { relax_column_count: true, skip_empty_lines: true, record_delimiter: ['\r\n', '\n'] }).slice(1);
        } catch {
          return;
        }
        accepted += 1;
        // Empty cells beyond the header are dropped.
        const kept = expected.map((cells) => (isBlank(cells.slice(2)) ? cells.slice(0, 2) : cells));
        expect((await csvRows(text)).map(({ value }) => value)).toEqual(kept.filter((cells) => !isBlank(cells)));
      }),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(200);
  });

  test('one fixed table reads the same for every size of chunk and piece', async () => {
    const text = '\uFEFF"nin";"náme 😀"\r\n\r\n"0123";"a ""b""\r\n;c"\r\n 7 ;é\r\n\r\n"";x';
    const expected = {
      columns: ['nin', 'náme 😀'],
      rows: [
        ['0123', 'a "b"\r\n;c'],
        [' 7 ', 'é'],
        ['', 'x'],
      ].map((value, i) => ({ row: i + 1, value, error: null, line: [3, 5, 7][i]! })),
    };
    for (let size = 1; size <= Buffer.byteLength(text) + 1; size++) {
      expect(await outcome(() => readCsv(feed(text, size), within({ pieceBytes: size })))).toEqual(expected);
      expect(await outcome(() => readCsv(feed(text, size)))).toEqual(expected);
    }
  });

  test('leading zeros, spaces and a missing last line end survive; column names are trimmed', async () => {
    const source = await readCsv(feed(' nin , ref\n00123456789, x '));
    expect(source.columns).toEqual(['nin', 'ref']);
    expect(await drain(source)).toEqual([{ row: 1, value: ['00123456789', ' x '], error: null }]);
  });

  test('blank lines do not count, wherever they are, with or without delimiters', async () => {
    const rows = await csvRows('\n  \r\nnin,name\n\n \n1,a\n\n,\n\n\n2,b\n\n');
    expect(rows.map(({ row, value }) => [row, value])).toEqual([
      [1, ['1', 'a']],
      [2, ['2', 'b']],
    ]);
  });

  test('lone carriage returns end lines if they end the header', async () => {
    expect((await csvRows('nin,name\r1,"a\rb"\r2,c')).map(({ value }) => value)).toEqual([
      ['1', 'a\rb'],
      ['2', 'c'],
    ]);
  });

  test('rows come in arrays of at most 500, without reading ahead of the consumer', async () => {
    const lines = Array.from({ length: 60_000 }, (_, i) => `r${i},${NIN}\n`);
    const input = feed(`reference,nin\n${lines.join('')}`);
    const source = await readCsv(input);
    const iterator = source.rows[Symbol.asyncIterator]();
    const first = await iterator.next();
    expect(first.value).toHaveLength(500);
    expect(input.pulled).toBeLessThanOrEqual(2);
    await iterator.return?.();
    expect(input.isReleased).toBe(true);
  });

  test.each([
    ['too few', `nin,name\n${NIN}\n`, 'Row 1 has 1 cell; the header has 2 columns'],
    ['too many', `nin\n${NIN},Ada\n`, 'Row 1 has 2 cells; the header has 1 column'],
  ])('a row with %s cells is reported with its number and reading continues', async (_, text, message) => {
    const rows = await csvRows(`${text}${text.split('\n')[0]!.includes(',') ? '2,b' : '2'}\n`);
    expect(rows[0]?.error).toEqual({ row: 1, field: null, rule: 'column_count', message });
    // What could be read, for the file of rows to correct.
    expect(Object.values(rows[0]!.value ?? {})).toContain(NIN);
    expect(rows[1]).toMatchObject({ row: 2, error: null });
  });

  test('a row that is not on the line where it is looked for says its line, after titles, blank lines and cells of several lines', async () => {
    const long = `${NIN},"${'a\n'.repeat(20)}"`;
    const text = `Staff\n\n"nin","full\nname"\n\n${NIN}\n,\n${NIN},"A\nda"\n${long}\n${NIN},5" pipe\n${NIN},b\n`;
    const names = { isWanted: (name: string) => name === 'nin', ours: () => new Set<number>() };
    for (const pieceBytes of [1, 7, 65_536]) {
      const rows = await drain(await readCsv(feed(text), within({ rowBytesMax: 30, pieceBytes }), names));
      expect(rows.map((row) => row.error?.message ?? (row as { line?: number }).line)).toEqual([
        'Row 1 (line 6 of the file) has 1 cell; the header has 2 columns',
        8,
        'Row 3 (line 10 of the file) is larger than 30 bytes',
        'Row 4 (line 31 of the file) has a quote inside a cell that is not doubled',
        32,
      ]);
    }
    const [row] = await csvRows(`nin,a\r\r${NIN},b\r`);
    expect(row).toMatchObject({ row: 1, line: 3 });
    const cut = await refusal(() => readCsv(feed(`Staff\nnin,name\n${NIN},"a`), ROW_LIMITS, names));
    expect(cut.message).toMatch(/^Row 1 \(line 3 of the file\) opens a quote/);
  });

  test('cells outside of the columns come behind those of the columns, also in a row that is too short', async () => {
    // Beyond the first rows, which would make columns of them.
    const whole = (n: number) => `,${NIN},,Ada\n`.repeat(n);
    const rows = await csvRows(`,nin,,name\n${whole(30)}note,${NIN},,Ada\n,${NIN},x,Ada,,y\n,${NIN}\n`);
    expect(rows.slice(30).map(({ value, error }) => [value, error?.message])).toEqual([
      [[NIN, 'Ada', 'note'], 'Row 31 has a value in cell 1, which has no name in the header'],
      [[NIN, 'Ada', 'x', 'y'], 'Row 32 has a value in cell 3, which has no name in the header'],
      [[NIN, ''], 'Row 33 has 2 cells; the header has 4 columns'],
    ]);
  });

  test.each([
    ['in an unquoted cell', `1,5" pipe\n`],
    ['after a quoted cell', `1,"5" pipe"\n`],
    ['at the start of a cell, closed too early', `"1"x,a\r\n`],
  ])('a stray quote %s breaks only its own row', async (_, line) => {
    const rows = await csvRows(`nin,name\n0,z\n${line}2,"b,\n c"\n`);
    expect(rows.map(({ row, error }) => [row, error?.rule])).toEqual([
      [1, undefined],
      [2, 'bad_quote'],
      [3, undefined],
    ]);
    expect(rows[2]?.value).toEqual(['2', 'b,\n c']);
  });

  test.each([
    ['at the end of the file', 'nin,name\n1,a\n2,"b\n3,c\n'],
    ['that swallows the next row', 'nin,name\n1,a\n2,"b\n3,"c"\n'],
  ])('an unclosed quote %s refuses the upload and names the row', async (_, text) => {
    expect(await refusal(() => readCsv(feed(text)))).toMatchObject({ rule: 'bad_quote', row: 2 });
  });

  test.each([
    ['unquoted', 'x'.repeat(MEGABYTE)],
    ['quoted, with line ends and quotes inside', `"${'a\n""'.repeat(MEGABYTE / 4)}"`],
    ['of commas', ','.repeat(MEGABYTE)],
  ])('a row of 1 MB (%s) is reported and the next row is read', async (_, cell) => {
    const rows = await csvRows(`nin,name\n1,a\n2,${cell}\n3,c\n`);
    expect(rows.map(({ row, error }) => [row, error?.rule])).toEqual([
      [1, undefined],
      [2, 'row_too_large'],
      [3, undefined],
    ]);
  });

  test('an endless row refuses the upload after a bounded number of bytes', async () => {
    const input = new Feed(
      (function* () {
        yield Buffer.from('nin,name\n1,"');
        for (let i = 0; i < 10_000; i++) yield Buffer.alloc(65_536, 'x');
      })(),
    );
    expect(await refusal(() => readCsv(input))).toMatchObject({ rule: 'row_too_large', row: 1 });
    expect(input.pulled).toBeLessThan(80);
    expect(input.isReleased).toBe(true);
  });

  test.each([
    ['an empty file', '', 'empty_file'],
    ['only a byte-order mark', '\uFEFF', 'empty_file'],
    ['only blank lines', '\n \r\n\t\n', 'empty_file'],
    ['a header only', 'nin,name\n', 'header_only'],
    ['a header and blank lines', 'nin,name\r\n\r\n \r\n', 'header_only'],
    ['a header without a line end', 'nin,name', 'header_only'],
    ['duplicate columns', 'nin,name, nin\n1,a,2\n', 'duplicate_column'],
    ['a header of delimiters', ',,\n', 'empty_file'],
    ['201 columns', `${Array.from({ length: 201 }, (_, i) => `c${i}`).join(',')}\n`, 'too_many_columns'],
    ['a header of 1 MB', 'x'.repeat(MEGABYTE), 'header_too_large'],
    ['a header that opens a quote', '"nin,name\n1,2\n', 'bad_quote'],
    ['a header with a stray quote', 'n"i"n,name\n1,2\n', 'bad_quote'],
    ['a NUL in the header', 'nin\0,name\n1,2\n', 'not_text'],
    ['a NUL early in the rows', 'nin,name\n1,2\0\n', 'not_text'],
    ['UTF-16', Buffer.from('\uFEFFnin,name\n1,a\n', 'utf16le'), 'not_text'],
    ['a PNG', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'not_text'],
    ['random bytes', randomBytes(5000), 'not_text'],
  ])('%s is refused', async (_, content, rule) => {
    const input = feed(content);
    const error = await refusal(() => readCsv(input));
    expect(error).toMatchObject({ code: 'invalid_upload', rule });
    expect(input.isReleased).toBe(true);
  });

  test('one row more than allowed refuses the upload', async () => {
    expect(await csvRows('nin\n1\n2\n3\n', within({ rowsMax: 3 }))).toHaveLength(3);
    expect(await refusal(() => readCsv(feed('nin\n1\n2\n3\n4\n'), within({ rowsMax: 3 })))).toMatchObject({
      rule: 'too_many_rows',
      row: 4,
    });
  });

  test('bytes that are not UTF-8 are refused with their row, across every chunk boundary', async () => {
    const bytes = Buffer.concat([Buffer.from('nin,name\n1,é\n2,b\n3,'), Buffer.from([0xe9, 0x20, 0xe2, 0x82]), Buffer.from('\n4,d\n')]);
    for (let size = 1; size < bytes.length; size++) {
      expect(await refusal(() => readCsv(feed(bytes, size), within({ pieceBytes: size })))).toMatchObject({ rule: 'not_text', row: 3 });
    }
    expect(await refusal(() => readCsv(feed(bytes)))).toMatchObject({ rule: 'not_text', row: 3 });
    const surrogate = Buffer.concat([Buffer.from('nin,name\n1,'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('\n')]);
    expect(await refusal(() => readCsv(feed(surrogate)))).toMatchObject({ rule: 'not_text', row: 1 });
    const cut = Buffer.from('nin,name\n1,€').subarray(0, -1);
    expect(await refusal(() => readCsv(feed(cut)))).toMatchObject({ rule: 'not_text', row: 1 });
  });

  test.each([
    ['a byte that Windows-1252 lacks', 'nin,name\n1,Adxx\n2,Ad\x81\n3,b\n'],
    ['such a byte behind its letters', 'nin,name\n1,Zo\xeb\n2,Ad\x81\n3,b\n'],
    ['such a byte in a file whose lines end with CR', 'nin,name\r1,a\r2,Ad\x81\r3,b\r'],
    ['a NUL', 'nin,name\n1,Adxx\n2,Ad\0\n3,b\n'],
  ])('%s is refused with its row', async (_, text) => {
    expect(await refusal(() => readCsv(feed(Buffer.from(text, 'latin1'))))).toMatchObject({ rule: 'not_text', row: 2 });
  });

  test.each<[string, string | Buffer, string]>([
    ['its row', 'nin,name\n1,é\n2,Ad\0\n3,b\n', 'Row 2 contains a NUL character'],
    ['the upload, if it is in the header', 'nin\0,name\n1,2\n', 'The upload contains a NUL character'],
    ['its row, in Windows-1252 as damage', Buffer.from('nin\n1\n\xeb\0\n', 'latin1'), 'Row 2 is not text in the encoding of the file'],
  ])('a NUL is told with %s', async (_, text, message) => {
    expect((await refusal(() => readCsv(feed(text)))).message).toContain(message);
  });

  test('a NUL far into the file breaks only its row, and what is passed on can be stored', async () => {
    const filler = 'a,b\n'.repeat(20_000);
    const rows = await csvRows(`nin,name\n${filler}x,y\0z\nlast,row\n`);
    expect(rows[20_000]).toMatchObject({ row: 20_001, value: ['x', 'y\uFFFDz'], error: { field: 'name', rule: 'invalid_characters' } });
    expect(rows[20_001]?.error).toBeNull();
  });

  test('no message quotes a cell, nor a header that may be data', async () => {
    const secret = '22155512345';
    const texts = [
      `${secret},Ada\n${secret}\n`,
      `${secret},${secret}\n1,2\n`,
      `ada@example.ng,Ada\nx,y,${secret}\n`,
      `nin,name\n"${secret}" Ada,x\n${secret}\n`,
      `nin,name\n1,"${secret}\n`,
      `nin,name\n${'a,b\n'.repeat(20_000)}${secret},Ada\0\n`,
    ];
    for (const text of texts) {
      const said = JSON.stringify(await outcome(() => readCsv(feed(text))), (key, value) =>
        key === 'value' || key === 'columns' ? undefined : value,
      );
      expect(said).toMatch(/"rule"/);
      expect(said).not.toMatch(/22155|Ada|example/);
    }
    expect(columnLabels([secret, 'Ada'])).toEqual(['column 1', 'column 2']);
    expect(columnLabels(['2023', 'na\u0000\u202eme', 'x'.repeat(100)])).toEqual(['column 1', 'name', 'x'.repeat(64)]);
  });

  test('an input that fails in mid-stream throws its own error, and everything is released', async () => {
    const reset = new Error('ECONNRESET');
    const chunks = function* () {
      yield Buffer.from(`nin,name\n${'1,a\n'.repeat(30_000)}`);
      throw reset;
    };
    for (const open of [readCsv, readNdjson, readJson]) {
      const input = new Feed(chunks());
      await expect(open(input).then((source: RowSource) => drain(source as { rows: AsyncIterable<Row<unknown>[]> }))).rejects.toThrow();
      expect(input.isReleased).toBe(true);
    }
    await expect(readCsv(new Feed(chunks())).then(drain)).rejects.toBe(reset);
    const body = Readable.from(feed(`nin,name\n${'1,a\n'.repeat(200_000)}`).chunks, { objectMode: false });
    const source = await readCsv(body);
    setTimeout(() => body.destroy(reset), 1);
    await expect(
      (async () => {
        for await (const _ of source.rows) await new Promise((resolve) => setImmediate(resolve));
      })(),
    ).rejects.toBe(reset);
    expect(body.destroyed).toBe(true);
    expect(body.listenerCount('data')).toBe(0);
  });

  test('a source closed unread releases its input', async () => {
    const opened: [(input: Feed) => Promise<RowSource>, string][] = [
      [readCsv, 'nin\n1\n'],
      [readNdjson, '{"nin":"1"}\n'],
      [(input) => readJson(input, ROW_LIMITS, { needed: [], bufferRowsBytesMax: 0 }), `{"rows":[${'{"nin":"1"},'.repeat(20_000)}{}]}`],
    ];
    for (const [open, text] of opened) {
      const input = feed(text, 65_536);
      const source = await open(input);
      await source.close();
      expect(input.isReleased).toBe(true);
    }
  });

  /** After a collection: what other tests of this process have left behind is not ours. */
  const heapInUse = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };

  test('300,000 rows grow the heap by less than 50 MB', async () => {
    const input = new Feed(
      (function* () {
        yield Buffer.from('reference,nin\n');
        for (let at = 0; at < 300_000; at += 1000) {
          yield Buffer.from(Array.from({ length: 1000 }, (_, i) => `reference-${at + i},${10_000_000_000 + at + i}\n`).join(''));
        }
      })(),
    );
    const before = heapInUse();
    let peak = 0;
    let rows = 0;
    const kept: string[] = [];
    for await (const batch of (await readCsv(input)).rows) {
      rows += batch.length;
      // One cell per batch is kept: a cell must not hold on to the chunk it was read from.
      kept.push(batch[0]!.value![0]!);
      if (rows % 50_000 < batch.length) peak = Math.max(peak, heapInUse() - before);
    }
    expect(rows).toBe(300_000);
    expect(kept.length).toBeGreaterThanOrEqual(600);
    expect(peak).toBeLessThan(50 * MEGABYTE);
  });
});

describe('NDJSON', () => {
  test('lines of our own results are the rows they came from, however large their pictures; other lines keep their size limit', async () => {
    const line = (input: unknown, picture: number) =>
      `${JSON.stringify({ row: 1, reference: null, input, status: 'valid', errors: [], checks: { nin_advance: { entity: { photo: 'x'.repeat(picture) } } } })}\n`;
    const text =
      line({ nin: NIN }, 200_000) +
      line({ nin: NIN, note: 'a' }, 10) +
      line({ nin: 'x'.repeat(100_000) }, 10) +
      `{"row":"${'x'.repeat(100_000)}"}\n{"nin":"3"}\n`;
    for (const pieceBytes of [1_000, 65_536]) {
      const rows = await drain(await readNdjson(feed(text), within({ pieceBytes }), ownLines));
      expect(rows.map(({ value, error }) => error?.rule ?? value)).toEqual([
        { nin: NIN },
        { nin: NIN, note: 'a' },
        'row_too_large',
        'row_too_large',
        { nin: '3' },
      ]);
    }
  });

  test('objects keep their values and key order; every chunking gives the same rows', async () => {
    const objects = fc.array(
      fc.dictionary(fc.constantFrom('nin', 'näme', 'b c'), fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    await fc.assert(
      fc.asyncProperty(objects, fc.integer({ min: 1, max: 30 }), async (values, size) => {
        fc.pre(!JSON.stringify(values).includes('\\u0000'));
        const text = values.map((value) => JSON.stringify(value)).join('\r\n\n');
        const rows = await drain(await readNdjson(feed(text, size), within({ pieceBytes: size })));
        expect(rows.map(({ value }) => JSON.stringify(value))).toEqual(values.map((value) => JSON.stringify(value)));
        expect(rows.map(({ row }) => row)).toEqual(values.map((_, i) => i + 1));
      }),
    );
  });

  test('a broken line is reported with its number and reading continues', async () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`c${i}`, 1])));
    const lines = [
      '{"nin":"0123"}',
      `{"nin":${NIN}}`,
      `{"nin":"${NIN}"`,
      '[1]',
      'null',
      `{"nin":"${'9'.repeat(MEGABYTE)}"}`,
      '{"name":"a\\u0000b"}',
      '{"name":{"first":["\\ud800"]}}',
      '{"na\\udc00me":1}',
      `{"x":${deep}}`,
      wide,
      '{"nin":"last","__proto__":{"a":1}}',
      '{"reference":9007199254740993}',
      '{"customer":{"ids":[-9007199254740992]}}',
      '{"amount":1e400}',
      '{"reference":9007199254740991,"rate":0.1,"id":"9007199254740993"}',
    ];
    const rows = await drain(await readNdjson(feed(lines.join('\n'))));
    expect(rows.map(({ error }) => error && [error.row, error.rule, error.field])).toEqual([
      null,
      null,
      [3, 'bad_json', null],
      [4, 'not_an_object', null],
      [5, 'not_an_object', null],
      [6, 'row_too_large', null],
      [7, 'invalid_characters', 'name'],
      [8, 'invalid_characters', 'name'],
      [9, 'invalid_characters', 'name'],
      [10, 'too_deep', 'x'],
      [11, 'too_many_columns', null],
      null,
      [13, 'inexact_number', 'reference'],
      [14, 'inexact_number', 'customer'],
      [15, 'inexact_number', 'amount'],
      null,
    ]);
    expect(rows[1]?.value).toEqual({ nin: Number(NIN) });
    expect(rows[6]?.value).toEqual({ name: 'a\uFFFDb' });
    expect(rows[7]?.value).toEqual({ name: { first: ['\uFFFD'] } });
    expect(Object.getPrototypeOf(rows[11]?.value)).toBe(Object.prototype);
    expect(rows[12]).toMatchObject({
      value: null,
      error: { message: 'Row 13 has a number beyond ±9007199254740991 in reference: send it as a string' },
    });
    expect(JSON.stringify(rows.map(({ error }) => error))).not.toMatch(/12345|99999/);
  });

  test.each([
    ['an empty upload', '', 'empty_file'],
    ['only a byte-order mark', '\uFEFF', 'empty_file'],
    ['blank lines', '\n \r\n\n', 'empty_file'],
    ['binary junk', randomBytes(5000), 'not_text'],
    ['an endless line', `{"a":"${'x'.repeat(6 * MEGABYTE)}`, 'row_too_large'],
  ])('%s is refused', async (_, content, rule) => {
    const input = feed(content);
    expect(await refusal(() => readNdjson(input))).toMatchObject({ rule });
    expect(input.isReleased).toBe(true);
  });

  test('one row more than allowed refuses the upload; bytes that are not UTF-8 name their row', async () => {
    expect(await refusal(() => readNdjson(feed('{}\n{}\n{}\n'), within({ rowsMax: 2 })))).toMatchObject({ rule: 'too_many_rows', row: 3 });
    const bytes = Buffer.concat([Buffer.from('{}\n\n{"a":"'), Buffer.from([0xe9]), Buffer.from('"}\n')]);
    expect(await refusal(() => readNdjson(feed(bytes, 1), within({ pieceBytes: 2 })))).toMatchObject({ rule: 'not_text', row: 2 });
  });
});

describe('JSON', () => {
  const small = { needed: ['checks'], bufferRowsBytesMax: 20_000 };
  const many = (n: number): string => Array.from({ length: n }, (_, i) => `{"reference":"r${i}","nin":"${NIN}"}`).join(',');

  async function read(
    text: string | Uint8Array,
    limits = ROW_LIMITS,
    order = small,
  ): Promise<{ options: JsonUpload['options']; rows: Row<Record<string, unknown>>[] }> {
    const upload = await readJson(feed(text), limits, order);
    return { options: upload.options, rows: await drain(upload) };
  }

  test('options and rows come out as they went in, in any order and chunking', async () => {
    const value = fc.jsonValue({ maxDepth: 3 }).filter((one) => !hasInexactNumber(one));
    const row = fc.dictionary(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }), value, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 6 }),
        value,
        value,
        fc.nat(2),
        fc.integer({ min: 1, max: 50 }),
        async (rows, a, b, place, size) => {
          const members: [string, unknown][] = [
            ['checks', a],
            ['mapping', b],
          ];
          members.splice(place, 0, ['rows', rows]);
          const text = `{${members.map(([name, inner]) => `${JSON.stringify(name)}: ${JSON.stringify(inner, null, size % 3)}`).join(' ,\n')}}\n`;
          fc.pre(!text.includes('\\u0000') && !/\\ud[89a-f]/.test(text));
          const upload = await readJson(feed(text, size), within({ pieceBytes: size }));
          expect(upload.options).toEqual(JSON.parse(JSON.stringify({ checks: a, mapping: b })));
          const read = await drain(upload);
          expect(read.map((each) => JSON.stringify(each.value))).toEqual(rows.map((each) => JSON.stringify(each)));
          expect(read.every(({ error }) => error === null)).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('rows are passed on while the document is still arriving, once the options are known', async () => {
    const input = feed(`{"checks":["nin"],"rows":[${many(20_000)}]}`);
    const upload = await readJson(input, ROW_LIMITS, small);
    expect(upload.options).toEqual({ checks: ['nin'] });
    expect(input.pulled).toBeLessThan(3);
    expect(await drain(upload)).toHaveLength(20_000);
  });

  test('options behind more rows than may wait are refused with advice; behind fewer they are accepted', async () => {
    expect((await read(`{"rows":[${many(100)}],"checks":["nin"]}`)).options).toEqual({ checks: ['nin'] });
    expect((await read(`{"checks":["nin"],"rows":[${many(100)}],"start":"auto"}`)).options).toEqual({ checks: ['nin'], start: 'auto' });
    const late = await refusal(() => readJson(feed(`{"rows":[${many(9000)}],"checks":["nin"]}`), ROW_LIMITS, small));
    expect(late).toMatchObject({ rule: 'options_after_rows' });
    expect(late.message).toContain('before "rows"');
    expect(
      await refusal(() => readJson(feed(`{"checks":["nin"],"rows":[${many(9000)}],"start":"auto"}`), ROW_LIMITS, small)),
    ).toMatchObject({
      rule: 'options_after_rows',
    });
    expect((await read(`{"rows":[${many(9000)}]}`, ROW_LIMITS, { ...small, needed: [] })).rows).toHaveLength(9000);
  });

  test('a broken row is reported with its number and reading continues', async () => {
    const big = `{"name":"${'é\\n"'.replace('"', '\\"').repeat(MEGABYTE / 8)}"}`;
    const { rows } = await read(
      `{"checks":[],"rows":[{"nin":${NIN}},7,[1],null,"x",{"a":"\\u0000"},{"a":"\\udfff"},${big},{"a":${'['.repeat(40)}${']'.repeat(40)}},{"nin":"0"},{"id":12345678901234567890}]}`,
    );
    expect(rows.map(({ error }) => error && [error.row, error.rule])).toEqual([
      null,
      [2, 'not_an_object'],
      [3, 'not_an_object'],
      [4, 'not_an_object'],
      [5, 'not_an_object'],
      [6, 'invalid_characters'],
      [7, 'invalid_characters'],
      [8, 'row_too_large'],
      [9, 'too_deep'],
      null,
      [11, 'inexact_number'],
    ]);
    expect(rows[0]?.value).toEqual({ nin: Number(NIN) });
  });

  test('the size of a row is its size in bytes, whatever its characters', async () => {
    const row = JSON.stringify({ name: `é😀\n"${'Ọ'.repeat(50)}`, list: [1.5e3, true, false, null, -0.25, '\u0007'], lone: 'x' });
    const bytes = Buffer.byteLength(row);
    for (const [rowBytesMax, rule] of [
      [bytes, undefined],
      [bytes - 1, 'row_too_large'],
    ] as const) {
      const { rows } = await read(`{"checks":[],"rows":[${row},${row}]}`, within({ rowBytesMax }));
      expect(rows.map(({ error }) => error?.rule)).toEqual([rule, rule]);
    }
  });

  test.each([
    ['an empty document', '', 'empty_file'],
    ['whitespace', ' \n ', 'empty_file'],
    ['an empty array', '[]', 'no_rows'],
    ['an array cut short', '[{"nin":"1"}', 'bad_json'],
    ['something after an array', '[{}] {}', 'bad_json'],
    ['a string', '"rows"', 'not_an_object'],
    ['a document without rows', '{"checks":[]}', 'missing_rows'],
    ['empty rows', '{"checks":[],"rows":[]}', 'no_rows'],
    ['rows that are an object', '{"checks":[],"rows":{"a":{}}}', 'rows_not_array'],
    ['rows that are null', '{"rows":null}', 'rows_not_array'],
    ['rows twice', '{"checks":[],"rows":[{}],"rows":[{}]}', 'duplicate_rows'],
    ['a document cut short', '{"checks":[],"rows":[{"nin":"1"}', 'bad_json'],
    ['a document cut inside a string', '{"checks":[],"rows":[{"nin":"1', 'bad_json'],
    ['malformed rows', '{"checks":[],"rows":[{"nin":"1"} {"nin":"2"}]}', 'bad_json'],
    ['single quotes', "{'checks':[]}", 'bad_json'],
    ['a trailing comma', '{"checks":[],"rows":[{}],}', 'bad_json'],
    ['something after the document', '{"checks":[],"rows":[{}]} x', 'bad_json'],
    ['a control character in a string', '{"checks":["\u0001"],"rows":[{}]}', 'bad_json'],
    ['a NUL in an option', '{"reference":"a\\u0000","rows":[{}]}', 'invalid_characters'],
    ['a lone surrogate in an option', '{"metadata":{"a":["\\ud800"]},"rows":[{}]}', 'invalid_characters'],
    ['invalid UTF-8', Buffer.concat([Buffer.from('{"checks":["'), Buffer.from([0xff]), Buffer.from('"],"rows":[{}]}')]), 'not_text'],
    ['a PNG', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'not_text'],
    ['large options', `{"metadata":"${'x'.repeat(70_000)}","rows":[{}]}`, 'options_too_large'],
    ['a huge key', `{"${'k'.repeat(6 * MEGABYTE)}":1,"rows":[{}]}`, 'options_too_large'],
    ['a huge key in a row', `{"checks":[],"rows":[{"${'k'.repeat(8 * MEGABYTE)}":1}]}`, 'row_too_large'],
    ['a nesting bomb in a row', `{"checks":[],"rows":[${'['.repeat(MEGABYTE)}`, 'too_deep'],
    ['a nesting bomb in an option', `{"checks":${'{"a":'.repeat(MEGABYTE)}`, 'too_deep'],
    ['an option nested 40 deep', `{"checks":${'['.repeat(40)}${']'.repeat(40)},"rows":[{}]}`, 'too_deep'],
  ])('%s is refused', async (_, content, rule) => {
    const input = feed(content);
    const error = await refusal(() => readJson(input, ROW_LIMITS, small));
    expect(error).toMatchObject({ code: 'invalid_upload', rule });
    expect(input.isReleased || content.length === 0).toBe(true);
    expect(error.message).not.toMatch(/xxxx|kkkk/);
  });

  test.each([
    ['a digit behind a string', '{"nin":"7012345678"1}', 1],
    ['a missing comma', '{"nin":"1"} {"nin":"2"}', 2],
    ['a trailing comma', '{"nin":"1"},', 2],
    ['an object that is closed twice', '{"nin":"1"}}', 2],
  ])('%s among the rows is refused with the row that the message names', async (_, rows, row) => {
    const message = `The document is not valid JSON, in row ${row} or just before it`;
    for (const text of [`{"checks":[],"rows":[${rows}]}`, `[${rows}]`]) {
      expect(await refusal(() => readJson(feed(text), ROW_LIMITS, { needed: [] }))).toMatchObject({ rule: 'bad_json', row, message });
    }
    const behind = '{"checks":[],"rows":[{"nin":"1"}],}';
    expect(await refusal(() => readJson(feed(behind)))).toMatchObject({ row: null, message: 'The document is not valid JSON' });
  });

  test('one row more than allowed refuses the upload, including tiny rows', async () => {
    expect(await refusal(() => readJson(feed('{"checks":[],"rows":[{},{},{}]}'), within({ rowsMax: 2 })))).toMatchObject({
      rule: 'too_many_rows',
      row: 3,
    });
    const input = feed(`{"rows":[${'1,'.repeat(MEGABYTE)}1]}`);
    expect(await refusal(() => readJson(input))).toMatchObject({ rule: 'options_after_rows' });
    expect(input.pulled).toBeLessThan(10);
  });

  test('members named like properties of Object are ordinary members', async () => {
    const { options, rows } = await read(
      '{"checks":[],"__proto__":{"a":1},"constructor":1,"rows":[{"__proto__":{"nin":"1"},"toString":"x"}]}',
    );
    expect(Object.keys(options)).toEqual(['checks', '__proto__', 'constructor']);
    expect(Object.keys(rows[0]?.value ?? {})).toEqual(['__proto__', 'toString']);
    expect(rows[0]?.value?.nin).toBeUndefined();
  });
});

describe('csvLine', () => {
  test('quotes by RFC 4180, ends with CRLF, and never writes a blank line', () => {
    expect(csvLine(['a', 'b c', 'd,e', 'f"g', 'h\ni', 'j;k', null, undefined, true, 7, -1.5, ''])).toBe(
      'a,b c,"d,e","f""g","h\ni","j;k",,,true,7,-1.5,\r\n',
    );
    expect(csvLine([''])).toBe('""\r\n');
  });

  test('text that a spreadsheet would run as a formula is disarmed; numbers stay as they are', () => {
    const texts = ['=1+1', '+234', '-1', '@SUM(A1)', '\tx', '\rx', '  =1', ' \n@x', '＝1', '=HYPERLINK("x")'];
    for (const text of texts) expect(parse(csvLine([text]))[0]).toEqual([`'${text}`]);
    expect(csvLine([-5, +3, 'a=b', ' x', 'x-1'])).toBe('-5,3,a=b, x,x-1\r\n');
  });

  test('text that would command a terminal, or turn the order of letters, is readable', () => {
    expect(csvLine(['a\u001b[2Jb', 'c\u009b2Jd', '\u007f', 'e\u202egpj.exe\u202c', '\u2066f\u2069', 'g\th', 'i\r\nj'])).toBe(
      'a\ufffd[2Jb,c\ufffd2Jd,\ufffd,egpj.exe,f,"g\th","i\r\nj"\r\n',
    );
    expect(csvLine(['\u202a=1+1', '\u202e', 'علی\u200cرضا\u200f'])).toBe("'=1+1,,علی\u200cرضا\u200f\r\n");
  });

  test('writes what csv-stringify writes', () => {
    const cell = fc.oneof(fc.string({ unit: 'grapheme' }), SPECIAL, fc.integer(), fc.boolean(), fc.constant(null));
    fc.assert(
      fc.property(fc.array(cell, { minLength: 2, maxLength: 6 }), (cells) => {
        fc.pre(!cells.some((each) => typeof each === 'string' && /^\s|[;\t\r＝＋－＠]|^[=+\-@]/.test(each)));
        expect(csvLine(cells)).toBe(stringify([cells], { record_delimiter: '\r\n', cast: { boolean: String } }));
      }),
    );
  });
});
