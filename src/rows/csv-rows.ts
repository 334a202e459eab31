/** The rows of a CSV file below its header: records framed by `records.ts`, split into cells by csv-parse, and numbered. */
import { parse } from 'csv-parse/sync';
import { arrange, keepApart, type Layout } from './header.ts';
import { type RecordFormat, RecordScanner } from './records.ts';
import { batches, brokenRow, type Row, type RowLimits, rowTooLarge, rowTooLargeToSkip, tooManyRows, UploadError } from './row.ts';
import { isStorable, storable } from './storable.ts';
import { atRow } from './text.ts';

export const QUOTE = 0x22;
const NOTHING: Buffer = Buffer.alloc(0);

export interface Header extends RecordFormat {
  layout: Layout;
  /** The line of the header, from 1. */
  line: number;
  /** The line after it. */
  nextLine: number;
  /** Bytes read beyond the header. */
  rest: Buffer;
}

export async function* readRecords(
  header: Header,
  pieces: AsyncGenerator<Buffer, void>,
  limits: RowLimits,
): AsyncGenerator<Row<string[]>[]> {
  const reader = new RecordReader(header, limits);
  try {
    yield* batches(reader.take(header.rest));
    for await (const piece of pieces) yield* batches(reader.take(piece));
    yield* batches(reader.end());
  } catch (error) {
    throw atRow(error, reader.row + 1);
  } finally {
    await pieces.return();
  }
  if (reader.row === 0) throw new UploadError('header_only', 'The upload has a header but no rows');
}

/** Takes text and emits rows. Holds only the one incomplete record, at most `rowBytesMax` of it. */
class RecordReader {
  row = 0;
  private text = NOTHING;
  /** Bytes dropped from a record that is too large to keep. */
  private skippedBytes = 0;
  /** The line of the next record. */
  private line: number;
  private readonly scanner: RecordScanner;
  private readonly header: Header;
  private readonly limits: RowLimits;

  constructor(header: Header, limits: RowLimits) {
    this.header = header;
    this.limits = limits;
    this.line = header.nextLine;
    this.scanner = new RecordScanner(header);
  }

  take(piece: Buffer): Row<string[]>[] {
    const { scanner, limits } = this;
    const text = this.text.length === 0 ? piece : Buffer.concat([this.text, piece]);
    const rows: Row<string[]>[] = [];
    let start = 0;
    let runStart = 0;
    /** Line ends inside quotes, in the run. */
    let crossed = 0;
    let quote = -1;
    for (;;) {
      if (quote < scanner.at) quote = firstOf(text, QUOTE, scanner.at);
      const end = scanner.scan(text, quote);
      if (scanner.isLost) {
        this.addRun(rows, text.subarray(runStart, start), crossed);
        throw this.badQuote();
      }
      if (end === -1) break;
      if (scanner.isStray || this.skippedBytes > 0 || end - start > limits.rowBytesMax) {
        this.addRun(rows, text.subarray(runStart, start), crossed);
        this.addBroken(rows, this.skippedBytes + end - start);
        runStart = end;
        crossed = 0;
      } else {
        crossed += scanner.crossedLines;
      }
      this.skippedBytes = 0;
      scanner.nextRecord();
      start = end;
    }
    this.addRun(rows, text.subarray(runStart, start), crossed);
    let kept = start;
    if (this.skippedBytes > 0 || text.length - start > limits.rowBytesMax) {
      this.skip(scanner.at - start);
      kept = scanner.at;
    }
    this.text = text.subarray(kept);
    scanner.at -= kept;
    return rows;
  }

  /** The last line may lack a line end. */
  end(): Row<string[]>[] {
    if (this.text.length === 0 && this.skippedBytes === 0) return [];
    const rows = this.take(Buffer.from([this.header.lineEnd]));
    if (this.scanner.isInQuotes) throw this.badQuote();
    return rows;
  }

  private skip(bytes: number): void {
    this.skippedBytes += bytes;
    if (this.skippedBytes > this.limits.skippedRowBytesMax) throw rowTooLargeToSkip(this.row + 1, this.limits, this.scanner.isInQuotes);
  }

  private addBroken(rows: Row<string[]>[], bytes: number): void {
    const row = this.nextRow();
    const called = rowAt(row, this.line);
    this.line += 1 + this.scanner.crossedLines;
    if (bytes > this.limits.rowBytesMax) rows.push(rowTooLarge(row, this.limits, called));
    else rows.push(brokenRow(row, 'bad_quote', `${called} has a quote inside a cell that is not doubled`));
  }

  /** `crossed`: how many line ends the run has inside quotes. */
  private addRun(rows: Row<string[]>[], run: Buffer, crossed: number): void {
    if (run.length === 0) return;
    const { layout } = this.header;
    const { labels } = layout;
    const lineEnd = String.fromCharCode(this.header.lineEnd);
    const hasNul = run.includes(0);
    for (const cells of parseRecords(run, this.header)) {
      const { line } = this;
      this.line += 1 + (crossed > 0 ? lineEndsIn(cells, lineEnd) : 0);
      if (isBlank(cells)) continue;
      const row = this.nextRow();
      const own = arrange(layout, cells);
      const bad = hasNul ? (own ?? cells).findIndex((cell) => !isStorable(cell)) : -1;
      if (bad !== -1) {
        const label = labels[bad] ?? null;
        const message = `${rowAt(row, line)} holds a NUL in ${label ?? 'a cell beyond the last column'}`;
        rows.push(brokenRow(row, 'invalid_characters', message, storable(own ?? cells) as string[], label));
      } else if (own === null) {
        rows.push(brokenRow(row, 'column_count', `${rowAt(row, line)} has ${miscounted(layout, cells)}`, keepApart(layout, cells)));
      } else {
        rows.push(isExpected(row, line) ? { row, value: own, error: null } : { row, value: own, error: null, line });
      }
    }
  }

  private nextRow(): number {
    if (this.row === this.limits.rowsMax) throw tooManyRows(this.limits);
    this.row += 1;
    return this.row;
  }

  private badQuote(): UploadError {
    const row = this.row + 1;
    return new UploadError(
      'bad_quote',
      `${rowAt(row, this.line)} opens a quote that is never closed, or closes one in the middle of a cell`,
      row,
    );
  }
}

/** Whether a row is where a reader looks for it: the header is the first line, and each row is one line. */
const isExpected = (row: number, line: number): boolean => line === row + 1;

const rowAt = (row: number, line: number): string => `Row ${row}${isExpected(row, line) ? '' : ` (line ${line} of the file)`}`;

function lineEndsIn(cells: readonly string[], lineEnd: string): number {
  let count = 0;
  for (const cell of cells) for (let at = cell.indexOf(lineEnd); at !== -1; at = cell.indexOf(lineEnd, at + 1)) count++;
  return count;
}

/** Takes only complete, well-formed records, which `records.ts` ensures. An error here is a bug, and its text would quote the cell. */
export function parseRecords(records: Buffer, format: RecordFormat): string[][] {
  try {
    return parse(records, {
      delimiter: String.fromCharCode(format.delimiter),
      record_delimiter: format.lineEnd === 0x0a ? ['\r\n', '\n'] : ['\r'],
      relax_column_count: true,
      // For `="…"`. The framing has checked all other quotes.
      relax_quotes: true,
    });
  } catch {
    throw new Error('csv-parse refused a record that was framed as well formed');
  }
}

/** What is wrong with a row that `arrange` refused. */
function miscounted({ places, known, width }: Layout, cells: readonly string[]): string {
  if (places === null || cells.length < width) return `${count(cells.length, 'cell')}; the header has ${count(width, 'column')}`;
  const stray = cells.findIndex((cell, place) => !known.has(place) && cell.trim() !== '');
  return `a value in cell ${stray + 1}, which has no name in the header`;
}

/** True for an empty line, and for `,,`: spreadsheets write an empty row with as many cells as the others. */
function isBlank(cells: readonly string[]): boolean {
  for (const cell of cells) if (cell.trim() !== '') return false;
  return true;
}

export function firstOf(text: Buffer, byte: number, from: number): number {
  const at = text.indexOf(byte, from);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
