/** One request until it succeeds or has failed for good: its time limit, and further attempts where repeating it is safe. */
import type { ErrorCode } from '../foundation/errors.ts';
import { Refused, Unreachable } from './errors.ts';

/** What `log` receives about each attempt: never what was sent or answered, nor the query. */
export interface LogEntry {
  method: string;
  path: string;
  /** From 1. */
  attempt: number;
  /** Null: no answer came. */
  status: number | null;
  code: ErrorCode | null;
  requestId: string | null;
  ms: number;
  /** When it is tried again; null: it succeeded, or this was the last attempt. */
  retryInMs: number | null;
}

export interface AttemptOptions {
  /** How often a failed request is repeated. */
  retries: number;
  /** Null: no limit. */
  timeoutMs: number | null;
  /** Repeating it after a lost answer changes nothing. A refusal never changed anything. */
  isRepeatable: boolean;
  /** The body can be sent again. */
  isReplayable: boolean;
  signal?: AbortSignal | undefined;
  log: (entry: Omit<LogEntry, 'method' | 'path'>) => void;
}

/** The refusal by 503 that lasts until the operator does something. One for a list that is missing says itself when to ask again. */
const LASTING: ErrorCode = 'provider_not_configured';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;
/** Between two questions while the service is away, and before a stream of events is opened again, unless the service says otherwise. */
export const OUTAGE_PAUSE_MS = 2_000;
/** The service asks for more when a limit of an hour or a day is reached: the caller should know. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** `once` makes one attempt. Throws `Refused`, `Unreachable`, or the reason of `signal`. */
export async function untilAnswered<Answer>(
  once: (signal: AbortSignal | undefined) => Promise<{ answer: Answer; status: number; requestId: string | null }>,
  { retries, timeoutMs, isRepeatable, isReplayable, signal, log }: AttemptOptions,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const began = performance.now();
    const ended = (status: number | null, code: ErrorCode | null, requestId: string | null, retryInMs: number | null) =>
      log({ attempt, status, code, requestId, ms: Math.round(performance.now() - began), retryInMs });
    try {
      const { answer, status, requestId } = await within(timeoutMs, signal, once);
      ended(status, null, requestId, null);
      return answer;
    } catch (error) {
      const pauseMs = attempt <= retries && isReplayable ? pauseAfter(error, attempt, isRepeatable) : null;
      if (error instanceof Refused) ended(error.status, error.code, error.requestId, pauseMs);
      else ended(null, null, null, pauseMs);
      if (pauseMs === null) throw error;
      await pause(pauseMs, signal);
      signal?.throwIfAborted();
    }
  }
}

/** Null: trying again would not help, or could do something twice. */
function pauseAfter(error: unknown, attempt: number, isRepeatable: boolean): number | null {
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
  const backOffMs = Math.ceil(longest * (0.5 + Math.random() / 2));
  if (error instanceof Unreachable) return isRepeatable ? backOffMs : null;
  if (!(error instanceof Refused) || !mayPass(error, isRepeatable)) return null;
  const askedMs = (error.retryAfterSeconds ?? 0) * 1000;
  if (askedMs > LONGEST_RETRY_AFTER_MS) return null;
  // Many clients get the same Retry-After.
  return askedMs > 0 ? Math.ceil(askedMs + Math.random() * FIRST_PAUSE_MS) : backOffMs;
}

function mayPass({ status, code }: Refused, isRepeatable: boolean): boolean {
  if (code === 'idempotency_in_progress' || status === 429) return true;
  if (status === 503) return code !== LASTING;
  // 500 is ours; 502 and 504 come from a proxy, which cannot tell whether the service carried it out.
  return isRepeatable && (status === 500 || status === 502 || status === 504);
}

async function within<Result>(
  timeoutMs: number | null,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal | undefined) => Promise<Result>,
): Promise<Result> {
  const limit = timeoutMs === null ? null : new AbortController();
  const timer = limit ? setTimeout(() => limit.abort(), timeoutMs!) : undefined;
  try {
    return await work(limit && signal ? AbortSignal.any([signal, limit.signal]) : (limit?.signal ?? signal));
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof Refused) throw error;
    throw limit?.signal.aborted
      ? new Unreachable(error, `The service did not answer within ${timeoutMs! / 1000} s`)
      : new Unreachable(error);
  } finally {
    clearTimeout(timer);
  }
}

/** It passes by itself, and soon. */
export const isOutage = (error: unknown): boolean =>
  error instanceof Refused
    ? (error.status >= 500 || error.status === 429) && (error.retryAfterSeconds ?? 0) * 1000 <= LONGEST_RETRY_AFTER_MS
    : error instanceof Unreachable;

/** Asks until there is an answer, since an outage does not end a wait; its time limit does. */
export async function throughOutage<Answer>(
  ask: () => Promise<Answer>,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (signal?.aborted || !isOutage(error) || Date.now() >= deadline) throw error;
      await pause(OUTAGE_PAUSE_MS, signal);
      signal?.throwIfAborted();
    }
  }
}

/** Ends early, without an error, when `signal` aborts. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
