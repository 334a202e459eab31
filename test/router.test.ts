/** A provider is never asked beyond its budget, left alone when it asks for that or is down, and replaced where there is another. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Context } from '../src/context.ts';
import { openLimiter, PausedError } from '../src/limiter.ts';
import { type Provider, ProviderFailure, ProviderUnavailable } from '../src/providers/provider.ts';
import { openRouter, type Router } from '../src/providers/router.ts';
import { createSandbox } from '../src/providers/sandbox/sandbox.ts';
import { createDatabase, type TestDatabase, waitFor } from './setup/database.ts';
import { freshNin } from './setup/work.ts';

let database: TestDatabase;
let ctx: Context;
let other: Context;
beforeAll(async () => {
  database = await createDatabase();
  ctx = database.openContext();
  other = database.openContext();
});
afterAll(async () => {
  await ctx.close();
  await other.close();
  await database.drop();
});

let names = 0;
const named = (options: Parameters<typeof createSandbox>[0] = {}) => createSandbox({ name: `p${names++}`, ...options });
const ask = (router: Router, priority: 'call' | 'batch' = 'call', waitMaxMs = 0) =>
  router.lookup({ kind: 'nin', tier: 1, identifier: freshNin(), reference: 'r', live: false, priority, waitMaxMs });
const open = (...test: Provider[]) => openRouter(ctx, { live: [], test });
const budget = { requestsPerSecond: null, burst: 1, inFlightMax: 4, timeoutMs: 1000 };

describe('the rate', () => {
  it('is kept by two processes together, on the database’s clock', async () => {
    const limits = { ...budget, requestsPerSecond: 50, inFlightMax: 100 };
    const limiters = [openLimiter(ctx, 'shared', limits), openLimiter(other, 'shared', limits)];
    const times: number[] = [];
    await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const release = await limiters[i % 2]!.acquire('batch', 0);
        times.push(performance.now());
        release('clean');
      }),
    );
    times.sort((a, b) => a - b);
    // 60 slots of 20 ms: no window of a second holds more than 50 and one at its edge.
    for (const start of times) expect(times.filter((t) => t >= start && t < start + 1000).length).toBeLessThanOrEqual(51);
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(1100);
    expect(times.at(-1)! - times[0]!).toBeLessThan(1900);
  });

  it('lets a burst through at once, and no more', async () => {
    const limiter = openLimiter(ctx, 'bursty', { ...budget, requestsPerSecond: 10, burst: 3, inFlightMax: 10 });
    const started = performance.now();
    const times = await Promise.all(Array.from({ length: 4 }, () => limiter.acquire('call', 0).then(() => performance.now() - started)));
    times.sort((a, b) => a - b);
    expect(times[2]! - times[0]!).toBeLessThan(30);
    expect(times[3]! - times[2]!).toBeGreaterThan(60);
  });
});

describe('calls in flight', () => {
  it('are bounded, and single calls pass before batch work', async () => {
    const limiter = openLimiter(ctx, 'gate', { ...budget, inFlightMax: 1 });
    const first = await limiter.acquire('batch', 0);
    const order: string[] = [];
    const waiting = ['batch', 'batch', 'call'].map((priority) =>
      limiter.acquire(priority as 'call' | 'batch', 0).then((release) => {
        order.push(priority);
        release('clean');
      }),
    );
    expect(limiter.inFlight()).toEqual({ current: 1, limit: 1 });
    first('clean');
    await Promise.all(waiting);
    expect(order).toEqual(['call', 'batch', 'batch']);
  });

  it('become fewer on overload and more again while it goes well', async () => {
    const limiter = openLimiter(ctx, 'aimd', { ...budget, inFlightMax: 10 });
    (await limiter.acquire('batch', 0))('overloaded');
    const low = limiter.inFlight().limit;
    expect(low).toBe(7);
    for (let i = 0; i < 60; i++) (await limiter.acquire('batch', 0))('clean');
    expect(limiter.inFlight().limit).toBe(10);
  });

  it('hand waiting batch work back when the process drains; calls go on', async () => {
    const limiter = openLimiter(ctx, 'drain', { ...budget, inFlightMax: 1 });
    const first = await limiter.acquire('call', 0);
    const batch = limiter.acquire('batch', 0).catch((error) => error);
    const call = limiter.acquire('call', 0);
    limiter.drain();
    expect(await batch).toBeInstanceOf(PausedError);
    first('clean');
    (await call)('clean');
    await expect(limiter.acquire('batch', 0)).rejects.toBeInstanceOf(PausedError);
  });
});

describe('a pause', () => {
  it('that one process was asked for holds in every process within 100 ms, and in one that starts later', async () => {
    const sandbox = named();
    const [here, there] = [await openRouter(ctx, { live: [], test: [sandbox] }), await openRouter(other, { live: [], test: [sandbox] })];
    Object.assign(sandbox.faults, { mode: 'rate_limited', retryAfterMs: 5_000 });
    await expect(ask(here)).rejects.toMatchObject({ code: 'rate_limited' });
    const asked = performance.now();
    await waitFor('the other process to hear of it', () => there.unavailableForMs({ all: ['nin'] }, false) > 0);
    expect(performance.now() - asked).toBeLessThan(100);
    const calls = sandbox.calls.total;
    await expect(ask(there)).rejects.toBeInstanceOf(ProviderUnavailable);
    const late = await openRouter(ctx, { live: [], test: [sandbox] });
    expect(late.unavailableForMs({ all: ['nin'] }, false)).toBeGreaterThan(3_000);
    expect(sandbox.calls.total).toBe(calls);
    for (const router of [here, there, late]) await router.close();
  });

  it('is waited for by a call that has the time, not by one that has not', async () => {
    const sandbox = named();
    const router = await open(sandbox);
    Object.assign(sandbox.faults, { mode: 'rate_limited', retryAfterMs: 200 });
    await ask(router).catch(() => {});
    sandbox.faults.mode = 'ok';
    await expect(ask(router, 'batch')).rejects.toBeInstanceOf(ProviderUnavailable);
    expect((await ask(router, 'call', 1_000)).result.found).toBe(true);
    await router.close();
  });
});

describe('the breaker', () => {
  it('opens after failures in a row, in every process, and lets a probe close it again', async () => {
    const sandbox = named();
    const [here, there] = [await openRouter(ctx, { live: [], test: [sandbox] }), await openRouter(other, { live: [], test: [sandbox] })];
    sandbox.faults.mode = 'down';
    for (let i = 0; i < 8; i++) await expect(ask(here)).rejects.toBeInstanceOf(ProviderFailure);
    await expect(ask(here)).rejects.toBeInstanceOf(ProviderUnavailable);
    expect(here.unavailableForMs({ all: ['nin'] }, false)).toBeGreaterThan(0);
    expect(here.unavailableForMs({ all: ['bvn'] }, false)).toBe(0);
    await waitFor('the other process to hear of it', () => there.unavailableForMs({ all: ['nin'] }, false) > 0);
    sandbox.faults.mode = 'ok';
    await waitFor('the probe', () =>
      ask(here).then(
        (answer) => answer.result.found,
        () => false,
      ),
    );
    expect(here.unavailableForMs({ all: ['nin'] }, false)).toBe(0);
    for (const router of [here, there]) await router.close();
  });

  it('is not moved by what a provider says of one subject', async () => {
    const sandbox = named();
    const router = await open(sandbox);
    for (let i = 0; i < 20; i++) {
      await router
        .lookup({ kind: 'nin', tier: 1, identifier: '00000000003', reference: 'r', live: false, priority: 'call', waitMaxMs: 0 })
        .catch(() => {});
    }
    expect((await ask(router)).result.found).toBe(true);
    await router.close();
  });
});

describe('the order of providers', () => {
  it('asks the next one when the first fails, times out or is paused', async () => {
    const [first, second] = [named({ budget: { timeoutMs: 100 } }), named()];
    const router = await open(first, second);
    expect((await ask(router)).provider).toBe(first.name);
    for (const mode of ['down', 'malformed', 'hang', 'rate_limited'] as const) {
      Object.assign(first.faults, { mode, retryAfterMs: 50 });
      expect((await ask(router)).provider).toBe(second.name);
    }
    await router.close();
  });

  it('says that nothing is configured where nothing is', async () => {
    const router = await open();
    expect(router.configured({ all: ['nin'] }, true)).toBe(false);
    await expect(ask(router)).rejects.toMatchObject({ code: 'not_configured', retryable: false });
    await router.close();
  });
});
