/**
 * Scores how well a submitted name matches a listed one. Words are paired one to one. A word left over on one side costs a little; words left over on
 * both sides are a contradiction: two people who share some of their names.
 */
import { firstIn, flagsIn, type ListIndex, lengthIn, tokenText } from './index.ts';
import { join, mayJoinAll, mayJoinSpan } from './joints.ts';
import { Pairing } from './pairing.ts';
import type { SimilarFolds } from './similar-folds.ts';
import { pairSlippedWord } from './slipped-word.ts';
import { contradicts, contradictsListed, Tally } from './tally.ts';
import { NASAB, PARTICLE, type Token } from './tokens.ts';
import { nasabBehind } from './words.ts';

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
  /** Only names that millions of people have match, and other names do not. */
  common_names: 128,
  /** Initials stand for the whole name of an organization. */
  acronym: 256,
  /** Different numbers in the names of two organizations. */
  numbers: 512,
  /** Only words match that many organizations have in their names. */
  common_words: 1024,
} as const;

const CONFLICT_FACTOR = 0.78;
const CONFLICT_CAP = 0.66;
const NASAB_CAP = 0.66;
/** Cap for a match of too little: one word, an initial, or names that millions have. Below any threshold in use. */
const PART_CAP = 0.695;
/** Cap if everything submitted matches, but it is a single word. */
const MONONYM_CAP = 0.78;
/** Cap for names that many people share: a hit only if the date of birth agrees too. */
export const COMMON_CAP = 0.74;
/** Minimum total points (`tally.ts`) for a hit in a spelling other than the listed one, or on a weak alias. */
const POINTS_MIN = 3.75;
const WEAK_POINTS_MIN = 4.5;
/** The same if known names match and others were sent besides. */
const LONGER_POINTS_MIN = 5;
/** This many common names together are no longer common. */
const COMMON_ENOUGH = 3;
/** Shorter names match by chance. */
const WHOLE_MIN = 8;
const WHOLE_SIMILARITY = 0.96;
/** Names whose words score no more than this are not compared as a whole. */
const WHOLE_FROM = 0.4;
/** A partial match must be closer than a whole one: the cost of slips counts again, to this power. */
const PART_STRICTNESS = 1;
/** Share of the score lost when all words of one side are found: it grows with the words left on the other side. */
const QUERY_LONGER = 0.28;
const LIST_LONGER = 0.25;

export interface Comparison {
  score: number;
  /** Bits of `RULES`. */
  rules: number;
  /** The matching names are such weak evidence that the publisher's doubt about the alias decides. */
  isCommon: boolean;
  /** Only a date of birth that agrees can make a hit of it: a country that agrees does not lift it above `COMMON_CAP`. */
  needsBirth: boolean;
}

const NOTHING: Comparison = { score: 0, rules: 0, isCommon: false, needsBirth: false };

/** Compares a name with rows of the index, one after the other. One for each thread. */
export class Comparer {
  /** The pairs of the last row, to explain them. */
  readonly pairing: Pairing;
  private readonly tally = new Tally();
  /** The name without its spaces. */
  private whole = '';
  /** A single name was submitted, with at most an article that belongs to it; no title either. */
  private isSingle = false;
  /** A single name was submitted with a title before it. The title is not a name, but the two are more than the name alone. */
  private isTitled = false;
  /** Position of its first word that marks parentage (`bin`); -1 if there is none. */
  private nasabAt = -1;

  constructor(index: ListIndex) {
    this.pairing = new Pairing(index);
  }

  /** Sets the name that the next rows are compared with. */
  begin(tokens: readonly Token[], similar: readonly SimilarFolds[]): void {
    this.pairing.begin(tokens, similar);
    this.whole = tokens.map(({ text }) => text).join('');
    const words = tokens.reduce((sum, { flags, written }) => sum + (flags & PARTICLE ? 0 : written), 0);
    this.isTitled = words === 1 && tokens[0]!.isTitled;
    this.isSingle = words === 1 && !this.isTitled;
    this.nasabAt = tokens.findIndex(({ flags }) => flags & NASAB);
  }

  /** A score below `least` may be returned as 0: most rows have only one of the names, and can be left without weighing them. */
  compare(row: number, least = 0): Comparison {
    const { pairing } = this;
    pairing.read(row);
    if (least > CONFLICT_CAP && this.isSurelyConflict()) return NOTHING;
    pairing.pairRead();
    join(pairing);
    pairSlippedWord(pairing);
    if (least > CONFLICT_CAP && this.isConflict() && !this.isWholeAlike()) return NOTHING;
    return this.weigh();
  }

  /** `isConflict`, but not `isWholeAlike`, before the words are paired. False if only pairing them can tell. */
  private isSurelyConflict(): boolean {
    const { pairing } = this;
    const { tokens, listedCount, listedFacts } = pairing;
    if (tokens.length < 2 || listedCount < 2 || pairing.hasEdges) return false;
    let pairs = 0;
    /** Words of either side that may pair with none, as bits. */
    let query = (1 << tokens.length) - 1;
    let listed = (1 << listedCount) - 1;
    let isLeft = false;
    for (let q = 0; q < tokens.length; q++) {
      const before = pairs;
      for (let l = 0; l < listedCount; l++) {
        if (!pairing.mayPair(q, l)) continue;
        pairs++;
        listed &= ~(1 << l);
      }
      if (pairs > before) query &= ~(1 << q);
      else if (contradicts(tokens[q]!.flags)) isLeft = true;
    }
    if (!isLeft || listed === 0 || (tokens.length > 2 && pairs > 1)) return false;
    isLeft = false;
    let length = 0;
    for (let l = 0; l < listedCount; l++) {
      length += lengthIn(listedFacts[l]!);
      if (listed & (1 << l) && contradictsListed(flagsIn(listedFacts[l]!))) isLeft = true;
    }
    if (!isLeft || (length === this.whole.length && firstIn(listedFacts[0]!) === this.whole.charCodeAt(0)) || mayJoinSpan(pairing))
      return false;
    if (pairs > 0) {
      if (areSeveral(query) && areSeveral(listed) && mayJoinAll(pairing, query, listed)) return false;
      if (pairing.isPlain) return true;
    }
    return !mayJoinAll(pairing, (1 << tokens.length) - 1, (1 << listedCount) - 1);
  }

  /** Whether names are left over on both sides. */
  private isConflict(): boolean {
    const { tokens, listedCount, listedFacts, answeredBy, answers } = this.pairing;
    for (let q = 0; q < tokens.length; q++) {
      if (answeredBy[q] !== -1 || !contradicts(tokens[q]!.flags)) continue;
      for (let l = 0; l < listedCount; l++) if (answers[l] === -1 && contradictsListed(flagsIn(listedFacts[l]!))) return true;
      return false;
    }
    return false;
  }

  private weigh(): Comparison {
    const { tally } = this;
    tally.count(this.pairing);
    const { names, agreement, telling, initials, queryLeft, listLeft } = tally;
    let rules = this.pairing.joints.length > 0 ? RULES.joined : 0;
    if (names === 0) return { ...NOTHING, rules };
    if (initials > 0) rules |= RULES.initials;
    // A title that may be a name contradicts if only one name matches.
    const queryContradicts = tally.queryContradicts || (tally.isSoftLeft && names === 1);
    const isPart = queryContradicts || tally.listContradicts;
    let score =
      isPart && (agreement === 1 || !tally.hasOnlyPatronymicLeft(this.pairing))
        ? agreement * tally.loose ** PART_STRICTNESS
        : tally.wholeAgreement();
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
    } else if (tally.isThin() || (this.isTitled && (!tally.areSure || listLeft > 0 || tally.uncommon === 0))) {
      rules |= RULES.single_token;
      score = Math.min(score, PART_CAP);
    }
    if (isPart && (queryContradicts ? tally.rare === 0 && !tally.areTelling(LONGER_POINTS_MIN) : telling === 0) && names < COMMON_ENOUGH) {
      rules |= RULES.common_names;
      score = Math.min(score, PART_CAP);
    }
    if (tally.hasStrangers && tally.uncommon === 0 && names < COMMON_ENOUGH) {
      rules |= RULES.common_names;
      score = Math.min(score, PART_CAP);
    }
    const isSame = tally.same === names && listLeft + queryLeft === 0;
    let needsBirth = tally.hasStrangers;
    if (!isSame && (tally.areCommon(POINTS_MIN) || tally.isOtherChain())) {
      rules |= RULES.common_names;
      score = Math.min(score, COMMON_CAP);
      needsBirth = true;
    }
    if (isPart && initials > 0) score = Math.min(score, PART_CAP);
    if (this.isNasabTurned()) {
      rules |= RULES.nasab_order;
      score = Math.min(score, NASAB_CAP);
    }
    if (score < WHOLE_SIMILARITY && score > WHOLE_FROM && this.isWholeAlike()) {
      rules = (rules & ~RULES.conflict) | RULES.joined;
      score = WHOLE_SIMILARITY;
      needsBirth = false;
    }
    return { score, rules, isCommon: tally.areCommon(WEAK_POINTS_MIN), needsBirth };
  }

  /** Whether both names have the same letters, divided into words differently. */
  private isWholeAlike(): boolean {
    const { whole } = this;
    const { listedCount, listedFacts, listedToken, index } = this.pairing;
    if (whole.length < WHOLE_MIN || (listedCount === 1 && this.pairing.tokens.length === 1)) return false;
    let length = 0;
    for (let l = 0; l < listedCount; l++) length += lengthIn(listedFacts[l]!);
    if (length !== whole.length) return false;
    let listed = '';
    for (let l = 0; l < listedCount; l++) listed += tokenText(index, listedToken[l]!);
    return whole === listed;
  }

  /** `A bin B` and `B bin A` are father and son of each other's name, and so are `A B oglu` and `B A oglu`. */
  private isNasabTurned(): boolean {
    const { tokens, listedCount, listedFacts, listedToken, index, answeredBy } = this.pairing;
    let place = 0;
    while (place < listedCount && !(flagsIn(listedFacts[place]!) & NASAB)) place++;
    if (this.nasabAt < 0 || place === listedCount) return false;
    const [son, father] = sonAndFather(this.nasabAt, tokens[this.nasabAt]!.text);
    const [listedSon, listedFather] = sonAndFather(place, tokenText(index, listedToken[place]!));
    return son >= 0 && listedSon >= 0 && answeredBy[son] === listedFather && answeredBy[father] === listedSon;
  }
}

const areSeveral = (bits: number): boolean => (bits & (bits - 1)) !== 0;

/** Where the names of the son and of the father stand, around or before the word at `at` that tells which is which. */
const sonAndFather = (at: number, word: string): [number, number] => (nasabBehind.has(word) ? [at - 2, at - 1] : [at - 1, at + 1]);
