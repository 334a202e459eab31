/** What a look-up without an answer means: for a single call, for a job, and in words. Nothing else decides it. */
import type { ErrorCode } from '../foundation/errors.ts';
import { type FailureCode, ProviderFailure, ProviderPending, ProviderUnavailable } from './provider.ts';

/** `unavailable`: nobody could be asked. `pending`: the vendor answers later. `fault`: ours. */
export type FailureKind = FailureCode | 'unavailable' | 'pending' | 'fault';

export interface FailureMeaning {
  /** The code a single call is refused with. */
  call: ErrorCode;
  /** The code a job keeps when it ends with this failure. */
  job: string;
  /**
   * What happens to a job. `fail`: it ends. `retry`: it is tried again after a backoff, and the attempt counts against
   * CONFAM_JOB_FAILURES_MAX. `park`: it waits until the cause is gone, and no attempt counts.
   */
  jobThen: 'fail' | 'retry' | 'park';
  /** A call asks again while its client waits. */
  callRetries: boolean;
  /** Retry-After of a refused call where the provider named no time. */
  callRetryAfterMs?: number;
  /** Both are told this, without a full stop. */
  sentence: string;
}

const NOBODY_ACCEPTS = 'The provider accepts no more requests at the moment';
const FAILED = 'The provider was asked and failed';
const failed = { call: 'provider_failed', job: 'provider_failed', sentence: FAILED } as const;
const refused = {
  call: 'provider_unavailable',
  job: 'provider_failed',
  jobThen: 'park',
  callRetries: true,
  callRetryAfterMs: 1_000,
  sentence: NOBODY_ACCEPTS,
} as const;
const lists = {
  call: 'lists_not_loaded',
  job: 'lists_not_loaded',
  callRetries: false,
  callRetryAfterMs: 60_000,
  sentence: 'A watch list is not loaded',
} as const;

/** `invalid` keeps two codes: a call is refused for its parameter, while a job's parameter was valid when the job was accepted. */
export const failureMeanings: Readonly<Record<FailureKind, FailureMeaning>> = {
  down: { ...failed, jobThen: 'retry', callRetries: true },
  // The call has already waited for as long as the provider may take.
  timeout: { ...failed, jobThen: 'retry', callRetries: false },
  surprise: { ...failed, jobThen: 'fail', callRetries: false },
  rate_limited: refused,
  out_of_credit: refused,
  unauthorized: refused,
  invalid: {
    call: 'invalid_request',
    job: 'invalid_identifier',
    jobThen: 'fail',
    callRetries: false,
    sentence: 'The provider says that the identifier is malformed',
  },
  no_consent: {
    call: 'no_consent',
    job: 'no_consent',
    jobThen: 'fail',
    callRetries: false,
    sentence: 'The subject has not agreed that the record be shared',
  },
  mismatch: {
    call: 'subject_mismatch',
    job: 'subject_mismatch',
    jobThen: 'fail',
    callRetries: false,
    sentence: 'What was sent about the subject contradicts its record',
  },
  // Required lists come back with the next refresh; a list that the request names does not.
  lists_not_loaded: { ...lists, jobThen: 'park' },
  list_not_loaded: { ...lists, jobThen: 'fail' },
  not_configured: {
    call: 'provider_not_configured',
    job: 'provider_not_configured',
    jobThen: 'fail',
    callRetries: false,
    sentence: 'No provider is configured for this check with a live key',
  },
  unavailable: {
    call: 'provider_unavailable',
    job: 'provider_failed',
    jobThen: 'park',
    callRetries: false,
    sentence: 'Every provider is paused, down or busy',
  },
  pending: {
    call: 'provider_pending',
    job: 'provider_failed',
    jobThen: 'park',
    callRetries: true,
    sentence: 'The registry answers later: ask again, or submit a job',
  },
  // Another process or the next release may not have it.
  fault: { call: 'internal', job: 'internal', jobThen: 'retry', callRetries: false, sentence: 'Something went wrong on our side' },
};

export interface Failure extends FailureMeaning {
  kind: FailureKind;
  /** When asking again may help, as the provider said; undefined: it did not say. */
  retryAfterMs: number | undefined;
  /** The vendor's own number of the question. */
  reference: string | null;
}

/** Anything that is not a provider's failure is a fault of ours. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ProviderUnavailable) return known('unavailable', error.retryAfterMs);
  if (error instanceof ProviderPending) return known('pending', error.askAgainMs);
  if (!(error instanceof ProviderFailure)) return known('fault', undefined);
  const failure = known(error.code, error.retryAfterMs);
  return {
    ...failure,
    reference: error.receipt?.reference ?? null,
    // Screening says which list.
    sentence: failure.call === 'lists_not_loaded' && error.detail ? error.detail : failure.sentence,
  };
}

const known = (kind: FailureKind, retryAfterMs: number | undefined): Failure => ({
  ...failureMeanings[kind],
  kind,
  retryAfterMs,
  reference: null,
});

/** The sentence of a code that jobs keep; undefined if no failure has it. */
export const jobFailureSentence = (code: string): string | undefined =>
  Object.values(failureMeanings).find(({ job }) => job === code)?.sentence;
