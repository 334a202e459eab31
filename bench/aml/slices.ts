/**
 * Accuracy by class of error, on rows that are split in two halves by family of names: rules and weights are fitted on the development half only, the
 * other half is only reported. Invented persons are in `name-families.txt`; further pairs are names of one person, and of two people, on real lists.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import anyAscii from 'any-ascii';
import { distance } from 'fastest-levenshtein';
import { buildIndex } from '../../src/engines/aml/match/build.ts';
import { fold, skeleton } from '../../src/engines/aml/match/fold.ts';
import type { ScreeningIndex } from '../../src/engines/aml/match/index.ts';
import { openMatcher } from '../../src/engines/aml/match/screen.ts';
import { THRESHOLD_DEFAULT } from '../../src/engines/aml/request.ts';
import type { Listing } from '../../src/engines/aml/screening.ts';
import { BLIND } from './blind.ts';
import { oneListed } from './one-listed.ts';
import { type Intervals, intervalsAt, type Rates, ratesAt } from './rates.ts';

export const HALVES = ['development', 'held out'] as const;
export type Half = (typeof HALVES)[number];

/** Half of all families, chosen by a hash with a fixed seed, so nobody can pick them. */
export const halfOf = (family: string): Half =>
  createHash('sha256').update(`confam-step-15|${family}`).digest()[0]! % 2 === 0 ? 'development' : 'held out';

export interface SlicePair {
  slice: string;
  half: Half;
  name: string;
  listed: string;
  isMatch: boolean;
}

export interface SliceRates extends Rates {
  slice: string;
  half: Half;
  pairs: number;
  intervals: Intervals;
  /** With the same country on both sides, without a date of birth. */
  withCountry: Rates;
  /** Pairs that are a hit in one direction only. */
  oneWay: number;
}

/** The invented families, each pair once. */
export function familyPairs(): SlicePair[] {
  let slice = '';
  return readFileSync(new URL('./name-families.txt', import.meta.url), 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('[')) slice = line.slice(1, -1);
      if (line.startsWith('#') || !line.includes('|')) return [];
      const [family, listed, ...kinds] = line.split('|').map((part) => part.trim());
      const half = halfOf(`${slice} ${family}`);
      return kinds.flatMap((kind) =>
        kind
          .slice(1)
          .split(';')
          .map((name) => ({ slice, half, name: name.trim(), listed: listed!, isMatch: kind.startsWith('=') })),
      );
    });
}

const REGIONS: Record<string, string> = {
  'lists: Maghreb': 'DZ MA TN LY MR',
  'lists: Korea': 'KP KR',
  'lists: China': 'CN HK TW',
  'lists: Arabic': 'IQ SY YE SA EG LB JO PS KW QA AE SD BH OM',
  'lists: Persian, Pashto': 'IR AF PK TJ',
  'lists: Slavic': 'RU BY UA RS BA ME',
  'lists: Africa': 'NG SS CD CF ML SO ZW GN CI BI LR ER ET',
  'lists: Latin America': 'CO MX VE NI CU GT SV HN PE EC',
};
/** Pairs of each kind in a region. */
const PAIRS_MAX = 500;
/** People compared with each other in a region. */
const PEOPLE_MAX = 800;
/** Similarity from which two names may be spellings of one name, or be confused. Computed without the matcher. */
const ALIKE = 0.7;

interface Person {
  id: string;
  names: { text: string; plain: string; isOriginal: boolean }[];
  born: number | null;
}

/** Names of one listed person that are alike or in another script, and the most alike names of two people born in different years. */
export function listPairs(listings: Iterable<Listing>): SlicePair[] {
  const people = new Map<string, Person[]>(Object.keys(REGIONS).map((region) => [region, []]));
  for (const { list, entry } of listings) {
    const region = Object.keys(REGIONS).find((one) => entry.countries.some((country) => REGIONS[one]!.includes(country)));
    if (!region) continue;
    const births = entry.births.filter(({ from, to }) => from.slice(0, 4) === to.slice(0, 4));
    people.get(region)!.push({
      id: `${list} ${entry.sourceId}`,
      names: entry.names
        .filter(({ kind }) => kind !== 'weak')
        .map(({ text, kind }) => ({ text, plain: sortedWords(text), isOriginal: kind === 'original' || /[\u0370-\uffff]/u.test(text) })),
      born: births.length === 1 ? Number(births[0]!.from.slice(0, 4)) : null,
    });
  }
  return [...people].flatMap(([slice, all]) => {
    const chosen = all.toSorted((a, b) => (hashOf(a.id) < hashOf(b.id) ? -1 : 1)).slice(0, PEOPLE_MAX);
    return [
      ...chosen.flatMap((person) => samePerson(slice, person)).slice(0, PAIRS_MAX * 2),
      ...otherPeople(slice, chosen).slice(0, PAIRS_MAX * 2),
    ];
  });
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const sortedWords = (text: string): string =>
  anyAscii(text)
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean)
    .sort()
    .join(' ');
const alike = (one: string, other: string): number => 1 - distance(one, other) / Math.max(one.length, other.length, 1);

/** Groups listed people into families by the alphabetically last word of the primary name. */
const familyOf = ({ names }: Person): string => lastOf(names[0]!.plain);

function samePerson(slice: string, person: Person): SlicePair[] {
  const [primary, ...others] = person.names;
  const half = halfOf(familyOf(person));
  return others
    .filter(
      ({ text, plain, isOriginal }) =>
        text !== primary!.text && plain !== primary!.plain && (isOriginal || alike(plain, primary!.plain) >= ALIKE),
    )
    .slice(0, 2)
    .map(({ text }) => ({ slice, half, name: text, listed: primary!.text, isMatch: true }));
}

function otherPeople(slice: string, people: Person[]): SlicePair[] {
  return people.flatMap((person) => {
    const [primary] = person.names;
    if (person.born === null) return [];
    const half = halfOf(familyOf(person));
    let best = ALIKE - 0.1;
    let closest: Person | null = null;
    for (const other of people) {
      if (other.born === null || Math.abs(other.born - person.born) < 3 || halfOf(familyOf(other)) !== half || other === person) continue;
      if (other.names[0]!.plain === primary!.plain || Math.abs(other.names[0]!.plain.length - primary!.plain.length) > 6) continue;
      const likeness = alike(other.names[0]!.plain, primary!.plain);
      if (likeness > best) [best, closest] = [likeness, other];
    }
    return closest ? [{ slice, half, name: closest.names[0]!.text, listed: primary!.text, isMatch: false }] : [];
  });
}

/** People of the slice of publishers. */
const PUBLISHED_MAX = 1_500;
/** Two people of the same country and birth date are treated as different people below this similarity. */
const ONE_PERSON = 0.7;

interface Published {
  list: string;
  text: string;
  plain: string;
  born: string;
  countries: string[];
}

/**
 * How two publishers write one person's name, and the most alike name of somebody born in another year. Held-out rows whose family name sounds like one of
 * the development half are left out.
 */
export function publisherPairs(listings: Iterable<Listing>): SlicePair[] {
  const slice = 'lists: another publisher';
  const byBirth = new Map<string, Published[]>();
  for (const { list, entry } of listings) {
    const [birth] = entry.births;
    const { text } = entry.names[0]!;
    const plain = sortedWords(text);
    if (entry.births.length !== 1 || birth!.from !== birth!.to || !isLatin(text) || !plain.includes(' ')) continue;
    const people = byBirth.get(birth!.from) ?? [];
    byBirth.set(birth!.from, [...people, { list, text, plain, born: birth!.from, countries: entry.countries }]);
  }
  const pairs = [...byBirth.values()].flatMap((people) =>
    people.flatMap((one, i) => people.slice(i + 1).flatMap((other) => (areOnePerson(one, other) ? [{ one, other }] : []))),
  );
  const chosen = pairs.toSorted((a, b) => (hashOf(a.one.text) < hashOf(b.one.text) ? -1 : 1)).slice(0, PUBLISHED_MAX);
  const known = new Set(chosen.filter(({ one }) => halfOf(lastOf(one.plain)) === 'development').map(({ one }) => soundOf(one.plain)));
  return chosen.flatMap(({ one, other }) => {
    const half = halfOf(lastOf(one.plain));
    if (half === 'held out' && known.has(soundOf(one.plain))) return [];
    const same: SlicePair = { slice, half, name: other.text, listed: one.text, isMatch: true };
    let best = ALIKE - 0.1;
    let closest: Published | null = null;
    for (const { one: stranger } of chosen) {
      if (halfOf(lastOf(stranger.plain)) !== half || Math.abs(Number(stranger.born.slice(0, 4)) - Number(one.born.slice(0, 4))) < 3)
        continue;
      if (stranger.plain === one.plain || Math.abs(stranger.plain.length - one.plain.length) > 6) continue;
      const likeness = alike(stranger.plain, one.plain);
      if (likeness > best) [best, closest] = [likeness, stranger];
    }
    return closest ? [same, { slice, half, name: closest.text, listed: one.text, isMatch: false }] : [same];
  });
}

const areOnePerson = (one: Published, other: Published): boolean =>
  one.list !== other.list &&
  one.plain !== other.plain &&
  one.countries.some((country) => other.countries.includes(country)) &&
  alike(one.plain, other.plain) >= ONE_PERSON;

const lastOf = (plain: string): string => plain.split(' ').at(-1)!;
const soundOf = (plain: string): string => skeleton(fold(lastOf(plain)));

const isLatin = (name: string): boolean => /^[\p{Script=Latin}\P{L}]*$/u.test(name);

const nobody = { dateOfBirth: null, country: null, gender: null };
const COUNTRY = 'NG';

/** Scores of a name by an index of just the one listed name: by name alone, and with the same country. */
function scoreAgainst(name: string, listed: string): [number, number] {
  const index: ScreeningIndex = buildIndex([oneListed(listed, { countries: [COUNTRY] })]);
  const matcher = openMatcher(index);
  const scoreWith = (country: string | null) => matcher.screen({ name, ...nobody, country }, { threshold: 0, lists: null })[0]?.score ?? 0;
  return [scoreWith(null), scoreWith(COUNTRY)];
}

export interface ScoredPair extends SlicePair {
  /** The name against the listed one, and the other way round. */
  scores: [number, number];
  /** The same with the same country on both sides. */
  withCountry: [number, number];
}

export const scoreSlices = (pairs: readonly SlicePair[]): ScoredPair[] =>
  pairs.map((pair) => {
    const there = scoreAgainst(pair.name, pair.listed);
    const back = scoreAgainst(pair.listed, pair.name);
    return { ...pair, scores: [there[0], back[0]], withCountry: [there[1], back[1]] };
  });

const LISTS = 'lists: ';

/** By slice and half (those that have pairs), in the order of the pairs; all names of listed people and all blind pairs once more at the end. */
export function rateSlices(all: readonly ScoredPair[]): SliceRates[] {
  const wholes = [LISTS, ...BLIND].flatMap((kind) =>
    all.filter(({ slice }) => slice.startsWith(kind)).map((pair) => ({ ...pair, slice: `${kind}all` })),
  );
  const scored = [...all, ...wholes];
  const slices = [...new Set(scored.map(({ slice }) => slice))];
  return slices.flatMap((slice) =>
    HALVES.flatMap((half) => {
      const pairs = scored.filter((pair) => pair.slice === slice && pair.half === half);
      if (pairs.length === 0) return [];
      return {
        slice,
        half,
        pairs: pairs.length,
        ...ratesAt(pairs, THRESHOLD_DEFAULT),
        intervals: intervalsAt(pairs, THRESHOLD_DEFAULT),
        withCountry: ratesAt(
          pairs.map(({ isMatch, withCountry }) => ({ isMatch, scores: withCountry })),
          THRESHOLD_DEFAULT,
        ),
        oneWay: pairs.filter(({ scores: [there, back] }) => there >= THRESHOLD_DEFAULT !== back >= THRESHOLD_DEFAULT).length,
      };
    }),
  );
}
