/**
 * The index of listed names: flat arrays over shared memory, so all threads of a process read one copy. A *row* is one name of an entry; its words
 * are *tokens*, and tokens with one normalized spelling (`fold.ts`) share a *fold*. `build.ts` builds it; `candidates.ts` and `compare.ts` read it.
 */

/** Number of names of one list in the index. */
export interface IndexedList {
  list: string;
  version: string;
}

/** What a screening needs: persons and organizations apart, because they are never compared with each other. */
export interface ScreeningIndex {
  persons: ListIndex;
  organizations: ListIndex;
}

/** All members are numbers or arrays of numbers; passing the index to a thread shares it. */
export interface ListIndex {
  lists: IndexedList[];
  entryCount: number;
  rowCount: number;
  foldCount: number;

  /** Words in ASCII, end to end. Token `t` is `[tokenStart[t], tokenStart[t + 1])`. */
  tokenBytes: Uint8Array;
  tokenStart: Int32Array;

  foldBytes: Uint8Array;
  foldStart: Int32Array;
  /** 1: at least one of its words comes from a script without vowels. */
  foldMute: Uint8Array;
  /** Its first word: a slip of the pen shows better in the written form than in the sound. */
  foldToken: Int32Array;
  /** Open addressing: fold + 1 by hash, 0 for a free slot. The length is a power of two. */
  foldTable: Int32Array;
  /** Rows that contain a word of the fold. */
  postingStart: Int32Array;
  postings: Int32Array;
  /** How much information a fold carries: log of all rows over its rows. */
  foldWeight: Float32Array;

  /** Keys that find misspelt, shortened and foreign forms: folds by the hash of a key. The number of buckets is a power of two. */
  keyStart: Int32Array;
  keyFold: Int32Array;
  /** More bits of the hash, to distinguish the keys in a bucket. */
  keyTag: Uint16Array;

  /** Words that people may write together, by the hash of the folds of two neighbours or of a whole name: rows in buckets. */
  joinedStart: Int32Array;
  joinedRow: Int32Array;
  joinedTag: Uint16Array;

  rowWordStart: Int32Array;
  /** `ROW_WORD` numbers a word (token, fold and `wordFacts`), so that comparing a row does not read its tokens. */
  rowWords: Int32Array;
  rowEntry: Int32Array;
  rowKind: Uint8Array;
  /** Sum of the weights of the row's folds. */
  rowWeight: Float32Array;
  /** Names as listed, UTF-8. */
  textBytes: Uint8Array;
  textStart: Int32Array;

  entryList: Uint8Array;
  entryCategory: Uint8Array;
  entryGender: Uint8Array;
  /** Births of an entry: first and last day since 1970-01-01, and whether the list says "about". */
  birthStart: Int32Array;
  birthFrom: Int32Array;
  birthTo: Int32Array;
  birthCirca: Uint8Array;
  countryStart: Int32Array;
  /** Two letters in one number. */
  countries: Uint16Array;
  /** `EntryDetail` as JSON, UTF-8. */
  detailBytes: Uint8Array;
  detailStart: Int32Array;
}

export const ROW_WORD = 3;
/** The flags in the lowest fifteen bits, above them the word's length, then its first letter. */
export const wordFacts = (flags: number, length: number, first: number): number => flags | (length << 15) | (first << 21);
export const flagsIn = (facts: number): number => facts & 0x7fff;
export const lengthIn = (facts: number): number => (facts >> 15) & 0x3f;
export const firstIn = (facts: number): number => facts >> 21;

/** What an entry's hit shows besides the data that is compared. */
export interface EntryDetail {
  id: string;
  digest: string;
  name: string;
  programs: string[];
  listedOn: string | null;
  endedOn: string | null;
  url: string | null;
}

/** The last two are derived from an organization's names and numbers. */
export const rowKinds = ['primary', 'alias', 'weak', 'former', 'original', 'acronym', 'registration'] as const;
export type RowKind = (typeof rowKinds)[number];
export const genders = [null, 'male', 'female'] as const;

/** FNV-1a over the characters. The seed separates the kinds of keys. */
export function hashOf(text: string, seed: number): number {
  let hash = hashStart(seed);
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return hashEnd(hash);
}

/** `hashOf` for text built from parts: `hashStart`, `hashOn` for each part, `hashEnd`. */
export const hashStart = (seed: number): number => 0x811c9dc5 ^ seed;
export function hashOn(hash: number, bytes: Uint8Array, from: number, to: number): number {
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i]!, FNV_PRIME);
  return hash;
}
export function hashEnd(hash: number): number {
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

const FNV_PRIME = 0x01000193;

/** Kinds of keys in `keyFold`. */
const DELETION = 1;
export const SKELETON = 2;
export const GROUP = 3;
/** The name after `abdul`. */
export const SERVANT = 4;
/** What people call somebody of the name. */
export const SHORT = 5;
/** A word of Wade-Giles in pinyin. */
export const PINYIN = 6;
/** In `foldTable` and `joinedRow`. */
export const PLAIN = 0;

const bytesToText = (bytes: Uint8Array, from: number, to: number): string => {
  let text = '';
  for (let i = from; i < to; i++) text += String.fromCharCode(bytes[i]!);
  return text;
};

export const foldText = (index: ListIndex, fold: number): string =>
  bytesToText(index.foldBytes, index.foldStart[fold]!, index.foldStart[fold + 1]!);
export const tokenText = (index: ListIndex, token: number): string =>
  bytesToText(index.tokenBytes, index.tokenStart[token]!, index.tokenStart[token + 1]!);

/** Whether a listed word has just these letters. */
export function isToken({ tokenBytes, tokenStart }: ListIndex, token: number, text: string): boolean {
  const start = tokenStart[token]!;
  return tokenStart[token + 1]! - start === text.length && areLetters(tokenBytes, start, text);
}

function areLetters(bytes: Uint8Array, start: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** The fold of exactly this text; -1 if no listed word has it. */
export function findFold(index: ListIndex, folded: string): number {
  const mask = index.foldTable.length - 1;
  for (let at = hashOf(folded, PLAIN) & mask; ; at = (at + 1) & mask) {
    const found = index.foldTable[at]! - 1;
    if (found === -1) return -1;
    const start = index.foldStart[found]!;
    if (index.foldStart[found + 1]! - start === folded.length && areLetters(index.foldBytes, start, folded)) return found;
  }
}

const PREFIX = 7;
/** For seven letters: all, all but one, all but two. */
const DELETIONS_MAX = 1 + PREFIX + (PREFIX * (PREFIX - 1)) / 2;
const deletionScratch = new Uint32Array(DELETIONS_MAX);
/** Open addressing: place in `deletionScratch` + 1 by hash, and the call that wrote it (`turn × 32 + place + 1`). At most half full. */
const deletionTable = new Uint32Array(64);
let deletionTurn = 0;
const TURN_MAX = 0x3ff_ffff;

/**
 * Hashes of a word's first seven letters, and of what remains of them without one letter or, for a longer word, without two. Two words that share a
 * hash are at most that many slips apart. Valid until the next call.
 */
export function deletionHashes(word: string, slips: 1 | 2): Uint32Array {
  const length = Math.min(word.length, PREFIX);
  if (deletionTurn === TURN_MAX) {
    deletionTable.fill(0);
    deletionTurn = 0;
  }
  deletionTurn++;
  let count = addDeletion(hashWithout(word, hashStart(DELETION), 0, length, -1), 0);
  if (length > 2) {
    // The hash of the letters before the deleted one.
    let before = hashStart(DELETION);
    for (let one = 0; one < length; one++) {
      count = addDeletion(hashWithout(word, before, one + 1, length, -1), count);
      if (slips === 2 && word.length > 5)
        for (let other = one + 1; other < length; other++) count = addDeletion(hashWithout(word, before, one + 1, length, other), count);
      before = Math.imul(before ^ word.charCodeAt(one), FNV_PRIME);
    }
  }
  return deletionScratch.subarray(0, count);
}

/** Continues the hash `before` with the letters `[from, to)`, skipping the one at `less`. */
function hashWithout(word: string, before: number, from: number, to: number, less: number): number {
  let hash = before;
  for (let i = from; i < to; i++) if (i !== less) hash = Math.imul(hash ^ word.charCodeAt(i), FNV_PRIME);
  return hashEnd(hash);
}

/** Adds the hash unless it already exists. Returns the new count. */
function addDeletion(hash: number, count: number): number {
  let at = hash & 63;
  for (let slot = deletionTable[at]!; slot >>> 5 === deletionTurn; slot = deletionTable[at]!) {
    if (deletionScratch[(slot & 31) - 1] === hash) return count;
    at = (at + 1) & 63;
  }
  deletionScratch[count++] = hash;
  deletionTable[at] = deletionTurn * 32 + count;
  return count;
}
