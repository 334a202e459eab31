/** Distance between two folded words. Edits that a slip of the pen or another romanization explains cost less. */

const VOWEL = 1;
const cls = new Uint8Array(128);
for (const vowel of 'aeiou') cls[vowel.charCodeAt(0)] = VOWEL;

/** Cost of a whole edit. */
const LETTER = 10;
/** A shorter word is scored as if it had this many letters. */
export const SCORED_LENGTH_MIN = 3;

/** Cost of replacing one letter by another, in 1/10 of an edit; index `128 × a + b`. */
const substitution = new Uint8Array(128 * 128).fill(LETTER);
for (let a = 0; a < 128; a++) {
  substitution[a * 128 + a] = 0;
  for (let b = 0; b < 128; b++) if (a !== b && cls[a] === VOWEL && cls[b] === VOWEL) substitution[a * 128 + b] = 5;
}
const near = (pairs: string, cost: number) => {
  for (const pair of pairs.split(' ')) {
    const [a, b] = [pair.charCodeAt(0), pair.charCodeAt(1)];
    substitution[a * 128 + b] = cost;
    substitution[b * 128 + a] = cost;
  }
};
near('ou ei ai ae', 3);
near('ij', 4);
near('kg bp dt sz vf cj jz cs ck mn lr kh gj bv uv iv', 6);

/** Cost of an extra letter. H is mute in many languages, and vowels are what romanizations differ in. */
const insertion = new Uint8Array(128).fill(LETTER);
for (const vowel of 'aeiou') insertion[vowel.charCodeAt(0)] = 6;
insertion['h'.charCodeAt(0)] = 4;
/** The nominative ending in Latvian, Lithuanian and Greek. */
const ENDING = 's'.charCodeAt(0);
const ENDING_COST = 4;

/** Vowels cost nothing if one side does not write them; w (folded to v) and y stand for some. */
const muteSubstitution = substitution.slice();
const muteInsertion = insertion.slice();
for (const vowel of 'aeiou') {
  muteInsertion[vowel.charCodeAt(0)] = 0;
  for (const other of 'aeiou') muteSubstitution[vowel.charCodeAt(0) * 128 + other.charCodeAt(0)] = 0;
}
for (const pair of ['uv', 'vu', 'ov', 'vo']) muteSubstitution[pair.charCodeAt(0) * 128 + pair.charCodeAt(1)] = 1;
muteInsertion['v'.charCodeAt(0)] = 5;
/** The letter qaf, which is pronounced g in many countries. */
for (const pair of ['kg', 'gk']) muteSubstitution[pair.charCodeAt(0) * 128 + pair.charCodeAt(1)] = 4;

/** What it costs, by letter, to turn one word into another. */
interface LetterCosts {
  substitutions: Uint8Array;
  /** Of dropping a letter of the first word. */
  drops: Uint8Array;
  /** Of adding one of the second. */
  insertions: Uint8Array;
}

const WRITTEN: LetterCosts = { substitutions: substitution, drops: insertion, insertions: insertion };
/** If the first word comes from a script that does not write short vowels. */
const WITHOUT_VOWELS: LetterCosts = { substitutions: muteSubstitution, drops: insertion, insertions: muteInsertion };

const TRANSPOSITION = 8;
/** Extra cost at the first letter, which nobody leaves out by a slip. */
const FIRST_LETTER = 3;
const LENGTH_MAX = 40;
const rows = [new Int16Array(LENGTH_MAX + 1), new Int16Array(LENGTH_MAX + 1), new Int16Array(LENGTH_MAX + 1)] as const;
/** The letters of the second word, and what each costs that the first lacks; from 1. */
const codes = new Uint8Array(LENGTH_MAX + 1);
const added = new Uint8Array(LENGTH_MAX + 1);

/** Above any limit, and far below what the numbers can hold. */
const TOO_FAR = 10_000;

/** A word in ASCII, as stored in the index: `[from, to)` of `bytes`. */
export interface Letters {
  bytes: Uint8Array;
  from: number;
  to: number;
}

export function lettersOf(word: string): Letters {
  const bytes = new Uint8Array(word.length);
  for (let i = 0; i < word.length; i++) bytes[i] = word.charCodeAt(i);
  return { bytes, from: 0, to: bytes.length };
}

/**
 * Cost of the edits between `a` and `b`, in tenths, after their first `same` letters, which are equal. Above `limit`, returns any larger number.
 * `band`: how many letters the two may be out of step within the limit.
 */
function editCost(
  a: Letters,
  b: Letters,
  same: number,
  limit: number,
  band: number,
  { substitutions, drops, insertions }: LetterCosts,
): number {
  const n = Math.min(a.to - a.from, LENGTH_MAX) - same;
  const m = Math.min(b.to - b.from, LENGTH_MAX) - same;
  const firstLetter = same === 0 ? FIRST_LETTER : 0;
  const aStart = a.from + same - 1;
  const bStart = b.from + same - 1;
  let before = rows[0];
  let last = rows[1];
  let row = rows[2];
  last[0] = 0;
  // Most words turn out to be too different within three letters, so letters of the second are read only when the band reaches them.
  let ready = Math.min(m, band + 1);
  for (let j = 1; j <= ready; j++) {
    const y = b.bytes[bStart + j]!;
    codes[j] = y;
    added[j] = j === m && y === ENDING ? ENDING_COST : insertions[y]!;
    last[j] = last[j - 1]! + insertions[y]! + (j === 1 ? firstLetter : 0);
  }
  let previous = 0;
  for (let i = 1; i <= n; i++) {
    const x = a.bytes[aStart + i]!;
    const substituted = x * 128;
    row[0] = last[0]! + drops[x]! + (i === 1 ? firstLetter : 0);
    const dropped = x === ENDING && i === n ? ENDING_COST : drops[x]!;
    const from = Math.max(1, i - band);
    const to = Math.min(m, i + band);
    if (to > ready) {
      ready = to;
      const y = b.bytes[bStart + to]!;
      codes[to] = y;
      added[to] = to === m && y === ENDING ? ENDING_COST : insertions[y]!;
    }
    if (from > 1) row[from - 1] = TOO_FAR;
    let left = row[from - 1]!;
    let least = left;
    let above = last[from - 1]!;
    let behind = codes[from - 1]!;
    for (let j = from; j <= to; j++) {
      const y = codes[j]!;
      let cost = above + substitutions[substituted + y]!;
      above = last[j]!;
      if (above + dropped < cost) cost = above + dropped;
      if (left + added[j]! < cost) cost = left + added[j]!;
      // No letter is 0, which stands before both words.
      if (x === behind && y === previous && x !== y) {
        const swapped = before[j - 2]! + TRANSPOSITION;
        if (swapped < cost) cost = swapped;
      }
      row[j] = cost;
      if (cost < least) least = cost;
      left = cost;
      behind = y;
    }
    if (to < m) row[to + 1] = TOO_FAR;
    if (least > limit) return limit + 1;
    previous = x;
    const free = before;
    before = last;
    last = row;
    row = free;
  }
  return last[m]! + (n + same > 2 && m + same > 2 && isGendered(a, b) ? GENDER : 0);
}

/** `Antonio` and `Antonia` are two people, whatever the other letters. */
const GENDER = 15;
const isGendered = (a: Letters, b: Letters): boolean => {
  const x = a.bytes[a.to - 1];
  const y = b.bytes[b.to - 1];
  return (x === A && y === O) || (x === O && y === A);
};
const A = 'a'.charCodeAt(0);
const O = 'o'.charCodeAt(0);

/** Most edits, in tenths, by length of the word; beyond, it is another word. Short words allow none. */
const BUDGET = [0, 0, 0, 8, 10, 11, 13, 15, 17, 20, 22, 23, 30];

/** Letters as bit masks, by the cost of the cheapest edit that can remove one. */
const cheapest = new Map<number, number>();
for (let letter = 0; letter < 26; letter++) {
  const code = letter + A;
  let least = Math.min(insertion[code]!, code === ENDING ? ENDING_COST : LETTER);
  for (let other = A; other < A + 26; other++) if (other !== code) least = Math.min(least, substitution[code * 128 + other]!);
  cheapest.set(least, (cheapest.get(least) ?? 0) | (1 << letter));
}
const costs = Uint8Array.from(cheapest.keys());
const lettersOfCost = Int32Array.from(cheapest.values());

/** Least cost of an extra letter. */
const LEAST = 4;

/** The letters of a word as a bit mask. */
export function lettersIn({ bytes, from, to }: Letters): number {
  let mask = 0;
  for (let i = from; i < to; i++) {
    const letter = bytes[i]! - A;
    if (letter >= 0 && letter < 26) mask |= 1 << letter;
  }
  return mask;
}

/** Whether words with these letters and lengths cannot be close, because the letters that only one of them has already cost too much. */
export function areFar(mine: number, myLength: number, theirs: number, theirLength: number): boolean {
  const length = Math.max(myLength, theirLength);
  const budget = BUDGET[Math.min(length, BUDGET.length - 1)]!;
  if (Math.abs(myLength - theirLength) * LEAST > budget) return true;
  return mine !== theirs && (leastCost(mine & ~theirs) > budget || leastCost(theirs & ~mine) > budget);
}

function leastCost(letters: number): number {
  let sum = 0;
  if (letters !== 0) for (let i = 0; i < costs.length; i++) sum += costs[i]! * bitCount(letters & lettersOfCost[i]!);
  return sum;
}

function bitCount(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return (((n + (n >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** From 0 to 1; 0 for different words. */
export const wordSimilarity = (a: string, b: string): number => (a === b ? 1 : letterSimilarity(lettersOf(a), lettersOf(b)));

/** Similarity of two words that differ. A result up to `least` may be returned as 0. */
export function letterSimilarity(a: Letters, b: Letters, least = 0): number {
  const length = Math.max(a.to - a.from, b.to - b.from);
  const scale = LETTER * Math.max(length, SCORED_LENGTH_MIN);
  const limit = Math.min(BUDGET[Math.min(length, BUDGET.length - 1)]!, Math.floor((1 - least) * scale));
  if (limit === 0 || Math.abs(a.to - a.from - (b.to - b.from)) * LEAST > limit) return 0;
  const cost = editCost(a, b, sameStart(a, b), limit, Math.floor(limit / LEAST), WRITTEN);
  return cost > limit ? 0 : 1 - cost / scale;
}

/** For the one word that differs when all other names agree: the most edits, in tenths, and the shortest word that may have them. */
const SLIPPED_BUDGET = 20;
const SLIPPED_LENGTH_MIN = 5;

/** Similarity of two words that begin with the same letter and differ by at most two slips, whatever their length; otherwise 0. */
export function slippedSimilarity(one: string, other: string): number {
  const length = Math.max(one.length, other.length);
  if (length < SLIPPED_LENGTH_MIN || one[0] !== other[0] || Math.abs(one.length - other.length) * LEAST > SLIPPED_BUDGET) return 0;
  const [a, b] = [lettersOf(one), lettersOf(other)];
  const band = Math.floor(SLIPPED_BUDGET / LEAST);
  const cost = editCost(a, b, sameStart(a, b), SLIPPED_BUDGET, band, WRITTEN);
  return cost > SLIPPED_BUDGET ? 0 : 1 - cost / (LETTER * length);
}

/**
 * Number of equal letters at the start, excluding the last letter of either word. Pairing them is always cheapest: no extra letter costs more than
 * another extra letter and the replacement of that one by it. (This does not hold if vowels are free.)
 */
function sameStart(a: Letters, b: Letters): number {
  const most = Math.min(a.to - a.from, b.to - b.from, LENGTH_MAX) - 1;
  let same = 0;
  while (same < most && a.bytes[a.from + same] === b.bytes[b.from + same]) same++;
  return same;
}

/** A match of a word without vowels is worth less than one with them, and of a short word much less. */
const MUTE = 0.97;
const MUTE_SHORT = 0.92;
const MUTE_BUDGET = 6;
const MUTE_SHORT_BUDGET = 3;
const CONSONANTS_MIN = 3;

/** Similarity if `mute` comes from a script that does not write short vowels: the other word must have all the letters that it does write. */
export function muteSimilarity(mute: Letters, full: Letters): number {
  const bones = Math.min(consonants(mute), consonants(full));
  if (bones < 2) return 0;
  const budget = bones < CONSONANTS_MIN ? MUTE_SHORT_BUDGET : MUTE_BUDGET;
  const cost = editCost(mute, full, 0, budget, LENGTH_MAX, WITHOUT_VOWELS);
  return cost > budget ? 0 : (bones < CONSONANTS_MIN ? MUTE_SHORT : MUTE) * (1 - cost / LETTER / Math.max(bones + 1, 3));
}

const consonants = ({ bytes, from, to }: Letters): number => {
  let count = 0;
  for (let i = from; i < to; i++) if (cls[bytes[i]!] !== VOWEL) count++;
  return count;
};
