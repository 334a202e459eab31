/** JSON from outside, bounded in depth and number of values. Pictures in a body are cut out first (`cut-pictures.ts`). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SentPictures } from '../checks/sent-pictures.ts';
import { ApiError, repeatedOption } from '../foundation/errors.ts';
import { fieldLabel } from '../rows/column-names.ts';
import { repeatedMember } from '../rows/repeated-members.ts';
import { ROW_LIMITS } from '../rows/row.ts';
import { memberFlaw } from '../rows/storable.ts';
import { cutPictures } from './cut-pictures.ts';

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
    throw refused('bad_json', text.length === 0 ? 'is empty: send JSON' : 'is not valid JSON');
  }
  if (memberFlaw('', value, ROW_LIMITS.depthMax) === 'too_deep')
    throw refused('too_deep', `is nested deeper than ${ROW_LIMITS.depthMax} levels`);
  return value;
}

function* parseBytes(path: string, bytes: Buffer, sent: SentPictures | undefined): Generator<void, unknown> {
  const cut = yield* cutPictures(bytes, sent);
  return cut ? parseOnce(path, cut.text, cut.restore) : parseOnce(path, new TextDecoder('utf-8', { fatal: true }).decode(bytes));
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
