/** Sums up the pairs of a name and a row: what matches and how, and what is left over on either side. */
import { SCORED_LENGTH_MIN } from './distance.ts';
import { fold } from './fold.ts';
import { isPatronymic } from './form-groups.ts';
import { flagsIn, lengthIn, tokenText } from './index.ts';
import { AS_INITIAL, areParticles, EDIT, EXACT, FOLDED, LOOSE, OTHER, type Pairing, SCRIPT, STRANGERS_MAX, VARIANT } from './pairing.ts';
import { nameGroups } from './spellings.ts';
import {
  ABJAD,
  COMMON,
  EDGE,
  FREQUENT,
  HAN,
  HANGUL,
  INITIAL,
  KNOWN,
  MILLIONS,
  PARTICLE,
  SOFT,
  SYLLABIC,
  VOICED,
  weightOf,
} from './tokens.ts';
import { articles, kunya, namelikeTitles } from './words.ts';

/** From this many letters of a folded word on, the same sound means the same name. */
const SURE_LENGTH = 6;
/** What a slip costs, as a share of the name's letters. */
const SLIPS_WEIGHT = 1.5;
/** Up to this many letters, many other words sound alike. */
const SHORT_LENGTH = 3;

/** Whether a word of the submitted name that matches nothing in the listed name makes it another name. */
export const contradicts = (flags: number): boolean => !(flags & (SOFT | PARTICLE));
/** The same for a word of the listed name. */
export const contradictsListed = (flags: number): boolean => !(flags & (PARTICLE | EDGE | SOFT));

/** Sums over the word pairs of a name and a row. One for each thread, cleared for each row: creating one for each would cost more than counting. */
export class Tally {
  /** Weight of the matching words, and of those left over. */
  matched = 0;
  queryLeft = 0;
  listLeft = 0;
  /** Product over all matching names: each weaker match admits more strangers. */
  agreement = 1;
  /** The same without slips of the pen, their cost in letters, and the letters of all matching names: one budget for the whole name. */
  private unslipped = 1;
  private slips = 0;
  private letters = 0;
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
  /** Those among them that are not common anywhere, and those that hardly anybody bears. */
  uncommon = 0;
  rare = 0;
  /** Total points of the matching names: the sum of `TELLING`, less the cost of looser matches. */
  private told = 0;
  /** The names are made of syllables, for which `TELLING` has no points. */
  private isSyllabic = false;
  /** The names are in another order. */
  private isTurned = false;
  /** A name matches another known name. */
  hasStrangers = false;
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

  /** Sums up the pairs, and the words left over on either side. */
  count(pairing: Pairing): void {
    const { tokens, listedCount } = pairing;
    this.clear();
    for (let q = 0; q < tokens.length; q++) {
      const l = pairing.answeredBy[q]!;
      if (l >= 0) this.countPair(pairing, q, l);
      else if (l === -1) {
        const { flags } = tokens[q]!;
        this.queryLeft += pairing.weights[q]!;
        if (flags & SOFT) this.isSoftLeft = true;
        else if (contradicts(flags)) this.queryContradicts = true;
      }
    }
    for (let l = 0; l < listedCount; l++) {
      if (pairing.answers[l] !== -1) continue;
      const flags = flagsIn(pairing.listedFacts[l]!);
      this.listLeft += weightOf(flags & EDGE ? PARTICLE : flags, lengthIn(pairing.listedFacts[l]!));
      if (contradictsListed(flags)) this.listContradicts = true;
    }
    for (const { query, listed: places, similarity } of pairing.joints) {
      this.matched += Math.max(query.length, places.length);
      this.agreement *= similarity;
      this.unslipped *= similarity;
      for (const q of query) {
        this.letters += tokens[q]!.text.length;
        this.told += tellingOf(tokens[q]!.flags);
      }
      this.names += Math.min(query.length, places.length);
      if (query.some((q) => !(tokens[q]!.flags & COMMON))) this.telling++;
      if (query.some((q) => !(tokens[q]!.flags & (COMMON | FREQUENT)))) this.uncommon++;
      if (query.some((q) => !(tokens[q]!.flags & (COMMON | KNOWN)))) this.rare++;
    }
  }

  /** As `agreement`, with the slips of all names counted together: two in one word are no worse than one in each of two. */
  wholeAgreement(): number {
    return this.slips === 0 ? this.agreement : Math.max(this.agreement, this.unslipped * (1 - (SLIPS_WEIGHT * this.slips) / this.letters));
  }

  private countPair(pairing: Pairing, q: number, l: number): void {
    const { flags, written, folded } = pairing.tokens[q]!;
    const facts = pairing.listedFacts[l]!;
    const listedFlags = flagsIn(facts);
    if (areParticles(flags, listedFlags)) {
      this.matched += weightOf(PARTICLE, 0);
      if (flags & EDGE) this.edges++;
      return;
    }
    this.matched += Math.min(pairing.weights[q]!, weightOf(listedFlags, lengthIn(facts)));
    const how = pairing.how[q]!;
    const similarity = flags & SOFT ? Math.sqrt(pairing.similarity[q]!) : pairing.similarity[q]!;
    this.agreement *= similarity;
    if (how === EDIT) {
      this.slips += (1 - similarity) * Math.max(pairing.tokens[q]!.text.length, lengthIn(facts), SCORED_LENGTH_MIN);
    } else this.unslipped *= similarity;
    if (!(flags & INITIAL)) this.letters += pairing.tokens[q]!.text.length;
    if (similarity < LOOSE) this.loose *= similarity;
    if (how === AS_INITIAL) {
      this.initials++;
      this.told += TELLING.initial;
      if (!(flags & INITIAL)) return;
      this.initialsSent++;
      if (isVague(tokenText(pairing.index, pairing.listedToken[l]!))) this.vagueInitials++;
      this.initialAt = q;
      this.initialOf = l;
    } else if (flags & INITIAL) {
      this.sameInitials++;
    } else {
      this.names++;
      this.told += tellingOf(flags | listedFlags);
      const isOneScript = ((flags ^ listedFlags) & (ABJAD | VOICED)) === 0;
      if (isOneScript || similarity < SPELT)
        this.told -= costOf(how, similarity, Math.min(pairing.tokens[q]!.text.length, lengthIn(facts)));
      else this.told -= FOLDED_COST;
      if (how === EDIT && isBehindArticle(pairing, q, l)) this.told -= ARTICLE_COST;
      if (this.nameAt !== -1 && q < this.nameAt !== l < this.nameOf) this.isTurned = true;
      if ((flags | listedFlags) & (HAN | HANGUL | SYLLABIC)) this.isSyllabic = true;
      this.nameAt = q;
      this.nameOf = l;
      if (similarity < LOOSE) this.areLoose = true;
      if (how === EXACT) this.same++;
      else if (how !== FOLDED || folded.length < SURE_LENGTH) this.areSure = false;
      if ((how === FOLDED || how === EDIT || how === OTHER) && folded.length <= SHORT_LENGTH && !(flags & (HAN | HANGUL)))
        this.isShortUnsure = true;
      if (q === 0 && how !== EXACT && folded.length <= SHORT_LENGTH && namelikeTitles.has(folded)) this.isTitleBent = true;
      if (how === OTHER && similarity <= STRANGERS_MAX) this.hasStrangers = true;
      if (flags & listedFlags & SOFT) this.softPairs++;
      if (written > 1) this.servants++;
      if (flags & EDGE && how === VARIANT) this.hasEdgeForm = true;
      if (!(flags & SOFT) && !((flags | listedFlags) & COMMON) && how !== SCRIPT && how !== OTHER) {
        this.telling++;
        if (!((flags | listedFlags) & FREQUENT)) this.uncommon++;
        if (!((flags | listedFlags) & KNOWN)) this.rare++;
      }
    }
  }

  /**
   * Common names in another order, and a name besides: in a chain of fathers' names the order tells whose son somebody is (`Hassan Mohammed Umar`,
   * `Ramzi Mohamed Omar Hassan Alassiri`).
   */
  isOtherChain(): boolean {
    return this.isTurned && this.names > 1 && this.telling === 0 && (this.listContradicts || this.queryContradicts);
  }

  /** At least two names match, but their total is too low to tell a person from namesakes. */
  areCommon(least: number): boolean {
    return this.names >= 2 && !this.isSyllabic && this.points() < least;
  }

  /** Two names match, and the only other word that was sent is a patronymic, which most lists leave out. */
  hasOnlyPatronymicLeft({ tokens, answeredBy }: Pairing): boolean {
    if (this.names < 2 || !this.queryContradicts || this.listContradicts) return false;
    return tokens.every(({ flags, folded }, q) => answeredBy[q] !== -1 || !contradicts(flags) || isPatronymic(folded));
  }

  /** At least two names match, and their total is enough. */
  areTelling(least: number): boolean {
    return this.names >= 2 && !this.isSyllabic && this.points() >= least;
  }

  private points(): number {
    const isLeft = this.queryLeft + this.listLeft > 0;
    return this.told - (this.isTurned ? TURNED_COST : 0) - (isLeft ? LEFT_COST : 0);
  }

  /**
   * One name matches, and besides it only an initial, a particle, a title or `Abdul`, which go with many names. It must then match better than one of
   * two names.
   */
  isThin(): boolean {
    // `Sen Michael`, `Mike Shen`: neither name is the same.
    if (this.names === 2 && this.same === 0 && this.telling === 0 && this.isShortUnsure && this.areLoose) return true;
    if (this.names === 2 && this.isTitleBent) return true;
    // `Ahmed Abu`, `Abubakar Ahmed`: the short form of a common name beside another one.
    if (this.names === 2 && this.telling === 0 && this.hasEdgeForm) return true;
    if (this.names - this.softPairs !== 1) return false;
    if (this.areInitialsTelling()) return false;
    if (this.initialsSent > 0 && this.initialAt < this.nameAt && this.initialOf > this.nameOf) return true;
    if (this.initialsSent > 0 && this.vagueInitials === this.initialsSent) return true;
    if (this.initialsSent + this.edges > 0 || this.sameInitials === 1) return !this.areSure || (this.telling === 0 && this.agreement < 1);
    if (this.initials > 0) return this.areLoose || this.telling === 0;
    return this.softPairs + this.servants > 0 && this.areLoose;
  }

  /** `D. L. Khvorostin` is more than `D. Khvorostin`: two initials before a rare family name, on both sides in this order. */
  private areInitialsTelling(): boolean {
    const areFirst = this.initialAt < this.nameAt && this.initialOf < this.nameOf;
    return this.initialsSent > 1 && this.vagueInitials === 0 && areFirst && !this.areLoose && this.told >= INITIALS_POINTS_MIN;
  }

  private clear(): void {
    this.matched = 0;
    this.queryLeft = 0;
    this.listLeft = 0;
    this.agreement = 1;
    this.unslipped = 1;
    this.slips = 0;
    this.letters = 0;
    this.loose = 1;
    this.areLoose = false;
    this.areSure = true;
    this.isShortUnsure = false;
    this.names = 0;
    this.same = 0;
    this.telling = 0;
    this.uncommon = 0;
    this.rare = 0;
    this.told = 0;
    this.isSyllabic = false;
    this.isTurned = false;
    this.hasStrangers = false;
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
 * Points of a name: roughly -log10 of the share of people who have it where it is common. The steps are those of `known-names.ts` (1 in 650, 1 in 2,200 and
 * 1 in 8,700 of its people, or fewer). The half points and the costs below were fitted on the development half of `npm run bench -- aml`.
 */
const TELLING = { title: 1, millions: 2, common: 2.5, known: 3, unknown: 4, initial: 1 } as const;
/** Points that a match costs if the letters differ. */
const FOLDED_COST = 0.1;
const OTHER_COST = 1.5;
/** A match between two scripts costs no more than another spelling from this similarity on: the transliteration is not the writer's choice. */
const SPELT = Math.fround(0.95);
/** Multiplied by 1 − similarity. */
const FORM_COST = 6;
const SLIP_COST = 4;
const ANY_SLIP_COST = 0.3;
/** A slip in a word of up to this many letters usually turns it into a different name. */
const SLIP_LENGTH = 4;
const SHORT_SLIP_COST = 0.5;
const ARTICLE_COST = 1.5;
const TURNED_COST = 0.2;
/** Least total of two initials and a name: they stand for many. */
const INITIALS_POINTS_MIN = 5;
const LEFT_COST = 0.5;

/** How many points a name with these flags is worth. */
export function tellingOf(flags: number): number {
  if (flags & SOFT) return TELLING.title;
  if (flags & MILLIONS) return TELLING.millions;
  if (flags & FREQUENT) return TELLING.common;
  // Short words are common, and so are names that have several spellings.
  if (flags & COMMON) return TELLING.common;
  return flags & KNOWN ? TELLING.known : TELLING.unknown;
}

function costOf(how: number, similarity: number, length: number): number {
  if (how === EXACT) return 0;
  if (how === FOLDED) return FOLDED_COST;
  if (how === OTHER) return OTHER_COST;
  if (how === EDIT) return ANY_SLIP_COST + SLIP_COST * (1 - similarity) + (length <= SLIP_LENGTH ? SHORT_SLIP_COST : 0);
  return FORM_COST * (1 - similarity);
}

/** Extra cost if only one of the two words has an article: `al-Madani` is no misspelling of `Madaki`. */
const isBehindArticle = ({ index, tokens, answeredBy, answers, listedToken }: Pairing, q: number, l: number): boolean =>
  (l > 0 && answers[l - 1] === -1 && articles.has(tokenText(index, listedToken[l - 1]!))) ||
  (q > 0 && answeredBy[q - 1] === -1 && articles.has(tokens[q - 1]!.text));

const MUHAMMAD = nameGroups(fold('muhammad'))[0]!;

/** Muhammad, a servant's name (`Abdul Samad`) or a by-name (`Abu`): they precede so many surnames that their initial finds strangers. */
const isVague = (listed: string): boolean => kunya.has(listed) || listed.startsWith('abdul') || nameGroups(fold(listed)).includes(MUHAMMAD);
