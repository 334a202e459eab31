/** Which folds of the index a word may stand for, and how surely. Asked for once per word: names repeat the same few thousand words. */
import { LRUCache } from 'lru-cache';
import { servedBy, tagOf } from './build.ts';
import { areFar, type Letters, letterSimilarity, lettersIn, lettersOf, muteSimilarity } from './distance.ts';
import { skeleton } from './fold.ts';
import { deletionHashes, findFold, foldText, GROUP, hashOf, type ListIndex, SERVANT, SKELETON } from './index.ts';
import { ABJAD, HAN, HANGUL, INITIAL, PARTICLE, type Token } from './tokens.ts';
import { isSpelling, nameGroups } from './words.ts';

/** In the order of the folds found; the arrays go together. */
export interface SimilarFolds {
  folds: Int32Array;
  /** 0 to 1. */
  similarity: Float32Array;
  /** The same in the order of their numbers, to find one by its own. */
  numbers: Int32Array;
  likeness: Float32Array;
  /** Rows that have one of them, over all. */
  rows: number;
}

/** 0: the word does not stand for it. */
export function similarityTo({ numbers, likeness }: SimilarFolds, fold: number): number {
  let from = 0;
  let to = numbers.length - 1;
  while (from <= to) {
    const middle = (from + to) >> 1;
    const number = numbers[middle]!;
    if (number === fold) return likeness[middle]!;
    if (number < fold) from = middle + 1;
    else to = middle - 1;
  }
  return 0;
}

/** Spellings of one name that are too far apart for edits to explain. */
export const SPELLING = 0.95;
/** A name in another language, or its short form. */
export const NICKNAME = 0.88;
/** `Rahman` for `Abdul Rahman`. */
export const SERVED = 0.82;
/** Below, a word says nothing for another. */
const SIMILARITY_MIN = 0.7;

/** Longer differences are no slips. */
const LENGTH_SLACK = 4;
const MUTE_LENGTH_SLACK = 6;

const WORDS_KEPT = 50_000;

export type FindSimilar = (token: Token) => SimilarFolds;

/** One a thread. */
export function openSimilar(index: ListIndex): FindSimilar {
  const known = new LRUCache<string, SimilarFolds>({ max: WORDS_KEPT });
  const folds = openFolds(index);
  return (token) => {
    const key = `${token.flags} ${token.text}`;
    const before = known.get(key);
    if (before) return before;
    const found = similarFolds(index, token, folds);
    known.set(key, found);
    return found;
  };
}

/**
 * What is looked at of each fold that may be near to a word: side by side, for they are met in no order, and each place of their own that
 * the processor has to fetch costs more than what is done with it.
 */
interface Folds {
  /** `STRIDE` numbers a fold. */
  facts: Int32Array;
  turn: number;
}

const STRIDE = 8;
/** The turn in which it was tried last. */
const TRIED = 0;
/** Where its letters lie, and which they are. */
const HEARD_FROM = 1;
const HEARD_TO = 2;
const HEARD = 3;
/** The same of the first word that is written so. */
const WRITTEN_FROM = 4;
const WRITTEN_TO = 5;
const WRITTEN = 6;
/** 1: some word of it is from a script without vowels. */
const MUTE = 7;

function openFolds({ foldCount, foldBytes, foldStart, foldToken, foldMute, tokenBytes, tokenStart }: ListIndex): Folds {
  const facts = new Int32Array(foldCount * STRIDE);
  const letters: Letters = { bytes: foldBytes, from: 0, to: 0 };
  const setLetters = (at: number, bytes: Uint8Array, from: number, to: number) => {
    Object.assign(letters, { bytes, from, to });
    facts[at] = from;
    facts[at + 1] = to;
    facts[at + 2] = lettersIn(letters);
  };
  for (let fold = 0; fold < foldCount; fold++) {
    const at = fold * STRIDE;
    const token = foldToken[fold]!;
    setLetters(at + HEARD_FROM, foldBytes, foldStart[fold]!, foldStart[fold + 1]!);
    setLetters(at + WRITTEN_FROM, tokenBytes, tokenStart[token]!, tokenStart[token + 1]!);
    facts[at + MUTE] = foldMute[fold]!;
  }
  return { facts, turn: 0 };
}

function similarFolds(index: ListIndex, token: Token, known: Folds): SimilarFolds {
  const { folded, flags } = token;
  const found = new Map<number, number>();
  const add = (fold: number, similarity: number) => {
    if (similarity >= SIMILARITY_MIN && similarity > (found.get(fold) ?? 0)) found.set(fold, similarity);
  };
  const own = findFold(index, folded);
  if (own !== -1) add(own, 1);
  if (!(flags & (PARTICLE | INITIAL))) {
    for (const group of nameGroups(folded)) {
      eachKeyed(index, hashOf(String(group), GROUP), (fold) => {
        if (nameGroups(foldText(index, fold)).includes(group)) add(fold, isSpelling(group) ? SPELLING : NICKNAME);
      });
    }
    const served = servedBy(folded);
    const bare = served === null ? -1 : findFold(index, served);
    if (bare !== -1) add(bare, SERVED);
    eachKeyed(index, hashOf(folded, SERVANT), (fold) => {
      if (servedBy(foldText(index, fold)) === folded) add(fold, SERVED);
    });
    if (folded.length > 2 && !(flags & HAN)) addNear(index, token, own !== -1, add, known);
  }
  // The nearest first: where a name has several of them, that one counts.
  const folds = new Int32Array(found.size);
  let size = 0;
  for (const fold of found.keys()) folds[size++] = fold;
  const numbers = folds.toSorted();
  const likeness = new Float32Array(size);
  for (let i = 0; i < size; i++) likeness[i] = found.get(numbers[i]!)!;
  folds.sort((a, b) => found.get(b)! - found.get(a)! || a - b);
  const similarity = new Float32Array(size);
  let rows = 0;
  for (let i = 0; i < size; i++) {
    const fold = folds[i]!;
    similarity[i] = found.get(fold)!;
    rows += index.postingStart[fold + 1]! - index.postingStart[fold]!;
  }
  return { folds, similarity, numbers, likeness, rows };
}

/** Folds that are slips of the pen or sound alike. */
function addNear(
  index: ListIndex,
  { text, folded, flags }: Token,
  isListed: boolean,
  add: (fold: number, similarity: number) => void,
  known: Folds,
): void {
  const { facts } = known;
  if (known.turn === 0x7fff_ffff) {
    for (let at = TRIED; at < facts.length; at += STRIDE) facts[at] = 0;
    known.turn = 0;
  }
  const turn = ++known.turn;
  const bones = skeleton(folded);
  const mine = { folded: lettersOf(folded), written: lettersOf(text) };
  const letters = { folded: lettersIn(mine.folded), written: lettersIn(mine.written) };
  const heard: Letters = { bytes: index.foldBytes, from: 0, to: 0 };
  const written: Letters = { bytes: index.tokenBytes, from: 0, to: 0 };
  const compare = (fold: number) => {
    const at = fold * STRIDE;
    if (facts[at + TRIED] === turn) return;
    facts[at + TRIED] = turn;
    const isMute = (flags & ABJAD) !== 0 || facts[at + MUTE] === 1;
    heard.from = facts[at + HEARD_FROM]!;
    heard.to = facts[at + HEARD_TO]!;
    if (Math.abs(heard.to - heard.from - folded.length) > (isMute ? MUTE_LENGTH_SLACK : LENGTH_SLACK)) return;
    if (flags & HANGUL && skeleton(foldText(index, fold)) !== bones) return;
    if (isMute) add(fold, flags & ABJAD ? muteSimilarity(mine.folded, heard) : muteSimilarity(heard, mine.folded));
    // A word without vowels has no slips that could be told from another name.
    if (flags & ABJAD) return;
    const isFarHeard = areFar(letters.folded, folded.length, facts[at + HEARD]!, heard.to - heard.from);
    const likeHeard = isFarHeard ? 0 : likeness(mine.folded, heard, 0);
    written.from = facts[at + WRITTEN_FROM]!;
    written.to = facts[at + WRITTEN_TO]!;
    if (
      (text === folded && isSame(heard, written)) ||
      areFar(letters.written, text.length, facts[at + WRITTEN]!, written.to - written.from)
    )
      return add(fold, likeHeard);
    add(fold, Math.max(likeHeard, likeness(mine.written, written, likeHeard)));
  };
  if (!(flags & HANGUL)) {
    // A word that is a name itself is no name with two slips; what it sounds like is found by its consonants.
    const slips = isListed ? 1 : 2;
    for (const hash of deletionHashes(folded, slips)) eachKeyed(index, hash, compare);
    if (text !== folded) for (const hash of deletionHashes(text, slips)) eachKeyed(index, hash, compare);
  }
  eachKeyed(index, hashOf(bones, SKELETON), compare);
}

const likeness = (a: Letters, b: Letters, least: number): number => (isSame(a, b) ? 1 : letterSimilarity(a, b, least));

function isSame(a: Letters, b: Letters): boolean {
  const length = a.to - a.from;
  if (length !== b.to - b.from) return false;
  for (let i = 0; i < length; i++) if (a.bytes[a.from + i] !== b.bytes[b.from + i]) return false;
  return true;
}

/** Folds with a key of such a hash, and rarely one with another key. */
function eachKeyed(index: ListIndex, hash: number, see: (fold: number) => void): void {
  const bucket = hash & (index.keyStart.length - 2);
  const tag = tagOf(hash);
  for (let i = index.keyStart[bucket]!; i < index.keyStart[bucket + 1]!; i++) if (index.keyTag[i] === tag) see(index.keyFold[i]!);
}
