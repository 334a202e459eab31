/** What a numeric cell of a workbook shows: its digits, leading zeros or date. The rest of a number format is decoration. */

import { DAY_MS } from '../foundation/time.ts';
export type NumberFormat =
  | { kind: 'plain' }
  /** Shown with at least this many digits. */
  | { kind: 'zeros'; digits: number }
  | { kind: 'date'; hasDate: boolean; hasTime: boolean };

export const PLAIN: NumberFormat = { kind: 'plain' };

/** Formats that every spreadsheet knows by number (ECMA-376 part 1, 18.8.30). 27 to 36 and 50 to 58 are dates in East Asia. */
export function builtInFormat(id: number): NumberFormat {
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return dateFormat(true, false);
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47)) return dateFormat(false, true);
  return id === 22 ? dateFormat(true, true) : PLAIN;
}

const dateFormat = (hasDate: boolean, hasTime: boolean): NumberFormat => ({ kind: 'date', hasDate, hasTime });

/** Excel allows 255. */
const CODE_MAX = 1_000;

/** The format with this code, such as `dd/mm/yyyy hh:mm`, `00000000000` or `0000-000-0000`. */
export function customFormat(code: string): NumberFormat {
  if (code.length > CODE_MAX || /^\s*general\s*$/i.test(code)) return PLAIN;
  const bare = code
    .replace(/"[^"]*"/g, '')
    .replace(/\\./g, '')
    .replace(/[_*]./g, '')
    .split(';')[0]!
    .replace(/\[(?!(?:h+|m+|s+)\])[^\][]*\]/gi, '')
    .toLowerCase();
  const hasTime = /[hs]/.test(bare);
  const hasDate = /[yd]/.test(bare) || (!hasTime && bare.includes('m'));
  if (hasDate || hasTime) return dateFormat(hasDate, hasTime);
  const digits = bare.replace(/[\s()/-]/g, '');
  return /^#*0{2,}$/.test(digits) ? { kind: 'zeros', digits: digits.replaceAll('#', '').length } : PLAIN;
}

const DIGITS = /^-?\d+$/;
/** Up to here a double is exact, and spreadsheets show no more digits. */
const SIGNIFICANT_DIGITS = 15;
const EXPONENT_MAX = 40;

/** The number without an exponent, as a spreadsheet shows it: `1.2345678901E10` is 12345678901. Null if the text is not a number. */
export function numberText(raw: string): string | null {
  const text = raw.trim();
  if (DIGITS.test(text)) return text;
  const value = Number(text);
  if (text === '' || !Number.isFinite(value) || /^[+-]?0[xbo]/i.test(text)) return null;
  if (value === 0) return '0';
  const exact = value.toExponential(SIGNIFICANT_DIGITS - 1);
  const [mantissa, exponentText] = exact.split('e') as [string, string];
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > EXPONENT_MAX) return String(value);
  const sign = mantissa.startsWith('-') ? '-' : '';
  const allDigits = mantissa.replace(/[-.]/g, '');
  const digits = allDigits.slice(0, allDigits.length - zerosAtEnd(allDigits));
  const point = exponent + 1;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (digits.length <= point) return sign + digits.padEnd(point, '0');
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

function zerosAtEnd(digits: string): number {
  let zeros = 0;
  while (digits[digits.length - 1 - zeros] === '0') zeros++;
  return zeros;
}

/** The text that the cell shows, or the rule that it breaks. */
export function cellText(
  raw: string,
  format: NumberFormat,
  uses1904: boolean,
): { text: string } | { rule: 'invalid_number' | 'invalid_date' } {
  const text = numberText(raw);
  if (text === null) return { rule: 'invalid_number' };
  if (format.kind === 'plain') return { text };
  if (format.kind === 'zeros') return { text: /^\d+$/.test(text) ? text.padStart(format.digits, '0') : text };
  const date = isoDate(Number(text), format, uses1904);
  return date === null ? { rule: 'invalid_date' } : { text: date };
}

const DAY_SECONDS = 86_400;
/** 9999-12-31, the last day that spreadsheets know. */
const SERIAL_MAX = 2_958_465;
/** Day 60 of the 1900 system is 29 February 1900, a day that never was. Lotus 1-2-3 had the error, and Excel kept it. */
const NO_DAY = 60;

/** Gives a time of day only if the format shows one and it is not midnight. Null for a day that does not exist. */
function isoDate(serial: number, { hasDate, hasTime }: { hasDate: boolean; hasTime: boolean }, uses1904: boolean): string | null {
  if (serial < 0) return null;
  let day = Math.floor(serial);
  let seconds = Math.round((serial - day) * DAY_SECONDS);
  if (!hasDate) return timeText(day * DAY_SECONDS + seconds);
  if (seconds === DAY_SECONDS) {
    day += 1;
    seconds = 0;
  }
  if (day > SERIAL_MAX || (!uses1904 && (day === 0 || day === NO_DAY))) return null;
  const epoch = uses1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, day > NO_DAY ? 30 : 31);
  const date = new Date(epoch + day * DAY_MS).toISOString().slice(0, 10);
  return hasTime && seconds > 0 ? `${date}T${timeText(seconds)}` : date;
}

const timeText = (seconds: number): string =>
  [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0')).join(':');
