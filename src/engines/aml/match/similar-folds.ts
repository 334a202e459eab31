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
  const numbers = new Int32Array(size);
  let count = 0;
  for (const fold of found.keys()) numbers[count++] = fold;
  numbers.sort();
  const values = new Float64Array(size);
  for (let i = 0; i < size; i++) values[i] = found.get(numbers[i]!)!;
  const likeness = new Float32Array(values);
  if (plain !== found) for (let i = 0; i < size; i++) likeness[i] = plain.get(numbers[i]!) ?? 0;
  const forms = new Uint8Array(size);
  if (formsFound.size > 0) for (let i = 0; i < size; i++) forms[i] = formsFound.has(numbers[i]!) ? 1 : 0;
  const mute = foundMute.size === 0 ? null : Float32Array.from(numbers, (fold) => foundMute.get(fold) ?? 0);
  const folds = new Int32Array(size);
  const similarity = new Float32Array(size);
  let rows = 0;
  // There are few different values, so this is quicker than to sort by them.
  for (let at = 0, level = largestBelow(values, Number.POSITIVE_INFINITY); at < size; level = largestBelow(values, level)) {
    for (let i = 0; i < size; i++) {
      if (values[i] !== level) continue;
      const fold = numbers[i]!;
      folds[at] = fold;
      similarity[at++] = level;
      rows += index.postingStart[fold + 1]! - index.postingStart[fold]!;
    }
  }
  return { folds, similarity, numbers, likeness, forms, mute, strangers: new Map(), rows };
}

function largestBelow(values: Float64Array, limit: number): number {
  let largest = 0;
  for (let i = 0; i < values.length; i++) if (values[i]! > largest && values[i]! < limit) largest = values[i]!;
  return largest;
}
