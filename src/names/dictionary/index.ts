/**
 * Given names and family names by region: which spellings are one name, and which names that look alike are two. Spellings of one name are separated by blanks, names by
 * commas. Written from general knowledge on 27 November 2026 by a language model that had seen neither the matcher nor any pair that it is measured on; no
 * speaker of these languages has checked it.
 */
import { AFRICAN_AND_SOUTH_EAST_ASIAN_NAMES } from './african-and-south-east-asian.ts';
import { ARAB_NAMES } from './arab.ts';
import { EASTERN_NAMES } from './eastern.ts';
import { AFRICAN_AND_SOUTH_EAST_ASIAN_FAMILIES } from './families/african-and-south-east-asian.ts';
import { ARAB_FAMILIES } from './families/arab.ts';
import { EASTERN_FAMILIES } from './families/eastern.ts';
import { NIGERIAN_FAMILIES } from './families/nigerian.ts';
import { SOUTH_ASIAN_FAMILIES } from './families/south-asian.ts';
import { WESTERN_FAMILIES } from './families/western.ts';
import { NIGERIAN_GIVEN_NAMES } from './nigerian.ts';
import { SOUTH_ASIAN_NAMES } from './south-asian.ts';
import { WESTERN_NAMES } from './western.ts';

/** The names of one region, each in its spellings. */
export type Region = readonly (readonly string[])[];

const regionOf = (names: string): Region =>
  names
    .trim()
    .split(/,\s+/)
    .map((name) => name.split(/\s+/));

/** Given names. Read anew for each call, so that nothing of it stays in memory. */
export const readNigerianNames = (): Region => regionOf(NIGERIAN_GIVEN_NAMES);
/** The other regions, read in the same way. */
export const readForeignNames = (): Region[] =>
  [ARAB_NAMES, SOUTH_ASIAN_NAMES, EASTERN_NAMES, WESTERN_NAMES, AFRICAN_AND_SOUTH_EAST_ASIAN_NAMES].map(regionOf);

/** Family names of all regions, above all those that look like another one. */
export const readFamilyNames = (): Region[] =>
  [ARAB_FAMILIES, SOUTH_ASIAN_FAMILIES, EASTERN_FAMILIES, WESTERN_FAMILIES, AFRICAN_AND_SOUTH_EAST_ASIAN_FAMILIES, NIGERIAN_FAMILIES].map(
    regionOf,
  );
