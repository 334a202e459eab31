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

/** Three tenths less on overload, at most this often, so that one burst of failures counts once. */
const DECREASE = 0.7;
const DECREASE_EVERY_MS = 500;
/** Good vendors fail this often too, so it shrinks nothing. */
const FAILING_MAX = 0.1;
const FAILING_WEIGHT = 0.05;
/** Above the level that worked before failures, the limit grows by this share a round. */
const GROWTH = 0.05;
/** A vendor that only queues keeps this many calls: fewer would not make it faster. */
const QUEUEING_MIN = 4;

const SLOT_MS = { first: 1_000, min: 250, max: 128_000 };
/** A slot lasts as long as this many answers one after the other. */
const SLOT_LATENCIES = 1.5;
/** Slots from one probe to the next. A downward probe costs answers if all is well; an upward one costs none if calls queue. */
const PROBE_EVERY = { down: 16, up: 3, lower: 64 };
/** A downward probe multiplies the load by this: by `near` if latencies vary little, and by `nearer` if besides the slot is long. */
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

export function openInFlightLimit(max: number, now: () => number): InFlightLimit {
  const failures = openFailureLimit(max, now);
  /** The limit that probes allow. */
  let cap = max;
  let slotMs = SLOT_MS.first;
  let slot = openSlot(0, 1);
  let pair: { usual: Slot; probe: Slot; until: number } | null = null;
  /** Probe in every other slot, in this direction. */
  let eager: 'down' | 'up' | null = 'down';
  let evidence = { weight: 0, sum: 0 };
  /** The limit has grown by more than was probed. */
  let hasLeapt = false;
  /** Answers since `listen` last examined them. */
  let heard = noLatencies();
  let usual = Number.NaN;
  let spread = 1;

  const usualLimit = () => Math.min(max, headroom(cap));

  function turn(): void {
    const at = now();
    if (pair && (at >= pair.until || (slot !== pair.probe && pair.usual.open + pair.probe.open === 0))) judge(pair);
    if (at < slot.from + slotMs) return;
    const ended = slot;
    const wasLast = at < ended.from + 2 * slotMs;
    if (heard.count >= ANSWERS_MIN && ended.factor === 1) listen(ended, at - ended.from);
    const from = at - (at % slotMs);
    const factor = wasLast && ended.factor === 1 && !pair ? factorAt(from / slotMs, ended) : 1;
    slot = openSlot(from, factor);
    if (factor !== 1) pair = { usual: ended, probe: slot, until: from + 3 * slotMs };
  }

  /** Updates the usual latency and its spread, and the slot length that a verdict needs. */
  function listen(ended: Slot, tookMs: number): void {
    const { mean, variation } = momentsOf(heard);
    spread = Math.max(SPREAD_MIN, Number.isNaN(usual) ? variation : spread + SPREAD_WEIGHT * (variation - spread));
    const away = Math.log(mean / usual);
    const isUnusual = Math.abs(away) > Math.max(UNUSUAL, (4 * spread) / Math.sqrt(heard.count));
    if (isUnusual && away > 0) eager = 'down';
    if (isUnusual && away < 0 && cap < max) eager ??= 'up';
    usual = Number.isNaN(usual) || isUnusual ? mean : usual + USUAL_WEIGHT * (mean - usual);
    heard = noLatencies();
    const answersWanted = ((CERTAINTY * spread) / (QUEUES * Math.log(PROBE.far))) ** 2;
    const wantedMs = Math.max(SLOT_LATENCIES * usual, (answersWanted / Math.max(ended.sent, 1)) * tookMs);
    const fittingMs = Math.min(SLOT_MS.max, SLOT_MS.min * 2 ** Math.max(0, Math.ceil(Math.log2(wantedMs / SLOT_MS.min))));
    // Not back and forth between two lengths: processes should agree.
    if (fittingMs > slotMs || fittingMs < slotMs / 2) slotMs = fittingMs;
  }

  /** The factor of the slot after `ended`, by its number. */
  function factorAt(index: number, ended: Slot): number {
    const limit = usualLimit();
    // Too few calls teach nothing, nor does a limit that is recovering from failures.
    if (Number.isNaN(usual) || failures.limit() < limit || ended.sent < ANSWERS_MIN || ended.underWay / ended.sent < 0.7 * limit) return 1;
    const isDue = (every: number) => index % every === every - 1;
    const isDown = cap >= max || eager === 'down' || (!eager && isDue(PROBE_EVERY.lower));
    if (!isDue(eager ? 2 : isDown ? PROBE_EVERY.down : PROBE_EVERY.up)) return 1;
    const enough = Math.exp((-CERTAINTY / QUEUES) * spread * Math.sqrt(2 / ended.sent));
    const near = slotMs > LONG_SLOT_MS ? PROBE.nearer : PROBE.near;
    const factor = Math.min(near, Math.max(PROBE.far, enough));
    return isDown ? (cap > QUEUEING_MIN ? factor : 1) : 1 / factor;
  }

  function judge({ usual: before, probe }: { usual: Slot; probe: Slot }): void {
    pair = null;
    const [a, b] = [momentsOf(before.latencies), momentsOf(probe.latencies)];
    const load = Math.log(probe.underWay / probe.sent / (before.underWay / before.sent));
    const isEnough = Math.min(before.latencies.count, probe.latencies.count) >= ANSWERS_MIN;
    if (!isEnough || Math.abs(load) < 0.05 || load > 0 !== probe.factor > 1) {
      eager = null;
      return;
    }
    const one = Math.log(b.mean / a.mean) / load;
    // Something else has changed meanwhile.
    if (Math.abs(one - QUEUES) > IMPLAUSIBLE) return;
    const weight = (load / spread) ** 2 / (1 / before.latencies.count + 1 / probe.latencies.count);
    evidence = { weight: evidence.weight + weight, sum: evidence.sum + weight * one };
    const gradient = evidence.sum / evidence.weight;
    if (Math.max(QUEUES, Math.abs(gradient - QUEUES)) * Math.sqrt(evidence.weight) < CERTAINTY) {
      eager = load < 0 ? 'down' : 'up';
      return;
    }
    evidence = { weight: 0, sum: 0 };
    move(gradient, probe.factor);
  }

  function move(gradient: number, factor: number): void {
    const queues = gradient >= QUEUES;
    if (factor < 1) {
      if (queues) cap = Math.max(QUEUEING_MIN, cap * factor ** (gradient > COLLAPSES ? 2 : gradient > ONLY_QUEUES ? 1 : 0.5));
      eager = queues ? 'down' : cap < max && gradient < HAS_ROOM ? 'up' : null;
      hasLeapt = false;
    } else {
      const leaps = gradient < HAS_ROOM;
      if (gradient < ONLY_QUEUES) cap = Math.min(max, cap * factor ** (leaps ? 2 : queues ? 0.5 : 1));
      eager = queues || cap >= max ? (hasLeapt || leaps ? 'down' : null) : 'up';
      hasLeapt = leaps;
    }
  }

  return {
    limit() {
      turn();
      return Math.max(1, Math.min(max, Math.floor(Math.min(usualLimit(), failures.limit()) * slot.factor)));
    },
    sent(underWay) {
      turn();
      slot.sent++;
      slot.open++;
      slot.underWay += underWay;
      return slot;
    },
    ended(of, outcome, latencyMs) {
      of.open--;
      if (outcome === 'clean') failures.clean();
      if (outcome === 'overloaded' && failures.failed(Math.min(usualLimit(), failures.limit()))) pair = null;
      if (outcome === 'clean' && latencyMs !== undefined) {
        add(of.latencies, latencyMs + OWN_MS);
        add(heard, latencyMs + OWN_MS);
      }
      turn();
    },
  };
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

/**
 * What failures leave of the limit. It grows while answers are clean: by one an answer up to the level that last worked (so that a vendor that recovers is
 * used again within seconds), then by a share a round.
 */
function openFailureLimit(max: number, now: () => number) {
  let size = max;
  let didWell = max;
  let isShrinking = false;
  let shrunkAt = Number.NEGATIVE_INFINITY;
  let failing = 0;
  let answers = 0;
  const learn = (isFailure: boolean) => {
    failing += Math.max(FAILING_WEIGHT, 1 / ++answers) * (Number(isFailure) - failing);
  };
  return {
    limit: () => size,
    clean() {
      learn(false);
      isShrinking = false;
      size = Math.min(max, size + (size < didWell ? 1 : Math.max(1 / size, GROWTH)));
    },
    /** `limit` is the limit that was in force. Returns whether it shrank. */
    failed(limit: number): boolean {
      learn(true);
      if (failing <= FAILING_MAX || now() - shrunkAt <= DECREASE_EVERY_MS) return false;
      // A second failure before any clean answer says nothing about the level that worked.
      if (!isShrinking) didWell = Math.max(1, limit * DECREASE);
      isShrinking = true;
      shrunkAt = now();
      size = Math.max(1, limit * DECREASE);
      return true;
    },
  };
}
