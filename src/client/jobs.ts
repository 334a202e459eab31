/** Jobs: one check, answered later. */
import type { z } from 'zod';
import type { jobBody, jobsQuery, jobWithResult } from '../contract/jobs.ts';
import type { askedAnswer } from '../contract/providers.ts';
import type { revealBody } from '../contract/reveals.ts';
import { throughOutage } from './attempts.ts';
import type { CheckId, Checks } from './catalogue.ts';
import { StillRunning } from './errors.ts';
import { at } from './paths.ts';
import { type Approval, fileOrApproval } from './people.ts';
import { type Stated, statedIn } from './purpose.ts';
import { keyOf, type ListQuery, type OwnKey, type Page, type Transport } from './transport.ts';

export type Job = z.infer<typeof jobWithResult>;
/** `result` as the check finds it. */
export type JobOf<Id extends CheckId> = Omit<Job, 'result'> & { result: Checks[Id]['entity'] | null };
/** A question to a vendor. */
export type Lookup = z.infer<typeof askedAnswer>;
type RevealBody = z.input<typeof revealBody>;

type Terms = Omit<z.input<typeof jobBody>, 'check' | 'input' | 'metadata'>;

/** Options of a submission. */
export interface JobTerms extends Terms {
  /** Returned wherever the job appears; do not put personal data here. */
  metadata?: Record<string, unknown>;
}

export interface JobOptions extends OwnKey {
  signal?: AbortSignal;
}

export interface WaitOptions {
  /** Then `StillRunning` is thrown. Default: as long as it takes. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

const JOBS = 'api/v1/jobs';

/** How long one request waits, in seconds. */
const WAIT_SECONDS = 30;
/** How long the answer may take after that. */
const ANSWER_MS = 30_000;

export const jobCalls = ({ send, open, items }: Transport) => ({
  create: <Id extends CheckId>(body: { check: Id; input: Checks[Id]['input'] } & JobTerms, options: JobOptions = {}) =>
    send<JobOf<Id>>('POST', JOBS, { body, headers: keyOf(options), signal: options.signal }),
  read: (id: string, signal?: AbortSignal, stated: Stated = {}) => send<Job>('GET', at(JOBS, id), { headers: statedIn(stated), signal }),
  page: (query: ListQuery<z.input<typeof jobsQuery>> = {}, signal?: AbortSignal) => send<Page<Job>>('GET', JOBS, { query, signal }),
  /** Single jobs without their results, newest first. */
  all: (query: ListQuery<z.input<typeof jobsQuery>> = {}, signal?: AbortSignal) => items<Job>(JOBS, query, signal),
  /** Until the job has ended, whether it was answered or failed. */
  async wait<Id extends CheckId>(job: string | JobOf<Id>, { timeoutMs, signal }: WaitOptions = {}): Promise<JobOf<Id>> {
    const id = typeof job === 'string' ? job : job.id;
    const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
    const ask = (wait: number) => send<JobOf<Id>>('GET', at(JOBS, id), { query: { wait }, signal, timeoutMs: wait * 1000 + ANSWER_MS });
    const waitOn = () => ask(Math.max(0, Math.min(WAIT_SECONDS, Math.ceil((deadline - Date.now()) / 1000))));
    // The first question is answered at once, so that a mistake in the id or the address is not taken for an outage.
    for (let shown = await ask(0); ; shown = await throughOutage(waitOn, deadline, signal)) {
      if (isJobOver(shown)) return shown;
      if (Date.now() >= deadline) throw new StillRunning(id, shown.status);
    }
  },
  /** Which vendors were asked for it. */
  lookups: (id: string, signal?: AbortSignal) => send<{ data: Lookup[] }>('GET', at(JOBS, id, 'lookups'), { signal }),
  /** In clear, for a purpose that the audit keeps; an approval if a second person must agree first. */
  reveal: (id: string, body: RevealBody) => send<Job | Approval>('POST', at(JOBS, id, 'reveal'), { body }),
  /** A submitted picture, for as long as it is kept. If an approval is needed first, returns that approval. */
  image: async (id: string, side: 'selfie' | 'portrait', signal?: AbortSignal, stated: Stated = {}) =>
    fileOrApproval(await open('GET', at(JOBS, id, 'images', side), { headers: statedIn(stated), signal })),
  /** A screening as a PDF. If an approval is needed first, returns that approval. */
  report: async (id: string, stated: Stated = {}) =>
    fileOrApproval(await open('GET', at(JOBS, id, 'report'), { headers: statedIn(stated) })),
});

/** A duplicate is over when its original is. */
export const isJobOver = ({ status, completed_at }: Pick<Job, 'status' | 'completed_at'>): boolean =>
  status === 'completed' || status === 'failed' || status === 'canceled' || (status === 'duplicate' && completed_at !== null);
