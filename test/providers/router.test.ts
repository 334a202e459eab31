/** A provider is never asked beyond its budget, is left alone when it asks for that or is down, and is replaced where there is another. */
import { AggregatorRegistry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type FailureCode,
  type Hints,
  type Provider,
  ProviderFailure,
  ProviderUnavailable,
  type RecordKind,
} from '../../src/checks/provider.ts';
import { type Context, openContext } from '../../src/foundation/context.ts';
import { ClientGone } from '../../src/foundation/errors.ts';
import type { VendorLookup } from '../../src/providers/guarded-provider.ts';
import { type Limiter, openLimiter, PausedError, type Priority, type Wanting } from '../../src/providers/limiter.ts';
import { openRouter, type Router } from '../../src/providers/router.ts';
import type { Route } from '../../src/providers/upstreams.ts';
import { createSandbox } from '../../src/sandbox/provider.ts';
import { asOwner, useDatabase, waitFor } from '../setup/database.ts';
import { freshNin } from '../setup/work.ts';

const database = useDatabase();
let ctx: Context;
let other: Context;
beforeAll(async () => {
  ctx = database.openContext();
  other = database.openContext();
});
afterAll(async () => {
  await ctx.close();
  await other.close();
});

let names = 0;
const named = (options: Parameters<typeof createSandbox>[0] = {}) => createSandbox({ name: `p${names++}`, ...options });
const ask = (router: Router, priority: 'call' | 'batch' = 'call', waitMaxMs = 0) =>
  router.lookup({
    kind: 'nin',
    tier: 1,
    identifier: freshNin(),
    key: 'a2V5',
    older: null,
    subject: null,
    hints: {},
    reference: 'r',
    live: false,
    priority,
    waitMaxMs,
  });
const open = (...test: Provider[]) => openRouter(ctx, { live: [], test });
const acquire = (limiter: Limiter, priority: Priority, wanting: Partial<Wanting> = {}) =>
  limiter.acquire({ priority, waitMaxMs: 0, ...wanting });
const budget = { requestsPerSecond: null, burst: 1, reservedForCalls: 0, inFlightMax: 4, timeoutMs: 1000 };

it('takes over the pauses that were announced and lifted while its connection was cut', async () => {
  const provider = named();
  const router = await open(provider);
  const isPaused = () => router.unavailableForMs({ all: { nin: 1 } }, false) > 0;
  const cut = () =>
    asOwner(
      database.url,
      (sql) => sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query ilike 'listen%'`,
    );
  // Nobody is told.
  await ctx.sql`insert into provider_states (name, paused_until) values (${provider.name}, now() + interval '1 hour')`;
  expect(isPaused()).toBe(false);
  await cut();
  await waitFor('the pause', isPaused);
  await ctx.sql`update provider_states set paused_until = null where name = ${provider.name}`;
  await cut();
  await waitFor('the end of the pause', () => !isPaused());
  await router.close();
});

describe('the rate', () => {
  it('is kept by two processes together, on the database’s clock', async () => {
    const limits = { ...budget, requestsPerSecond: 50, inFlightMax: 100 };
    const limiters = [openLimiter(ctx, 'shared', limits), openLimiter(other, 'shared', limits)];
    const times: number[] = [];
    await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const release = await acquire(limiters[i % 2]!, 'batch');
        times.push(performance.now());
        release('clean');
      }),
    );
    times.sort((a, b) => a - b);
    for (const start of times) expect(times.filter((t) => t >= start && t < start + 1000).length).toBeLessThanOrEqual(50);
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(1100);
    expect(times.at(-1)! - times[0]!).toBeLessThan(1900);
  });

  it('allows a burst at once, and no more', async () => {
    const limiter = openLimiter(ctx, 'bursty', { ...budget, requestsPerSecond: 1, burst: 3, inFlightMax: 10 });
    const started = performance.now();
    const times = await Promise.all(Array.from({ length: 4 }, () => acquire(limiter, 'call').then(() => performance.now() - started)));
    times.sort((a, b) => a - b);
    expect(times[2]! - times[0]!).toBeLessThan(400);
    expect(times[3]! - times[0]!).toBeGreaterThan(600);
  });
});

describe('batch work', () => {
  it('books the rate so little ahead that a single call need not wait for it', async () => {
    const limits = { ...budget, requestsPerSecond: 20, inFlightMax: 200 };
    const limiter = openLimiter(ctx, 'ahead', limits);
    let granted = 0;
    const batch = Array.from({ length: 40 }, () =>
      acquire(limiter, 'batch').then((release) => {
        granted++;
        release('clean');
      }),
    );
    await waitFor('the batch to be on its way', () => granted >= 5);
    const began = performance.now();
    (await acquire(limiter, 'call'))('clean');
    // Without that, behind some 30 slots of 50 ms.
    expect(performance.now() - began).toBeLessThan(500);
    await Promise.all(batch);
  });

  it('leaves the share of the rate free that is reserved for calls', async () => {
    const limits = { ...budget, requestsPerSecond: 40, reservedForCalls: 0.5, inFlightMax: 200 };
    const limiter = openLimiter(ctx, 'reserved', limits);
    const began = performance.now();
    await Promise.all(Array.from({ length: 21 }, () => acquire(limiter, 'batch').then((release) => release('clean'))));
    // 20 gaps of 50 ms; at the full rate the gaps are 25 ms.
    expect(performance.now() - began).toBeGreaterThan(950);
    const calls = performance.now();
    await Promise.all(Array.from({ length: 11 }, () => acquire(limiter, 'call').then((release) => release('clean'))));
    expect(performance.now() - calls).toBeLessThan(600);
  });
});

describe('a single call', () => {
  it('waits for its slot no longer than it may, and takes no slot it cannot use', async () => {
    const slow = openLimiter(ctx, 'overrun', { ...budget, requestsPerSecond: 5, inFlightMax: 100 });
    const began = performance.now();
    const answers = await Promise.allSettled(
      Array.from({ length: 40 }, () => acquire(slow, 'call', { askUntil: performance.now() + 3_000 })),
    );
    expect(performance.now() - began).toBeLessThan(5_000);
    const granted = answers.filter(({ status }) => status === 'fulfilled').length;
    expect(granted).toBeGreaterThanOrEqual(1);
    expect(granted).toBeLessThanOrEqual(16);
    for (const answer of answers) if (answer.status === 'rejected') expect(answer.reason).toBeInstanceOf(PausedError);
    // The next caller does not wait behind those that were refused.
    const next = performance.now();
    (await acquire(slow, 'call'))('clean');
    expect(performance.now() - next).toBeLessThan(2_000);
  });

  it('leaves the queue for the concurrency limit when its time is up', async () => {
    const limiter = openLimiter(ctx, 'full', { ...budget, inFlightMax: 1 });
    const first = await acquire(limiter, 'call');
    await expect(acquire(limiter, 'call', { askUntil: performance.now() + 50 })).rejects.toBeInstanceOf(PausedError);
    await expect(acquire(limiter, 'call', { askUntil: performance.now() - 1 })).rejects.toBeInstanceOf(PausedError);
    const patient = acquire(limiter, 'call', { askUntil: performance.now() + 20_000 });
    first('clean');
    (await patient)('clean');
    expect(limiter.inFlight().current).toBe(0);
  });
});

describe('the queue of a busy provider', () => {
  /** Lets everybody in, one after the other, and returns the apps in that order. */
  async function orderOf(limiter: Limiter, priority: Priority, appIds: string[]): Promise<string> {
    const first = await acquire(limiter, priority, { appId: 'first' });
    const order: string[] = [];
    const waiting = appIds.map((appId) =>
      acquire(limiter, priority, { appId }).then((release) => {
        order.push(appId);
        release('clean');
      }),
    );
    first('clean');
    await Promise.all(waiting);
    return order.join('');
  }

  it.each(['call', 'batch'] as const)('is fair by app, and by the weights of apps (%s)', async (priority) => {
    const one = { ...budget, inFlightMax: 1 };
    const apps = [...'aaaaaaaabbcc'];
    expect(await orderOf(openLimiter(ctx, `fair-${priority}`, one), priority, apps)).toBe('abcabcaaaaaa');
    const weightOf = (appId: string) => (appId === 'b' ? 2 : 1);
    expect(await orderOf(openLimiter(ctx, `weighed-${priority}`, one, { weightOf }), priority, apps)).toBe('abcbacaaaaaa');
  });

  it('is fair by app where the rate is what they wait for', async () => {
    const limiter = openLimiter(ctx, 'fair-rate', { ...budget, requestsPerSecond: 40, inFlightMax: 500 });
    const many = Array.from({ length: 80 }, () => acquire(limiter, 'call', { appId: 'a' }).then((release) => release('clean')));
    const began = performance.now();
    (await acquire(limiter, 'call', { appId: 'b' }))('clean');
    // Behind all of them it would be 2 s.
    expect(performance.now() - began).toBeLessThan(700);
    await Promise.all(many);
    expect(performance.now() - began).toBeGreaterThan(1_500);
  });

  it('drops a call whose client has gone, and asks nobody for one that has gone before', async () => {
    const limiter = openLimiter(ctx, 'gone', { ...budget, inFlightMax: 1 });
    const first = await acquire(limiter, 'call');
    const leaving = new AbortController();
    const client = { isGone: () => leaving.signal.aborted, signal: () => leaving.signal };
    const dropped = acquire(limiter, 'call', { client });
    const patient = acquire(limiter, 'call');
    leaving.abort();
    await expect(dropped).rejects.toBeInstanceOf(ClientGone);
    first('clean');
    (await patient)('clean');
    await expect(acquire(limiter, 'call', { client })).rejects.toBeInstanceOf(ClientGone);
    expect(limiter.inFlight().current).toBe(0);
  });
});

describe('a question that is abandoned', () => {
  const reason = new Error('another one answered');

  it('leaves the queue, and takes no place', async () => {
    const limiter = openLimiter(ctx, 'abandoned', { ...budget, inFlightMax: 1 });
    const first = await acquire(limiter, 'call');
    const abandon = new AbortController();
    const left = acquire(limiter, 'call', { abandon: abandon.signal });
    const patient = acquire(limiter, 'call');
    abandon.abort(reason);
    await expect(left).rejects.toBe(reason);
    await expect(acquire(limiter, 'call', { abandon: abandon.signal })).rejects.toBe(reason);
    expect(limiter.inFlight().current).toBe(1);
    first('clean');
    (await patient)('clean');
    expect(limiter.inFlight().current).toBe(0);
  });

  it('waits neither for a pause nor for its slot, and gives its place back once', async () => {
    const limiters = ['pause', 'slot'].map((wait) =>
      openLimiter(ctx, `abandoned-${wait}`, { ...budget, requestsPerSecond: 1, inFlightMax: 2 }),
    );
    limiters[0]!.heardPause(5_000);
    (await acquire(limiters[1]!, 'call'))('clean');
    for (const limiter of limiters) {
      const abandon = new AbortController();
      const waiting = acquire(limiter, 'call', { waitMaxMs: 10_000, abandon: abandon.signal });
      await waitFor('the question to have a place', () => limiter.inFlight().current === 1);
      const began = performance.now();
      abandon.abort(reason);
      await expect(waiting).rejects.toBe(reason);
      expect(performance.now() - began).toBeLessThan(100);
      expect(limiter.inFlight().current).toBe(0);
    }
  });
});

describe('calls in flight', () => {
  it('are bounded, and single calls overtake batch work', async () => {
    const limiter = openLimiter(ctx, 'gate', { ...budget, inFlightMax: 1 });
    const first = await acquire(limiter, 'batch');
    const order: string[] = [];
    const waiting = ['batch', 'batch', 'call'].map((priority) =>
      acquire(limiter, priority as 'call' | 'batch').then((release) => {
        order.push(priority);
        release('clean');
      }),
    );
    expect(limiter.inFlight()).toEqual({ current: 1, limit: 1 });
    first('clean');
    await Promise.all(waiting);
    expect(order).toEqual(['call', 'batch', 'batch']);
  });

  it('are reduced on overload and grow back while it goes well', async () => {
    const limiter = openLimiter(ctx, 'aimd', { ...budget, inFlightMax: 10 });
    (await acquire(limiter, 'batch'))('overloaded');
    const low = limiter.inFlight().limit;
    expect(low).toBe(7);
    for (let i = 0; i < 60; i++) (await acquire(limiter, 'batch'))('clean');
    expect(limiter.inFlight().limit).toBe(10);
  });

  it('recover quickly after an outage to their last good number', async () => {
    let clock = 0;
    const limiter = openLimiter(ctx, 'outage', { ...budget, inFlightMax: 100 }, { now: () => clock });
    for (let i = 0; i < 4; i++) {
      (await acquire(limiter, 'batch'))('overloaded');
      clock += 510;
    }
    expect(limiter.inFlight().limit).toBeLessThan(30);
    for (let i = 0; i < 50; i++) (await acquire(limiter, 'batch'))('clean', 50);
    expect(limiter.inFlight().limit).toBeGreaterThanOrEqual(70);
  });

  it('are shown with their limit, for each process by name', async () => {
    const registries = await Promise.all(
      (['api', 'worker'] as const).map(async (process) => {
        const own = openContext(database.config(), database.url, { process });
        const router = await openRouter(own, { live: [createSandbox({ name: 'shown', budget: { inFlightMax: 30 } })], test: [] });
        router.measure();
        await router.close();
        await own.close();
        return own.metrics.registry.getMetricsAsJSON();
      }),
    );
    const text = await AggregatorRegistry.aggregate(registries).metrics();
    for (const process of ['api', 'worker'])
      expect(text).toContain(`confam_provider_in_flight_limit{provider="shown",process="${process}"} 30`);
  });

  it('hand waiting batch work back when the process drains; calls continue', async () => {
    const limiter = openLimiter(ctx, 'drain', { ...budget, inFlightMax: 1 });
    const first = await acquire(limiter, 'call');
    const batch = acquire(limiter, 'batch').catch((error) => error);
    const call = acquire(limiter, 'call');
    limiter.drain();
    expect(await batch).toBeInstanceOf(PausedError);
    first('clean');
    (await call)('clean');
    await expect(acquire(limiter, 'batch')).rejects.toBeInstanceOf(PausedError);
  });
});

describe('a pause', () => {
  it('requested from one process holds in every process within 100 ms, and in one that starts later', async () => {
    const sandbox = named();
    const [here, there] = [await openRouter(ctx, { live: [], test: [sandbox] }), await openRouter(other, { live: [], test: [sandbox] })];
    Object.assign(sandbox.faults, { mode: 'rate_limited', retryAfterMs: 5_000 });
    await expect(ask(here)).rejects.toMatchObject({ code: 'rate_limited' });
    const asked = performance.now();
    await waitFor('the other process to hear of it', () => there.unavailableForMs({ all: { nin: 1 } }, false) > 0);
    expect(performance.now() - asked).toBeLessThan(100);
    const calls = sandbox.calls.total;
    await expect(ask(there)).rejects.toBeInstanceOf(ProviderUnavailable);
    const late = await openRouter(ctx, { live: [], test: [sandbox] });
    expect(late.unavailableForMs({ all: { nin: 1 } }, false)).toBeGreaterThan(3_000);
    expect(sandbox.calls.total).toBe(calls);
    for (const router of [here, there, late]) await router.close();
  });

  it('for which no time was named comes with the third refusal in a row: a provider that sheds some load is asked on', async () => {
    const sandbox = named();
    const router = await open(sandbox);
    const refuse = async () => {
      Object.assign(sandbox.faults, { mode: 'rate_limited', retryAfterMs: undefined });
      await expect(ask(router)).rejects.toMatchObject({ code: 'rate_limited' });
    };
    for (let times = 0; times < 3; times++) {
      await refuse();
      await refuse();
      expect(router.unavailableForMs({ all: { nin: 1 } }, false)).toBe(0);
      sandbox.faults.mode = 'ok';
      expect((await ask(router)).result.found).toBe(true);
    }
    for (let refusals = 0; refusals < 3; refusals++) await refuse();
    expect(router.unavailableForMs({ all: { nin: 1 } }, false)).toBeGreaterThan(0);
    await router.close();
  });

  it('is waited for by a call that has the time, and not by one that has not', async () => {
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
  it('opens after consecutive failures, in every process, and a probe closes it again', async () => {
    const sandbox = named();
    const [here, there] = [await openRouter(ctx, { live: [], test: [sandbox] }), await openRouter(other, { live: [], test: [sandbox] })];
    sandbox.faults.mode = 'down';
    for (let i = 0; i < 8; i++) await expect(ask(here)).rejects.toBeInstanceOf(ProviderFailure);
    await expect(ask(here)).rejects.toBeInstanceOf(ProviderUnavailable);
    expect(here.unavailableForMs({ all: { nin: 1 } }, false)).toBeGreaterThan(0);
    expect(here.unavailableForMs({ all: { bvn: 1 } }, false)).toBe(0);
    await waitFor('the other process to hear of it', () => there.unavailableForMs({ all: { nin: 1 } }, false) > 0);
    // Also between two probes, and in a process that starts meanwhile.
    const late = await openRouter(ctx, { live: [], test: [sandbox] });
    for (const router of [here, there, late]) {
      expect(router.outlook({ all: { nin: 1 } }, false)).toMatchObject({ degraded: true });
      expect(router.outlook({ all: { bvn: 1 } }, false)).toEqual({ degraded: false, nextAttemptMs: 0 });
    }
    await late.close();
    sandbox.faults.mode = 'ok';
    await waitFor('the probe', () =>
      ask(here).then(
        (answer) => answer.result.found,
        () => false,
      ),
    );
    expect(here.unavailableForMs({ all: { nin: 1 } }, false)).toBe(0);
    await waitFor('the other process to hear that it is well', () => !there.outlook({ all: { nin: 1 } }, false).degraded);
    expect((await ask(there)).result.found).toBe(true);
    for (const router of [here, there]) await router.close();
  });

  it('ignores what a provider says about one subject', async () => {
    const sandbox = named();
    const router = await open(sandbox);
    for (let i = 0; i < 20; i++) {
      await router
        .lookup({
          kind: 'nin',
          tier: 1,
          identifier: '00000000003',
          key: 'a2V5',
          older: null,
          subject: null,
          hints: {},
          reference: 'r',
          live: false,
          priority: 'call',
          waitMaxMs: 0,
        })
        .catch(() => {});
    }
    expect((await ask(router)).result.found).toBe(true);
    await router.close();
  });
});

describe('a provider that never answers', () => {
  it('and ignores its signal is given up like one that timed out, and its place is free', async () => {
    const sandbox = named({ budget: { timeoutMs: 100, inFlightMax: 1 } });
    let isStuck = true;
    const stuck: Provider = { ...sandbox, lookup: (lookup) => (isStuck ? new Promise(() => {}) : sandbox.lookup(lookup)) };
    const router = await open(stuck);
    await expect(ask(router)).rejects.toMatchObject({ code: 'timeout' });
    isStuck = false;
    expect((await ask(router)).result.found).toBe(true);
    await router.close();
  });

  it('but ends on its signal may still say what it knows', async () => {
    const router = await open({
      ...named({ budget: { timeoutMs: 100 } }),
      lookup: ({ signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => setTimeout(resolve, 100, { found: true, record: { nin: 'x' } }))),
    });
    expect((await ask(router)).result).toEqual({ found: true, record: { nin: 'x' } });
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

  it('asks another one after a surprise, but not after an answer about the subject', async () => {
    const [first, second] = [named(), named()];
    const failing = (code: FailureCode): Provider => ({ ...first, lookup: () => Promise.reject(new ProviderFailure(code)) });
    const surprising = await open(failing('surprise'), second);
    expect((await ask(surprising)).provider).toBe(second.name);
    for (const code of ['invalid', 'no_consent', 'mismatch'] as const) {
      const router = await open(failing(code), second);
      await expect(ask(router)).rejects.toMatchObject({ code });
      await router.close();
    }
    expect(second.calls.total).toBe(1);
    await surprising.close();
  });

  it('puts a provider that often fails last, until that is forgotten', async () => {
    const [first, second] = [named(), named()];
    const router = await open(first, second);
    // Never eight in a row, so the breaker stays closed.
    for (let i = 0; i < 40; i++) {
      first.faults.mode = i % 7 === 6 ? 'ok' : 'down';
      await ask(router);
    }
    first.faults.mode = 'ok';
    const asked = first.calls.total;
    for (let i = 0; i < 10; i++) expect((await ask(router)).provider).toBe(second.name);
    expect(first.calls.total).toBe(asked);
    await router.close();
  });

  const routed = (choices: Route['choices'], hedgeAfterMs: number | null, ...live: Provider[]) =>
    openRouter(ctx, { test: [], live, routes: { nin: { choices, hedgeAfterMs } } });
  const askLive = (
    router: Router,
    question: { kind?: RecordKind; identifier?: string; hints?: Hints; askUntil?: number; trail?: VendorLookup[] } = {},
  ) =>
    router.lookup({
      ...{ kind: 'nin', tier: 1, identifier: freshNin(), key: 'a2V5', older: null, subject: null, hints: {}, reference: 'r' },
      ...{ live: true, priority: 'call', waitMaxMs: 0 },
      ...question,
    });

  it('keeps nothing of a vendor’s code or reference that repeats what it was asked', async () => {
    const receipts = [
      { status: '400 nin-70918273645', reference: 'req_70918273645' },
      { status: '400 Zqxwvut', reference: 'a-1990.02-01' },
      { status: '400 invalid', reference: 'req_1' },
    ];
    const kept: unknown[] = [];
    for (const receipt of receipts) {
      const told = { ...receipt, answerHash: null };
      const provider: Provider = {
        ...named(),
        cost: () => 0,
        lookup: () => Promise.reject(new ProviderFailure('invalid', { receipt: told })),
      };
      const router = await routed([{ provider: provider.name, weight: null }], null, provider);
      const trail: VendorLookup[] = [];
      const hints = { lastName: 'Zqxwvut', dateOfBirth: '1990-02-01' };
      const failure = await askLive(router, { identifier: '70918273645', hints, trail }).catch((error: ProviderFailure) => error);
      expect((failure as ProviderFailure).receipt).toEqual(trail[0]!.receipt);
      kept.push(trail.map((lookup) => [lookup.receipt!.status, lookup.receipt!.reference]));
      await router.close();
    }
    expect(kept).toEqual([[['400', null]], [['400', null]], [['400 invalid', 'req_1']]]);
  });

  it('follows the route for each record kind, in proportion to the weights if there are any', async () => {
    const [first, second] = [named(), named()];
    const ordered = await routed(
      [second, first].map(({ name }) => ({ provider: name, weight: null })),
      null,
      first,
      second,
    );
    expect((await askLive(ordered)).provider).toBe(second.name);
    const weighted = await routed(
      [
        { provider: first.name, weight: 1 },
        { provider: second.name, weight: 3 },
      ],
      null,
      first,
      second,
    );
    let seconds = 0;
    for (let i = 0; i < 400; i++) if ((await askLive(weighted)).provider === second.name) seconds++;
    // 300 expected, with a standard deviation of 8.7.
    expect(seconds).toBeGreaterThan(250);
    expect(seconds).toBeLessThan(350);
    await Promise.all([ordered.close(), weighted.close()]);
  });

  it('is hedged only where the route says so: a slow first one is given up for the second', async () => {
    const slow = named({ latencyMs: { nin: 2_000 } });
    const quick = named({ latencyMs: { nin: 10 } });
    const charging = [slow, quick].map((provider): Provider => ({ ...provider, cost: () => 80_00 }));
    const choices = [slow, quick].map(({ name }) => ({ provider: name, weight: null }));
    const router = await routed(choices, 100, ...charging);
    const trail: VendorLookup[] = [];
    const began = performance.now();
    expect((await askLive(router, { trail })).provider).toBe(quick.name);
    expect(performance.now() - began).toBeLessThan(1_000);
    // One that fails in time costs no second question beside its successor's.
    Object.assign(slow.faults, { mode: 'down' });
    slow.faults.failRate = 1;
    const asked = quick.calls.total;
    expect((await askLive(router)).provider).toBe(quick.name);
    expect(quick.calls.total).toBe(asked + 1);
    expect(trail.map(({ provider, outcome, costKobo, isHedge }) => [provider, outcome, costKobo, isHedge]).sort()).toEqual(
      [
        [slow.name, 'abandoned', 0, false],
        [quick.name, 'found', 80_00, true],
      ].sort(),
    );
    await router.close();
  });

  describe('if it is hedged', () => {
    const inOrder = (...providers: Provider[]) => providers.map(({ name }) => ({ provider: name, weight: null }));

    it('answers with the failure of whoever was asked, not with the pause of the other', async () => {
      const [failing, paused] = [named(), named()];
      const router = await routed(inOrder(failing, paused), 5_000, failing, paused);
      await router.pause(paused.name, 60_000);
      await waitFor('the pause', () => router.providers().some(({ kinds }) => kinds.some(({ pausedForMs }) => pausedForMs > 0)));
      failing.faults.mode = 'down';
      await expect(askLive(router)).rejects.toMatchObject({ code: 'down' });
      await router.close();
    });

    it('answers with the failure of the second if the first was busy all the time', async () => {
      const busy = named({ latencyMs: { bvn: 1_000 }, budget: { inFlightMax: 1 } });
      const failing = named({ kinds: ['nin'] });
      failing.faults.mode = 'down';
      const router = await routed(inOrder(busy, failing), 50, busy, failing);
      const occupying = askLive(router, { kind: 'bvn' });
      await expect(askLive(router, { askUntil: performance.now() + 200 })).rejects.toMatchObject({ code: 'down' });
      await occupying;
      await router.close();
    });

    it('answers at once while the other one is still in its queue, which it then leaves', async () => {
      const first = named({ kinds: ['nin'], latencyMs: { nin: 200 } });
      const full = named({ latencyMs: { bvn: 1_500 }, budget: { inFlightMax: 1 } });
      const charging = [first, full].map((provider): Provider => ({ ...provider, cost: () => 80_00 }));
      const router = await routed(inOrder(first, full), 50, ...charging);
      const occupying = askLive(router, { kind: 'bvn' });
      const trail: VendorLookup[] = [];
      const began = performance.now();
      expect((await askLive(router, { trail })).provider).toBe(first.name);
      expect(performance.now() - began).toBeLessThan(1_000);
      expect(trail.map(({ provider, outcome }) => [provider, outcome])).toEqual([[first.name, 'found']]);
      await occupying;
      // Its only place is free, and the abandoned question was never put.
      expect((await askLive(router, { kind: 'bvn' })).provider).toBe(full.name);
      expect(full.calls).toMatchObject({ bvn: 2, total: 2 });
      await router.close();
    });
  });

  it('looks for an unanswered question where the vendor allows it, before anybody is asked anew', async () => {
    const [first, second] = [named({ budget: { timeoutMs: 100 } }), named()];
    first.faults.mode = 'hang';
    const found = { found: true, record: { nin: 'x' } } as const;
    const answers = [async () => found, async () => null, () => Promise.reject(new ProviderFailure('down'))];
    const outcomes: unknown[] = [];
    for (const reconcile of answers) {
      const sought: string[] = [];
      const provider: Provider = {
        ...first,
        cost: () => 80_00,
        reconcile: (lookup) => {
          sought.push(lookup.reference);
          return reconcile();
        },
      };
      const choices = [first, second].map(({ name }) => ({ provider: name, weight: null }));
      const router = await routed(choices, null, provider, second);
      const trail: VendorLookup[] = [];
      const answer = await askLive(router, { trail });
      expect(sought).toEqual(['r']);
      outcomes.push([answer.provider === first.name, trail.map(({ outcome, costKobo }) => [outcome, costKobo])]);
      await router.close();
    }
    expect(outcomes).toEqual([
      [
        true,
        [
          ['timeout', 0],
          ['found', 80_00],
        ],
      ],
      [false, [['timeout', 0]]],
      [
        false,
        [
          ['timeout', 0],
          ['down', 0],
        ],
      ],
    ]);
  });

  it('answers not configured where nothing is configured', async () => {
    const router = await open();
    expect(router.configured({ all: { nin: 1 } }, true)).toBe(false);
    await expect(ask(router)).rejects.toMatchObject({ code: 'not_configured' });
    await router.close();
  });
});

it('knows which watch lists a screening may name only if all its providers say so', async () => {
  const screening = (watchLists?: string[]): Provider => ({ ...named(), serves: { aml: 1 }, ...(watchLists && { watchLists }) });
  const listsOf = async (...providers: Provider[]) => {
    const router = await open(...providers);
    const lists = router.watchLists(false);
    await router.close();
    return lists;
  };
  expect(await listsOf(screening(['un_sc']), screening(['in_house']))).toEqual(['un_sc', 'in_house']);
  expect(await listsOf(screening(['un_sc']), screening())).toBeNull();
});
