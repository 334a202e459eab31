/**
 * What a provider is: somebody who answers a look-up of one registry record. The router (`router.ts`) decides whom to ask; this file
 * only holds the words that both sides share.
 */

/** Registry records, and what a local engine answers. A check reads some of these and makes its entity of them. */
export const recordKinds = [
  'nin',
  'bvn',
  'cac',
  'tin',
  'drivers_license',
  'passport',
  'voter_card',
  'phone',
  'address',
  'credit_crc',
  'credit_first_central',
  'credit_registry',
  'email',
  'aml',
  'face',
] as const;
export type RecordKind = (typeof recordKinds)[number];

/** The parts of the registry of companies, by the prefix of their numbers. A number is unique within its part only. */
export const companyTypes = {
  RC: 'COMPANY',
  BN: 'BUSINESS_NAME',
  IT: 'INCORPORATED_TRUSTEES',
  LP: 'LIMITED_PARTNERSHIP',
  LLP: 'LIMITED_LIABILITY_PARTNERSHIP',
} as const;
export type CompanyPrefix = keyof typeof companyTypes;
export type CompanyType = (typeof companyTypes)[CompanyPrefix];

/** What somebody must be able to answer: every kind of `all`, and of `any`, where it is there, one. */
export interface Needs {
  all: readonly RecordKind[];
  any?: readonly RecordKind[];
}

/**
 * A look-up of one record. `tier` is how much of the record is asked for (a larger number includes every smaller one); the tiers of a
 * kind are declared in `src/checks/<family>.ts`. `identifier` is normalised, by
 * the check (11 digits for NIN and BVN, `COMPANY:1432074` for the registry of companies).
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

/** Nobody could be asked: every provider is paused or its breaker is open. Burns no attempt. */
export class ProviderUnavailable extends Error {
  readonly retryAfterMs: number;
  constructor(retryAfterMs: number) {
    super('no provider is available');
    this.retryAfterMs = retryAfterMs;
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
