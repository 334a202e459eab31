/**
 * The built-in registry: answers every well-formed number with an invented person (`people.ts`), misbehaves for the scripted numbers (`faults.ts`), and asks
 * no outside service. `docs/sandbox.md` describes it to integrators.
 */
import {
  type Budget,
  type Lookup,
  type LookupResult,
  type Provider,
  ProviderFailure,
  type RecordKind,
  recordKinds,
} from '../checks/provider.ts';
import { Alternation, faultOf, providerFailure, type SandboxFaults, SLOW_MS, scriptedFailure } from './faults.ts';
import { registries } from './registries.ts';

export interface SandboxOptions {
  /** Default `sandbox`. */
  name?: string;
  /** Default: every kind that has a registry. */
  kinds?: readonly RecordKind[];
  /** How long a look-up of a kind takes. Default 0: answered at once, without a timer. */
  latencyMs?: Partial<Record<RecordKind, number>>;
  budget?: Partial<Budget>;
  /** Kept by reference. Default `{ mode: 'ok' }`. */
  faults?: SandboxFaults;
}

export interface Sandbox extends Provider {
  /** Needs no hints and never returns a pending answer. */
  lookup(lookup: Omit<Lookup, 'hints'>): Promise<LookupResult>;
  /** Change it to make the provider misbehave from the next call on. */
  readonly faults: SandboxFaults;
  /** Look-ups so far, whatever their outcome. */
  readonly calls: Partial<Record<RecordKind, number>> & { total: number };
}

const DEFAULT_BUDGET: Budget = { requestsPerSecond: null, burst: 1, reservedForCalls: 0, inFlightMax: 500, timeoutMs: 10_000 };

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const { name = 'sandbox', latencyMs = {}, faults = { mode: 'ok' } } = options;
  const kinds = options.kinds ?? recordKinds.filter((kind) => registries[kind]);
  const calls: Sandbox['calls'] = { total: 0 };
  const once = new Alternation();

  async function lookup({ kind, identifier, signal }: Omit<Lookup, 'hints'>): Promise<LookupResult> {
    calls.total += 1;
    calls[kind] = (calls[kind] ?? 0) + 1;
    const fault = faultOf(faults, calls.total);
    if (signal.aborted) throw timedOut('provider');

    if (fault === 'hang') await untilAborted(signal);
    const latency = latencyMs[kind] ?? 0;
    if (latency > 0) await wait(latency, signal, 'provider');
    if (fault === 'down' || fault === 'rate_limited' || fault === 'malformed') throw providerFailure(fault, faults);

    const registry = registries[kind];
    if (!registry) throw new ProviderFailure('not_configured');
    if (!registry.accepts(identifier)) throw new ProviderFailure('invalid');
    const script = registry.script(identifier);
    if (script === 'not_found') return { found: false };
    if (script === 'down') throw scriptedFailure(script);
    if ((script === 'limited_once' || script === 'down_once') && once.failsNow(kind, identifier)) throw scriptedFailure(script);
    if (script === 'slow') await wait(SLOW_MS, signal, 'subject');
    const record = registry.record(identifier);
    return record ? { found: true, record } : { found: false };
  }

  return {
    name,
    budget: { ...DEFAULT_BUDGET, ...options.budget },
    serves: Object.fromEntries(kinds.map((kind) => [kind, Number.POSITIVE_INFINITY])),
    lookup,
    faults,
    calls,
  };
}

type Scope = ProviderFailure['scope'];

function timedOut(scope: Scope): ProviderFailure {
  return new ProviderFailure('timeout', { scope });
}

function wait(ms: number, signal: AbortSignal, scope: Scope): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(timedOut(scope));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(timedOut('provider')), { once: true });
  });
}
