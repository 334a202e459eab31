/** The vocabulary of a screening: who is screened, what may match, and how a match is explained. The matcher is in `match/`. */
import type { Category, EntryType, ListEntry } from './list.ts';

export interface Subject {
  /** Absent: persons and organizations are both searched. */
  type?: EntryType;
  name: string;
  /** `YYYY-MM-DD` */
  dateOfBirth: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  gender: 'male' | 'female' | null;
  /** An organization's registration number, as sent. */
  registration?: string;
}

/** An entry as it appears in one version of a list. */
export interface Listing {
  list: string;
  /** Label of the list version in force. */
  version: string;
  /** 16 hex digits. Changes when the publisher changes the entry. */
  digest: string;
  entry: ListEntry;
}

/** How a word of the submitted name corresponds to a word of the listed name. */
export const tokenRelations = ['exact', 'folded', 'nickname', 'edit', 'script', 'initial', 'joined', 'unmatched'] as const;
export type TokenRelation = (typeof tokenRelations)[number];

export interface TokenMatch {
  /** Null: no word of the submitted name corresponds to the listed one. */
  query: string | null;
  /** Null: no listed word corresponds to the submitted one. */
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
/** How country and gender compare. */
export const agreements = ['same', 'different', 'unknown'] as const;
export type Agreement = (typeof agreements)[number];

export interface Explanation {
  tokens: TokenMatch[];
  /** Stable codes of the rules that changed the score (docs/aml.md). */
  rules: string[];
  name_score: number;
  dob: Evidence<BirthVerdict>;
  country: Evidence<Agreement>;
  gender: Evidence<Agreement>;
}

/** A listing that matches the subject with at least the threshold score. */
export interface Match {
  list: string;
  listVersion: string;
  sourceId: string;
  digest: string;
  type: EntryType;
  category: Category;
  /** The entry's primary name. */
  name: string;
  /** The listed name that matched. */
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
  /** 0 to 1. Lower scores are not reported. */
  threshold: number;
  /** Null: all lists. */
  lists: readonly string[] | null;
}

export interface Matcher {
  /** Best first. */
  screen(subject: Subject, options: ScreenOptions): Match[];
}
