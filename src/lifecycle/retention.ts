/**
 * Deletes what has been kept for long enough (`contract/retention.ts`), in small steps (`pace.ts`). Each kind says which of its rows are due; the
 * sweeper, the metrics and `confam retention plan` ask the same question. A batch under a legal hold is never due, nor is what is about a person under one.
 */

import type { Fragment } from 'postgres';
import { bySystem, record } from '../access/audit/append.ts';
import { isFreeSubject } from '../access/held-subjects.ts';
import { cancelBatch } from '../batches/control.ts';
import { listed } from '../batches/states.ts';
import { ENDED } from '../contract/batches.ts';
import { daysKept, type FixedKind, fixedKinds, type RetentionKind, retentionKinds } from '../contract/retention.ts';
import type { Context, Sql } from '../foundation/context.ts';
import { firstIdAt, showId } from '../foundation/ids.ts';
import { recordset } from '../foundation/recordset.ts';
import { DAY_MS } from '../foundation/time.ts';
import { JOB_IS_OVER } from '../jobs/job.ts';
import { markBatch } from './deletions.ts';
import { carryHoldsOn, isFree, withoutHeld } from './holds.ts';
import { commitLater, inSteps, MOST } from './pace.ts';
import { forgetSingleJobs } from './purge.ts';
import { type Clock, type FixedRow, fixed, fixedClock } from './retention-fixed.ts';

const by = bySystem('retention');

/** What is due of one kind for one app and mode. */
interface Term {
  appId: string;
  live: boolean;
  days: number;
  /** Everything older is due: as a time, and as the first id made then. */
  before: string;
  firstId: string;
}

interface Kind {
  /** At most `limit` due rows: `id`, `app_id`, `live`, `due_at`. `terms` has the columns of `Term`. */
  due(sql: Sql, terms: Fragment, limit: number): Fragment;
  drop(ctx: Context, due: Due[]): Promise<unknown>;
}

interface Due {
  id: string;
  appId: string;
  live: boolean;
}

const idsOf = (due: Due[]): string[] => due.map(({ id }) => id);

const dueAt = (sql: Sql, at: string) => sql`${sql.unsafe(at)} + t.days * interval '1 day' as due_at`;

/** Rows of `from` whose time `at` has passed, for tables that are small or indexed by it. */
const byTime = (sql: Sql, terms: Fragment, { from, at, where }: { from: string; at: string; where: string }, limit: number) => sql`
  select x.id, x.app_id, x.live, ${dueAt(sql, at)} from ${sql.unsafe(from)} x join ${terms} t on t.app_id = x.app_id and t.live = x.live
  where ${sql.unsafe(where)} and ${sql.unsafe(at)} < t.before::timestamptz order by ${sql.unsafe(at)} limit ${limit}`;

/** Rows of `from` by their ids, which are ordered by time: one look at an index by app, mode and id for each term. */
const byId = (sql: Sql, terms: Fragment, { from, where }: { from: string; where: string }, limit: number) => sql`
  select x.id, t.app_id, t.live, ${dueAt(sql, 'x.created_at')} from ${terms} t cross join lateral (
    select id, created_at from ${sql.unsafe(from)}
    where app_id = t.app_id and live = t.live and id < t.first_id and ${sql.unsafe(where)} order by id limit ${limit}) x
  limit ${limit}`;

const ended = 'greatest(x.completed_at, x.canceled_at, x.failed_at, x.expired_at)';
const keptBatch = `x.deleted_at is null and x.legal_hold_at is null and ${isFree('x.id')}`;
const keptJob = `${isFree('jobs.id')} and ${isFreeSubject('t', 'jobs.subject')}`;

const kinds: Record<RetentionKind, Kind> = {
  batches: {
    due: (sql, terms, limit) =>
      byTime(sql, terms, { from: 'batches', at: ended, where: `${keptBatch} and x.status in ${listed(ENDED)}` }, limit),
    drop: async (ctx, due) => dropBatches(ctx, idsOf(await withoutHeld(ctx, due, 'batches'))),
  },
  unstarted: {
    due: (sql, terms, limit) =>
      byTime(
        sql,
        terms,
        {
          from: 'batches',
          at: 'x.created_at',
          where: `${keptBatch} and x.started_at is null and x.status in ('awaiting_start', 'canceled')`,
        },
        limit,
      ),
    async drop(ctx, due) {
      const free = await withoutHeld(ctx, due, 'batches');
      for (const { id, appId } of free) {
        const [batch] = await ctx.sql<{ status: string }[]>`select status from batches where id = ${id}`;
        if (batch?.status === 'awaiting_start') await cancelBatch(ctx, appId, id, by);
      }
      await dropBatches(ctx, idsOf(free));
    },
  },
  jobs: {
    due: (sql, terms, limit) =>
      byId(sql, terms, { from: 'jobs', where: `batch_id is null and input is not null and ${JOB_IS_OVER} and ${keptJob}` }, limit),
    async drop(ctx, due) {
      await dropJobs(ctx, idsOf(await withoutHeld(ctx, due, 'jobs')));
    },
  },
  calls: {
    due: (sql, terms, limit) =>
      byId(sql, terms, { from: 'jobs', where: `batch_id is null and input is null and subject is not null and ${keptJob}` }, limit),
    drop: (ctx, due) => dropJobs(ctx, idsOf(due)),
  },
  invalid_rows: {
    due: (sql, terms, limit) =>
      byTime(
        sql,
        terms,
        { from: 'batches', at: 'x.created_at', where: `${keptBatch} and x.invalid > 0 and x.invalid_gone_at is null` },
        limit,
      ),
    drop: async (ctx, due) => ctx.sql`
      update batches set invalid_gone_at = now() where id = any(${idsOf(await withoutHeld(ctx, due, 'batches'))}::uuid[]) and legal_hold_at is null and invalid_gone_at is null`,
  },
  events: {
    due: (sql, terms, limit) => byId(sql, terms, { from: 'events', where: 'true' }, limit),
    drop: ({ sql }, due) => sql`delete from events where id = any(${idsOf(due)}::uuid[])`,
  },
  monitors: {
    due: (sql, terms, limit) =>
      byTime(
        sql,
        terms,
        { from: 'aml_monitors', at: 'x.ended_at', where: `x.ended_at is not null and ${isFreeSubject('x', 'x.subject')}` },
        limit,
      ),
    drop: ({ sql }, due) => sql`delete from aml_monitors where id = any(${idsOf(due)}::uuid[]) and ended_at is not null`,
  },
};

const dropJobs = ({ sql }: Context, ids: string[]): Promise<unknown> =>
  sql.begin(async (tx) => {
    await commitLater(tx);
    await forgetSingleJobs(tx, ids);
  });

/** Batches that are still as they were when they were found; `purge.ts` deletes their rows. */
async function dropBatches({ sql }: Context, ids: string[]): Promise<void> {
  // Few at a time, because each is an entry in its app's audit.
  for (let at = 0; at < ids.length; at += 100) {
    await sql.begin(async (tx) => {
      const batches = await tx<Due[]>`
        select id, app_id, live from batches
        where id = any(${ids.slice(at, at + 100)}::uuid[]) and deleted_at is null and legal_hold_at is null and status in ${tx.unsafe(listed(ENDED))}
        order by id for update`;
      for (const batch of batches) await markBatch(tx, batch, 'retention');
      await record(
        tx,
        by,
        ...batches.map(({ id, appId, live }) => ({ appId, live, action: 'batch.delete' as const, object: showId('bat', id) })),
      );
    });
  }
}

const seconds = (sql: Sql, due: Fragment) => sql<{ seconds: number }[]>`
  select greatest(0, coalesce(extract(epoch from now() - min(due_at)), 0))::float8 as seconds from (${due}) d`;

/** Deletes all that is due, until `stop`. `aheadDays`: as if so many days had passed. */
export async function sweepRetention(ctx: Context, stop: AbortSignal, aheadDays = 0): Promise<void> {
  await carryHoldsOn(ctx);
  const clock = await readClock(ctx, aheadDays);
  for (const kind of Object.keys(kinds) as RetentionKind[]) {
    const terms = termsOf(ctx, clock, kind);
    let steps = 0;
    await inSteps(stop, async (rows) => {
      const due = await ctx.sql<Due[]>`${kinds[kind].due(ctx.sql, terms, rows)}`;
      if (due.length > 0) await kinds[kind].drop(ctx, [...due]);
      return due.length === rows && ++steps < STEPS_MAX;
    });
    const [late] = await seconds(ctx.sql, kinds[kind].due(ctx.sql, terms, MOST));
    ctx.metrics.retentionOverdue.set({ kind }, late!.seconds);
  }
  const [late] = await ctx.sql<{ seconds: number }[]>`
    select coalesce(extract(epoch from now() - min(asked_at)), 0)::float8 as seconds from deletions where finished_at is null`;
  ctx.metrics.retentionOverdue.set({ kind: 'deletions' }, late!.seconds);
  await inSteps(stop, (rows) => dropInvalidRows(ctx, rows));
  for (const kind of Object.keys(fixedKinds) as FixedKind[]) {
    const { due, drop } = fixed[kind];
    const at = fixedClock(clock, kind);
    if (drop !== null)
      await inSteps(stop, async (rows) => {
        const found = await ctx.sql<FixedRow[]>`${due(ctx.sql, at, rows)}`;
        if (found.length > 0) await drop(ctx, [...found]);
        return found.length >= rows;
      });
    const [oldest] = await seconds(ctx.sql, due(ctx.sql, fixedClock({ ...clock, nowMs: clock.nowMs - aheadDays * DAY_MS }, kind), MOST));
    ctx.metrics.retentionOverdue.set({ kind }, oldest!.seconds);
  }
}

/** Steps of one kind in one sweep: what a step found and could not drop is left to the next one. */
const STEPS_MAX = 10_000;

/** A process may have died between marking a batch and deleting its rows: those of the last weeks are looked at again. */
async function dropInvalidRows({ sql }: Context, rows: number): Promise<boolean> {
  const dropped = await sql`
    delete from invalid_rows where (batch_id, row_number) in (
      select i.batch_id, i.row_number from batches b cross join lateral (
        select batch_id, row_number from invalid_rows where batch_id = b.id order by row_number limit ${rows}) i
      where b.invalid_gone_at > now() - interval '30 days' and b.legal_hold_at is null limit ${rows})`;
  return dropped.count === rows;
}

async function readClock({ sql }: Context, aheadDays: number): Promise<Clock> {
  const [[now], apps] = await Promise.all([
    sql<{ ms: number }[]>`select (extract(epoch from now()) * 1000)::float8 as ms`,
    sql<Clock['apps']>`select id, settings from apps`,
  ]);
  return { nowMs: Math.floor(now!.ms) + aheadDays * DAY_MS, apps };
}

function termsOf({ sql }: Context, { nowMs, apps }: Clock, kind: RetentionKind): Fragment {
  const terms = apps.flatMap(({ id, settings }) =>
    [true, false].map((live): Term => {
      const days = daysKept(settings, live, kind);
      const beforeMs = nowMs - days * DAY_MS;
      return { appId: id, live, days, before: new Date(beforeMs).toISOString(), firstId: firstIdAt(beforeMs) };
    }),
  );
  return recordset(sql, terms, {
    app_id: ['uuid', (t) => t.appId],
    live: ['bool', (t) => t.live],
    days: ['int', (t) => t.days],
    before: ['text', (t) => t.before],
    first_id: ['uuid', (t) => t.firstId],
  });
}

export interface Planned {
  kind: RetentionKind | FixedKind;
  /** Null: both modes, which share it or are not told apart. */
  live: boolean | null;
  /** How many batches, jobs, calls, events, monitors and so on; for `invalid_rows`, batches with such rows. At most a million are counted. */
  due: number;
  /** Since when the oldest has been due. */
  since: string;
}

const COUNTED_MOST = 1_000_000;

/** What a sweep would delete now, or after `aheadDays` days. Changes nothing. */
export async function planRetention(ctx: Context, aheadDays = 0): Promise<Planned[]> {
  const clock = await readClock(ctx, aheadDays);
  const planned: Planned[] = [];
  const count = async (kind: Planned['kind'], due: Fragment) => {
    const rows = await ctx.sql<Omit<Planned, 'kind'>[]>`
      select live, count(*)::int as due, min(due_at) as since from (${due}) d group by live order by live desc`;
    planned.push(...rows.map((row) => ({ kind, ...row })));
  };
  for (const kind of Object.keys(retentionKinds) as RetentionKind[])
    await count(kind, kinds[kind].due(ctx.sql, termsOf(ctx, clock, kind), COUNTED_MOST));
  for (const kind of Object.keys(fixedKinds) as FixedKind[])
    await count(kind, fixed[kind].due(ctx.sql, fixedClock(clock, kind), COUNTED_MOST));
  return planned;
}
