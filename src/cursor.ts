/** Cursors of lists: opaque, and of use only to whom and for what they were given out. */
import { timingSafeEqual } from 'node:crypto';
import type { Cipher } from './crypto.ts';

const MAC_BYTES = 12;

/** `scope`: the list and whose it is. */
export function sealCursor(cipher: Cipher, scope: string, position: string): string {
  return Buffer.concat([mac(cipher, scope, position), Buffer.from(position)]).toString('base64url');
}

/** The position, or null: not a cursor that was given out for this list. */
export function openCursor(cipher: Cipher, scope: string, cursor: string): string | null {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== cursor) return null;
  const position = bytes.subarray(MAC_BYTES).toString();
  return timingSafeEqual(mac(cipher, scope, position), bytes.subarray(0, MAC_BYTES)) ? position : null;
}

const mac = (cipher: Cipher, scope: string, position: string): Buffer => cipher.index('cursor', scope, position).subarray(0, MAC_BYTES);
