/** What dates of birth, countries and gender add to or take from a match of names. They adjust a score; without a name they count for nothing. */
import { DAY_MS } from '../../../foundation/time.ts';
import type { Agreement, BirthVerdict, Subject } from '../screening.ts';
import { countryNumber } from './entries.ts';
import { genders, type ListIndex } from './index.ts';

const YEAR_DAYS = 365.25;
/** A listed year, or a shorter span, is nearly as good as a day. */
const SPAN_DAYS = 366;
/** What lists mean by "about". */
const CIRCA_DAYS = 2 * YEAR_DAYS;

const birthEffects: Record<BirthVerdict, number> = {
  exact: 0.04,
  within_range: 0.02,
  unknown: 0,
  same_year: -0.03,
  day_month_swapped: -0.02,
  near_year: -0.06,
  different_day: -0.06,
  different_year: -0.15,
};
/** A listed birth this close to the subject's may be off by one year. */
const NEAR_YEARS = 1.5;
/** A larger difference in years is not a slip of the pen. */
const FAR_YEARS = 10;
const FAR_EFFECT = -0.28;
const countryEffects: Record<Agreement, number> = { same: 0.02, unknown: 0, different: -0.05 };
/** The most that evidence adds to the score of a name, with what rounding adds. */
export const EFFECTS_MAX = birthEffects.exact + countryEffects.same + 0.001;
const genderEffects: Record<Agreement, number> = { same: 0, unknown: 0, different: -0.15 };

export interface Verdicts {
  birth: BirthVerdict;
  birthEffect: number;
  country: Agreement;
  countryEffect: number;
  gender: Agreement;
  genderEffect: number;
}

/** What is known about a subject, in the form of the index. */
export interface Known {
  /** Day since 1970-01-01; null: unknown. */
  born: number | null;
  country: number | null;
  gender: number;
}

export const knownOf = ({ dateOfBirth, country, gender }: Subject): Known => ({
  born: dateOfBirth === null ? null : Date.parse(dateOfBirth) / DAY_MS,
  country: country === null ? null : countryNumber(country),
  gender: genders.indexOf(gender),
});

export function weighEvidence(index: ListIndex, entry: number, known: Known): Verdicts {
  const birth = birthVerdict(index, entry, known.born);
  const country = countryVerdict(index, entry, known.country);
  const listed = index.entryGender[entry]!;
  const gender: Agreement = listed === 0 || known.gender === 0 ? 'unknown' : listed === known.gender ? 'same' : 'different';
  return {
    birth: birth.verdict,
    birthEffect: birth.effect,
    country,
    countryEffect: countryEffects[country],
    gender,
    genderEffect: genderEffects[gender],
  };
}

/** If a list gives several births, the closest one counts. */
function birthVerdict(index: ListIndex, entry: number, born: number | null): { verdict: BirthVerdict; effect: number } {
  let best: { verdict: BirthVerdict; effect: number } | null = null;
  if (born !== null) {
    for (let i = index.birthStart[entry]!; i < index.birthStart[entry + 1]!; i++) {
      const one = compareBirth(born, index.birthFrom[i]!, index.birthTo[i]!, index.birthCirca[i] === 1);
      if (!best || one.effect > best.effect) best = one;
    }
  }
  return best ?? { verdict: 'unknown', effect: 0 };
}

function compareBirth(born: number, from: number, to: number, isCirca: boolean): { verdict: BirthVerdict; effect: number } {
  const as = (verdict: BirthVerdict) => ({ verdict, effect: birthEffects[verdict] });
  const isDay = from === to;
  if (isDay && born === from) return as('exact');
  if (born >= from && born <= to) return to - from <= SPAN_DAYS ? as('within_range') : as('unknown');
  if (isCirca && born >= from - CIRCA_DAYS && born <= to + CIRCA_DAYS) return as('unknown');
  const apart = Math.max(from - born, born - to) / YEAR_DAYS;
  if (isDay) {
    const one = new Date(born * DAY_MS);
    const other = new Date(from * DAY_MS);
    if (one.getUTCFullYear() === other.getUTCFullYear()) {
      const isSwapped = one.getUTCMonth() + 1 === other.getUTCDate() && one.getUTCDate() === other.getUTCMonth() + 1;
      if (isSwapped) return as('day_month_swapped');
      return as(one.getUTCMonth() === other.getUTCMonth() || one.getUTCDate() === other.getUTCDate() ? 'same_year' : 'different_day');
    }
  }
  if (apart < NEAR_YEARS) return as('near_year');
  return { verdict: 'different_year', effect: apart > FAR_YEARS ? FAR_EFFECT : birthEffects.different_year };
}

function countryVerdict(index: ListIndex, entry: number, country: number | null): Agreement {
  const from = index.countryStart[entry]!;
  const to = index.countryStart[entry + 1]!;
  if (country === null || from === to) return 'unknown';
  for (let i = from; i < to; i++) if (index.countries[i] === country) return 'same';
  return 'different';
}
