/**
 * How many calls of one provider a process has in flight: as many as allowed, unless the provider fails or queues.
 *
 * Failures shrink the limit by a share (AIMD). Latency alone says nothing: a vendor whose answers take from 50 ms to a second is healthy, and one that has
 * become slower needs more calls in flight, not fewer. What distinguishes a queue from variance is how latency follows the load. So the limit is probed: for
 * one slot of time it changes by a known factor, and the latencies of that slot are compared with those of the slot before. By Little's law throughput is
 * calls in flight ÷ latency. If the vendor has room, latency stays and throughput follows the load (gradient 0); if calls queue at the vendor, latency
 * follows the load and throughput stays (gradient 1).
 *
 * Slots are multiples of a power of two on the wall clock, so that processes sharing a vendor change their load together. Mean latencies are compared, since
 * Little's law is about means; their spread decides how many answers a verdict takes.
 */

import { FailureLimit } from './failure-limit.ts';

export interface InFlightLimit {
  limit(): number;
  /** A call was sent, which makes `underWay` in flight. Pass the returned slot to `ended`. */
  sent(underWay: number): Slot;
  /** `latencyMs` of a clean end; undefined if it says nothing about the load. */
  ended(slot: Slot, outcome: Outcome, latencyMs?: number): void;
}

/** How a call ended: `overloaded` is the provider's fault, `neutral` says nothing about its health. */
export type Outcome = 'clean' | 'overloaded' | 'neutral';

/** Calls that were sent under the same limit. */
interface Slot {
  readonly from: number;
  /** Relative to the usual limit. */
  readonly factor: number;
  sent: number;
  /** Sum over the calls sent. */
  underWay: number;
  open: number;
  latencies: Latencies;
}

interface Latencies {
  count: number;
  sum: number;
  squares: number;
}

/** A vendor that only queues keeps this many calls: fewer would not make it faster. */
const QUEUEING_MIN = 4;

const SLOT_MS = { first: 1_000, min: 250, max: 128_000 };
/** A slot lasts as long as this many answers one after the other. */
const SLOT_LATENCIES = 1.5;
/** Slots from one probe to the next. A downward probe costs answers if all is well; an upward one costs none if calls queue. */
const PROBE_EVERY = { down: 16, up: 3, lower: 64 };
/** A downward probe multiplies the load by this: by `near` if latencies vary little, and by `nearer` if the slot is long as well. */
const PROBE = { far: 0.6, near: 0.8, nearer: 0.92 };
/** In a longer slot a probe costs many answers, and what else changes latencies for a moment counts for little. */
const LONG_SLOT_MS = 4_000;
/** A gradient beyond this is a queue; the others say how far the limit is from where the queue begins. */
const QUEUES = 0.5;
const HAS_ROOM = 0.25;
const ONLY_QUEUES = 0.85;
const COLLAPSES = 1.5;
/** This far from `QUEUES`, the load cannot be the cause. */
const IMPLAUSIBLE = 2;
/** The cap that probes allow, plus its square root: a vendor's places are free now and then. */
const headroom = (cap: number): number => cap + Math.sqrt(cap);
/** How many standard deviations a verdict's gradient is from `QUEUES` if it is really 0 or 1. */
const CERTAINTY = 3;
/** A deviation from the usual latency by this much triggers a probe at once. */
const UNUSUAL = Math.log(1.3);
const USUAL_WEIGHT = 0.125;
const SPREAD_WEIGHT = 0.2;
const SPREAD_MIN = 0.02;
const ANSWERS_MIN = 10;
/** Added to each latency: much of a shorter one is our own time. */
const OWN_MS = 5;

export const openInFlightLimit = (max: number, now: () => number): InFlightLimit => new ProbedLimit(max, now);

class ProbedLimit implements InFlightLimit {
  private readonly max: number;
  private readonly now: () => number;
  private readonly failures: FailureLimit;
  /** The limit that probes allow. */
  private cap: number;
  private slotMs = SLOT_MS.first;
  private slot = openSlot(0, 1);
  private pair: { usual: Slot; probe: Slot; until: number } | null = null;
  /** Probe in every other slot, in this direction. */
  private eager: 'down' | 'up' | null = 'down';
  private evidence = { weight: 0, sum: 0 };
  /** The limit has grown by more than was probed. */
  private hasLeapt = false;
  /** Answers since `listen` last examined them. */
  private heard = noLatencies();
  private usual = Number.NaN;
  private spread = 1;

  constructor(max: number, now: () => number) {
    this.max = max;
    this.now = now;
    this.cap = max;
    this.failures = new FailureLimit(max, now);
  }

  limit(): number {
    this.turn();
    return Math.max(1, Math.min(this.max, Math.floor(this.unprobed() * this.slot.factor)));
  }

  sent(underWay: number): Slot {
    this.turn();
    this.slot.sent++;
    this.slot.open++;
    this.slot.underWay += underWay;
    return this.slot;
  }

  ended(of: Slot, outcome: Outcome, latencyMs?: number): void {
    of.open--;
    if (outcome === 'clean') this.failures.clean();
    if (outcome === 'overloaded' && this.failures.failed(this.unprobed())) this.pair = null;
    if (outcome === 'clean' && latencyMs !== undefined) {
      add(of.latencies, latencyMs + OWN_MS);
      add(this.heard, latencyMs + OWN_MS);
    }
    this.turn();
  }

  private usualLimit(): number {
    return Math.min(this.max, headroom(this.cap));
  }

  /** The limit in slots that probe nothing. */
  private unprobed(): number {
    return Math.min(this.usualLimit(), this.failures.limit());
  }

  /** Begins the next slot if the current one has ended. */
  private turn(): void {
    const at = this.now();
    const { pair, slotMs } = this;
    if (pair && (at >= pair.until || (this.slot !== pair.probe && pair.usual.open + pair.probe.open === 0))) this.judge(pair);
    const ended = this.slot;
    if (at < ended.from + slotMs) return;
    const wasLast = at < ended.from + 2 * slotMs;
    if (this.heard.count >= ANSWERS_MIN && ended.factor === 1) this.listen(ended, at - ended.from);
    const from = at - (at % this.slotMs);
    const factor = wasLast && ended.factor === 1 && !this.pair ? this.factorAt(from / this.slotMs, ended) : 1;
    this.slot = openSlot(from, factor);
    if (factor !== 1) this.pair = { usual: ended, probe: this.slot, until: from + 3 * this.slotMs };
  }

  /** Updates the usual latency and its spread, and the slot length that a verdict needs. */
  private listen(ended: Slot, tookMs: number): void {
    const { usual, heard, slotMs } = this;
    const { mean, variation } = momentsOf(heard);
    this.spread = Math.max(SPREAD_MIN, Number.isNaN(usual) ? variation : this.spread + SPREAD_WEIGHT * (variation - this.spread));
    const away = Math.log(mean / usual);
    const isUnusual = Math.abs(away) > Math.max(UNUSUAL, (4 * this.spread) / Math.sqrt(heard.count));
    if (isUnusual && away > 0) this.eager = this.downwards();
    if (isUnusual && away < 0 && this.cap < this.max) this.eager ??= 'up';
    this.usual = Number.isNaN(usual) || isUnusual ? mean : usual + USUAL_WEIGHT * (mean - usual);
    this.heard = noLatencies();
    const answersWanted = ((CERTAINTY * this.spread) / (QUEUES * Math.log(PROBE.far))) ** 2;
    const wantedMs = Math.max(SLOT_LATENCIES * this.usual, (answersWanted / Math.max(ended.sent, 1)) * tookMs);
    const fittingMs = Math.min(SLOT_MS.max, SLOT_MS.min * 2 ** Math.max(0, Math.ceil(Math.log2(wantedMs / SLOT_MS.min))));
    // Not back and forth between two lengths: processes should agree.
    if (fittingMs > slotMs || fittingMs < slotMs / 2) this.slotMs = fittingMs;
  }

  /** The factor of the slot after `ended`, by its number. */
  private factorAt(index: number, ended: Slot): number {
    const { cap, eager } = this;
    const limit = this.usualLimit();
    // Too few calls teach nothing, nor does a limit that is recovering from failures.
    const isTooFew = ended.sent < ANSWERS_MIN || ended.underWay / ended.sent < 0.7 * limit;
    if (Number.isNaN(this.usual) || this.failures.limit() < limit || isTooFew) return 1;
    const isDue = (every: number) => index % every === every - 1;
    const isDown = cap >= this.max || eager === 'down' || (!eager && isDue(PROBE_EVERY.lower));
    if (!isDue(eager ? 2 : isDown ? PROBE_EVERY.down : PROBE_EVERY.up)) return 1;
    const enough = Math.exp((-CERTAINTY / QUEUES) * this.spread * Math.sqrt(2 / ended.sent));
    const near = this.slotMs > LONG_SLOT_MS ? PROBE.nearer : PROBE.near;
    const factor = Math.min(near, Math.max(PROBE.far, enough));
    return isDown ? (cap > QUEUEING_MIN ? factor : 1) : 1 / factor;
  }

  /** At the minimum a downward probe is pointless: only an upward one can show that the vendor has recovered. */
  private downwards(): 'down' | null {
    return this.cap > QUEUEING_MIN ? 'down' : null;
  }

  /** Compares a probe with the slot before it, and moves the limit once the evidence is certain. */
  private judge({ usual: before, probe }: { usual: Slot; probe: Slot }): void {
    this.pair = null;
    const [a, b] = [momentsOf(before.latencies), momentsOf(probe.latencies)];
    const load = Math.log(probe.underWay / probe.sent / (before.underWay / before.sent));
    const isEnough = Math.min(before.latencies.count, probe.latencies.count) >= ANSWERS_MIN;
    if (!isEnough || Math.abs(load) < 0.05 || load > 0 !== probe.factor > 1) {
      this.eager = null;
      return;
    }
    const one = Math.log(b.mean / a.mean) / load;
    // Something else has changed in the meantime.
    if (Math.abs(one - QUEUES) > IMPLAUSIBLE) return;
    const weight = (load / this.spread) ** 2 / (1 / before.latencies.count + 1 / probe.latencies.count);
    this.evidence = { weight: this.evidence.weight + weight, sum: this.evidence.sum + weight * one };
    const gradient = this.evidence.sum / this.evidence.weight;
    if (Math.max(QUEUES, Math.abs(gradient - QUEUES)) * Math.sqrt(this.evidence.weight) < CERTAINTY) {
      this.eager = load < 0 ? 'down' : 'up';
      return;
    }
    this.evidence = { weight: 0, sum: 0 };
    this.move(gradient, probe.factor);
  }

  private move(gradient: number, factor: number): void {
    const { cap, max } = this;
    const queues = gradient >= QUEUES;
    if (factor < 1) {
      if (queues) this.cap = Math.max(QUEUEING_MIN, cap * factor ** (gradient > COLLAPSES ? 2 : gradient > ONLY_QUEUES ? 1 : 0.5));
      this.eager = queues ? this.downwards() : this.cap < max && gradient < HAS_ROOM ? 'up' : null;
      this.hasLeapt = false;
    } else {
      const leaps = gradient < HAS_ROOM;
      if (gradient < ONLY_QUEUES) this.cap = Math.min(max, cap * factor ** (leaps ? 2 : queues ? 0.5 : 1));
      this.eager = queues || this.cap >= max ? (this.hasLeapt || leaps ? 'down' : null) : 'up';
      this.hasLeapt = leaps;
    }
  }
}

const openSlot = (from: number, factor: number): Slot => ({ from, factor, sent: 0, underWay: 0, open: 0, latencies: noLatencies() });

const noLatencies = (): Latencies => ({ count: 0, sum: 0, squares: 0 });

function add(latencies: Latencies, ms: number): void {
  latencies.count++;
  latencies.sum += ms;
  latencies.squares += ms * ms;
}

/** `variation`: standard deviation ÷ mean. */
function momentsOf({ count, sum, squares }: Latencies): { mean: number; variation: number } {
  const mean = sum / count;
  return { mean, variation: Math.sqrt(Math.max(0, squares / count - mean * mean)) / mean };
}
