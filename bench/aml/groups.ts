/** How often Nigerians who are on no list hit somebody, by language group: by name alone, with the country, with birth and country. */
import { IndexBuilder } from '../../src/engines/aml/match/build.ts';
import type { ScreeningIndex } from '../../src/engines/aml/match/index.ts';
import { openMatcher } from '../../src/engines/aml/match/screen.ts';
import { THRESHOLD_DEFAULT } from '../../src/engines/aml/request.ts';
import type { Match, Subject } from '../../src/engines/aml/screening.ts';
import { BLIND_NAMES } from './blind.ts';
import { readListings } from './lists.ts';
import { GROUPS, type NameSource, OFFICE_HOLDERS, RESPELT, TABLES, UNKNOWN_WORDS } from './name-sources.ts';
import { type Interval, perThousand } from './rates.ts';

export const ALL_GROUPS = 'all five, equally';
/** Names of each group. */
const NAMES = 4_000;

interface GroupRates {
  group: string;
  names: number;
  /** Hits per 1,000 names: of all with the 95 % interval, of those of two words, of more. */
  hits: number;
  interval: Interval;
  twoWords: number;
  threeWords: number;
  /** Those among `hits` that are listed in exactly these words. */
  listed: number;
  /** Hits if the country, Nigeria, is sent too. */
  withCountry: number;
  /** Hits if an invented birth and the country are sent too. */
  withBirth: number;
}

const nobody = { dateOfBirth: null, country: null, gender: null };
const isListed = ({ explanation }: Match): boolean =>
  explanation.tokens.every(({ how, query, listed }) => query !== null && listed !== null && how === 'exact');

/** A day between 1950 and 2005. */
const birthOf = (i: number): string =>
  `${1950 + ((i * 37) % 56)}-${String(1 + ((i * 7) % 12)).padStart(2, '0')}-${String(1 + ((i * 11) % 28)).padStart(2, '0')}`;

/** `index`: of the lists that they are screened against. `most`: names of each group. */
export function rateGroups(index: ScreeningIndex, source: NameSource = TABLES, most = NAMES): GroupRates[] {
  const matcher = openMatcher(index);
  const groups = GROUPS.map((group) => {
    const counts = { two: 0, three: 0, listed: 0, withCountry: 0, withBirth: 0 };
    const names = source.namesOf(group, most);
    const longer = names.filter(isLonger).length;
    for (const [i, name] of names.entries()) {
      const hitsOf = (known: Partial<Subject>) =>
        matcher.screen({ name, ...nobody, ...known }, { threshold: THRESHOLD_DEFAULT, lists: null });
      if (hitsOf({ country: 'NG' }).length > 0) counts.withCountry++;
      if (hitsOf({ country: 'NG', dateOfBirth: birthOf(i) }).length > 0) counts.withBirth++;
      const found = hitsOf({});
      if (found.length === 0) continue;
      if (isLonger(name)) counts.three++;
      else counts.two++;
      if (found.some(isListed)) counts.listed++;
    }
    const per = (hits: number, of = names.length): number => (hits / Math.max(1, of)) * 1_000;
    return {
      group,
      names: names.length,
      hits: per(counts.two + counts.three),
      interval: perThousand(counts.two + counts.three, names.length),
      twoWords: per(counts.two, names.length - longer),
      threeWords: per(counts.three, longer),
      listed: per(counts.listed),
      withCountry: per(counts.withCountry),
      withBirth: per(counts.withBirth),
    };
  });
  const mean = (of: (rates: GroupRates) => number): number => groups.reduce((sum, rates) => sum + of(rates), 0) / groups.length;
  const hits = mean((g) => g.hits);
  const names = groups.reduce((sum, one) => sum + one.names, 0);
  const all = {
    names,
    hits,
    interval: perThousand(Math.round((hits * names) / 1_000), names),
    twoWords: mean((g) => g.twoWords),
    threeWords: mean((g) => g.threeWords),
    listed: mean((g) => g.listed),
    withCountry: mean((g) => g.withCountry),
    withBirth: mean((g) => g.withBirth),
  };
  return [...groups, { group: ALL_GROUPS, ...all }];
}

/** Kinds of list, and which names are screened against each. Office-holders stand on the lists of politicians themselves. */
const SCREENED: Record<string, readonly NameSource[]> = {
  sanctions: [TABLES, RESPELT, UNKNOWN_WORDS, OFFICE_HOLDERS, BLIND_NAMES],
  everypolitician: [TABLES, RESPELT, UNKNOWN_WORDS],
  nigeria_peps: [TABLES, RESPELT, UNKNOWN_WORDS],
};

export interface ListedGroupRates extends GroupRates {
  /** `sanctions`, or the id of a list of politicians. */
  lists: string;
  source: string;
}

export const hasTarget = (lists: string, source: string): boolean => lists === 'sanctions' && source === TABLES.source;

/** Share of the names that is screened where nothing has a target. */
const FURTHER_SHARE = 0.25;

/** Each kind of list in an index of its own, so that none hides candidates of another. */
export async function rateGroupsByList(most = NAMES): Promise<ListedGroupRates[]> {
  const rates: ListedGroupRates[] = [];
  for (const [lists, sources] of Object.entries(SCREENED)) {
    const builder = new IndexBuilder();
    for await (const listing of readListings(lists === 'sanctions' ? 'sanctions' : 'all'))
      if (lists === 'sanctions' || listing.list === lists) builder.add(listing);
    const index = builder.finish();
    for (const source of sources) {
      const names = hasTarget(lists, source.source) ? most : most * FURTHER_SHARE;
      for (const rated of rateGroups(index, source, names)) rates.push({ lists, source: source.source, ...rated });
    }
  }
  return rates;
}

const isLonger = (name: string): boolean => name.split(' ').length > 2;
