/** NDJSON: one object a line. Any other line is a broken row; reading continues with the next line. */

import { asSent, NAMED_ROWS, namesOf, objectRow, rowRepeats, type Unwrap } from './object-row.ts';
import { repeatedMember } from './repeated-members.ts';
import {
  batches,
  brokenRow,
  type ObjectSource,
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
/** Lines of files that we made, which may come back as an upload. */
export interface OwnLines {
  /** How a line of our results begins. */
  start: Buffer;
  unwrap: Unwrap;
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** For the names in the first rows, at most this much text is read. */
const NAMED_BYTES_MAX = 1024 * 1024;

/** Reads the first rows before it returns, so an empty or binary upload is refused here. */
export async function readNdjson(
  bytes: AsyncIterable<Uint8Array>,
  limits: RowLimits = ROW_LIMITS,
  own: OwnLines | null = null,
): Promise<ObjectSource> {
  const pieces = readText(bytes, limits);
  const first = await pieces.next();
  if (first.done) throw noRows();
  const reader = new LineReader(limits, own);
  try {
    const rows = reader.take(first.value);
    let bytes = first.value.length;
    let isWhole = false;
    while (!isWhole && rows.length < NAMED_ROWS && bytes < NAMED_BYTES_MAX) {
      const next = await pieces.next();
      rows.push(...(next.done ? reader.end() : reader.take(next.value)));
      bytes += next.value?.length ?? 0;
      isWhole = next.done ?? false;
    }
    refuseNoObjects(rows);
    return {
      columns: null,
      ...namesOf(rows),
      rows: readLines(rows, reader, pieces, isWhole),
      close: async () => void (await pieces.return()),
    };
  } catch (error) {
    await pieces.return();
    throw atRow(error, reader.row + 1);
  }
}

async function* readLines(
  first: Row<Record<string, unknown>>[],
  reader: LineReader,
  pieces: AsyncGenerator<Buffer, void>,
  isWhole: boolean,
): AsyncGenerator<Row<Record<string, unknown>>[]> {
  try {
    yield* batches(first);
    for await (const piece of pieces) yield* batches(reader.take(piece));
    if (!isWhole) yield* batches(reader.end());
  } catch (error) {
    throw atRow(error, reader.row + 1);
  } finally {
    await pieces.return();
  }
  if (reader.row === 0) throw noRows();
}

/** Takes text and emits rows. Holds only the one incomplete line, at most `rowBytesMax` of it. */
class LineReader {
  row = 0;
  /** The incomplete line, in the pieces in which it arrived: joining a long line again for every piece would take quadratic time. */
  private held: Buffer[] = [];
  private heldBytes = 0;
  private skippedBytes = 0;
  private readonly limits: RowLimits;
  private readonly own: OwnLines | null;

  constructor(limits: RowLimits, own: OwnLines | null) {
    this.limits = limits;
    this.own = own;
  }

  take(piece: Buffer): Row<Record<string, unknown>>[] {
    const rows: Row<Record<string, unknown>>[] = [];
    let start = 0;
    for (let end = piece.indexOf(LINE_FEED); end !== -1; end = piece.indexOf(LINE_FEED, start)) {
      this.hold(piece.subarray(start, end));
      const bytesMax = this.bytesMax();
      this.addLine(rows, this.release(), bytesMax);
      start = end + 1;
    }
    this.hold(piece.subarray(start));
    if (this.skippedBytes > 0 || this.heldBytes > this.bytesMax()) {
      this.skippedBytes += this.release().length;
      if (this.skippedBytes > this.limits.skippedRowBytesMax) throw rowTooLargeToSkip(this.row + 1, this.limits);
    }
    return rows;
  }

  /** The last line may lack a line end. */
  end(): Row<Record<string, unknown>>[] {
    return this.take(Buffer.from([LINE_FEED]));
  }

  /** Limit for the line being held. In our own results the row stands beside entities with images, none of which is kept. */
  private bytesMax(): number {
    const start = this.own?.start;
    const isOurs = start !== undefined && this.held[0]?.subarray(0, start.length).equals(start);
    return isOurs ? this.limits.skippedRowBytesMax : this.limits.rowBytesMax;
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

  private addLine(rows: Row<Record<string, unknown>>[], line: Buffer, bytesMax: number): void {
    const isTooLarge = this.skippedBytes + line.length > bytesMax;
    this.skippedBytes = 0;
    const text = isTooLarge ? '' : line.toString('utf8');
    if (!isTooLarge && text.trim() === '') return;
    if (this.row === this.limits.rowsMax) throw tooManyRows(this.limits);
    this.row += 1;
    const row = isTooLarge ? null : parseLine(this.row, text, this.limits, this.own?.unwrap ?? asSent);
    const isOwnTooLarge = row !== null && line.length > this.limits.rowBytesMax && sizeOf(row.value) > this.limits.rowBytesMax;
    rows.push(row === null || isOwnTooLarge ? rowTooLarge(this.row, this.limits) : row);
  }
}

function parseLine(row: number, text: string, limits: RowLimits, unwrap: Unwrap): Row<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the line.
    return brokenRow(row, 'bad_json', `Row ${row} is not valid JSON`);
  }
  const repeated = repeatedMember(text, value);
  if (repeated !== null) return rowRepeats(row, repeated);
  return objectRow(row, value, limits, unwrap);
}

/** A file whose first lines are all something else is no NDJSON, or a JSON document that was sent as such. */
function refuseNoObjects(first: readonly Row<Record<string, unknown>>[]): void {
  if (first.length === 0 || first.some(({ error }) => error?.rule !== 'not_an_object')) return;
  throw new UploadError(
    'not_an_object',
    'NDJSON has one JSON object a line, and none of the first lines is one. Send an array of rows as application/json',
    1,
  );
}

function noRows(): UploadError {
  return new UploadError('empty_file', 'The upload is empty');
}
