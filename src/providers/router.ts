/**
 * Decides which provider answers a look-up: those of its record kind by order, weight and health. A failure of the provider moves on to the next one. If none
 * is left, the caller learns when it is worth asking again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BrokenCircuitError } from 'cockatiel';
import {
  type Answer,
  type Budget,
  type LookupResult,
  type Needs,
  type Provider,
  ProviderFailure,
  ProviderPending,
  ProviderUnavailable,
  type RecordKind,
  type Tiers,
  type VendorMessage,
} from '../checks/provider.ts';
import type { Context } from '../foundation/context.ts';
import type { Providers } from './configure.ts';
import { openSeat, type Question, type Seat } from './guarded-provider.ts';
import { announcePause, PAUSE_CHANNEL, PausedError } from './limiter.ts';
import { answerPending, dropPending, nextPollMs, type PendingKey, readPending, writePending } from './pending.ts';
import type { Route } from './upstreams.ts';

interface RoutedLookup extends Question {
  live: boolean;
  /** The cache key of the question: base64. */
  key: string;
}

export interface RoutedAnswer {
  result: LookupResult;
  provider: string;
  /** To be called once the result is stored; until then the result can be fetched again. */
  settled?: () => Promise<void>;
}

/** The state of the providers that somebody depends on. */
export interface Outlook {
  /** Nobody answers at the moment. */
  degraded: boolean;
  /** Until somebody is asked again; 0: now. */
  nextAttemptMs: number;
}

export interface Router {
  /** Throws `ProviderFailure` (asked, no answer), `ProviderUnavailable` (nobody to ask now) or `ProviderPending` (asked, answers later). */
  lookup(request: RoutedLookup): Promise<RoutedAnswer>;
  configured(needs: Needs, live: boolean): boolean;
  /** The budgets of every provider that may be asked for any of it. */
  budgets(needs: Needs, live: boolean): Budget[];
  /** Why nobody can answer, as a sentence from a local engine. Null: somebody can. */
  unready(needs: Needs, live: boolean): string | null;
  /** Milliseconds until everything needed can be asked for; 0: now. */
  unavailableForMs(needs: Needs, live: boolean): number;
  outlook(needs: Needs, live: boolean): Outlook;
  /** Is there such a live provider, and does it send messages? */
  takesMessages(provider: string): boolean;
  /** Handles a message of a provider that sends them. `forged`: its signature is wrong. */
  receive(provider: string, message: VendorMessage): Promise<'kept' | 'nobody_waits' | 'forged'>;
  /** Lifts a pause, in every process. False: there is no such live provider. */
  resume(provider: string): Promise<boolean>;
  /** The live providers and the current state of each of their kinds. */
  providers(): { provider: Provider; kinds: { kind: RecordKind; down: boolean; pausedForMs: number }[] }[];
  /** Updates the providers' counters and gauges; call it before reading them. */
  measure(): void;
  /** Rejects batch look-ups that have not begun; for a worker that stops. */
  drain(): void;
  close(): Promise<void>;
}

/** A provider that has failed more often than this lately is asked after the others. */
const FAILING_MAX = 0.5;
/** A longer pause is more than a vendor's rate limit: a batch that waits for it is reported as degraded. */
const LONG_PAUSE_MS = 5_000;

export async function openRouter(ctx: Context, { live, test, routes = {} }: Providers): Promise<Router> {
  const seats = new Map<string, Seat>();
  const seat = (provider: Provider): Seat => {
    const made = seats.get(provider.name) ?? openSeat(ctx, provider);
    seats.set(provider.name, made);
    return made;
  };
  const order = { live: live.map(seat), test: test.map(seat) };
  const known = new Map<string, Seat[]>();
  /** The providers of a kind that can answer the tier, in the order of its route. */
  const candidates = (kind: RecordKind, tier: number, isLive: boolean): Seat[] => {
    const name = `${kind}${tier}${isLive}`;
    const found = known.get(name);
    if (found) return found;
    const route = isLive ? routes[kind] : undefined;
    const all = route ? route.choices.map((choice) => seats.get(choice.provider)!) : isLive ? order.live : order.test;
    const able = all.filter((s) => (s.provider.serves[kind] ?? 0) >= tier);
    known.set(name, able);
    return able;
  };

  /** `name` is a provider's, or `provider/kind` for one of its breakers. */
  const heard = (name: string, ms: number, isWell: boolean) => {
    const [provider, kind] = name.split('/') as [string, RecordKind | undefined];
    seats.get(provider)?.heard(kind, ms, isWell);
    ctx.metrics.providerPaused.set({ provider: name }, isWell ? 0 : 1);
    if (kind || isWell) return;
    const over = () => !seats.get(provider)?.limiter.pausedForMs() && ctx.metrics.providerPaused.set({ provider: name }, 0);
    setTimeout(over, ms + 100).unref();
  };
  const listener = await ctx.sql.listen(PAUSE_CHANNEL, (payload) => {
    const { name, ms } = JSON.parse(payload) as { name: string; ms: number };
    heard(name, ms, ms === 0);
  });
  const troubled = await ctx.sql<{ name: string; ms: number }[]>`
    select name, greatest(0, extract(epoch from paused_until - now())::float8 * 1000) as ms from provider_states
    where paused_until > now() or (degraded_since is not null and name like '%/%')`;
  for (const { name, ms } of troubled) heard(name, ms, false);

  /** The order in which to ask now: by weight if there are weights, with unwell providers last. */
  function ranked(chosen: Seat[], { kind, live: isLive }: RoutedLookup): Seat[] {
    if (chosen.length < 2) return chosen;
    const route = isLive ? routes[kind] : undefined;
    const drawn = route?.choices.some(({ weight }) => weight !== null) ? drawByWeight(chosen, route) : chosen;
    const unwell = (s: Seat) => Number(s.unavailableForMs(kind) > 0) * 2 + Number(s.failing(kind) > FAILING_MAX);
    return drawn.toSorted((a, b) => unwell(a) - unwell(b));
  }

  async function askInTurn(chosen: Seat[], question: Question, abandon?: AbortSignal): Promise<{ answer: Answer; seat: Seat }> {
    let failure: ProviderFailure | null = null;
    for (const s of chosen) {
      try {
        return { answer: await s.lookup(question, abandon), seat: s };
      } catch (error) {
        if (error instanceof ProviderFailure) {
          // A retryable failure outranks a final one: the job is tried again for it.
          if (!failure?.retryable || !error.elsewhere) failure = error;
          if (!error.elsewhere) break;
        } else if (!(error instanceof PausedError || error instanceof BrokenCircuitError)) throw error;
      }
    }
    if (failure) throw failure;
    const waits = chosen.map((s) => s.unavailableForMs(question.kind));
    throw new ProviderUnavailable(Math.max(100, Math.ceil(Math.min(...waits))));
  }

  /** Asks the next provider too if the first takes too long. The first answer counts, and the other question is abandoned. */
  async function askHedged([first, ...others]: Seat[], question: Question, hedgeAfterMs: number): Promise<{ answer: Answer; seat: Seat }> {
    const answered = new AbortController();
    const asked = askInTurn([first!], question, answered.signal);
    const timer = new AbortController();
    const late = sleep(hedgeAfterMs, null, { signal: timer.signal });
    try {
      const early = await Promise.race([asked, late]);
      if (early) return early;
    } catch (error) {
      if (error instanceof ProviderFailure && !error.elsewhere) throw error;
      return await askInTurn(others, question);
    } finally {
      timer.abort();
    }
    const both = [asked, askInTurn(others, question, answered.signal)];
    try {
      return await Promise.any(both);
    } catch {
      return await asked;
    } finally {
      answered.abort();
      await Promise.allSettled(both);
    }
  }

  /** Stores a pending question and throws `ProviderPending`. */
  async function postpone(key: PendingKey, seat: Seat, answer: { pending: string; askAgainMs: number }, jobId: string): Promise<never> {
    await writePending(ctx, key, { provider: seat.provider.name, ticket: answer.pending }, jobId);
    throw new ProviderPending(answer.askAgainMs);
  }

  /** Continues a question that is already pending; null: there is none. */
  async function takeUp(request: RoutedLookup): Promise<RoutedAnswer | null> {
    const known = await readPending(ctx, request);
    const s = known && seats.get(known.provider);
    if (!known || !s) return null;
    const settled = () => dropPending(ctx, request);
    if (known.answer) return { result: known.answer, provider: known.provider, settled };
    const answer = await s.poll(known.ticket, request).catch(async (error: unknown) => {
      if (error instanceof PausedError || error instanceof BrokenCircuitError)
        throw new ProviderUnavailable(Math.max(100, s.unavailableForMs(request.kind)));
      // The vendor has decided. The next attempt asks it anew, or another provider.
      if (error instanceof ProviderFailure && (error.ended || !error.retryable)) await settled();
      throw error;
    });
    if ('pending' in answer) throw new ProviderPending(nextPollMs(answer.askAgainMs, known.ageMs));
    return { result: answer, provider: known.provider, settled };
  }

  const worst = (waits: number[]) => Math.max(0, ...waits);
  const best = (waits: number[]) => (waits.length === 0 ? 0 : Math.min(...waits));
  /** The worst over everything needed; of alternatives the best counts. */
  const reckon = ({ all, any }: Needs, rate: (kind: RecordKind, tier: number) => number): number => {
    const rates = (tiers: Tiers) => (Object.entries(tiers) as [RecordKind, number][]).map(([kind, tier]) => rate(kind, tier));
    return Math.max(worst(rates(all)), any ? best(rates(any)) : 0);
  };
  const unavailableForMs = (needs: Needs, isLive: boolean) =>
    reckon(needs, (kind, tier) => best(candidates(kind, tier, isLive).map((s) => s.unavailableForMs(kind))));

  return {
    async lookup(request) {
      const { kind, tier, live: isLive } = request;
      const chosen = candidates(kind, tier, isLive);
      if (chosen.length === 0) throw new ProviderFailure('not_configured');
      const pending = chosen.some((s) => s.provider.poll) ? await takeUp(request) : null;
      if (pending) return pending;
      const turn = ranked(chosen, request);
      const hedgeAfterMs = isLive ? routes[kind]?.hedgeAfterMs : null;
      const { answer, seat: s } =
        hedgeAfterMs && turn.length > 1 ? await askHedged(turn, request, hedgeAfterMs) : await askInTurn(turn, request);
      if ('pending' in answer) return postpone(request, s, answer, request.reference);
      return { result: answer, provider: s.provider.name };
    },
    configured(needs, isLive) {
      const isServed = ([kind, tier]: [string, number]) => candidates(kind as RecordKind, tier, isLive).length > 0;
      return Object.entries(needs.all).every(isServed) && (!needs.any || Object.entries(needs.any).some(isServed));
    },
    budgets: ({ all, any }, isLive) =>
      Object.entries({ ...all, ...any }).flatMap(([kind, tier]) =>
        candidates(kind as RecordKind, tier, isLive).map((s) => s.provider.budget),
      ),
    unready(needs, isLive) {
      for (const [kind, tier] of Object.entries(needs.all)) {
        const reasons = candidates(kind as RecordKind, tier, isLive).map((s) => s.provider.unready?.() ?? null);
        const [first] = reasons;
        if (first && reasons.every((reason) => reason !== null)) return first;
      }
      return null;
    },
    unavailableForMs,
    outlook(needs, isLive) {
      const isUnwell = (s: Seat, kind: RecordKind) =>
        s.isDown(kind) || s.limiter.pausedForMs() > LONG_PAUSE_MS || (s.provider.unready?.() ?? null) !== null;
      const degraded = reckon(needs, (kind, tier) => Number(candidates(kind, tier, isLive).every((s) => isUnwell(s, kind)))) > 0;
      return { degraded, nextAttemptMs: degraded ? unavailableForMs(needs, isLive) : 0 };
    },
    takesMessages: (name) => live.some((one) => one.name === name && one.receive !== undefined),
    async receive(name, message) {
      const received = await live.find((one) => one.name === name)!.receive!(message);
      if (!received) return 'forged';
      return (await answerPending(ctx, name, received.ticket, received.answer)) ? 'kept' : 'nobody_waits';
    },
    async resume(name) {
      if (!live.some((one) => one.name === name)) return false;
      await announcePause(ctx.sql, name, 0);
      return true;
    },
    providers: () =>
      order.live.map((s) => ({
        provider: s.provider,
        kinds: (Object.keys(s.provider.serves) as RecordKind[]).map((kind) => ({
          kind,
          down: s.isDown(kind),
          pausedForMs: Math.round(s.unavailableForMs(kind)),
        })),
      })),
    measure() {
      for (const s of seats.values()) s.measure();
    },
    drain: () => {
      for (const s of seats.values()) s.limiter.drain();
    },
    async close() {
      await listener.unlisten();
      await Promise.all([...seats.values()].map((s) => s.provider.close?.()));
    },
  };
}

/** A random order in which weights set the odds; a provider without a weight counts as 1. */
function drawByWeight(chosen: Seat[], { choices }: Route): Seat[] {
  const weightOf = new Map(choices.map(({ provider, weight }) => [provider, weight ?? 1]));
  return chosen
    .map((s) => ({ s, draw: -Math.log(1 - Math.random()) / weightOf.get(s.provider.name)! }))
    .toSorted((a, b) => a.draw - b.draw)
    .map(({ s }) => s);
}
