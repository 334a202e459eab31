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

/** How alike the names are. */
export const alike = (score: number): string => `${Math.round(score * 100)} of 100`;
