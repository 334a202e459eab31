/** The concurrency limit finds a vendor's capacity: all of it where the vendor is only slow or uneven, and no more where calls queue. */
import { describe, expect, it } from 'vitest';
import { type InFlightLimit, openInFlightLimit } from '../../src/providers/in-flight-limit.ts';

/** Latency of a call at this concurrency, `ms` after the beginning. */
type Vendor = (underWay: number, ms: number, random: () => number) => number;
type Latency = (ms: number, random: () => number) => number;

const SECOND = 1_000;
const SEEDS = [1, 2, 3];

describe('the concurrency limit', () => {
  const even: Latency = (_, random) => 50 + 450 * random();
  const logNormal: Latency = (_, random) => spread(160, 900, random);
  const bimodal: Latency = (_, random) => (random() < 0.9 ? 100 : 2_000);
  const drift: Latency = (ms, random) => spread(160, 900, random) * (1 + ms / (60 * SECOND));

  it.each([
    ['the same for all', () => 160, 300],
    ['half a minute', () => 30_000, 1_200],
    ['log-normal with a long tail', logNormal, 300],
    ['bimodal', bimodal, 300],
    ['even over a wide range', even, 300],
    ['drifting slowly to six times as much', drift, 300],
    ['drifting slowly back', (ms: number, random: () => number) => drift(300 * SECOND - ms, random), 300],
  ] as [string, Latency, number][])('leaves a vendor alone whose latency is %s', (_, latency, seconds) => {
    const shares = SEEDS.map((seed) => share(() => (_n, ms, random) => latency(ms, random), 50, seconds, seed));
    for (const { ofBest } of shares) expect(ofBest).toBeGreaterThanOrEqual(0.9);
  });

  it.each([
    [
      'takes longer in proportion',
      () =>
        queueing(
          () => 20,
          () => 160,
        ),
    ],
    ['takes longer in proportion, unevenly', () => queueing(() => 20, logNormal)],
    ['has twenty slots and a queue', () => places(() => 20, logNormal)],
    ['gets slower than in proportion', (): Vendor => (underWay) => 160 * Math.max(1, underWay / 20) ** 1.5],
  ] as [string, () => Vendor][])('backs off from a vendor that is overloaded and %s, without losing throughput', (_, vendor) => {
    for (const seed of SEEDS) {
      const { ofBest, limits } = share(vendor, 100, 300, seed);
      expect(ofBest).toBeGreaterThanOrEqual(0.9);
      // Of a hundred, in the second half.
      const late = limits.slice(limits.length / 2);
      expect(late.reduce((sum, limit) => sum + limit, 0) / late.length).toBeLessThan(40);
    }
  });

  it.each([
    ['evenly', () => 160],
    ['unevenly', logNormal],
  ] as [string, Latency][])('backs off while a vendor is overloaded, and recovers afterwards: %s', (_, latency) => {
    const capacity = (ms: number) => (ms > 60 * SECOND && ms < 120 * SECOND ? 10 : 1_000);
    for (const seed of SEEDS) {
      const { ofBest, limits } = share(() => queueing(capacity, latency), 50, 300, seed);
      expect(ofBest).toBeGreaterThanOrEqual(0.9);
      expect(limits[Math.floor(limits.length * 0.38)]).toBeLessThan(30);
      expect(limits.slice(limits.length * 0.7).toSorted((a, b) => a - b)[10]).toBe(50);
    }
  });

  // At the least there is no probe downwards, which would otherwise be waited for before any upwards.
  it('recovers from the least that it allows', () => {
    const count = (ms: number) => (ms > 100 * SECOND && ms < 200 * SECOND ? 4 : 1_000);
    for (const seed of SEEDS) {
      const { answers, limits } = run(places(count, logNormal), [20], 300, seed);
      expect(answers / run(places(count, logNormal), [20], 300, seed, true).answers).toBeGreaterThanOrEqual(0.9);
      expect(Math.min(...limits.slice(50, 68))).toBeLessThan(8);
      expect(limits.slice(80).toSorted((a, b) => a - b)[10]).toBe(20);
    }
  });

  it('backs off in every process that shares an overloaded vendor', () => {
    const { limits } = run(
      queueing(
        () => 20,
        () => 160,
      ),
      [1, 2].map(() => 100),
      600,
      1,
    );
    expect(limits.at(-1)).toBeLessThan(120);
  });

  it.each([10, 30])('keeps nine tenths of the places of a vendor that always takes %i seconds, even while it probes', (seconds) => {
    const { limits } = run(() => seconds * SECOND, [50], 60 * seconds, 1);
    expect(Math.min(...limits)).toBeGreaterThanOrEqual(45);
    expect(Math.min(...limits)).toBeLessThan(50);
  });

  it("tolerates a good vendor's usual failures, and shrinks on more of them", () => {
    const limit = openInFlightLimit(50, () => 1e12);
    for (let i = 0; i < 1_000; i++) limit.ended(limit.sent(50), i % 50 === 49 ? 'overloaded' : 'clean');
    expect(limit.limit()).toBe(50);
    for (let i = 0; i < 10; i++) limit.ended(limit.sent(50), 'overloaded');
    expect(limit.limit()).toBe(35);
  });

  it.each([
    [160, 100],
    [50, 20],
    [1_000, 200],
  ])('loses little where a vendor that takes %i ms, asked %i times at a time, refuses one question in twenty at random', (ms, max) => {
    for (const seed of SEEDS) {
      const answersOf = (isFixed: boolean) =>
        run((_n, _at, random) => ms * (0.8 + 0.4 * random()), [max], 200, seed, isFixed, 0.05).answers;
      expect(answersOf(false) / answersOf(true)).toBeGreaterThanOrEqual(0.9);
    }
  });

  it('shrinks where a vendor refuses one question in five', () => {
    const { limits } = run(() => 160, [100], 60, 1, false, 0.2);
    expect(Math.max(...limits.slice(10))).toBeLessThan(50);
  });

  it('learns nothing while there is too little to ask', () => {
    let now = 1e12;
    const limit = openInFlightLimit(50, () => now);
    for (let i = 0; i < 3_000; i++) {
      const slot = limit.sent(1);
      now += 200;
      limit.ended(slot, 'clean', 200);
      expect(limit.limit()).toBe(50);
    }
  });
});

/** Throughput relative to the best fixed limit with the same vendor, and the limit at a hundred moments. */
function share(vendor: () => Vendor, max: number, seconds: number, seed: number): { ofBest: number; limits: number[] } {
  const fixed = [0.1, 0.2, 0.24, 0.3, 0.4, 0.6, 0.8, 1].map((part) => run(vendor(), [Math.round(part * max)], seconds, seed, true).answers);
  const { answers, limits } = run(vendor(), [max], seconds, seed);
  return { ofBest: answers / Math.max(...fixed), limits };
}

/** As many calls as the limits of so many processes allow, on a clock that only answers advance. `refused`: share of calls that are refused at once. */
function run(
  vendor: Vendor,
  maxima: number[],
  seconds: number,
  seed: number,
  isFixed = false,
  refused = 0,
): { answers: number; limits: number[] } {
  const began = 1e12;
  const random = randomOf(seed);
  const ends = new Heap();
  const limits: number[] = [];
  let now = began;
  let underWay = 0;
  let answers = 0;
  const processes = maxima.map((max) => {
    const limit: InFlightLimit = isFixed
      ? { limit: () => max, sent: () => null as never, ended: () => {} }
      : openInFlightLimit(max, () => now);
    let own = 0;
    const fill = () => {
      while (own < limit.limit()) {
        own++;
        underWay++;
        const slot = limit.sent(own);
        const isRefused = refused > 0 && random() < refused;
        const latency = isRefused ? 1 : vendor(underWay, now - began, random);
        ends.add(now + latency, () => {
          own--;
          underWay--;
          if (isRefused) limit.ended(slot, 'overloaded');
          else limit.ended(slot, 'clean', latency);
          if (!isRefused) answers++;
          fill();
        });
      }
    };
    fill();
    return limit;
  });
  while (now < began + seconds * SECOND) {
    const [at, end] = ends.take();
    now = at;
    end();
    if (now >= began + (limits.length * seconds * SECOND) / 100) limits.push(processes.reduce((sum, limit) => sum + limit.limit(), 0));
  }
  return { answers, limits };
}

const queueing =
  (capacity: (ms: number) => number, latency: Latency): Vendor =>
  (underWay, ms, random) =>
    latency(ms, random) * Math.max(1, underWay / capacity(ms));

/** First come, first served. `count` of them at a time are open, of a thousand. */
function places(count: (ms: number) => number, latency: Latency): Vendor {
  const freeAt = Array.from({ length: 1_000 }, () => 0);
  return (_, ms, random) => {
    const open = freeAt.slice(0, count(ms));
    const first = open.indexOf(Math.min(...open));
    freeAt[first] = Math.max(ms, freeAt[first]!) + latency(ms, random);
    return freeAt[first]! - ms;
  };
}

/** Log-normal, by its median and 99th percentile. */
const spread = (p50: number, p99: number, random: () => number): number =>
  p50 * (p99 / p50) ** ((Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())) / 2.326_347_874);

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Pops the call that ends first. */
class Heap {
  #items: [number, () => void][] = [];

  add(at: number, end: () => void): void {
    const items = this.#items;
    items.push([at, end]);
    for (let i = items.length - 1; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (items[parent]![0] <= items[i]![0]) return;
      [items[parent], items[i]] = [items[i]!, items[parent]!];
      i = parent;
    }
  }

  take(): [number, () => void] {
    const items = this.#items;
    const first = items[0]!;
    const last = items.pop()!;
    if (items.length === 0) return first;
    items[0] = last;
    for (let i = 0; ; ) {
      let child = 2 * i + 1;
      if (child >= items.length) return first;
      if (child + 1 < items.length && items[child + 1]![0] < items[child]![0]) child++;
      if (items[child]![0] >= items[i]![0]) return first;
      [items[child], items[i]] = [items[i]!, items[child]!];
      i = child;
    }
  }
}
