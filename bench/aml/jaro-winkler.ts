/**
 * The reference for slips: Jaro–Winkler similarity of two names whose words are sorted, as simple screening does it. It knows nothing about names, and finds
 * any two names that differ in few letters, whoever bears them.
 */
import type { Listing } from '../../src/engines/aml/screening.ts';

/** Similarity from which two names are one, as in moov-io/watchman's examples. */
export const REFERENCE_MIN = 0.92;
/** Weight of an equal beginning, and the most letters of it (Winkler 1990). */
const PREFIX_WEIGHT = 0.1;
const PREFIX_MAX = 4;

const sorted = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .split(/[^a-z]+/)
    .filter(Boolean)
    .sort()
    .join(' ');

/** Screens names against one list. */
export class SortedNames {
  private readonly people: { id: string; names: string[] }[] = [];

  constructor(listings: Iterable<Listing>, list: string) {
    for (const { list: own, entry } of listings) {
      if (own !== list) continue;
      const names = [...new Set(entry.names.map(({ text }) => sorted(text)))].filter((name) => name.includes(' '));
      this.people.push({ id: entry.sourceId, names });
    }
  }

  /** Ids of the people who have a name as similar as `REFERENCE_MIN`. */
  screen(name: string): string[] {
    const sent = sorted(name);
    return this.people.filter(({ names }) => names.some((listed) => isAlike(sent, listed))).map(({ id }) => id);
  }
}

/** Names whose lengths alone keep them apart are not compared. */
function isAlike(one: string, other: string): boolean {
  const most = (2 + Math.min(one.length, other.length) / Math.max(one.length, other.length)) / 3;
  return most + PREFIX_MAX * PREFIX_WEIGHT * (1 - most) >= REFERENCE_MIN && jaroWinkler(one, other) >= REFERENCE_MIN;
}

/** From 0 to 1. */
function jaroWinkler(one: string, other: string): number {
  const reach = Math.max(0, Math.floor(Math.max(one.length, other.length) / 2) - 1);
  const taken = new Uint8Array(other.length);
  let common = '';
  for (let i = 0; i < one.length; i++) {
    const end = Math.min(other.length, i + reach + 1);
    for (let j = Math.max(0, i - reach); j < end; j++) {
      if (taken[j] || one[i] !== other[j]) continue;
      taken[j] = 1;
      common += one[i];
      break;
    }
  }
  if (common === '') return 0;
  let swapped = 0;
  let at = 0;
  for (let j = 0; j < other.length; j++) if (taken[j] && other[j] !== common[at++]) swapped++;
  const matches = common.length;
  const jaro = (matches / one.length + matches / other.length + (matches - swapped / 2) / matches) / 3;
  let prefix = 0;
  while (prefix < PREFIX_MAX && prefix < one.length && one[prefix] === other[prefix]) prefix++;
  return jaro + prefix * PREFIX_WEIGHT * (1 - jaro);
}
