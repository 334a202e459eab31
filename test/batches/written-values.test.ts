/** Cells as people and spreadsheets write them. */
import { expect, test } from 'vitest';
import { readCell } from '../../src/batches/written-values.ts';

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
