/** Reads a check's input from a row, a body or a query, and reports what is wrong with it. */

import { messageOf, parseWith, ruleOf } from '../foundation/validation.ts';
import type { RowProblem } from '../schema/batches.ts';
import type { Check } from './check.ts';
import { type ImageRule, imageInputs } from './inputs.ts';

/** "bvn must be 11 digits" */
export const sentence = (problems: { field: string | null; message: string }[]): string =>
  problems.map((p) => `${p.field ?? ''} ${p.message}`.trim()).join('; ');

/** An image code if the only problems are supplied pictures; otherwise `invalid_request`. */
export function codeOfProblems(problems: readonly RowProblem[]): 'invalid_request' | ImageRule {
  const rules = new Set(problems.map(({ rule }) => rule));
  const [rule] = rules;
  return rules.size === 1 && (rule === 'invalid_image' || rule === 'image_too_large') ? rule : 'invalid_request';
}

/** Key of a check's own column for an input. It takes precedence over the shared column. */
export const ownKey = (check: Pick<Check, 'id'>, field: string): string => `${check.id}.${field}`;

/** `dob` of `bvn_match.dob`. */
export const fieldOf = (key: string): string => key.slice(key.lastIndexOf('.') + 1);

/** The key under which a row holds an input of a check: the check's own, or the shared one. */
export const keyOf = (check: Pick<Check, 'id'>, field: string, read: (key: string) => unknown): string =>
  read(ownKey(check, field)) === undefined ? field : ownKey(check, field);

/** The check's input from a row (or a call's parameters), or its problems. `watchLists`: those that a screening may name; null: any. */
export function readInput(
  check: Check,
  read: (key: string) => unknown,
  watchLists: readonly string[] | null = null,
): { input: Record<string, string | undefined> } | { problems: RowProblem[] } {
  const raw: Record<string, unknown> = {};
  for (const field of Object.keys(check.input.shape)) raw[field] = read(keyOf(check, field, read));
  // The picture's own rules refuse whatever is not base64, and scanning 10 MB takes long.
  const pictures = imageInputs(check);
  const garbled = Object.keys(raw).filter(
    (field) => typeof raw[field] === 'string' && !pictures.includes(field) && !isPlainText(raw[field]),
  );
  if (garbled.length > 0)
    return { problems: garbled.map((field) => ({ field: keyOf(check, field, read), rule: 'invalid_characters', message: GARBLED })) };
  const parsed = parseWith(check.input, raw);
  if (parsed.success) {
    const message =
      check.family === 'aml' && watchLists && parsed.data.lists ? unknownLists(parsed.data.lists.split(','), watchLists) : null;
    if (message === null) return { input: parsed.data };
    return { problems: [{ field: keyOf(check, 'lists', read), rule: 'unknown_list', message }] };
  }
  // An optional input that is empty counts as absent.
  const empty = Object.keys(raw).filter(
    (field) => isBlank(raw[field]) && !pictures.includes(field) && !check.input.shape[field]!.safeParse(undefined).success,
  );
  return {
    problems: parsed.error.issues.map((issue) => {
      const [field, ...within] = issue.path.map(String);
      if (field === undefined) return { field: null, rule: ruleOf(issue), message: messageOf(issue) };
      const key = keyOf(check, field, read);
      if (empty.includes(field)) return { field: key, rule: 'empty', message: 'must not be empty' };
      return {
        field: [key, ...within].join('.'),
        rule: raw[field] === undefined ? 'required' : ruleOf(issue),
        message: messageOf(issue),
      };
    }),
  };
}

/** Names in one message. */
const LISTS_SHOWN = 5;

/** What is wrong with `lists`. Null: all of them are known. */
export function unknownLists(lists: readonly string[], known: readonly string[]): string | null {
  const unknown = lists.filter((list) => !known.includes(list));
  if (unknown.length === 0) return null;
  const more = unknown.length - LISTS_SHOWN;
  return `must not name unknown lists: ${unknown.slice(0, LISTS_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

const GARBLED = 'must not contain control characters or unpaired surrogates';

/** No name or number contains a control character. Line breaks and tabs are allowed, because copied text brings them. */
const isPlainText = (text: string): boolean => text.isWellFormed() && !/[^\P{Cc}\t\n\r]/u.test(text);
