/**
 * What a check costs an app: the price of its declaration, or a price agreed with the operator while that is valid. Agreed prices come with the
 * authenticated owner. Accepted work keeps the prices that `priceOf` returned.
 */

import { desc, eq } from 'drizzle-orm';
import { type Author, record } from '../access/audit/append.ts';
import { KEYS_CHANNEL } from '../access/keys.ts';
import type { AgreedPrices, Price } from '../access/owner.ts';
import type { Check, Parts } from '../checks/check.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { newId, showId } from '../foundation/ids.ts';
import { priceOverrides } from '../schema/money.ts';

/** What the check costs this app now. */
export function priceOf(owner: { prices?: AgreedPrices | null }, check: Check): Price {
  const { priceKobo, cachedPriceKobo } = owner.prices?.[check.id] ?? check;
  return { priceKobo, cachedPriceKobo };
}

/** What an answer costs: nothing if there is no record; for an answer in parts, only the parts that were answered. */
export function chargeOf(
  answer: { outcome: 'found'; cached: boolean; parts: Parts | undefined } | { outcome: 'not_found' },
  { priceKobo, cachedPriceKobo }: Price,
): number {
  if (answer.outcome === 'not_found') return 0;
  const { cached, parts } = answer;
  if (parts) return Math.round((parts.asked * priceKobo + parts.cached * cachedPriceKobo) / parts.of);
  return cached ? cachedPriceKobo : priceKobo;
}

/** SQL that reads the currently valid `AgreedPrices` of the app in column `k.app_id`. Null: none. Of several, the one that began last counts. */
export const agreedPrices = (sql: Sql) => sql`(
  select jsonb_object_agg(p.check_id, jsonb_build_object('priceKobo', p.price_kobo, 'cachedPriceKobo', p.cached_price_kobo, 'validUntil', p.valid_until))
  from (select distinct on (check_id) * from price_overrides
        where app_id = k.app_id and valid_from <= now() and (valid_until is null or valid_until > now())
        order by check_id, valid_from desc, id desc) p)`;

export type OverrideRow = typeof priceOverrides.$inferSelect;

export interface PriceTerms {
  priceKobo: number;
  /** Null: the same share of the price as on the price list. */
  cachedPriceKobo: number | null;
  /** ISO; null: now. */
  validFrom: string | null;
  validUntil: string | null;
}

/** Whether an agreement that would begin now is over already. One that also began in the past is noted as it was. */
export const isOver = ({ validFrom, validUntil }: Pick<PriceTerms, 'validFrom' | 'validUntil'>): boolean =>
  validFrom === null && validUntil !== null && Date.parse(validUntil) <= Date.now();

/** Null if there is no such app. */
export async function agreePrice(tx: Tx, appId: string, check: Check, terms: PriceTerms, by: Author): Promise<OverrideRow | null> {
  const share = check.priceKobo === 0 ? 1 : check.cachedPriceKobo / check.priceKobo;
  const cachedPriceKobo = terms.cachedPriceKobo ?? Math.round(terms.priceKobo * share);
  const [made] = await tx<OverrideRow[]>`
    insert into price_overrides (id, app_id, check_id, price_kobo, cached_price_kobo, valid_from, valid_until)
    select ${newId()}::uuid, id, ${check.id}, ${terms.priceKobo}::int, ${cachedPriceKobo}::int, coalesce(${terms.validFrom}::timestamptz, now()),
      ${terms.validUntil}::timestamptz
    from apps where id = ${appId} and deleted_at is null returning *`;
  if (!made) return null;
  await tx`select pg_notify(${KEYS_CHANNEL}, '')`;
  const { checkId, validFrom, validUntil, priceKobo } = made;
  await recordPrice(tx, by, made, { check: checkId, priceKobo, cachedPriceKobo, validFrom, validUntil });
  return made;
}

/**
 * Changes with every change of what the check costs the app: on the price list, or by an agreement. Locks the app, so that it holds until the transaction ends.
 */
export async function priceState(tx: Tx, appId: string, check: Check): Promise<string> {
  await tx`select 1 from apps where id = ${appId} for no key update`;
  const [agreed] = await tx<{ digest: string | null }[]>`
    select md5(string_agg(id::text || coalesce(valid_until::text, ''), ',' order by id)) as digest
    from price_overrides where app_id = ${appId} and check_id = ${check.id}`;
  return JSON.stringify([check.priceKobo, check.cachedPriceKobo, agreed!.digest]);
}

const recordPrice = (tx: Tx, by: Author, { id, appId }: OverrideRow, detail: Record<string, unknown>): Promise<void> =>
  record(tx, by, { appId, live: null, action: 'app.prices', object: showId('prc', id), detail });

/** Most agreements that a list shows. */
const LISTED_MAX = 1_000;

/** An app's agreed prices, past and future, newest first. */
export async function listAgreedPrices(ctx: Context, appId: string): Promise<OverrideRow[]> {
  return ctx.db.select().from(priceOverrides).where(eq(priceOverrides.appId, appId)).orderBy(desc(priceOverrides.id)).limit(LISTED_MAX);
}

/** Ends an agreement now, or before it begins; it stays on record. One that has ended is returned unchanged. Null if the app has no such agreement. */
export async function endPrice(tx: Tx, appId: string, id: string, by: Author): Promise<OverrideRow | null> {
  const [ended] = await tx<OverrideRow[]>`
    update price_overrides set valid_until = least(valid_until, greatest(now(), valid_from)) where id = ${id} and app_id = ${appId} returning *`;
  if (!ended) return null;
  await tx`select pg_notify(${KEYS_CHANNEL}, '')`;
  await recordPrice(tx, by, ended, { check: ended.checkId, validUntil: ended.validUntil });
  return ended;
}

/** The app's agreement that is in force or still to come. Null if it has none of this id. */
export async function readOpenPrice(sql: Sql | Tx, appId: string, id: string): Promise<OverrideRow | null> {
  const [open] = await sql<OverrideRow[]>`
    select * from price_overrides where id = ${id} and app_id = ${appId} and (valid_until is null or valid_until > now())`;
  return open ?? null;
}
