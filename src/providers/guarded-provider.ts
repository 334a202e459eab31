/** One provider behind its limiter and a breaker for each record kind. It asks the provider and learns from each answer how healthy it is. */
import { setMaxListeners } from 'node:events';
import { BrokenCircuitError } from 'cockatiel';
import type { WeightOf } from '../access/fair-queue.ts';
import {
  type Answer,
  type FailureCode,
  type Lookup,
  type LookupResult,
  type Provider,
  ProviderFailure,
  type Receipt,
  type RecordKind,
} from '../checks/provider.ts';
import type { Context } from '../foundation/context.ts';
import { newId, showId } from '../foundation/ids.ts';
import { Breaker } from './breaker.ts';
import { announcePause, type Limiter, openLimiter, orAborted, type Wanting } from './limiter.ts';
import { checkRecord } from './records.ts';

/** One question to a vendor and its outcome. */
export interface VendorLookup {
  id: string;
  provider: string;
  kind: RecordKind;
  tier: number;
  outcome: 'found' | 'not_found' | 'pending' | FailureCode | 'abandoned';
  latencyMs: number;
  costKobo: number;
  isHedge: boolean;
  receipt: Receipt | null;
}

export interface Question extends Omit<Lookup, 'signal'>, Omit<Wanting, 'appId' | 'abandon'> {
  /** Called each time just before a vendor is asked, once the limiter has admitted the question. Throws to release its place. */
  beforeAsking?: (() => void) | undefined;
  /** Asked because another provider is slow with the same look-up. */
  isHedge?: boolean;
  /** Collects every question that goes to a vendor for this look-up. */
  trail?: VendorLookup[] | undefined;
}

/** Another provider answered first. */
export class Abandoned extends Error {}

export class GuardedProvider {
  readonly provider: Provider;
  readonly limiter: Limiter;
  private readonly ctx: Context;
  private readonly deadline: () => Deadline;
  private readonly breakers: ReadonlyMap<RecordKind, Breaker>;
  /** Calls by result since the counters were last updated. */
  private readonly calls = new Map<string, number>();

  constructor(ctx: Context, provider: Provider, weightOf: WeightOf) {
    this.ctx = ctx;
    this.provider = provider;
    this.limiter = openLimiter(ctx, provider.name, provider.budget, { weightOf });
    this.deadline = openDeadlines(provider.budget.timeoutMs);
    const kinds = Object.keys(provider.serves) as RecordKind[];
    this.breakers = new Map(kinds.map((kind) => [kind, this.openBreaker(kind)]));
  }

  /** Throws `ProviderFailure`, `PausedError`, `BrokenCircuitError`, or the reason of `abandon` (`Abandoned`) as soon as it fires. */
  lookup(question: Question, abandon?: AbortSignal): Promise<Answer> {
    const { provider } = this;
    const answer = this.ask(question, (signal) => provider.lookup(lookupOf(question, signal)), abandon);
    return provider.reconcile ? answer.catch((error) => this.reconciled(question, error, abandon)) : answer;
  }

  poll(ticket: string, question: Question): Promise<Answer> {
    return this.ask(question, (signal) => this.provider.poll!(ticket, lookupOf(question, signal)));
  }

  /** Takes an answer that the vendor sent unasked: it is checked, recorded and reported like one to a poll. */
  async accept(answer: LookupResult & { receipt?: Receipt }, question: Question): Promise<LookupResult & { receipt?: Receipt }> {
    const started = performance.now();
    try {
      checkRecord(question, answer, answer.receipt);
    } catch (error) {
      if (error instanceof ProviderFailure) await this.learnFailure(error, question, started);
      throw error;
    }
    this.learnAnswer(answer, question, started);
    return answer;
  }

  unavailableForMs(kind: RecordKind): number {
    return Math.max(0, this.limiter.pausedForMs(), this.breakers.get(kind)!.openForMs());
  }

  /** The breaker opened and has not closed again since. */
  isDown(kind: RecordKind): boolean {
    return this.breakers.get(kind)!.isDown;
  }

  /** Share of recent failures, 0 to 1. */
  failing(kind: RecordKind): number {
    return this.breakers.get(kind)!.failing();
  }

  /** Takes over what another process announced about the provider or one of its kinds; 0 ms: it is well again. */
  heard(kind: RecordKind | undefined, ms: number, isWell: boolean): void {
    if (kind) this.breakers.get(kind)?.heard(ms, isWell);
    else this.limiter.heardPause(isWell ? 0 : ms);
  }

  /** Updates its counters and gauges. */
  measure(): void {
    const { metrics, process } = this.ctx;
    const { name, budget } = this.provider;
    for (const [result, n] of this.calls) metrics.providerCalls.inc({ provider: name, result }, n);
    this.calls.clear();
    const { current, limit } = this.limiter.inFlight();
    metrics.providerInFlight.set({ provider: name, process }, current);
    metrics.providerInFlightLimit.set({ provider: name, process }, limit);
    if (budget.requestsPerSecond !== null) metrics.providerRateLimit.set({ provider: name }, budget.requestsPerSecond);
  }

  private openBreaker(kind: RecordKind): Breaker {
    const { log, sql } = this.ctx;
    const { name } = this.provider;
    const announce = (ms: number) =>
      void announcePause(sql, `${name}/${kind}`, ms).catch((error) => log.error({ err: error }, 'could not announce an open breaker'));
    return new Breaker({
      opened(ms) {
        log.warn({ provider: name, kind, ms }, 'breaker opened');
        announce(ms);
      },
      recovered() {
        log.info({ provider: name, kind }, 'provider has recovered');
        announce(0);
      },
    });
  }

  private async ask(question: Question, put: (signal: AbortSignal) => Promise<Answer>, abandon?: AbortSignal): Promise<Answer> {
    const breaker = this.breakers.get(question.kind)!;
    if (breaker.openForMs() > 0) throw new BrokenCircuitError();
    const { priority, waitMaxMs, askUntil, asker, client } = question;
    const release = await this.limiter.acquire({ priority, waitMaxMs, askUntil, appId: asker?.appId, client, abandon });
    try {
      abandon?.throwIfAborted();
      question.beforeAsking?.();
    } catch (error) {
      release('neutral');
      throw error;
    }
    const started = performance.now();
    const deadline = this.deadline();
    const signal = abandon ? AbortSignal.any([deadline.signal, abandon]) : deadline.signal;
    try {
      const answer = await breaker.policy.execute(() => orAborted(inTime(put(signal), deadline), abandon));
      release('clean', performance.now() - started);
      breaker.learn(false);
      this.learnAnswer(answer, question, started);
      return answer;
    } catch (error) {
      if (error instanceof ProviderFailure) {
        release(error.scope === 'provider' ? 'overloaded' : 'neutral');
        await this.learnFailure(error, question, started);
      } else {
        release('neutral');
        if (error instanceof Abandoned) this.keep(question, started, 'abandoned', undefined);
        else this.count(error instanceof BrokenCircuitError ? 'breaker_open' : 'error');
      }
      throw error;
    } finally {
      this.ctx.metrics.providerSeconds.observe({ provider: this.provider.name }, (performance.now() - started) / 1000);
    }
  }

  private learnAnswer(answer: Answer, question: Question, started: number): void {
    forgetSubject(answer.receipt, question);
    this.keep(question, started, 'pending' in answer ? 'pending' : answer.found ? 'found' : 'not_found', answer.receipt);
  }

  private async learnFailure(failure: ProviderFailure, question: Question, started: number): Promise<void> {
    const { code, retryAfterMs, receipt } = failure;
    forgetSubject(receipt, question);
    const isProviders = failure.scope === 'provider';
    if (isProviders && code !== 'rate_limited') this.breakers.get(question.kind)!.learn(true);
    this.keep(question, started, code, receipt);
    if (code === 'surprise') this.report(failure, question);
    if (isProviders && (retryAfterMs || code === 'rate_limited')) await this.limiter.pause(retryAfterMs || null);
  }

  /** Counts a question that the vendor was asked, and adds it to the trail of its look-up. */
  private keep(
    { kind, tier, trail, isHedge = false }: Question,
    started: number,
    outcome: VendorLookup['outcome'],
    receipt: Receipt | undefined,
  ): void {
    this.count(outcome);
    const { provider } = this;
    if (!provider.cost) return;
    const isAnswer = outcome === 'found' || outcome === 'not_found';
    const costKobo = isAnswer ? provider.cost(kind, tier, outcome === 'found') : 0;
    const latencyMs = Math.round(performance.now() - started);
    trail?.push({ id: newId(), provider: provider.name, kind, tier, outcome, latencyMs, costKobo, isHedge, receipt: receipt ?? null });
  }

  private count(result: string): void {
    this.calls.set(result, (this.calls.get(result) ?? 0) + 1);
  }

  /** Logs the path and the violated rule, never a value. */
  private report({ detail, receipt }: ProviderFailure, { kind, reference }: Question): void {
    const { metrics, log } = this.ctx;
    const { name } = this.provider;
    metrics.providerSurprises.inc({ provider: name, kind });
    log.error(
      { provider: name, kind, job: showId('job', reference), detail, vendorReference: receipt?.reference },
      'a provider’s answer does not fit its documentation',
    );
  }

  /** A request that timed out may have been carried out: ask the vendor for its answer before asking anybody again. */
  private async reconciled(question: Question, failure: unknown, abandon?: AbortSignal): Promise<Answer> {
    const { reconcile } = this.provider;
    if (!reconcile || !(failure instanceof ProviderFailure) || failure.code !== 'timeout') throw failure;
    const neverReceived = new Error('the vendor never received it');
    try {
      return await this.ask(
        question,
        async (signal) => {
          const answer = await reconcile(lookupOf(question, signal));
          if (answer === null) throw neverReceived;
          return answer;
        },
        abandon,
      );
    } catch {
      throw failure;
    }
  }
}

/** Receipts are stored and logged in the clear, and some vendors make their codes or references of what they were asked. */
function forgetSubject(receipt: Receipt | undefined, { identifier, hints: { firstName, lastName, dateOfBirth } }: Question): void {
  if (!receipt) return;
  const [http] = receipt.status.split(' ');
  // The end of a number is the same with and without its country or registry.
  const asked = [identifier, firstName, lastName, dateOfBirth].map((text) => plain(text ?? '').slice(-NEEDLE_MAX)).filter(isTelling);
  const names = (text: string) => asked.some((needle) => plain(text).includes(needle));
  if (names(receipt.status)) receipt.status = http!;
  if (receipt.reference && names(receipt.reference)) receipt.reference = null;
}

const NEEDLE_MAX = 10;
/** Shorter ones occur in any reference by chance. */
const isTelling = ({ length }: string): boolean => length >= 5;
const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

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

/** Shared by the look-ups that begin within the same 50 ms: a timer for each is expensive for local answers. */
interface Deadline {
  /** Fires after the time-out. */
  signal: AbortSignal;
  /** Gives up the look-ups that have not ended `END_MS` later. */
  open: Set<() => void>;
}

const DEADLINE_SLOT_MS = 50;
/** Time to end once the signal has fired: a provider may still say why it is late, or answer with what it has. */
const END_MS = 1_000;

function openDeadlines(timeoutMs: number): () => Deadline {
  let begun = Number.NEGATIVE_INFINITY;
  let deadline: Deadline;
  return () => {
    if (performance.now() - begun > DEADLINE_SLOT_MS) {
      begun = performance.now();
      const signal = AbortSignal.timeout(timeoutMs + DEADLINE_SLOT_MS);
      const open = new Set<() => void>();
      setMaxListeners(0, signal);
      const end = () => {
        for (const giveUp of open) giveUp();
      };
      // Node 20 loses a time-out without listeners, even if somebody waits for a signal composed of it.
      signal.addEventListener('abort', () => setTimeout(end, END_MS).unref(), { once: true });
      deadline = { signal, open };
    }
    return deadline;
  };
}

/** Ends the question of a provider that ignores its signal. */
function inTime(answer: Promise<Answer>, { open }: Deadline): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new ProviderFailure('timeout'));
    open.add(giveUp);
    answer.then(resolve, reject).finally(() => open.delete(giveUp));
  });
}
