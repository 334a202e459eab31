/**
 * The part of `settle.ts` for single calls, whose rows are made when they are settled: job, capture, wallet, cache and usage of a group of
 * calls in one transaction.
 */
import { type CacheEntry, writeCache } from './cache.ts';
import type { Context, Tx } from './context.ts';
import { capture, lockWallets, releaseHolds, take } from './money/ledger.ts';
import { addUp, addUsage } from './money/usage.ts';

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
  const settled = await settleCached(ctx, items.filter(isCached));
  const open = items.filter(({ jobId }) => !settled.has(jobId));
  if (open.length > 0) for (const id of await settleTogether(ctx, open)) settled.add(id);
  for (const { jobId, checkId, result } of items) {
    if (settled.has(jobId))
      ctx.metrics.jobs.inc({ check: checkId, outcome: result.status === 'completed' ? result.outcome : 'failed', source: 'call' });
  }
  return items.map(({ jobId }) => (settled.has(jobId) ? 'settled' : 'insufficient_funds'));
}

type CachedCall = CallSettlement & { result: { status: 'completed' } & Answered };

/** All that it leaves is its row and its charge. */
const isCached = (item: CallSettlement): item is CachedCall =>
  !item.held && item.result.status === 'completed' && item.result.cacheEntries.length === 0;

/**
 * The usual call in one statement, and so in one round trip: beside a running batch each costs milliseconds. Answers those that were
 * written, now or by an earlier try whose answer got lost; of a wallet that does not cover all of them, only the first ones.
 */
async function settleCached({ sql }: Context, calls: CachedCall[]): Promise<Set<string>> {
  if (calls.length === 0) return new Set();
  const column = <T>(pick: (call: CachedCall) => T): T[] => calls.map(pick);
  const written = await sql<{ id: string }[]>`
    with input as (
      select *, sum(billed) over (partition by app_id, live order by n) as total
      from unnest(
        ${column((c) => c.jobId)}::uuid[], ${column((c) => c.appId)}::uuid[], ${sql.array(column((c) => c.live))}::bool[],
        ${column((c) => c.checkId)}::text[], ${column((c) => c.family)}::text[], ${column((c) => c.subject.toString('base64'))}::text[],
        ${column((c) => c.priceKobo)}::int[], ${column((c) => c.cachedPriceKobo)}::int[], ${column((c) => c.result.outcome)}::text[],
        ${column((c) => c.result.billedKobo)}::int[], ${sql.array(column((c) => c.result.cached))}::bool[], ${column((c) => c.result.provider)}::text[],
        ${column((c) => c.result.latencyMs)}::int[]
      ) with ordinality as t(id, app_id, live, check_id, family, subject, price, cached_price, outcome, billed, cached, provider, latency, n)),
    locked as (
      select app_id, live, available_kobo from wallets where (app_id, live) in (select app_id, live from input) order by app_id, live for update),
    paid as (select i.* from input i join locked l using (app_id, live) where i.total <= l.available_kobo),
    written as (
      insert into jobs (id, app_id, live, check_id, family, subject, price_kobo, cached_price_kobo, status, outcome, billed_kobo, cached, provider,
        latency_ms, attempt, completed_at)
      select id, app_id, live, check_id, family, decode(subject, 'base64'), price, cached_price, 'completed', outcome::job_outcome, billed, cached,
        provider, latency, 1, now() from paid
      on conflict (id) do nothing returning id),
    fresh as (select p.* from paid p join written using (id)),
    entries as (
      insert into ledger_entries (app_id, live, kind, from_account, to_account, amount_kobo, job_id)
      select app_id, live, 'capture', 'available', 'revenue', billed, id from fresh where billed > 0),
    moved as (
      update wallets w set available_kobo = w.available_kobo - s.amount
      from (select app_id, live, sum(billed) as amount from fresh group by app_id, live having sum(billed) > 0) s
      where w.app_id = s.app_id and w.live = s.live),
    used as (${addUp(
      sql,
      sql`
        select app_id, live, (now() at time zone 'utc')::date, check_id, 'call', count(*) filter (where outcome = 'found'),
          count(*) filter (where outcome = 'not_found'), 0, count(*) filter (where cached), count(*) filter (where billed > 0), sum(billed)
        from fresh group by app_id, live, check_id order by app_id, live, check_id`,
    )})
    select id from paid`;
  return new Set(written.map((row) => row.id));
}

/** Answers those that were written. */
async function settleTogether(ctx: Context, items: CallSettlement[]): Promise<Set<string>> {
  return ctx.sql.begin(async (tx) => {
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
