/**
 * Settles single calls, which get their rows only now: job, capture, wallet, cache, usage and vendor look-ups of a group of calls in one statement, and so in
 * one round trip.
 */

import { type NewMonitor, prepareMonitors, putMonitors } from '../aml/start-monitoring.ts';
import type { Monitored } from '../checks/check.ts';
import { sealAbout } from '../contract/about.ts';
import type { Submitter } from '../contract/created-by.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import type { SealerOf } from '../foundation/data-keys.ts';
import { showId } from '../foundation/ids.ts';
import { type Columns, recordset } from '../foundation/recordset.ts';
import { type CapReached, extendWithinCaps } from '../money/caps.ts';
import { enterInLedger, extendHold, mayStillFit } from '../money/ledger.ts';
import { addUp, ROW_BYTES } from '../money/usage.ts';
import type { VendorLookup } from '../providers/guarded-provider.ts';
import { type NewReview, putReviews } from '../reviews/opening.ts';
import type { Consent } from '../schema/jobs.ts';
import type { ReviewKind } from '../schema/reviews.ts';
import { type CacheEntry, cacheSealers, putCache } from './cache.ts';
import { countTrail, trailParts } from './vendor-lookups.ts';

/** An answer that is about to be stored. */
export interface Answered {
  outcome: 'found' | 'not_found';
  entity: Record<string, unknown> | null;
  /** Somebody should look at it (`Check.flag`). */
  flagged?: boolean;
  billedKobo: number;
  cached: boolean;
  provider: string | null;
  latencyMs: number;
  cacheEntries: CacheEntry[];
  /** The person is to be monitored from now on. */
  monitor?: Monitored | undefined;
  /** A person must decide about it. */
  review?: ReviewKind | null;
}

/** A single call. Its price was held beforehand (`held`) unless the cache answered. */
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
  /** Who made the call. */
  by: Submitter;
  /** The subject's consent, kept with the call. */
  consent?: Consent | undefined;
  /** Questions put to vendors. */
  trail: VendorLookup[];
  result: ({ status: 'completed' } & Answered) | { status: 'failed'; errorCode: string };
}

/** Unless it is `settled`, the answer must not be given: the wallet or a cap does not allow its price. */
export type CallSettled = 'settled' | 'insufficient_funds' | CapReached;

/** Settles calls whose price was held before their vendor was asked. */
export async function settleHeldCalls(ctx: Context, items: CallSettlement[]): Promise<CallSettled[]> {
  const held = await keepingConsents(ctx, items, (sql) => writeHeld(ctx, sql, items));
  const swept = new Map<string, CallSettled>();
  for (const item of items) if (!held.has(item.jobId)) swept.set(item.jobId, await settleSwept(ctx, item));
  return countOutcomes(ctx, items, ({ jobId }) => swept.get(jobId) ?? 'settled');
}

/** Settles calls answered from the cache. `mayBeDone`: an earlier try lost its connection, perhaps after writing them. */
export async function settleCachedCalls(ctx: Context, items: CallSettlement[], mayBeDone: boolean): Promise<CallSettled[]> {
  const settled = await writeCached(ctx, items.filter(isCached), mayBeDone);
  return countOutcomes(ctx, items, ({ jobId }) => (settled.has(jobId) ? 'settled' : 'insufficient_funds'));
}

/** The outcomes of `items`, which it also adds to the metrics. */
function countOutcomes(ctx: Context, items: CallSettlement[], outcomeOf: (item: CallSettlement) => CallSettled): CallSettled[] {
  countTrail(ctx, items);
  return items.map((item) => {
    const outcome = outcomeOf(item);
    const { checkId, live, result } = item;
    if (outcome === 'settled') {
      ctx.metrics.jobs.inc({ check: checkId, outcome: result.status === 'completed' ? result.outcome : 'failed', source: 'call' });
      if (live && result.status === 'completed' && result.billedKobo > 0) ctx.metrics.billed.inc({ check: checkId }, result.billedKobo);
    }
    return outcome;
  });
}

/** `write` is one statement. Only if a monitor starts does it need a transaction, which costs further round trips. */
async function keepingConsents(
  ctx: Context,
  calls: CallSettlement[],
  write: (sql: Sql | Tx) => Promise<Set<string>>,
): Promise<Set<string>> {
  const monitored = monitorsOf(calls);
  if (monitored.length === 0) return write(ctx.sql);
  // Before the transaction: the key service may be asked.
  await sealersOf(ctx, calls);
  return ctx.sql.begin(async (tx) => {
    await prepareMonitors(tx, ctx, monitored);
    return write(tx);
  });
}

const sealersOf = ({ cipher }: Context, calls: readonly CallSettlement[]): Promise<SealerOf> =>
  cipher.sealers(calls.map(({ appId }) => ({ appId })));

const aboutOf = (sealerOf: SealerOf, { jobId, appId, consent }: CallSettlement): Buffer | null =>
  sealAbout(sealerOf({ appId }), showId('job', jobId), { consent });

type CachedCall = CallSettlement & { result: { status: 'completed' } & Answered };

/** No provider was asked: the call leaves only its row and its charge. */
const isCached = (item: CallSettlement): item is CachedCall => !item.held && item.result.status === 'completed';

/**
 * The usual call: beside a running batch each round trip costs milliseconds. Returns the calls that are written, now or by an earlier try. The earlier one is
 * looked for only if there was one: a look into the jobs opens the partitions of all months.
 */
async function writeCached(ctx: Context, calls: CachedCall[], mayBeDone: boolean): Promise<Set<string>> {
  const settled = new Set(mayBeDone ? await readWritten(ctx, calls) : []);
  let open = calls.filter(({ jobId }) => !settled.has(jobId));
  while (open.length > 0) {
    const tried = open;
    for (const id of await keepingConsents(ctx, tried, (sql) => settleWhatFits(ctx, sql, tried))) settled.add(id);
    open = mayStillFit(
      open.filter(({ jobId }) => !settled.has(jobId)),
      ({ result }) => result.billedKobo,
    );
  }
  return settled;
}

async function readWritten({ sql }: Context, calls: CachedCall[]): Promise<string[]> {
  if (calls.length === 0) return [];
  const written = await sql<{ id: string }[]>`select id from jobs where id = any(${calls.map(({ jobId }) => jobId)}::uuid[])`;
  return written.map(({ id }) => id);
}

/** Columns of every call, whether it was answered or not. */
const callColumns = (sealerOf: SealerOf): Columns<CallSettlement> => ({
  id: ['uuid', (c) => c.jobId],
  check_id: ['text', (c) => c.checkId],
  family: ['text', (c) => c.family],
  subject: ['bytea', (c) => c.subject],
  price: ['int', (c) => c.priceKobo],
  cached_price: ['int', (c) => c.cachedPriceKobo],
  about: ['bytea', (c) => aboutOf(sealerOf, c)],
  key_id: ['uuid', (c) => c.by.keyId],
  person_id: ['uuid', (c) => c.by.personId],
});

/** Where a wallet does not cover all its calls, only the first ones are written. */
async function settleWhatFits(ctx: Context, sql: Sql | Tx, calls: CachedCall[]): Promise<Set<string>> {
  const sealerOf = await sealersOf(ctx, calls);
  const written = await sql<{ id: string }[]>`
    with input as ${recordset(
      sql,
      calls,
      {
        ...callColumns(sealerOf),
        app_id: ['uuid', (c) => c.appId],
        live: ['bool', (c) => c.live],
        outcome: ['text', (c) => c.result.outcome],
        flagged: ['bool', (c) => c.result.flagged || null],
        billed: ['int', (c) => c.result.billedKobo],
        cached: ['bool', (c) => c.result.cached],
        provider: ['text', (c) => c.result.provider],
        latency: ['int', (c) => c.result.latencyMs],
      },
      'n',
    )},
    due as (select *, sum(billed) over (partition by app_id, live order by n) as total from input),
    locked as (
      select app_id, live, available_kobo from wallets where (app_id, live) in (select app_id, live from input) order by app_id, live for update),
    paid as (select d.* from due d join locked l using (app_id, live) where d.total <= l.available_kobo),
    written as (
      insert into jobs (id, app_id, live, check_id, family, subject, price_kobo, cached_price_kobo, status, outcome, billed_kobo, cached, provider,
        latency_ms, flagged, about, key_id, person_id, attempt, completed_at)
      select id, app_id, live, check_id, family, subject, price, cached_price, 'completed', outcome::job_outcome, billed, cached,
        provider, latency, flagged, about, key_id, person_id, 1, now() from paid
      on conflict (id) do nothing returning id),
    fresh as (select p.* from paid p join written using (id)),
    entries as (${enterInLedger(sql, sql`select app_id, live, 'capture', 'available', 'revenue', billed, null, id, check_id, 1 from fresh where billed > 0`)}),
    moved as (
      update wallets w set available_kobo = w.available_kobo - s.amount
      from (select app_id, live, sum(billed) as amount from fresh group by app_id, live having sum(billed) > 0) s
      where w.app_id = s.app_id and w.live = s.live),
    used as (${addUp(
      sql,
      sql`
        select app_id, live, (now() at time zone 'utc')::date, check_id, 'call', count(*) filter (where outcome = 'found'),
          count(*) filter (where outcome = 'not_found'), 0, count(*) filter (where cached), count(*) filter (where billed > 0), sum(billed), count(*) * ${ROW_BYTES}::bigint
        from fresh group by app_id, live, check_id order by app_id, live, check_id`,
    )} returning 1)
    ${monitorPart(ctx, sql, sealerOf, calls)} ${reviewPart(sql, calls)}
    select id from paid`;
  return new Set(written.map((row) => row.id));
}

/**
 * Calls that asked a vendor, also in one statement: the hold is captured or released together with the call's row, cache record, usage and vendor
 * look-ups. Returns the calls that it has written. A call that is missing had a closed hold, and nothing of it was written now: the hold expired, or an earlier
 * try has written it.
 */
async function writeHeld(ctx: Context, sql: Sql | Tx, calls: CallSettlement[]): Promise<Set<string>> {
  if (calls.length === 0) return new Set();
  const answered = ({ result }: CallSettlement) => (result.status === 'completed' ? result : null);
  const cacheEntries = calls.flatMap((call) => (answered(call)?.cacheEntries ?? []).map((entry) => ({ ...entry, callId: call.jobId })));
  const [sealerOf, forCache] = await Promise.all([sealersOf(ctx, calls), cacheSealers(ctx, cacheEntries)]);
  const isAsked = calls.some(({ trail }) => trail.length > 0);
  // Locks are taken in the order holds, wallets, usage, provider days. Parts of a WITH run in no order of their own, so each `(select count(*) from x) >= 0`
  // below is there only to make its part wait for x: it is always true.
  const settled = await sql<{ id: string }[]>`
    with input as ${recordset(sql, calls, {
      ...callColumns(sealerOf),
      status: ['text', (c) => c.result.status],
      outcome: ['text', (c) => answered(c)?.outcome ?? null],
      flagged: ['bool', (c) => answered(c)?.flagged || null],
      billed: ['int', (c) => answered(c)?.billedKobo ?? 0],
      cached: ['bool', (c) => answered(c)?.cached ?? false],
      provider: ['text', (c) => answered(c)?.provider ?? null],
      latency: ['int', (c) => answered(c)?.latencyMs ?? null],
      error_code: ['text', (c) => (c.result.status === 'failed' ? c.result.errorCode : null)],
    })},
    open as (select id from holds where id in (select id from input) and released_at is null order by id for update),
    closed as (
      update holds h set captured_kobo = i.billed, released_at = now() from open join input i using (id) where h.id = open.id
      returning h.id, h.app_id, h.live, h.amount_kobo),
    fresh as (select i.*, c.app_id, c.live, c.amount_kobo from input i join closed c using (id)),
    locked as (
      select app_id, live from wallets where (app_id, live) in (select app_id, live from fresh) order by app_id, live for update),
    moved as (
      update wallets w set held_kobo = w.held_kobo - s.amount, available_kobo = w.available_kobo + s.amount - s.billed
      from (select app_id, live, sum(amount_kobo)::bigint as amount, sum(billed)::bigint as billed from fresh group by app_id, live) s
        join locked using (app_id, live)
      where w.app_id = s.app_id and w.live = s.live returning 1),
    written as (
      insert into jobs (id, app_id, live, check_id, family, subject, price_kobo, cached_price_kobo, status, outcome, billed_kobo, cached, provider,
        latency_ms, error_code, flagged, about, key_id, person_id, attempt, completed_at)
      select id, app_id, live, check_id, family, subject, price, cached_price, status::job_status, outcome::job_outcome, billed, cached,
        provider, latency, error_code, flagged, about, key_id, person_id, 1, now() from fresh),
    entries as (${enterInLedger(
      sql,
      sql`
      select app_id, live, 'capture'::ledger_kind, 'held'::ledger_account, 'revenue'::ledger_account, billed, id, id, check_id, 1 from fresh where billed > 0
      union all
      select app_id, live, 'release', 'held', 'available', amount_kobo - billed, id, null, null, null from fresh where amount_kobo > billed`,
    )}),
    used as (${addUp(
      sql,
      sql`
        select app_id, live, (now() at time zone 'utc')::date, check_id, 'call', count(*) filter (where outcome = 'found'),
          count(*) filter (where outcome = 'not_found'), count(*) filter (where status = 'failed'), count(*) filter (where cached),
          count(*) filter (where billed > 0), sum(billed), count(*) * ${ROW_BYTES}::bigint
        from fresh where (select count(*) from moved) >= 0 group by app_id, live, check_id order by app_id, live, check_id`,
    )} returning 1)
    ${cacheEntries.length > 0 ? sql`, cached as (${putCache(sql, forCache, cacheEntries, sql`call_id in (select id from fresh)`)})` : sql``}
    ${isAsked ? sql`, ${trailParts(sql, calls, sql`(select count(*) from used) >= 0`)}` : sql``}
    ${monitorPart(ctx, sql, sealerOf, calls)} ${reviewPart(sql, calls)}
    select id from fresh`;
  return new Set(settled.map((row) => row.id));
}

/**
 * A call whose hold expired and was released before the answer came, unless an earlier try has written it. Its price is held again; where the wallet or a cap does not allow that, the
 * call is stored as failed, with the cost of its vendors, and its answer is not cached.
 */
async function settleSwept(ctx: Context, call: CallSettlement): Promise<CallSettled> {
  return ctx.sql.begin(async (tx) => {
    const { jobId, result } = call;
    await prepareMonitors(tx, ctx, monitorsOf([call]));
    // An earlier try whose answer was lost may still be running.
    await tx`select 1 from holds where id = ${jobId} for update`;
    const [known] = await tx<{ errorCode: string | null }[]>`select error_code from jobs where id = ${jobId}`;
    if (known) return known.errorCode === REFUSED && result.status === 'completed' ? REFUSED : 'settled';
    const billedKobo = result.status === 'completed' ? result.billedKobo : 0;
    const extended = billedKobo === 0 ? false : await extendWithinCaps(tx, jobId, billedKobo, { restKobo: billedKobo });
    if (extended !== true) await extendHold(tx, jobId, 0);
    const isPaid = extended === true || billedKobo === 0;
    await writeHeld(ctx, tx, [isPaid ? call : { ...call, result: { status: 'failed', errorCode: REFUSED } }]);
    return isPaid ? 'settled' : extended || REFUSED;
  });
}

const REFUSED = 'insufficient_funds';

const monitorsOf = (calls: readonly CallSettlement[]): NewMonitor[] =>
  calls.flatMap(({ jobId, appId, live, checkId, consent = null, result }): NewMonitor[] =>
    result.status === 'completed' && result.monitor ? [{ jobId, appId, live, checkId, consent, ...result.monitor }] : [],
  );

/** Part of a WITH: monitors of the calls that are written (`fresh`), after their usage (`used`). Empty without monitors. */
function monitorPart(ctx: Context, sql: Sql | Tx, sealerOf: SealerOf, calls: CallSettlement[]) {
  const monitors = monitorsOf(calls);
  if (monitors.length === 0) return sql``;
  return sql`, watched as (${putMonitors(sql, ctx, sealerOf, monitors, sql`job_id in (select id from fresh) and (select count(*) from used) >= 0`)})`;
}

/** Part of a WITH: review cases of the calls that are written (`fresh`). Empty without any. */
function reviewPart(sql: Sql | Tx, calls: CallSettlement[]) {
  const opened = calls.flatMap(({ jobId, appId, live, checkId, result }): NewReview[] =>
    result.status === 'completed' && result.review ? [{ jobId, appId, live, checkId, kind: result.review }] : [],
  );
  return opened.length === 0 ? sql`` : sql`, reviewed as (${putReviews(sql, opened, sql`job_id in (select id from fresh)`)})`;
}
