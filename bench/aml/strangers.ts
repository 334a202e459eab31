/**
 * How often people who are on no list hit somebody: invented Nigerians of five groups, and politicians whose birth differs from that of whoever they hit.
 */
import type { ScreeningIndex } from '../../src/engines/aml/match/index.ts';
import { openMatcher } from '../../src/engines/aml/match/screen.ts';
import { THRESHOLD_DEFAULT } from '../../src/engines/aml/request.ts';
import type { Match, Subject } from '../../src/engines/aml/screening.ts';
import { CHRISTIAN, GROUPS, type GroupName, MUSLIM } from '../../src/names/nigerian-names.ts';
import { wilson } from '../figure.ts';
import { readRows } from './lists.ts';
import { HALVES, type Half, halfOf } from './slices.ts';

export const PEOPLES: Record<string, readonly GroupName[]> = {
  Hausa: ['hausa', 'kanuri'],
  Yoruba: ['yoruba'],
  Igbo: ['igbo'],
  'Niger Delta': ['edo', 'efik', 'ijaw', 'urhobo', 'ogoni', 'ikwerre', 'ejagham'],
  'Middle Belt': ['tiv', 'idoma', 'nupe', 'igala', 'ebira', 'gbagyi', 'berom', 'jukun', 'bachama', 'eggon'],
};
export const ALL_GROUPS = 'all five, equally';
/** Names invented for each group, half of them of two words, half of three. */
const INVENTED = 4_000;

export interface GroupRates {
  group: string;
  /** Hits per 1,000 names: of all with the 95 % interval, of those of two words, of three. */
  hits: number;
  interval: [number, number];
  twoWords: number;
  threeWords: number;
  /** Those among `hits` that are listed in exactly these words. */
  listed: number;
  /** Hits if the country, Nigeria, is sent too. */
  withCountry: number;
  /** Hits if an invented birth and the country are sent too. */
  withBirth: number;
}

/** The same names for the same seed. */
export function inventNigerians(peoples: readonly GroupName[], count: number, seed: number): string[] {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)]!;
  return Array.from({ length: count }, (_, i) => {
    const { muslimPercent, male, female, surnames } = GROUPS[pick(peoples) as GroupName];
    const isMale = random() < 0.5;
    const own = isMale ? male : female;
    const isMuslim = random() * 100 < muslimPercent;
    const religious = (isMuslim ? MUSLIM : CHRISTIAN)[isMale ? 'male' : 'female'];
    const given = (): string => (muslimPercent < 90 && random() < 0.4 ? pick(religious) : pick(own));
    const first = given();
    let further = '';
    if (i % 2 === 1) while (further === '' || further === first) further = given();
    let last = pick(surnames);
    while (last === first || last === further) last = pick(surnames);
    return [first, further, last].filter(Boolean).join(' ');
  });
}

const nobody = { dateOfBirth: null, country: null, gender: null };
const isListed = ({ explanation }: Match): boolean =>
  explanation.tokens.every(({ how, query, listed }) => query !== null && listed !== null && how === 'exact');

/** A day between 1950 and 2005. */
const birthOf = (i: number): string =>
  `${1950 + ((i * 37) % 56)}-${String(1 + ((i * 7) % 12)).padStart(2, '0')}-${String(1 + ((i * 11) % 28)).padStart(2, '0')}`;

const intervalOf = (hits: number, of: number): [number, number] => {
  const [from, to] = wilson(hits, of);
  return [from * 1_000, to * 1_000];
};

export function rateGroups(index: ScreeningIndex): GroupRates[] {
  const matcher = openMatcher(index);
  const groups = Object.entries(PEOPLES).map(([group, peoples], g) => {
    const counts = { two: 0, three: 0, listed: 0, withCountry: 0, withBirth: 0 };
    for (const [i, name] of inventNigerians(peoples, INVENTED, 1_000 + g).entries()) {
      const hitsOf = (known: Partial<Subject>) =>
        matcher.screen({ name, ...nobody, ...known }, { threshold: THRESHOLD_DEFAULT, lists: null });
      if (hitsOf({ country: 'NG' }).length > 0) counts.withCountry++;
      if (hitsOf({ country: 'NG', dateOfBirth: birthOf(i) }).length > 0) counts.withBirth++;
      const found = hitsOf({});
      if (found.length === 0) continue;
      if (i % 2 === 0) counts.two++;
      else counts.three++;
      if (found.some(isListed)) counts.listed++;
    }
    const per = (hits: number, of: number): number => (hits / of) * 1_000;
    return {
      group,
      hits: per(counts.two + counts.three, INVENTED),
      interval: intervalOf(counts.two + counts.three, INVENTED),
      twoWords: per(counts.two, INVENTED / 2),
      threeWords: per(counts.three, INVENTED / 2),
      listed: per(counts.listed, INVENTED),
      withCountry: per(counts.withCountry, INVENTED),
      withBirth: per(counts.withBirth, INVENTED),
    };
  });
  const mean = (of: (rates: GroupRates) => number): number => groups.reduce((sum, rates) => sum + of(rates), 0) / groups.length;
  const hits = mean((g) => g.hits);
  const names = INVENTED * groups.length;
  const all = {
    hits,
    interval: intervalOf(Math.round((hits * names) / 1_000), names),
    twoWords: mean((g) => g.twoWords),
    threeWords: mean((g) => g.threeWords),
    listed: mean((g) => g.listed),
    withCountry: mean((g) => g.withCountry),
    withBirth: mean((g) => g.withBirth),
  };
  return [...groups, { group: ALL_GROUPS, ...all }];
}

const POLITICIANS_MAX = 8_000;

export interface PoliticianRates {
  half: Half;
  people: number;
  /** People with a hit on somebody born in another year, per 1,000, with the 95 % interval. */
  hits: number;
  interval: [number, number];
  /** The same by the rules of those hits, most frequent first. */
  rules: Record<string, number>;
}

export interface Politician {
  name: string;
  half: Half;
  /** By name alone, on people who were certainly born at another time. */
  strangers: Match[];
}

/** Politicians with a known birth, split by family name. Each is screened by name alone. */
export function screenPoliticians(index: ScreeningIndex): Politician[] {
  const matcher = openMatcher(index);
  return readRows('peps/everypolitician-2015-11.csv')
    .filter(({ birth_date, name }) => /^\d{4}-\d\d-\d\d$/.test(birth_date!) && /\s/.test(name!))
    .filter((_, i) => i % 2 === 0)
    .slice(0, POLITICIANS_MAX)
    .map(({ name, birth_date }) => {
      const found = matcher.screen({ name: name!, ...nobody, dateOfBirth: birth_date! }, { threshold: 0.3, lists: null });
      const strangers = found.filter(
        ({ explanation: { name_score, rules, dob } }) =>
          (rules.includes('weak_alias') ? Math.min(0.8, name_score) : name_score) >= THRESHOLD_DEFAULT && dob.verdict === 'different_year',
      );
      return { name: name!, half: halfOf(name!.toLowerCase().split(/\s+/).at(-1)!), strangers };
    });
}

export function ratePoliticians(politicians: readonly Politician[]): PoliticianRates[] {
  return HALVES.map((half) => {
    const people = politicians.filter((one) => one.half === half);
    const hit = people.filter(({ strangers }) => strangers.length > 0);
    const rules: Record<string, number> = {};
    for (const { strangers } of hit) {
      const rule = strangers[0]!.explanation.rules.join('+') || 'whole name';
      rules[rule] = (rules[rule] ?? 0) + 1;
    }
    return {
      half,
      people: people.length,
      hits: (hit.length / people.length) * 1_000,
      interval: intervalOf(hit.length, people.length),
      rules,
    };
  });
}
