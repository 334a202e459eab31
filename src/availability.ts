/** Whether somebody can answer a check at all: asked before anything is read, held or stored. */
import type { Check } from './checks/check.ts';
import { ApiError } from './errors.ts';
import type { Router } from './providers/router.ts';

/** Throws `provider_not_configured`. */
export function refuseUnserved(router: Router, check: Check, live: boolean): void {
  if (router.configured(check.needs, live)) return;
  const hint = live && router.configured(check.needs, false) ? '; use a test key to try it' : '';
  throw new ApiError('provider_not_configured', `No provider is configured for ${check.id}${live ? ' with a live key' : ''}${hint}.`);
}
