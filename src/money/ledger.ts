/**
 * Money: double entry in kobo, append-only. Every movement is one row that names the account it leaves and the account it enters, so all accounts
 * always sum to zero. `wallets` and `holds` are running totals, on which decisions are based; `drift.ts` compares them with the ledger.
 *
 * Order of row locks everywhere: jobs, batches, holds, wallets; within a table by id.
 */

import type postgres from 'postgres';
import { type Author, bySystem, record } from '../access/audit/append.ts';
import { naira } from '../contract/fields.ts';
import type { Sql, Tx } from '../foundation/context.ts';
import { showId } from '../foundation/ids.ts';
import { type Columns, recordset } from '../foundation/recordset.ts';
import { emitEvents } from '../webhooks/events.ts';

export interface WalletKey {
  appId: string;
  live: boolean;
}

export interface Wallet {
  availableKobo: number;
  heldKobo: number;
}

/** A wallet's available balance, and what is held for accepted work that is not charged yet. */
export async function readWallet(sql: Sql | Tx, { appId, live }: WalletKey): Promise<Wallet> {
  const [row] = await sql<Wallet[]>`
    select w.available_kobo,
           w.held_kobo - coalesce((select sum(h.captured_kobo) from holds h where h.app_id = w.app_id and h.live = w.live and h.released_at is null), 0)::bigint
             as "heldKobo"
    from wallets w where w.app_id = ${appId} and w.live = ${live}`;
  return row ?? { availableKobo: 0, heldKobo: 0 };
}

export async function availableKobo(sql: Sql | Tx, { appId, live }: WalletKey): Promise<number> {
  const [wallet] = await sql<{ available: number }[]>`
    select available_kobo as available from wallets where app_id = ${appId} and live = ${live}`;
  return wallet?.available ?? 0;
}

/** Available balances, in the order of `keys`. */
export async function availableOf(sql: Sql | Tx, keys: readonly WalletKey[]): Promise<number[]> {
  const distinct = new Map(keys.map((key) => [walletName(key), key]));
  const rows = await sql<{ appId: string; live: boolean; availableKobo: number }[]>`
    select app_id, live, available_kobo from wallets where (app_id, live) in ${recordset(sql, [...distinct.values()], walletColumns)}`;
  const found = new Map(rows.map((row) => [walletName(row), row.availableKobo]));
  return keys.map((key) => found.get(walletName(key)) ?? 0);
}

/** Null if there is no such wallet. `accepted` runs last in the transaction. */
export async function topUp(
  sql: Sql,
  key: WalletKey,
  amountKobo: number,
  note: string | null,
  { by = bySystem('setup'), accepted }: { by?: Author; accepted?: (tx: Tx, wallet: Wallet) => Promise<void> } = {},
): Promise<Wallet | null> {
  return sql.begin(async (tx) => {
    const wallet = await addMoney(tx, key, amountKobo, note, by);
    if (wallet) await accepted?.(tx, wallet);
    return wallet;
  });
}

/** A top-up within a transaction of the caller. Null if there is no such wallet. */
export async function addMoney(tx: Tx, key: WalletKey, amountKobo: number, note: string | null, by: Author): Promise<Wallet | null> {
  // Waits for a deletion of the app that is in progress: no money may be left in a deleted app.
  const [app] = await tx`select 1 from apps where id = ${key.appId} and deleted_at is null for key share`;
  if (!app) return null;
  const updated = await tx`
      update wallets set available_kobo = available_kobo + ${amountKobo} where app_id = ${key.appId} and live = ${key.live}`;
  if (updated.count === 0) return null;
  await tx`insert into ledger_entries (app_id, live, kind, from_account, to_account, amount_kobo, note)
    values (${key.appId}, ${key.live}, 'topup', 'topups', 'available', ${amountKobo}, ${note})`;
  const wallet = await readWallet(tx, key);
  const { appId, live } = key;
  await record(tx, by, { appId, live, action: 'wallet.topup', object: showId('app', appId), detail: { amountKobo } });
  return wallet;
}

/**
 * Takes everything available out of a wallet: paid back, or written off as revenue. Returns the amount. The caller has locked the app, so nothing is
 * held meanwhile.
 */
export async function emptyWallet(tx: Tx, { appId, live }: WalletKey, kind: 'refund' | 'write_off', by: Author): Promise<number> {
  const [wallet] = await tx<{ kobo: number }[]>`
    select available_kobo as kobo from wallets where app_id = ${appId} and live = ${live} and available_kobo > 0 for update`;
  if (!wallet) return 0;
  await tx`update wallets set available_kobo = 0 where app_id = ${appId} and live = ${live}`;
  await tx`
    insert into ledger_entries (app_id, live, kind, from_account, to_account, amount_kobo, note)
    values (${appId}, ${live}, ${kind}, 'available', ${kind === 'refund' ? 'topups' : 'revenue'}, ${wallet.kobo}, 'the app is deleted')`;
  const action = kind === 'refund' ? 'wallet.refund' : 'wallet.writeoff';
  await record(tx, by, { appId, live, action, object: showId('app', appId), detail: { amountKobo: wallet.kobo } });
  return wallet.kobo;
}

export interface HoldRequest extends WalletKey {
  id: string;
  amountKobo: number;
  /** Seconds until the sweeper releases it. Null: it lives as long as its batch or job. */
  expiresInSeconds: number | null;
  /** The key that asked for it. */
  keyId?: string | null;
  /** The app is alerted when its available balance falls below this. */
  lowBalanceKobo?: number | null;
}

/**
 * Opens holds. Returns, in the order asked, whether the wallet covered each; a refused hold changes nothing. An amount of zero is always covered and
 * still opens a hold. If the answer of an earlier try was lost, its hold is not made again. One statement, unless a wallet runs dry.
 */
export async function holdFunds(sql: Sql | Tx, requests: HoldRequest[]): Promise<boolean[]> {
  // A low-balance alert is part of the transaction that causes it.
  const isTold = requests.some(({ lowBalanceKobo }) => lowBalanceKobo);
  if (isTold && 'begin' in sql) return sql.begin((tx) => holdFunds(tx, requests));
  const granted = new Set<string>();
  let open = requests;
  while (open.length > 0) {
    const held = new Map((await holdWhatFits(sql, open)).map(({ id, beforeKobo }) => [id, beforeKobo]));
    for (const id of held.keys()) granted.add(id);
    if (isTold) await tellLowBalances(sql as Tx, open, held);
    open = mayStillFit(
      open.filter(({ id }) => !granted.has(id)),
      ({ amountKobo }) => amountKobo,
    );
  }
  return requests.map(({ id }) => granted.has(id));
}

/**
 * The refused requests that their wallet may still cover. The first refused amount of a wallet exceeds its balance, so only smaller amounts are worth
 * another try.
 */
export function mayStillFit<Request extends WalletKey>(refused: Request[], amountOf: (request: Request) => number): Request[] {
  const first = new Map<string, number>();
  return refused.filter((request) => {
    const name = walletName(request);
    const limitKobo = first.get(name) ?? amountOf(request);
    first.set(name, limitKobo);
    return amountOf(request) < limitKobo;
  });
}

/** Grants holds in the order asked, as many as each wallet covers together. `beforeKobo` is null for a hold that existed already. */
async function holdWhatFits(sql: Sql | Tx, requests: HoldRequest[]): Promise<{ id: string; beforeKobo: number | null }[]> {
  return sql<{ id: string; beforeKobo: number | null }[]>`
    with known as (select id from holds where id = any(${requests.map((r) => r.id)}::uuid[])),
    asked as (
      select *, sum(amount) over (partition by app_id, live order by n) as total
      from ${recordset(sql, requests, holdColumns, 'n')} t
      where id not in (select id from known)),
    locked as (
      select app_id, live, available_kobo from wallets where (app_id, live) in (select app_id, live from asked) order by app_id, live for update),
    granted as (select a.*, l.available_kobo from asked a join locked l using (app_id, live) where a.total <= l.available_kobo),
    held as (
      insert into holds (id, app_id, live, amount_kobo, key_id, expires_at)
      select id, app_id, live, amount, key_id, now() + expires * interval '1 second' from granted),
    entries as (${enterInLedger(sql, sql`select app_id, live, 'hold', 'available', 'held', amount, id, null, null, null from granted where amount > 0`)}),
    moved as (
      update wallets w set available_kobo = w.available_kobo - s.amount, held_kobo = w.held_kobo + s.amount
      from (select app_id, live, sum(amount)::bigint as amount from granted group by app_id, live) s
      where w.app_id = s.app_id and w.live = s.live)
    select id, available_kobo as before_kobo from granted union all select id, null from known`;
}

const holdColumns: Columns<HoldRequest> = {
  id: ['uuid', (r) => r.id],
  app_id: ['uuid', (r) => r.appId],
  live: ['bool', (r) => r.live],
  amount: ['bigint', (r) => r.amountKobo],
  expires: ['int', (r) => r.expiresInSeconds],
  key_id: ['uuid', (r) => r.keyId ?? null],
};

/** Part of a WITH that appends to the ledger. `rows`: app_id, live, kind, from and to account, amount_kobo, hold_id, job_id, check_id and jobs. */
export const enterInLedger = (sql: Sql | Tx, rows: postgres.Fragment): postgres.Fragment => sql`
      insert into ledger_entries (app_id, live, kind, from_account, to_account, amount_kobo, hold_id, job_id, check_id, jobs) ${rows}`;

/**
 * Part of a WITH that charges settled jobs against their holds. Jobs of a batch at one price are one capture, so that the ledger of a batch stays readable;
 * their `billed_kobo` is the sub-ledger, which must add up to it (`drift.ts`). `settled`: a part of the same WITH with the columns of jobs.
 */
export const enterCaptures = (sql: Sql | Tx, settled: postgres.Fragment): postgres.Fragment =>
  enterInLedger(
    sql,
    sql`
      select app_id, live, 'capture', 'held', 'revenue', sum(billed_kobo), coalesce(batch_id, id), case when batch_id is null then id end, check_id, count(*)
      from ${settled} where billed_kobo > 0
      group by app_id, live, coalesce(batch_id, id), case when batch_id is null then id end, check_id, billed_kobo`,
  );

/** `held`: the new holds, each with the balance its wallet had available before. */
async function tellLowBalances(tx: Tx, requests: HoldRequest[], held: Map<string, number | null>): Promise<void> {
  const falls = new Map<string, Fall>();
  for (const { id, appId, live, amountKobo, lowBalanceKobo } of requests) {
    const beforeKobo = held.get(id);
    if (beforeKobo === undefined || beforeKobo === null || !lowBalanceKobo) continue;
    const fall = falls.get(walletName({ appId, live })) ?? { appId, live, lowBalanceKobo, beforeKobo, afterKobo: beforeKobo };
    fall.afterKobo -= amountKobo;
    falls.set(walletName(fall), fall);
  }
  await tellCrossings(tx, [...falls.values()]);
}

interface Fall extends WalletKey {
  lowBalanceKobo: number;
  beforeKobo: number;
  afterKobo: number;
}

/** Alerts once on the way down, and again only after the balance has been above the threshold. */
async function tellCrossings(tx: Tx, falls: Fall[]): Promise<void> {
  const crossed = falls.filter((fall) => fall.beforeKobo >= fall.lowBalanceKobo && fall.afterKobo < fall.lowBalanceKobo);
  await emitEvents(
    tx,
    crossed.map(({ appId, live, lowBalanceKobo, afterKobo }) => ({
      appId,
      live,
      type: 'wallet.low_balance',
      data: { object: 'wallet', live, currency: 'NGX', available: naira(afterKobo), low_balance: naira(lowBalanceKobo) },
      url: null,
    })),
  );
}

/**
 * Adds to a hold, and reopens it if it was released; from now on it does not expire. False: the wallet does not cover it, and nothing has changed. The
 * caller has locked the batch, job or call that the hold belongs to.
 */
export async function extendHold(tx: Tx, id: string, amountKobo: number): Promise<boolean> {
  const [extended] = await tx<{ id: string }[]>`
    with hold as (select * from holds where id = ${id} for update),
    wallet as (
      select w.app_id, w.live from wallets w join hold h on h.app_id = w.app_id and h.live = w.live where w.available_kobo >= ${amountKobo}::bigint for update of w),
    extended as (
      update holds h set expires_at = null, released_at = null,
        amount_kobo = case when h.released_at is null then h.amount_kobo else h.captured_kobo end + ${amountKobo}::bigint
      from wallet where h.id = ${id} returning h.id, h.app_id, h.live),
    entered as (${enterInLedger(
      tx,
      tx`select app_id, live, 'hold', 'available', 'held', ${amountKobo}::bigint, id, null, null, null from extended where ${amountKobo}::bigint > 0`,
    )}),
    moved as (
      -- The wallet counts open holds whole, with what was captured of them.
      update wallets w set available_kobo = w.available_kobo - ${amountKobo}::bigint,
        held_kobo = w.held_kobo + ${amountKobo}::bigint + case when hold.released_at is null then 0 else hold.captured_kobo end
      from extended e, hold where w.app_id = e.app_id and w.live = e.live)
    select id from extended`;
  if (!extended) return false;
  const falls = await tx<Fall[]>`
    select w.app_id, w.live, w.available_kobo + ${amountKobo}::bigint as before_kobo, w.available_kobo as after_kobo,
           round((a.settings->>'lowBalance')::numeric * 100)::bigint as low_balance_kobo
    from holds h join wallets w on w.app_id = h.app_id and w.live = h.live join apps a on a.id = h.app_id
    where h.id = ${id} and a.settings ? 'lowBalance'`;
  await tellCrossings(tx, falls);
  return true;
}

interface Captured {
  /** The id of the hold. */
  id: string;
  amountKobo: number;
}

/**
 * Counts captures against holds; the caller writes the ledger entries with the results. A closed hold is reopened from the wallet. Throws if the
 * wallet has too little, so that no answer goes unpaid.
 */
export async function capture(tx: Tx, captures: Captured[]): Promise<void> {
  if (captures.length === 0) return;
  const captured = new Set((await captureOpen(tx, captures)).map(({ id }) => id));
  const closed = captures.filter(({ id }) => !captured.has(id));
  for (const { id, amountKobo } of closed)
    if (!(await extendHold(tx, id, amountKobo))) throw new Error('a hold was closed, and the wallet does not cover what was to be charged');
  await captureOpen(tx, closed);
}

const captureOpen = async (tx: Tx, captures: Captured[]): Promise<{ id: string }[]> =>
  captures.length === 0 ? [] : tx<{ id: string }[]>`with ${capturing(tx, captures)} select id from captured`;

/** One statement for `capture`, which fails (`refuse_turn`, drizzle/) if a hold is closed. */
export const captureOnlyOpen = (tx: Tx, captures: Captured[]) =>
  tx`with ${capturing(tx, captures)} select refuse_turn(count(*) < ${captures.length}::int) from captured`;

/** Parts of a WITH that capture from the holds that are still open; `captured` has the ids of those. */
const capturing = (tx: Tx, captures: Captured[]) => tx`
    input as ${recordset(tx, captures, { id: ['uuid', (c) => c.id], amount: ['bigint', (c) => c.amountKobo] })},
    locked as (select h.id from holds h join input using (id) where h.released_at is null order by h.id for update of h),
    captured as (update holds h set captured_kobo = h.captured_kobo + i.amount from input i join locked using (id) where h.id = i.id returning h.id)`;

/** Releases what was not captured of open holds, and closes them. Closed and unknown holds are skipped. */
export async function releaseHolds(tx: Tx, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx`
    with open as (
      select id, app_id, live, amount_kobo, captured_kobo from holds
      where id = any(${ids}::uuid[]) and released_at is null order by id for update),
    closed as (update holds h set released_at = now() from open o where h.id = o.id),
    entries as (${enterInLedger(
      tx,
      tx`select app_id, live, 'release', 'held', 'available', amount_kobo - captured_kobo, id, null, null, null from open where amount_kobo > captured_kobo`,
    )}),
    locked as (
      select w.app_id, w.live from wallets w where (w.app_id, w.live) in (select app_id, live from open) order by w.app_id, w.live for update)
    update wallets w set held_kobo = w.held_kobo - s.amount, available_kobo = w.available_kobo + s.amount - s.captured
    from (select app_id, live, sum(amount_kobo)::bigint as amount, sum(captured_kobo)::bigint as captured from open group by app_id, live) s
    join locked l on l.app_id = s.app_id and l.live = s.live
    where w.app_id = s.app_id and w.live = s.live`;
}

/** Locks the wallets of `keys` in key order and returns the available balance of each, for `take`. */
export async function lockWallets(tx: Tx, keys: WalletKey[]): Promise<Map<string, number>> {
  const distinct = new Map(keys.map((key) => [walletName(key), key]));
  const rows = await tx<{ appId: string; live: boolean; availableKobo: number }[]>`
    select app_id, live, available_kobo from wallets
    where (app_id, live) in ${recordset(tx, [...distinct.values()], walletColumns)}
    order by app_id, live for update`;
  return new Map(rows.map((row) => [walletName(row), row.availableKobo]));
}

/** Deducts `amountKobo` from a locked balance if it suffices. */
export function take(balances: Map<string, number>, key: WalletKey, amountKobo: number): boolean {
  const available = balances.get(walletName(key)) ?? 0;
  if (available < amountKobo) return false;
  balances.set(walletName(key), available - amountKobo);
  return true;
}

/** The key of `wallets`, for `(app_id, live) in …`. */
export const walletColumns: Columns<WalletKey> = { app_id: ['uuid', (key) => key.appId], live: ['bool', (key) => key.live] };

const walletName = ({ appId, live }: WalletKey): string => `${appId}:${live}`;
