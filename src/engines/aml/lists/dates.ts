/** Reads dates as list publishers write them. An unreadable date is dropped: a wrong one would be evidence against a true match. */
import type { ListedBirth } from '../list.ts';

const YEAR_MIN = 1800;
const YEAR_MAX = 2100;
/** A longer span tells nothing about a person's age. */
const SPAN_YEARS_MAX = 40;

/** Longer text is not searched for a date. */
const LENGTH_MAX = 100;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const CIRCA = /^(?:circa|approximately|approx|about|around|ca?)(?:\.|\b)[\s:-]*/i;
const BETWEEN = /^(?:between|from)\s+/i;
const SPAN = / (?:to|and|until) | ?[–—] ?|(?<=^\d{4}) ?- ?(?=\d{4}$)/i;

/**
 * Reads `01 Jan 1970`, `Jan 1970`, `1970`, `1970-01-01`, `1970-01`, `1970/01/01`, `01/02/1970` and `01.02.1970` (day first), `00/02/1970`,
 * `dd/mm/1970`, `02/1970`; two of these joined by `to`, `and` or a dash; any of them after `circa` or the like. Null for anything else.
 */
export function listedBirth(text: string): ListedBirth | null {
  if (text.length > LENGTH_MAX) return null;
  let rest = text.replace(/\s+/g, ' ').trim();
  const about = rest.replace(CIRCA, '');
  const circa = about !== rest;
  rest = about.replace(BETWEEN, '');
  const ends = rest.split(SPAN);
  const first = daysOf(ends[0]!);
  const last = ends.length === 1 ? first : ends.length === 2 ? daysOf(ends[1]!.replace(CIRCA, '')) : null;
  return first && last ? between(first.from, last.to, circa) : null;
}

/** From numbers in separate fields, 0 or empty where unknown. Only the year is required. */
export function birthOfParts(year: string, month: string, day: string, circa: boolean): ListedBirth | null {
  const days = daysOfParts(Number(year), Number(month || 0), Number(day || 0));
  return days && between(days.from, days.to, circa);
}

/** An exact date, else null. Day before month. */
export function isoDay(text: string): string | null {
  const days = daysOf(text);
  return days && days.from === days.to ? days.from : null;
}

/** `04/22/2020`: month first, as only OFAC writes it. */
export function isoDayOfUs(text: string): string | null {
  const match = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text.trim());
  return match ? isoDay(`${match[3]}-${match[1]!.padStart(2, '0')}-${match[2]!.padStart(2, '0')}`) : null;
}

interface Days {
  from: string;
  to: string;
}

function between(from: string, to: string, circa: boolean): ListedBirth | null {
  if (from > to || Number(to.slice(0, 4)) - Number(from.slice(0, 4)) > SPAN_YEARS_MAX) return null;
  return { from, to, circa };
}

/** `2014-01-03T00:00:00Z`, `2014-01-03 00:00`, and `2008-09-04-04:00`, a date with a zone (XML Schema, part 2, 3.3.9). */
const TIME_OF_DAY = /(?<=^\d{4}-\d\d-\d\d)(?:[T ]\d|[+-]\d\d:|Z).*$/;

/** The first and last day that a date covers. */
function daysOf(text: string): Days | null {
  if (text.length > LENGTH_MAX) return null;
  const date = text.trim().replace(TIME_OF_DAY, '');
  const yearFirst = /^(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?$/.exec(date);
  if (yearFirst) return daysOfParts(Number(yearFirst[1]), Number(yearFirst[2] ?? 0), Number(yearFirst[3] ?? 0));
  const dayFirst = /^(?:(\d{1,2}|dd)[/.])?(\d{1,2}|mm)[/.](\d{4})$/i.exec(date);
  if (dayFirst) return daysOfParts(Number(dayFirst[3]), numberOr0(dayFirst[2]), numberOr0(dayFirst[1]));
  const named = /^(?:(\d{1,2})[\s-]+)?([a-z]{3,9})\.?[\s-]+(\d{4})$/i.exec(date);
  if (!named) return null;
  const month = MONTHS.indexOf(named[2]!.slice(0, 3).toLowerCase()) + 1;
  return month === 0 ? null : daysOfParts(Number(named[3]), month, numberOr0(named[1]));
}

/** `dd` and `mm` stand for unknown parts. */
const numberOr0 = (text: string | undefined): number => (text !== undefined && /^\d+$/.test(text) ? Number(text) : 0);

function daysOfParts(year: number, month: number, day: number): Days | null {
  if (!(year >= YEAR_MIN && year <= YEAR_MAX) || !(month >= 0 && month <= 12) || !(day >= 0 && day <= 31)) return null;
  // A day without a month is no more precise than the year.
  if (month === 0) return { from: `${year}-01-01`, to: `${year}-12-31` };
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (day > lastDay) return null;
  const monthText = `${year}-${String(month).padStart(2, '0')}`;
  const dayText = (number: number): string => `${monthText}-${String(number).padStart(2, '0')}`;
  return day === 0 ? { from: dayText(1), to: dayText(lastDay) } : { from: dayText(day), to: dayText(day) };
}
