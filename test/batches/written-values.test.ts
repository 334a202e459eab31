/** Cells as people and spreadsheets write them. */
import { expect, test } from 'vitest';
import { explain, readCell, withoutFormula } from '../../src/batches/written-values.ts';

test.each(['00:00', '0:00', '00:00:00', '12:00 AM', '12:00:00 AM', '12:00:00 am', '12:00\u202fAM'])(
  'a time of midnight behind a date is ignored: %s',
  (midnight) => {
    const read = (day: string, format: 'dmy' | 'mdy' = 'dmy') => readCell(`${day} ${midnight}`, 'date', format);
    for (const day of ['05/01/1990', '5-1-1990', '1990-01-05', '5-Jan-1990', 'January 5, 1990']) expect(read(day), day).toBe('1990-01-05');
    expect(read('05/01/1990', 'mdy')).toBe('1990-05-01');
  },
);

test.each(['12:00 PM', '12:00', '00:01', '12:30 AM', '18:00:00'])('any other time is not: %s', (time) => {
  expect(readCell(`05/01/1990 ${time}`, 'date', 'dmy')).toBe(`05/01/1990 ${time}`);
});

const TWO_DIGITS = 'has a year of two digits: write all four, as in 31-Jan-1990';
const DAY_NUMBER = "is a spreadsheet's day number: format the column as a date, and save the file again";
const NO_SEPARATORS = 'has no separators: write it with them, as in 1990-01-05';
const NO_DAY = 'is not a day of the calendar';

test.each([
  ...['09-Nov-63', '9/11/63', '01/31/63', 'Nov 9, 63', "9 Nov '63", '9.11.63', '09-Nov-63 00:00', '="09/11/63"'].map((date) => [
    date,
    TWO_DIGITS,
  ]),
  ...['31/02/1990', '1990-02-31', '31-Feb-1990', '31/13/1990', '31/02/1990 00:00'].map((date) => [date, NO_DAY]),
  ...['32878', '32878.0', '32878.75', '="32878"'].map((date) => [date, DAY_NUMBER]),
  ...['19900105', '05011990', '5011990', '01311990', "'19900105"].map((date) => [date, NO_SEPARATORS]),
  ...['70123456789', '99999', '12345678', '01/31/1990', 'soon', '1990', 'May 12', '05-01'].map((date) => [
    date,
    expect.stringContaining('for 01/31/1990 send date_format=mdy'),
  ]),
  ...['1990-01-30T23:00:00.000Z', '1990-01-31T00:00:00+01:00', '1990-01-31 01:00', '31/01/1990 18:00:00', '1990-01-31 00:00:00 UTC'].map(
    (date) => [date, 'has a time of day, so its day depends on the time zone: write only the date, as in 1990-01-31'],
  ),
  ...['31/01/2990', '2990-01-31'].map((date) => [date, 'must not be in the future']),
])('the date %s is explained: %s', (date, message) => {
  const problem = { field: 'dob', rule: 'invalid_format', message: 'must not be in the future' };
  expect(explain(problem, 'date', date, 'dmy')).toEqual({ ...problem, message });
});

test.each([
  ['7.0123456789E+10', '70123456789'],
  ['7.0123456789E10', '70123456789'],
  ['7.0123456789e+10', '70123456789'],
  ['7,0123456789E+10', '70123456789'],
  ['="7.0000000000E+10"', '70000000000'],
  ['7.012345678900E+10', '70123456789'],
])('a number with an exponent that has all its digits is read: %s', (text, digits) => {
  for (const form of ['digits', 'number'] as const) expect(readCell(withoutFormula(text), form, 'dmy')).toBe(digits);
});

test.each(['7.01E+10', '7.012345678E+10', '7E+10', '0.0123456789E+10'])(
  'one with fewer is refused as shortened, and no digit is invented: %s',
  (text) => {
    expect(readCell(text, 'digits', 'dmy')).toBe(text);
    const problem = { field: 'nin', rule: 'invalid_format', message: 'must be 11 digits' };
    expect(explain(problem, 'digits', text, 'dmy')).toMatchObject({ rule: 'scientific_notation' });
    expect(explain(problem, 'digits', '7.01234567E+8', 'dmy')).toEqual(problem);
  },
);

test.each(['7.01234567891E+10', '7,01234567891e10', '7.0123456789E+9'])(
  'one with a fraction has lost nothing, but is no whole number: %s',
  (text) => {
    expect(readCell(text, 'digits', 'dmy')).toBe(text);
    const problem = { field: 'nin', rule: 'invalid_format', message: 'must be 11 digits' };
    expect(explain(problem, 'digits', text, 'dmy')).toEqual(problem);
  },
);
