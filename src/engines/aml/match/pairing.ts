/** Pairs the words of a submitted name with those of a listed one, one to one, the best matches first. */
import { fold } from './fold.ts';
import { formGroups } from './form-groups.ts';
import { firstIn, flagsIn, isToken, type ListIndex, lengthIn, ROW_WORD, tokenText } from './index.ts';
import { areWrittenApart, strangeness } from './known.ts';
import { ahead } from './read-ahead.ts';
import { isEndOfOther } from './short-forms.ts';
import { placeOf, type SimilarFolds } from './similar-folds.ts';
import { readAlike, readsInDialect, soundAlike } from './syllables.ts';
import { ABJAD, DIALECT, EDGE, HAN, HANGUL, INITIAL, NASAB, PARTICLE, SYLLABIC, type Token, VOICED, weightOf } from './tokens.ts';
import { kunya } from './words.ts';

/** Values of `how` in a pair; `relations` names them. */
export const EXACT = 0;
export const FOLDED = 1;
export const VARIANT = 2;
export const EDIT = 3;
export const SCRIPT = 4;
export const AS_INITIAL = 5;
/** Alike, but more likely another known name than a slip. */
export const OTHER = 6;

/** Another spelling of the same word. */
export const FOLDED_SIMILARITY = 0.97;
const INITIAL_SIMILARITY = 0.9;

/** A lower similarity means a slip of the pen, not another spelling. */
export const LOOSE = 0.9;

/** Most similar that two names of different people can be: a hit only if the date of birth agrees too. */
export const STRANGERS_MAX = Math.fround(0.74);
/** Family names that are more alike than this may be a slip all the same. */
const FAMILIES_BELOW = 0.84;
/** Factor if only the word sent is a known name: the listed one may be a rare spelling of it. */
const SENT_FACTOR = 0.9;

/** What each place between two words takes from the worth of pairing them: just enough to decide among equals. */
const PLACE_COST = 0.001;

const TOKENS_MAX = 16;
const PLACES = TOKENS_MAX * TOKENS_MAX;

/** Words of the name and listed words that match as one. */
interface Joint {
  query: number[];
  listed: number[];
  similarity: number;
}

/**
 * The pairs of a name and a row; they stay until the next row. One for each thread: creating its arrays for each name would cost more than comparing.
 */
export class Pairing {
  readonly index: ListIndex;
  tokens: readonly Token[] = [];
  weights: number[] = [];
  /** For each word of the name. */
  protected similar: readonly SimilarFolds[] = [];
  /** The row's words: token, fold and facts of each. */
  listedCount = 0;
  readonly listedToken = new Int32Array(TOKENS_MAX);
  protected readonly listedFold = new Int32Array(TOKENS_MAX);
  readonly listedFacts = new Int32Array(TOKENS_MAX);
  /** All flags of the name's words, and of the row's, combined. */
  private sentFlags = 0;
  private rowFlags = 0;
  /** Fold → the words of the name that may stand for it, as bits. */
  private readonly standing: Uint16Array;
  private readonly pairSimilarity = new Float32Array(PLACES);
  protected readonly pairHow = new Uint8Array(PLACES);
  /** Word of the name → listed word, and back. -1: none. -2: the word is part of a joint. */
  readonly answeredBy = new Int8Array(TOKENS_MAX);
  readonly answers = new Int8Array(TOKENS_MAX);
  readonly similarity = new Float32Array(TOKENS_MAX);
  readonly how = new Uint8Array(TOKENS_MAX);
  joints: Joint[] = [];

  constructor(index: ListIndex) {
    this.index = index;
    this.standing = new Uint16Array(index.foldCount);
  }

  /** Sets the name that the next rows are compared with. `similar` belongs to `tokens`, element by element. */
  begin(tokens: readonly Token[], similar: readonly SimilarFolds[]): void {
    for (const { numbers } of this.similar) for (let i = 0; i < numbers.length; i++) this.standing[numbers[i]!] = 0;
    for (const [q, { numbers }] of similar.entries()) for (let i = 0; i < numbers.length; i++) this.standing[numbers[i]!]! |= 1 << q;
    this.tokens = tokens;
    this.similar = similar;
    this.weights = tokens.map(({ flags, text }) => weightOf(flags, text.length));
    this.sentFlags = tokens.reduce((all, { flags }) => all | flags, 0);
  }

  /** Pairs the name's words with those of `row`. */
  pairWith(row: number): void {
    this.read(row);
    this.pairRead();
  }

  /** Reads ahead the words of rows that are about to be compared (`read-ahead.ts`). */
  readAhead(rows: Int32Array): void {
    const { standing } = this;
    const { rowWordStart, rowWords, rowEntry } = this.index;
    let sum = 0;
    for (let i = 0; i < rows.length; i++) sum += rowWordStart[rows[i]!]! + rowEntry[rows[i]!]!;
    for (let i = 0; i < rows.length; i++) sum += rowWords[rowWordStart[rows[i]!]! * ROW_WORD]!;
    for (let i = 0; i < rows.length; i++) {
      const to = rowWordStart[rows[i]! + 1]! * ROW_WORD;
      for (let at = rowWordStart[rows[i]!]! * ROW_WORD + 1; at < to; at += ROW_WORD) sum += standing[rowWords[at]!]!;
    }
    ahead.sum = sum;
  }

  /** Reads the words of `row`. Until they are paired, only `mayPair` tells of them. */
  read(row: number): void {
    const { index } = this;
    const from = index.rowWordStart[row]!;
    const count = Math.min(index.rowWordStart[row + 1]! - from, TOKENS_MAX);
    this.rowFlags = 0;
    for (let l = 0; l < count; l++) {
      const at = (from + l) * ROW_WORD;
      this.listedToken[l] = index.rowWords[at]!;
      this.listedFold[l] = index.rowWords[at + 1]!;
      const facts = index.rowWords[at + 2]!;
      this.listedFacts[l] = facts;
      this.rowFlags |= flagsIn(facts);
    }
    this.listedCount = count;
  }

  get hasEdges(): boolean {
    return (this.sentFlags & EDGE) !== 0;
  }

  /** Whether a word on either side comes from a script without vowels. */
  get isMute(): boolean {
    return ((this.sentFlags | this.rowFlags) & ABJAD) !== 0;
  }

  /** Whether every two words that may pair do. Particles and words in other scripts may turn out not to. */
  get isPlain(): boolean {
    return ((this.sentFlags | this.rowFlags) & (PARTICLE | EDGE | HAN | HANGUL)) === 0;
  }

  /** Pairs the name's words with those of the row that was read. */
  pairRead(): void {
    this.answeredBy.fill(-1);
    this.answers.fill(-1);
    if (this.joints.length > 0) this.joints = [];
    this.pair();
    if (this.sentFlags & PARTICLE) this.moveParticles();
    if (this.hasEdges) this.partStrayEdges();
  }

  listedTokens(): number[] {
    return [...this.listedToken.subarray(0, this.listedCount)];
  }

  /** Pairs the best matches first. */
  private pair(): void {
    const { tokens, listedCount, pairSimilarity, pairHow } = this;
    let left = 0;
    for (let q = 0; q < tokens.length; q++) {
      for (let l = 0; l < listedCount; l++) {
        const at = q * TOKENS_MAX + l;
        const similarity = this.relate(q, l, at);
        pairSimilarity[at] = similarity;
        if (similarity > 0) left++;
      }
    }
    while (left > 0) {
      let best = 0;
      let bestAt = -1;
      for (let q = 0; q < tokens.length; q++) {
        if (this.answeredBy[q] !== -1) continue;
        for (let l = 0; l < listedCount; l++) {
          if (this.answers[l] !== -1) continue;
          const at = q * TOKENS_MAX + l;
          const similarity = pairSimilarity[at]!;
          if (similarity === 0) continue;
          // Among equals, prefer words at closer positions, and the heavier word.
          const worth = similarity * this.weights[q]! - Math.abs(q - l) * PLACE_COST;
          if (bestAt === -1 || worth > best) {
            best = worth;
            bestAt = at;
          }
        }
      }
      if (bestAt === -1) return;
      const q = Math.floor(bestAt / TOKENS_MAX);
      const l = bestAt % TOKENS_MAX;
      this.answeredBy[q] = l;
      this.answers[l] = q;
      this.similarity[q] = pairSimilarity[bestAt]!;
      this.how[q] = pairHow[bestAt]!;
      left--;
    }
  }

  /** If a particle occurs twice, pairs the one that stands before the same name. */
  private moveParticles(): void {
    const { tokens, answeredBy, answers, listedToken } = this;
    for (let q = 0; q + 1 < tokens.length; q++) {
      const from = answeredBy[q]!;
      const to = answeredBy[q + 1]! - 1;
      if (!(tokens[q]!.flags & PARTICLE) || to < 0 || to === from) continue;
      const other = answers[to]!;
      if (from < 0 ? other < 0 || tokens[other]!.text !== tokens[q]!.text : listedToken[to] !== listedToken[from]) continue;
      answeredBy[q] = to;
      answers[to] = q;
      if (other >= 0) answeredBy[other] = from;
      if (from >= 0) answers[from] = other;
    }
  }

  /** A particle before or after all names only matches the listed one beside the same name. */
  private partStrayEdges(): void {
    const { tokens, answeredBy, answers } = this;
    for (let q = 0; q < tokens.length; q++) {
      const l = answeredBy[q]!;
      if (l < 0 || !(tokens[q]!.flags & EDGE) || isName(flagsIn(this.listedFacts[l]!))) continue;
      const step = tokens.slice(q).some(({ flags }) => isName(flags)) ? 1 : -1;
      let besideQuery = q + step;
      while (besideQuery >= 0 && !isName(tokens[besideQuery]!.flags)) besideQuery += step;
      let besideListed = l + step;
      while (besideListed >= 0 && besideListed < this.listedCount && !isName(flagsIn(this.listedFacts[besideListed]!)))
        besideListed += step;
      if (answeredBy[besideQuery] === besideListed) continue;
      answeredBy[q] = -1;
      answers[l] = -1;
    }
  }

  /** False only for a word of the name and a listed one that are not alike at all. Far quicker than how alike they are. */
  mayPair(q: number, l: number): boolean {
    const mine = this.tokens[q]!;
    const facts = this.listedFacts[l]!;
    const either = mine.flags | flagsIn(facts);
    if (either & (PARTICLE | EDGE | INITIAL)) {
      if (areParticles(mine.flags, flagsIn(facts))) return true;
      if (either & PARTICLE) return false;
      if (either & INITIAL) return firstIn(facts) === mine.text.charCodeAt(0);
    }
    const place = this.placeIn(q, l);
    return place !== -1 && this.foundAt(q, place, mine.flags, flagsIn(facts)) > 0;
  }

  /** Where the listed word stands among those that the word of the name may stand for; -1: it does not. */
  private placeIn(q: number, l: number): number {
    const fold = this.listedFold[l]!;
    return this.standing[fold]! & (1 << q) ? placeOf(this.similar[q]!, fold) : -1;
  }

  /** How alike two words are, 0 for no pair. Records in `pairHow` in what way. */
  protected relate(q: number, l: number, at: number): number {
    const { index, pairHow } = this;
    const mine = this.tokens[q]!;
    const facts = this.listedFacts[l]!;
    const flags = flagsIn(facts);
    const place = this.placeIn(q, l);
    const found = place === -1 ? 0 : this.foundAt(q, place, mine.flags, flags);
    if (areParticles(mine.flags, flags)) {
      pairHow[at] = found === 1 ? EXACT : FOLDED;
      return found === 1 || (mine.flags & flags & NASAB && !(mine.flags & EDGE)) ? 1 : 0;
    }
    if ((mine.flags | flags) & PARTICLE) return 0;
    if ((mine.flags | flags) & INITIAL) {
      if (firstIn(facts) !== mine.text.charCodeAt(0)) return 0;
      const isSame = (mine.flags & flags & INITIAL) !== 0;
      pairHow[at] = isSame ? EXACT : AS_INITIAL;
      return isSame ? 1 : INITIAL_SIMILARITY;
    }
    if (found === 0) return 0;
    const isForm = this.similar[q]!.forms[place] === 1;
    // A particle that may be a name is that name or a form of it, never a slip of another. `Abu` before a name is never short for Abubakar.
    if ((mine.flags | flags) & EDGE && found < 1 && (!isForm || this.isFatherOf(q, l, mine.flags, flags))) return 0;
    // Within one script, another character is another name, however alike they sound.
    if (mine.flags & flags & HAN && found < 1) return 0;
    if (mine.flags & flags & HANGUL && found < 1 && !isForm) return 0;
    if (mine.flags & flags & VOICED && !isToken(index, this.listedToken[l]!, mine.text)) {
      pairHow[at] = OTHER;
      return Math.min(found, STRANGERS_MAX);
    }
    if (found < 1 && isForm) {
      if ((mine.flags | flags) & SYLLABLES && areOtherSyllables(mine, flags, tokenText(index, this.listedToken[l]!))) return 0;
      const theirs = tokenText(index, this.listedToken[l]!);
      const areApart = areWrittenApart(mine.text, theirs) && !isEndOfOther(mine.folded, fold(theirs));
      pairHow[at] = areApart ? OTHER : VARIANT;
      return areApart ? Math.min(found, STRANGERS_MAX) : found;
    }
    const isExact = lengthIn(facts) === mine.text.length && isToken(index, this.listedToken[l]!, mine.text);
    if (isExact) {
      pairHow[at] = (mine.flags ^ flags) & (ABJAD | HAN | HANGUL) ? SCRIPT : EXACT;
      return 1;
    }
    const isScript = (mine.flags ^ flags) & ABJAD;
    pairHow[at] = found < 1 ? (isScript ? SCRIPT : EDIT) : FOLDED;
    const similarity = found < 1 ? found : FOLDED_SIMILARITY;
    return isScript ? similarity : this.lessIfStrangers(q, l, flags, similarity, at);
  }

  /** Without vowels only what is in Arabic letters on one side; within them, or between two words with vowels, all letters count. */
  protected foundAt(q: number, place: number, mine: number, listed: number): number {
    const { likeness, mute } = this.similar[q]!;
    return (mine ^ listed) & ABJAD && mute !== null ? Math.max(likeness[place]! === 1 ? 1 : 0, mute[place]!) : likeness[place]!;
  }

  /** `Abu Khalid` is the father of Khalid. */
  private isFatherOf(q: number, l: number, mine: number, listed: number): boolean {
    const isBefore = (text: string, at: number, count: number) => kunya.has(text) && at + 1 < count;
    return (
      ((mine & EDGE) !== 0 && isBefore(this.tokens[q]!.text, q, this.tokens.length)) ||
      ((listed & EDGE) !== 0 && isBefore(tokenText(this.index, this.listedToken[l]!), l, this.listedCount))
    );
  }

  /** Two names that are merely alike count less if both are known: whoever writes a known name means it. */
  private lessIfStrangers(q: number, l: number, listed: number, similarity: number, at: number): number {
    const { flags, text } = this.tokens[q]!;
    if (flags & SYLLABLES && listed & SYLLABLES) {
      if (similarity === FOLDED_SIMILARITY) return similarity;
      this.pairHow[at] = OTHER;
      return Math.min(similarity, STRANGERS_MAX);
    }
    const known = this.similar[q]!.strangers;
    const token = this.listedToken[l]!;
    let kind = known.get(token);
    if (kind === undefined) {
      kind = strangeness(text, tokenText(this.index, token));
      known.set(token, kind);
    }
    const mayBeSlip = similarity >= FAMILIES_BELOW;
    if (kind === 'no' || (kind === 'families' && mayBeSlip)) return similarity;
    this.pairHow[at] = OTHER;
    if (kind === 'sent' || (kind === 'sent family' && mayBeSlip)) return similarity * SENT_FACTOR;
    return Math.min(similarity, STRANGERS_MAX);
  }
}

/** Words of names that consist of syllables, in Latin letters and in Han. */
export const SYLLABLES = SYLLABIC | HAN;

const isName = (flags: number): boolean => !(flags & (PARTICLE | EDGE));

/** Whether both words are particles, in any position. They match as particles, which says next to nothing. */
export const areParticles = (flags: number, listed: number): boolean =>
  (flags & (PARTICLE | EDGE)) !== 0 && (listed & (PARTICLE | EDGE)) !== 0;

/** Whether two words of Chinese names are one word in two romanizations. A name in dialect is only compared with one in pinyin or in characters. */
export function areReadAlike(mine: string, theirs: string, flags: number, listed: number): boolean {
  if (readAlike(mine, theirs)) return true;
  if (!((flags ^ listed) & DIALECT) || !(flags & listed & SYLLABIC || (flags | listed) & HAN)) return false;
  return flags & DIALECT ? readsInDialect(mine, theirs) : readsInDialect(theirs, mine);
}

/**
 * Whether two words stand for each other only because one of them could be in dialect, which their names say it is not, or because of folds that agree by
 * chance (`Chan`, `Kan`).
 */
const areOtherSyllables = ({ text, folded, flags }: Token, listed: number, theirs: string): boolean =>
  !areReadAlike(text, theirs, flags, listed) &&
  !soundAlike(text, theirs) &&
  !formGroups(folded).some((group) => formGroups(fold(theirs)).includes(group));
