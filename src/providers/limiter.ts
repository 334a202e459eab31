/**
 * Keeps a provider within its budget. Two gates: an adaptive number of calls in flight (one a process), then the rate, which all processes share through one
 * row of `provider_states` (`slots.ts`). Callers that must wait do so before the first gate, in a queue that is fair by app: no more are let in than will get
 * their slots soon, so an app's thousand calls delay only its own. A pause that the provider asked for (429, 503 with Retry-After) is written to the same row
 * and announced, so that it holds everywhere.
 *
 * Single calls pass before batch work at the first gate. At the second, batch work books no slot further ahead than `BOOK_AHEAD_MS`, so that a call never
 * waits longer than that behind a batch; a share of the rate can be kept free of batch work altogether.
 */

import { FairQueue, type WeightOf } from '../access/fair-queue.ts';
import type { Client } from '../access/gate.ts';
import type { Budget } from '../checks/provider.ts';
import type { Context, Sql } from '../foundation/context.ts';
import { ClientGone } from '../foundation/errors.ts';
import { type InFlightLimit, type Outcome, openInFlightLimit } from './in-flight-limit.ts';
import { BOOK_AHEAD_MS, delay, openSlots, type Slot, type Slots } from './slots.ts';

export type Priority = 'call' | 'batch';

/** The provider is paused or busy for longer than the caller can wait. */
export class PausedError extends Error {
  readonly retryAfterMs: number;
  constructor(retryAfterMs: number) {
    super('provider is paused or busy');
    this.retryAfterMs = retryAfterMs;
  }
}

type Release = (outcome: Outcome, latencyMs?: number) => void;

/** A caller that wants to ask. */
export interface Wanting {
  priority: Priority;
  /** Longest wait for a pause. */
  waitMaxMs: number;
  /** On the clock of `performance.now()`; undefined: as long as it takes. */
  askUntil?: number | undefined;
  appId?: string | undefined;
  /** The client that waits for the answer, if any. */
  client?: Client | undefined;
  /** Ends the wait with its reason. */
  abandon?: AbortSignal | undefined;
}

export interface Limiter {
  /**
   * Waits for both gates. The returned function must be called once. Throws `PausedError`, `ClientGone` if the client no longer waits for the answer, or the
   * reason of `abandon`.
   */
  acquire(wanting: Wanting): Promise<Release>;
  /**
   * Stops every process from calling for `ms`. Null: the provider did not say how long, so nobody pauses before it has refused several questions in
   * a row, and each pause in a row is longer.
   */
  pause(ms: number | null): Promise<void>;
  pausedForMs(): number;
  inFlight(): { current: number; limit: number };
  /** A pause that another process announced; 0: it was lifted. */
  heardPause(ms: number): void;
  /** Rejects waiting batch work, so that a stopping worker can return it to the queue. */
  drain(): void;
}

/** Tells every process, and those that start later, not to ask `name` for `ms`; 0 revokes that. */
export async function announcePause(sql: Sql, name: string, ms: number): Promise<void> {
  await sql`
    with paused as (
      insert into provider_states as s (name, paused_until, degraded_since)
      values (${name}, now() + ${ms} * interval '1 millisecond', ${ms > 0 ? sql`now()` : null})
      on conflict (name) do update set
        paused_until = case when ${ms > 0} then greatest(s.paused_until, excluded.paused_until) end,
        degraded_since = case when ${ms > 0} then coalesce(s.degraded_since, now()) end)
    select pg_notify(${PAUSE_CHANNEL}, ${JSON.stringify({ name, ms })})`;
}

/** For a vendor that sends 429 without Retry-After; doubles with each pause in a row. */
const BACKOFF_MS = { first: 100, max: 10_000 };
/** A vendor that is full refuses every question; one that sheds load refuses some. After this many 429 without Retry-After in a row, everybody pauses. */
const REFUSALS_IN_A_ROW = 3;
export const PAUSE_CHANNEL = 'confam_pause';

/** So that slots are not lost while one is being reserved. */
const BOOKED_MIN = 4;

interface LimiterOptions {
  weightOf?: WeightOf;
  now?: () => number;
}

export const openLimiter = (
  ctx: Pick<Context, 'sql'>,
  name: string,
  budget: Budget,
  { weightOf = () => 1, now = () => performance.now() }: LimiterOptions = {},
): Limiter => new ProviderLimiter(ctx.sql, name, budget, weightOf, now);

interface Waiting {
  enter: () => void;
  leave: (reason: Error) => void;
}

class ProviderLimiter implements Limiter {
  private readonly sql: Sql;
  private readonly name: string;
  private readonly now: () => number;
  private readonly limit: InFlightLimit;
  private readonly latencyTellsLoad: boolean;
  private readonly slots: Slots | null;
  /** The slots that batch work must also have if a share of the rate is reserved for calls. */
  private readonly batchSlots: Slots | null;
  private readonly queues: Record<Priority, FairQueue<Waiting>>;
  /** How many callers may be between the gates, by priority: as many as get their slots within the time that batch work books ahead. */
  private readonly bookedMax: number;
  private readonly booked: Record<Priority, number> = { call: 0, batch: 0 };
  private draining = false;
  private current = 0;
  /** How many of `current` have passed the second gate as well. */
  private underWay = 0;
  private pausedUntil = 0;
  private refusals = 0;
  private backoffMs = BACKOFF_MS.first;

  constructor(sql: Sql, name: string, budget: Budget, weightOf: WeightOf, now: () => number) {
    const { requestsPerSecond: rate, reservedForCalls, latencyTellsLoad = true } = budget;
    this.sql = sql;
    this.name = name;
    this.now = now;
    this.limit = openInFlightLimit(budget.inFlightMax, () => performance.timeOrigin + now());
    this.latencyTellsLoad = latencyTellsLoad;
    this.queues = { call: new FairQueue(weightOf), batch: new FairQueue(weightOf) };
    this.bookedMax =
      rate === null ? Number.POSITIVE_INFINITY : Math.max(BOOKED_MIN, budget.burst, Math.ceil((rate * BOOK_AHEAD_MS) / 1000));
    this.slots = rate === null ? null : openSlots(sql, name, rate, budget.burst, now);
    this.batchSlots =
      rate === null || reservedForCalls === 0 ? null : openSlots(sql, `${name}/batch`, rate * (1 - reservedForCalls), 1, now);
  }

  async acquire(wanting: Wanting): Promise<Release> {
    const { priority, waitMaxMs, askUntil: until = Number.POSITIVE_INFINITY, client, abandon } = wanting;
    const { now, slots } = this;
    if ((this.draining && priority === 'batch') || now() >= until) throw new PausedError(0);
    if (client?.isGone()) throw new ClientGone();
    abandon?.throwIfAborted();
    if (this.hasRoom(priority) && this.queues.call.length === 0 && this.queues[priority].length === 0) this.letIn(priority);
    else await this.enter(wanting, until);
    try {
      for (let isBooked = false; !isBooked; ) {
        if (this.pausedUntil > now()) await orAborted(this.awaitPause(Math.min(waitMaxMs, until - now())), abandon);
        const use = slots && (await orAborted(this.awaitSlot(slots, priority, until), abandon));
        // A pause that came in the meantime outlasts the slot.
        isBooked = !slots || this.pausedUntil <= now();
        if (isBooked) use?.();
      }
    } catch (error) {
      this.booked[priority]--;
      this.leave();
      throw error;
    }
    return this.begin(priority);
  }

  async pause(ms: number | null): Promise<void> {
    if (ms === null && ++this.refusals < REFUSALS_IN_A_ROW) return;
    const pauseMs = ms ?? this.backoffMs;
    if (ms === null && this.pausedUntil <= this.now()) this.backoffMs = Math.min(this.backoffMs * 2, BACKOFF_MS.max);
    this.pausedUntil = Math.max(this.pausedUntil, this.now() + pauseMs);
    await announcePause(this.sql, this.name, pauseMs);
  }

  pausedForMs(): number {
    return Math.max(0, this.pausedUntil - this.now());
  }

  inFlight(): { current: number; limit: number } {
    return { current: this.current, limit: this.limit.limit() };
  }

  heardPause(ms: number): void {
    this.pausedUntil = ms === 0 ? 0 : Math.max(this.pausedUntil, this.now() + ms);
  }

  drain(): void {
    this.draining = true;
    for (const { leave } of this.queues.batch.drain()) leave(new PausedError(0));
  }

  private hasRoom(priority: Priority): boolean {
    return this.current < this.limit.limit() && this.booked[priority] < this.bookedMax;
  }

  private letIn(priority: Priority): void {
    this.current++;
    this.booked[priority]++;
  }

  /** Waits until there is room among the calls in flight and a slot is near. */
  private async enter({ priority, appId = '', client, abandon }: Wanting, until: number): Promise<void> {
    const queue = this.queues[priority];
    const signal = client?.signal();
    let timer: NodeJS.Timeout | undefined;
    let gone = () => {};
    let abandoned = () => {};
    await new Promise<void>((enter, leave) => {
      const entry = queue.add(appId, { enter, leave });
      const giveUp = (error: Error) => {
        queue.remove(entry);
        leave(error);
      };
      gone = () => giveUp(new ClientGone());
      abandoned = () => giveUp(abandon!.reason);
      signal?.addEventListener('abort', gone);
      abandon?.addEventListener('abort', abandoned);
      if (until !== Number.POSITIVE_INFINITY) timer = setTimeout(() => giveUp(new PausedError(0)), until - this.now());
    }).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', gone);
      abandon?.removeEventListener('abort', abandoned);
    });
  }

  private async awaitPause(waitMaxMs: number): Promise<void> {
    const { now } = this;
    const deadline = now() + waitMaxMs;
    for (let left = this.pausedUntil - now(); left > 0; left = this.pausedUntil - now()) {
      if (now() + left > deadline) throw new PausedError(Math.ceil(left));
      await delay(left);
    }
  }

  /** Waits for the rate. Call the returned function as the slot is used. */
  private async awaitSlot(slots: Slots, priority: Priority, until: number): Promise<() => void> {
    const isBatch = priority === 'batch';
    if (isBatch && this.batchSlots) used(await this.batchSlots(isBatch, until))();
    return used(await slots(isBatch, until));
  }

  private begin(priority: Priority): Release {
    const slot = this.limit.sent(++this.underWay);
    this.booked[priority]--;
    if (this.slots) this.next();
    return (outcome, latencyMs) => {
      this.underWay--;
      if (outcome === 'clean') {
        this.backoffMs = BACKOFF_MS.first;
        this.refusals = 0;
      }
      this.limit.ended(slot, outcome, this.latencyTellsLoad ? latencyMs : undefined);
      this.leave();
    };
  }

  private leave(): void {
    this.current--;
    this.next();
  }

  private next(): void {
    for (const priority of ['call', 'batch'] as const) {
      while (this.hasRoom(priority)) {
        const next = this.queues[priority].shift();
        if (!next) break;
        this.letIn(priority);
        next.enter();
      }
    }
  }
}

/** Throws the reason of `signal` as soon as it fires, without waiting for `promise`. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function used(slot: Slot): () => void {
  if (slot.use === null) throw new PausedError(Math.ceil(slot.afterMs));
  return slot.use;
}
