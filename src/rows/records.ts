/**
 * Finds where CSV records end, so that a broken or oversized record can be skipped and only complete, well-formed ones reach the parser (csv-parse
 * stops for good at its first error). Does not look at cells.
 */

const QUOTE = 0x22;
const EQUALS = 0x3d;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export interface RecordFormat {
  /** One byte: `,` `;` `|` or tab. */
  delimiter: number;
  /** LF (which covers CRLF), or CR alone as old spreadsheets write it. */
  lineEnd: number;
}

/** Follows one record at a time through a growing buffer and resumes at `at`, so it reads no byte twice. */
export class RecordScanner {
  /** The next byte to read. The caller lowers it when it drops bytes before it. */
  at = 0;
  isInQuotes = false;
  /** A quote stands where none is allowed: the rest of the line is taken literally and the record is broken. */
  isStray = false;
  /** The stray quote came after a line end inside quotes, so where the next record starts is unknown. */
  isLost = false;
  /** Line ends inside the record's quotes. */
  crossedLines = 0;
  private isCellStart = true;
  /** The quotes are those of `="…"`, which Excel uses to keep a number as it is. They contain neither delimiter nor line end. */
  private isFormula = false;
  private isClosed = false;
  private readonly format: RecordFormat;

  constructor(format: RecordFormat) {
    this.format = format;
  }

  nextRecord(): void {
    this.isInQuotes = false;
    this.isStray = false;
    this.isCellStart = true;
    this.isClosed = false;
    this.crossedLines = 0;
  }

  /** The index just past the record's line end, or -1 if `text` does not contain it yet. `quote`: index of the first quote at or after `at`. */
  scan(text: Buffer, quote: number): number {
    const { delimiter, lineEnd } = this.format;
    if (!this.isInQuotes && !this.isClosed) {
      const end = text.indexOf(lineEnd, this.at);
      if (end !== -1 && (this.isStray || quote > end)) {
        this.at = end + 1;
        return this.at;
      }
    }
    for (let at = this.at; at < text.length; at++) {
      const byte = text[at];
      if (this.isInQuotes) {
        if (this.isFormula && (byte === lineEnd || byte === delimiter)) {
          this.isInQuotes = false;
          this.markStray();
          at--;
          continue;
        }
        if (byte === lineEnd) this.crossedLines++;
        if (byte !== QUOTE) continue;
        if (at + 1 === text.length) return this.waitAt(at);
        if (text[at + 1] === QUOTE) {
          at++;
        } else {
          this.isInQuotes = false;
          this.isClosed = true;
        }
      } else if (byte === lineEnd) {
        this.at = at + 1;
        return this.at;
      } else if (this.isStray) {
        // Taken literally until the line ends.
      } else if (byte === delimiter) {
        this.isCellStart = true;
        this.isClosed = false;
      } else if (this.isClosed && byte === CARRIAGE_RETURN && lineEnd === LINE_FEED) {
        if (at + 1 === text.length) return this.waitAt(at);
        if (text[at + 1] !== LINE_FEED) this.markStray();
      } else if (byte === QUOTE && this.isCellStart) {
        this.isInQuotes = true;
        this.isCellStart = false;
        this.isFormula = false;
      } else if (byte === EQUALS && this.isCellStart) {
        if (at + 1 === text.length) return this.waitAt(at);
        this.isCellStart = false;
        if (text[at + 1] !== QUOTE) continue;
        at++;
        this.isInQuotes = true;
        this.isFormula = true;
      } else if (byte === QUOTE || this.isClosed) {
        this.markStray();
      } else {
        this.isCellStart = false;
      }
    }
    return this.waitAt(text.length);
  }

  private waitAt(at: number): -1 {
    this.at = at;
    return -1;
  }

  private markStray(): void {
    this.isStray = true;
    this.isClosed = false;
    if (this.crossedLines > 0) this.isLost = true;
  }
}

/**
 * The first line of `text`, with any kind of line end (those in quotes do not count). Null if it is incomplete. Needs no delimiter, since in a
 * well-formed header quotes come in pairs.
 */
export function firstLine(text: Buffer, isLast: boolean): { end: number; lineEnd: number } | null {
  let isInQuotes = false;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (byte === QUOTE) isInQuotes = !isInQuotes;
    if (isInQuotes) continue;
    if (byte === LINE_FEED) return { end: at + 1, lineEnd: LINE_FEED };
    if (byte !== CARRIAGE_RETURN) continue;
    if (at + 1 === text.length && !isLast) return null;
    if (text[at + 1] === LINE_FEED) return { end: at + 2, lineEnd: LINE_FEED };
    return { end: at + 1, lineEnd: CARRIAGE_RETURN };
  }
  return null;
}

/** The delimiter that the header uses most outside quotes; a comma if it uses none. */
export function delimiterOf(header: Buffer): number {
  const counts = new Map([...',;\t|'].map((delimiter) => [delimiter.charCodeAt(0), 0]));
  let isInQuotes = false;
  for (const byte of header) {
    if (byte === QUOTE) isInQuotes = !isInQuotes;
    const count = counts.get(byte);
    if (!isInQuotes && count !== undefined) counts.set(byte, count + 1);
  }
  return [...counts].reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}
