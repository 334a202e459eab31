/** Builds the index from listings. Words are numbered in order of arrival; then every list of lists becomes two flat arrays. */
import type { Listing } from '../screening.ts';
import { Entries } from './entries.ts';
import { type IndexedList, type ListIndex, rowKinds } from './index.ts';
import { bytes, ints } from './numbers.ts';
import { joinedOf, keysOf, muteFolds, postingsOf, tableOf, weightsOf, wordsOf } from './tables.ts';
import { tokenise } from './tokens.ts';
import { Vocabulary } from './vocabulary.ts';

const encoder = new TextEncoder();

export function buildIndex(listings: Iterable<Listing>): ListIndex {
  const builder = new IndexBuilder();
  for (const listing of listings) builder.add(listing);
  return builder.finish();
}

export class IndexBuilder {
  private readonly lists: IndexedList[] = [];
  private readonly listNumbers = new Map<string, number>();
  private readonly words = new Vocabulary();
  private readonly entries = new Entries();
  private readonly rowTokenStart = ints();
  private readonly rowTokens = ints();
  private readonly rowEntry = ints();
  private readonly rowKind = bytes();
  private readonly textBytes = bytes();
  private readonly textStart = ints();

  /** Entries of the same list share their `version`. */
  add(listing: Listing): void {
    const entryNumber = this.entries.add(this.listNumber(listing), listing);
    const seen = new Set<string>();
    for (const { text, kind } of listing.entry.names) {
      const tokens = tokenise(text);
      const key = `${kind === 'weak'} ${tokens.map((token) => token.text).join(' ')}`;
      if (tokens.length === 0 || seen.has(key)) continue;
      seen.add(key);
      this.textStart.push(this.textBytes.length);
      this.textBytes.append(encoder.encode(text));
      this.rowTokenStart.push(this.rowTokens.length);
      this.rowEntry.push(entryNumber);
      this.rowKind.push(rowKinds.indexOf(kind));
      for (const token of tokens) this.rowTokens.push(this.words.numberOf(token));
    }
  }

  /** Called once, at the end. */
  finish(): ListIndex {
    const { words, entries } = this;
    const rowCount = this.rowEntry.length;
    const foldCount = words.end();
    entries.end();
    this.rowTokenStart.push(this.rowTokens.length);
    this.textStart.push(this.textBytes.length);
    const foldText = (fold: number) => words.foldText(fold);
    const tokenText = (token: number) => words.text(token);
    const [rowTokens, rowTokenStart] = [this.rowTokens.view.subarray(0, this.rowTokens.length), this.rowTokenStart.view];
    const [tokenFold, tokenFlags, tokenCount] = [words.fold.view, words.flags.view, words.fold.length];
    const postings = postingsOf(rowTokens, rowTokenStart, tokenFold, rowCount, foldCount);
    return {
      lists: this.lists,
      entryCount: entries.count,
      rowCount,
      foldCount,
      ...words.shared(),
      foldMute: muteFolds(tokenFold, tokenFlags, tokenCount, foldCount),
      foldTable: tableOf(foldText, foldCount),
      ...postings,
      ...weightsOf(rowTokens, rowTokenStart, tokenFold, tokenFlags, postings.postingStart, rowCount),
      ...keysOf(foldText, foldCount, tokenText, tokenFold, tokenFlags, tokenCount),
      ...joinedOf(rowTokens, rowTokenStart, tokenFold, tokenFlags, words.foldBytes.view, words.foldStart.view, rowCount),
      rowWordStart: this.rowTokenStart.shared(),
      rowWords: wordsOf(rowTokens, tokenFold, tokenFlags, words.bytes.view, words.start.view),
      rowEntry: this.rowEntry.shared(),
      rowKind: this.rowKind.shared(),
      textBytes: this.textBytes.shared(),
      textStart: this.textStart.shared(),
      ...entries.shared(),
    };
  }

  private listNumber({ list, version }: Listing): number {
    const known = this.listNumbers.get(list);
    if (known !== undefined) return known;
    const number = this.lists.push({ list, version }) - 1;
    this.listNumbers.set(list, number);
    return number;
  }
}
