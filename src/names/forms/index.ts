/**
 * Forms of names that only bring names together: a name in these tables need not be common, and two names in them need not be two people's. Forms of one name
 * are separated by blanks, names by commas. Written from general knowledge, the regional tables on 27 November 2026 by a language model that had seen neither the
 * matcher nor any pair that it is measured on; no speaker of these languages has checked them.
 */
import { ABBREVIATIONS } from './abbreviations.ts';
import { AFRICAN_SPELLINGS } from './african-spellings.ts';
import { BIBLICAL_NAMES } from './biblical-names.ts';
import { GENERAL_SHORT_FORMS } from './general-short-forms.ts';
import { GENERAL_SPELLINGS } from './general-spellings.ts';
import { NIGERIAN_SHORT_FORMS } from './nigerian-short-forms.ts';
import { SOUTH_ASIAN_SPELLINGS } from './south-asian-spellings.ts';
import { SOUTH_EAST_ASIAN_SPELLINGS } from './south-east-asian-spellings.ts';
import { WEST_ASIAN_SPELLINGS } from './west-asian-spellings.ts';

const read = (...tables: readonly string[]): string[][] =>
  tables.flatMap((table) =>
    table
      .trim()
      .split(/,\s+/)
      .map((forms) => forms.split(/\s+/)),
  );

/** Each element is one name in its spellings. */
export const readSpellings = (): string[][] =>
  read(GENERAL_SPELLINGS, SOUTH_ASIAN_SPELLINGS, SOUTH_EAST_ASIAN_SPELLINGS, WEST_ASIAN_SPELLINGS, AFRICAN_SPELLINGS);

/** Each element is one name in several languages. */
export const readBiblicalNames = (): string[][] => read(BIBLICAL_NAMES);

/** The first word of each element is short for each of the others. */
export const readShortForms = (): string[][] => read(GENERAL_SHORT_FORMS, NIGERIAN_SHORT_FORMS, ABBREVIATIONS);
