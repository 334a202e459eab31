/** Reads a check's input from a row, a body or a query, and says what is wrong with it. */

import { ruleOf } from '../foundation/errors.ts';
import type { RowProblem } from '../schema/batches.ts';
import type { Check } from './check.ts';
import type { ImageRule } from './inputs.ts';

/** "bvn must be 11 digits" */
export const sentence = (problems: { field: string | null; message: string }[]): string =>
  problems.map((p) => `${p.field ?? ''} ${p.message}`.trim()).join('; ');

/** Where nothing is wrong but pictures that are there, the code says so. */
export function codeOfProblems(problems: readonly RowProblem[]): 'invalid_request' | ImageRule {
  const rules = new Set(problems.map(({ rule }) => rule));
  const [rule] = rules;
  return rules.size === 1 && (rule === 'invalid_image' || rule === 'image_too_large') ? rule : 'invalid_request';
}

/** One check's own column of an input; it wins over the one that all checks share. */
export const ownKey = (check: Pick<Check, 'id'>, field: string): string => `${check.id}.${field}`;

/** `dob` of `bvn_match.dob`. */
export const fieldOf = (key: string): string => key.slice(key.lastIndexOf('.') + 1);

/** The key under which a row has an input of a check: its own, else the shared one. */
export const keyOf = (check: Pick<Check, 'id'>, field: string, read: (key: string) => unknown): string =>
  read(ownKey(check, field)) === undefined ? field : ownKey(check, field);

/** The check's input in a row (or in a call's parameters), or what is wrong with it. */
export function readInput(
  check: Check,
  read: (key: string) => unknown,
): { input: Record<string, string | undefined> } | { problems: RowProblem[] } {
  const raw: Record<string, unknown> = {};
  for (const field of Object.keys(check.input.shape)) raw[field] = read(keyOf(check, field, read));
  const garbled = Object.keys(raw).filter((field) => typeof raw[field] === 'string' && !isPlainText(raw[field]));
  if (garbled.length > 0)
    return { problems: garbled.map((field) => ({ field: keyOf(check, field, read), rule: 'invalid_characters', message: GARBLED })) };
  const parsed = check.input.safeParse(raw);
  if (parsed.success) return { input: parsed.data };
  return {
    problems: parsed.error.issues.map((issue) => {
      const [field, ...within] = issue.path.map(String);
      return {
        field: field === undefined ? null : [keyOf(check, field, read), ...within].join('.'),
        rule: raw[issue.path[0] as string] === undefined ? 'required' : ruleOf(issue),
        message: issue.message,
      };
    }),
  };
}

const GARBLED = 'must not contain control characters or unpaired surrogates';

/** Nobody's name or number holds a control character; line breaks and tabs come with text that was copied from somewhere. */
const isPlainText = (text: string): boolean => text.isWellFormed() && !/[^\P{Cc}\t\n\r]/u.test(text);
