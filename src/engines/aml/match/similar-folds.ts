/** The folds of the index that a word may stand for, ordered so that they can be read by rank and looked up by number. */
import type { ListIndex } from './index.ts';
import type { Strangeness } from './known.ts';

/** Parallel arrays, in the order of `folds`, except where noted. */
export interface SimilarFolds {
  folds: Int32Array;
  /** 0 to 1. */
  similarity: Float32Array;
  /** The same folds ordered by number, to look one up. */
  numbers: Int32Array;
  likeness: Float32Array;
  /** 1: the two are forms of one name, by a table or by how such names are made; 0: they are merely alike. */
  forms: Uint8Array;
  /** Similarity to folds that compare without vowels, because one side does not write them; null if there are none. */
  mute: Float32Array | null;
  /** By listed word: whether the two are two names. Filled as words are compared. */
  strangers: Map<number, Strangeness>;
  /** Total number of rows with one of the folds. */
  rows: number;
}

/** Where a fold stands in `numbers`; -1 if the word does not stand for it. */
export function placeOf({ numbers }: SimilarFolds, fold: number): number {
  let from = 0;
  let to = numbers.length - 1;
  while (from <= to) {
    const middle = (from + to) >> 1;
    const number = numbers[middle]!;
    if (number === fold) return middle;
    if (number < fold) from = middle + 1;
    else to = middle - 1;
  }
  return -1;
}

/** Similarity to the fold that stands there in `numbers`. */
export const similarityAt = ({ likeness, mute }: SimilarFolds, place: number): number =>
  mute === null ? likeness[place]! : Math.max(likeness[place]!, mute[place]!);

/** Most similar first: if a name contains several of the folds, the first counts. */
export function rankFolds(
  index: ListIndex,
  found: Map<number, number>,
  foundMute: Map<number, number>,
  formsFound: Set<number>,
): SimilarFolds {
  const plain = foundMute.size === 0 ? found : new Map(found);
  for (const [fold, similarity] of foundMute) if (similarity > (found.get(fold) ?? 0)) found.set(fold, similarity);
  const size = found.size;
  // One buffer for all: collecting many small ones as garbage takes longer than filling them.
  const buffer = new ArrayBuffer(size * 17);
  const folds = new Int32Array(buffer, 0, size);
  const numbers = new Int32Array(buffer, size * 4, size);
  const similarity = new Float32Array(buffer, size * 8, size);
  const likeness = new Float32Array(buffer, size * 12, size);
  const forms = new Uint8Array(buffer, size * 16, size);
  const mute = foundMute.size === 0 ? null : new Float32Array(size);
  let count = 0;
  for (const fold of found.keys()) numbers[count++] = fold;
  numbers.sort();
  const keys = keysFor(size);
  for (let i = 0; i < size; i++) {
    const fold = numbers[i]!;
    const value = found.get(fold)!;
    likeness[i] = plain === found ? value : (plain.get(fold) ?? 0);
    keys[i] = Math.round((1 - value) * PLACES) * PLACES + i;
    if (formsFound.size > 0 && formsFound.has(fold)) forms[i] = 1;
    if (mute !== null) mute[i] = foundMute.get(fold) ?? 0;
  }
  keys.sort();
  let rows = 0;
  for (let at = 0; at < size; at++) {
    const i = keys[at]! - Math.floor(keys[at]! / PLACES) * PLACES;
    const fold = numbers[i]!;
    folds[at] = fold;
    similarity[at] = found.get(fold)!;
    rows += index.postingStart[fold + 1]! - index.postingStart[fold]!;
  }
  return { folds, similarity, numbers, likeness, forms, mute, strangers: new Map(), rows };
}

/** More than the folds of any word, and fine enough to tell two similarities apart. */
const PLACES = 2 ** 26;

/** Reused for every word. Value and place are packed into one number, because sorting with a comparison function takes longer. */
let scratch = new Float64Array(256);
function keysFor(size: number): Float64Array {
  if (scratch.length < size) scratch = new Float64Array(size * 2);
  return scratch.subarray(0, size);
}
