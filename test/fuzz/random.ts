/** Random numbers that a seed repeats (mulberry32). */
export interface Random {
  /** 0 ≤ x < 1 */
  next(): number;
  /** 0 ≤ x < n, whole. */
  below(n: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
}

export function openRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number): number => Math.floor(next() * n);
  return { next, below, chance: (share) => next() < share, pick: (from) => from[below(from.length)]! };
}
