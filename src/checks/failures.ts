/** What it means for a single call, and for a job, when a look-up gives no answer, and the sentence for both. Nothing else decides this. */
import type { ErrorCode } from '../foundation/errors.ts';
import { type FailureCode, ProviderFailure, ProviderPending, ProviderUnavailable } from './provider.ts';

/** `unavailable`: no provider could be asked. `pending`: the vendor answers later. `fault`: an error of our own. */
export type FailureKind = FailureCode | 'unavailable' | 'pending' | 'fault';

export interface FailureMeaning {
  /** Error code of the refused call. */
  callCode: ErrorCode;
  /** Error code of a job that ends with this failure. */
  jobCode: string;
  /**
   * What happens to a job. `fail`: it ends. `retry`: it is tried again after a backoff, and the attempt counts against
   * CONFAM_JOB_FAILURES_MAX. `park`: it waits until the cause is gone, and no attempt counts.
   */
  jobThen: 'fail' | 'retry' | 'park';
  /** Whether a call asks again while its client waits. */
  callRetries: boolean;
  /** Retry-After of a refused call if the provider named no time. */
  callRetryAfterMs?: number;
  /** How long a parked job waits if the provider gave no time. Default: CONFAM_JOB_BACKOFF_MS. */
  jobRetryAfterMs?: number;
  /** A parked job waits no longer than this, whatever time the provider gave. */
  jobWaitMsMax?: number;
  /** For both, without a full stop. */
  sentence: string;
}

/** How long a job waits at most before it is looked at again. While a pause lasts nothing is leased, so looking costs little, and an operator may lift a pause of an hour early. */
const PAUSED_WAIT_MS_MAX = 5_000;

const NOBODY_ACCEPTS = 'The provider accepts no more requests at the moment';
const FAILED = 'The provider was asked and failed';
const failed = { callCode: 'provider_failed', jobCode: 'provider_failed', sentence: FAILED } as const;
const refused = {
  callCode: 'provider_unavailable',
  jobCode: 'provider_failed',
  jobThen: 'park',
  callRetries: true,
  callRetryAfterMs: 1_000,
  jobWaitMsMax: PAUSED_WAIT_MS_MAX,
  sentence: NOBODY_ACCEPTS,
} as const;
const lists = {
  callCode: 'lists_not_loaded',
  jobCode: 'lists_not_loaded',
  callRetries: false,
  // Until the operator loads it. Our clients do not wait for so long.
  callRetryAfterMs: 300_000,
  sentence: 'A watch list is not loaded',
} as const;

/** `invalid` has two codes: a call is refused for its parameter, but a job's parameter was valid when the job was accepted. */
const failureMeanings: Readonly<Record<FailureKind, FailureMeaning>> = {
  down: { ...failed, jobThen: 'retry', callRetries: true },
  // The call has already waited for as long as the provider may take.
  timeout: { ...failed, jobThen: 'retry', callRetries: false },
  surprise: { ...failed, jobThen: 'fail', callRetries: false },
  rate_limited: refused,
  out_of_credit: refused,
  unauthorized: refused,
  invalid: {
    callCode: 'invalid_request',
    jobCode: 'invalid_identifier',
    jobThen: 'fail',
    callRetries: false,
    sentence: 'The provider says that the identifier is malformed',
  },
  no_consent: {
    callCode: 'no_consent',
    jobCode: 'no_consent',
    jobThen: 'fail',
    callRetries: false,
    sentence: 'The subject has not agreed to share the record',
  },
  mismatch: {
    callCode: 'subject_mismatch',
    jobCode: 'subject_mismatch',
    jobThen: 'fail',
    callRetries: false,
    sentence: 'The input contradicts the record of the subject',
  },
  // The next refresh brings back required lists, but not a list that only the request names.
  lists_not_loaded: { ...lists, jobThen: 'park', jobRetryAfterMs: 10_000 },
  list_not_loaded: { ...lists, jobThen: 'fail' },
  not_configured: {
    callCode: 'provider_not_configured',
    jobCode: 'provider_not_configured',
    jobThen: 'fail',
    callRetries: false,
    sentence: 'No provider is configured for this check with a live key',
  },
  unavailable: {
    callCode: 'provider_unavailable',
    jobCode: 'provider_failed',
    jobThen: 'park',
    callRetries: false,
    jobWaitMsMax: PAUSED_WAIT_MS_MAX,
    sentence: 'Every provider is paused, down or busy',
  },
  pending: {
    callCode: 'provider_pending',
    jobCode: 'provider_failed',
    jobThen: 'park',
    callRetries: true,
    sentence: 'The registry will answer later; ask again, or submit a job',
  },
  // Another process, or the next release, may not have the fault.
  fault: { callCode: 'internal', jobCode: 'internal', jobThen: 'retry', callRetries: false, sentence: 'Something went wrong on our side' },
};

export interface Failure extends FailureMeaning {
  kind: FailureKind;
  /** When asking again may help, according to the provider. Undefined if it did not say. */
  retryAfterMs: number | undefined;
  /** The vendor's own reference of the question. */
  reference: string | null;
}

/** Any other error counts as our own fault. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ProviderUnavailable) return known('unavailable', error.retryAfterMs);
  if (error instanceof ProviderPending) return known('pending', error.askAgainMs);
  if (!(error instanceof ProviderFailure)) return known('fault', undefined);
  const failure = known(error.code, error.retryAfterMs);
  return {
    ...failure,
    reference: error.receipt?.reference ?? null,
    // The screening names the list.
    sentence: failure.callCode === 'lists_not_loaded' && error.detail ? error.detail : failure.sentence,
  };
}

const known = (kind: FailureKind, retryAfterMs: number | undefined): Failure => ({
  ...failureMeanings[kind],
  kind,
  retryAfterMs,
  reference: null,
});

/** The sentence for a job's error code. Undefined if no failure has the code. */
export const jobFailureSentence = (code: string): string | undefined =>
  Object.values(failureMeanings).find(({ jobCode }) => jobCode === code)?.sentence;
