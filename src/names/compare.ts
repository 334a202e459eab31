/**
 * Decides whether a supplied name is the name on record. By rule, never by similarity alone: Nigerian names are close together (Adeyemi and Adeyemo
 * are two families), so a misspelling outside the table of spellings is a mismatch, and the confidence says how close it was.
 */
import { distance } from 'fastest-levenshtein';
import { type FoldedName, foldName } from './fold.ts';
import { isShortFor, spelling } from './variants.ts';

/**
 * `confidence_value`, 0 to 100: 100 same letters; 95 another order or spelling; 90 a short form, an initial for a name, or a middle name in place of
 * the first; 80 one name more than the record has. Below 80 is a mismatch: the similarity of the letters, at most 79.
 */
export interface NameMatch {
  status: boolean;
  confidence_value: number;
}

const SAME = 100;
const SPELLED_OTHERWISE = 95;
const SHORTENED = 90;
const ONE_MORE = 80;
const MISMATCH_MAX = 79;

/** Surnames: all parts must match, in any order, each in a known spelling. No short forms, no initials, no half of a double name. */
export function compareSurnames(supplied: string, onRecord: string): NameMatch {
  const one = foldName(supplied);
  const other = foldName(onRecord);
  return verdict(one, other, surnameConfidence(one, other));
}

/** Given names: each supplied one must be among the record's `first` and `middle`. */
export function compareGivenNames(supplied: string, first: string, middle: string): NameMatch {
  const one = foldName(supplied);
  const given = foldName(first);
  const further = foldName(middle);
  const match = givenConfidence(one, given, further);
  return verdict(one, given.joined === '' ? further : given, match);
}

/** `confidence` 0 means that the names differ. */
function verdict(one: FoldedName, other: FoldedName, confidence: number): NameMatch {
  if (confidence > 0) return { status: true, confidence_value: confidence };
  const longest = Math.max(one.joined.length, other.joined.length);
  if (one.joined === '' || other.joined === '') return { status: false, confidence_value: 0 };
  const likeness = 1 - distance(one.joined, other.joined) / longest;
  return { status: false, confidence_value: Math.min(MISMATCH_MAX, Math.round(likeness * 100)) };
}

function surnameConfidence(one: FoldedName, other: FoldedName): number {
  if (one.joined === '' || other.joined === '') return 0;
  if (one.joined === other.joined) return SAME;
  if (spelling(one.joined) === spelling(other.joined)) return SPELLED_OTHERWISE;
  if (one.words.length !== other.words.length) return 0;
  const usual = ({ words }: FoldedName): string => words.map(spelling).sort().join(' ');
  return usual(one) === usual(other) ? SPELLED_OTHERWISE : 0;
}

function givenConfidence(one: FoldedName, first: FoldedName, middle: FoldedName): number {
  if (one.joined === '') return 0;
  if (one.joined === first.joined || (first.joined !== '' && one.joined === first.joined + middle.joined)) return SAME;
  const whole = first.joined === '' ? 0 : wordConfidence(one.joined, first.joined);
  if (whole > 0) return whole;
  if (middle.joined !== '' && wordConfidence(one.joined, middle.joined) > 0) return SHORTENED;
  return wordsConfidence(one.words, first.words, middle.words);
}

/** Pairs each supplied word with one on record. At least one must be longer than an initial, or any letter would match. */
function wordsConfidence(supplied: readonly string[], first: readonly string[], middle: readonly string[]): number {
  const left = [...first, ...middle];
  let confidence = SPELLED_OTHERWISE;
  let unmatched = 0;
  let isFirstNamed = false;
  const initials: string[] = [];
  for (const word of supplied) {
    if (word.length === 1) {
      initials.push(word);
      continue;
    }
    const { at, sure } = best(word, left);
    if (sure === 0) {
      unmatched++;
      continue;
    }
    confidence = Math.min(confidence, sure);
    if (first.includes(left[at]!)) isFirstNamed = true;
    left.splice(at, 1);
  }
  if (unmatched + initials.length === supplied.length) return 0;
  for (const initial of initials) {
    const at = left.findIndex((word) => word.startsWith(initial));
    if (at === -1) unmatched++;
    else {
      confidence = Math.min(confidence, SHORTENED);
      left.splice(at, 1);
    }
  }
  if (unmatched === 0) return isFirstNamed ? confidence : Math.min(confidence, SHORTENED);
  // An extra name contradicts a record that has a middle name. If the record has none, it only adds to it.
  return unmatched === 1 && middle.length === 0 && isFirstNamed ? ONE_MORE : 0;
}

/** Which of `words` most surely equals `word`. `sure` 0: none does. */
function best(word: string, words: readonly string[]): { at: number; sure: number } {
  let found = { at: -1, sure: 0 };
  for (const [at, other] of words.entries()) {
    const sure = wordConfidence(word, other);
    if (sure > found.sure) found = { at, sure };
  }
  return found;
}

/** Symmetric: either name may be short for the other. */
function wordConfidence(one: string, other: string): number {
  if (one === other) return SAME;
  const [usual, otherUsual] = [spelling(one), spelling(other)];
  if (usual === otherUsual) return SPELLED_OTHERWISE;
  return isShortFor(usual, otherUsual) || isShortFor(otherUsual, usual) ? SHORTENED : 0;
}
