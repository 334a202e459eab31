/** Kinds of data that every app keeps for the same time: which rows are due, and how they are deleted. `retention.ts` sweeps and plans them. */
import type { Fragment } from 'postgres';
import { isFreeSubject } from '../access/held-subjects.ts';
import { daysKept, type FixedKind, fixedKinds, type RetentionKind } from '../contract/retention.ts';
import type { Context, Sql } from '../foundation/context.ts';
import { firstIdAt } from '../foundation/ids.ts';
import { DAY_MS } from '../foundation/time.ts';
import type { AppSettings } from '../schema/apps.ts';
import { dueImages } from './expired.ts';

export interface Clock {
  nowMs: number;
  apps: { id: string; settings: AppSettings }[];
}

export const fixedClock = (clock: Clock, kind: FixedKind) => ({
  ...clock,
  now: new Date(clock.nowMs).toISOString(),
  before: clock.nowMs - fixedKinds[kind].live * DAY_MS,
});

export interface FixedRow {
  id: string;
  live: boolean | null;
}

/** Kinds whose term is the same for every app. */
interface Fixed {
  /** At most `limit` due rows: `id`, `live` (null: it is of no mode), `due_at`. `now`: a time; `before`: the same less the days in live mode. */
  due(sql: Sql, clock: Clock & { now: string; before: number }, limit: number): Fragment;
  /** Null: its rows have an expiry time of their own (`expired.ts`). */
  drop: ((ctx: Context, rows: FixedRow[]) => Promise<unknown>) | null;
}

export const fixed: Record<FixedKind, Fixed> = {
  excerpts: {
    due: (sql, { before }, limit) => sql`
      select x.delivery_id as id, e.live, x.at + ${fixedKinds.excerpts.live} * interval '1 day' as due_at from (
        select delivery_id, at from delivery_attempts where excerpt is not null and delivery_id < ${firstIdAt(before)} order by delivery_id limit ${limit}) x
      join deliveries d on d.id = x.delivery_id join events e on e.id = d.event_id`,
    drop: ({ sql }, rows) =>
      sql`update delivery_attempts set excerpt = null where delivery_id = any(${rows.map(({ id }) => id)}::uuid[]) and excerpt is not null`,
  },
  trails: {
    due: (sql, clock, limit) => sql`
      (select id, null::bool as live, at + ${fixedKinds.trails.live} * interval '1 day' as due_at from provider_lookups
        where id < ${firstIdAt(clock.before)} order by id limit ${limit})
      union all (${testTrails(sql, clock, limit)})`,
    drop: ({ sql }, rows) => sql`delete from provider_lookups where id = any(${rows.map(({ id }) => id)}::uuid[])`,
  },
  approvals: {
    due: (sql, { before }, limit) => sql`
      select id, live, asked_at + ${fixedKinds.approvals.live} * interval '1 day' as due_at from approvals
      where id < ${firstIdAt(before)} and status <> 'pending_approval' order by id limit ${limit}`,
    drop: ({ sql }, rows) => sql`delete from approvals where id = any(${rows.map(({ id }) => id)}::uuid[])`,
  },
  clearances: {
    due: (sql, { nowMs }, limit) => {
      const endedBefore = (days: number) => new Date(nowMs - days * DAY_MS).toISOString();
      const { live, test } = fixedKinds.clearances;
      return sql`
        select c.id, c.live, e.ended_at + case when c.live then ${live}::int else ${test}::int end * interval '1 day' as due_at
        from aml_clearances c cross join lateral (select least(c.revoked_at, c.expires_at) as ended_at) e
        where e.ended_at < case when c.live then ${endedBefore(live)}::timestamptz else ${endedBefore(test)}::timestamptz end
          and ${sql.unsafe(isFreeSubject('c', 'c.subject'))} order by e.ended_at limit ${limit}`;
    },
    drop: ({ sql }, rows) => sql`delete from aml_clearances where id = any(${rows.map(({ id }) => id)}::uuid[])`,
  },
  lifted_holds: {
    due: (sql, { before }, limit) => sql`
      select id, live, lifted_at + ${fixedKinds.lifted_holds.live} * interval '1 day' as due_at from subject_holds
      where lifted_at < ${new Date(before).toISOString()}::timestamptz order by lifted_at limit ${limit}`,
    drop: ({ sql }, rows) => sql`delete from subject_holds where id = any(${rows.map(({ id }) => id)}::uuid[])`,
  },
  cache: {
    due: (sql, { now }, limit) => sql`
      select null::uuid as id, null::bool as live, expires_at as due_at from cache_records where expires_at < ${now}::timestamptz limit ${limit}`,
    drop: null,
  },
  images: {
    due: (sql, { now }, limit) => dueImages(sql, sql`${now}::timestamptz`, limit),
    drop: null,
  },
  answers: {
    due: (sql, { now }, limit) => sql`
      select null::uuid as id, live, expires_at as due_at from idempotency_keys where expires_at < ${now}::timestamptz order by expires_at limit ${limit}`,
    drop: null,
  },
  requests: {
    due: (sql, { before }, limit) => sql`
      select id, live, to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) + ${fixedKinds.requests.live} * interval '1 day' as due_at from request_log
      where id < ${firstIdAt(before)} order by id limit ${limit}`,
    drop: null,
  },
};

const DAYS_LOOKED_BACK = 30;

/**
 * Trails in test mode. They go with their jobs, so only apps that keep those for longer have any that are due; the sandbox leaves none, only a vendor does. A
 * trail of live mode is as long in the table, so they are looked for from the jobs: those that became due in the last weeks.
 */
function testTrails(sql: Sql, { nowMs, apps }: Clock, limit: number): Fragment {
  const { test } = fixedKinds.trails;
  const [first, last] = [test + DAYS_LOOKED_BACK, test].map((days) => firstIdAt(nowMs - days * DAY_MS)) as [string, string];
  const idsOf = (kind: RetentionKind) => apps.flatMap(({ id, settings }) => (daysKept(settings, false, kind) > test ? [id] : []));
  const trailsOf = (kind: RetentionKind, what: string) => sql`
    select p.id, p.at from jobs j join provider_lookups p on p.job_id = j.id
    where j.app_id = any(${idsOf(kind)}::uuid[]) and not j.live and j.batch_id is null and ${sql.unsafe(what)} and j.id >= ${first} and j.id < ${last}`;
  return sql`
    select id, false as live, at + ${test} * interval '1 day' as due_at from (
      ${trailsOf('jobs', 'j.input is not null')} union all ${trailsOf('calls', 'j.input is null and j.subject is not null')}
      union all select p.id, p.at from batches b join jobs j on j.batch_id = b.id join provider_lookups p on p.job_id = j.id
        where b.app_id = any(${idsOf('batches')}::uuid[]) and not b.live and b.id >= ${first} and b.id < ${last}) x limit ${limit}`;
}
