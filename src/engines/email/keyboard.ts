/** How people type: which keys lie side by side, how many slips separate two words, and which texts are runs over the keys instead of words. */

/** Each row is shifted half a key to the right of the one above it. */
const ROWS = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
const NEAR = nearKeys();
/** More than any number of slips that is allowed. */
const FAR = 3;
/** From this length on, one letter of the word too many is a slip; in shorter words it makes another word. */
const OWN_LETTERS_FROM = 6;

/**
 * Optimal string alignment over a typist's slips: a missing letter, two letters swapped, a neighbouring key, a key struck twice or together with its
 * neighbour, and in long words another of their letters too many. Any other edit costs more than the slips allowed.
 */
export function slips(typed: string, meant: string): number {
  const width = meant.length + 1;
  const costs = new Float64Array((typed.length + 1) * width);
  for (let j = 1; j < width; j++) costs[j] = j;
  for (let i = 1; i <= typed.length; i++) {
    const at = i * width;
    const key = typed[i - 1]!;
    const isOwn = meant.length >= OWN_LETTERS_FROM && meant.includes(key);
    const isStray = !isOwn && !isNear(key, typed[i - 2] ?? '') && !isNear(key, typed[i] ?? '');
    costs[at] = i;
    for (let j = 1; j < width; j++) {
      const wanted = meant[j - 1]!;
      const extra = costs[at - width + j]! + (isStray ? FAR : 1);
      const missing = costs[at + j - 1]! + 1;
      const replaced = costs[at - width + j - 1]! + (key === wanted ? 0 : isNear(key, wanted) ? 1 : FAR);
      const isSwap = i > 1 && j > 1 && key === meant[j - 2] && typed[i - 2] === wanted;
      const swapped = isSwap ? costs[at - 2 * width + j - 2]! + 1 : Number.POSITIVE_INFINITY;
      costs[at + j] = Math.min(extra, missing, replaced, swapped);
    }
  }
  return costs[typed.length * width + meant.length]!;
}

/** Whether exactly one slip separates them. Comparing their ends rules out most pairs, at a fiftieth of the work. */
export function isOneSlip(typed: string, meant: string): boolean {
  const longest = Math.max(typed.length, meant.length);
  if (Math.abs(typed.length - meant.length) > 1 || typed === meant) return false;
  let front = 0;
  while (typed[front] === meant[front]) front++;
  let back = 0;
  while (front + back < longest && typed.at(-1 - back) === meant.at(-1 - back)) back++;
  // Two swapped letters are the widest slip.
  return front + back + 2 >= longest && slips(typed, meant) === 1;
}

const isNear = (key: string, other: string): boolean => key === other || NEAR.has(key + other);

function nearKeys(): Set<string> {
  const keys = ROWS.flatMap((row, y) => [...row].map((key, x) => ({ key, x: x + y / 2, y })));
  const pairs = keys.flatMap((one) =>
    keys.filter((other) => Math.abs(one.x - other.x) <= 1 && Math.abs(one.y - other.y) <= 1).map((other) => one.key + other.key),
  );
  // Keys that are not neighbours, but letters that look alike.
  return new Set([...pairs, 'il', 'li', '1l', 'l1', '0o', 'o0', 'gq', 'qg']);
}

/** Nothing but runs along a row (`qwertyuiop`, `asdfasdf`), the start of one or of the alphabet (`qwe123`, `abcd`), or one or two letters again and again. */
export function isKeyRun(text: string): boolean {
  const letters = text.replaceAll(/[^a-z]/g, '');
  return letters.length >= RUN_STARTS_FROM && (/^([a-z]{1,2})\1{3,}$/.test(letters) || isOnlyRuns(letters));
}

function isOnlyRuns(letters: string): boolean {
  let at = 0;
  while (at < letters.length) {
    const run = KEY_RUNS.find((one) => letters.startsWith(one, at));
    if (run === undefined) return false;
    at += run.length;
  }
  return true;
}

const RUN_STARTS_FROM = 3;
/** Shorter runs inside a row are syllables (`were`, `tre`). */
const RUNS_FROM = 4;
/** The longest first. */
const KEY_RUNS = [...ROWS.slice(1), 'abcdefghijklmnopqrstuvwxyz']
  .flatMap((row) => [row, [...row].reverse().join('')])
  .flatMap((row, i) => runsOf(row, i < 2 * (ROWS.length - 1) || i % 2 === 0))
  .sort((a, b) => b.length - a.length);

/** `startsShort`: three keys from an end of the row are a run too. */
function runsOf(row: string, startsShort: boolean): string[] {
  const runs = startsShort ? [row.slice(0, RUN_STARTS_FROM)] : [];
  for (let from = 0; from < row.length; from++) for (let to = from + RUNS_FROM; to <= row.length; to++) runs.push(row.slice(from, to));
  return runs;
}
