/**
 * Cuts the pictures out of a JSON body before the rest is parsed: for as long as JSON.parse looks at every character of 30 MB, this process answers nobody.
 */
import { isAscii } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { SentPictures } from '../checks/sent-pictures.ts';
import { isBase64 } from '../foundation/base64.ts';

/** Shorter texts are not cut out, and nothing is unless the rest is no longer than this. */
const LONG = 64 * 1024;
/** A data: URI has a comma within this many characters. */
const PREFIX = 128;
const [QUOTE, BACKSLASH, COMMA] = ['"', '\\', ','].map((character) => character.charCodeAt(0)) as [number, number, number];

/** A body whose pictures were cut out. */
export interface CutBody {
  /** Has a mark in place of each. */
  text: string;
  /** For `JSON.parse`: puts them back, or the names of those that `sent` took. */
  restore(member: string, value: unknown): unknown;
}

/** Null if there is nothing to cut out. `sent` receives the pictures of the members that it knows. Lets other work run every few milliseconds. */
export function* cutPictures(bytes: Buffer, sent: SentPictures | undefined): Generator<void, CutBody | null> {
  const pictures = bytes.length > LONG && isAscii(bytes) ? yield* findPictures(bytes, sent) : [];
  if (pictures.length === 0) return null;
  // Random, so that no client can send this mark.
  const mark = randomBytes(16).toString('hex');
  let text = '';
  let at = 0;
  for (const [index, { start, end }] of pictures.entries()) {
    text += `${bytes.toString('latin1', at, start)}${mark}${index}`;
    at = end;
  }
  return {
    text: text + bytes.toString('latin1', at),
    restore(member, value) {
      const cut = typeof value === 'string' && value.startsWith(mark) ? pictures[Number(value.slice(mark.length))] : undefined;
      if (!cut) return value;
      return sent?.has(member) && cut.name !== null ? cut.name : (cut.text ?? bytes.toString('latin1', cut.start, cut.end));
    },
  };
}

interface Cut {
  /** Position of the first character, and of the one after the last. */
  start: number;
  end: number;
  /** The short name that replaces the text if its member takes pictures; null: no replacement. */
  name: string | null;
  /** Null: not made yet. */
  text: string | null;
}

/** The long texts that need no unescaping, as pictures in base64. Empty if much else is left without them. */
function* findPictures(bytes: Buffer, sent: SentPictures | undefined): Generator<void, Cut[]> {
  const found: Cut[] = [];
  let cut = 0;
  let backslash = bytes.indexOf(BACKSLASH);
  for (let at = bytes.indexOf(QUOTE); at !== -1; ) {
    if (at - cut > LONG) return [];
    const start = at + 1;
    let end = bytes.indexOf(QUOTE, start);
    if (end === -1) return [];
    if (backslash !== -1 && backslash < start) backslash = bytes.indexOf(BACKSLASH, start);
    // Texts with escapes stay. Of two backslashes the second one escapes nothing.
    for (let escaped = backslash; escaped !== -1 && escaped < end; escaped = bytes.indexOf(BACKSLASH, escaped + 2))
      if (escaped + 1 === end) {
        end = bytes.indexOf(QUOTE, end + 1);
        if (end === -1) return [];
      }
    if (end - start > LONG && (backslash === -1 || backslash > end)) {
      yield;
      const picture = yield* readPicture(bytes.subarray(start, end), sent);
      if (picture) {
        found.push({ start, end, ...picture });
        cut += end - start;
      }
    }
    at = bytes.indexOf(QUOTE, end + 1);
  }
  return bytes.length - cut <= LONG ? found : [];
}

/** Null: not a text that JSON allows. Whether it has to be base64 is for the schema to say. */
function* readPicture(bytes: Buffer, sent: SentPictures | undefined): Generator<void, Pick<Cut, 'name' | 'text'> | null> {
  const bare = bytes.subarray(0, PREFIX).indexOf(COMMA) + 1;
  const prefix = bytes.toString('latin1', 0, bare);
  const name = sent && !UNPRINTABLE.test(prefix) ? yield* sent.take(bytes.subarray(bare)) : null;
  if (name !== null) return { name: prefix + name, text: null };
  const text = bytes.toString('latin1');
  yield;
  // Recognizing base64 is quicker than looking at every character.
  const isPrintable = isBase64(text.slice(bare)) ? !UNPRINTABLE.test(prefix) : !UNPRINTABLE.test(text);
  return isPrintable ? { name: null, text } : null;
}

/** JSON has no control characters in a text. */
const UNPRINTABLE = /[^ -~]/;
