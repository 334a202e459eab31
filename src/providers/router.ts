/**
 * Decides which provider answers a look-up: those of its record kind by order, weight and health. A failure of the provider moves on to the next one. If none
 * is left, the caller learns when it is worth asking again.
 */
import type { WeightOf } from '../access/fair-queue.ts';
import { type LookupResult, type Provider, ProviderFailure, type RecordKind, type VendorMessage } from '../checks/provider.ts';
import type { Context } from '../foundation/context.ts';
import type { Providers } from './configure.ts';
import { hearPauses } from './heard-pauses.ts';
import { askHedged, askInTurn } from './hedging.ts';
import { announcePause } from './limiter.ts';
import { answerPending } from './pending.ts';
import { type PostponableQuestion, postpone, takeUp } from './postponing.ts';
import { openProspects, type Prospects } from './prospects.ts';
import { Roster } from './roster.ts';

interface RoutedLookup extends PostponableQuestion {
  live: boolean;
}

export interface RoutedAnswer {
  result: LookupResult;
  provider: string;
  /** Drops the question of a late answer. To be called once the result is stored; until then the result can be fetched again. */
  forget?: () => Promise<void>;
}

export interface Router extends Prospects {
  /** Throws `ProviderFailure` (asked, no answer), `ProviderUnavailable` (nobody to ask now) or `ProviderPending` (asked, answers later). */
  lookup(request: RoutedLookup): Promise<RoutedAnswer>;
  /** Whether there is such a live provider and it sends messages. */
  takesMessages(provider: string): boolean;
  /** Handles a message of a provider that sends them. `forged`: its signature is wrong. */
  receive(provider: string, message: VendorMessage): Promise<'kept' | 'nobody_waits' | 'forged'>;
  /** Leaves a provider alone for `ms`, in every process. A longer pause that is in force stays. False: there is no such live provider. */
  pause(provider: string, ms: number): Promise<boolean>;
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

/** `weightOf`: the apps' shares of a provider that is busy. */
export async function openRouter(ctx: Context, configured: Providers, weightOf: WeightOf = () => 1): Promise<Router> {
  const { live } = configured;
  const roster = new Roster(ctx, configured, weightOf);
  const { byName } = roster;
  const pauses = await hearPauses(ctx, byName);
  const announce = async (name: string, ms: number): Promise<boolean> => {
    const isLive = live.some((one) => one.name === name);
    if (isLive) await announcePause(ctx.sql, name, ms);
    return isLive;
  };

  return {
    ...openProspects(roster),
    lookup: (request) => lookup(ctx, roster, request),
    takesMessages: (name) => live.some((one) => one.name === name && one.receive !== undefined),
    async receive(name, message) {
      const received = await live.find((one) => one.name === name)!.receive!(message);
      if (!received) return 'forged';
      return (await answerPending(ctx, name, received.ticket, received.answer)) ? 'kept' : 'nobody_waits';
    },
    pause: announce,
    resume: (name) => announce(name, 0),
    providers: () =>
      roster.live.map((guarded) => ({
        provider: guarded.provider,
        kinds: (Object.keys(guarded.provider.serves) as RecordKind[]).map((kind) => ({
          kind,
          down: guarded.isDown(kind),
          pausedForMs: Math.round(guarded.unavailableForMs(kind)),
        })),
      })),
    measure() {
      for (const guarded of byName.values()) guarded.measure();
    },
    drain: () => {
      for (const guarded of byName.values()) guarded.limiter.drain();
    },
    async close() {
      await pauses.unlisten();
      await Promise.all([...byName.values()].map(({ provider }) => provider.close?.()));
    },
  };
}

async function lookup(ctx: Context, roster: Roster, request: RoutedLookup): Promise<RoutedAnswer> {
  const { kind, tier, live } = request;
  const chosen = roster.candidates(kind, tier, live);
  if (chosen.length === 0) throw new ProviderFailure('not_configured');
  const late = chosen.some(({ provider }) => provider.poll) ? await takeUp(ctx, request, roster.byName) : null;
  if (late) return late;
  const ranked = roster.ranked(chosen, kind, live);
  const hedgeAfterMs = roster.route(kind, live)?.hedgeAfterMs;
  const { answer, guarded } =
    hedgeAfterMs && ranked.length > 1 ? await askHedged(ranked, request, hedgeAfterMs) : await askInTurn(ranked, request);
  if ('pending' in answer) return postpone(ctx, request, guarded, answer);
  return { result: answer, provider: guarded.provider.name };
}
