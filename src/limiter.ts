/**
 * Keeps a provider within its budget. Two gates: an adaptive number of calls in flight (one a process), then the rate, which all
 * processes share through one row of `provider_states` (GCRA on Postgres's clock; callers of one turn reserve their slots together).
 * A pause that the provider asked for (429, 503 with Retry-After) is written to the same row and announced, so that it holds everywhere.
 *
 * Single calls pass before batch work at the first gate; nobody reserves a slot of the rate before he passed it, so that a batch can
 * never book the rate far into the future.
 */
import type { Context, Sql } from './context.ts';
import { group } from './group.ts';
import type { Budget } from './providers/provider.ts';

export type Priority = 'call' | 'batch';

/** The provider is paused for longer than the caller can wait. */
export class PausedError extends Error {
  readonly retryAfterMs: number;
  constructor(retryAfterMs: number) {
    super('provider is paused');
    this.retryAfterMs = retryAfterMs;
  }
}

export interface Limiter {
  /** Waits for both gates, at most `waitMaxMs` of it for a pause; `release` must be called once with how the call went. */
  acquire(priority: Priority, waitMaxMs: number): Promise<(outcome: 'clean' | 'overloaded' | 'neutral') => void>;
  /** Keeps everybody, in every process, from calling for so long. */
  pause(ms: number): Promise<void>;
  pausedForMs(): number;
  inFlight(): { current: number; limit: number };
  /** A pause that another process announced. */
  heardPause(ms: number): void;
  /** Sends away batch work that waits, so that a stopping worker can hand it back. */
  drain(): void;
}

/** Tells every process, and those that start later, that `name` is not to be asked for so long. */
export async function announcePause(sql: Sql, name: string, ms: number): Promise<void> {
  await sql`
    with paused as (
      insert into provider_states as s (name, paused_until) values (${name}, now() + ${ms} * interval '1 millisecond')
      on conflict (name) do update set paused_until = greatest(s.paused_until, excluded.paused_until))
    select pg_notify(${PAUSE_CHANNEL}, ${JSON.stringify({ name, ms })})`;
}

/** AIMD: one more a clean round, three tenths less on overload, at most once a round-trip so that one burst of failures counts once. */
const DECREASE = 0.7;
const DECREASE_EVERY_MS = 500;
export const PAUSE_CHANNEL = 'confam_pause';

export function openLimiter(ctx: Pick<Context, 'sql'>, name: string, budget: Budget, now: () => number = () => performance.now()): Limiter {
  const queues: Record<Priority, { enter: () => void; leave: (reason: Error) => void }[]> = { call: [], batch: [] };
  let draining = false;
  let limit = budget.inFlightMax;
  let current = 0;
  let decreasedAt = Number.NEGATIVE_INFINITY;
  let pausedUntil = 0;
  const reserve = budget.requestsPerSecond === null ? null : reserveSlots(ctx.sql, name, budget.requestsPerSecond, budget.burst);

  const admit = () => {
    while (current < Math.floor(limit)) {
      const next = queues.call.shift() ?? queues.batch.shift();
      if (!next) return;
      current++;
      next.enter();
    }
  };

  async function awaitPause(waitMaxMs: number): Promise<void> {
    const deadline = now() + waitMaxMs;
    for (let left = pausedUntil - now(); left > 0; left = pausedUntil - now()) {
      if (now() + left > deadline) throw new PausedError(Math.ceil(left));
      await delay(left);
    }
  }

  function release(outcome: 'clean' | 'overloaded' | 'neutral'): void {
    current--;
    if (outcome === 'clean') limit = Math.min(budget.inFlightMax, limit + 1 / limit);
    if (outcome === 'overloaded' && now() - decreasedAt > DECREASE_EVERY_MS) {
      decreasedAt = now();
      limit = Math.max(1, limit * DECREASE);
    }
    admit();
  }

  return {
    async acquire(priority, waitMaxMs) {
      if (draining && priority === 'batch') throw new PausedError(0);
      if (current < Math.floor(limit) && queues.call.length === 0) current++;
      else await new Promise<void>((enter, leave) => queues[priority].push({ enter, leave }));
      try {
        if (pausedUntil > now()) await awaitPause(waitMaxMs);
        if (reserve) {
          await delay(await reserve());
          // A pause may have come while waiting for the rate.
          if (pausedUntil > now()) await awaitPause(waitMaxMs);
        }
      } catch (error) {
        release('neutral');
        throw error;
      }
      return release;
    },
    async pause(ms) {
      pausedUntil = Math.max(pausedUntil, now() + ms);
      await announcePause(ctx.sql, name, ms);
    },
    pausedForMs: () => Math.max(0, pausedUntil - now()),
    inFlight: () => ({ current, limit: Math.floor(limit) }),
    heardPause: (ms) => {
      pausedUntil = Math.max(pausedUntil, now() + ms);
    },
    drain: () => {
      draining = true;
      for (const { leave } of queues.batch.splice(0)) leave(new PausedError(0));
    },
  };
}

/**
 * Answers the milliseconds to wait until one's slot. GCRA: `arrival_at` is the time of the next free slot; `burst` slots may lie in the
 * past. The callers of one turn share a statement, which reserves as many slots at once.
 */
function reserveSlots(sql: Sql, name: string, perSecond: number, burst: number): () => Promise<number> {
  const intervalMs = 1000 / perSecond;
  const reserveGroup = group<null, number>(
    async (callers) => {
      const [row] = await sql<{ waitMs: number }[]>`
        insert into provider_states as s (name, arrival_at)
        values (${name}, now() + ${(callers.length - burst + 1) * intervalMs} * interval '1 millisecond')
        on conflict (name) do update
          set arrival_at = greatest(s.arrival_at, now() - ${(burst - 1) * intervalMs} * interval '1 millisecond') + ${callers.length * intervalMs} * interval '1 millisecond'
        returning extract(epoch from arrival_at - clock_timestamp())::float8 * 1000 as "waitMs"`;
      // `arrival_at` is now the slot after the last of ours.
      return callers.map((_, i) => row!.waitMs - (callers.length - i) * intervalMs);
    },
    { itemsMax: 200, flushesMax: 1 },
  );
  return () => reserveGroup(null);
}

const delay = (ms: number): Promise<void> => (ms <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, Math.ceil(ms))));
