/**
 * Whether a listed person of two common names is found when one of them is spelt differently: the price of not taking every such pair for a hit. By the
 * name alone, and with the listed birth.
 */
import type { ScreeningIndex } from '../../src/engines/aml/match/index.ts';
import { openMatcher } from '../../src/engines/aml/match/screen.ts';
import { THRESHOLD_DEFAULT } from '../../src/engines/aml/request.ts';
import type { Listing } from '../../src/engines/aml/screening.ts';
import { spellingGroups } from '../../src/names/variants.ts';

export interface RespeltRates {
  /** Listed two-word names in which each word has several spellings. */
  names: number;
  found: number;
  /** Those of them whose day of birth is listed, and how many of these are found with it. */
  born: number;
  foundWithBirth: number;
}

export function rateRespelt(index: ScreeningIndex, listings: Iterable<Listing>): RespeltRates {
  const matcher = openMatcher(index);
  const groupOf = new Map(spellingGroups.flatMap((group) => group.map((word) => [word, group] as const)));
  const rates = { names: 0, found: 0, born: 0, foundWithBirth: 0 };
  for (const { list, entry } of listings) {
    const words = entry.names[0]!.text.toLowerCase().split(/[\s-]+/);
    const groups = words.map((word) => groupOf.get(word));
    if (words.length !== 2 || groups.includes(undefined)) continue;
    const at = rates.names % 2;
    const others = groups[at]!.filter((word) => word !== words[at]);
    const name = words.with(at, others[rates.names % others.length]!).join(' ');
    const isFound = (dateOfBirth: string | null): boolean =>
      matcher
        .screen({ name, dateOfBirth, country: null, gender: null }, { threshold: THRESHOLD_DEFAULT, lists: [list] })
        .some(({ sourceId }) => sourceId === entry.sourceId);
    rates.names++;
    if (isFound(null)) rates.found++;
    const birth = entry.births.find(({ from, to }) => from === to);
    if (!birth) continue;
    rates.born++;
    if (isFound(birth.from)) rates.foundWithBirth++;
  }
  return rates;
}
