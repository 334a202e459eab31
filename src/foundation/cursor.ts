/** Cursors of lists: opaque, and valid only for the list that issued them. `scope` identifies that list; a cursor of another is refused. */
import { sameSecret } from './crypto.ts';
import type { Indexer } from './index-keys.ts';

const MAC_BYTES = 12;

/** `position` is where the next page begins, in whatever form the list understands. It is readable, so it must not hold personal data. */
export function showCursor(cipher: Indexer, scope: string, position: string): string {
  return shown(cipher.sign(CURSOR, signedText(scope, position)), position);
}

/** The position, or null if this is not a cursor of the list. */
export function parseCursor(cipher: Indexer, scope: string, cursor: string): string | null {
  const position = Buffer.from(cursor, 'base64url').subarray(MAC_BYTES).toString();
  const signatures = cipher.signatures(CURSOR, signedText(scope, position));
  return signatures.some((signature) => sameSecret(cursor, shown(signature, position))) ? position : null;
}

/** The pages of the list `scope`. */
export function pagesOf(cipher: Indexer, scope: string) {
  return {
    /** Where the page of this cursor begins. Null: it is the first page; undefined: the cursor is of another list. */
    begin(cursor: string | null | undefined): string | null | undefined {
      return cursor == null ? null : (parseCursor(cipher, scope, cursor) ?? undefined);
    },
    /** The page among `read`, which holds one row more than `limit` if more follow. `positionOf`: where the page after this row begins. */
    page<Row>(read: readonly Row[], limit: number, positionOf: (row: Row) => string): { page: Row[]; nextCursor: string | null } {
      const page = read.slice(0, limit);
      const last = read.length > limit ? page.at(-1) : undefined;
      return { page, nextCursor: last === undefined ? null : showCursor(cipher, scope, positionOf(last)) };
    },
  };
}

const CURSOR = 'cursor';
const signedText = (scope: string, position: string): string => `${scope}\n${position}`;
const shown = (signature: Buffer, position: string): string =>
  Buffer.concat([signature.subarray(0, MAC_BYTES), Buffer.from(position)]).toString('base64url');
