/** A hit reads the same in the console as in the report of its screening. */
import { expect, test } from 'vitest';
import { agreementWords, birthWords, categoryName, relationWords } from '../../src/console/job/hit-words.ts';
import { agreements, births, categories, relations } from '../../src/reports/hit.ts';

test('the console and the report say the same of a hit', () => {
  expect(relationWords).toEqual(relations);
  expect(birthWords).toEqual(births);
  expect(agreementWords).toEqual(agreements);
  for (const [category, { name }] of Object.entries(categories)) expect(categoryName(category)).toBe(name);
});
