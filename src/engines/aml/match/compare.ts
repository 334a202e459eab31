/**
 * Scores how well a submitted name matches a listed one. Words are paired one to one. A word left over on one side costs a little; words left over on
 * both sides are a contradiction: two people who share some of their names.
 */
import { wordSimilarity } from './distance.ts';
import { fold } from './fold.ts';
import { firstIn, flagsIn, type ListIndex, lengthIn, ROW_WORD, tokenText } from './index.ts';
import { NICKNAME, SERVED, type SimilarFolds, SPELLING, similarityTo } from './similar.ts';
import { ABJAD, COMMON, EDGE, HAN, HANGUL, INITIAL, NASAB, PARTICLE, SOFT, type Token, weightOf } from './tokens.ts';
import { kunya, nameGroups, namelikeTitles } from './words.ts';

/** Values of `how` in a pair; `relations` names them. */
const EXACT = 0;
const FOLDED = 1;
const VARIANT = 2;
const EDIT = 3;
const SCRIPT = 4;
const AS_INITIAL = 5;

/** Rules that change a score, as bits. */
export const RULES = {
  /** Words left over on both sides. */
  conflict: 1,
  /** Son and father have swapped places. */
  nasab_order: 2,
  /** Only one word matches, and there are others. */
  single_token: 4,
  /** The submitted name has words that the listed one lacks. */
  query_longer: 8,
  list_longer: 16,
  joined: 32,
  /** An initial stands for a name. */
  initials: 64,
  /** Only names that millions have match, and there are others. */
  common_names: 128,
} as const;

/** Another spelling of the same word. */
const FOLDED_SIMILARITY = 0.97;
const INITIAL_SIMILARITY = 0.9;
/** Words written together or apart. A joint is a group of words that matches as one. */
const JOINED_MIN = 0.84;
const JOINED_LENGTH_MIN = 4;
/** Both sides of a joint start with the same letter and have about the same length. */
const JOINED_LENGTH_SLACK = 2;
/** How much better a joint must match than one of its words alone. */
const JOINED_GAIN = 0.05;
const JOINED_SIMILARITY = 0.97;
const CONFLICT_FACTOR = 0.78;
const CONFLICT_CAP = 0.66;
const NASAB_CAP = 0.66;
/** Cap for a match of too little: one word, an initial, or names that millions have. Below any threshold in use. */
const PART_CAP = 0.695;
/** Cap if everything submitted matches, but it is a single word. */
const MONONYM_CAP = 0.78;
/** This many common names together are no longer common. */
const COMMON_ENOUGH = 3;
/** Shorter names match by chance. */
const WHOLE_MIN = 8;
const WHOLE_SIMILARITY = 0.96;
/** A lower similarity means a slip of the pen, not another spelling. */
const LOOSE = 0.9;
/** A partial match must be closer than a whole one: the cost of slips counts again, to this power. */
const PART_STRICTNESS = 1;
/** Share of the score lost as one side's words are all found and the other side has ever more. */
const QUERY_LONGER = 0.28;
const LIST_LONGER = 0.25;

/** From this many letters of a folded word on, the same sound means the same name. */
const SURE_LENGTH = 6;
/** Up to this many letters, many other words sound alike. */
const SHORT_LENGTH = 3;

const VARIANTS = new Set([SPELLING, NICKNAME, SERVED].map(Math.fround));

const TOKENS_MAX = 16;
const PLACES = TOKENS_MAX * TOKENS_MAX;

export interface Comparison {
  score: number;
  /** Bits of `RULES`. */
  rules: number;
}

/** Sums over the word pairs of a name and a row. One for each thread, cleared for each row: creating one for each would cost more than counting. */
class Tally {
  /** Weight of the matching words, and of those left over. */
  matched = 0;
  queryLeft = 0;
  listLeft = 0;
  /** Product over all matching names: each weaker match admits more strangers. */
  agreement = 1;
  /** The same over weak matches only. */
  loose = 1;
  areLoose = false;
  /** Each name has the same letters, or the same sound and enough letters for that to count as much. */
  areSure = true;
  /** A short name matches by sound only. */
  isShortUnsure = false;
  names = 0;
  /** Names with the same letters. */
  same = 0;
  /** Names that are not borne by millions. */
  telling = 0;
  /** Names matched by an initial, and those among them whose initial was submitted. */
  initials = 0;
  initialsSent = 0;
  /** Among the submitted initials, those of a name that distinguishes nobody: `M.` for Muhammad. */
  vagueInitials = 0;
  /** Initials on both sides. */
  sameInitials = 0;
  /** Matches that are hardly names: particles before or after all names, words that both sides may have as titles, and a name's `Abdul`. */
  edges = 0;
  softPairs = 0;
  servants = 0;
  /** A particle before or after all names matches as a form of a name. */
  hasEdgeForm = false;
  /** Positions of the last matching name and the last matching initial, in the submitted and the listed name. */
  nameAt = -1;
  nameOf = -1;
  initialAt = -1;
  initialOf = -1;
  isSoftLeft = false;
  /** A short title that may be a name (`Sen`) matches a name that is merely similar (`Shen`). */
  isTitleBent = false;
  queryContradicts = false;
  listContradicts = false;

  clear(): void {
    this.matched = 0;
    this.queryLeft = 0;
    this.listLeft = 0;
    this.agreement = 1;
    this.loose = 1;
    this.areLoose = false;
    this.areSure = true;
    this.isShortUnsure = false;
    this.names = 0;
    this.same = 0;
    this.telling = 0;
    this.initials = 0;
    this.initialsSent = 0;
    this.vagueInitials = 0;
    this.sameInitials = 0;
    this.edges = 0;
    this.softPairs = 0;
    this.servants = 0;
    this.hasEdgeForm = false;
    this.nameAt = -1;
    this.nameOf = -1;
    this.initialAt = -1;
    this.initialOf = -1;
    this.isSoftLeft = false;
    this.isTitleBent = false;
    this.queryContradicts = false;
    this.listContradicts = false;
  }
}

/**
 * Compares a name with rows of the index, one after the other. Keeps the pairs of the last row, to explain them. One for each thread: creating its
 * arrays for each name would cost more than comparing.
 */
export class Comparer {
  private readonly index: ListIndex;
  private tokens: readonly Token[] = [];
  private weights: number[] = [];
  /** For each word of the name. */
  private similar: readonly SimilarFolds[] = [];
  /** The row's words: token, fold and facts of each. */
  private listedCount = 0;
  private readonly listedToken = new Int32Array(TOKENS_MAX);
  private readonly listedFold = new Int32Array(TOKENS_MAX);
  private readonly listedFacts = new Int32Array(TOKENS_MAX);
  /** The name without its spaces. */
  private whole = '';
  /** A single name was submitted, with at most an article that belongs to it; no title either. */
  private isSingle = false;
  /** A single name was submitted with a title before it. The title is not a name, but the two are more than the name alone. */
  private isTitled = false;
  private hasEdges = false;
  /** Position of its first word that marks parentage (`bin`); -1 if there is none. */
  private nasabAt = -1;
  private readonly tally = new Tally();
  private readonly pairSimilarity = new Float32Array(PLACES);
  private readonly pairHow = new Uint8Array(PLACES);
  /** Word of the name → listed word, and back. -1: none. -2: the word is part of a joint. */
  readonly answeredBy = new Int8Array(TOKENS_MAX);
  readonly answers = new Int8Array(TOKENS_MAX);
  readonly similarity = new Float32Array(TOKENS_MAX);
  readonly how = new Uint8Array(TOKENS_MAX);
  /** Joints: words of the name and listed words. */
  joints: { query: number[]; listed: number[]; similarity: number }[] = [];

  constructor(index: ListIndex) {
    this.index = index;
  }

  /** Sets the name that the next rows are compared with. */
  begin(tokens: readonly Token[], similar: readonly SimilarFolds[]): void {
    this.tokens = tokens;
    this.similar = similar;
    this.weights = tokens.map(({ flags, text }) => weightOf(flags, text.length));
    this.whole = tokens.map(({ text }) => text).join('');
    const words = tokens.reduce((sum, { flags, written }) => sum + (flags & PARTICLE ? 0 : written), 0);
    this.isTitled = words === 1 && tokens[0]!.isTitled;
    this.isSingle = words === 1 && !this.isTitled;
    this.hasEdges = tokens.some(({ flags }) => flags & EDGE);
    this.nasabAt = tokens.findIndex(({ flags }) => flags & NASAB);
  }

  listedTokens(): number[] {
    return [...this.listedToken.subarray(0, this.listedCount)];
  }

  compare(row: number): Comparison {
    const { index } = this;
    const from = index.rowWordStart[row]!;
    const count = Math.min(index.rowWordStart[row + 1]! - from, TOKENS_MAX);
    for (let l = 0; l < count; l++) {
      const at = (from + l) * ROW_WORD;
      this.listedToken[l] = index.rowWords[at]!;
      this.listedFold[l] = index.rowWords[at + 1]!;
      this.listedFacts[l] = index.rowWords[at + 2]!;
    }
    this.listedCount = count;
    this.answeredBy.fill(-1);
    this.answers.fill(-1);
    if (this.joints.length > 0) this.joints = [];
    this.pair();
    if (this.hasEdges) this.partStrayEdges();
    this.join();
    return this.weigh();
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
          const worth = similarity * this.weights[q]! - Math.abs(q - l) * 0.001;
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

  /** A particle before or after all names only matches the listed one beside the same name. */
  private partStrayEdges(): void {
    const { tokens, answeredBy, answers } = this;
    const isName = (flags: number) => !(flags & (PARTICLE | EDGE));
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

  private relate(q: number, l: number, at: number): number {
    const { index, pairHow } = this;
    const mine = this.tokens[q]!;
    const facts = this.listedFacts[l]!;
    const flags = flagsIn(facts);
    const found = similarityTo(this.similar[q]!, this.listedFold[l]!, ((mine.flags | flags) & ABJAD) !== 0);
    if (areJoints(mine.flags, flags)) {
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
    // A particle that may be a name is that name or a form of it, never a slip of another.
    if ((mine.flags | flags) & EDGE && found < 1 && !VARIANTS.has(found)) return 0;
    // Within one script, another character is another name, however alike they sound.
    if (mine.flags & flags & HAN && found < 1) return 0;
    if (mine.flags & flags & HANGUL && found < 1 && !VARIANTS.has(found)) return 0;
    if (found < 1) {
      pairHow[at] = (mine.flags ^ flags) & ABJAD ? SCRIPT : VARIANTS.has(found) ? VARIANT : EDIT;
      return found;
    }
    const isExact = lengthIn(facts) === mine.text.length && tokenText(index, this.listedToken[l]!) === mine.text;
    pairHow[at] = isExact ? ((mine.flags ^ flags) & (ABJAD | HAN | HANGUL) ? SCRIPT : EXACT) : FOLDED;
    return isExact ? 1 : FOLDED_SIMILARITY;
  }

  /** Tries to match leftover words with words that the other side writes together. */
  private join(): void {
    const { tokens, listedCount } = this;
    if (openIn(this.answeredBy, tokens.length) === 0 && openIn(this.answers, listedCount) === 0) return;
    this.joinHalves();
    if (openIn(this.answeredBy, tokens.length) === 0 || openIn(this.answers, listedCount) === 0) return;
    for (let q = 0; q < tokens.length; q++)
      if (this.answeredBy[q] === -1 && tokens[q]!.text.length >= JOINED_LENGTH_MIN) this.joinSpan(q, true);
    for (let l = 0; l < listedCount; l++)
      if (this.answers[l] === -1 && lengthIn(this.listedFacts[l]!) >= JOINED_LENGTH_MIN) this.joinSpan(l, false);
    if (openIn(this.answeredBy, tokens.length) > 1 && openIn(this.answers, listedCount) > 1)
      this.pairJoint(openOf(this.answeredBy, tokens.length), openOf(this.answers, listedCount), JOINED_MIN);
  }

  /** Tries to match the word `one`, of the name (`isQuery`) or the row, with two or three leftover neighbours of the other side. */
  private joinSpan(one: number, isQuery: boolean): void {
    const partner = isQuery ? this.answers : this.answeredBy;
    const length = isQuery ? this.listedCount : this.tokens.length;
    for (let from = 0; from + 1 < length; from++) {
      if (partner[from] !== -1 || partner[from + 1] !== -1) continue;
      if (!(isQuery ? this.beginAlike(one, from) : this.beginAlike(from, one))) continue;
      const spans = [[from, from + 1]];
      if (from + 2 < length && partner[from + 2] === -1) spans.push([from, from + 1, from + 2]);
      for (const span of spans) if (isQuery ? this.pairJoint([one], span, JOINED_MIN) : this.pairJoint(span, [one], JOINED_MIN)) return;
    }
  }

  private beginAlike(q: number, l: number): boolean {
    return firstIn(this.listedFacts[l]!) === this.tokens[q]!.text.charCodeAt(0);
  }

  /** `Minho` resembles `Min`, but `Min Ho` matches it better. */
  private joinHalves(): void {
    for (let q = 0; q < this.tokens.length; q++) {
      const l = this.answeredBy[q]!;
      const similarity = this.similarity[q]!;
      if (l < 0 || similarity >= LOOSE) continue;
      for (const [from, to] of [
        [0, 1],
        [-1, 0],
      ] as const) {
        const isListed = isOpen(this.answers, l + from, l + to, l, this.listedCount);
        if (isListed && this.pairJoint([q], [l + from, l + to], similarity + JOINED_GAIN)) break;
        const isQuery = isOpen(this.answeredBy, q + from, q + to, q, this.tokens.length);
        if (isQuery && this.pairJoint([q + from, q + to], [l], similarity + JOINED_GAIN)) break;
      }
    }
  }

  /** Whether the words at `query` and those at `places` are the same, divided differently. Records them as a joint. */
  private pairJoint(query: number[], places: number[], least: number): boolean {
    const { tokens, index } = this;
    if (!this.beginAlike(query[0]!, places[0]!)) return false;
    // An initial is never a letter of its neighbour.
    if (query.length > 1 && query.some((q) => tokens[q]!.flags & INITIAL)) return false;
    if (places.length > 1 && places.some((l) => flagsIn(this.listedFacts[l]!) & INITIAL)) return false;
    let length = 0;
    for (const q of query) length += tokens[q]!.text.length;
    for (const l of places) length -= lengthIn(this.listedFacts[l]!);
    if (Math.abs(length) > JOINED_LENGTH_SLACK) return false;
    let mine = '';
    for (const q of query) mine += tokens[q]!.text;
    let theirs = '';
    for (const l of places) theirs += tokenText(index, this.listedToken[l]!);
    const similarity = wordSimilarity(fold(mine), fold(theirs));
    if (similarity < least) return false;
    for (const q of query) this.answeredBy[q] = -2;
    for (const l of places) this.answers[l] = -2;
    this.joints.push({ query, listed: places, similarity: similarity * JOINED_SIMILARITY });
    return true;
  }

  private weigh(): Comparison {
    const tally = this.count();
    const { names, agreement, telling, initials, queryLeft, listLeft } = tally;
    let rules = this.joints.length > 0 ? RULES.joined : 0;
    if (names === 0) return { score: 0, rules };
    if (initials > 0) rules |= RULES.initials;
    // A title that may be a name contradicts if only one name matches.
    const queryContradicts = tally.queryContradicts || (tally.isSoftLeft && names === 1);
    const isPart = queryContradicts || tally.listContradicts;
    let score = isPart ? agreement * tally.loose ** PART_STRICTNESS : agreement;
    if (queryLeft > 0) score *= 1 - (QUERY_LONGER * queryLeft) / (queryLeft + tally.matched);
    if (listLeft > 0) score *= 1 - (LIST_LONGER * listLeft) / (listLeft + tally.matched);
    if (queryContradicts && tally.listContradicts) {
      rules |= RULES.conflict;
      score = Math.min(score * CONFLICT_FACTOR, CONFLICT_CAP);
    } else if (queryContradicts) rules |= RULES.query_longer;
    else if (tally.listContradicts) rules |= RULES.list_longer;
    if (isPart && names === 1) {
      rules |= RULES.single_token;
      score = Math.min(score, this.isSingle && queryLeft === 0 && telling > 0 ? MONONYM_CAP : PART_CAP);
    } else if (isThin(tally) || (this.isTitled && (!tally.areSure || listLeft > 0))) {
      rules |= RULES.single_token;
      score = Math.min(score, PART_CAP);
    }
    if (isPart && telling === 0 && names < COMMON_ENOUGH) {
      rules |= RULES.common_names;
      score = Math.min(score, PART_CAP);
    }
    if (isPart && initials > 0) score = Math.min(score, PART_CAP);
    if (this.isNasabTurned()) {
      rules |= RULES.nasab_order;
      score = Math.min(score, NASAB_CAP);
    }
    if (score < WHOLE_SIMILARITY && score > 0.4 && this.isWholeAlike()) {
      rules = (rules & ~RULES.conflict) | RULES.joined;
      score = WHOLE_SIMILARITY;
    }
    return { score, rules };
  }

  /** Sums up the pairs, and the words left over on either side. */
  private count(): Tally {
    const { tokens, listedCount } = this;
    const { tally } = this;
    tally.clear();
    for (let q = 0; q < tokens.length; q++) {
      const l = this.answeredBy[q]!;
      if (l >= 0) this.countPair(tally, q, l);
      else if (l === -1) {
        const { flags } = tokens[q]!;
        tally.queryLeft += this.weights[q]!;
        if (flags & SOFT) tally.isSoftLeft = true;
        else if (!(flags & PARTICLE)) tally.queryContradicts = true;
      }
    }
    for (let l = 0; l < listedCount; l++) {
      if (this.answers[l] !== -1) continue;
      const flags = flagsIn(this.listedFacts[l]!);
      tally.listLeft += weightOf(flags & EDGE ? PARTICLE : flags, lengthIn(this.listedFacts[l]!));
      if (!(flags & (PARTICLE | EDGE | SOFT))) tally.listContradicts = true;
    }
    for (const { query, listed: places, similarity } of this.joints) {
      tally.matched += Math.max(query.length, places.length);
      tally.agreement *= similarity;
      tally.names += Math.min(query.length, places.length);
      if (query.some((q) => !(tokens[q]!.flags & COMMON))) tally.telling++;
    }
    return tally;
  }

  private countPair(tally: Tally, q: number, l: number): void {
    const { flags, written, folded } = this.tokens[q]!;
    const facts = this.listedFacts[l]!;
    const listedFlags = flagsIn(facts);
    if (areJoints(flags, listedFlags)) {
      tally.matched += weightOf(PARTICLE, 0);
      if (flags & EDGE) tally.edges++;
      return;
    }
    tally.matched += Math.min(this.weights[q]!, weightOf(listedFlags, lengthIn(facts)));
    const how = this.how[q]!;
    const similarity = flags & SOFT ? Math.sqrt(this.similarity[q]!) : this.similarity[q]!;
    tally.agreement *= similarity;
    if (similarity < LOOSE) tally.loose *= similarity;
    if (how === AS_INITIAL) {
      tally.initials++;
      if (!(flags & INITIAL)) return;
      tally.initialsSent++;
      if (isVague(tokenText(this.index, this.listedToken[l]!))) tally.vagueInitials++;
      tally.initialAt = q;
      tally.initialOf = l;
    } else if (flags & INITIAL) {
      tally.sameInitials++;
    } else {
      tally.names++;
      tally.nameAt = q;
      tally.nameOf = l;
      if (similarity < LOOSE) tally.areLoose = true;
      if (how === EXACT) tally.same++;
      else if (how !== FOLDED || folded.length < SURE_LENGTH) tally.areSure = false;
      if ((how === FOLDED || how === EDIT) && folded.length <= SHORT_LENGTH && !(flags & (HAN | HANGUL))) tally.isShortUnsure = true;
      if (q === 0 && how !== EXACT && folded.length <= SHORT_LENGTH && namelikeTitles.has(folded)) tally.isTitleBent = true;
      if (flags & listedFlags & SOFT) tally.softPairs++;
      if (written > 1) tally.servants++;
      if (flags & EDGE && how === VARIANT) tally.hasEdgeForm = true;
      if (!(flags & SOFT) && !((flags | listedFlags) & COMMON) && how !== SCRIPT) tally.telling++;
    }
  }

  /** Whether both names have the same letters, divided into words differently. */
  private isWholeAlike(): boolean {
    const { listedCount, index, whole } = this;
    if (whole.length < WHOLE_MIN) return false;
    let length = 0;
    for (let l = 0; l < listedCount; l++) length += lengthIn(this.listedFacts[l]!);
    if (length !== whole.length) return false;
    let theirs = '';
    for (let l = 0; l < listedCount; l++) theirs += tokenText(index, this.listedToken[l]!);
    return whole === theirs;
  }

  /** `A bin B` and `B bin A` are father and son of each other's name. */
  private isNasabTurned(): boolean {
    const { tokens, listedCount, nasabAt } = this;
    if (nasabAt < 1 || nasabAt + 1 >= tokens.length) return false;
    let place = 0;
    while (place < listedCount && !(flagsIn(this.listedFacts[place]!) & NASAB)) place++;
    if (place < 1 || place + 1 >= listedCount) return false;
    return this.answeredBy[nasabAt - 1] === place + 1 && this.answeredBy[nasabAt + 1] === place - 1;
  }
}

/**
 * One name matches, and besides it only an initial, a particle, a title or `Abdul`, which go with many names. It must then match better than one of
 * two names.
 */
function isThin(tally: Tally): boolean {
  // `Sen Michael`, `Mike Shen`: neither name is the same.
  if (tally.names === 2 && tally.same === 0 && tally.telling === 0 && tally.isShortUnsure && tally.areLoose) return true;
  if (tally.names === 2 && tally.isTitleBent) return true;
  // `Ahmed Abu`, `Abubakar Ahmed`: the short form of a common name beside another one.
  if (tally.names === 2 && tally.telling === 0 && tally.hasEdgeForm) return true;
  if (tally.names - tally.softPairs !== 1) return false;
  if (tally.initialsSent > 0 && tally.initialAt < tally.nameAt && tally.initialOf > tally.nameOf) return true;
  if (tally.initialsSent > 0 && tally.vagueInitials === tally.initialsSent) return true;
  if (tally.initialsSent + tally.edges > 0 || tally.sameInitials === 1)
    return !tally.areSure || (tally.telling === 0 && tally.agreement < 1);
  if (tally.initials > 0) return tally.areLoose || tally.telling === 0;
  return tally.softPairs + tally.servants > 0 && tally.areLoose;
}

const MUHAMMAD = nameGroups(fold('muhammad'))[0]!;

/** Muhammad, a servant's name (`Abdul Samad`) or a by-name (`Abu`): they precede so many surnames that their initial finds strangers. */
const isVague = (listed: string): boolean => kunya.has(listed) || listed.startsWith('abdul') || nameGroups(fold(listed)).includes(MUHAMMAD);

/** Two particles, in any position. They match as particles, which says next to nothing. */
const areJoints = (flags: number, listed: number): boolean => (flags & (PARTICLE | EDGE)) !== 0 && (listed & (PARTICLE | EDGE)) !== 0;

function openIn(partner: Int8Array, length: number): number {
  let count = 0;
  for (let i = 0; i < length; i++) if (partner[i] === -1) count++;
  return count;
}

function openOf(partner: Int8Array, length: number): number[] {
  const open: number[] = [];
  for (let i = 0; i < length; i++) if (partner[i] === -1) open.push(i);
  return open;
}

/** Whether of two neighbours, of which `known` is paired, the other one is not. */
const isOpen = (partner: Int8Array, from: number, to: number, known: number, length: number): boolean =>
  from >= 0 && to < length && partner[from === known ? to : from] === -1;
