/**
 * Turns the bytes of a list file into pieces of valid UTF-8 without a byte-order mark. Publishers write UTF-8, UTF-16 with a mark, or Windows-1252.
 * The start of the file decides the encoding; a later byte that breaks it is refused, never guessed.
 */
import { isUtf8 } from 'node:buffer';
import { type ListFile, ListFileError } from '../list.ts';

/** How much of the file is read to decide the encoding. */
const PROBE_BYTES = 65_536;
/** Larger chunks are split, so that the limits downstream are checked often, whatever size the sender's chunks have. */
const PIECE_BYTES = 65_536;

export async function* readText(file: ListFile): AsyncGenerator<Buffer> {
  const bytes = file.open()[Symbol.asyncIterator]();
  try {
    const head = await readHead(bytes);
    const decoder = decoderFor(head);
    let isFirst = true;
    for (let chunk: Uint8Array | undefined = head; chunk !== undefined; chunk = await next(bytes)) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        let piece = decoder(chunk.subarray(at, at + PIECE_BYTES), file.name);
        if (isFirst && piece.length > 0) {
          if (piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf) piece = piece.subarray(3);
          isFirst = false;
        }
        if (piece.includes(0)) throw new ListFileError('not_text', `${file.name} contains a NUL byte: it is not a text file`);
        if (piece.length > 0) yield piece;
      }
    }
    const rest = decoder(null, file.name);
    if (rest.length > 0) yield rest;
  } finally {
    await bytes.return?.();
  }
}

/** The first piece, which identifies a file's format. Empty for an empty file. */
export async function readStart(file: ListFile): Promise<string> {
  for await (const piece of readText(file)) return piece.toString('utf8');
  return '';
}

async function readHead(bytes: AsyncIterator<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let held = 0;
  while (held < PROBE_BYTES) {
    const chunk = await next(bytes);
    if (chunk === undefined) break;
    chunks.push(chunk);
    held += chunk.length;
  }
  return Buffer.concat(chunks);
}

async function next(bytes: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
  const result = await bytes.next();
  return result.done ? undefined : result.value;
}

/** Null marks the end of the file. */
type Decoder = (bytes: Uint8Array | null, name: string) => Buffer;

function decoderFor(head: Buffer): Decoder {
  if (head[0] === 0xff && head[1] === 0xfe) return recode('utf-16le', 'UTF-16');
  if (head[0] === 0xfe && head[1] === 0xff) return recode('utf-16be', 'UTF-16');
  return isUtf8(head.subarray(0, characterEnd(head, Math.min(head.length, PROBE_BYTES))))
    ? checkUtf8()
    : recode('windows-1252', 'Windows-1252');
}

/** Passes bytes through. A character split across pieces waits for the next piece. */
function checkUtf8(): Decoder {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes, name) => {
    const text =
      bytes === null ? rest : rest.length === 0 ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) : Buffer.concat([rest, bytes]);
    const end = bytes === null ? text.length : characterEnd(text, text.length);
    rest = Buffer.from(text.subarray(end));
    const whole = text.subarray(0, end);
    if (!isUtf8(whole)) throw notText(name, 'UTF-8');
    return whole;
  };
}

function recode(encoding: string, label: string): Decoder {
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (bytes, name) => {
    try {
      return Buffer.from(bytes === null ? decoder.decode() : decoder.decode(bytes, { stream: true }));
    } catch {
      throw notText(name, label);
    }
  };
}

/** End of the last whole character before `end`; `end` itself if the bytes are not UTF-8 anyway. */
function characterEnd(text: Buffer, end: number): number {
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = text[end - back]!;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? end - back : end;
  }
  return end;
}

function notText(name: string, encoding: string): ListFileError {
  return new ListFileError('not_text', `${name} starts as ${encoding} but does not stay ${encoding}`);
}
