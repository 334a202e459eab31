/** Precision, recall and F1 of scored pairs of names, with 95 % intervals. */
import { wilson } from '../figure.ts';

export interface Scored {
  isMatch: boolean;
  /** Of the pair, or of each direction of it. */
  scores: readonly number[];
}

export interface Rates {
  precision: number;
  recall: number;
  f1: number;
}

/** From, to. */
export type Interval = [number, number];

export interface Intervals {
  precision: Interval;
  recall: Interval;
  f1: Interval;
}

const RESAMPLES = 1_000;

export function ratesAt(scored: readonly Scored[], threshold: number): Rates {
  let [found, hits, matches] = [0, 0, 0];
  for (const { isMatch, scores } of scored) {
    const above = scores.filter((score) => score >= threshold).length;
    hits += above;
    if (!isMatch) continue;
    found += above;
    matches += scores.length;
  }
  return ratesOf(found, hits, matches);
}

const ratesOf = (found: number, hits: number, matches: number): Rates => ({
  precision: found / Math.max(1, hits),
  recall: found / Math.max(1, matches),
  f1: (2 * found) / Math.max(1, hits + matches),
});

/**
 * Pairs are taken as independent of each other, but the two directions of a pair as one. Precision and recall: Wilson. F1: the middle 95 % of 1,000 samples
 * of as many pairs, drawn with a fixed seed.
 */
export function intervalsAt(scored: readonly Scored[], threshold: number): Intervals {
  const directions = scored[0]?.scores.length ?? 1;
  const pairs = scored.map(({ isMatch, scores }) => {
    const hits = scores.filter((score) => score >= threshold).length / directions;
    return { found: isMatch ? hits : 0, hits, matches: isMatch ? 1 : 0 };
  });
  const sum = (of: 'found' | 'hits' | 'matches'): number => pairs.reduce((total, pair) => total + pair[of], 0);
  let state = 15;
  const sampled = Array.from({ length: RESAMPLES }, () => {
    let [found, either] = [0, 0];
    for (let i = 0; i < pairs.length; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      const pair = pairs[Math.floor((state / 2 ** 32) * pairs.length)]!;
      found += pair.found;
      either += pair.hits + pair.matches;
    }
    return (2 * found) / Math.max(1, either);
  }).sort((a, b) => a - b);
  return {
    precision: wilson(sum('found'), sum('hits')),
    recall: wilson(sum('found'), sum('matches')),
    f1: [sampled[Math.floor(RESAMPLES * 0.025)]!, sampled[Math.ceil(RESAMPLES * 0.975) - 1]!],
  };
}

/** The 95 % interval (Wilson) of hits among `of` names, per 1,000. */
export function perThousand(hits: number, of: number): Interval {
  const [from, to] = wilson(hits, of);
  return [from * 1_000, to * 1_000];
}

/** `0.821 [0.740 to 0.890]`. */
export const withInterval = (value: number, [from, to]: Interval, digits = 3): string =>
  `${value.toFixed(digits)} [${from.toFixed(digits)} to ${to.toFixed(digits)}]`;
