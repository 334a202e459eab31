/** Turns a check's input into a screening request: the subject, the threshold and the lists. */
import type { EntryType } from './list.ts';
import type { ScreenOptions, Subject } from './screening.ts';

/** Names this similar deserve an analyst's look (docs/aml.md). */
export const THRESHOLD_DEFAULT = 0.75;

/** A lower threshold would report strangers. */
export const THRESHOLD_MIN = 0.5;
export const LIST_ID = /^[a-z][a-z0-9_]{1,40}$/;

export interface ScreeningRequest {
  subject: Subject;
  options: ScreenOptions;
}

/** An app's defaults for screenings that do not set these members. */
export interface ScreeningDefaults {
  amlThreshold?: number;
  amlLists?: string[];
}

/** A subject with a birth date or a gender is a person; one with a registration number is an organization. Null: the input does not tell. */
export function subjectType({ type, date_of_birth, gender, registration_number }: Record<string, string | undefined>): EntryType | null {
  if (type === 'person' || type === 'organization') return type;
  if (date_of_birth || gender) return 'person';
  return registration_number ? 'organization' : null;
}

/** `input` is valid by the check's schema. Its `lists` are separated by commas; an empty member counts as missing. */
export function readRequest(input: Record<string, string | undefined>, { amlThreshold, amlLists }: ScreeningDefaults): ScreeningRequest {
  const { name = '', date_of_birth, country, gender, threshold, lists, registration_number } = input;
  const type = subjectType(input);
  return {
    subject: {
      ...(type !== null && { type }),
      name,
      dateOfBirth: date_of_birth || null,
      country: country || null,
      gender: gender === 'male' || gender === 'female' ? gender : null,
      ...(registration_number && { registration: registration_number }),
    },
    options: {
      threshold: threshold ? Number(threshold) : (amlThreshold ?? THRESHOLD_DEFAULT),
      lists: lists ? lists.split(',') : (amlLists ?? null),
    },
  };
}
