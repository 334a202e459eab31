/** The words of a screening: who is screened, what may match, and how a match is explained. The matcher behind them is in `match/`. */
import type { Category, ListEntry } from './list.ts';

export interface Subject {
  name: string;
  /** `YYYY-MM-DD` */
  dateOfBirth: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  gender: 'male' | 'female' | null;
}

/** An entry as it stands in a version of a list. */
export interface Listing {
  list: string;
  /** Label of the version of the list that is in force. */
  version: string;
  /** 16 hex digits; another one when the publisher has changed the entry. */
  digest: string;
  entry: ListEntry;
}

/** How a word of the name that was sent answers to one that is listed. */
export const tokenRelations = ['exact', 'folded', 'nickname', 'edit', 'script', 'initial', 'joined', 'unmatched'] as const;
export type TokenRelation = (typeof tokenRelations)[number];

export interface TokenMatch {
  /** Null: the listed word stands alone. */
  query: string | null;
  /** Null: the word that was sent stands alone. */
  listed: string | null;
  how: TokenRelation;
  /** 0 to 1. */
  similarity: number;
}

export interface Evidence<Verdict extends string> {
  verdict: Verdict;
  /** What the list says. */
  listed: string[];
  /** Added to the score of the name. */
  effect: number;
}

export const birthVerdicts = [
  'exact',
  'within_range',
  'same_year',
  'near_year',
  'day_month_swapped',
  'different_day',
  'different_year',
  'unknown',
] as const;
export type BirthVerdict = (typeof birthVerdicts)[number];
/** Of country and of gender. */
export const agreements = ['same', 'different', 'unknown'] as const;
export type Agreement = (typeof agreements)[number];

export interface Explanation {
  tokens: TokenMatch[];
  /** Stable words of the rules that changed the score (docs/aml.md). */
  rules: string[];
  name_score: number;
  dob: Evidence<BirthVerdict>;
  country: Evidence<Agreement>;
  gender: Evidence<Agreement>;
}

/** A listing that answers to the subject with at least the threshold. */
export interface Match {
  list: string;
  listVersion: string;
  sourceId: string;
  digest: string;
  category: Category;
  /** The entry's primary name. */
  name: string;
  /** The one of its names that matched. */
  matchedAlias: string;
  /** 0 to 1, three decimals. */
  score: number;
  explanation: Explanation;
  programs: string[];
  listedOn: string | null;
  endedOn: string | null;
  url: string | null;
}

export interface ScreenOptions {
  /** 0 to 1: lower scores are no match. */
  threshold: number;
  /** Null: every list. */
  lists: readonly string[] | null;
}
