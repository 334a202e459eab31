/** Which known name somebody probably meant. Used for hints in refusals; nothing is ever taken on the strength of it. */
import { distance } from 'fastest-levenshtein';
import type { ErrorDetail } from '../foundation/errors.ts';
import { fieldLabel } from './row.ts';

/** Names are compared whatever their case, spaces and punctuation. */
export const fold = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Two names that share this much are probably one name and its misspelling. */
export const LIKELY = 0.6;

/** 0 to 1. A name within the other counts by the part that they share, but never less than LIKELY. */
export function similarity(one: string, other: string): number {
  const shared = 1 - distance(one, other) / Math.max(one.length, other.length);
  const isWithin = one.includes(other) || other.includes(one);
  return isWithin ? Math.max(LIKELY + 0.3 * shared, shared) : shared;
}

/** Longer names are nobody's slip, and comparing them costs time. */
const NAME_LENGTH_MAX = 64;

/** The known names that are most like `name`, best first, at most `most` of them. */
export function likelyNames(name: string, known: readonly string[], most = 1): string[] {
  const folded = fold(name);
  if (folded === '' || folded.length > NAME_LENGTH_MAX) return [];
  return known
    .map((candidate) => ({ candidate, score: similarity(folded, fold(candidate)) }))
    .filter(({ score }) => score >= LIKELY)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

/** `a`, `a or b`, `a, b or c` */
export const alternatives = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

/**
 * An option that nobody reads is refused: money must not be spent past a slip of the keyboard. Details for those of `names` that are not
 * known, for the first ones of very many. `within`: the object that they are members of.
 */
export function unknownOptions(names: readonly string[], known: readonly string[], within: readonly PropertyKey[] = []): ErrorDetail[] {
  const unknown = names.filter((name) => !known.includes(name)).slice(0, UNKNOWN_SHOWN);
  return unknown.map((name) => {
    const path = [...within.map(String), fieldLabel(name, 'an unnamed option')].join('.');
    return { path, message: `is not an option here${hintFor(name, known)}`, rule: 'unknown_option' };
  });
}

function hintFor(name: string, known: readonly string[]): string {
  const likely = likelyNames(name, known, LIKELY_SHOWN);
  if (likely.length > 0) return `; did you mean ${alternatives(likely)}?`;
  return known.length > 0 ? `; known are ${known.slice(0, KNOWN_SHOWN).join(', ')}` : '';
}

const UNKNOWN_SHOWN = 20;
const LIKELY_SHOWN = 2;
const KNOWN_SHOWN = 20;
