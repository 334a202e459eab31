/**
 * Polls jobs and batches for every waiting request of this process: `?wait`, `Prefer: wait` and event streams. One grouped query at a short
 * interval, and only while somebody waits, so a thousand waiters cost as much as one. Polling instead of NOTIFY, because a NOTIFY in each commit
 * of a batch would take a database-wide lock each time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openRow, type Unopened } from '../contract/about.ts';
import type { BatchRow } from '../contract/batches.ts';
import { isJobOver, type JobRow } from '../contract/jobs.ts';
import type { Context } from '../foundation/context.ts';
import { openOutage } from '../foundation/outages.ts';
import { twinJoin } from '../jobs/job.ts';
import { readHistory, type StatusChange } from './timeline.ts';

/** A single job is quick, and its caller waits for nothing else. */
const JOB_LOOK_MS = 30;
const BATCH_LOOK_MS = 200;
/** The time over which a batch's rate is measured. */
const RATE_WINDOW_MS = 10_000;
/** How long a batch's history and rate outlive its last waiter: an event stream waits again after each event. */
const KEEP_MS = 5_000;

export interface Patience {
  ms: number;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

export interface BatchLook {
  batch: BatchRow;
  /** Every status change so far, oldest first. */
  history: readonly StatusChange[];
  /** Jobs that recently ended per second; null until there are two looks. */
  rate: number | null;
}

/** The members of a job that can change. */
export type JobLook = Pick<JobRow, 'id' | 'status' | 'attempt' | 'completedAt'>;

export interface Waiters {
  /** Resolves with the first look that is news, or null: timed out, or this process is draining. */
  job(id: string, isNews: (look: JobLook) => boolean, patience: Patience): Promise<JobLook | null>;
  batch(id: string, isNews: (look: BatchLook) => boolean, patience: Patience): Promise<BatchLook | null>;
  /** Ends every wait and refuses new ones. */
  drain(): void;
}

export function openWaiters(ctx: Context): Waiters {
  const outage = openOutage(ctx.log, 'polling for changes fails', 'polling for changes works again');
  const jobs = openLookout<JobLook>(outage, JOB_LOOK_MS, async (ids) => {
    const rows = await ctx.sql<JobLook[]>`
      select j.id, j.status, j.attempt, case when t.id is null then j.completed_at else t.completed_at end as completed_at
      from jobs j ${ctx.sql.unsafe(twinJoin)}
      where j.id = any(${ids}::uuid[])`;
    return new Map(rows.map((job) => [job.id, job]));
  });
  const batches = openLookout(outage, BATCH_LOOK_MS, batchReader(ctx));
  return {
    job: (id, isNews, patience) => jobs.wait(id, isNews, patience),
    batch: (id, isNews, patience) => batches.wait(id, isNews, patience),
    drain() {
      jobs.drain();
      batches.drain();
    },
  };
}

/** Whether a job differs from how the caller last saw it (`seen`). */
export const jobChanged =
  (seen: JobLook) =>
  (look: JobLook): boolean =>
    look.status !== seen.status || look.attempt !== seen.attempt || isJobOver(look) !== isJobOver(seen);

interface Known {
  history: StatusChange[];
  /** The number of answered jobs at each look, oldest first. */
  samples: { ms: number; answered: number }[];
}

/** Reads batches together with what is kept between looks: their history, read again only after a change, and their rate. */
function batchReader(ctx: Context): (ids: string[]) => Promise<Map<string, BatchLook>> {
  const known = new Map<string, Known>();
  return async (ids) => {
    const stored = await ctx.sql<Unopened<BatchRow & { changes: number }>[]>`
      select b.*, (select count(*)::int from batch_history h where h.batch_id = b.id) as changes from batches b where b.id = any(${ids}::uuid[])`;
    const opener = await ctx.cipher.opener(stored.map(({ about }) => about));
    const rows = stored.map((batch) => openRow<BatchRow & { changes: number }>(opener, 'bat', batch));
    const now = performance.now();
    for (const [id, { samples }] of known) if (now - (samples.at(-1)?.ms ?? 0) > KEEP_MS) known.delete(id);
    for (const { id } of rows) if (!known.has(id)) known.set(id, { history: [], samples: [] });
    const changed = rows.filter(({ id, changes }) => known.get(id)!.history.length < changes).map(({ id }) => id);
    if (changed.length > 0) {
      const history = await readHistory(ctx, changed);
      for (const id of changed) known.get(id)!.history = history.filter(({ batchId }) => batchId === id);
    }
    return new Map(
      rows.map((batch) => [batch.id, { batch, history: known.get(batch.id)!.history, rate: pace(known.get(batch.id)!, batch, now) }]),
    );
  };
}

function pace({ samples }: Known, batch: BatchRow, now: number): number | null {
  samples.push({ ms: now, answered: batch.completed + batch.failed });
  while (samples.length > 2 && now - samples[1]!.ms > RATE_WINDOW_MS) samples.shift();
  const [first, last] = [samples[0]!, samples.at(-1)!];
  return last.ms > first.ms ? ((last.answered - first.answered) / (last.ms - first.ms)) * 1000 : null;
}

interface Waiter<Look> {
  isNews(look: Look): boolean;
  resolve(look: Look | null): void;
}

/** The waiters by id, and the loop that polls for all of them while there are any. */
function openLookout<Look>(fail: (error: unknown) => void, everyMs: number, read: (ids: string[]) => Promise<Map<string, Look>>) {
  const waiting = new Map<string, Set<Waiter<Look>>>();
  let isLooking = false;
  let isDraining = false;

  async function look(): Promise<void> {
    isLooking = true;
    while (waiting.size > 0) {
      const looks = await read([...waiting.keys()]).catch((error: unknown) => {
        fail(error);
        return new Map<string, Look>();
      });
      for (const [id, found] of looks) for (const waiter of waiting.get(id) ?? []) if (waiter.isNews(found)) waiter.resolve(found);
      await sleep(everyMs);
    }
    isLooking = false;
  }

  return {
    wait(id: string, isNews: (look: Look) => boolean, { ms, signal }: Patience): Promise<Look | null> {
      if (isDraining || signal.aborted || ms <= 0) return Promise.resolve(null);
      return new Promise((resolve) => {
        const leave = () => waiter.resolve(null);
        const timer = setTimeout(leave, ms);
        const waiter: Waiter<Look> = {
          isNews,
          resolve(found) {
            clearTimeout(timer);
            signal.removeEventListener('abort', leave);
            const others = waiting.get(id);
            others?.delete(waiter);
            if (others?.size === 0) waiting.delete(id);
            resolve(found);
          },
        };
        signal.addEventListener('abort', leave);
        const others = waiting.get(id);
        if (others) others.add(waiter);
        else waiting.set(id, new Set([waiter]));
        if (!isLooking) void look();
      });
    },
    drain(): void {
      isDraining = true;
      for (const waiters of [...waiting.values()]) for (const waiter of [...waiters]) waiter.resolve(null);
    },
  };
}
