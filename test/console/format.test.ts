import { expect, it } from 'vitest';
import { rate, took, waitFor } from '../../src/console/format.ts';

it('writes a slow rate with a decimal, so that it is not 0, and a fast one without', () => {
  expect([0, 0.4, 9.96, 12.3, 4_887.3].map(rate)).toEqual(['0', '0.4', '10', '12', '4,887']);
});

it('writes how long something took in milliseconds up to ten seconds, then in seconds and minutes', () => {
  expect([0, 840, 9_999, 12_400, 75_000].map(took)).toEqual(['0 ms', '840 ms', '9,999 ms', '12 s', '1 min 15 s'].map(tied));
});

it('never says to wait less than is needed', () => {
  expect([1, 45, 60, 61, 900, 3_661].map(waitFor)).toEqual(['1 s', '45 s', '1 min', '2 min', '15 min', '1 h 2 min'].map(tied));
});

/** A number and its unit stay on one line. */
const tied = (text: string): string => text.replace(/(\d) (ms|s|min|h)/g, '$1\u00a0$2');
