/**
 * How the sandbox misbehaves, in two separate ways: numbers whose last digit scripts an outcome (for that subject alone, so that integrators can try it), and
 * `SandboxFaults` (the provider as a whole, for tests and chaos runs).
 */
import { ProviderFailure, type RecordKind } from '../checks/provider.ts';
import { Draw } from './draw.ts';

/** What a scripted number does. Ordinary numbers are `found`. */
export type Script = 'found' | 'not_found' | 'down' | 'slow' | 'limited_once' | 'down_once';

/** By the last digit of a number of zeros. Digit 7 is found too: its BVN record is watch-listed (`records.ts`). */
const SCRIPTS: readonly Script[] = ['found', 'not_found', 'found', 'down', 'slow', 'limited_once', 'down_once', 'found', 'found', 'found'];

export const SLOW_MS = 3_000;
const LIMITED_RETRY_AFTER_MS = 1_000;

/** At least six zeros and the scripting digit, after any letters of the kind: `00000000005`, `COMPANY:0000005`, `00000000-0005`. */
const SCRIPTED = /^(?:[A-Z_]+:?)?0{6}[0-]*(\d)$/;

export function scriptOf(identifier: string): Script {
  const digit = SCRIPTED.exec(identifier)?.[1];
  return digit === undefined ? 'found' : SCRIPTS[Number(digit)]!;
}

/** Remembers which "once" numbers failed at their last look-up: they fail first, answer second, fail third and so on. */
export class Alternation {
  readonly #failed = new Set<string>();

  /** True on every odd call for this kind and number. Bounded: only scripted numbers are stored. */
  failsNow(kind: RecordKind, identifier: string): boolean {
    const key = `${kind} ${identifier}`;
    if (this.#failed.delete(key)) return false;
    this.#failed.add(key);
    return true;
  }
}

export function scriptedFailure(script: 'down' | 'limited_once' | 'down_once'): ProviderFailure {
  if (script === 'limited_once') {
    return new ProviderFailure('rate_limited', { retryAfterMs: LIMITED_RETRY_AFTER_MS, scope: 'subject' });
  }
  return new ProviderFailure('down', { scope: 'subject' });
}

/** Read on every call, so a test may change any of it while look-ups run. */
export interface SandboxFaults {
  /** What a misbehaving call does. `malformed` is an answer that no adapter can read, so it fails as `down`, as with a real vendor. */
  mode: 'ok' | 'down' | 'hang' | 'rate_limited' | 'malformed';
  /** Stated by `rate_limited` failures. Unset: omitted, as by vendors that send no `Retry-After`. */
  retryAfterMs?: number;
  /** Share of calls that misbehave, 0 to 1. Unset: all of them. In mode `ok`: the share of calls that fail as `down`; unset: none. */
  failRate?: number;
  /** Seed of `failRate`. Unset: 1. The same seed and order of calls give the same failures. */
  seed?: number;
}

/** What the sandbox does with its `callNumber`-th call; `ok` means it answers. */
export function faultOf(faults: SandboxFaults, callNumber: number): SandboxFaults['mode'] {
  const rate = faults.failRate ?? (faults.mode === 'ok' ? 0 : 1);
  if (rate <= 0 || new Draw(faults.seed ?? 1, callNumber).bits(0) >= rate * 2 ** 32) return 'ok';
  return faults.mode === 'ok' ? 'down' : faults.mode;
}

export function providerFailure(mode: 'down' | 'rate_limited' | 'malformed', faults: SandboxFaults): ProviderFailure {
  if (mode === 'rate_limited') return new ProviderFailure('rate_limited', { retryAfterMs: faults.retryAfterMs });
  return new ProviderFailure('down');
}
