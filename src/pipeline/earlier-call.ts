/**
 * A single call is repeated with its `Idempotency-Key` after the process that made it died or froze. Whatever became of the first one, the call is charged
 * once.
 */
import type { Claim } from '../access/idempotency.ts';
import type { Context } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { releaseHolds } from '../money/ledger.ts';
import type { CallSettlement } from './settle-calls.ts';

/** What an earlier call was charged. */
export interface Charged {
  billedKobo: number;
  cached: boolean;
}

/** The members of the repeated call that the earlier one must share. */
type Repeated = Pick<CallSettlement, 'appId' | 'live' | 'checkId' | 'family' | 'subject' | 'priceKobo' | 'cachedPriceKobo' | 'by'>;

/**
 * Ends the call of an earlier claim. Returns what it was charged. Null: nothing, and it never will be, because it now has a row and no hold. Throws if another
 * request has taken the key over.
 */
export async function endEarlierCall(ctx: Context, claim: Claim, earlier: string, call: Repeated): Promise<Charged | null> {
  const { appId, live, checkId, family, subject, priceKobo, cachedPriceKobo, by } = call;
  return ctx.sql.begin(async (tx) => {
    // Its settlement locks the hold first too.
    const held = await tx`select 1 from holds where id = ${earlier} and app_id = ${appId} and released_at is null for update`;
    const ended = await tx`
      insert into jobs (id, app_id, live, check_id, family, subject, price_kobo, cached_price_kobo, status, error_code, key_id, person_id, attempt, completed_at)
      values (${earlier}, ${appId}, ${live}, ${checkId}, ${family}, ${subject}, ${priceKobo}, ${cachedPriceKobo}, 'failed', ${INTERRUPTED}, ${by.keyId},
        ${by.personId}, 1, now())
      on conflict (id) do nothing`;
    if (ended.count === 0) {
      const [charged] = await tx<Charged[]>`
        select billed_kobo, cached from jobs
        where id = ${earlier} and app_id = ${appId} and live = ${live} and check_id = ${checkId} and subject = ${subject} and billed_kobo > 0`;
      if (charged) return charged;
    } else if (held.count > 0) await releaseHolds(tx, [earlier]);
    if (await claim.succeed(tx)) return null;
    throw new ApiError('idempotency_in_progress', 'Another request with this Idempotency-Key has begun; repeat it to get its answer', {
      headers: { 'Retry-After': '2' },
    });
  });
}

/** The documented code of a call that the service could not finish. */
const INTERRUPTED = 'unavailable';
