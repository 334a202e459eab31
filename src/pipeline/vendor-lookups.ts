/**
 * Records what live keys asked of vendors, in the settling transaction: every question, for disputes (`provider_lookups`), and sums by day, for
 * spend and margin (`provider_days`). A question is kept whatever became of its job, since the vendor may charge for it. If the reply to a
 * first try was lost and it is written again, it counts once.
 */

import type { Context, Sql, Tx } from '../foundation/context.ts';
import { type Columns, recordset } from '../foundation/recordset.ts';
import type { VendorLookup } from '../providers/guarded-provider.ts';

export interface Trail {
  jobId: string;
  checkId: string;
  trail: readonly VendorLookup[];
}

/** The statement for jobs. Comes last in the transaction, after usage, because all settling transactions share the rows of days. */
export const addTrail = (tx: Tx, trails: Trail[]) => tx`with ${trailParts(tx, trails, tx`true`)} select 1`;

/** Metrics; called after the commit. */
export function countTrail({ metrics }: Pick<Context, 'metrics'>, trails: Trail[]): void {
  for (const { checkId, trail } of trails) {
    for (const { provider, costKobo } of trail) if (costKobo > 0) metrics.providerCost.inc({ provider, check: checkId }, costKobo);
  }
}

const lookupColumns: Columns<VendorLookup & { jobId: string; checkId: string }> = {
  id: ['uuid', (r) => r.id],
  job_id: ['uuid', (r) => r.jobId],
  check_id: ['text', (r) => r.checkId],
  provider: ['text', (r) => r.provider],
  kind: ['text', (r) => r.kind],
  tier: ['int', (r) => r.tier],
  outcome: ['text', (r) => r.outcome],
  latency_ms: ['int', (r) => r.latencyMs],
  cost_kobo: ['int', (r) => r.costKobo],
  hedged: ['bool', (r) => r.isHedge],
  status: ['text', (r) => r.receipt?.status ?? null],
  reference: ['text', (r) => r.receipt?.reference ?? null],
  answer_hash: ['bytea', (r) => r.receipt?.answerHash ?? null],
};

/** Parts of a WITH that write `trails`. `after` is a condition that holds once the earlier parts are written. */
export function trailParts(sql: Sql | Tx, trails: Trail[], after: ReturnType<Sql>) {
  const rows = trails.flatMap(({ jobId, checkId, trail }) => trail.map((asked) => ({ jobId, checkId, ...asked })));
  return sql`
    asked as ${recordset(sql, rows, lookupColumns, 'n')},
    kept as (
      insert into provider_lookups (id, job_id, provider, kind, tier, outcome, latency_ms, cost_kobo, hedged, status, reference, answer_hash)
      select id, job_id, provider, kind, tier, outcome, latency_ms, cost_kobo, hedged, status, reference, answer_hash from asked order by n
      on conflict (id) do nothing returning id),
    days as (
      insert into provider_days as d (day, provider, check_id, kind, found, not_found, failed, cost_kobo)
      select (now() at time zone 'utc')::date, provider, check_id, kind, count(*) filter (where outcome = 'found'),
        count(*) filter (where outcome = 'not_found'), count(*) filter (where outcome not in ('found', 'not_found', 'pending', 'abandoned')),
        sum(cost_kobo)
      from asked join kept using (id) where ${after} group by provider, check_id, kind order by provider, check_id, kind
      on conflict (day, provider, check_id, kind) do update set found = d.found + excluded.found, not_found = d.not_found + excluded.not_found,
        failed = d.failed + excluded.failed, cost_kobo = d.cost_kobo + excluded.cost_kobo)`;
}
