/**
 * Turns bytes as they arrive into pieces of valid UTF-8 without a byte-order mark, each ending at the end of a character. The readers work on such
 * pieces. Gzip, UTF-16 and multipart encoding are undone before (`decode.ts`, `api/multipart.ts`).
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { type RowLimits, UploadError } from './row.ts';

const LINE_FEED = 0x0a;
/** Text contains no NUL; a binary file has one early. */
const BINARY_PROBE_BYTES = 65_536;
const UTF8_CHARACTER_BYTES_MAX = 4;

/**
 * Small chunks are joined and large ones split, so that neither the work per piece nor the memory depends on the sender's chunking. If the text has
 * letters of Windows-1252 and none of UTF-8, it is read as Windows-1252 and `onWindows` is called; without `onWindows` such text is refused.
 */
export async function* readText(
  bytes: AsyncIterable<Uint8Array>,
  limits: RowLimits,
  onWindows: (() => void) | null = null,
): AsyncGenerator<Buffer, void, undefined> {
  const inUtf8 = openEncoding(onWindows);
  let chunks: Buffer[] = [];
  let held = 0;
  let isFirst = true;

  function* cut(isLast: boolean): Generator<Buffer> {
    const text = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    chunks = [];
    let at = isFirst && text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf ? 3 : 0;
    isFirst = false;
    while (at < text.length && (isLast || text.length - at >= limits.pieceBytes)) {
      let to = pieceEnd(text, at, limits.pieceBytes);
      if (to <= at) {
        if (!isLast) break;
        to = text.length;
      }
      yield* inUtf8(text.subarray(at, to));
      at = to;
    }
    chunks = at < text.length ? [text.subarray(at)] : [];
    held = text.length - at;
  }

  try {
    for await (const chunk of bytes) {
      if (chunk.length === 0) continue;
      chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
      held += chunk.length;
      if (held >= Math.max(limits.pieceBytes, UTF8_CHARACTER_BYTES_MAX)) yield* cut(false);
    }
  } catch (error) {
    // Emits what was intact before the fault, so that the reader has reached the faulty row.
    if (error instanceof UploadError) yield* cut(true);
    throw error;
  }
  yield* cut(true);
}

/**
 * Returns a function that takes the pieces one after the other and yields each in UTF-8. The first piece that is not ASCII decides the encoding. If a piece is
 * not text, the function yields what comes before the fault, then throws.
 */
function openEncoding(onWindows: (() => void) | null): (piece: Buffer) => Generator<Buffer> {
  /** While everything so far is ASCII, it is the same in both encodings. */
  let isAsciiSoFar = true;
  let isWindows = false;
  let probed = 0;

  return function* (piece) {
    const nul = piece.subarray(0, Math.max(0, BINARY_PROBE_BYTES - probed)).indexOf(0);
    if (nul !== -1) {
      const before = piece.subarray(0, piece.lastIndexOf(LINE_FEED, nul) + 1);
      if (isUtf8(before)) yield before;
      throw isUtf8(piece) ? hasNul() : notText();
    }
    probed += piece.length;
    if (!isWindows && isUtf8(piece)) {
      isAsciiSoFar &&= isAscii(piece);
      yield piece;
    } else if (isWindows || (onWindows && isAsciiSoFar && !hasUtf8Letters(piece))) {
      if (!isWindows) onWindows?.();
      isWindows = true;
      const bad = withoutLetter(piece);
      yield fromWindows(bad === -1 ? piece : piece.subarray(0, bad));
      if (bad !== -1) throw notText();
    } else {
      yield goodLines(piece);
      throw notText();
    }
  };
}

/** Adds the row number to a `not_text` error: the readers know it, the piece reader does not. */
export function atRow(error: unknown, row: number): unknown {
  return error instanceof NotText ? new UploadError('not_text', `Row ${row} ${error.ofRow}`, row) : error;
}

class NotText extends UploadError {
  /** What is wrong with a row, if the fault is in one. */
  readonly ofRow: string;

  constructor(message: string, ofRow: string) {
    super('not_text', message);
    this.ofRow = ofRow;
  }
}

export const notText = (): UploadError =>
  new NotText(
    'The upload is neither UTF-8 nor UTF-16 text. Save the file as UTF-8 text and send it again',
    'is not text in the encoding of the file. Save the file as UTF-8 and send it again',
  );

const hasNul = (): UploadError => {
  const flaw = 'contains a NUL character, which is not valid in text. Remove it and send the file again';
  return new NotText(`The upload ${flaw}`, flaw);
};

/**
 * The characters of Windows-1252 from 0x80 on, where Latin-1 has control characters (which Node 20's TextDecoder leaves). A blank means no character.
 */
const WINDOWS_LETTERS = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/** Index of the first byte that Windows-1252 leaves undefined, and that no text contains; -1 if there is none. */
const withoutLetter = (piece: Buffer): number => piece.findIndex((byte) => WINDOWS_LETTERS[byte - 0x80] === ' ');

const fromWindows = (piece: Buffer): Buffer =>
  Buffer.from(piece.toString('latin1').replace(/[\x80-\x9f]/g, (control) => WINDOWS_LETTERS[control.charCodeAt(0) - 0x80]!));

/**
 * Whether some of the bytes beyond ASCII are UTF-8 letters: whole, cut off at the end, or halves of surrogate pairs. Then the invalid bytes are
 * damage, not another encoding.
 */
const hasUtf8Letters = (piece: Buffer): boolean =>
  /[^\0-\x7f\ufffd]/.test(piece.toString('utf8')) ||
  /\xed[\xa0-\xbf][\x80-\xbf]|[\xe0-\xf4][\x80-\xbf]{1,2}$/.test(piece.toString('latin1'));

/** The end of the piece that begins at `at`: at most `bytes` later, or after one character if that is longer. Not beyond `at` if the text has no whole character there. */
function pieceEnd(text: Buffer, at: number, bytes: number): number {
  const to = characterEnd(text, Math.min(at + bytes, text.length));
  return to > at ? to : characterEnd(text, Math.min(at + UTF8_CHARACTER_BYTES_MAX, text.length));
}

/** The largest index ≤ `end` that does not split a character; `end` itself if the bytes are not UTF-8 anyway. */
function characterEnd(text: Buffer, end: number): number {
  for (let back = 1; back < UTF8_CHARACTER_BYTES_MAX && back <= end; back++) {
    const byte = text[end - back]!;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? end - back : end;
    }
  }
  return end;
}

/** The lines before the first one that is not UTF-8, so that the reader reaches the faulty row. */
function goodLines(piece: Buffer): Buffer {
  let from = 0;
  for (;;) {
    const lineFeed = piece.indexOf(LINE_FEED, from);
    if (lineFeed === -1 || !isUtf8(piece.subarray(from, lineFeed))) return piece.subarray(0, from);
    from = lineFeed + 1;
  }
}
