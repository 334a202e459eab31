/** Lines of CSV as bytes, the same as `csvLine` writes, from values that are mostly still JSON: copying those takes a fraction of parsing and encoding them. */
import { BACKSLASH, QUOTE } from '../foundation/json-bytes.ts';
import { csvCell } from './csv.ts';

export type Cell = string | number | boolean | null | undefined;

/** Takes the cells of one row after the other. */
export interface CellSink {
  cell(cell: Cell): void;
  /** A JSON value, from `start` to before `end`. Objects and arrays remain JSON. */
  json(bytes: Buffer, start: number, end: number): void;
  /** Cells that many rows have. The array must stay as it is. */
  cells(cells: readonly Cell[]): void;
}

/** How a JSON value looks as a cell. */
export const cellOf = (value: unknown): Cell => (typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell));

export class CsvBytes implements CellSink {
  private bytes: Buffer = NOTHING;
  private at = 0;
  private lineStart = 0;
  private readonly known = new WeakMap<readonly Cell[], Buffer>();
  private isFirst = true;
  /** As much as the last piece took, and a little more. */
  private expected = MORE_BYTES;

  get length(): number {
    return this.at;
  }

  /** The lines that were ended since the last call. The bytes are the caller's. */
  take(): Buffer {
    const taken = this.bytes.subarray(0, this.at);
    this.bytes = NOTHING;
    this.expected = this.at + MORE_BYTES;
    this.at = 0;
    this.lineStart = 0;
    return taken;
  }

  cell(cell: Cell): void {
    this.separate();
    this.plainCell(cell);
  }

  cells(cells: readonly Cell[]): void {
    if (cells.length === 0) return;
    let bytes = this.known.get(cells);
    if (bytes === undefined) {
      const line = new CsvBytes();
      for (const cell of cells) line.cell(cell);
      bytes = Buffer.from(line.take());
      this.known.set(cells, bytes);
    }
    this.separate();
    this.reserve(bytes.length);
    for (let i = 0; i < bytes.length; i++) this.bytes[this.at++] = bytes[i]!;
  }

  json(bytes: Buffer, start: number, end: number): void {
    this.separate();
    const first = bytes[start]!;
    if (first === QUOTE) {
      if (end - start > 2 && !this.copied(bytes, start + 1, end - 1)) this.parsed(bytes, start, end);
    } else if (first === LETTER_N) return;
    else if (first === MINUS || (first >= DIGIT_0 && first <= DIGIT_9)) {
      this.reserve(end - start);
      for (let from = start; from < end; from++) this.bytes[this.at++] = bytes[from]!;
    } else this.parsed(bytes, start, end);
  }

  endLine(): void {
    this.reserve(MARKS);
    // An empty line would be read as blank.
    if (this.at === this.lineStart) {
      this.bytes[this.at++] = QUOTE;
      this.bytes[this.at++] = QUOTE;
    }
    this.bytes[this.at++] = CARRIAGE_RETURN;
    this.bytes[this.at++] = LINE_FEED;
    this.lineStart = this.at;
    this.isFirst = true;
  }

  private separate(): void {
    if (this.isFirst) this.isFirst = false;
    else {
      this.reserve(1);
      this.bytes[this.at++] = COMMA;
    }
  }

  /** Copies a text without escapes that begins with a letter or digit. For any other text, writes nothing and returns false. */
  private copied(from: Buffer, start: number, end: number): boolean {
    if (!isPlain(from[start]!)) return false;
    this.reserve(end - start + MARKS);
    const { bytes } = this;
    let at = this.at;
    for (let i = start; i < end; i++) {
      const byte = from[i]!;
      if (byte === BACKSLASH || mayBeUnreadable(byte)) return false;
      if (byte === COMMA || byte === SEMICOLON) return this.quoted(from, start, end);
      bytes[at++] = byte;
    }
    this.at = at;
    return true;
  }

  private quoted(from: Buffer, start: number, end: number): boolean {
    const { bytes } = this;
    let at = this.at;
    bytes[at++] = QUOTE;
    for (let i = start; i < end; i++) {
      const byte = from[i]!;
      if (byte === BACKSLASH || mayBeUnreadable(byte)) return false;
      bytes[at++] = byte;
    }
    bytes[at++] = QUOTE;
    this.at = at;
    return true;
  }

  private parsed(bytes: Buffer, start: number, end: number): void {
    this.plainCell(cellOf(JSON.parse(bytes.toString('utf8', start, end))));
  }

  private plainCell(cell: Cell): void {
    if (cell === null || cell === undefined || cell === '') return;
    if (typeof cell === 'number' && Number.isSafeInteger(cell) && cell >= 0) this.digits(cell);
    else {
      const text = typeof cell === 'string' ? csvCell(cell) : String(cell);
      this.reserve(UTF8_BYTES_MAX * text.length);
      this.at += this.bytes.write(text, this.at);
    }
  }

  private digits(number: number): void {
    let count = 1;
    for (let rest = number; rest >= 10; rest = Math.floor(rest / 10)) count++;
    this.reserve(count);
    this.at += count;
    let rest = number;
    for (let at = this.at - 1; count > 0; count--, at--) {
      this.bytes[at] = DIGIT_0 + (rest % 10);
      rest = Math.floor(rest / 10);
    }
  }

  private reserve(more: number): void {
    if (this.at + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.expected, 2 * this.bytes.length, this.at + more));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}

const MORE_BYTES = 4 * 1024;
/** Two bytes of quotes or of a line's end, and both. */
const MARKS = 4;
/** Most bytes that a UTF-16 unit takes in UTF-8. */
const UTF8_BYTES_MAX = 3;

const NOTHING = Buffer.alloc(0);
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const MINUS = 0x2d;
const LETTER_N = 0x6e;
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
const [DIGIT_0, DIGIT_9] = [0x30, 0x39];

const DELETE = 0x7f;
/** Whether a character that is not readable may begin with this byte: Delete; U+0080 to U+00BF; U+2000 to U+2FFF. One comparison for a letter of ASCII. */
const mayBeUnreadable = (byte: number): boolean => byte >= DELETE && (byte === DELETE || byte === 0xc2 || byte === 0xe2);

const isPlain = (byte: number): boolean =>
  (byte >= 0x61 && byte <= 0x7a) || (byte >= DIGIT_0 && byte <= DIGIT_9) || (byte >= 0x41 && byte <= 0x5a);
