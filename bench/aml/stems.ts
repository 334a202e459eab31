/**
 * A Nigerian man's name and the woman's name of the same stem (`Aminu`, `Amina`), beside one surname: two people, whatever country is sent. The names
 * come from the engine's own table, so this shows what its rule does, not what it does not know.
 */
import { buildIndex } from '../../src/engines/aml/match/build.ts';
import { openMatcher } from '../../src/engines/aml/match/screen.ts';
import { THRESHOLD_DEFAULT } from '../../src/engines/aml/request.ts';
import { CHRISTIAN, GROUPS, MUSLIM } from '../../src/names/nigerian-names.ts';
import { wilson } from '../figure.ts';
import { oneListed } from './one-listed.ts';
import type { Interval } from './rates.ts';

export interface StemRates {
  /** Pairs of names beside a surname, each in both directions. */
  directions: number;
  /** Shares that are a hit: by name alone, with the same country, and with the same country and birth; with their 95 % intervals. */
  byName: [number, Interval];
  withCountry: [number, Interval];
  withBirth: [number, Interval];
}

const SURNAMES = ['Kwairanga', 'Dikwalla', 'Lawal', 'Okafor', 'Balogun'];
const BIRTH = '1980-03-17';
const BIRTHS = [{ from: BIRTH, to: BIRTH, circa: false }];

export function rateStems(): StemRates {
  const counts = { byName: 0, withCountry: 0, withBirth: 0 };
  let directions = 0;
  for (const [man, woman] of stems())
    for (const surname of SURNAMES)
      for (const [sent, listed] of [
        [man, woman],
        [woman, man],
      ]) {
        const matcher = openMatcher(buildIndex([oneListed(`${listed} ${surname}`, { births: BIRTHS, countries: ['NG'] })]));
        const isHit = (country: string | null, dateOfBirth: string | null): boolean =>
          matcher.screen({ name: `${sent} ${surname}`, country, dateOfBirth, gender: null }, { threshold: THRESHOLD_DEFAULT, lists: null })
            .length > 0;
        directions++;
        if (isHit(null, null)) counts.byName++;
        if (isHit('NG', null)) counts.withCountry++;
        if (isHit('NG', BIRTH)) counts.withBirth++;
      }
  const rate = (hits: number): [number, Interval] => [hits / directions, wilson(hits, directions)];
  return { directions, byName: rate(counts.byName), withCountry: rate(counts.withCountry), withBirth: rate(counts.withBirth) };
}

/** Names of men and of women that differ in their last vowels only. */
function stems(): [string, string][] {
  const groups = [...Object.values(GROUPS), CHRISTIAN, MUSLIM];
  const stemOf = (name: string): string => name.replace(/[aeiou]+$/, '');
  const women = new Map<string, string>(groups.flatMap(({ female }) => female.map((name) => [stemOf(name), name] as const)));
  const men = [...new Set(groups.flatMap(({ male }) => male))];
  return men.flatMap((man): [string, string][] => {
    const woman = women.get(stemOf(man));
    return woman && woman !== man && stemOf(man).length > 3 ? [[man, woman]] : [];
  });
}
