/**
 * How people and spreadsheets write a number or a date in a file: `="70123456789"`, `'701-2345 6789`, `70123456789.0`, `05-Jan-1990`. Applied to
 * rows of a batch only; calls and jobs are taken literally. Nothing is guessed: an ambiguous text stays as it is.
 */
import type { z } from 'zod';
import type { Check } from '../checks/check.ts';
import { type CellForm, cellForms, isDate, isNoDay } from '../checks/inputs.ts';
import type { DateFormat, RowProblem } from '../schema/batches.ts';

export type CellForms = ReadonlyMap<string, CellForm>;

/** By input name. */
export function formsOf(checks: readonly Check[]): CellForms {
  const forms = new Map<string, CellForm>();
  for (const check of checks) {
    for (const [field, schema] of Object.entries(check.input.shape as Record<string, z.ZodType>)) {
      const form = cellForms.get(schema)?.form;
      if (form) forms.set(field, form);
    }
  }
  return forms;
}

const FORMULA_TEXT = /^="((?:[^"]|"")*)"$/;

/** Strips the `="…"` that makes Excel keep a number as text, in a cell of any input. */
export const withoutFormula = (text: string): string => (text.charCodeAt(0) === 0x3d ? unwrapped(text) : text);

const unwrapped = (text: string): string => FORMULA_TEXT.exec(text)?.[1]?.replaceAll('""', '"') ?? text;

/** What databases, programs and people write where there is no value. Left out: `Nan`, `Nat` and `Null`, which may be names. `row-reader.ts` keeps `NA` where it is the country. */
const NO_VALUE = /^(?:[Nn]\/[Aa]|[Nn]\.[Aa]\.?|NA|N[Ii][Ll]|nil|N(?:ONE|one)|none|NULL|null|\(null\)|NaN|nan|NaT|<NA>|\\N|[-–—.]+)$/;
const NO_VALUE_LENGTH_MAX = 6;

/** Whether the text only says that there is no value. Compared or screened, it would count as somebody's name. */
export function saysNoValue(text: string): boolean {
  const bare = text.trim();
  return bare.length <= NO_VALUE_LENGTH_MAX && NO_VALUE.test(bare);
}

/** What a formula gave in place of a value, once a spreadsheet has saved it as text. `####`: the column was too narrow for the value. */
const ERROR_VALUE = /^(?:#(?:N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!|SPILL!|CALC!|#+)|Err:5\d\d)$/;

export const isErrorValue = (text: string): boolean =>
  (text.charCodeAt(0) === 0x23 || text.charCodeAt(0) === 0x45) && ERROR_VALUE.test(text.trimEnd());

/** Invisible marks: soft hyphens, zero-width characters, direction marks. */
const UNSEEN = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;
const BLANKS = /[\s\u2007\u202f]+/g;
const HYPHENS = /[\u2010-\u2015\u2212]/g;

/** A number without what a spreadsheet, a mail client or pandas put around it. */
function bareNumber(text: string): string {
  const bare = text.replace(UNSEEN, '').replace(HYPHENS, '-').replace(BLANKS, ' ').replace(/^ ?'/, '').trim();
  if (GROUPED.test(bare)) return bare.replace(/,|\..*/g, '');
  return /^\d+\.0+$/.test(bare) ? bare.slice(0, bare.indexOf('.')) : withoutExponent(bare);
}

/** `70,123,456,789`, as a column of amounts is saved. */
const GROUPED = /^[1-9]\d{0,2}(?:,\d{3})+(?:\.0+)?$/;

const EXPONENT = /^([1-9])[.,](\d+)E\+?(\d{1,2})$/i;

/**
 * Reads `7.0123456789E+10`, as pandas writes it, as 70123456789, but only if it has all the digits that the exponent says. With fewer, digits are missing.
 * Zeros behind the point change nothing, as in `70123456789.0`; with other digits there it is not a whole number.
 */
function withoutExponent(text: string): string {
  const [, first = '', decimals = '', power] = EXPONENT.exec(text) ?? [];
  const exponent = Number(power);
  const isWhole = decimals.length >= exponent && /^0*$/.test(decimals.slice(exponent));
  return isWhole ? first + decimals.slice(0, exponent) : text;
}

/** Whether the number has more digits than the exponent says: no digit was lost, but it is not a whole number. */
function hasFraction(text: string): boolean {
  const [, , decimals = '', power] = EXPONENT.exec(text) ?? [];
  return decimals.length > Number(power);
}

/** Digits may be written in groups. */
export function bareDigits(text: string): string {
  const bare = bareNumber(text);
  return /^\d(?:[ -]?\d)*$/.test(bare) ? bare.replace(/[ -]/g, '') : bare;
}

const PLAIN_DIGITS = /^\d+$/;
const ISO_DATE = /^\d{4}-\d\d-\d\d$/;

/** A cell as its check accepts it. An unreadable cell stays as it is, and the check refuses it. */
export function readCell(text: string, form: CellForm, dateFormat: DateFormat): string {
  if (PLAIN_DIGITS.test(text) || ISO_DATE.test(text)) return text;
  if (form === 'digits') return bareDigits(text);
  if (form === 'number') return bareNumber(text);
  return readDate(bareNumber(text), dateFormat)?.iso ?? text;
}

/** `7.01E+10`: a spreadsheet abbreviated a long number, and the file no longer has the other digits. `bareNumber` has read it if they are all there. */
const SCIENTIFIC = /^\d(?:[.,]\d+)?E\+?\d{1,2}$/i;

/** Explains a refused cell in terms of files, where the check itself can only say what it accepts. */
export function explain(problem: RowProblem, form: CellForm | undefined, cell: unknown, dateFormat: DateFormat): RowProblem {
  if (typeof cell !== 'string' || form === undefined) return problem;
  const text = bareNumber(withoutFormula(cell));
  if (form === 'date') return { ...problem, message: (text && dateFault(text.replace(MIDNIGHT, ''), dateFormat)) || problem.message };
  return SCIENTIFIC.test(text) && !hasFraction(text) ? { ...problem, rule: 'scientific_notation', message: DESTROYED } : problem;
}

const DESTROYED =
  'was shortened by a spreadsheet to a number like 7.01E+10, and its other digits are lost: format the column as text, fill it from the source, and save again';

/** Null if the text is a day, which the check refuses for another reason. */
function dateFault(text: string, format: DateFormat): string | null {
  if (SHORT_YEAR.test(text) && dateOrder(text.replace(SHORT_YEAR, '20$1')) !== null) return TWO_DIGIT_YEAR;
  if (DAY_NUMBER.test(text)) return IS_DAY_NUMBER;
  if (RUN_TOGETHER.test(text)) return NO_SEPARATORS;
  const day = text.replace(TIME, '');
  if (day !== text && readDate(day, format)) return HAS_TIME;
  const read = readDate(text, format);
  if (isNoDay(text) || (read && !isDate(read.iso))) return 'is not a day of the calendar';
  return read ? null : `must be ${DATES[format]}`;
}

const SHORT_YEAR = /(?<!\d)['’]?(\d\d)$/;
const TWO_DIGIT_YEAR = 'has a year of two digits: write all four, as in 31-Jan-1990';

/** Days since 1899-12-31, with or without a time, from 1927 to 2064. */
const DAY_NUMBER = /^[1-5]\d{4}(?:\.\d+)?$/;
const IS_DAY_NUMBER = "is a spreadsheet's day number: format the column as a date, and save the file again";

/** Any time, with or without a zone. Midnight in Lagos is 23:00 of the day before in UTC, so a day with a time is not always the day that was meant. */
const TIME = /[T ]\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[AP]M)?(?: ?(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?$/i;
const HAS_TIME = 'has a time of day, so its day depends on the time zone: write only the date, as in 1990-01-31';

/** `19900105`, `05011990`, or `5011990`, which has lost its leading zero. */
const RUN_TOGETHER = /^(?:(?:19|20)\d{6}|\d{3,4}(?:19|20)\d\d)$/;
const NO_SEPARATORS = 'has no separators: write it with them, as in 1990-01-05';

const DATES: Record<DateFormat, string> = {
  dmy: 'a date: 1990-01-31, 31/01/1990 or 31-Jan-1990 (day first; for 01/31/1990 send date_format=mdy)',
  mdy: 'a date: 1990-01-31, 01/31/1990 or 31-Jan-1990 (month first, as date_format=mdy says)',
  ymd: 'a date with its year first, as date_format=ymd says: 1990-01-31, 1990/1/31',
};

const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/;
const YEAR_LAST = /^(\d{1,2})([-/. ])(\d{1,2})\2(\d{4})$/;
const DAY_AND_NAME = /^(\d{1,2})(?:st|nd|rd|th)?[-/. ]? ?(?:of )?([a-z]{3,9})\.?,?[-/. ]? ?(\d{4})$/i;
const NAME_AND_DAY = /^([a-z]{3,9})\.?[-/ ]?(\d{1,2})(?:st|nd|rd|th)?,?[-/ ] ?(\d{4})$/i;
const MIDNIGHT = /[T ](?:0?0:00(?::00(?:\.0+)?)?Z?|12:00(?::00)? ?AM)$/i;

const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];

/** Null if it is not a date in any of these notations. `isAmbiguous`: with day and month swapped it would be another day. */
function readDate(text: string, format: DateFormat): { iso: string; isAmbiguous: boolean } | null {
  const day = text.replace(MIDNIGHT, '');
  const first = YEAR_FIRST.exec(day);
  if (first) return isoOf(first[1]!, first[3]!, first[4]!);
  const last = YEAR_LAST.exec(day);
  if (last) {
    if (format === 'ymd') return null;
    const [, one, , two, year] = last as unknown as [string, string, string, string, string];
    const read = format === 'dmy' ? isoOf(year, two, one) : isoOf(year, one, two);
    return read && { ...read, isAmbiguous: Number(one) <= 12 && Number(two) <= 12 && Number(one) !== Number(two) };
  }
  const named = DAY_AND_NAME.exec(day);
  if (named) return isoOf(named[3]!, monthOf(named[2]!), named[1]!);
  const american = NAME_AND_DAY.exec(day);
  return american && isoOf(american[3]!, monthOf(american[1]!), american[2]!);
}

/** Whether day and month could be swapped. */
export function isAmbiguousDate(cell: unknown, format: DateFormat): boolean {
  if (typeof cell !== 'string' || ISO_DATE.test(cell)) return false;
  return readDate(bareNumber(withoutFormula(cell)), format)?.isAmbiguous ?? false;
}

/** Which format reads a cell as a date: one alone, either, or any (`1990-01-05`, `5 Jan 1990`). Null if none does. */
export function dateOrder(cell: unknown): 'dmy' | 'mdy' | 'either' | 'any' | null {
  if (typeof cell !== 'string') return null;
  const text = bareNumber(withoutFormula(cell));
  const [dayFirst, monthFirst] = [readDate(text, 'dmy'), readDate(text, 'mdy')];
  if (dayFirst === null || monthFirst === null) return dayFirst ? 'dmy' : monthFirst && 'mdy';
  return dayFirst.isAmbiguous ? 'either' : 'any';
}

/** Month number of `Jan`, `Sept`, `january`; empty if it is not a month. */
function monthOf(name: string): string {
  const lower = name.toLowerCase();
  const at = MONTHS.findIndex((month) => month.startsWith(lower));
  return at === -1 ? '' : String(at + 1);
}

/** The check decides whether the day exists. */
function isoOf(year: string, month: string, day: string): { iso: string; isAmbiguous: boolean } | null {
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return null;
  return { iso: `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`, isAmbiguous: false };
}
