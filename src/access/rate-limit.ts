/**
 * Requests per key and minute, over all processes. A decision costs no round trip: each process counts for itself, adds its counts to `request_counts` a few
 * times a second, and learns the total from the same statement. Between two flushes processes do not see each other's requests, so a key may exceed its limit
 * by what the others admit within one flush.
 */

import type { Context } from '../foundation/context.ts';
import { openOutage } from '../foundation/outages.ts';
import { recordset } from '../foundation/recordset.ts';

const FLUSH_MS = 250;

export interface Allowance {
  allowed: boolean;
  /** Requests left in this window. */
  remaining: number;
  /** Until the window ends; at least 1. */
  resetSeconds: number;
}

export interface RateLimits {
  windowSeconds: number;
  /** Counts one request of the key if `limit` (requests a window) allows it. */
  take(keyId: string, limit: number): Allowance;
  /** Flushes the last counts. */
  close(): Promise<void>;
}

interface Counter {
  /** All processes' requests as of the last flush. */
  total: number;
  /** This process's requests in the flush in progress. */
  sent: number;
  /** This process's requests since then. */
  fresh: number;
}

/** Windows are whole multiples of `windowMs` since 1970 by Postgres's clock. */
export async function openRateLimits(ctx: Context, windowMs = 60_000): Promise<RateLimits> {
  const [clock] = await ctx.sql<{ now: number }[]>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`;
  /** How far Postgres's clock is ahead of this process's monotonic clock, in milliseconds. */
  let aheadMs = clock!.now - performance.now();
  const outage = openOutage(ctx.log, 'requests are not counted; a later flush adds them', 'requests are counted again');
  let window = 0;
  let counters = new Map<string, Counter>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    timer = undefined;
    const [flushed, sending] = [window, [...counters].filter(([, counter]) => counter.fresh > 0)];
    if (sending.length === 0) return;
    for (const [, counter] of sending) [counter.sent, counter.fresh] = [counter.fresh, 0];
    try {
      // Sorted by key, so that processes that add the same keys cannot deadlock.
      const rows = await ctx.sql<{ keyId: string; requests: number; now: number }[]>`
        insert into request_counts as c (key_id, "window", requests)
        select id, to_timestamp(${flushed}::bigint * ${windowMs}::bigint / 1000.0), n
        from ${recordset(ctx.sql, sending, { id: ['uuid', ([id]) => id], n: ['int', ([, { sent }]) => sent] })} t order by id
        on conflict (key_id, "window") do update set requests = c.requests + excluded.requests
        returning key_id, requests, (extract(epoch from clock_timestamp()) * 1000)::bigint as now`;
      const totals = new Map(rows.map((row) => [row.keyId, row.requests]));
      for (const [id, counter] of sending) [counter.total, counter.sent] = [totals.get(id)!, 0];
      aheadMs = rows[0]!.now - performance.now();
    } catch (error) {
      for (const [, counter] of sending) [counter.fresh, counter.sent] = [counter.fresh + counter.sent, 0];
      outage(error);
    }
    schedule();
  }

  function schedule(): void {
    if (timer || ![...counters.values()].some((counter) => counter.fresh > 0)) return;
    timer = setTimeout(() => {
      flushing = flushing.then(flush);
    }, FLUSH_MS);
    timer.unref();
  }

  return {
    windowSeconds: windowMs / 1000,
    take(keyId, limit) {
      const now = performance.now() + aheadMs;
      const current = Math.floor(now / windowMs);
      // The clock may step back slightly: never return to a past window.
      if (current > window) {
        window = current;
        counters = new Map();
      }
      let counter = counters.get(keyId);
      if (!counter) {
        counter = { total: 0, sent: 0, fresh: 0 };
        counters.set(keyId, counter);
      }
      const used = counter.total + counter.sent + counter.fresh;
      const resetSeconds = Math.max(1, Math.ceil(((window + 1) * windowMs - now) / 1000));
      if (used >= limit) return { allowed: false, remaining: 0, resetSeconds };
      counter.fresh++;
      if (!timer) schedule();
      return { allowed: true, remaining: limit - used - 1, resetSeconds };
    },
    async close() {
      clearTimeout(timer);
      flushing = flushing.then(flush);
      await flushing;
      clearTimeout(timer);
    },
  };
}

/** Removes windows that no process counts in any more. */
export async function dropOldWindows(ctx: Context): Promise<void> {
  await ctx.sql`delete from request_counts where "window" < now() - interval '10 minutes'`;
}
