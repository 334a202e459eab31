/** Email risk as a provider: live keys ask the internet, test keys the sandbox's internet (`sandbox/internet/`). */
import { ENGINE_NAMES, type Lookup, type LookupResult, type Provider, ProviderFailure } from '../checks/provider.ts';
import { cacheScopeOf, outsideOf } from '../contract/outside.ts';
import type { Emails } from './email.ts';
import { entityOf } from './entity.ts';

/** A chunk's addresses come at once and mostly share domains, so far more of them wait than DNS questions are in flight; those are bounded in `live.ts`. */
const BUDGET = {
  requestsPerSecond: null,
  burst: 1,
  reservedForCalls: 0,
  inFlightMax: 2_000,
  timeoutMs: 30_000,
  latencyTellsLoad: false,
} as const;

/** `isAllowed`: whether apps that have not decided let the address be disclosed outside (CONFAM_EMAIL_OUTSIDE). */
export function openEmailProvider(emails: Emails, live: boolean, isAllowed: boolean): Provider {
  /** `identifier`: the address. Nothing of the sandbox goes outside. */
  async function lookup({ identifier, signal, asker }: Lookup): Promise<LookupResult> {
    const engine = await emails.engine(live);
    const settings = asker?.settings ?? {};
    const outside = live ? outsideOf(settings, isAllowed) : undefined;
    const assessment = await engine.assess(identifier, signal, outside);
    if (!assessment) throw await nothingKnown();
    // An answer that is incomplete because this app keeps the address inside must not serve another app.
    const isLess = outside !== undefined && !(outside.breaches && outside.mailboxes) && cacheScopeOf(settings) === 'deployment';
    return { found: true, record: entityOf(assessment, new Date()), isPartial: assessment.confidence === 'low' || isLess };
  }

  /** A domain whose name servers are down is not our outage. If our own resolvers are down, jobs wait instead of failing. */
  async function nothingKnown(): Promise<ProviderFailure> {
    const isOutage = live && !(await emails.isDnsAnswering());
    return new ProviderFailure('down', { scope: isOutage ? 'provider' : 'subject' });
  }

  return { name: live ? ENGINE_NAMES.email : `sandbox_${ENGINE_NAMES.email}`, budget: BUDGET, serves: { email: 1 }, lookup };
}
