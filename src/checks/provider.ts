/**
 * What a provider is: it answers look-ups of registry records. The router (`providers/router.ts`) decides which provider to ask; this file holds only
 * the vocabulary that both sides share.
 */
import type { z } from 'zod';
import type { AppSettings } from '../schema/apps.ts';

/** Kinds of registry records, and of answers from local engines. A check reads some of these and builds its entity from them. */
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

/** Names of the local engines for live keys. No other provider may use them. */
export const ENGINE_NAMES = { aml: 'screening', email: 'emails', face: 'faces' } as const;

/** The parts of the registry of companies, by prefix. A number is unique only within its part. */
export const companyTypes = {
  RC: 'COMPANY',
  BN: 'BUSINESS_NAME',
  IT: 'INCORPORATED_TRUSTEES',
  LP: 'LIMITED_PARTNERSHIP',
  LLP: 'LIMITED_LIABILITY_PARTNERSHIP',
} as const;

export type CompanyPrefix = keyof typeof companyTypes;

export type CompanyType = (typeof companyTypes)[CompanyPrefix];

/** How much of each kind of record. `src/checks/<family>.ts` declares the tiers; a higher tier includes every lower one. */
export type Tiers = Partial<Record<RecordKind, number>>;

/** What must be served: every kind in `all`, and at least one kind in `any`, if present. */
export interface Needs {
  all: Tiers;
  any?: Tiers;
}

/** What the client said about the subject besides the identifier, for vendors that require it. Not part of what is looked up. */
export interface Hints {
  firstName?: string | undefined;
  lastName?: string | undefined;
  /** `YYYY-MM-DD` */
  dateOfBirth?: string | undefined;
  /** State of registration. */
  state?: string | undefined;
}

/** Decoded pictures for the local engine that compares faces. Not part of what is looked up, and never stored. */
export interface Pictures {
  selfie: Buffer;
  /** Undefined: only asks whether the selfie can be compared at all. */
  portrait?: Buffer | undefined;
}

export interface Asker {
  appId: string;
  live: boolean;
  settings: AppSettings;
}

/**
 * A look-up of one record. The check has normalized `identifier`: 11 digits for NIN and BVN, `COMPANY:1432074` for the registry of companies, E.164
 * for a phone number.
 */
export interface Lookup {
  kind: RecordKind;
  tier: number;
  identifier: string;
  hints: Hints;
  pictures?: Pictures | undefined;
  /** Who asks, for local engines whose answers depend on the app's settings and decisions. */
  asker?: Asker;
  /** Idempotency key for vendors that accept one; the same for every attempt of a job. Never personal data. */
  reference: string;
  signal: AbortSignal;
}

/** `isPartial`: something could not be asked this time, so the record must not answer other look-ups later. */
export type LookupResult = { found: true; record: Record<string, unknown>; isPartial?: boolean } | { found: false };

/** What is kept of a vendor's answer for a dispute. */
export interface Receipt {
  /** HTTP status and the vendor's own code: `200 00`. Never text that could identify somebody. */
  status: string;
  /** The vendor's transaction reference. */
  reference: string | null;
  /** SHA-256 of the raw answer; null if there was none. */
  answerHash: Buffer | null;
}

/** `pending`: the vendor answers later. Holds the vendor reference to ask by, and when to ask. */
export type Answer = (LookupResult | { pending: string; askAgainMs: number }) & { receipt?: Receipt };

/**
 * What each failure means. `retryable`: the same vendor may answer the same question later. `elsewhere`: another vendor may answer it. `pauseMs`: how
 * long a vendor that named no time itself is left alone.
 */
const failures = {
  /** 5xx, connection refused or reset, an answer that is not JSON. */
  down: { retryable: true, elsewhere: true, pauseMs: 0 },
  timeout: { retryable: true, elsewhere: true, pauseMs: 0 },
  rate_limited: { retryable: true, elsewhere: true, pauseMs: 0 },
  /** Our account with the vendor is empty, or the vendor rejects our credentials. The operator has to act. */
  out_of_credit: { retryable: true, elsewhere: true, pauseMs: 60_000 },
  unauthorized: { retryable: true, elsewhere: true, pauseMs: 60_000 },
  /** The answer is not what the vendor documents. It counts as no answer, and somebody has to look at it. */
  surprise: { retryable: false, elsewhere: true, pauseMs: 0 },
  /** The vendor says that the identifier is malformed. */
  invalid: { retryable: false, elsewhere: false, pauseMs: 0 },
  /** The subject has not agreed, or has locked the record. */
  no_consent: { retryable: false, elsewhere: false, pauseMs: 0 },
  /** What the client said about the subject does not match the record. */
  mismatch: { retryable: false, elsewhere: false, pauseMs: 0 },
  /** A local engine lacks a list that it needs (`detail`), so "nothing found" would mean nothing. */
  lists_not_loaded: { retryable: true, elsewhere: true, pauseMs: 0 },
  /** It lacks a list that the request names. Asking again does not help. */
  list_not_loaded: { retryable: false, elsewhere: true, pauseMs: 0 },
  not_configured: { retryable: false, elsewhere: true, pauseMs: 0 },
} as const;

export type FailureCode = keyof typeof failures;

interface FailureOptions {
  /** The wait that the vendor asked for. */
  retryAfterMs?: number | undefined;
  /** `subject`: says nothing about the provider's health as a whole. Default: by the code. */
  scope?: 'provider' | 'subject';
  receipt?: Receipt | undefined;
  /** The pending question has ended with this failure; the next attempt asks again. */
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

/** No provider could be asked: each is paused or has an open circuit breaker. Does not count as an attempt. */
export class ProviderUnavailable extends Error {
  readonly retryAfterMs: number;
  constructor(retryAfterMs: number) {
    super('no provider is available');
    this.retryAfterMs = retryAfterMs;
  }
}

/** The vendor accepted the question and answers later. Does not count as an attempt. */
export class ProviderPending extends Error {
  readonly askAgainMs: number;
  constructor(askAgainMs: number) {
    super('the provider answers later');
    this.askAgainMs = askAgainMs;
  }
}

/** Limits for questions to a provider, over all processes (`requestsPerSecond`) and in one process (`inFlightMax`). */
export interface Budget {
  /** `null`: no limit. */
  requestsPerSecond: number | null;
  burst: number;
  /** Share of the rate that batch work leaves to single calls. */
  reservedForCalls: number;
  inFlightMax: number;
  timeoutMs: number;
  /** False: the time to answer depends on the question, so a slow answer is no sign of overload. Default true. */
  latencyTellsLoad?: boolean;
}

export interface Provider {
  /** Unique among the configured providers. Results store it as their source. */
  name: string;
  budget: Budget;
  /** The records that it answers, and the highest tier of each. */
  serves: Tiers;
  /** What an answered look-up costs us, in kobo. If absent, its look-ups are not recorded (the sandbox for test keys). */
  cost?(kind: RecordKind, tier: number, found: boolean): number;
  /** Answers or throws `ProviderFailure`. Any other error is a bug in the adapter. If it goes on after `lookup.signal`, it is given up as a time-out. */
  lookup(lookup: Lookup): Promise<Answer>;
  /** Ids of the watch lists that a screening may name, loaded or not. Absent: only the provider knows them. */
  watchLists?: readonly string[];
  /** A sentence that says why it cannot answer anybody at present; null if it can. */
  unready?(): string | null;
  /** Resolves once it can answer, for example when its index has been built. If that takes too long, throws as `lookup` does. Absent: it can always answer. */
  prepared?(): Promise<void>;
  /** The state of a pending question. `ticket`: its vendor reference. */
  poll?(ticket: string, lookup: Lookup): Promise<Answer>;
  /** After a time-out: the outcome of the question that was sent with `lookup.reference`. Null if the vendor never received it. */
  reconcile?(lookup: Lookup): Promise<Answer | null>;
  /**
   * Reads a message that the vendor sent on its own: the vendor reference (`ticket`) that it concerns, and the answer; a null answer means that it
   * can be fetched. Returns null if the message is not genuine. Anyone can send one, so the adapter reads only as far as it needs to check the
   * signature.
   */
  receive?(message: VendorMessage): Promise<{ ticket: string; answer: Answer | null } | null>;
  close?(): Promise<void>;
}

export interface VendorMessage {
  headers: Record<string, string | undefined>;
  /** Streamed as it arrives; the caller bounds it. */
  body: AsyncIterable<Uint8Array>;
}

/** `entity.surname: expected string`. `nameOf`: what to write for a member; needed where its name may be the vendor's and not the schema's. */
export const describeIssues = (error: z.ZodError, nameOf: (name: string) => string = String): string =>
  error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.map((name) => nameOf(String(name))).join('.')}: ${ruleOf(issue)}`)
    .join('; ');

function ruleOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `expected ${issue.expected}`;
  // Our own rule, which says by its message what is wrong.
  return issue.code === 'custom' ? issue.message : issue.code;
}
