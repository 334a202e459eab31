/**
 * The part of `settle.ts` for single calls, whose rows are made when they are settled: job, capture, wallet, cache and usage of a group of
 * calls in one transaction.
 */
import { type CacheEntry, writeCache } from './cache.ts';
import type { Context, Tx } from './context.ts';
import { capture, lockWallets, releaseHolds, take } from './ledger.ts';
import { addUsage } from './usage.ts';

/** An answer on its way into the database. */
export interface Answered {
  outcome: 'found' | 'not_found';
  entity: Record<string, unknown> | null;
  billedKobo: number;
  cached: boolean;
  provider: string | null;
  latencyMs: number;
  cacheEntries: CacheEntry[];
}

/** A single call. Its money is held beforehand (`held`) unless the answer came from the cache. */
export interface CallSettlement {
  jobId: string;
  appId: string;
  live: boolean;
  checkId: string;
  family: string;
  subject: Buffer;
  priceKobo: number;
  cachedPriceKobo: number;
  held: boolean;
  result: ({ status: 'completed' } & Answered) | { status: 'failed'; errorCode: string };
}

/** Answers for each call whether it was written; `insufficient_funds`: a cached answer that the wallet does not cover. */
export async function settleCalls(ctx: Context, items: CallSettlement[]): Promise<('settled' | 'insufficient_funds')[]> {
  const settled = await ctx.sql.begin(async (tx) => {
    // All wallets, in their order, before anything else: two groups must not wait for each other crosswise. Sent together with the look
    // for calls that this transaction was tried for before (its answer got lost on the way).
    const [settledBefore, balances] = await Promise.all([
      tx<{ id: string }[]>`select id from jobs where id = any(${items.map((i) => i.jobId)}::uuid[])`,
      lockWallets(tx, items),
    ]);
    const known = new Set(settledBefore.map((row) => row.id));
    const open = items.filter((item) => !known.has(item.jobId));
    const paid = open.filter((item) => item.held || item.result.status === 'failed' || take(balances, item, item.result.billedKobo));
    if (paid.length > 0) await writeCalls(tx, ctx, paid);
    return new Set([...known, ...paid.map((item) => item.jobId)]);
  });
  for (const { jobId, checkId, result } of items) {
    if (settled.has(jobId))
      ctx.metrics.jobs.inc({ check: checkId, outcome: result.status === 'completed' ? result.outcome : 'failed', source: 'call' });
  }
  return items.map(({ jobId }) => (settled.has(jobId) ? 'settled' : 'insufficient_funds'));
}

async function writeCalls(tx: Tx, ctx: Context, calls: CallSettlement[]): Promise<void> {
  const column = <T>(pick: (call: CallSettlement) => T): T[] => calls.map(pick);
  const answered = ({ result }: CallSettlement) => (result.status === 'completed' ? result : null);
  const charged = calls.filter((call) => (answered(call)?.billedKobo ?? 0) > 0);
  const written = tx`
    with input as (
      select * from unnest(
        ${column((c) => c.jobId)}::uuid[], ${column((c) => c.appId)}::uuid[], ${tx.array(column((c) => c.live))}::bool[], ${column((c) => c.checkId)}::text[],
        ${column((c) => c.family)}::text[], ${column((c) => c.subject.toString('base64'))}::text[], ${column((c) => c.priceKobo)}::int[],
        ${column((c) => c.cachedPriceKobo)}::int[], ${tx.array(column((c) => c.held))}::bool[], ${column((c) => c.result.status)}::text[],
        ${column((c) => answered(c)?.outcome ?? null)}::text[], ${column((c) => answered(c)?.billedKobo ?? 0)}::int[],
        ${tx.array(column((c) => answered(c)?.cached ?? false))}::bool[], ${column((c) => answered(c)?.provider ?? null)}::text[],
        ${column((c) => answered(c)?.latencyMs ?? null)}::int[], ${column((c) => (c.result.status === 'failed' ? c.result.errorCode : null))}::text[]
      ) as t(id, app_id, live, check_id, family, subject, price, cached_price, held, status, outcome, billed, cached, provider, latency, error_code)),
    written as (
      insert into jobs (id, app_id, live, check_id, family, subject, price_kobo, cached_price_kobo, status, outcome, billed_kobo, cached, provider,
        latency_ms, error_code, attempt, completed_at)
      select id, app_id, live, check_id, family, decode(subject, 'base64'), price, cached_price, status::job_status, outcome::job_outcome, billed, cached,
        provider, latency, error_code, 1, now() from input)
    insert into ledger_entries (app_id, live, kind, from_account, to_account, amount_kobo, hold_id, job_id)
    select app_id, live, 'capture', case when held then 'held' else 'available' end::ledger_account, 'revenue', billed, case when held then id end, id
    from input where billed > 0`;
  const held = calls.filter((call) => call.held);
  const direct = charged.filter((call) => !call.held);
  const amounts = (some: CallSettlement[]) => some.map((call) => answered(call)!.billedKobo);
  // One after the other on the connection, without waiting for each answer.
  await Promise.all([
    written,
    capture(
      tx,
      charged.filter((call) => call.held).map((call) => ({ id: call.jobId, amountKobo: answered(call)!.billedKobo })),
    ),
    releaseHolds(
      tx,
      held.map((call) => call.jobId),
    ),
    direct.length > 0 &&
      tx`
        update wallets w set available_kobo = w.available_kobo - s.amount
        from (select app_id, live, sum(amount)::bigint as amount
              from unnest(${direct.map((c) => c.appId)}::uuid[], ${tx.array(direct.map((c) => c.live))}::bool[], ${amounts(direct)}::bigint[]) as t(app_id, live, amount)
              group by app_id, live) s
        where w.app_id = s.app_id and w.live = s.live`,
    writeCache(
      tx,
      ctx,
      calls.flatMap((call) => answered(call)?.cacheEntries ?? []),
    ),
    addUsage(
      tx,
      calls.map(({ appId, live, checkId, result }) => ({
        ...{ appId, live, checkId, source: 'call' },
        ...(result.status === 'completed' ? result : { outcome: 'failed', cached: false, billedKobo: 0 }),
      })),
    ),
  ]);
}
