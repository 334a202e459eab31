/**
 * Where names come from, guessed from how politicians and listed people of each region are called, so that labelled pairs can be told apart by family
 * of names although nobody has read them. Naive Bayes over words and groups of three letters.
 */
import anyAscii from 'any-ascii';
import { THRESHOLD_DEFAULT } from '../../src/engines/aml/request.ts';
import type { Listing } from '../../src/engines/aml/screening.ts';
import type { Pair } from './accuracy.ts';
import { readRows } from './lists.ts';
import { type Intervals, intervalsAt, type Rates, ratesAt } from './rates.ts';

const REGIONS: Record<string, string> = {
  Arabic: 'IQ SY YE SA EG LB JO PS KW QA AE SD BH OM DZ MA TN LY MR',
  'Persian, Pashto, Urdu': 'IR AF TJ PK',
  Turkic: 'TR AZ KZ UZ TM KG',
  'South Asian': 'IN BD LK NP MV BT',
  'Southeast Asian': 'ID MY TH VN PH KH LA MM',
  Chinese: 'CN HK TW',
  Korean: 'KP KR',
  Japanese: 'JP',
  Slavic: 'RU BY UA RS BA ME BG MK HR SI CZ SK PL',
  Nigerian: 'NG',
  'other African': 'GH ZA KE TZ UG RW BI SS CD CG CF ML SO ZW ZM MW MZ AO GN CI LR SL GM SN BF BJ TG NE TD CM GA ER ET BW NA MG',
  'Spanish, Portuguese': 'ES PT BR CO MX VE NI CU GT SV HN PE EC AR CL UY PY BO DO CR PA',
  'other European': 'GB IE US CA AU NZ FR BE NL DE AT CH IT DK SE NO FI IS EE LV LT HU RO GR CY MT LU AL XK',
};
const NAME_REGIONS = Object.keys(REGIONS);
const regionOf = new Map(Object.entries(REGIONS).flatMap(([region, codes]) => codes.split(' ').map((code) => [code, region] as const)));

/** People of each region that are learned from, at most, so that no region is likelier for being larger. */
const PEOPLE_MAX = 2_000;
/** Of ten people, this many are kept from learning, to say how often the guess is right. */
const TESTED_OF_TEN = 2;
/** Added to every count. */
const SMOOTHING = 0.1;

export class NameRegions {
  private readonly counts = new Map<string, Map<string, number>>();
  private readonly totals = new Map<string, number>(NAME_REGIONS.map((region) => [region, 0]));
  /** Of the people kept out of the training data: how many there are, and for how many the region is guessed correctly. */
  readonly tested: { right: number; people: number };

  constructor(listings: Iterable<Listing>) {
    const named = [...politicians(), ...listedPeople(listings)];
    const learned = new Map<string, number>();
    const kept: typeof named = [];
    for (const [i, one] of named.entries()) {
      const people = learned.get(one.region) ?? 0;
      if (i % 10 < TESTED_OF_TEN) kept.push(one);
      else if (people < PEOPLE_MAX) {
        learned.set(one.region, people + 1);
        this.learn(one);
      }
    }
    this.tested = { right: kept.filter(({ name, region }) => this.guess(name) === region).length, people: kept.length };
  }

  /** Chinese and Korean letters tell the region by themselves. */
  guess(name: string): string {
    if (/\p{Script=Hangul}/u.test(name)) return 'Korean';
    if (/\p{Script=Han}/u.test(name) && !name.includes('·')) return 'Chinese';
    const features = featuresOf(name);
    let best = Number.NEGATIVE_INFINITY;
    let guessed = NAME_REGIONS[0]!;
    for (const region of NAME_REGIONS) {
      const total = this.totals.get(region)! + SMOOTHING * this.counts.size;
      let likelihood = 0;
      for (const feature of features) likelihood += Math.log(((this.counts.get(feature)?.get(region) ?? 0) + SMOOTHING) / total);
      if (likelihood > best) [best, guessed] = [likelihood, region];
    }
    return guessed;
  }

  private learn({ name, region }: Named): void {
    for (const feature of featuresOf(name)) {
      const counts = this.counts.get(feature) ?? new Map<string, number>();
      counts.set(region, (counts.get(region) ?? 0) + 1);
      this.counts.set(feature, counts);
      this.totals.set(region, this.totals.get(region)! + 1);
    }
  }
}

interface Named {
  name: string;
  region: string;
}

const politicians = (): Named[] =>
  readRows('peps/everypolitician-2015-11.csv').flatMap(({ name, country }) => {
    const region = regionOf.get(country!);
    return region ? [{ name: name!, region }] : [];
  });

const listedPeople = (listings: Iterable<Listing>): Named[] =>
  [...listings].flatMap(({ entry }) => {
    const region = entry.countries.length === 1 ? regionOf.get(entry.countries[0]!) : undefined;
    return region ? [{ name: entry.names[0]!.text, region }] : [];
  });

function featuresOf(name: string): string[] {
  const words = anyAscii(name)
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean);
  return words.flatMap((word) => {
    const padded = `^${word}$`;
    return [word, ...Array.from({ length: padded.length - 2 }, (_, i) => `${padded.slice(i, i + 3)}`)];
  });
}

export interface RegionRates extends Rates {
  region: string;
  isHeldOut: boolean;
  pairs: number;
  matches: number;
  intervals: Intervals;
}

/** Labelled pairs by the region of both names together, most pairs first. */
export function ratePairRegions(pairs: readonly Pair[], regions: NameRegions): RegionRates[] {
  const regionsOf = pairs.map(({ name, listed }) => regions.guess(`${name} ${listed}`));
  const rates = NAME_REGIONS.flatMap((region) =>
    [true, false].map((isHeldOut) => {
      const own = pairs.filter((pair, i) => regionsOf[i] === region && pair.isHeldOut === isHeldOut);
      const scored = own.map(({ score, isMatch }) => ({ scores: [score], isMatch }));
      return {
        region,
        isHeldOut,
        pairs: own.length,
        matches: own.filter(({ isMatch }) => isMatch).length,
        ...ratesAt(scored, THRESHOLD_DEFAULT),
        intervals: intervalsAt(scored, THRESHOLD_DEFAULT),
      };
    }),
  );
  return rates.filter(({ pairs }) => pairs > 0).sort((a, b) => Number(b.isHeldOut) - Number(a.isHeldOut) || b.pairs - a.pairs);
}
