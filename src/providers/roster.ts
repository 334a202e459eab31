/** The providers of this process, each behind its limiter and breakers: who can answer a record kind, and in which order they are asked now. */
import type { WeightOf } from '../access/fair-queue.ts';
import type { Provider, RecordKind } from '../checks/provider.ts';
import type { Context } from '../foundation/context.ts';
import type { Providers } from './configure.ts';
import { Seat } from './guarded-provider.ts';
import type { Route, Routes } from './upstreams.ts';

/** A provider that has lately failed more often than this is asked after the others. */
const FAILING_MAX = 0.5;

export class Roster {
  /** By the provider's name. */
  readonly seats = new Map<string, Seat>();
  readonly live: readonly Seat[];
  private readonly test: readonly Seat[];
  private readonly routes: Routes;
  private readonly known = new Map<string, Seat[]>();

  constructor(ctx: Context, { live, test, routes = {} }: Providers, weightOf: WeightOf) {
    const seat = (provider: Provider): Seat => {
      const made = this.seats.get(provider.name) ?? new Seat(ctx, provider, weightOf);
      this.seats.set(provider.name, made);
      return made;
    };
    this.live = live.map(seat);
    this.test = test.map(seat);
    this.routes = routes;
  }

  /** Null: with a test key, or if nobody has configured a route for the kind. */
  route(kind: RecordKind, isLive: boolean): Route | null {
    return (isLive && this.routes[kind]) || null;
  }

  /** The providers of a kind that can answer the tier, in the order of its route. */
  candidates(kind: RecordKind, tier: number, isLive: boolean): Seat[] {
    const name = `${kind}${tier}${isLive}`;
    const found = this.known.get(name);
    if (found) return found;
    const route = this.route(kind, isLive);
    const all = route ? route.choices.map((choice) => this.seats.get(choice.provider)!) : isLive ? this.live : this.test;
    const able = all.filter((seat) => (seat.provider.serves[kind] ?? 0) >= tier);
    this.known.set(name, able);
    return able;
  }

  /** The order in which to ask now: by weight if there are weights, with unwell providers last. */
  ranked(chosen: Seat[], kind: RecordKind, isLive: boolean): Seat[] {
    if (chosen.length < 2) return chosen;
    const route = this.route(kind, isLive);
    const drawn = route?.choices.some(({ weight }) => weight !== null) ? drawByWeight(chosen, route) : chosen;
    const unwell = (seat: Seat) => Number(seat.unavailableForMs(kind) > 0) * 2 + Number(seat.failing(kind) > FAILING_MAX);
    return drawn.toSorted((a, b) => unwell(a) - unwell(b));
  }
}

/** A random order in which weights set the odds; a provider without a weight counts as 1. */
function drawByWeight(chosen: Seat[], { choices }: Route): Seat[] {
  const weightOf = new Map(choices.map(({ provider, weight }) => [provider, weight ?? 1]));
  return chosen
    .map((seat) => ({ seat, draw: -Math.log(1 - Math.random()) / weightOf.get(seat.provider.name)! }))
    .toSorted((a, b) => a.draw - b.draw)
    .map(({ seat }) => seat);
}
