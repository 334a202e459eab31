/** The money of a batch: what its hold must cover when the batch is submitted, started, resumed or retried, and how much is missing. */
import type { Owner } from '../access/owner.ts';
import type { BatchRow, UnopenedBatch } from '../contract/batches.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import {
  type CapReached,
  capExceeded,
  extendWithinCaps,
  holderOf,
  insufficientForRest,
  insufficientFunds,
  refuseBeyondCaps,
} from '../money/caps.ts';
import { availableKobo, holdFunds, lockWallets } from '../money/ledger.ts';
import type { AppSettings } from '../schema/apps.ts';

interface NewHold {
  id: string;
  quoteKobo: number;
  needsApproval: boolean;
  expiresInSeconds: number | null;
}

/** Makes the hold of a new batch, whose lanes are written: its quote, or nothing yet if it waits for its approval. Returns the amount held. Throws the customer's refusal. */
export async function holdToSubmit(tx: Tx, owner: Owner, { id, quoteKobo, needsApproval, expiresInSeconds }: NewHold): Promise<number> {
  await refuseBeyondCaps(tx, owner, quoteKobo, 'batch');
  const hold = async (amountKobo: number) => (await holdFunds(tx, [{ ...holderOf(owner), id, amountKobo, expiresInSeconds }]))[0]!;
  const { appId, live } = owner;
  return holdWholeOrPart(tx, { id, appId, live }, needsApproval ? 0 : quoteKobo, hold);
}

/** Extends the hold of a batch that starts, if it has none, to its quote. Returns by how much. Throws the customer's refusal. */
export async function holdToStart(tx: Tx, batch: UnopenedBatch): Promise<number> {
  const { id, holdKobo, quoteKobo } = batch;
  const worst = { restKobo: quoteKobo, batchKobo: quoteKobo };
  const hold = async (moreKobo: number): Promise<boolean> => {
    const extended = await extendWithinCaps(tx, id, moreKobo, worst);
    if (typeof extended !== 'boolean') throw capExceeded(extended);
    return extended;
  };
  return holdWholeOrPart(tx, batch, holdKobo === 0 ? quoteKobo : 0, hold);
}

/** Holds `wholeKobo`; for an app that allows partial runs, what the wallet has if that pays for at least one job. `hold` says whether the wallet covers an amount. */
async function holdWholeOrPart(
  tx: Tx,
  batch: Pick<BatchRow, 'id' | 'appId' | 'live'>,
  wholeKobo: number,
  hold: (amountKobo: number) => Promise<boolean>,
): Promise<number> {
  if (await hold(wholeKobo)) return wholeKobo;
  const [app] = await tx<{ settings: AppSettings }[]>`select settings from apps where id = ${batch.appId}`;
  // Locked, so that the balance does not change in between.
  await lockWallets(tx, [batch]);
  const partKobo = Math.min(await availableKobo(tx, batch), wholeKobo);
  if (app!.settings.partialRuns && partKobo >= (await readLeast(tx, batch.id)) && (await hold(partKobo))) return partKobo;
  throw insufficientFunds(batch, wholeKobo, await availableKobo(tx, batch));
}

/** Extends the hold of work that continues, within the current caps. Throws the customer's refusal. */
export async function extendOrRefuse(
  tx: Tx,
  batch: UnopenedBatch,
  missingKobo: number,
  worst: { restKobo?: number; batchKobo: number },
): Promise<void> {
  const extended = await extendWithinCaps(tx, batch.id, missingKobo, worst);
  if (extended === false) throw insufficientFunds(batch, missingKobo, await availableKobo(tx, batch));
  if (extended !== true) throw capExceeded(extended);
}

/** Holds what is missing, as far as the wallet covers it. False if that does not pay for a single job. */
export async function holdMissing(tx: Tx, batch: UnopenedBatch): Promise<boolean | CapReached> {
  const moreKobo = Math.min(await availableKobo(tx, batch), await readMissing(tx, batch));
  if (batch.holdKobo + moreKobo - batch.billedKobo - batch.leasedKobo < (await readLeast(tx, batch.id))) return false;
  const extended = await extendWithinCaps(tx, batch.id, moreKobo, { batchKobo: batch.quoteKobo });
  if (extended === true) await tx`update batches set hold_kobo = hold_kobo + ${moreKobo} where id = ${batch.id}`;
  return extended;
}

/** The same for a customer. Throws the refusal, which says what is missing. */
export async function holdMissingOrRefuse(tx: Tx, batch: UnopenedBatch): Promise<void> {
  const held = await holdMissing(tx, batch);
  if (held === false) throw insufficientForRest(batch, await readMissing(tx, batch), await availableKobo(tx, batch));
  if (held !== true) throw capExceeded(held);
}

/** Batches of one wallet that are tried in one sweep: caps may refuse the first ones, which must not keep the others waiting. */
const RESUMED_MAX = 100;

/** The batches paused for funds whose wallet again covers at least one of their jobs, oldest first. */
export const findPayable = ({ sql }: Pick<Context, 'sql'>): Promise<{ id: string; appId: string }[]> => sql`
  select id, app_id from (
    select b.id, b.app_id, row_number() over (partition by b.app_id, b.live order by b.id) as place
    from batches b join wallets w on w.app_id = b.app_id and w.live = b.live
    where b.status = 'paused_funds'
      and b.hold_kobo + least(w.available_kobo, b.quote_kobo - b.hold_kobo) - b.billed_kobo - b.leased_kobo
        >= ${leastKobo(sql)}) payable
  where place <= ${RESUMED_MAX} order by id`;

/** SQL condition: lane `l` still has jobs to lease, now or later. A check that is finished for every row must not count as one that the money would pay for. Not `exists`, for which Postgres may read and hash all waiting jobs. */
export const hasQueued = (sql: Sql | Tx) =>
  sql`(l.fresh or coalesce((select true from waiting_jobs w where w.batch_id = l.batch_id and w.check_id = l.check_id limit 1), false))`;

/** SQL: price of the cheapest job that batch `b` still has to lease. */
const leastKobo = (sql: Sql | Tx) =>
  sql`(select coalesce(min(l.price_kobo), 0)::int from lanes l where l.batch_id = b.id and ${hasQueued(sql)})`;

async function readLeast(tx: Tx, id: string): Promise<number> {
  const [row] = await tx<{ kobo: number }[]>`select ${leastKobo(tx)} as kobo from batches b where b.id = ${id}`;
  return row!.kobo;
}

/** What the hold lacks for all that is still to be leased: less than the quote has left if rows were cheaper than their worst price. Adds up jobs only if their prices differ. */
export async function readMissing(
  sql: Sql | Tx,
  { id, queued, holdKobo, billedKobo, leasedKobo }: Pick<BatchRow, 'id' | 'queued' | 'holdKobo' | 'billedKobo' | 'leasedKobo'>,
): Promise<number> {
  const [rest] = await sql<{ kobo: number }[]>`
    select case when min(l.price_kobo) = max(l.price_kobo) then min(l.price_kobo)::bigint * ${queued}::bigint
      else (select coalesce(sum(j.price_kobo), 0)::bigint from jobs j where j.batch_id = ${id} and j.status = 'queued') end as kobo
    from lanes l where l.batch_id = ${id}`;
  return Math.max(0, rest!.kobo - (holdKobo - billedKobo - leasedKobo));
}
