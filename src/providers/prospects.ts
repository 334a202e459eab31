/** What a check can expect of its providers: whether any is configured, ready and well, and when it is worth asking. */
import { type Budget, type Needs, ProviderFailure, type RecordKind, type Tiers } from '../checks/provider.ts';
import type { GuardedProvider } from './guarded-provider.ts';
import type { Roster } from './roster.ts';

/** The state of the providers that a check depends on. */
interface Outlook {
  /** No provider answers at the moment. */
  degraded: boolean;
  /** Milliseconds until a provider is asked again; 0: now. */
  nextAttemptMs: number;
}

export interface Prospects {
  configured(needs: Needs, live: boolean): boolean;
  /** The budgets of every provider that may be asked for any of it. */
  budgets(needs: Needs, live: boolean): Budget[];
  /** Why no provider can answer, as a sentence from a local engine. Null: one can. */
  unready(needs: Needs, live: boolean): string | null;
  /** Ids of the watch lists that a screening may name. Null: any, because one of the providers does not say which lists it has. */
  watchLists(live: boolean): readonly string[] | null;
  /** Resolves once a provider of any of these kinds can answer. If none can, throws the `ProviderFailure` of one of them. */
  prepared(any: Tiers, live: boolean): Promise<void>;
  /** Milliseconds until everything needed can be asked for; 0: now. */
  unavailableForMs(needs: Needs, live: boolean): number;
  outlook(needs: Needs, live: boolean): Outlook;
}

/** A longer pause is more than a vendor's rate limit: a batch that waits for it is reported as degraded. */
const LONG_PAUSE_MS = 5_000;

export function openProspects(roster: Roster): Prospects {
  const unavailableForMs = (needs: Needs, isLive: boolean) => {
    const ms = reckon(needs, (kind, tier) => best(roster.candidates(kind, tier, isLive).map((guarded) => guarded.unavailableForMs(kind))));
    // No provider is configured, and waiting does not change that.
    return ms === Number.POSITIVE_INFINITY ? 0 : ms;
  };

  return {
    configured({ all, any }, isLive) {
      const isServed = ([kind, tier]: [RecordKind, number]) => roster.candidates(kind, tier, isLive).length > 0;
      return entriesOf(all).every(isServed) && (!any || entriesOf(any).some(isServed));
    },
    budgets: ({ all, any }, isLive) =>
      entriesOf({ ...all, ...any }).flatMap(([kind, tier]) => roster.candidates(kind, tier, isLive).map(({ provider }) => provider.budget)),
    unready(needs, isLive) {
      for (const [kind, tier] of entriesOf(needs.all)) {
        const reasons = roster.candidates(kind, tier, isLive).map(reasonOf);
        const [first] = reasons;
        if (first && reasons.every((reason) => reason !== null)) return first;
      }
      return null;
    },
    watchLists(isLive) {
      const lists = roster.candidates('aml', 1, isLive).map(({ provider }) => provider.watchLists);
      return lists.includes(undefined) ? null : lists.flatMap((known) => known!);
    },
    async prepared(any, isLive) {
      const candidates = entriesOf(any).flatMap(([kind, tier]) => roster.candidates(kind, tier, isLive));
      await Promise.any(candidates.map(async ({ provider }) => provider.prepared?.())).catch(({ errors }: AggregateError) => {
        throw errors[0] ?? new ProviderFailure('not_configured');
      });
    },
    unavailableForMs,
    outlook(needs, isLive) {
      const degraded =
        reckon(needs, (kind, tier) => Number(roster.candidates(kind, tier, isLive).every((guarded) => isUnwell(guarded, kind)))) > 0;
      return { degraded, nextAttemptMs: degraded ? unavailableForMs(needs, isLive) : 0 };
    },
  };
}

const entriesOf = (tiers: Tiers) => Object.entries(tiers) as [RecordKind, number][];

/** Why a local engine cannot answer; null: it can. */
const reasonOf = ({ provider }: GuardedProvider): string | null => provider.unready?.() ?? null;

const isUnwell = (guarded: GuardedProvider, kind: RecordKind): boolean =>
  guarded.isDown(kind) || guarded.limiter.pausedForMs() > LONG_PAUSE_MS || reasonOf(guarded) !== null;

/** The highest rate over everything needed; among alternatives, the lowest one counts. */
function reckon({ all, any }: Needs, rate: (kind: RecordKind, tier: number) => number): number {
  const rates = (tiers: Tiers) => entriesOf(tiers).map(([kind, tier]) => rate(kind, tier));
  return Math.max(worst(rates(all)), any ? best(rates(any)) : 0);
}

const worst = (waits: number[]) => Math.max(0, ...waits);
/** Infinity if there is none. */
const best = (waits: number[]) => Math.min(...waits);
