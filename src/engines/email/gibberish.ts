/**
 * Estimates whether a local part is a name or a word, or was typed or generated at random, by how common its letters are after the two before them in
 * names of many countries, most of them Nigerian, and in words for role accounts. A hint, never a verdict: it cannot know every language.
 */
import roles from 'role-based-email-addresses';
import { isKeyRun } from './keyboard.ts';
import { isNameOrWord, NAMES } from './known-words.ts';

/** Shorter runs are just as often initials. */
const LETTERS_MIN = 5;
/** Only these letters are judged: those of other scripts were never learned. */
const LETTER_RUN = /[a-z]+/g;
/**
 * Bits for a letter, given the two before it. Measured on the development half of `bench/email/addresses.txt`: half of the names and words need
 * 3.6 bits or less, ninety-nine in a hundred 5.6; nine in ten random words of ten letters more than 5.8.
 */
const USUAL_BITS = 4.95;
const RANDOM_BITS = 6.75;
/** Changes between letters and digits: `ada1990` has one, `b4real2day` four. From the second one on, each adds bits. */
const CHANGES_USUAL = 1;
const BITS_A_CHANGE = 0.5;
/** With hardly any letters only the changes are judged; with many changes nothing else matters. */
const CHANGES_FEW_LETTERS = [2, 6] as const;
const CHANGES = [3, 7] as const;

/** Marks the start of a word, before the first letter. */
const EDGE = 26;
const CODE_OF_A = 97;
const WIDTH = 27;
/** How often two letters must have been seen before the third counts as much as the pair alone. */
const PAIRS_TRUSTED_FROM = 20;
const BITS = learn([...NAMES, ...roles]);

/** Nobody types a name or a word of this length by chance, so what stands beside it is judged alone: `sbk` in `sbkventures` is initials. */
const KNOWN_FROM = 5;
const KNOWN_TO = 14;
/** Parts of keys and hashes: `95f514703dfc`. */
const HEXADECIMAL = /^[0-9a-f]{10,}$/;
const HEXADECIMAL_CHANGES = 3;

/** From 0 (a name) to 1 (random letters). `base`: the local part without its tag. */
export function gibberishOf(base: string): number {
  const text = base.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const changes = text.match(/[a-z](?=\d)|\d(?=[a-z])/g)?.length ?? 0;
  if (isKeyRun(text) || (changes >= HEXADECIMAL_CHANGES && HEXADECIMAL.test(text))) return 1;
  const rest = text.replaceAll(LETTER_RUN, withoutKnown);
  const whole = byLetters(text, changes);
  return rest === text ? whole : Math.min(whole, byLetters(rest, changes));
}

function byLetters(text: string, changes: number): number {
  const bits = bitsOfLetter(text);
  if (bits === null) return between(changes, ...CHANGES_FEW_LETTERS);
  const byBits = between(bits + BITS_A_CHANGE * Math.max(0, changes - CHANGES_USUAL), USUAL_BITS, RANDOM_BITS);
  return Math.max(byBits, between(changes, ...CHANGES));
}

/** The longest known word at each place, from the left, becomes a gap. */
function withoutKnown(run: string): string {
  let rest = '';
  let at = 0;
  while (at < run.length) {
    let length = Math.min(KNOWN_TO, run.length - at);
    while (length >= KNOWN_FROM && !isNameOrWord(run.slice(at, at + length))) length--;
    const isKnown = length >= KNOWN_FROM;
    rest += isKnown ? '.' : run[at];
    at += isKnown ? length : 1;
  }
  return rest;
}

/** Average over all runs of letters. Null: too few letters. */
function bitsOfLetter(text: string): number | null {
  let bits = 0;
  let letters = 0;
  for (const [run] of text.matchAll(LETTER_RUN)) {
    let before = EDGE * WIDTH + EDGE;
    for (let i = 0; i < run.length; i++) {
      const letter = run.charCodeAt(i) - CODE_OF_A;
      bits += BITS[before * WIDTH + letter]!;
      before = (before % WIDTH) * WIDTH + letter;
      letters++;
    }
  }
  return letters < LETTERS_MIN ? null : bits / letters;
}

/** By the two letters before: bits of each letter. Triples that are rare in the words lean on the pair that they end with. */
function learn(words: readonly string[]): Float32Array {
  // Every pair starts at one half, so that a pair no word has is unlikely but not impossible.
  const pairs = new Float64Array(WIDTH * WIDTH).fill(0.5);
  const triples = new Float64Array(WIDTH * WIDTH * WIDTH);
  for (const word of words) {
    for (const [run] of word.toLowerCase().matchAll(LETTER_RUN)) {
      let before = EDGE * WIDTH + EDGE;
      for (let i = 0; i < run.length; i++) {
        const letter = run.charCodeAt(i) - CODE_OF_A;
        pairs[(before % WIDTH) * WIDTH + letter]!++;
        triples[before * WIDTH + letter]!++;
        before = (before % WIDTH) * WIDTH + letter;
      }
    }
  }
  const bits = new Float32Array(triples.length);
  for (let before = 0; before < WIDTH * WIDTH; before++) {
    const last = (before % WIDTH) * WIDTH;
    const seen = sumOf(triples, before * WIDTH);
    const seenLast = sumOf(pairs, last);
    for (let letter = 0; letter < EDGE; letter++) {
      const byPair = pairs[last + letter]! / seenLast;
      bits[before * WIDTH + letter] = -Math.log2(
        (triples[before * WIDTH + letter]! + PAIRS_TRUSTED_FROM * byPair) / (seen + PAIRS_TRUSTED_FROM),
      );
    }
  }
  return bits;
}

function sumOf(counts: Float64Array, row: number): number {
  let sum = 0;
  for (let letter = 0; letter < EDGE; letter++) sum += counts[row + letter]!;
  return sum;
}

const between = (value: number, low: number, high: number): number => Math.min(1, Math.max(0, (value - low) / (high - low)));
