/** Recognizes base64, and decodes it from a body's bytes. Neither function makes a copy of the whole text. */
import { isAscii } from 'node:buffer';

/** A whole number of groups of four characters. */
const PIECE = 64 * 1024;
const decoded = Buffer.allocUnsafeSlow((PIECE / 4) * 3);

/**
 * Whether the text is base64, with or without its padding. Node skips characters outside the alphabet, so an invalid text decodes to too few bytes. Checking
 * every character takes ten times as long, and decoding all of it at once four times. A lone character in the last group holds no byte, so skipping one there
 * would go unnoticed; that length is refused.
 */
export function isBase64(text: string): boolean {
  const padding = text.indexOf('=');
  const end = padding === -1 ? text.length : padding;
  if (end === 0 || end % 4 === 1 || !/^={0,2}$/.test(text.slice(end)) || text.includes('-') || text.includes('_')) return false;
  for (let at = 0; at < end; at += PIECE) {
    const piece = text.slice(at, Math.min(end, at + PIECE));
    if (decoded.write(piece, 'base64') !== Math.floor((piece.length * 3) / 4)) return false;
  }
  return true;
}

/** Decoded between two turns of the event loop, in characters: about a millisecond. */
const STRETCH = 16 * PIECE;
const [MINUS, UNDERSCORE, EQUALS] = ['-', '_', '='].map((character) => character.charCodeAt(0)) as [number, number, number];

/** Decodes what `isBase64` accepts into a new buffer; null for anything else. `seen` is called with each decoded piece. Yields every millisecond or so. */
export function* decodeBase64(bytes: Buffer, seen: (piece: Buffer) => void): Generator<void, Buffer | null> {
  const padding = bytes.indexOf(EQUALS);
  const end = padding === -1 ? bytes.length : padding;
  const isWhole = end > 0 && end % 4 !== 1 && /^={0,2}$/.test(bytes.toString('latin1', end, end + 3));
  if (!isWhole || !isAscii(bytes) || bytes.includes(MINUS) || bytes.includes(UNDERSCORE)) return null;
  const whole = Buffer.allocUnsafeSlow(Math.floor((end * 3) / 4));
  let size = 0;
  for (let at = 0; at < end; at += PIECE) {
    if (at > 0 && at % STRETCH === 0) yield;
    const piece = bytes.toString('latin1', at, Math.min(end, at + PIECE));
    const written = whole.write(piece, size, 'base64');
    if (written !== Math.floor((piece.length * 3) / 4)) return null;
    seen(whole.subarray(size, size + written));
    size += written;
  }
  return whole;
}
