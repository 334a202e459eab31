/** Cursors of lists: opaque, and valid only for the list that issued them. `scope` identifies that list; a cursor of another is refused. */
import { type Indexer, sameSecret } from './crypto.ts';

const MAC_BYTES = 12;

/** `position` is where the next page begins, in whatever form the list understands. It is readable, so it must not hold personal data. */
export function showCursor(cipher: Indexer, scope: string, position: string): string {
  return Buffer.concat([macOf(cipher, scope, position), Buffer.from(position)]).toString('base64url');
}

/** The position, or null if this is not a cursor of the list. */
export function parseCursor(cipher: Indexer, scope: string, cursor: string): string | null {
  const position = Buffer.from(cursor, 'base64url').subarray(MAC_BYTES).toString();
  return sameSecret(cursor, showCursor(cipher, scope, position)) ? position : null;
}

const macOf = (cipher: Indexer, scope: string, position: string): Buffer =>
  cipher.sign('cursor', `${scope}\n${position}`).subarray(0, MAC_BYTES);
