/** Guesses which known name somebody meant. Only for hints in refusals: nothing is accepted on the strength of a guess. */
import { distance } from 'fastest-levenshtein';
import type { ErrorDetail } from '../foundation/errors.ts';
import { fieldLabel } from './column-names.ts';

/** The form in which names are compared: without case, spaces and punctuation. */
export const fold = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Two names with at least this similarity are probably a name and its misspelling. */
export const LIKELY = 0.6;

/** From 0 to 1. If one name contains the other, the shared part counts, but at least LIKELY. */
export function similarity(one: string, other: string): number {
  const shared = 1 - distance(one, other) / Math.max(one.length, other.length);
  const isWithin = one.includes(other) || other.includes(one);
  return isWithin ? Math.max(LIKELY + 0.3 * shared, shared) : shared;
}

/** A longer name is not a typing slip, and comparing it costs time. */
const NAME_LENGTH_MAX = 64;

/** The known names most similar to `name`, best first, at most `most`. */
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
 * Refuses options that nobody reads: money must not be spent because of a typing slip. Returns details for those of `names` that are not known, at
 * most the first few. `within`: path of the object that they are members of.
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
  return known.length > 0 ? `; known options: ${known.slice(0, KNOWN_SHOWN).join(', ')}` : '';
}

const UNKNOWN_SHOWN = 20;
const LIKELY_SHOWN = 2;
const KNOWN_SHOWN = 20;
