/**
 * Estimates whether a local part is a name or a word, or was typed or generated at random, by how common its letter pairs are in Nigerian and English
 * names and in words for role accounts. A hint, never a verdict: it cannot know every language.
 */
import roles from 'role-based-email-addresses';
import { CHRISTIAN, GROUPS, MUSLIM } from '../../names/nigerian-names.ts';

/** Shorter runs are just as often initials. */
const LETTERS_MIN = 5;
/** Only these letters are judged: the pairs of other scripts were never learned. */
const LETTER_RUN = /[a-z]+/g;
/**
 * Bits for a letter, given the one before it. Measured: of 73 names and words that were not learned, half need 3.7 bits and nine in ten less than
 * 4.4; of random letters, nine in ten need more than 5.3 and half more than 6.4.
 */
const USUAL_BITS = 4.75;
const RANDOM_BITS = 6.75;
/** Changes between letters and digits: `ada1990` has one, `b4real2day` four. */
const CHANGES_USUAL = 3;
const CHANGES_RANDOM = 7;

/** Marks the start of a word, before the first letter. */
const EDGE = 26;
const CODE_OF_A = 97;
const WIDTH = 27;
const BITS = learn([
  ...Object.values(GROUPS).flatMap(({ male, female, surnames }) => [...male, ...female, ...surnames]),
  ...Object.values(CHRISTIAN).flat(),
  ...Object.values(MUSLIM).flat(),
  ...roles,
]);

/** From 0 (a name) to 1 (random letters). `base`: the local part without its tag. */
export function gibberishOf(base: string): number {
  const text = base.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const byPairs = between(bitsOfLetter(text), USUAL_BITS, RANDOM_BITS);
  const byChanges = between(text.match(/[a-z](?=\d)|\d(?=[a-z])/g)?.length ?? 0, CHANGES_USUAL, CHANGES_RANDOM);
  return Math.max(byPairs, byChanges);
}

/** Average over all runs of letters. */
function bitsOfLetter(text: string): number {
  let bits = 0;
  let letters = 0;
  for (const [run] of text.matchAll(LETTER_RUN)) {
    let before = EDGE;
    for (let i = 0; i < run.length; i++) {
      const letter = run.charCodeAt(i) - CODE_OF_A;
      bits += BITS[before * WIDTH + letter]!;
      before = letter;
      letters++;
    }
  }
  return letters < LETTERS_MIN ? 0 : bits / letters;
}

function learn(words: readonly string[]): Float64Array {
  // Every pair starts at one half, so that a pair no word has is unlikely but not impossible.
  const counts = new Float64Array(WIDTH * WIDTH).fill(0.5);
  for (const word of words) {
    for (const [run] of word.toLowerCase().matchAll(LETTER_RUN)) {
      let before = EDGE;
      for (let i = 0; i < run.length; i++) {
        const letter = run.charCodeAt(i) - CODE_OF_A;
        counts[before * WIDTH + letter]!++;
        before = letter;
      }
    }
  }
  return counts.map((count, i) => {
    const row = Math.floor(i / WIDTH) * WIDTH;
    const rowCount = counts.subarray(row, row + EDGE).reduce((sum, inRow) => sum + inRow, 0);
    return -Math.log2(count / rowCount);
  });
}

const between = (value: number, low: number, high: number): number => Math.min(1, Math.max(0, (value - low) / (high - low)));
