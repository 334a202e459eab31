/**
 * Spending caps: for a key and an app in a day (UTC, by Postgres's clock), and for one batch. A day's spending is what was held on it: an open hold
 * counts with its whole amount (a partial run, which extends its hold later, with its whole quote), a closed one with what was captured. Work that
 * resumes passes the caps again, and the rest of it counts for the day on which it resumes. All spending of capped owners goes through holds, and
 * each hold locks its wallet, so the sum taken under that lock cannot change before the new hold exists.
 */

import { kobo, naira } from '../contract/fields.ts';
import type { Sql, Tx } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { showId } from '../foundation/ids.ts';
import { recordset } from '../foundation/recordset.ts';
import type { AppSettings } from '../schema/apps.ts';
import { extendHold, type HoldRequest, holdFunds, lockWallets, take, type WalletKey, walletColumns } from './ledger.ts';

/** Whose money is spent, and within which limits. */
export interface Spender extends WalletKey {
  settings: AppSettings;
  keyId?: string | null;
  keyDailyCapKobo?: number | null;
}

interface DailyCaps {
  keyKobo: number | null;
  appKobo: number | null;
}

export interface CapReached {
  cap: 'key_day' | 'app_day' | 'batch';
  limitKobo: number;
  leftKobo: number;
  /** The amount that was refused. */
  amountKobo: number;
}

export type CappedHold = HoldRequest & { caps?: DailyCaps | null };

/** The members of a hold that come from its owner. */
export function holderOf(spender: Spender): Pick<CappedHold, 'appId' | 'live' | 'keyId' | 'lowBalanceKobo' | 'caps'> {
  const { appId, live, keyId, settings } = spender;
  const lowBalanceKobo = settings.lowBalance === undefined ? null : kobo(settings.lowBalance);
  return { appId, live, keyId: keyId ?? null, lowBalanceKobo, caps: dailyCapsOf(spender) };
}

/** Whether every amount must go through a hold, even that of a cached answer: caps count holds, and a low balance is noticed when one is made. */
export const hasLimits = (spender: Spender): boolean => dailyCapsOf(spender) !== null || spender.settings.lowBalance !== undefined;

function dailyCapsOf({ settings, keyDailyCapKobo }: Pick<Spender, 'settings' | 'keyDailyCapKobo'>): DailyCaps | null {
  const caps = { keyKobo: keyDailyCapKobo ?? null, appKobo: settings.dailyCap === undefined ? null : kobo(settings.dailyCap) };
  return caps.keyKobo === null && caps.appKobo === null ? null : caps;
}

/** The refusal `insufficient_funds`: the price, the balance, and the request that tops the wallet up. */
export const insufficientFunds = (wallet: WalletKey, priceKobo: number, availableKobo: number): ApiError =>
  beyondBalance(wallet, priceKobo, availableKobo, `The price is ${naira(priceKobo)} NGX`, 'nothing was looked up');

/** The same where a batch has begun and `missingKobo` is what its rest lacks. */
export const insufficientForRest = (wallet: WalletKey, missingKobo: number, availableKobo: number): ApiError =>
  beyondBalance(wallet, missingKobo, availableKobo, `The rest of the batch needs ${naira(missingKobo)} NGX more`, 'its rows wait');

function beyondBalance({ appId, live }: WalletKey, amountKobo: number, available: number, needs: string, outcome: string): ApiError {
  const mode = live ? 'live' : 'test';
  const topUp = `POST /api/v1/admin/apps/${showId('app', appId)}/topups with {"amount": ${naira(amountKobo - available)}, "mode": "${mode}"}`;
  return new ApiError(
    'insufficient_funds',
    `${needs} and the ${mode} wallet has ${naira(available)} NGX; ${outcome}. Ask the operator to top it up: ${topUp}`,
    { extra: { quote_amount: naira(amountKobo), available_amount: naira(available) } },
  );
}

/** Throws `spending_cap_exceeded` if `amountKobo` more is too much. The hold must follow in the same transaction. */
export async function refuseBeyondCaps(tx: Tx, spender: Spender, amountKobo: number, work: 'job' | 'batch'): Promise<void> {
  const beyond = work === 'batch' ? beyondBatchCap(spender.settings, amountKobo) : null;
  if (beyond) throw capExceeded(beyond);
  const caps = dailyCapsOf(spender);
  if (!caps) return;
  await lockWallets(tx, [spender]);
  const reached = (await spentToday(tx, [spender])).reached({ ...spender, keyId: spender.keyId ?? null, caps, amountKobo });
  if (reached) throw capExceeded(reached);
}

function beyondBatchCap({ batchCap }: AppSettings, amountKobo: number): CapReached | null {
  if (batchCap === undefined || amountKobo <= kobo(batchCap)) return null;
  return { cap: 'batch', limitKobo: kobo(batchCap), leftKobo: kobo(batchCap), amountKobo };
}

interface OpenCommitment extends WalletKey {
  keyId: string | null;
  isToday: boolean;
  /** Captured on the day for which the hold counts. */
  spentKobo: number;
  /** The most that may still be spent. */
  restKobo: number;
  settings: AppSettings;
  keyDailyCapKobo: number | null;
}

/**
 * `extendHold` within the current caps of the hold's app and key; the hold then counts for today. `restKobo`: the most that may still be spent, by
 * default the open rest of the hold. `batchKobo`: the most that the whole batch may cost. The caller has locked the batch, job or call that the
 * hold belongs to.
 */
export async function extendWithinCaps(
  tx: Tx,
  id: string,
  amountKobo: number,
  worst: { restKobo?: number; batchKobo?: number } = {},
): Promise<boolean | CapReached> {
  const [hold] = await tx<OpenCommitment[]>`
    select h.app_id, h.live, h.key_id, h.created_at >= date_trunc('day', now(), 'UTC') as is_today, h.captured_kobo - h.captured_before_kobo as spent_kobo,
           coalesce(h.committed_kobo, greatest(h.amount_kobo, b.quote_kobo)) - (h.captured_kobo - h.captured_before_kobo) as rest_kobo,
           a.settings, k.daily_cap_kobo as key_daily_cap_kobo
    from holds h join apps a on a.id = h.app_id left join api_keys k on k.id = h.key_id left join batches b on b.id = h.id
    where h.id = ${id} for update of h`;
  if (!hold) return false;
  const committedKobo = (hold.isToday ? hold.spentKobo : 0) + (worst.restKobo ?? hold.restKobo);
  const beyond = beyondBatchCap(hold.settings, worst.batchKobo ?? 0);
  if (beyond) return beyond;
  const caps = dailyCapsOf(hold);
  if (caps) {
    await lockWallets(tx, [hold]);
    const reached = (await spentToday(tx, [hold], id)).reached({ ...hold, caps, amountKobo: committedKobo });
    if (reached) return reached;
  }
  if (!(await extendHold(tx, id, amountKobo))) return false;
  await tx`
    update holds set committed_kobo = ${committedKobo}::bigint,
      captured_before_kobo = case when ${hold.isToday} then captured_before_kobo else captured_kobo end,
      created_at = case when ${hold.isToday} then created_at else now() end
    where id = ${id}`;
  return true;
}

/** `holdFunds` within the caps of each request. True: held. False: the wallet does not cover it. */
export async function holdWithinCaps(sql: Sql, requests: CappedHold[]): Promise<(boolean | CapReached)[]> {
  if (!requests.some(({ caps }) => caps)) return holdFunds(sql, requests);
  return sql.begin(async (tx) => {
    const balances = await lockWallets(tx, requests);
    const spent = await spentToday(tx, requests);
    const known = new Set(
      (await tx<{ id: string }[]>`select id from holds where id = any(${requests.map(({ id }) => id)}::uuid[])`).map(({ id }) => id),
    );
    const answers = requests.map((request) => {
      // Held by an earlier try whose answer was lost, and already counted as spent.
      if (known.has(request.id)) return true;
      const reached = spent.reached(request);
      if (reached) return reached;
      if (!take(balances, request, request.amountKobo)) return false;
      spent.add(request);
      return true;
    });
    await holdFunds(
      tx,
      requests.filter((_, i) => answers[i] === true),
    );
    return answers;
  });
}

export const capExceeded = ({ cap, limitKobo, leftKobo, amountKobo }: CapReached): ApiError =>
  new ApiError('spending_cap_exceeded', `${naira(amountKobo)} NGX is more than ${allowance[cap]} (${naira(leftKobo)} NGX)`, {
    extra: { cap, limit_amount: naira(limitKobo), left_amount: naira(leftKobo), quote_amount: naira(amountKobo) },
  });

const allowance = { key_day: 'this key may still spend today', app_day: 'this app may still spend today', batch: 'one batch may cost' };

type Spending = Pick<CappedHold, 'appId' | 'live' | 'keyId' | 'caps' | 'amountKobo'>;

/**
 * Amounts that keys and apps have committed today, without the hold `except`; what people spend counts for the app only. A key and the keys that it
 * replaced (`rotatedTo`) count as one, by the id of the latest. `spenders`: all that are asked about. The caller has locked their wallets.
 */
async function spentToday(tx: Tx, spenders: (WalletKey & { keyId?: string | null })[], except: string | null = null) {
  const rows = await tx<{ appId: string; live: boolean; keyId: string | null; latestId: string | null; kobo: number }[]>`
    with recursive asking as ${recordset(tx, spenders, { ...walletColumns, key_id: ['uuid', ({ keyId }) => keyId ?? null] })},
    spent as (
      select h.app_id, h.live, h.key_id,
             sum(case when h.released_at is null then coalesce(h.committed_kobo, greatest(h.amount_kobo, b.quote_kobo))
                      else h.captured_kobo - h.captured_before_kobo end)::bigint as kobo
      from holds h left join batches b on b.id = h.id and h.released_at is null
      where (h.app_id, h.live) in (select app_id, live from asking)
        and h.id is distinct from ${except}::uuid and h.created_at >= date_trunc('day', now(), 'UTC')
      group by h.app_id, h.live, h.key_id
      union all select distinct app_id, live, key_id, 0 from asking),
    rotations as (
      select k.id, k.id as latest_id, k.rotated_to from api_keys k where k.id in (select key_id from spent)
      union all select r.id, k.id, k.rotated_to from rotations r join api_keys k on k.id = r.rotated_to)
    select s.*, r.latest_id from spent s left join rotations r on r.id = s.key_id and r.rotated_to is null`;
  const latest = new Map(rows.map(({ keyId, latestId }) => [keyId, latestId]));
  const capped = (keyId: string | null | undefined) => (keyId ? (latest.get(keyId) ?? keyId) : null);
  const spent = new Map<string, number>();
  const count = (name: string, amountKobo: number) => spent.set(name, (spent.get(name) ?? 0) + amountKobo);
  const add = ({ appId, live, keyId, amountKobo }: Omit<Spending, 'caps'>) => {
    count(`${appId} ${live}`, amountKobo);
    const name = capped(keyId);
    if (name) count(name, amountKobo);
  };
  for (const row of rows) add({ ...row, amountKobo: row.kobo });
  return {
    add,
    /** The cap that `amountKobo` more would exceed. Null: none. */
    reached({ appId, live, keyId, caps, amountKobo }: Spending): CapReached | null {
      const limits = [
        { cap: 'key_day', limitKobo: caps?.keyKobo ?? null, name: capped(keyId) },
        { cap: 'app_day', limitKobo: caps?.appKobo ?? null, name: `${appId} ${live}` },
      ] as const;
      for (const { cap, limitKobo, name } of limits) {
        if (limitKobo === null || !name) continue;
        const leftKobo = Math.max(0, limitKobo - (spent.get(name) ?? 0));
        if (amountKobo > leftKobo) return { cap, limitKobo, leftKobo, amountKobo };
      }
      return null;
    },
  };
}
