/** The operator's report on vendors: health, use of their budgets, latency, errors, spend, and the margin by check and day. */

import type { RecordKind } from '../checks/provider.ts';
import type { Context } from '../foundation/context.ts';
import type { Router } from './router.ts';

/** The window of `lately`: long enough for percentiles, short enough to show the present state. */
const LATELY_MINUTES = 15;

interface Lately {
  provider: string;
  /** Per outcome. */
  outcomes: Record<string, number>;
  calls: number;
  callsLastMinute: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
}

export interface ProviderReport {
  name: string;
  records: { kind: RecordKind; tier: number; health: 'well' | 'paused' | 'down'; retryAfterMs: number }[];
  budget: { requestsPerSecond: number | null; burst: number; reservedForCalls: number; inFlightMax: number; timeoutMs: number };
  /** Why it cannot answer at present; null: it can. */
  reason: string | null;
  /** Share of the rate that the last minute used; null: no rate limit. */
  budgetUsed: number | null;
  lately: Omit<Lately, 'provider' | 'callsLastMinute'> & { minutes: number };
  spend: { todayKobo: number; periodKobo: number };
}

export interface MarginRow {
  day: string;
  checkId: string;
  billedKobo: number;
  costKobo: number;
}

export interface Period {
  /** `YYYY-MM-DD`, both inclusive. */
  from: string;
  to: string;
}

export async function reportProviders(ctx: Context & { router: Router }, { from, to }: Period): Promise<ProviderReport[]> {
  const [lately, spend] = await Promise.all([
    ctx.sql<Lately[]>`
      with recent as (
        select provider, outcome, latency_ms, at from provider_lookups where at > now() - ${LATELY_MINUTES} * interval '1 minute'),
      counted as (select provider, outcome, count(*)::int as n from recent group by provider, outcome),
      timed as (
        select provider, count(*)::int as calls, count(*) filter (where at > now() - interval '1 minute')::int as calls_last_minute,
          percentile_disc(array[0.5, 0.95, 0.99]) within group (order by latency_ms) as percentiles
        from recent where outcome <> 'abandoned' group by provider)
      select t.provider, t.calls, t.calls_last_minute, t.percentiles[1] as p50, t.percentiles[2] as p95, t.percentiles[3] as p99,
        (select jsonb_object_agg(outcome, n) from counted c where c.provider = t.provider) as outcomes
      from timed t`,
    ctx.sql<{ provider: string; todayKobo: number; periodKobo: number }[]>`
      select provider, coalesce(sum(cost_kobo) filter (where day = (now() at time zone 'utc')::date), 0)::bigint as today_kobo,
        coalesce(sum(cost_kobo) filter (where day between ${from}::text::date and ${to}::text::date), 0)::bigint as period_kobo
      from provider_days
      where day between ${from}::text::date and ${to}::text::date or day = (now() at time zone 'utc')::date group by provider`,
  ]);
  return ctx.router.providers().map(({ provider, kinds }) => {
    const { name, budget, serves } = provider;
    const {
      provider: _,
      callsLastMinute,
      ...rest
    } = lately.find((row) => row.provider === name) ?? {
      ...{ provider: name, calls: 0, callsLastMinute: 0, p50: null, p95: null, p99: null, outcomes: {} },
    };
    const spent = spend.find((row) => row.provider === name);
    return {
      name,
      records: kinds.map(({ kind, down, pausedForMs }) => ({
        kind,
        tier: Math.min(serves[kind]!, Number.MAX_SAFE_INTEGER),
        health: down ? 'down' : pausedForMs > 0 ? 'paused' : 'well',
        retryAfterMs: pausedForMs,
      })),
      reason: provider.unready?.() ?? null,
      budget,
      budgetUsed: budget.requestsPerSecond === null ? null : Math.round((callsLastMinute / 60 / budget.requestsPerSecond) * 1000) / 1000,
      lately: { minutes: LATELY_MINUTES, ...rest },
      spend: { todayKobo: spent?.todayKobo ?? 0, periodKobo: spent?.periodKobo ?? 0 },
    };
  });
}

/** What live work was charged and what it cost, by day and check; newest first. */
export async function readMargin({ sql }: Context, { from, to }: Period): Promise<MarginRow[]> {
  return sql<MarginRow[]>`
    select day::text, check_id, sum(billed)::bigint as billed_kobo, sum(cost)::bigint as cost_kobo from (
      select day, check_id, billed_kobo as billed, 0 as cost from usage_days where live
      union all select day, check_id, 0, cost_kobo from provider_days) t
    where day between ${from}::text::date and ${to}::text::date group by day, check_id order by day desc, check_id`;
}

export interface LookupRow {
  /** Made when the question ended. */
  id: string;
  at: string;
  provider: string;
  kind: string;
  tier: number;
  outcome: string;
  latencyMs: number;
  costKobo: number;
  hedged: boolean;
  status: string | null;
  reference: string | null;
  answerHash: Buffer | null;
}

/** The questions that vendors were asked for a job or call, in order. */
export const readTrail = ({ sql }: Pick<Context, 'sql'>, jobId: string): Promise<LookupRow[]> => sql<LookupRow[]>`
  select id, at, provider, kind, tier, outcome, latency_ms, cost_kobo, hedged, status, reference, answer_hash from provider_lookups
  where job_id = ${jobId} order by id`;

export async function isJob({ sql }: Pick<Context, 'sql'>, id: string): Promise<boolean> {
  return (await sql`select 1 from jobs where id = ${id}`).length > 0;
}
