/** The text of an upload as UTF-8: whole, or only its beginning, which may end in the middle of a row. */
import { type Bytes, decodeUtf16, isUtf16, peek } from './decode.ts';
import { UploadError } from './row.ts';

export interface UploadText {
  bytes: Bytes;
  isUtf16: boolean;
  /** Whether more may follow than was read. Final once `bytes` has ended. */
  isCut(): boolean;
}

export async function wholeText(file: Bytes): Promise<UploadText> {
  const start = await peek(file, BYTE_ORDER_BYTES);
  return { bytes: await decodeUtf16(start.bytes), isUtf16: isUtf16(start.head), isCut: () => false };
}

/**
 * The first `bytesMax` bytes, without an incomplete character at their end. A file of exactly that many bytes counts as cut: that is how a client sends the
 * beginning of a larger one. A gzip file that breaks off counts as cut too.
 */
export async function beginningOfText(file: Bytes, bytesMax: number): Promise<UploadText> {
  let left = bytesMax;
  async function* first(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of file) {
        const kept = chunk.subarray(0, left);
        left -= kept.length;
        yield kept;
        if (left === 0) return;
      }
    } catch (error) {
      if (!(error instanceof UploadError && error.rule === 'bad_gzip' && left < bytesMax)) throw error;
      left = 0;
    }
  }
  const isCut = (): boolean => left === 0;
  const start = await peek(first(), BYTE_ORDER_BYTES);
  return { bytes: withoutRest(await decodeUtf16(start.bytes), isCut), isUtf16: isUtf16(start.head), isCut };
}

/** Enough for a byte-order mark, or for two characters of UTF-16. */
const BYTE_ORDER_BYTES = 4;

/** Drops what may be half a character at the end of a text that was cut. */
async function* withoutRest(text: Bytes, isCut: () => boolean): AsyncGenerator<Uint8Array> {
  let last: Uint8Array | null = null;
  try {
    for await (const chunk of text) {
      if (last) yield last;
      last = chunk;
    }
  } catch (error) {
    // Half a surrogate pair.
    if (!(isCut() && error instanceof UploadError && error.rule === 'not_text')) throw error;
  }
  if (!last) return;
  let end = last.length;
  while (isCut() && end > 0 && last[end - 1]! >= 0x80) end--;
  yield last.subarray(0, end);
}
