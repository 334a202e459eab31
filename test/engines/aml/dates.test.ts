import { describe, expect, it } from 'vitest';
import { birthOfParts, isoDay, isoDayOfUs, listedBirth } from '../../../src/engines/aml/lists/dates.ts';

describe('dates in lists', () => {
  it.each([
    ['01 Jan 1970', '1970-01-01', '1970-01-01', false],
    ['1 January 1970', '1970-01-01', '1970-01-01', false],
    ['Mar 1970', '1970-03-01', '1970-03-31', false],
    ['Sept. 1973', '1973-09-01', '1973-09-30', false],
    ['1970', '1970-01-01', '1970-12-31', false],
    ['circa 1970', '1970-01-01', '1970-12-31', true],
    ['circa-1951', '1951-01-01', '1951-12-31', true],
    ['c. 1960', '1960-01-01', '1960-12-31', true],
    ['Approximately 1960', '1960-01-01', '1960-12-31', true],
    ['circa 01 Jan 1970', '1970-01-01', '1970-01-01', true],
    ['1970 to 1975', '1970-01-01', '1975-12-31', false],
    ['1970-1975', '1970-01-01', '1975-12-31', false],
    ['1970 – 1972', '1970-01-01', '1972-12-31', false],
    ['circa 1970-1975', '1970-01-01', '1975-12-31', true],
    ['01 Jan 1970 to 31 Dec 1971', '1970-01-01', '1971-12-31', false],
    ['Mar 1970 to May 1970', '1970-03-01', '1970-05-31', false],
    ['Between Aug. 1977 and Sep. 1977', '1977-08-01', '1977-09-30', false],
    ['1970-02-03', '1970-02-03', '1970-02-03', false],
    ['1970/05/31', '1970-05-31', '1970-05-31', false],
    ['1972-02', '1972-02-01', '1972-02-29', false],
    ['05/11/1960', '1960-11-05', '1960-11-05', false],
    ['5.11.1960', '1960-11-05', '1960-11-05', false],
    ['00/04/1984', '1984-04-01', '1984-04-30', false],
    ['00/00/1936', '1936-01-01', '1936-12-31', false],
    ['10/00/1983', '1983-01-01', '1983-12-31', false],
    ['dd/mm/1957', '1957-01-01', '1957-12-31', false],
    ['dd/07/1957', '1957-07-01', '1957-07-31', false],
    ['03/1970', '1970-03-01', '1970-03-31', false],
  ])('%s is from %s to %s', (text, from, to, circa) => {
    expect(listedBirth(text)).toEqual({ from, to, circa });
  });

  it.each([
    '',
    'unknown',
    '1970s',
    '31/02/1970',
    '30 Feb 1970',
    '13/13/1970',
    '1970-13',
    '0000',
    '3000',
    '1960 to 1950',
    '1900 to 1990',
    '24/06/1402',
    '1961-1962-1963',
    'Foo 1970',
    `${'1'.repeat(100_000)}`,
    '01 Jan 1970 to',
    '1970-01-01 or 1971-01-01',
  ])('%.20s is no date', (text) => {
    expect(listedBirth(text)).toBeNull();
  });

  it('a birth date in parts is as exact as its parts', () => {
    expect(birthOfParts('1970', '2', '3', false)).toEqual({ from: '1970-02-03', to: '1970-02-03', circa: false });
    expect(birthOfParts('1970', '2', '', true)).toEqual({ from: '1970-02-01', to: '1970-02-28', circa: true });
    expect(birthOfParts('1970', '', '3', false)).toEqual({ from: '1970-01-01', to: '1970-12-31', circa: false });
    expect(birthOfParts('', '2', '3', false)).toBeNull();
    expect(birthOfParts('1970', 'x', '3', false)).toBeNull();
  });

  it('a day is exact or dropped; its time of day is ignored', () => {
    expect(isoDay('2026-02-27T00:00:09.554Z')).toBe('2026-02-27');
    expect(isoDay('2008-09-04-04:00')).toBe('2008-09-04');
    expect(isoDay('28/03/2012')).toBe('2012-03-28');
    expect(isoDay('24-Jun-2026')).toBe('2026-06-24');
    expect(isoDay('2012')).toBeNull();
    expect(isoDayOfUs('04/22/2020')).toBe('2020-04-22');
    expect(isoDayOfUs('22/04/2020')).toBeNull();
  });
});
