/** Finds the folds of the index that a word may stand for, and how surely. Results are cached by word: names repeat the same few thousand words. */
import { areFar, type Letters, letterSimilarity, lettersIn, lettersOf, muteSimilarity } from './distance.ts';
import { fold as foldOf, skeleton } from './fold.ts';
import { factsOf, HEARD, HEARD_FROM, HEARD_TO, MUTE, STRIDE, TRIED, WRITTEN, WRITTEN_FROM, WRITTEN_TO } from './fold-facts.ts';
import { formGroups, isShortForm, isSpelling } from './form-groups.ts';
import { deletionHashes, findFold, foldText, GROUP, hashOf, type ListIndex, PINYIN, SERVANT, SHORT, SKELETON, tokenText } from './index.ts';
import { ahead } from './read-ahead.ts';
import { sharedBeginning, shortened } from './short-forms.ts';
import { rankFolds, type SimilarFolds } from './similar-folds.ts';
import { nameGroups } from './spellings.ts';
import { pinyinOf } from './syllables.ts';
import { SERVANT_PREFIX, servedBy, tagOf } from './tables.ts';
import { ABJAD, DIALECT, HAN, HANGUL, INITIAL, PARTICLE, SYLLABIC, type Token } from './tokens.ts';

/** Spellings of one name that are too far apart for edits to explain. */
const SPELLING = 0.95;
/** A short form of a name. High enough to find a person by a short form even if another name is left out. */
const SHORT_FORM = 0.92;
/** A name in another language. */
const NICKNAME = 0.9;
/** `Rahman` for `Abdul Rahman`. */
const SERVED = 0.82;
/** A syllable in another romanization, which may stand for several. */
const READ = 0.92;
/** Less similar words do not stand for each other. */
const SIMILARITY_MIN = 0.7;

/** A larger difference in length is not a slip. */
const LENGTH_SLACK = 4;
const MUTE_LENGTH_SLACK = 6;

const WORDS_KEPT = 50_000;

/**
 * Whether a short form says enough about a name to find somebody who leaves out another name. It does if it is the end of the name (`Tunde`, `Babatunde`).
 * Otherwise the name must not have many spellings already: `Modu` for Muhammad or `Garba` for Abubakar would match too many people.
 */
const tells = (one: string, other: string): boolean => one.slice(-END) === other.slice(-END) || !(hasSpellings(one) || hasSpellings(other));
const END = 4;
const hasSpellings = (folded: string): boolean => nameGroups(folded).some(isSpelling);

export type FindSimilar = (token: Token) => SimilarFolds;

/** What a word stands for. Words with the same text but other flags form a chain. */
interface Kept extends Pick<Token, 'folded' | 'flags' | 'written'> {
  similar: SimilarFolds;
  next: Kept | undefined;
}

/** One for each thread. `isPersonal`: nicknames, short forms and the like stand for a name. Nobody calls Robert's Bakery Bob's. */
export function openSimilar(index: ListIndex, { isPersonal }: { isPersonal: boolean }): FindSimilar {
  const kept = new Map<string, Kept>();
  let count = 0;
  const search = new Search(index, isPersonal);
  return (token) => {
    const { text, folded, flags, written } = token;
    const next = kept.get(text);
    for (let one = next; one; one = one.next)
      if (one.flags === flags && one.written === written && one.folded === folded) return one.similar;
    const similar = search.similarTo(token);
    if (count === WORDS_KEPT) {
      kept.clear();
      count = 0;
    }
    kept.set(text, { folded, flags, written, similar, next: count === 0 ? undefined : next });
    count++;
    return similar;
  };
}

/** `TRIED` is a signed number of 32 bits. */
const TURN_MAX = 0x7fff_ffff;

/** Room for this many folds to start with. */
const FOLDS_FIRST = 1_024;

function grown(folds: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(folds.length * 2);
  larger.set(folds);
  return larger;
}

interface Mine {
  letters: Letters;
  /** The letters as a bit mask. */
  mask: number;
}

const mineOf = (text: string): Mine => {
  const letters = lettersOf(text);
  return { letters, mask: lettersIn(letters) };
};

/** Searches for one word after the other. Created once: closures for each word would cost a tenth of the search. */
class Search {
  private readonly index: ListIndex;
  private readonly isPersonal: boolean;
  private readonly facts: Int32Array;
  /** For each fold the groups of names that contain it, filled in when first needed. */
  private readonly groups: (readonly number[] | undefined)[];
  private turn = 0;
  /** The first `collected` of these are yet to be compared; one may be there several times. */
  private folds = new Int32Array(FOLDS_FIRST);
  private collected = 0;
  private found = new Map<number, number>();
  private foundMute = new Map<number, number>();
  private forms = new Set<number>();
  private token: Token = { text: '', folded: '', flags: 0, written: 1, isTitled: false };
  private bones = '';
  private myHeard = mineOf('');
  private myWritten = mineOf('');
  /** `Oluwa`, if the word begins so. */
  private myShared = '';
  /** `rahman` of `abdulrahman`; null if the name is not of that kind. */
  private myServed: Letters | null = null;
  private readonly heard: Letters;
  private readonly written: Letters;

  constructor(index: ListIndex, isPersonal: boolean) {
    this.index = index;
    this.isPersonal = isPersonal;
    this.facts = factsOf(index);
    this.groups = new Array(index.foldCount);
    this.heard = { bytes: index.foldBytes, from: 0, to: 0 };
    this.written = { bytes: index.tokenBytes, from: 0, to: 0 };
  }

  similarTo(token: Token): SimilarFolds {
    const { index } = this;
    const { folded, flags } = token;
    this.token = token;
    this.found = new Map();
    this.foundMute = new Map();
    this.forms = new Set();
    const own = findFold(index, folded);
    if (own !== -1) this.add(own, 1);
    if (!(flags & (PARTICLE | INITIAL))) {
      for (const group of formGroups(folded)) {
        if (!this.isPersonal && !isSpelling(group)) continue;
        for (const fold of keyed(index, hashOf(String(group), GROUP)))
          if (this.groupsOf(fold).includes(group))
            this.addForm(
              fold,
              isSpelling(group) ? SPELLING : isShortForm(group) && tells(folded, foldText(index, fold)) ? SHORT_FORM : NICKNAME,
            );
      }
      if (this.isPersonal) this.addForms(folded);
      if (flags & (SYLLABIC | HAN)) this.addReadings(token.text);
      if (folded.length > 2 && !(flags & HAN)) this.addNear(own !== -1);
    }
    return rankFolds(index, this.found, this.foundMute, this.forms);
  }

  private groupsOf(fold: number): readonly number[] {
    let groups = this.groups[fold];
    if (groups === undefined) {
      groups = formGroups(foldText(this.index, fold));
      this.groups[fold] = groups;
    }
    return groups;
  }

  /** Adds `Rahman` for `Abdul Rahman`, and short forms. */
  private addForms(folded: string): void {
    const { index } = this;
    const served = servedBy(folded);
    const bare = served === null ? -1 : findFold(index, served);
    if (bare !== -1) this.addForm(bare, SERVED);
    for (const fold of keyed(index, hashOf(folded, SERVANT))) if (servedBy(foldText(index, fold)) === folded) this.addForm(fold, SERVED);
    this.addShort(folded);
  }

  private add(fold: number, similarity: number): void {
    const before = this.found.get(fold) ?? 0;
    if (similarity < SIMILARITY_MIN || similarity <= before) return;
    // Two romanizations of one syllable often look alike (`Kung`, `Kong`), but the difference is no slip.
    if (before === READ && this.token.flags & SYLLABIC && this.forms.has(fold)) return;
    this.found.set(fold, similarity);
    this.forms.delete(fold);
  }

  /** Adds a fold that is known to be another form of the word. */
  private addForm(fold: number, similarity: number): void {
    if (similarity <= (this.found.get(fold) ?? 0)) return;
    this.found.set(fold, similarity);
    this.forms.add(fold);
  }

  /** Adds short forms of the word, and names that it is short for. */
  private addShort(word: string): void {
    const { index } = this;
    for (const short of shortened(word)) {
      const fold = findFold(index, short);
      if (fold !== -1) this.addForm(fold, SHORT_FORM);
    }
    for (const fold of keyed(index, hashOf(word, SHORT)))
      if (shortened(foldText(index, fold)).includes(word)) this.addForm(fold, SHORT_FORM);
  }

  /** Adds the same syllables in another romanization. */
  private addReadings(word: string): void {
    const { index } = this;
    for (const reading of pinyinOf(word, { isDialect: (this.token.flags & DIALECT) !== 0 })) {
      const fold = findFold(index, foldOf(reading));
      if (fold !== -1) this.addForm(fold, READ);
    }
    const isMine = (reading: string) => foldOf(reading) === this.token.folded;
    for (const fold of keyed(index, hashOf(this.token.folded, PINYIN))) {
      const listed = tokenText(index, index.foldToken[fold]!);
      if (pinyinOf(listed, { isDialect: true }).some(isMine)) this.addForm(fold, READ);
    }
  }

  private addMute(fold: number, similarity: number): void {
    if (similarity >= SIMILARITY_MIN) this.foundMute.set(fold, similarity);
  }

  /** Adds folds that are slips of the pen or sound alike. */
  private addNear(isListed: boolean): void {
    const { text, folded, flags } = this.token;
    if (this.turn === TURN_MAX) {
      for (let at = TRIED; at < this.facts.length; at += STRIDE) this.facts[at] = 0;
      this.turn = 0;
    }
    this.turn++;
    this.bones = skeleton(folded);
    this.myHeard = mineOf(folded);
    this.myWritten = mineOf(text);
    this.myShared = sharedBeginning(folded);
    const served = servedBy(folded);
    this.myServed = served === null ? null : lettersOf(served);
    if (!(flags & HANGUL)) {
      // A word that is itself listed is not taken for another name with two slips. Its consonants find names that sound alike.
      const slips = isListed ? 1 : 2;
      this.collectAll(deletionHashes(folded, slips));
      if (text !== folded) this.collectAll(deletionHashes(text, slips));
    }
    this.collect(hashOf(this.bones, SKELETON));
    this.readAhead();
    for (let i = 0; i < this.collected; i++) this.compare(this.folds[i]!);
    this.collected = 0;
  }

  /** Letters at the start of the word and of `heard` that so many names have that they are evidence for none: `Oluwa`. */
  private sharedWith({ bytes, from, to }: Letters): number {
    const { myShared } = this;
    const { length } = myShared;
    if (length === 0 || to - from <= length + 2) return 0;
    for (let i = 0; i < length; i++) if (bytes[from + i] !== myShared.charCodeAt(i)) return 0;
    return length;
  }

  private collectAll(hashes: Uint32Array): void {
    const { keyStart, keyTag, keyFold } = this.index;
    const last = keyStart.length - 2;
    let sum = 0;
    for (let i = 0; i < hashes.length; i++) sum += keyStart[hashes[i]! & last]!;
    for (let i = 0; i < hashes.length; i++) {
      const from = Math.min(keyStart[hashes[i]! & last]!, keyTag.length - 1);
      sum += keyTag[from]! + keyFold[from]!;
    }
    ahead.sum = sum;
    for (let i = 0; i < hashes.length; i++) this.collect(hashes[i]!);
  }

  /** Collects the folds with a key of this hash, to be compared once all are known: the memory of one is fetched while others are. */
  private collect(hash: number): void {
    const { keyStart, keyTag, keyFold } = this.index;
    const bucket = hash & (keyStart.length - 2);
    const tag = tagOf(hash);
    const end = keyStart[bucket + 1]!;
    for (let i = keyStart[bucket]!; i < end; i++) {
      if (keyTag[i] !== tag) continue;
      if (this.collected === this.folds.length) this.folds = grown(this.folds);
      this.folds[this.collected++] = keyFold[i]!;
    }
  }

  /** Reads ahead the facts and letters of the collected folds (`read-ahead.ts`). */
  private readAhead(): void {
    const { facts, folds, collected, index } = this;
    const { foldBytes, tokenBytes } = index;
    let sum = 0;
    for (let i = 0; i < collected; i++) sum += facts[folds[i]! * STRIDE]!;
    for (let i = 0; i < collected; i++) {
      const at = folds[i]! * STRIDE;
      sum += foldBytes[facts[at + HEARD_FROM]!]! + tokenBytes[facts[at + WRITTEN_FROM]!]!;
    }
    ahead.sum = sum;
  }

  private compare(fold: number): void {
    const { facts, heard, written, myHeard, myWritten } = this;
    const { text, folded, flags } = this.token;
    const at = fold * STRIDE;
    if (facts[at + TRIED] === this.turn) return;
    facts[at + TRIED] = this.turn;
    const isMute = (flags & ABJAD) !== 0 || facts[at + MUTE] === 1;
    heard.from = facts[at + HEARD_FROM]!;
    heard.to = facts[at + HEARD_TO]!;
    if (Math.abs(heard.to - heard.from - folded.length) > (isMute ? MUTE_LENGTH_SLACK : LENGTH_SLACK)) return;
    if (flags & HANGUL && skeleton(foldText(this.index, fold)) !== this.bones) return;
    // All such names start with `Abdul`, so it is evidence for none of them.
    const served = beginsServed(heard) ? this.myServed : null;
    if (served !== null) heard.from += SERVANT_PREFIX.length;
    const mine = served ?? myHeard.letters;
    if (isMute) this.addMute(fold, flags & ABJAD ? muteSimilarity(mine, heard) : muteSimilarity(heard, mine));
    if (flags & ABJAD) {
      // Both in Arabic letters: vowel letters count. In a short word a slip cannot be told from another name.
      if (isMute && folded.length >= ABJAD_LENGTH_MIN) this.add(fold, likeness(mine, heard, 0));
      return;
    }
    if (served !== null) {
      this.add(fold, likeness(mine, heard, 0));
      return;
    }
    const shared = this.sharedWith(heard);
    if (shared > 0) {
      const [own, theirs] = [myHeard.letters, heard];
      own.from += shared;
      theirs.from += shared;
      this.add(fold, likeness(own, theirs, 0));
      own.from -= shared;
      return;
    }
    const isFarHeard = areFar(myHeard.mask, folded.length, facts[at + HEARD]!, heard.to - heard.from);
    const likeHeard = isFarHeard ? 0 : likeness(myHeard.letters, heard, 0);
    written.from = facts[at + WRITTEN_FROM]!;
    written.to = facts[at + WRITTEN_TO]!;
    const isFarWritten =
      areFar(myWritten.mask, text.length, facts[at + WRITTEN]!, written.to - written.from) || (text === folded && isSame(heard, written));
    this.add(fold, isFarWritten ? likeHeard : Math.max(likeHeard, likeness(myWritten.letters, written, likeHeard)));
  }
}

/** Shortest word without vowels that is compared for slips. */
const ABJAD_LENGTH_MIN = 5;

const PREFIX_BYTES = lettersOf(SERVANT_PREFIX).bytes;
function beginsServed({ bytes, from, to }: Letters): boolean {
  if (to - from <= SERVANT_PREFIX.length + 1) return false;
  for (let i = 0; i < PREFIX_BYTES.length; i++) if (bytes[from + i] !== PREFIX_BYTES[i]) return false;
  return true;
}

const likeness = (a: Letters, b: Letters, least: number): number => (isSame(a, b) ? 1 : letterSimilarity(a, b, least));

function isSame(a: Letters, b: Letters): boolean {
  const length = a.to - a.from;
  if (length !== b.to - b.from) return false;
  for (let i = 0; i < length; i++) if (a.bytes[a.from + i] !== b.bytes[b.from + i]) return false;
  return true;
}

/** Folds with a key of this hash, and rarely one with another key. */
function keyed({ keyStart, keyTag, keyFold }: ListIndex, hash: number): number[] {
  const bucket = hash & (keyStart.length - 2);
  const folds: number[] = [];
  for (let i = keyStart[bucket]!; i < keyStart[bucket + 1]!; i++) if (keyTag[i] === tagOf(hash)) folds.push(keyFold[i]!);
  return folds;
}
