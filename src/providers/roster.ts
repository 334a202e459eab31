/** The providers of this process, each behind its limiter and breakers: who can answer a record kind, and in which order they are asked now. */
import type { WeightOf } from '../access/fair-queue.ts';
import type { Provider, RecordKind } from '../checks/provider.ts';
import type { Context } from '../foundation/context.ts';
import type { Providers } from './configure.ts';
import { GuardedProvider } from './guarded-provider.ts';
import type { Route, Routes } from './upstreams.ts';

/** A provider that has lately failed more often than this is asked after the others. */
const FAILING_MAX = 0.5;

export class Roster {
  readonly byName = new Map<string, GuardedProvider>();
  readonly live: readonly GuardedProvider[];
  private readonly test: readonly GuardedProvider[];
  private readonly routes: Routes;
  private readonly known = new Map<string, GuardedProvider[]>();

  constructor(ctx: Context, { live, test, routes = {} }: Providers, weightOf: WeightOf) {
    const guarded = (provider: Provider): GuardedProvider => {
      const made = this.byName.get(provider.name) ?? new GuardedProvider(ctx, provider, weightOf);
      this.byName.set(provider.name, made);
      return made;
    };
    this.live = live.map(guarded);
    this.test = test.map(guarded);
    this.routes = routes;
  }

  /** Null for a test key, and if no route is configured for the kind. */
  route(kind: RecordKind, isLive: boolean): Route | null {
    return (isLive && this.routes[kind]) || null;
  }

  /** The providers of a kind that can answer the tier, in the order of its route. */
  candidates(kind: RecordKind, tier: number, isLive: boolean): GuardedProvider[] {
    const name = `${kind}${tier}${isLive}`;
    const found = this.known.get(name);
    if (found) return found;
    const route = this.route(kind, isLive);
    const all = route ? route.choices.map((choice) => this.byName.get(choice.provider)!) : isLive ? this.live : this.test;
    const able = all.filter((guarded) => (guarded.provider.serves[kind] ?? 0) >= tier);
    this.known.set(name, able);
    return able;
  }

  /** The order in which to ask now: by weight if there are weights, with unwell providers last. */
  ranked(chosen: GuardedProvider[], kind: RecordKind, isLive: boolean): GuardedProvider[] {
    if (chosen.length < 2) return chosen;
    const route = this.route(kind, isLive);
    const drawn = route?.choices.some(({ weight }) => weight !== null) ? drawByWeight(chosen, route) : chosen;
    const unwell = (guarded: GuardedProvider) =>
      Number(guarded.unavailableForMs(kind) > 0) * 2 + Number(guarded.failing(kind) > FAILING_MAX);
    return drawn.toSorted((a, b) => unwell(a) - unwell(b));
  }
}

/** A random order in which weights set the odds; a provider without a weight counts as 1. */
function drawByWeight(chosen: GuardedProvider[], { choices }: Route): GuardedProvider[] {
  const weightOf = new Map(choices.map(({ provider, weight }) => [provider, weight ?? 1]));
  return chosen
    .map((guarded) => ({ guarded, draw: -Math.log(1 - Math.random()) / weightOf.get(guarded.provider.name)! }))
    .toSorted((a, b) => a.draw - b.draw)
    .map(({ guarded }) => guarded);
}
