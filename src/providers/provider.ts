/**
 * What a provider is: somebody who answers a look-up of one registry record. The router (`router.ts`) decides whom to ask; this file
 * only holds the words that both sides share.
 */

/** Registry records. A check reads one of these and projects its entity from it. */
export type RecordKind = 'nin' | 'bvn';

/**
 * A look-up of one record. `tier` is how much of the record is asked for (a larger number includes every smaller one); the tiers of a
 * kind are declared in `src/checks/<family>.ts`. `identifier` is normalised (11 digits for NIN and BVN).
 */
export interface Lookup {
  kind: RecordKind;
  tier: number;
  identifier: string;
  /** Sent as idempotency key to vendors that take one. Never personal data. */
  reference: string;
  signal: AbortSignal;
}

export type LookupResult = { found: true; record: Record<string, unknown> } | { found: false };

export type FailureCode =
  | 'down' // 5xx, connection refused or reset, malformed answer
  | 'timeout'
  | 'rate_limited'
  | 'invalid' // the provider says that the identifier is malformed
  | 'out_of_credit'
  | 'not_configured';

/** A look-up that gave no answer. `scope: 'subject'` says that it tells nothing about the health of the provider as a whole. */
export class ProviderFailure extends Error {
  readonly code: FailureCode;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly scope: 'provider' | 'subject';

  constructor(code: FailureCode, options: { retryable: boolean; retryAfterMs?: number; scope?: 'provider' | 'subject' }) {
    super(`provider failure: ${code}`);
    this.name = 'ProviderFailure';
    this.code = code;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs;
    this.scope = options.scope ?? 'provider';
  }
}

/** The most that a provider may be asked, over all processes (`requestsPerSecond`) and in one process (`inFlightMax`). */
export interface Budget {
  /** `null`: no limit. */
  requestsPerSecond: number | null;
  burst: number;
  inFlightMax: number;
  timeoutMs: number;
}

export interface Provider {
  /** Unique among the configured providers; written to the result as its source. */
  name: string;
  budget: Budget;
  kinds: readonly RecordKind[];
  /** Answers or throws `ProviderFailure`; any other error is a bug of the adapter. Honours `lookup.signal`. */
  lookup(lookup: Lookup): Promise<LookupResult>;
}
