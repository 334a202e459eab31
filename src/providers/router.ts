/**
 * Decides who answers a look-up: the providers of its record kind in their order, each behind its limiter and breaker. A failure that
 * says something about the provider moves on to the next one; with none left the caller learns when it is worth asking again.
 */
import { setMaxListeners } from 'node:events';
import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  IterableBackoff,
} from 'cockatiel';
import type { Context } from '../context.ts';
import { announcePause, type Limiter, openLimiter, PAUSE_CHANNEL, PausedError, type Priority } from '../limiter.ts';
import {
  type Lookup,
  type LookupResult,
  type Needs,
  type Provider,
  ProviderFailure,
  ProviderUnavailable,
  type RecordKind,
} from './provider.ts';

interface RoutedLookup extends Omit<Lookup, 'signal'> {
  live: boolean;
  priority: Priority;
  /** Longest wait for a paused provider; batch work does not wait, it is parked. */
  waitMaxMs: number;
}

export interface Router {
  /** Throws `ProviderFailure` (asked, no answer) or `ProviderUnavailable` (nobody to ask now). */
  lookup(request: RoutedLookup): Promise<{ result: LookupResult; provider: string }>;
  configured(needs: Needs, live: boolean): boolean;
  /** Milliseconds until everything needed can be asked for; 0: now. */
  unavailableForMs(needs: Needs, live: boolean): number;
  /** Brings counters and gauges of providers up to date; for whoever is about to read them. */
  measure(): void;
  /** Hands back batch look-ups that have not begun; for a worker that stops. */
  drain(): void;
  close(): Promise<void>;
}

/** Failures in a row after which a provider is left alone, and for how long: at first, then while each probe fails. */
const BREAKER_FAILURES = 8;
const BREAKER_OPEN_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000];

interface Seat {
  provider: Provider;
  limiter: Limiter;
  breakers: Map<RecordKind, Breaker>;
  deadline: () => AbortSignal;
  /** Calls by result since the counters were last brought up to date. */
  calls: Map<string, number>;
}

interface Breaker {
  policy: CircuitBreakerPolicy;
  /** Until when it lets nobody through (`performance.now()`), also because another process's breaker opened; 0 while closed. */
  openUntil: number;
}

export interface RouterOptions {
  live: readonly Provider[];
  test: readonly Provider[];
}

export async function openRouter(ctx: Context, { live, test }: RouterOptions): Promise<Router> {
  const seats = new Map<string, Seat>();
  const announceOpen = (name: string, kind: RecordKind, ms: number) => {
    ctx.log.warn({ provider: name, kind, ms }, 'breaker opened');
    announcePause(ctx.sql, `${name}/${kind}`, ms).catch((error) => ctx.log.error({ err: error }, 'announce breaker'));
  };
  /** `name` is a provider's, or `provider/kind` for one of its breakers. */
  const heard = (name: string, ms: number) => {
    const [provider, kind] = name.split('/') as [string, RecordKind | undefined];
    const breaker = kind && seats.get(provider)?.breakers.get(kind);
    if (breaker) breaker.openUntil = Math.max(breaker.openUntil, performance.now() + ms);
    else seats.get(provider)?.limiter.heardPause(ms);
    ctx.metrics.providerPaused.set({ provider: name }, 1);
    setTimeout(() => {
      const isOver = breaker ? breaker.openUntil <= performance.now() : !seats.get(provider)?.limiter.pausedForMs();
      if (isOver) ctx.metrics.providerPaused.set({ provider: name }, 0);
    }, ms + 100).unref();
  };
  const seat = (provider: Provider): Seat => {
    const existing = seats.get(provider.name);
    if (existing) return existing;
    const made = {
      provider,
      limiter: openLimiter(ctx, provider.name, provider.budget),
      deadline: openDeadlines(provider.budget.timeoutMs),
      calls: new Map<string, number>(),
      breakers: new Map(provider.kinds.map((kind) => [kind, openBreaker((ms) => announceOpen(provider.name, kind, ms))])),
    };
    seats.set(provider.name, made);
    return made;
  };
  const order = { live: live.map(seat), test: test.map(seat) };
  const candidates = (kind: RecordKind, isLive: boolean) =>
    (isLive ? order.live : order.test).filter((s) => s.provider.kinds.includes(kind));

  const listener = await ctx.sql.listen(PAUSE_CHANNEL, (payload) => {
    const { name, ms } = JSON.parse(payload) as { name: string; ms: number };
    heard(name, ms);
  });
  const paused = await ctx.sql<{ name: string; ms: number }[]>`
    select name, extract(epoch from paused_until - now())::float8 * 1000 as ms from provider_states where paused_until > now()`;
  for (const { name, ms } of paused) heard(name, ms);

  const count = (s: Seat, result: string) => s.calls.set(result, (s.calls.get(result) ?? 0) + 1);

  async function ask(s: Seat, request: RoutedLookup): Promise<LookupResult> {
    const breaker = s.breakers.get(request.kind)!;
    if (breaker.openUntil > performance.now()) throw new BrokenCircuitError();
    const release = await s.limiter.acquire(request.priority, request.waitMaxMs);
    const started = performance.now();
    const signal = s.deadline();
    try {
      const result = await breaker.policy.execute(() => s.provider.lookup({ ...request, signal }));
      release('clean');
      count(s, result.found ? 'found' : 'not_found');
      return result;
    } catch (error) {
      const failure = error instanceof ProviderFailure ? error : null;
      release(failure && failure.scope === 'provider' ? 'overloaded' : 'neutral');
      count(s, failure?.code ?? (error instanceof BrokenCircuitError ? 'breaker_open' : 'error'));
      if (failure?.scope === 'provider' && failure.retryAfterMs) await s.limiter.pause(failure.retryAfterMs);
      throw error;
    } finally {
      ctx.metrics.providerSeconds.observe({ provider: s.provider.name }, (performance.now() - started) / 1000);
    }
  }

  const kindUnavailableForMs = (kind: RecordKind, isLive: boolean): number => {
    const waits = candidates(kind, isLive).map((s) =>
      Math.max(s.limiter.pausedForMs(), s.breakers.get(kind)!.openUntil - performance.now()),
    );
    return waits.length === 0 ? 0 : Math.max(0, Math.min(...waits));
  };

  return {
    async lookup(request) {
      const chosen = candidates(request.kind, request.live);
      if (chosen.length === 0) throw new ProviderFailure('not_configured', { retryable: false });
      let failure: ProviderFailure | null = null;
      for (const s of chosen) {
        try {
          return { result: await ask(s, request), provider: s.provider.name };
        } catch (error) {
          if (error instanceof ProviderFailure) {
            failure = error;
            // What the provider said of this subject, another one would say too.
            if (!error.retryable) break;
          } else if (!(error instanceof PausedError || error instanceof BrokenCircuitError)) throw error;
        }
      }
      if (failure) throw failure;
      throw new ProviderUnavailable(Math.max(100, Math.ceil(kindUnavailableForMs(request.kind, request.live))));
    },
    configured: ({ all, any }, isLive) => {
      const isServed = (kind: RecordKind) => candidates(kind, isLive).length > 0;
      return all.every(isServed) && (any?.some(isServed) ?? true);
    },
    unavailableForMs: ({ all, any }, isLive) => {
      const waits = all.map((kind) => kindUnavailableForMs(kind, isLive));
      const choices = any?.map((kind) => kindUnavailableForMs(kind, isLive)) ?? [0];
      return Math.max(...waits, Math.min(...choices));
    },
    measure: () => {
      for (const { provider, limiter, calls } of seats.values()) {
        for (const [result, n] of calls) ctx.metrics.providerCalls.inc({ provider: provider.name, result }, n);
        calls.clear();
        const { current, limit } = limiter.inFlight();
        ctx.metrics.providerInFlight.set({ provider: provider.name }, current);
        ctx.metrics.providerInFlightLimit.set({ provider: provider.name }, limit);
      }
    },
    drain: () => {
      for (const s of seats.values()) s.limiter.drain();
    },
    close: () => listener.unlisten(),
  };
}

/** A signal that fires after the time-out, shared by the look-ups that begin within the same 50 ms: a timer each is dear for local answers. */
const DEADLINE_SLOT_MS = 50;

function openDeadlines(timeoutMs: number): () => AbortSignal {
  let begun = Number.NEGATIVE_INFINITY;
  let signal: AbortSignal;
  return () => {
    if (performance.now() - begun > DEADLINE_SLOT_MS) {
      begun = performance.now();
      signal = AbortSignal.timeout(timeoutMs + DEADLINE_SLOT_MS);
      setMaxListeners(0, signal);
    }
    return signal;
  };
}

function openBreaker(announce: (ms: number) => void): Breaker {
  const policy = circuitBreaker(
    handleWhen((error) => error instanceof ProviderFailure && error.scope === 'provider' && error.code !== 'rate_limited'),
    { halfOpenAfter: new IterableBackoff(BREAKER_OPEN_MS), breaker: new ConsecutiveBreaker(BREAKER_FAILURES) },
  );
  const breaker: Breaker = { policy, openUntil: 0 };
  let opened = 0;
  policy.onStateChange((state) => {
    if (state === CircuitState.Open) {
      const ms = BREAKER_OPEN_MS[Math.min(opened++, BREAKER_OPEN_MS.length - 1)]!;
      breaker.openUntil = performance.now() + ms;
      announce(ms);
    } else if (state === CircuitState.Closed) {
      opened = 0;
      breaker.openUntil = 0;
    }
  });
  return breaker;
}
