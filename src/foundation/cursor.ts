/** Cursors of lists: opaque, and taken only where they were given out. `scope` says whose list it is; a cursor of another one is refused. */
import { type Cipher, sameSecret } from './crypto.ts';

const MAC_BYTES = 12;

/** `position` is where the next page begins, in whatever form the list understands; no personal data, for it can be read. */
export function showCursor(cipher: Cipher, scope: string, position: string): string {
  return Buffer.concat([macOf(cipher, scope, position), Buffer.from(position)]).toString('base64url');
}

/** The position, or null: not a cursor of this list. */
export function parseCursor(cipher: Cipher, scope: string, cursor: string): string | null {
  const position = Buffer.from(cursor, 'base64url').subarray(MAC_BYTES).toString();
  return sameSecret(cursor, showCursor(cipher, scope, position)) ? position : null;
}

const macOf = (cipher: Cipher, scope: string, position: string): Buffer =>
  cipher.sign('cursor', `${scope}\n${position}`).subarray(0, MAC_BYTES);
