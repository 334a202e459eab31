/** The tables by which the matcher finds words and rows. Each is counted first, then filled, in shared memory. */
import { fold as foldOf, skeleton } from './fold.ts';
import { formGroups } from './form-groups.ts';
import {
  deletionHashes,
  GROUP,
  hashEnd,
  hashOf,
  hashOn,
  hashStart,
  type ListIndex,
  PINYIN,
  PLAIN,
  ROW_WORD,
  SERVANT,
  SHORT,
  SKELETON,
  wordFacts,
} from './index.ts';
import { ints } from './numbers.ts';
import { shortened } from './short-forms.ts';
import { pinyinOf } from './syllables.ts';
import { ABJAD, DIALECT, PARTICLE, SYLLABIC } from './tokens.ts';

/** Most words of a name that are also indexed as one word; people do not write longer names together. */
const WHOLE_TOKENS_MAX = 4;

export function tableOf(foldTexts: readonly string[]): Int32Array {
  const size = powerOfTwo(foldTexts.length * 2);
  const table = new Int32Array(new SharedArrayBuffer(size * 4));
  for (const [fold, text] of foldTexts.entries()) {
    let at = hashOf(text, PLAIN) & (size - 1);
    while (table[at] !== 0) at = (at + 1) & (size - 1);
    table[at] = fold + 1;
  }
  return table;
}

const powerOfTwo = (least: number): number => {
  let size = 16;
  while (size < least) size *= 2;
  return size;
};

export function postingsOf(rowTokens: Int32Array, rowTokenStart: Int32Array, tokenFold: Int32Array, rowCount: number, foldCount: number) {
  const postingStart = new Int32Array(new SharedArrayBuffer((foldCount + 1) * 4));
  const last = new Int32Array(foldCount).fill(-1);
  const visit = (see: (fold: number, row: number) => void) => {
    last.fill(-1);
    for (let row = 0; row < rowCount; row++) {
      for (let i = rowTokenStart[row]!; i < rowTokenStart[row + 1]!; i++) {
        const fold = tokenFold[rowTokens[i]!]!;
        if (last[fold] === row) continue;
        last[fold] = row;
        see(fold, row);
      }
    }
  };
  visit((fold) => postingStart[fold + 1]!++);
  for (let fold = 0; fold < foldCount; fold++) postingStart[fold + 1]! += postingStart[fold]!;
  const postings = new Int32Array(new SharedArrayBuffer(Math.max(1, postingStart[foldCount]!) * 4));
  const at = postingStart.slice(0, foldCount);
  visit((fold, row) => {
    postings[at[fold]!++] = row;
  });
  return { postingStart, postings };
}

export function wordsOf(
  rowTokens: Int32Array,
  tokenFold: Int32Array,
  tokenFlags: Uint16Array,
  tokenBytes: Uint8Array,
  tokenStart: Int32Array,
): Int32Array {
  const words = new Int32Array(new SharedArrayBuffer(Math.max(1, rowTokens.length * ROW_WORD) * 4));
  for (let i = 0; i < rowTokens.length; i++) {
    const token = rowTokens[i]!;
    const start = tokenStart[token]!;
    words[i * ROW_WORD] = token;
    words[i * ROW_WORD + 1] = tokenFold[token]!;
    words[i * ROW_WORD + 2] = wordFacts(tokenFlags[token]!, tokenStart[token + 1]! - start, tokenBytes[start]!);
  }
  return words;
}

/** The hashes of each value, before they are sorted into buckets. Kept in pieces, so that sorting needs no second copy of them all. */
class Hashes {
  private readonly pieces: Uint32Array[] = [];
  private count = 0;
  /** The values, and for each the number of hashes up to its last. */
  private readonly values = ints();
  private readonly ends = ints();

  add(hash: number): void {
    const at = this.count++ % PIECE;
    if (at === 0) this.pieces.push(new Uint32Array(PIECE));
    this.pieces[this.pieces.length - 1]![at] = hash;
  }

  /** The hashes added since the last call are those of `value`. */
  end(value: number): void {
    this.values.push(value);
    this.ends.push(this.count);
  }

  /** The values by hash, about two in a bucket, in the order in which they were added. Called once. */
  inBuckets() {
    const { pieces, count } = this;
    const mask = powerOfTwo(count / 2) - 1;
    const start = new Int32Array(new SharedArrayBuffer((mask + 2) * 4));
    for (const [i, piece] of pieces.entries()) {
      const length = Math.min(PIECE, count - i * PIECE);
      for (let at = 0; at < length; at++) start[(piece[at]! & mask) + 1]!++;
    }
    for (let i = 0; i <= mask; i++) start[i + 1]! += start[i]!;
    const value = new Int32Array(new SharedArrayBuffer(Math.max(1, count) * 4));
    const tag = new Uint16Array(new SharedArrayBuffer(Math.max(1, count) * 2));
    const next = start.slice(0, mask + 1);
    for (let run = 0, at = 0; run < this.values.length; run++) {
      const one = this.values.view[run]!;
      for (const end = this.ends.view[run]!; at < end; at++) {
        const hash = pieces[Math.floor(at / PIECE)]![at % PIECE]!;
        const place = next[hash & mask]!++;
        value[place] = one;
        tag[place] = tagOf(hash);
      }
    }
    return { start, value, tag };
  }
}

const PIECE = 1 << 16;

export const tagOf = (hash: number): number => (hash >>> 16) & 0xffff;

export function keysOf(
  foldTexts: readonly string[],
  texts: readonly string[],
  tokenFold: Int32Array,
  tokenFlags: Uint16Array,
): Pick<ListIndex, 'keyStart' | 'keyFold' | 'keyTag'> {
  const hashes = new Hashes();
  for (const [fold, text] of foldTexts.entries()) {
    if (text.length > 2) {
      for (const hash of deletionHashes(text, 2)) hashes.add(hash);
      hashes.add(hashOf(skeleton(text), SKELETON));
    }
    for (const group of formGroups(text)) hashes.add(hashOf(String(group), GROUP));
    const served = servedBy(text);
    if (served !== null) hashes.add(hashOf(served, SERVANT));
    for (const short of shortened(text)) hashes.add(hashOf(short, SHORT));
    hashes.end(fold);
  }
  for (const [token, text] of texts.entries()) {
    const fold = tokenFold[token]!;
    if (text.length < 3 || text === foldTexts[fold]) continue;
    for (const hash of deletionHashes(text, 2)) hashes.add(hash);
    hashes.end(fold);
  }
  for (const [token, text] of texts.entries()) {
    const flags = tokenFlags[token]!;
    if (!(flags & SYLLABIC)) continue;
    for (const reading of pinyinOf(text, { isDialect: (flags & DIALECT) !== 0 })) hashes.add(hashOf(foldOf(reading), PINYIN));
    hashes.end(tokenFold[token]!);
  }
  const { start, value, tag } = hashes.inBuckets();
  return { keyStart: start, keyFold: value, keyTag: tag };
}

export const SERVANT_PREFIX = 'abdul';

/** `rahman` of `abdulrahman`. */
export const servedBy = (folded: string): string | null =>
  folded.startsWith(SERVANT_PREFIX) && folded.length > SERVANT_PREFIX.length + 1 ? folded.slice(SERVANT_PREFIX.length) : null;

/** The words of each row, and of each word its folded form and its flags. */
export interface RowWords {
  rowCount: number;
  rowTokens: Int32Array;
  rowTokenStart: Int32Array;
  tokenFold: Int32Array;
  tokenFlags: Uint16Array;
}

/** `texts`: of the words as written. `foldBytes`, `foldStart`: of their folded forms. */
export function joinedOf(
  { rowCount, rowTokens, rowTokenStart, tokenFold, tokenFlags }: RowWords,
  texts: readonly string[],
  foldBytes: Uint8Array,
  foldStart: Int32Array,
): Pick<ListIndex, 'joinedStart' | 'joinedRow' | 'joinedTag'> {
  const folds: number[] = [];
  const on = (hash: number, place: number) => hashOn(hash, foldBytes, foldStart[folds[place]!]!, foldStart[folds[place]! + 1]!);
  /** Hash of the words at `[from, to)`, and then of the one at `last`. */
  const hashed = (from: number, to: number, last: number | null): number => {
    let hash = hashStart(PLAIN);
    for (let place = from; place < to; place++) hash = on(hash, place);
    return hashEnd(last === null ? hash : on(hash, last));
  };
  const hashes = new Hashes();
  for (let row = 0; row < rowCount; row++) {
    folds.length = 0;
    for (let i = rowTokenStart[row]!; i < rowTokenStart[row + 1]!; i++)
      if (!(tokenFlags[rowTokens[i]!]! & PARTICLE)) folds.push(tokenFold[rowTokens[i]!]!);
    const { length } = folds;
    if (length < 2) continue;
    for (let i = 0; i + 1 < length; i++) hashes.add(hashed(i, i + 2, null));
    for (let i = rowTokenStart[row]!; i + 1 < rowTokenStart[row + 1]!; i++)
      if (tokenFlags[rowTokens[i]!]! & DIALECT)
        for (const reading of pinyinOf(texts[rowTokens[i]!]! + texts[rowTokens[i + 1]!]!, { isDialect: true }))
          hashes.add(hashOf(foldOf(reading), PLAIN));
    if (length <= WHOLE_TOKENS_MAX) {
      hashes.add(hashed(1, length, 0));
      if (length > 2) hashes.add(hashed(0, length, null));
    }
    hashes.end(row);
  }
  const { start, value, tag } = hashes.inBuckets();
  return { joinedStart: start, joinedRow: value, joinedTag: tag };
}

/** How rare each folded word is, and the sum of that over each row's words. */
export function weightsOf(
  { rowCount, rowTokens, rowTokenStart, tokenFold, tokenFlags }: RowWords,
  postingStart: Int32Array,
): Pick<ListIndex, 'foldWeight' | 'rowWeight'> {
  const foldCount = postingStart.length - 1;
  const foldWeight = new Float32Array(new SharedArrayBuffer(Math.max(1, foldCount) * 4));
  for (let fold = 0; fold < foldCount; fold++)
    foldWeight[fold] = Math.log1p(rowCount / (1 + postingStart[fold + 1]! - postingStart[fold]!));
  const rowWeight = new Float32Array(new SharedArrayBuffer(Math.max(1, rowCount) * 4));
  for (let row = 0; row < rowCount; row++) {
    let sum = 0;
    for (let i = rowTokenStart[row]!; i < rowTokenStart[row + 1]!; i++) {
      const token = rowTokens[i]!;
      if (!(tokenFlags[token]! & PARTICLE)) sum += foldWeight[tokenFold[token]!]!;
    }
    rowWeight[row] = sum;
  }
  return { foldWeight, rowWeight };
}

/** Marks the folded words that some name has in a script without vowels. */
export function muteFolds(tokenFold: Int32Array, tokenFlags: Uint16Array, tokenCount: number, foldCount: number): Uint8Array {
  const mute = new Uint8Array(new SharedArrayBuffer(Math.max(1, foldCount)));
  for (let token = 0; token < tokenCount; token++) if (tokenFlags[token]! & ABJAD) mute[tokenFold[token]!] = 1;
  return mute;
}
