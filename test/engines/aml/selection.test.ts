import { describe, expect, it } from 'vitest';
import { ranked } from '../../../src/engines/aml/match/selection.ts';

/** Numbers from 0 to `most`, the same in every run. */
function values(count: number, most: number): Float32Array {
  let seed = 7;
  return Float32Array.from({ length: count }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return (seed / 2 ** 31) * most;
  });
}

describe('ranked', () => {
  it.each([
    ['of many kinds', 500, 30],
    ['of one kind', 200, 0.05],
    ['larger than all kinds', 200, 5_000],
  ])('is the value that would be at each place if values %s were sorted', (_, count, most) => {
    const all = values(count, most);
    const sorted = all.slice().sort();
    for (let place = 0; place < count; place++) expect(ranked(all.slice(), count, place)).toBe(sorted[place]);
  });

  it('finds its place among equal values', () => {
    const all = Float32Array.from([4, 1, 4, 4, 2, 4, 0, 1]);
    expect([0, 1, 2, 3, 4, 7].map((place) => ranked(all.slice(), 8, place))).toEqual([0, 1, 1, 2, 4, 4]);
  });

  it('leaves values behind `count` alone', () => {
    const all = Float32Array.from([3, 1, 2, 9, 8]);
    expect(ranked(all, 3, 2)).toBe(3);
    expect([...all.subarray(3)]).toEqual([9, 8]);
  });
});
