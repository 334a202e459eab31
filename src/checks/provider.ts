/**
 * What a provider is: somebody who answers a look-up of one registry record. The router (`providers/router.ts`) decides whom to ask; this file
 * only holds the words that both sides share.
 */
import type { z } from 'zod';
import type { AppSettings } from '../schema/apps.ts';

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

/** Names of the local engines for live keys: nobody else may have them. */
export const ENGINE_NAMES = { aml: 'screening', email: 'emails', face: 'faces' } as const;

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

/** How much of the record of each kind: the tiers are declared in `src/checks/<family>.ts`, and a larger number includes every smaller one. */
export type Tiers = Partial<Record<RecordKind, number>>;

/** What somebody must be able to answer: every kind of `all`, and of `any`, where it is there, one. */
export interface Needs {
  all: Tiers;
  any?: Tiers;
}

/** What the client said of the subject beside its identifier, for vendors that ask for it. It is no part of what is looked up. */
export interface Hints {
  firstName?: string | undefined;
  lastName?: string | undefined;
  /** `YYYY-MM-DD` */
  dateOfBirth?: string | undefined;
  /** Of registration. */
  state?: string | undefined;
}

/** Bytes of pictures, base64 undone, for the local engine that compares faces: no part of what is looked up, and nobody keeps them. */
export interface Pictures {
  selfie: Buffer;
  /** Undefined: whether the selfie can be compared at all. */
  portrait?: Buffer | undefined;
}

export interface Asker {
  appId: string;
  live: boolean;
  settings: AppSettings;
}

/**
 * A look-up of one record. `identifier` is normalised, by the check (11 digits for NIN and BVN, `COMPANY:1432074` for the registry of
 * companies, E.164 for a telephone number).
 */
export interface Lookup {
  kind: RecordKind;
  tier: number;
  identifier: string;
  hints: Hints;
  pictures?: Pictures | undefined;
  /** Who wants to know, for local engines, whose answers depend on what the app has set and decided. */
  asker?: Asker;
  /** Sent as idempotency key to vendors that take one; the same for every attempt of a job. Never personal data. */
  reference: string;
  signal: AbortSignal;
}

/** `isPartial`: something could not be asked this time, so that the record is not one to answer others by later. */
export type LookupResult = { found: true; record: Record<string, unknown>; isPartial?: boolean } | { found: false };

/** What a vendor's answer leaves for a dispute. */
export interface Receipt {
  /** HTTP status and the vendor's own code: `200 00`. Never text that could name somebody. */
  status: string;
  /** The vendor's number of the transaction. */
  reference: string | null;
  /** SHA-256 of the raw answer; null: there was none. */
  answerHash: Buffer | null;
}

/** `pending`: the vendor answers later; what it is to be asked by then, and when. */
export type Answer = (LookupResult | { pending: string; askAgainMs: number }) & { receipt?: Receipt };

/**
 * What each failure means. `retryable`: the same vendor may answer the same question later. `elsewhere`: another vendor may answer it.
 * `pauseMs`: how long everybody leaves a vendor alone that did not say so itself.
 */
const failures = {
  /** 5xx, connection refused or reset, an answer that is not JSON. */
  down: { retryable: true, elsewhere: true, pauseMs: 0 },
  timeout: { retryable: true, elsewhere: true, pauseMs: 0 },
  rate_limited: { retryable: true, elsewhere: true, pauseMs: 0 },
  /** Our account with the vendor is empty, or it does not take our credentials: the operator has to act. */
  out_of_credit: { retryable: true, elsewhere: true, pauseMs: 60_000 },
  unauthorized: { retryable: true, elsewhere: true, pauseMs: 60_000 },
  /** An answer that is not what the vendor documents: it is no answer, and somebody has to look at it. */
  surprise: { retryable: false, elsewhere: true, pauseMs: 0 },
  /** The vendor says that the identifier is malformed. */
  invalid: { retryable: false, elsewhere: false, pauseMs: 0 },
  /** The subject has not agreed, or has locked the record. */
  no_consent: { retryable: false, elsewhere: false, pauseMs: 0 },
  /** What the client said of the subject is not what is on record. */
  mismatch: { retryable: false, elsewhere: false, pauseMs: 0 },
  /** A local engine lacks what it would have to look into (`detail`), so that "nothing found" would say nothing. */
  lists_not_loaded: { retryable: true, elsewhere: true, pauseMs: 0 },
  /** It lacks what was asked for by name: asking again does not help. */
  list_not_loaded: { retryable: false, elsewhere: true, pauseMs: 0 },
  not_configured: { retryable: false, elsewhere: true, pauseMs: 0 },
} as const;

export type FailureCode = keyof typeof failures;

interface FailureOptions {
  /** That the vendor asked for. */
  retryAfterMs?: number | undefined;
  /** `subject`: it tells nothing about the health of the provider as a whole. Default: by the code. */
  scope?: 'provider' | 'subject';
  receipt?: Receipt | undefined;
  /** What the vendor was to answer later has ended with this: it is asked anew. */
  ended?: boolean;
  /** What was surprising: a path and a rule, never a value. For the log. */
  detail?: string;
}

/** A look-up that gave no answer. */
export class ProviderFailure extends Error {
  readonly code: FailureCode;
  readonly retryable: boolean;
  readonly elsewhere: boolean;
  readonly retryAfterMs: number | undefined;
  readonly scope: 'provider' | 'subject';
  readonly receipt: Receipt | undefined;
  readonly ended: boolean;
  readonly detail: string | undefined;

  constructor(code: FailureCode, { retryAfterMs, scope, receipt, ended = false, detail }: FailureOptions = {}) {
    super(`provider failure: ${code}`);
    this.name = 'ProviderFailure';
    const { retryable, elsewhere, pauseMs } = failures[code];
    this.code = code;
    this.retryable = retryable;
    this.elsewhere = elsewhere;
    this.retryAfterMs = retryAfterMs ?? (pauseMs || undefined);
    this.scope = scope ?? (elsewhere ? 'provider' : 'subject');
    this.receipt = receipt;
    this.ended = ended;
    this.detail = detail;
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

/** The vendor took the question and answers later. Burns no attempt. */
export class ProviderPending extends Error {
  readonly askAgainMs: number;
  constructor(askAgainMs: number) {
    super('the provider answers later');
    this.askAgainMs = askAgainMs;
  }
}

/** The most that a provider may be asked, over all processes (`requestsPerSecond`) and in one process (`inFlightMax`). */
export interface Budget {
  /** `null`: no limit. */
  requestsPerSecond: number | null;
  burst: number;
  /** Share of the rate that batch work leaves to single calls. */
  reservedForCalls: number;
  inFlightMax: number;
  timeoutMs: number;
  /** False: how long an answer takes depends on the question, and a slow one is no sign of overload. Default true. */
  latencyTellsLoad?: boolean;
}

export interface Provider {
  /** Unique among the configured providers; written to the result as its source. */
  name: string;
  budget: Budget;
  /** What it answers, and how much of it at most. */
  serves: Tiers;
  /** What an answered look-up costs us, in kobo. Absent: nothing is kept of its look-ups (the sandbox for test keys). */
  cost?(kind: RecordKind, tier: number, found: boolean): number;
  /** Answers or throws `ProviderFailure`; any other error is a bug of the adapter. Honours `lookup.signal`. */
  lookup(lookup: Lookup): Promise<Answer>;
  /** Why it cannot answer anybody at present: a sentence; null: it can. */
  unready?(): string | null;
  /** What has become of a pending answer. */
  poll?(ticket: string, lookup: Lookup): Promise<Answer>;
  /** After a time-out: what has become of what was asked under `lookup.reference`; null: the vendor has never got it. */
  reconcile?(lookup: Lookup): Promise<Answer | null>;
  /**
   * A message that the vendor sent by itself: the ticket that it is about, and its answer; a null answer: it is ready to be asked for. Null:
   * the message is not genuine. Anybody can send one: the adapter reads no further than it takes to know whether the signature is right.
   */
  receive?(message: VendorMessage): Promise<{ ticket: string; answer: Answer | null } | null>;
  close?(): Promise<void>;
}

export interface VendorMessage {
  headers: Record<string, string | undefined>;
  /** As it arrives, bounded by whoever hands it on. */
  body: AsyncIterable<Uint8Array>;
}

/** `entity.surname: expected string`; the names are the schema's. */
export const describeIssues = (error: z.ZodError): string =>
  error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join('.')}: ${issue.code === 'invalid_type' ? `expected ${issue.expected}` : issue.code}`)
    .join('; ');
