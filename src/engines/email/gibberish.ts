/**
 * Whether the part before the `@` could be somebody's name or a word, or was typed or drawn at random: by how usual its pairs of letters are
 * in Nigerian and English names and in the words of role accounts. A hint among others, never a verdict: it cannot know every language.
 */
import roles from 'role-based-email-addresses';
import { CHRISTIAN, GROUPS, MUSLIM } from '../../names/nigerian-names.ts';

/** Shorter ones are initials as often as anything else. */
const LETTERS_MIN = 5;
/** Only these are judged: the pairs of other scripts were never learned. */
const LETTER_RUN = /[a-z]+/g;
/**
 * Bits for a letter after the one before it. Measured: of 73 names and words that were not learned half need 3.7 and nine of ten less than
 * 4.4; of random letters nine of ten need more than 5.3, half more than 6.4.
 */
const USUAL_BITS = 4.75;
const RANDOM_BITS = 6.75;
/** Changes between letters and digits: `ada1990` has one, `b4real2day` four. */
const CHANGES_USUAL = 3;
const CHANGES_RANDOM = 7;

/** Before the first letter. */
const EDGE = 26;
const CODE_OF_A = 97;
const WIDTH = 27;
const BITS = learn([
  ...Object.values(GROUPS).flatMap(({ male, female, surnames }) => [...male, ...female, ...surnames]),
  ...Object.values(CHRISTIAN).flat(),
  ...Object.values(MUSLIM).flat(),
  ...roles,
]);

/** 0 (a name) to 1 (random letters), of the local part without its tag. */
export function gibberishOf(base: string): number {
  const text = base.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const byPairs = between(bitsOfLetter(text), USUAL_BITS, RANDOM_BITS);
  const byChanges = between(text.match(/[a-z](?=\d)|\d(?=[a-z])/g)?.length ?? 0, CHANGES_USUAL, CHANGES_RANDOM);
  return Math.max(byPairs, byChanges);
}

/** On average over all runs of letters. */
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
  // Half of one for every pair, so that one which no word has is unlikely but not impossible.
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
