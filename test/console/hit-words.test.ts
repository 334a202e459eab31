/** A hit reads the same in the console as in the report of its screening. */
import { expect, test } from 'vitest';
import { agreementWords, birthWords, categoryName, effect, points, relationWords, ruleWords } from '../../src/console/job/hit-words.ts';
import { RULES } from '../../src/engines/aml/match/compare.ts';
import { agreements, births, categories, relations, rules } from '../../src/reports/hit.ts';

test('the console and the report say the same of a hit', () => {
  expect(relationWords).toEqual(relations);
  expect(birthWords).toEqual(births);
  expect(agreementWords).toEqual(agreements);
  for (const [category, { name }] of Object.entries(categories)) expect(categoryName(category)).toBe(name);
  for (const code of Object.keys(RULES)) expect(ruleWords(code), code).toBe(rules[code]);
});

test('points of 100 are written to the tenth, so that the name and the evidence add up to the score', () => {
  expect([0.913, 1, 0.695, 0.7].map(points)).toEqual(['91.3', '100', '69.5', '70']);
  expect([0.04, -0.02, -0.28, 0.012, 0].map(effect)).toEqual([' (+4)', ' (−2)', ' (−28)', ' (+1.2)', '']);
});

test('every rule has words, and a code that the console does not know is shown', () => {
  for (const code of [...Object.keys(RULES), 'weak_alias', 'registration_number']) expect(ruleWords(code), code).not.toBe(code);
  expect(ruleWords('later_rule')).toBe('later_rule');
});
