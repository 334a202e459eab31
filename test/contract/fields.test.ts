/** Amounts of money as clients send them. */
import { describe, expect, test } from 'vitest';
import { AMOUNT_MAX, naira, nairaAboveZero, nairaUpTo } from '../../src/contract/fields.ts';

describe('an amount in naira', () => {
  test('may have kobo, whatever its size', () => {
    const schema = nairaAboveZero(AMOUNT_MAX);
    for (const cents of [1, 7, 29, 110, 100_07, 62_516_071_894, 56_683_368_031, 99_999_999_999])
      expect(schema.safeParse(naira(cents)).success, String(cents)).toBe(true);
    for (let cents = 50_000_000_001; cents < 100_000_000_000; cents += 7_654_321)
      expect(schema.safeParse(Number((cents / 100).toFixed(2))).success, String(cents)).toBe(true);
  });

  test('is in whole kobo, and above zero also when rounded', () => {
    for (const n of [0.005, 0.001, 1.005, 1e-8, 1e-9, 5e-324, 125.000_001]) {
      expect(nairaAboveZero(AMOUNT_MAX).safeParse(n).success, String(n)).toBe(false);
      expect(nairaUpTo(AMOUNT_MAX).safeParse(n).success, String(n)).toBe(false);
    }
    expect(nairaUpTo(AMOUNT_MAX).parse(0)).toBe(0);
  });
});
