/**
 * Scores how well the name of an organization matches a listed one. Each word counts by what it tells (`organization-tokens.ts`): a word of its own most, a
 * word that all companies have next to nothing. Words of their own left over on both sides are a contradiction.
 */
import { type Comparison, RULES } from './compare.ts';
import { flagsIn, type ListIndex } from './index.ts';
import { join } from './joints.ts';
import { OrganizationPairing } from './organization-pairing.ts';
import { NUMBER, tellingOf } from './organization-tokens.ts';
import type { SimilarFolds } from './similar-folds.ts';
import type { Token } from './tokens.ts';

/** A word that tells at least this much and is left over makes it another organization. */
const OWN_MIN = 0.5;
const CONFLICT_FACTOR = 0.78;
const CONFLICT_CAP = 0.66;
/** Cap for a match of too little. Below any threshold in use. */
const PART_CAP = 0.695;
/** What the matching words of a part must tell together: more than a single word of its own. */
const PART_TELLING_MIN = 1.35;
/** Cap for a single word of its own beside different common words: a hit only if the country agrees too. */
const SISTER_CAP = 0.74;
/** A name that has one word of its own must have it nearly to the letter. */
const ONE_WORD_MIN = 0.88;
/** Shares of the score lost when all words of one side are found: they grow with the words left on the other side. */
const QUERY_LONGER = 0.6;
const LIST_LONGER = 0.5;
/** Slips count more than among persons' names: two companies may differ in a letter by intent. */
const STRICTNESS = 1.5;

export class OrganizationComparer {
  /** The pairs of the last row, to explain them. */
  readonly pairing: OrganizationPairing;

  constructor(index: ListIndex) {
    this.pairing = new OrganizationPairing(index);
  }

  /** Sets the name that the next rows are compared with. */
  begin(tokens: readonly Token[], similar: readonly SimilarFolds[]): void {
    this.pairing.begin(tokens, similar);
  }

  compare(row: number): Comparison {
    const { pairing } = this;
    pairing.pairWith(row);
    join(pairing);
    const { matched, agreed } = this.matched();
    let rules = pairing.joints.length > 0 ? RULES.joined : 0;
    if (matched === 0) return { score: 0, rules, isCommon: false, needsBirth: false };
    const query = leftIn(pairing.answeredBy, pairing.tokens.length, (q) => pairing.tokens[q]!.flags);
    const listed = leftIn(pairing.answers, pairing.listedCount, (l) => flagsIn(pairing.listedFacts[l]!));
    const agreement = agreed / matched;
    let score = agreement ** STRICTNESS;
    if (query.telling > 0) score *= 1 - (QUERY_LONGER * query.telling) / (query.telling + matched);
    if (listed.telling > 0) score *= 1 - (LIST_LONGER * listed.telling) / (listed.telling + matched);
    const isWhole = query.telling + listed.telling === 0;
    if (query.most >= OWN_MIN && listed.most >= OWN_MIN) {
      rules |= RULES.conflict;
      score = Math.min(score * CONFLICT_FACTOR, CONFLICT_CAP);
    } else if (query.most >= OWN_MIN) rules |= RULES.query_longer;
    else if (listed.most >= OWN_MIN) rules |= RULES.list_longer;
    if (query.hasNumber && listed.hasNumber) {
      rules |= RULES.numbers;
      score = Math.min(score, CONFLICT_CAP);
    }
    const isPart = query.most >= OWN_MIN || listed.most >= OWN_MIN;
    if (isPart && matched < PART_TELLING_MIN) {
      rules |= RULES.single_token;
      score = Math.min(score, PART_CAP);
    }
    if (matched < PART_TELLING_MIN && query.telling > 0 && listed.telling > 0) {
      rules |= RULES.common_words;
      score = Math.min(score, SISTER_CAP);
    }
    if (matched < PART_TELLING_MIN && agreement < ONE_WORD_MIN) {
      rules |= RULES.single_token;
      score = Math.min(score, PART_CAP);
    }
    if (matched < 1 && !(isWhole && agreement === 1)) {
      rules |= RULES.common_words;
      score = Math.min(score, PART_CAP);
    }
    return { score, rules, isCommon: matched < 1, needsBirth: false };
  }

  /** What the matching words tell, and that times their likeness. */
  private matched(): { matched: number; agreed: number } {
    const { tokens, answeredBy, similarity, joints, listedFacts } = this.pairing;
    let [matched, agreed] = [0, 0];
    for (let q = 0; q < tokens.length; q++) {
      const l = answeredBy[q]!;
      if (l < 0) continue;
      const telling = Math.min(tellingOf(tokens[q]!.flags), tellingOf(flagsIn(listedFacts[l]!)));
      matched += telling;
      agreed += telling * similarity[q]!;
    }
    for (const joint of joints) {
      const askedTelling = joint.query.reduce((sum, q) => sum + tellingOf(tokens[q]!.flags), 0);
      const listedTelling = joint.listed.reduce((sum, l) => sum + tellingOf(flagsIn(listedFacts[l]!)), 0);
      const telling = Math.min(askedTelling, listedTelling);
      matched += telling;
      agreed += telling * joint.similarity;
    }
    return { matched, agreed };
  }
}

function leftIn(
  partner: Int8Array,
  count: number,
  flagsAt: (place: number) => number,
): { telling: number; most: number; hasNumber: boolean } {
  let [telling, most, hasNumber] = [0, 0, false];
  for (let i = 0; i < count; i++) {
    if (partner[i] !== -1) continue;
    const flags = flagsAt(i);
    telling += tellingOf(flags);
    most = Math.max(most, tellingOf(flags));
    hasNumber ||= (flags & NUMBER) !== 0;
  }
  return { telling, most, hasNumber };
}
