/** Checks before anything is read, held or stored: whether a provider is configured for a check, and whether it can answer now. */
import { knownCheck } from '../checks/catalog.ts';
import type { Check } from '../checks/check.ts';
import type { BatchRow } from '../contract/batches.ts';
import { ApiError, retryAfter } from '../foundation/errors.ts';
import type { Router } from './router.ts';

const READY_SECONDS = 300;

/** Throws `provider_not_configured` or `lists_not_loaded`. */
export function refuseUnserved(router: Router, check: Check, live: boolean): void {
  if (router.configured(check.needs, live)) {
    const reason = router.unready(check.needs, live);
    if (reason !== null)
      throw new ApiError('lists_not_loaded', `${reason}. \`confam doctor\` tells the operator what to do`, {
        headers: retryAfter(READY_SECONDS),
      });
    return;
  }
  const hint = live && router.configured(check.needs, false) ? '; use a test key to try it' : '';
  throw new ApiError('provider_not_configured', `No provider is configured for ${check.id}${live ? ' with a live key' : ''}${hint}`);
}

/** Milliseconds until a batch's checks are tried again, if no provider answers one of them now. Null: every check has a provider, or the batch is not running. */
export function outageMs(router: Router, { status, checks, live }: Pick<BatchRow, 'status' | 'checks' | 'live'>): number | null {
  if (status !== 'queued' && status !== 'running') return null;
  const outlooks = checks.map((id) => router.outlook(knownCheck(id).needs, live)).filter(({ degraded }) => degraded);
  return outlooks.length === 0 ? null : Math.max(...outlooks.map(({ nextAttemptMs }) => nextAttemptMs));
}
