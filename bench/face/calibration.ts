/**
 * Calibrates confidences: how often two different people reach one, and how many genuine pairs stay below it. Intervals come from resampling the people,
 * because one person with many pictures makes many pairs.
 */
import type { Comparer } from '../../src/engines/face/compare.ts';
import { bisector, confidence, cosine } from '../../src/engines/face/embed.ts';
import type { Manifest } from '../../src/engines/face/models.ts';
import { type Pair, personOf, readPhotograph } from '../photographs.ts';
import { codeOf } from './rates.ts';
import { seeded } from './scene.ts';

export type Interval = [low: number, high: number];

export interface Share {
  count: number;
  of: number;
  /** 95 %. */
  interval: Interval;
}

export interface Level {
  confidence: number;
  cosine: number;
  falseMatches: Share;
  /** Among people of African descent only: strangers within one group resemble each other more. */
  falseMatchesWithin: Share;
  genuineLost: Share;
}

const LEVELS = [50, 70, 80, 90, 95, 97, 99];
const DRAWS = 1_000;
/** The set whose strangers resemble each other more. */
export const AFRICAN = 'lfw-gray-african';

/** Face vectors by file name, of every photograph in the pairs that is accepted as a portrait. */
export type Vectors = Map<string, Float32Array>;

export async function describePairs(comparer: Comparer, pairs: readonly Pair[]): Promise<Vectors> {
  const vectors: Vectors = new Map();
  for (const name of new Set(pairs.flatMap(({ one, other }) => [one, other])))
    await comparer.describe(readPhotograph(name), 'portrait').then((views) => vectors.set(name, bisector(...views)), codeOf);
  return vectors;
}

export function calibrate(pairs: readonly Pair[], vectors: Vectors, { confidence: { slope, offset } }: Manifest): Level[] {
  const within = new Set(pairs.filter(({ set }) => set === AFRICAN).flatMap(({ one, other }) => [one, other]));
  const gray = strangers(new Map([...vectors].filter(([name]) => name.startsWith('g_'))));
  const african = strangers(new Map([...vectors].filter(([name]) => within.has(name))));
  const genuine = pairs
    .filter(({ one, other, isSame }) => isSame && vectors.has(one) && vectors.has(other))
    .map(({ one, other }) => ({ one: personOf(one), other: personOf(other), cosine: cosine(vectors.get(one)!, vectors.get(other)!) }));
  return LEVELS.map((level) => {
    const isAbove = (value: number): boolean => confidence(value, { slope, offset }) >= level;
    return {
      confidence: level,
      cosine: (Math.log(level / (100 - level)) - offset) / slope,
      falseMatches: shareOf(gray, isAbove),
      falseMatchesWithin: shareOf(african, isAbove),
      genuineLost: shareOf(genuine, (value) => !isAbove(value)),
    };
  });
}

interface Compared {
  one: string;
  other: string;
  cosine: number;
}

/** All pairs of different people. */
function strangers(vectors: Vectors): Compared[] {
  const list = [...vectors].map(([name, vector]) => ({ person: personOf(name), vector }));
  return list.flatMap((one, i) =>
    list
      .slice(0, i)
      .filter(({ person }) => person !== one.person)
      .map((other) => ({ one: one.person, other: other.person, cosine: cosine(one.vector, other.vector) })),
  );
}

/** The interval over `DRAWS` resamples of the people, with replacement. A pair counts as often as both of its people were drawn. */
function shareOf(pairs: readonly Compared[], is: (cosine: number) => boolean): Share {
  const people = [...new Set(pairs.flatMap(({ one, other }) => [one, other]))];
  const place = new Map(people.map((person, i) => [person, i]));
  // Pairs of the same two people are added up first.
  const cells = new Map<number, { one: number; other: number; hits: number; pairs: number }>();
  for (const { one, other, cosine: value } of pairs) {
    const [a, b] = [place.get(one)!, place.get(other)!].sort((x, y) => x - y) as [number, number];
    const cell = cells.get(a * people.length + b) ?? { one: a, other: b, hits: 0, pairs: 0 };
    cell.hits += is(value) ? 1 : 0;
    cell.pairs += 1;
    cells.set(a * people.length + b, cell);
  }
  const random = seeded(people.length);
  const list = [...cells.values()];
  const shares = Array.from({ length: DRAWS }, () => {
    const drawn = new Uint8Array(people.length);
    for (let i = 0; i < people.length; i += 1) drawn[Math.floor(random() * people.length)]! += 1;
    let [hits, all] = [0, 0];
    for (const { one, other, hits: found, pairs: count } of list) {
      const weight = one === other ? drawn[one]! : drawn[one]! * drawn[other]!;
      hits += weight * found;
      all += weight * count;
    }
    return hits / Math.max(1, all);
  }).sort((one, other) => one - other);
  const count = pairs.filter(({ cosine: value }) => is(value)).length;
  return { count, of: pairs.length, interval: [shares[Math.floor(0.025 * DRAWS)]!, shares[Math.floor(0.975 * DRAWS)]!] };
}
