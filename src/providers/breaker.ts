/** The breaker of one record kind of a provider. It leaves the provider alone after failures in a row, and remembers how often it has failed lately. */
import { type CircuitBreakerPolicy, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen, IterableBackoff } from 'cockatiel';
import { ProviderFailure } from '../checks/provider.ts';

/** Failures in a row after which a provider is left alone, and for how long. The times are short, so that it is used again soon after it recovers. */
const BREAKER_FAILURES = 8;
const BREAKER_OPEN_MS = [500, 1_000, 2_000, 3_000];
const FAILING_WEIGHT = 0.1;
/** Old failures fade: otherwise a provider that is asked last would never be found healthy again. */
const FAILING_HALF_LIFE_MS = 15_000;

interface BreakerEvents {
  opened(ms: number): void;
  /** The first answer after it had opened. */
  recovered(): void;
}

export class Breaker {
  readonly policy: CircuitBreakerPolicy;
  /** It opened and has not closed again since. */
  isDown = false;
  /** Until this time (`performance.now()`) it admits nobody, also because another process's breaker opened; 0 while closed. */
  private openUntil = 0;
  /** Share of recent failures at `failingAt`. */
  private failingThen = 0;
  private failingAt = 0;
  private readonly events: BreakerEvents;

  constructor(events: BreakerEvents) {
    this.events = events;
    this.policy = circuitBreaker(
      handleWhen((error) => error instanceof ProviderFailure && error.scope === 'provider' && error.code !== 'rate_limited'),
      { halfOpenAfter: new IterableBackoff(BREAKER_OPEN_MS), breaker: new ConsecutiveBreaker(BREAKER_FAILURES) },
    );
    let opened = 0;
    this.policy.onStateChange((state) => {
      if (state === CircuitState.Open) this.open(BREAKER_OPEN_MS[Math.min(opened++, BREAKER_OPEN_MS.length - 1)]!);
      else if (state === CircuitState.Closed) opened = 0;
    });
  }

  /** Milliseconds until it admits somebody; 0 or less: now. */
  openForMs(): number {
    return this.openUntil - performance.now();
  }

  /** Share of recent failures, 0 to 1. */
  failing(): number {
    if (this.failingThen === 0) return 0;
    return this.failingThen * 0.5 ** ((performance.now() - this.failingAt) / FAILING_HALF_LIFE_MS);
  }

  learn(isFailure: boolean): void {
    if (!isFailure && this.failingThen === 0 && !this.isDown) return;
    this.failingThen = this.failing() * (1 - FAILING_WEIGHT) + (isFailure ? FAILING_WEIGHT : 0);
    this.failingAt = performance.now();
    if (isFailure || !this.isDown) return;
    this.isDown = false;
    this.openUntil = 0;
    this.events.recovered();
  }

  /** Takes over the state of another process's breaker. */
  heard(ms: number, isWell: boolean): void {
    this.isDown = !isWell;
    this.openUntil = isWell ? 0 : Math.max(this.openUntil, performance.now() + ms);
    // Our own breaker would wait for its own probe; disposing of an isolation closes it.
    if (isWell && this.policy.state !== CircuitState.Closed) this.policy.isolate().dispose();
  }

  private open(ms: number): void {
    this.openUntil = performance.now() + ms;
    this.isDown = true;
    this.events.opened(ms);
  }
}
