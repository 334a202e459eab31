/** How often a politician's name hits a listed person born in a different year, who cannot be the same person. */
import type { ScreeningIndex } from '../../src/engines/aml/match/index.ts';
import { openMatcher } from '../../src/engines/aml/match/screen.ts';
import { THRESHOLD_DEFAULT } from '../../src/engines/aml/request.ts';
import type { Match } from '../../src/engines/aml/screening.ts';
import { readRows } from './lists.ts';
import { type Interval, perThousand } from './rates.ts';
import { HALVES, type Half, halfOf } from './slices.ts';

const POLITICIANS_MAX = 8_000;

export interface PoliticianRates {
  half: Half;
  people: number;
  /** People with a hit on somebody born in another year, per 1,000, with the 95 % interval. */
  hits: number;
  interval: Interval;
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
      const found = matcher.screen({ name: name!, dateOfBirth: birth_date!, country: null, gender: null }, { threshold: 0.3, lists: null });
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
      interval: perThousand(hit.length, people.length),
      rules,
    };
  });
}
