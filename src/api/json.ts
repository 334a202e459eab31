/**
 * JSON from outside, bounded in depth and number of values. Pictures are cut out of a body before the rest is parsed: for as long as JSON.parse looks at every character of 30 MB,
 * this process answers nobody.
 */
import { isAscii } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SentPictures } from '../checks/sent-pictures.ts';
import { isBase64 } from '../foundation/base64.ts';
import { ApiError, repeatedOption } from '../foundation/errors.ts';
import { fieldLabel } from '../rows/column-names.ts';
import { repeatedMember } from '../rows/repeated-members.ts';
import { ROW_LIMITS } from '../rows/row.ts';
import { memberFlaw } from '../rows/storable.ts';

/** Parses JSON and limits its nesting to what later code (schemas, encoders) can walk. `path` names the value in a refusal; empty for the body. */
export function parseJson(path: string, text: string | Buffer): unknown {
  const parsing = parse(path, text);
  for (;;) {
    const step = parsing.next();
    if (step.done) return step.value;
  }
}

/**
 * The same for a body, which may hold pictures: lets other work run between two steps of a few milliseconds each. `sent`: takes the pictures of its members, and
 * their names stand in the value.
 */
export async function parseBody(bytes: Buffer, sent?: SentPictures): Promise<unknown> {
  const parsing = parse('', bytes, sent);
  for (;;) {
    const step = parsing.next();
    if (step.done) return step.value;
    await nextTurn();
  }
}

/** Yields where it has worked for a few milliseconds, if pictures are in it. */
function* parse(path: string, text: string | Buffer, sent?: SentPictures): Generator<void, unknown> {
  const refused = (rule: string, message: string) =>
    new ApiError('invalid_request', `${path || 'The body'} ${message}`, { details: [{ path, message, rule }] });
  if (typeof text !== 'string' && hasManyValues(text)) throw refused('too_many_values', `has more than ${VALUES_MAX} values`);
  let value: unknown;
  try {
    value = typeof text === 'string' ? parseOnce(path, text) : yield* parseBytes(path, text, sent);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw refused('bad_json', 'is not valid JSON');
  }
  if (memberFlaw('', value, ROW_LIMITS.depthMax) === 'too_deep')
    throw refused('too_deep', `is nested deeper than ${ROW_LIMITS.depthMax} levels`);
  return value;
}

/** Refuses a member that is given twice: `JSON.parse` would keep the last one. And `__proto__`. */
function parseOnce(path: string, text: string, reviver?: (member: string, value: unknown) => unknown): unknown {
  const value: unknown = JSON.parse(text, reviver);
  if (/__proto__|\\u/.test(text)) refusePrototype(path, value);
  const repeated = repeatedMember(text, value);
  if (repeated === null) return value;
  const name = fieldLabel(repeated, 'a member');
  const detail = repeatedOption(path === '' ? name : `${path}.${name}`);
  throw new ApiError('invalid_request', `${detail.path} ${detail.message}`, { details: [detail] });
}

const PROTOTYPE = '__proto__';

/**
 * Throws `ApiError` if an object in the value has a member `__proto__`, and names the option or input that it is in. A growing list instead of recursion: the depth
 * is not known yet.
 */
export function refusePrototype(path: string, value: unknown): void {
  const open: { at: string[]; value: unknown }[] = [{ at: path === '' ? [] : [path], value }];
  for (const { at, value: one } of open) {
    if (typeof one !== 'object' || one === null) continue;
    if (Object.hasOwn(one, PROTOTYPE)) throw reservedName(at);
    for (const [name, inner] of Object.entries(one))
      if (typeof inner === 'object') open.push({ at: [...at, name].slice(0, 2), value: inner });
  }
}

function reservedName(at: readonly string[]): ApiError {
  const owner = at.slice(0, at[0] === 'input' ? 2 : 1).join('.');
  const detail =
    owner === ''
      ? { path: PROTOTYPE, message: 'is not an accepted name' }
      : { path: owner, message: `has a member ${PROTOTYPE}, which is not an accepted name` };
  return new ApiError('invalid_request', `${detail.path} ${detail.message}`, { details: [{ ...detail, rule: 'reserved_name' }] });
}

/** For a body; rows are uploaded instead. Millions of empty texts fit into the bytes allowed for pictures, and would stop everybody for seconds. */
const VALUES_MAX = 10_000;
/** Each value but the first follows one of these. */
const BEFORE_VALUES = [',', '[', '{'].map((character) => character.charCodeAt(0));

/** Counts a text's commas too: pictures have none. */
function hasManyValues(bytes: Buffer): boolean {
  if (bytes.length <= VALUES_MAX) return false;
  let count = 0;
  for (const character of BEFORE_VALUES)
    for (let at = bytes.indexOf(character); at !== -1; at = bytes.indexOf(character, at + 1)) if (++count > VALUES_MAX) return true;
  return false;
}

/** Shorter texts are not cut out, and nothing is unless the rest is no longer than this. */
const LONG = 64 * 1024;
/** A data: URI has a comma within this many characters. */
const PREFIX = 128;
const [QUOTE, BACKSLASH, COMMA] = ['"', '\\', ','].map((character) => character.charCodeAt(0)) as [number, number, number];

function* parseBytes(path: string, bytes: Buffer, sent: SentPictures | undefined): Generator<void, unknown> {
  const pictures = bytes.length > LONG && isAscii(bytes) ? yield* findPictures(bytes, sent) : [];
  if (pictures.length === 0) return parseOnce(path, new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  // Random, so that no client can send this mark.
  const mark = randomBytes(16).toString('hex');
  let rest = '';
  let at = 0;
  for (const [index, { start, end }] of pictures.entries()) {
    rest += `${bytes.toString('latin1', at, start)}${mark}${index}`;
    at = end;
  }
  return parseOnce(path, rest + bytes.toString('latin1', at), (member, value: unknown) => {
    const cut = typeof value === 'string' && value.startsWith(mark) ? pictures[Number(value.slice(mark.length))] : undefined;
    if (!cut) return value;
    return sent?.has(member) && cut.name !== null ? cut.name : (cut.text ?? bytes.toString('latin1', cut.start, cut.end));
  });
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
  // Recognising base64 is quicker than looking at every character.
  const isPrintable = isBase64(text.slice(bare)) ? !UNPRINTABLE.test(prefix) : !UNPRINTABLE.test(text);
  return isPrintable ? { name: null, text } : null;
}

/** JSON has no control characters in a text. */
const UNPRINTABLE = /[^ -~]/;
