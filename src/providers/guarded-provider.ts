/** One provider behind its limiter and a breaker for each record kind. It asks the provider and learns from each answer how healthy it is. */
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
import {
  type Answer,
  type FailureCode,
  type Lookup,
  type Provider,
  ProviderFailure,
  type Receipt,
  type RecordKind,
} from '../checks/provider.ts';
import type { Context } from '../foundation/context.ts';
import { newId } from '../foundation/ids.ts';
import { announcePause, type Limiter, openLimiter, type Priority } from './limiter.ts';

/** One question to a vendor and its outcome. */
export interface Asked {
  id: string;
  provider: string;
  kind: RecordKind;
  tier: number;
  outcome: 'found' | 'not_found' | 'pending' | FailureCode | 'abandoned';
  latencyMs: number;
  costKobo: number;
  receipt: Receipt | null;
}

export interface Question extends Omit<Lookup, 'signal'> {
  priority: Priority;
  /** Longest wait for a pause. */
  waitMaxMs: number;
  /** On the clock of `performance.now()`: do not ask the provider after this. Undefined: no limit. */
  askUntil?: number | undefined;
  /** Called each time just before a vendor is asked, once the limiter has admitted the question. Throws to release its place. */
  onTurn?: (() => void) | undefined;
  /** Collects every question that goes to a vendor for this look-up. */
  trail?: Asked[] | undefined;
}

/** Another provider answered first. */
class Abandoned extends Error {}

export interface Seat {
  provider: Provider;
  limiter: Limiter;
  /** Throws `ProviderFailure`, `PausedError`, `BrokenCircuitError`, or `Abandoned` once `abandon` fires. */
  lookup(question: Question, abandon?: AbortSignal): Promise<Answer>;
  poll(ticket: string, question: Question): Promise<Answer>;
  unavailableForMs(kind: RecordKind): number;
  /** The breaker opened and has not closed again since. */
  isDown(kind: RecordKind): boolean;
  /** Share of recent failures, 0 to 1. */
  failing(kind: RecordKind): number;
  /** Takes over what another process announced about the provider or one of its kinds; 0 ms: it is well again. */
  heard(kind: RecordKind | undefined, ms: number, isWell: boolean): void;
  /** Updates its counters and gauges. */
  measure(): void;
}

/** Failures in a row after which a provider is left alone, and for how long. The times are short, so that it is used again soon after it recovers. */
const BREAKER_FAILURES = 8;
const BREAKER_OPEN_MS = [500, 1_000, 2_000, 3_000];
const FAILING_WEIGHT = 0.1;
/** Old failures fade: otherwise a provider that is asked last would never be found healthy again. */
const FAILING_HALF_LIFE_MS = 15_000;

interface Breaker {
  policy: CircuitBreakerPolicy;
  /** Until when it admits nobody (`performance.now()`), also when another process's breaker opened; 0 while closed. */
  openUntil: number;
  isDown: boolean;
  failing: number;
  failingAt: number;
}

export function openSeat(ctx: Context, provider: Provider): Seat {
  const { name } = provider;
  const limiter = openLimiter(ctx, name, provider.budget);
  const deadline = openDeadlines(provider.budget.timeoutMs);
  /** Calls by result since the counters were last updated. */
  const calls = new Map<string, number>();
  const count = (result: string) => calls.set(result, (calls.get(result) ?? 0) + 1);
  const announce = (kind: RecordKind, ms: number) =>
    announcePause(ctx.sql, `${name}/${kind}`, ms).catch((error) => ctx.log.error({ err: error }, 'could not announce an open breaker'));
  const breakers = new Map(
    (Object.keys(provider.serves) as RecordKind[]).map((kind) => [
      kind,
      openBreaker((ms) => {
        ctx.log.warn({ provider: name, kind, ms }, 'breaker opened');
        void announce(kind, ms);
      }),
    ]),
  );

  function learn(breaker: Breaker, kind: RecordKind, isFailure: boolean): void {
    if (!isFailure && breaker.failing === 0 && !breaker.isDown) return;
    breaker.failing = failingNow(breaker) * (1 - FAILING_WEIGHT) + (isFailure ? FAILING_WEIGHT : 0);
    breaker.failingAt = performance.now();
    if (isFailure || !breaker.isDown) return;
    breaker.isDown = false;
    breaker.openUntil = 0;
    ctx.log.info({ provider: name, kind }, 'provider has recovered');
    void announce(kind, 0);
  }

  async function ask(question: Question, put: (signal: AbortSignal) => Promise<Answer>, abandon?: AbortSignal): Promise<Answer> {
    const { kind, tier } = question;
    const breaker = breakers.get(kind)!;
    if (breaker.openUntil > performance.now()) throw new BrokenCircuitError();
    const release = await limiter.acquire(question.priority, question.waitMaxMs, question.askUntil);
    try {
      question.onTurn?.();
    } catch (error) {
      release('neutral');
      throw error;
    }
    const started = performance.now();
    const keep = (outcome: Asked['outcome'], receipt: Receipt | undefined) => {
      count(outcome);
      if (!provider.cost) return;
      const isAnswer = outcome === 'found' || outcome === 'not_found';
      const costKobo = isAnswer ? provider.cost(kind, tier, outcome === 'found') : 0;
      const latencyMs = Math.round(performance.now() - started);
      question.trail?.push({ id: newId(), provider: name, kind, tier, outcome, latencyMs, costKobo, receipt: receipt ?? null });
    };
    const signal = abandon ? AbortSignal.any([deadline(), abandon]) : deadline();
    try {
      const answer = await breaker.policy.execute(abandon ? () => unlessAbandoned(put(signal), abandon) : () => put(signal));
      release('clean', performance.now() - started);
      learn(breaker, kind, false);
      keep('pending' in answer ? 'pending' : answer.found ? 'found' : 'not_found', answer.receipt);
      return answer;
    } catch (error) {
      if (!(error instanceof ProviderFailure)) {
        release('neutral');
        if (error instanceof Abandoned) keep('abandoned', undefined);
        else count(error instanceof BrokenCircuitError ? 'breaker_open' : 'error');
        throw error;
      }
      const isProviders = error.scope === 'provider';
      release(isProviders ? 'overloaded' : 'neutral');
      if (isProviders && error.code !== 'rate_limited') learn(breaker, kind, true);
      keep(error.code, error.receipt);
      if (error.code === 'surprise') report(error, question);
      if (isProviders && (error.retryAfterMs || error.code === 'rate_limited')) await limiter.pause(error.retryAfterMs || null);
      throw error;
    } finally {
      ctx.metrics.providerSeconds.observe({ provider: name }, (performance.now() - started) / 1000);
    }
  }

  /** Logs the path and the violated rule, never a value. */
  function report({ detail, receipt }: ProviderFailure, { kind, reference }: Question): void {
    ctx.metrics.providerSurprises.inc({ provider: name, kind });
    ctx.log.error(
      { provider: name, kind, job: reference, detail, vendorReference: receipt?.reference },
      'a provider’s answer does not fit its documentation',
    );
  }

  /** A request that timed out may have been carried out: ask the vendor for its answer before anybody is asked anew. */
  async function reconciled(question: Question, failure: unknown): Promise<Answer> {
    const { reconcile } = provider;
    if (!reconcile || !(failure instanceof ProviderFailure) || failure.code !== 'timeout') throw failure;
    const isUnknown = new Error('the vendor never received it');
    try {
      return await ask(question, async (signal) => {
        const answer = await reconcile(lookupOf(question, signal));
        if (answer === null) throw isUnknown;
        return answer;
      });
    } catch {
      throw failure;
    }
  }

  return {
    provider,
    limiter,
    lookup(question, abandon) {
      const answer = ask(question, (signal) => provider.lookup(lookupOf(question, signal)), abandon);
      return provider.reconcile ? answer.catch((error) => reconciled(question, error)) : answer;
    },
    poll: (ticket, question) => ask(question, (signal) => provider.poll!(ticket, lookupOf(question, signal))),
    unavailableForMs: (kind) => Math.max(0, limiter.pausedForMs(), breakers.get(kind)!.openUntil - performance.now()),
    isDown: (kind) => breakers.get(kind)!.isDown,
    failing: (kind) => failingNow(breakers.get(kind)!),
    heard(kind, ms, isWell) {
      const breaker = kind && breakers.get(kind);
      if (breaker) {
        breaker.isDown = !isWell;
        breaker.openUntil = isWell ? 0 : Math.max(breaker.openUntil, performance.now() + ms);
        // Our own breaker would wait for its own probe; disposing of an isolation closes it.
        if (isWell && breaker.policy.state !== CircuitState.Closed) breaker.policy.isolate().dispose();
      } else if (!kind) limiter.heardPause(isWell ? 0 : ms);
    },
    measure() {
      for (const [result, n] of calls) ctx.metrics.providerCalls.inc({ provider: name, result }, n);
      calls.clear();
      const { current, limit } = limiter.inFlight();
      ctx.metrics.providerInFlight.set({ provider: name, process: ctx.process }, current);
      ctx.metrics.providerInFlightLimit.set({ provider: name, process: ctx.process }, limit);
      if (provider.budget.requestsPerSecond !== null)
        ctx.metrics.providerRateLimit.set({ provider: name }, provider.budget.requestsPerSecond);
    },
  };
}

const lookupOf = ({ kind, tier, identifier, hints, pictures, asker, reference }: Question, signal: AbortSignal): Lookup => ({
  kind,
  tier,
  identifier,
  hints,
  pictures,
  asker: asker!,
  reference,
  signal,
});

/** Throws `Abandoned` if the question was abandoned, whatever the error was. */
async function unlessAbandoned(answer: Promise<Answer>, abandon: AbortSignal): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw abandon.aborted ? new Abandoned() : error;
  }
}

const failingNow = ({ failing, failingAt }: Breaker): number =>
  failing === 0 ? 0 : failing * 0.5 ** ((performance.now() - failingAt) / FAILING_HALF_LIFE_MS);

/** A signal that fires after the time-out, shared by the look-ups that begin within the same 50 ms: a timer for each is expensive for local answers. */
const DEADLINE_SLOT_MS = 50;

function openDeadlines(timeoutMs: number): () => AbortSignal {
  let begun = Number.NEGATIVE_INFINITY;
  let signal: AbortSignal;
  return () => {
    if (performance.now() - begun > DEADLINE_SLOT_MS) {
      begun = performance.now();
      signal = AbortSignal.timeout(timeoutMs + DEADLINE_SLOT_MS);
      setMaxListeners(0, signal);
      // Node 20 loses a time-out without listeners, even if somebody waits for a signal composed of it.
      signal.addEventListener('abort', () => {}, { once: true });
    }
    return signal;
  };
}

function openBreaker(announce: (ms: number) => void): Breaker {
  const policy = circuitBreaker(
    handleWhen((error) => error instanceof ProviderFailure && error.scope === 'provider' && error.code !== 'rate_limited'),
    { halfOpenAfter: new IterableBackoff(BREAKER_OPEN_MS), breaker: new ConsecutiveBreaker(BREAKER_FAILURES) },
  );
  const breaker: Breaker = { policy, openUntil: 0, isDown: false, failing: 0, failingAt: 0 };
  let opened = 0;
  policy.onStateChange((state) => {
    if (state === CircuitState.Open) {
      const ms = BREAKER_OPEN_MS[Math.min(opened++, BREAKER_OPEN_MS.length - 1)]!;
      breaker.openUntil = performance.now() + ms;
      breaker.isDown = true;
      announce(ms);
    } else if (state === CircuitState.Closed) opened = 0;
  });
  return breaker;
}
