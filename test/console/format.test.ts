import { expect, it } from 'vitest';
import { rate } from '../../src/console/format.ts';

it('writes a slow rate with a decimal, so that it is not 0, and a fast one without', () => {
  expect([0, 0.4, 9.96, 12.3, 4_887.3].map(rate)).toEqual(['0', '0.4', '10', '12', '4,887']);
});
