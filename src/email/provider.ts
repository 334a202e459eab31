/** Email risk as a provider: live keys ask the internet, test keys the sandbox's internet (`sandbox/internet/`). */
import { ENGINE_NAMES, type Lookup, type LookupResult, type Provider, ProviderFailure } from '../checks/provider.ts';
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

export function openEmailProvider(emails: Emails, live: boolean): Provider {
  /** `identifier`: the address. */
  async function lookup({ identifier, signal }: Lookup): Promise<LookupResult> {
    const engine = await emails.engine(live);
    const assessment = await engine.assess(identifier, signal);
    if (!assessment) throw await nothingKnown();
    return { found: true, record: entityOf(assessment, new Date()), isPartial: assessment.confidence === 'low' };
  }

  /** A domain whose name servers are down is not our outage. If our own resolvers are down, jobs wait instead of failing. */
  async function nothingKnown(): Promise<ProviderFailure> {
    const isOutage = live && !(await emails.isDnsAnswering());
    return new ProviderFailure('down', { scope: isOutage ? 'provider' : 'subject' });
  }

  return { name: live ? ENGINE_NAMES.email : `sandbox_${ENGINE_NAMES.email}`, budget: BUDGET, serves: { email: 1 }, lookup };
}
