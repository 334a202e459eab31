/** However late slots are used, no second holds more than the rate, and nearly all of the rate is used. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Context } from '../../src/foundation/context.ts';
import { openLimiter } from '../../src/providers/limiter.ts';
import { bookSlots, moveSeats, seatsOf } from '../../src/providers/slots.ts';
import { WorstSecond } from '../../src/simulator/stats.ts';
import { useDatabase } from '../setup/database.ts';

const database = useDatabase();
let contexts: Context[];
beforeAll(() => {
  contexts = Array.from({ length: 4 }, () => database.openContext());
});
afterAll(() => Promise.all(contexts.map((ctx) => ctx.close())));

/** mulberry32 */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function worstSecond(times: readonly number[]): number {
  const worst = new WorstSecond();
  for (const time of times.toSorted((a, b) => a - b)) worst.add(time);
  return worst.most;
}

const perSecond = (times: readonly number[]): number => ((times.length - 1) * 1_000) / (Math.max(...times) - Math.min(...times));

/** The times at which a vendor gets requests of a constant demand, by a clock of its own. `late`: how often, and by how much on average. */
async function simulate(rate: number, burst: number, late: { share: number; meanMs: number }, slots: number): Promise<number[]> {
  const { sql } = contexts[0]!;
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.log('seed', seed);
  const random = randomOf(seed);
  const name = `simulated-${rate}-${burst}-${seed}`;
  const arrivals: number[] = [];
  let told: { slot: number; used: number }[] = [];
  let now = Date.now();
  while (arrivals.length < slots) {
    const due = told.filter(({ used }) => used <= now);
    if (due.length > 0) await moveSeats(sql, name, due);
    told = told.filter(({ used }) => used > now);
    const wanted = 1 + Math.floor(random() * 4);
    const booked = await bookSlots(sql, name, seatsOf(rate, burst), { wanted, aheadMs: 200, at: now });
    for (const slot of booked.slots) {
      const lateMs = random() < late.share ? Math.min(100, -Math.log(1 - random()) * late.meanMs) : random() * 1.5;
      if (lateMs > 2) told.push({ slot, used: slot + lateMs });
      arrivals.push(slot + lateMs + random() * 4);
    }
    // Whoever was granted less than it wanted asks again once a slot is near.
    now = booked.slots.length < wanted ? Math.max(now + 1, booked.next - 100 - random() * 100) : now + random() * 2;
  }
  return arrivals;
}

describe('slots', () => {
  it.each([
    [50, 1, { share: 0.02, meanMs: 8 }, 0.95],
    [50, 1, { share: 0.1, meanMs: 30 }, 0.93],
    [5, 1, { share: 0.02, meanMs: 8 }, 0.95],
    [2.5, 1, { share: 0.02, meanMs: 8 }, 0.95],
    [200, 1, { share: 0.02, meanMs: 8 }, 0.95],
    [300, 1, { share: 0.02, meanMs: 8 }, 0.945],
    [1_000, 1, { share: 0.02, meanMs: 8 }, 0.945],
    [20, 5, { share: 0.02, meanMs: 8 }, 0.95],
  ])('at %d/s with a burst of %d and late uses %j never exceed the rate, and use %d of it', async (rate, burst, late, share) => {
    const arrivals = await simulate(rate, burst, late, Math.min(3_000, Math.max(rate * 12, 300)));
    expect(worstSecond(arrivals)).toBeLessThanOrEqual(Math.ceil(rate) + burst - 1);
    // Less the burst at the start and its seats, which come only once.
    const steady = arrivals.toSorted((a, b) => a - b).slice(2 * burst);
    expect(perSecond(steady)).toBeGreaterThanOrEqual(share * rate);
  });

  it('are not lost while four callers at a time book the same row', async () => {
    const seats = seatsOf(250, 1);
    const booked = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        bookSlots(contexts[i % 4]!.sql, 'crowd', seats, { wanted: 1, aheadMs: Number.MAX_SAFE_INTEGER }),
      ),
    );
    const slots = booked.flatMap(({ slots }) => slots).sort((a, b) => a - b);
    const [row] = await contexts[0]!.sql<{ seats: number[] }[]>`select seats from provider_states where name = 'crowd'`;
    expect(row!.seats.filter((used) => used > 0).sort((a, b) => a - b)).toEqual(slots);
    expect(slots).toHaveLength(200);
  });

  it('of four processes whose event loop stalls never exceed the rate, and lose little more than the slack', async () => {
    const rate = 50;
    const limits = { requestsPerSecond: rate, burst: 1, reservedForCalls: 0, inFlightMax: 100, timeoutMs: 1_000 };
    const limiters = contexts.map((ctx) => openLimiter(ctx, 'stalling', limits));
    const random = randomOf(7);
    const times: number[] = [];
    const stalls = setInterval(() => {
      const until = performance.now() + random() * 15;
      while (performance.now() < until);
    }, 150);
    await Promise.all(
      Array.from({ length: 4 * rate }, async (_, i) => {
        const release = await limiters[i % 4]!.acquire({ priority: 'batch', waitMaxMs: 0 });
        times.push(performance.now());
        release('clean');
      }),
    );
    clearInterval(stalls);
    expect(worstSecond(times)).toBeLessThanOrEqual(rate);
    expect(perSecond(times)).toBeGreaterThan(0.9 * rate);
  });
});
