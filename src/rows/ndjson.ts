/** NDJSON: one object a line. A line that is not one is a broken row; the next line starts afresh. */
import {
  batches,
  brokenRow,
  type ObjectSource,
  objectRow,
  ROW_LIMITS,
  type Row,
  type RowLimits,
  rowTooLarge,
  rowTooLargeToSkip,
  tooManyRows,
  UploadError,
} from './row.ts';
import { atRow, readText } from './text.ts';

const LINE_FEED = 0x0a;

/** Reads the first piece before it returns, so an empty or binary upload is refused here. */
export async function readNdjson(bytes: AsyncIterable<Uint8Array>, limits: RowLimits = ROW_LIMITS): Promise<ObjectSource> {
  const pieces = readText(bytes, limits);
  const first = await pieces.next();
  if (first.done) throw noRows();
  return { columns: null, rows: readLines(first.value, pieces, limits), close: async () => void (await pieces.return()) };
}

async function* readLines(
  first: Buffer,
  pieces: AsyncGenerator<Buffer, void>,
  limits: RowLimits,
): AsyncGenerator<Row<Record<string, unknown>>[]> {
  const reader = new LineReader(limits);
  try {
    yield* batches(reader.take(first));
    for await (const piece of pieces) yield* batches(reader.take(piece));
    yield* batches(reader.end());
  } catch (error) {
    throw atRow(error, reader.row + 1);
  } finally {
    await pieces.return();
  }
  if (reader.row === 0) throw noRows();
}

/** Text in, rows out. Holds the one line that is not complete yet, at most `rowBytesMax` of it. */
class LineReader {
  row = 0;
  /** The line that is not complete yet, in the pieces in which it came: to put a long one together again with each would take ever longer. */
  private held: Buffer[] = [];
  private heldBytes = 0;
  private skippedBytes = 0;
  private readonly limits: RowLimits;

  constructor(limits: RowLimits) {
    this.limits = limits;
  }

  take(piece: Buffer): Row<Record<string, unknown>>[] {
    const rows: Row<Record<string, unknown>>[] = [];
    let start = 0;
    for (let end = piece.indexOf(LINE_FEED); end !== -1; end = piece.indexOf(LINE_FEED, start)) {
      this.hold(piece.subarray(start, end));
      this.addLine(rows, this.release());
      start = end + 1;
    }
    this.hold(piece.subarray(start));
    if (this.skippedBytes > 0 || this.heldBytes > this.limits.rowBytesMax) {
      this.skippedBytes += this.release().length;
      if (this.skippedBytes > this.limits.skippedRowBytesMax) throw rowTooLargeToSkip(this.row + 1, this.limits);
    }
    return rows;
  }

  /** The last line may lack its end. */
  end(): Row<Record<string, unknown>>[] {
    return this.take(Buffer.from([LINE_FEED]));
  }

  private hold(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.held.push(bytes);
    this.heldBytes += bytes.length;
  }

  private release(): Buffer {
    const line = this.held.length === 1 ? this.held[0]! : Buffer.concat(this.held);
    this.held = [];
    this.heldBytes = 0;
    return line;
  }

  private addLine(rows: Row<Record<string, unknown>>[], line: Buffer): void {
    const isTooLarge = this.skippedBytes + line.length > this.limits.rowBytesMax;
    this.skippedBytes = 0;
    const text = isTooLarge ? '' : line.toString('utf8');
    if (!isTooLarge && text.trim() === '') return;
    if (this.row === this.limits.rowsMax) throw tooManyRows(this.limits);
    this.row += 1;
    rows.push(isTooLarge ? rowTooLarge(this.row, this.limits) : parseLine(this.row, text, this.limits));
  }
}

function parseLine(row: number, text: string, limits: RowLimits): Row<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the line.
    return brokenRow(row, 'bad_json', `Row ${row} is not valid JSON`);
  }
  return objectRow(row, value, limits);
}

function noRows(): UploadError {
  return new UploadError('empty_file', 'The upload is empty');
}
