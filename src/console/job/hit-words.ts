/** What a screening says of a hit, in the words of its report (`src/reports/hit.ts`). */
import type { AmlScreening } from '../../client/catalogue.ts';

type Hit = AmlScreening['entity']['hits'][number];
type Words<Code extends string> = Readonly<Record<Code, string>>;

const categories: Words<Hit['category']> = {
  sanction: 'Sanctions',
  pep: 'Politically exposed person',
  wanted: 'Police notice',
  adverse_media: 'Adverse media',
};

export const categoryName = (category: string): string => categories[category as Hit['category']] ?? category;

/** How a submitted word and a listed one match. */
export const relationWords: Words<Hit['explanation']['tokens'][number]['how']> = {
  exact: 'the same',
  folded: 'the same but for spelling variants',
  nickname: 'another form of the same name',
  edit: 'differ by a few letters',
  initial: 'initial',
  joined: 'written together',
  script: 'the same in the original script',
  unmatched: 'no counterpart',
};

export const birthWords: Words<Hit['explanation']['dob']['verdict']> = {
  exact: 'the same day',
  within_range: 'within the listed range',
  same_year: 'the same year',
  near_year: 'a year apart',
  day_month_swapped: 'the same with day and month exchanged',
  different_day: 'the same year, a different day',
  different_year: 'another year',
  unknown: 'nothing to compare',
};

export const agreementWords: Words<Hit['explanation']['country']['verdict']> = {
  same: 'the same',
  different: 'different',
  unknown: 'nothing to compare',
};

/** Rules that changed the score of a name. */
const rules: Readonly<Record<string, string>> = {
  conflict: 'each name has a word that the other lacks',
  nasab_order: 'son and father have changed places',
  single_token: 'only one word matches',
  query_longer: 'the name sent has more words',
  list_longer: 'the listed name has more words',
  joined: 'words are written together',
  initials: 'an initial stands for a name',
  common_names: 'only names that many people have match',
  acronym: 'initials stand for the whole name',
  numbers: 'the numbers differ',
  common_words: 'only words that many organizations have match',
  weak_alias: 'its publisher calls the alias weak: the name counts 80 at most, 74 if it is a common one',
  registration_number: 'the same registration number: at least 95 if the names are alike, otherwise 80',
};

export const ruleWords = (code: string): string => rules[code] ?? code;

/** Points of 100, with the tenth that adds up: `+4`, `−2`, `91.3`. */
export const points = (score: number): string => String(Math.round(score * 1000) / 10).replace('-', '−');

/** What evidence adds to the score; empty if nothing. */
export const effect = (added: number): string => (added === 0 ? '' : ` (${added > 0 ? '+' : ''}${points(added)})`);

/** How alike the names are. */
export const alike = (score: number): string => `${Math.round(score * 100)} of 100`;
