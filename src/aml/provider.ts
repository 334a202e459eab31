/** Screening as a provider: applies the app's own threshold, lists and clearances, and rates the risk that remains. */
import { clearedAs } from '../checks/aml.ts';
import { ENGINE_NAMES, type Lookup, type LookupResult, type Provider } from '../checks/provider.ts';
import { readRequest } from '../engines/aml/request.ts';
import type { Context } from '../foundation/context.ts';
import { SANDBOX_LISTS } from '../sandbox/watch-lists.ts';
import { answerScreening } from './answer.ts';
import { openClearances } from './clearances.ts';
import type { Screenings } from './screenings.ts';

/** Bounds the look-ups waiting in the threads' queue. */
const BUDGET = { requestsPerSecond: null, burst: 1, reservedForCalls: 0, inFlightMax: 2_000, timeoutMs: 30_000 } as const;

export function openScreeningProvider(ctx: Context, screenings: Screenings, live: boolean): Provider {
  const clearances = openClearances(ctx);

  /** `identifier`: the check's input as JSON. */
  async function lookup({ identifier, asker }: Lookup): Promise<LookupResult> {
    if (!asker) throw new Error('a screening needs an app');
    const input = JSON.parse(identifier) as Record<string, string | undefined>;
    const request = readRequest(input, asker.settings);
    const screenedAt = new Date().toISOString();
    const screened = await screenings.screen(live, request);
    const { matches } = screened;
    const subjects = clearedAs(input).flatMap((subject) => ctx.cipher.indexes('subject', 'aml', subject));
    const cleared = matches.length === 0 ? [] : await clearances({ appId: asker.appId, live, subjects, matches });
    return { found: true, record: answerScreening(screened, cleared, { threshold: request.options.threshold, screenedAt }) };
  }

  return {
    name: live ? ENGINE_NAMES.aml : `sandbox_${ENGINE_NAMES.aml}`,
    budget: BUDGET,
    serves: { aml: 1 },
    // Test keys may also name live lists, and are told that these are not loaded; and sandbox lists that the operator has disabled for live keys.
    watchLists: live ? screenings.watchLists : [...screenings.watchLists, ...SANDBOX_LISTS],
    unready: () => (live ? screenings.unready() : null),
    prepared: () => screenings.prepared(live),
    lookup,
  };
}
