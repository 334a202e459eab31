/** Builds the index from listings. Words are numbered in order of arrival; then every list of lists becomes two flat arrays. */
import { type ListEntry, typeOf } from '../list.ts';
import type { Listing } from '../screening.ts';
import { Entries } from './entries.ts';
import { type IndexedList, type ListIndex, type RowKind, rowKinds, type ScreeningIndex } from './index.ts';
import { bytes, ints, Texts } from './numbers.ts';
import { acronymsOf, readingsOf, registrationToken, tokenizeOrganization, wordToken } from './organization-tokens.ts';
import { joinedOf, keysOf, muteFolds, postingsOf, type RowWords, tableOf, weightsOf, wordsOf } from './tables.ts';
import { type Token, tokenize } from './tokens.ts';
import { Vocabulary } from './vocabulary.ts';

export function buildIndex(listings: Iterable<Listing>): ScreeningIndex {
  const builder = new IndexBuilder();
  for (const listing of listings) builder.add(listing);
  return builder.finish();
}

export class IndexBuilder {
  private readonly persons = new TypeBuilder(personRows);
  private readonly organizations = new TypeBuilder(organizationRows);

  /** Entries of the same list share their `version`. */
  add(listing: Listing): void {
    if (typeOf(listing.entry) === 'person') this.persons.add(listing);
    else this.organizations.add(listing);
  }

  /** Called once, at the end. */
  finish(): ScreeningIndex {
    return { persons: this.persons.finish(), organizations: this.organizations.finish() };
  }
}

/** A name as it is compared. */
interface Row {
  text: string;
  kind: RowKind;
  tokens: Token[];
}

function* personRows({ names }: ListEntry): Generator<Row> {
  for (const { text, kind } of names) yield { text, kind, tokens: tokenize(text) };
}

/** Also the acronyms of its names and its numbers, each as a row of one word. */
function* organizationRows({ names, registrations = [] }: ListEntry): Generator<Row> {
  for (const { text, kind } of names) for (const reading of readingsOf(text)) yield { text, kind, tokens: tokenizeOrganization(reading) };
  for (const { text, kind } of names) {
    if (kind !== 'weak') for (const acronym of acronymsOf(text)) yield { text, kind: 'acronym', tokens: [wordToken(acronym)] };
  }
  for (const number of registrations) yield { text: names[0]!.text, kind: 'registration', tokens: [registrationToken(number)] };
}

/** The index of the entries of one type. */
class TypeBuilder {
  private readonly rowsOf: (entry: ListEntry) => Iterable<Row>;
  private readonly lists: IndexedList[] = [];
  private readonly listNumbers = new Map<string, number>();
  private readonly words = new Vocabulary();
  private readonly entries = new Entries();
  private readonly rowTokenStart = ints();
  private readonly rowTokens = ints();
  private readonly rowEntry = ints();
  private readonly rowKind = bytes();
  private readonly texts = new Texts();
  private readonly textStart = ints();

  constructor(rowsOf: (entry: ListEntry) => Iterable<Row>) {
    this.rowsOf = rowsOf;
  }

  add(listing: Listing): void {
    const entryNumber = this.entries.add(this.listNumber(listing), listing);
    const seen = new Set<string>();
    for (const { text, kind, tokens } of this.rowsOf(listing.entry)) {
      const key = `${kind === 'weak'} ${tokens.map((token) => token.text).join(' ')}`;
      if (tokens.length === 0 || seen.has(key)) continue;
      seen.add(key);
      this.textStart.push(this.texts.length);
      this.texts.append(text);
      this.rowTokenStart.push(this.rowTokens.length);
      this.rowEntry.push(entryNumber);
      this.rowKind.push(rowKinds.indexOf(kind));
      for (const token of tokens) this.rowTokens.push(this.words.numberOf(token));
    }
  }

  finish(): ListIndex {
    const { words, entries } = this;
    const rowCount = this.rowEntry.length;
    const { texts, foldTexts } = words.end();
    const foldCount = foldTexts.length;
    entries.end();
    this.rowTokenStart.push(this.rowTokens.length);
    this.textStart.push(this.texts.length);
    const [rowTokens, rowTokenStart] = [this.rowTokens.view.subarray(0, this.rowTokens.length), this.rowTokenStart.view];
    const [tokenFold, tokenFlags, tokenCount] = [words.fold.view, words.flags.view, words.fold.length];
    const rows: RowWords = { rowCount, rowTokens, rowTokenStart, tokenFold, tokenFlags };
    const postings = postingsOf(rowTokens, rowTokenStart, tokenFold, rowCount, foldCount);
    return {
      lists: this.lists,
      entryCount: entries.count,
      rowCount,
      foldCount,
      ...words.shared(),
      foldMute: muteFolds(tokenFold, tokenFlags, tokenCount, foldCount),
      foldTable: tableOf(foldTexts),
      ...postings,
      ...weightsOf(rows, postings.postingStart),
      ...keysOf(foldTexts, texts, tokenFold, tokenFlags),
      ...joinedOf(rows, texts, words.foldBytes.view, words.foldStart.view),
      rowWordStart: this.rowTokenStart.shared(),
      rowWords: wordsOf(rowTokens, tokenFold, tokenFlags, words.bytes.view, words.start.view),
      rowEntry: this.rowEntry.shared(),
      rowKind: this.rowKind.shared(),
      textBytes: this.texts.shared(),
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
