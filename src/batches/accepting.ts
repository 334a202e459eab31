/** What accepting a job and accepting a batch have in common. */
import { refuseWithoutConsent } from '../access/consents.ts';
import type { Owner } from '../access/owner.ts';
import { refuseCheck } from '../access/restrictions.ts';
import { askedCheck } from '../checks/catalog.ts';
import type { Check } from '../checks/check.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { newId } from '../foundation/ids.ts';
import { priceOf } from '../money/prices.ts';
import { refuseUnserved } from '../providers/availability.ts';
import type { Router } from '../providers/router.ts';
import type { StorageQuota } from './storage.ts';

export type Submitting = Context & { router: Router; storageQuota: StorageQuota };

/** Runs last in the accepting transaction: what it writes is committed with it, and what it throws rolls it back. */
export type Accepted<T> = (tx: Tx, accepted: T) => Promise<void>;

/** The named checks at this app's prices. `path`: the member of the body that names them. Throws `invalid_request`, `provider_not_configured`, or the refusal for missing consent. */
export function allowedChecks(
  ctx: Submitting,
  owner: Owner,
  { ids, path, consent }: { ids: readonly string[]; path: string; consent: unknown },
): Check[] {
  const checks = ids.map((id) => {
    const check = askedCheck(id, path);
    refuseCheck(owner.terms, check.id);
    refuseUnserved(ctx.router, check, owner.live);
    return { ...check, ...priceOf(owner, check) };
  });
  refuseWithoutConsent(owner, consent);
  return checks;
}

/**
 * Runs `store` with a new id. If it returns null, an erasure was requested before the id was announced, and it runs again with a newer id. The last run must
 * store: ids of other machines may be ahead of this machine's clock.
 */
export async function withId<Stored>(store: (id: string, isLast: boolean) => Promise<Stored | null>): Promise<Stored> {
  const stored = (await store(newId(), false)) ?? (await store(newId(), true));
  if (stored === null) throw new Error('nothing was stored under the last id');
  return stored;
}
