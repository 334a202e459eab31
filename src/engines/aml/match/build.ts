/** Builds the index from listings. Words are numbered in order of arrival; then every list of lists becomes two flat arrays. */
import { categories } from '../list.ts';
import type { Listing } from '../screening.ts';
import { skeleton } from './fold.ts';
import {
  bytesToText,
  deletionHashes,
  type EntryDetail,
  GROUP,
  genders,
  hashEnd,
  hashOf,
  hashOn,
  hashStart,
  type IndexedList,
  type ListIndex,
  PLAIN,
  ROW_WORD,
  rowKinds,
  SERVANT,
  SKELETON,
  wordFacts,
} from './index.ts';
import { ABJAD, PARTICLE, type Token, tokenise } from './tokens.ts';
import { nameGroups } from './words.ts';

const DAY_MS = 86_400_000;
/** Most words of a name that are also indexed as one word; people do not write longer names together. */
const WHOLE_TOKENS_MAX = 4;

/** A growing array of numbers; its final copy is in shared memory. */
class Numbers<Kind extends Int32Array | Uint8Array | Uint16Array | Float32Array> {
  private array: Kind;
  length = 0;
  constructor(
    private readonly make: new (buffer: ArrayBufferLike) => Kind,
    private readonly bytes: number,
    capacity = 1024,
  ) {
    this.array = new make(new ArrayBuffer(capacity * bytes));
  }
  push(value: number): void {
    if (this.length === this.array.length) this.grow(this.length + 1);
    this.array[this.length++] = value;
  }
  append(values: Uint8Array): void {
    if (this.length + values.length > this.array.length) this.grow(this.length + values.length);
    this.array.set(values, this.length);
    this.length += values.length;
  }
  get view(): Kind {
    return this.array;
  }
  shared(): Kind {
    const shared = new this.make(new SharedArrayBuffer(Math.max(1, this.length) * this.bytes));
    shared.set(this.array.subarray(0, this.length) as never);
    return shared;
  }
  private grow(least: number): void {
    const larger = new this.make(new ArrayBuffer(Math.max(least, this.length * 2) * this.bytes));
    larger.set(this.array.subarray(0, this.length) as never);
    this.array = larger;
  }
}

const ints = (capacity?: number) => new Numbers(Int32Array, 4, capacity);
const bytes = (capacity?: number) => new Numbers(Uint8Array, 1, capacity);
const ascii = (into: Numbers<Uint8Array>, text: string) => {
  for (let i = 0; i < text.length; i++) into.push(text.charCodeAt(i));
};

export interface IndexBuilder {
  /** Entries of the same list share their `version`. */
  add(listing: Listing): void;
  /** Called once, at the end. */
  finish(): ListIndex;
}

export function buildIndex(listings: Iterable<Listing>): ListIndex {
  const builder = openBuilder();
  for (const listing of listings) builder.add(listing);
  return builder.finish();
}

export function openBuilder(): IndexBuilder {
  const lists: IndexedList[] = [];
  const listNumbers = new Map<string, number>();
  const tokenNumbers = new Map<string, number>();
  const foldNumbers = new Map<string, number>();
  const [tokenBytes, tokenStart, tokenFold, tokenFlags] = [bytes(), ints(), ints(), new Numbers(Uint16Array, 2)];
  const [foldBytes, foldStart, foldToken] = [bytes(), ints(), ints()];
  const [rowTokenStart, rowTokens, rowEntry, rowKind] = [ints(), ints(), ints(), bytes()];
  const [textBytes, textStart] = [bytes(), ints()];
  const [entryList, entryCategory, entryGender] = [bytes(), bytes(), bytes()];
  const [birthStart, birthFrom, birthTo, birthCirca] = [ints(), ints(), ints(), bytes()];
  const countryStart = ints();
  const countries = new Numbers(Uint16Array, 2);
  const [detailBytes, detailStart] = [bytes(), ints()];
  const encoder = new TextEncoder();

  const foldNumber = (folded: string): number => {
    const known = foldNumbers.get(folded);
    if (known !== undefined) return known;
    const number = foldNumbers.size;
    foldNumbers.set(folded, number);
    foldStart.push(foldBytes.length);
    ascii(foldBytes, folded);
    return number;
  };
  /** The same letters from another script are a different word. */
  const tokenNumber = ({ text, folded, flags }: Token): number => {
    const key = `${flags} ${text}`;
    const known = tokenNumbers.get(key);
    if (known !== undefined) return known;
    const number = tokenNumbers.size;
    tokenNumbers.set(key, number);
    tokenStart.push(tokenBytes.length);
    ascii(tokenBytes, text);
    const folds = foldNumbers.size;
    tokenFold.push(foldNumber(folded));
    if (foldNumbers.size > folds) foldToken.push(number);
    tokenFlags.push(flags);
    return number;
  };

  function add({ list, version, digest, entry }: Listing): void {
    let listNumber = listNumbers.get(list);
    if (listNumber === undefined) {
      listNumber = lists.push({ list, version }) - 1;
      listNumbers.set(list, listNumber);
    }
    const entryNumber = entryList.length;
    entryList.push(listNumber);
    entryCategory.push(categories.indexOf(entry.category));
    entryGender.push(genders.indexOf(entry.gender));
    birthStart.push(birthFrom.length);
    for (const { from, to, circa } of entry.births) {
      birthFrom.push(Date.parse(from) / DAY_MS);
      birthTo.push(Date.parse(to) / DAY_MS);
      birthCirca.push(circa ? 1 : 0);
    }
    countryStart.push(countries.length);
    for (const country of entry.countries) countries.push(countryNumber(country));
    detailStart.push(detailBytes.length);
    const detail: EntryDetail = {
      id: entry.sourceId,
      digest,
      name: entry.names[0]!.text,
      programs: entry.programs,
      listedOn: entry.listedOn,
      endedOn: entry.endedOn,
      url: entry.url,
    };
    detailBytes.append(encoder.encode(JSON.stringify(detail)));
    const seen = new Set<string>();
    for (const { text, kind } of entry.names) {
      const tokens = tokenise(text);
      const key = `${kind === 'weak'} ${tokens.map((token) => token.text).join(' ')}`;
      if (tokens.length === 0 || seen.has(key)) continue;
      seen.add(key);
      textStart.push(textBytes.length);
      textBytes.append(encoder.encode(text));
      rowTokenStart.push(rowTokens.length);
      rowEntry.push(entryNumber);
      rowKind.push(rowKinds.indexOf(kind));
      for (const token of tokens) rowTokens.push(tokenNumber(token));
    }
  }

  function finish(): ListIndex {
    const rowCount = rowEntry.length;
    const foldCount = foldNumbers.size;
    // The next steps need memory, and these are no longer used.
    tokenNumbers.clear();
    foldNumbers.clear();
    for (const [starts, ended] of [
      [tokenStart, tokenBytes],
      [foldStart, foldBytes],
      [rowTokenStart, rowTokens],
      [textStart, textBytes],
      [birthStart, birthFrom],
      [countryStart, countries],
      [detailStart, detailBytes],
    ] as const)
      starts.push(ended.length);

    const postings = postingsOf(rowTokens.view, rowTokenStart.view, tokenFold.view, rowCount, foldCount);
    const foldWeight = new Float32Array(new SharedArrayBuffer(Math.max(1, foldCount) * 4));
    for (let fold = 0; fold < foldCount; fold++)
      foldWeight[fold] = Math.log1p(rowCount / (1 + postings.postingStart[fold + 1]! - postings.postingStart[fold]!));
    const rowWeight = new Float32Array(new SharedArrayBuffer(Math.max(1, rowCount) * 4));
    for (let row = 0; row < rowCount; row++) {
      let sum = 0;
      for (let i = rowTokenStart.view[row]!; i < rowTokenStart.view[row + 1]!; i++) {
        const token = rowTokens.view[i]!;
        if (!(tokenFlags.view[token]! & PARTICLE)) sum += foldWeight[tokenFold.view[token]!]!;
      }
      rowWeight[row] = sum;
    }
    const foldMute = new Uint8Array(new SharedArrayBuffer(Math.max(1, foldCount)));
    for (let token = 0; token < tokenFold.length; token++) if (tokenFlags.view[token]! & ABJAD) foldMute[tokenFold.view[token]!] = 1;
    const foldText = (fold: number) => bytesToText(foldBytes.view, foldStart.view[fold]!, foldStart.view[fold + 1]!);
    const tokenText = (token: number) => bytesToText(tokenBytes.view, tokenStart.view[token]!, tokenStart.view[token + 1]!);
    return {
      lists,
      entryCount: entryList.length,
      rowCount,
      foldCount,
      tokenBytes: tokenBytes.shared(),
      tokenStart: tokenStart.shared(),
      foldBytes: foldBytes.shared(),
      foldStart: foldStart.shared(),
      foldMute,
      foldToken: foldToken.shared(),

      foldTable: tableOf(foldText, foldCount),
      ...postings,
      foldWeight,
      ...keysOf(foldText, foldCount, tokenText, tokenFold.view, tokenFold.length),
      ...joinedOf(rowTokens.view, rowTokenStart.view, tokenFold.view, tokenFlags.view, foldBytes.view, foldStart.view, rowCount),
      rowWordStart: rowTokenStart.shared(),
      rowWords: wordsOf(rowTokens.view.subarray(0, rowTokens.length), tokenFold.view, tokenFlags.view, tokenBytes.view, tokenStart.view),
      rowEntry: rowEntry.shared(),
      rowKind: rowKind.shared(),
      rowWeight,
      textBytes: textBytes.shared(),
      textStart: textStart.shared(),
      entryList: entryList.shared(),
      entryCategory: entryCategory.shared(),
      entryGender: entryGender.shared(),
      birthStart: birthStart.shared(),
      birthFrom: birthFrom.shared(),
      birthTo: birthTo.shared(),
      birthCirca: birthCirca.shared(),
      countryStart: countryStart.shared(),
      countries: countries.shared(),
      detailBytes: detailBytes.shared(),
      detailStart: detailStart.shared(),
    };
  }

  return { add, finish };
}

export const countryNumber = (code: string): number => code.charCodeAt(0) * 256 + code.charCodeAt(1);

function tableOf(foldText: (fold: number) => string, foldCount: number): Int32Array {
  const size = powerOfTwo(foldCount * 2);
  const table = new Int32Array(new SharedArrayBuffer(size * 4));
  for (let fold = 0; fold < foldCount; fold++) {
    let at = hashOf(foldText(fold), PLAIN) & (size - 1);
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

function postingsOf(rowTokens: Int32Array, rowTokenStart: Int32Array, tokenFold: Int32Array, rowCount: number, foldCount: number) {
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

function wordsOf(
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

/** Values in buckets by hash, about two in a bucket. `visit` must report the same values each time: they are counted first, then stored. */
function buckets(visit: (see: (hash: number, value: number) => void) => void) {
  let count = 0;
  visit(() => count++);
  const mask = powerOfTwo(count / 2) - 1;
  const start = new Int32Array(new SharedArrayBuffer((mask + 2) * 4));
  visit((hash) => start[(hash & mask) + 1]!++);
  for (let i = 0; i <= mask; i++) start[i + 1]! += start[i]!;
  const value = new Int32Array(new SharedArrayBuffer(Math.max(1, count) * 4));
  const tag = new Uint16Array(new SharedArrayBuffer(Math.max(1, count) * 2));
  const at = start.slice(0, mask + 1);
  visit((hash, one) => {
    const place = at[hash & mask]!++;
    value[place] = one;
    tag[place] = tagOf(hash);
  });
  return { start, value, tag };
}

export const tagOf = (hash: number): number => (hash >>> 16) & 0xffff;

function keysOf(
  foldText: (fold: number) => string,
  foldCount: number,
  tokenText: (token: number) => string,
  tokenFold: Int32Array,
  tokenCount: number,
): Pick<ListIndex, 'keyStart' | 'keyFold' | 'keyTag'> {
  const { start, value, tag } = buckets((see) => {
    for (let fold = 0; fold < foldCount; fold++) {
      const text = foldText(fold);
      if (text.length > 2) {
        for (const hash of deletionHashes(text, 2)) see(hash, fold);
        see(hashOf(skeleton(text), SKELETON), fold);
      }
      for (const group of nameGroups(text)) see(hashOf(String(group), GROUP), fold);
      const served = servedBy(text);
      if (served !== null) see(hashOf(served, SERVANT), fold);
    }
    for (let token = 0; token < tokenCount; token++) {
      const text = tokenText(token);
      const fold = tokenFold[token]!;
      if (text.length < 3 || text === foldText(fold)) continue;
      for (const hash of deletionHashes(text, 2)) see(hash, fold);
    }
  });
  return { keyStart: start, keyFold: value, keyTag: tag };
}

export const SERVANT_PREFIX = 'abdul';

/** `rahman` of `abdulrahman`. */
export const servedBy = (folded: string): string | null =>
  folded.startsWith(SERVANT_PREFIX) && folded.length > SERVANT_PREFIX.length + 2 ? folded.slice(SERVANT_PREFIX.length) : null;

function joinedOf(
  rowTokens: Int32Array,
  rowTokenStart: Int32Array,
  tokenFold: Int32Array,
  tokenFlags: Uint16Array,
  foldBytes: Uint8Array,
  foldStart: Int32Array,
  rowCount: number,
): Pick<ListIndex, 'joinedStart' | 'joinedRow' | 'joinedTag'> {
  const folds: number[] = [];
  const on = (hash: number, place: number) => hashOn(hash, foldBytes, foldStart[folds[place]!]!, foldStart[folds[place]! + 1]!);
  /** Hash of the words at `[from, to)`, and then of the one at `last`. */
  const hashed = (from: number, to: number, last: number | null): number => {
    let hash = hashStart(PLAIN);
    for (let place = from; place < to; place++) hash = on(hash, place);
    return hashEnd(last === null ? hash : on(hash, last));
  };
  const { start, value, tag } = buckets((see) => {
    for (let row = 0; row < rowCount; row++) {
      folds.length = 0;
      for (let i = rowTokenStart[row]!; i < rowTokenStart[row + 1]!; i++)
        if (!(tokenFlags[rowTokens[i]!]! & PARTICLE)) folds.push(tokenFold[rowTokens[i]!]!);
      const { length } = folds;
      for (let i = 0; i + 1 < length; i++) see(hashed(i, i + 2, null), row);
      if (length < 2 || length > WHOLE_TOKENS_MAX) continue;
      see(hashed(1, length, 0), row);
      if (length > 2) see(hashed(0, length, null), row);
    }
  });
  return { joinedStart: start, joinedRow: value, joinedTag: tag };
}
