/** What the input of a check asks of a screening: who, by which threshold, against which lists. */
import type { ScreenOptions, Subject } from './screening.ts';

/** Names that agree this well are worth an analyst's look (docs/aml.md). */
export const THRESHOLD_DEFAULT = 0.75;

/** Lower ones would make hits of strangers. */
export const THRESHOLD_MIN = 0.5;
export const LIST_ID = /^[a-z][a-z0-9_]{1,40}$/;

export interface ScreeningRequest {
  subject: Subject;
  options: ScreenOptions;
}

/** What an app has set for screenings that do not say it themselves. */
export interface ScreeningDefaults {
  amlThreshold?: number;
  amlLists?: string[];
}

/** `input`: valid by the check's schema; `lists` are separated by commas, an empty or missing member is as if it were not there. */
export function readRequest(input: Record<string, string | undefined>, { amlThreshold, amlLists }: ScreeningDefaults): ScreeningRequest {
  const { name = '', date_of_birth, country, gender, threshold, lists } = input;
  return {
    subject: {
      name,
      dateOfBirth: date_of_birth || null,
      country: country || null,
      gender: gender === 'male' || gender === 'female' ? gender : null,
    },
    options: {
      threshold: threshold ? Number(threshold) : (amlThreshold ?? THRESHOLD_DEFAULT),
      lists: lists ? lists.split(',') : (amlLists ?? null),
    },
  };
}
