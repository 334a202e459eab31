/**
 * The typed client of the public API, for programs with a key and for the console with a session. Its types come from `src/contract/`, so that a change of an
 * answer is a compiler's error here. It knows nothing of the server and has no dependency. Each resource's calls are one object.
 */
import type { z } from 'zod';
import type {
  batchAnswer,
  batchesQuery,
  batchWithErrors,
  changeAnswer,
  progressAnswer,
  quoteAnswer,
  timelineAnswer,
} from '../contract/batches.ts';
import type { jobWithResult } from '../contract/jobs.ts';
import type { overviewAnswer } from '../contract/overview.ts';
import type { sessionAnswer, signInBody } from '../contract/people.ts';
import type { previewAnswer } from '../contract/previews.ts';
import type { askedAnswer } from '../contract/providers.ts';
import type { batchJobsQuery, linkBody } from '../contract/results.ts';
import type { revealBody } from '../contract/reveals.ts';
import { accountCalls } from './account.ts';
import { amlCalls } from './aml.ts';
import { auditCalls } from './audit.ts';
import { checkCalls } from './checks.ts';
import type { ServerEvent } from './events.ts';
import { keyCalls } from './keys.ts';
import { type Link, linkCalls } from './links.ts';
import { moneyCalls } from './money.ts';
import { operatorCalls } from './operator.ts';
import { type Approval, approvalCalls, peopleCalls, settingsCalls } from './people.ts';
import { requestCalls } from './requests.ts';
import { reviewCalls } from './reviews.ts';
import { openTransport, type Page, type Query, type Transport, type TransportOptions } from './transport.ts';
import { webhookCalls } from './webhooks.ts';

export type Batch = z.infer<typeof batchAnswer>;
export type BatchDetail = z.infer<typeof batchWithErrors>;
export type BatchStatus = Batch['status'];
export type StatusChange = z.infer<typeof changeAnswer>;
export type Timeline = z.infer<typeof timelineAnswer>;
export type BatchProgress = z.infer<typeof progressAnswer> & Pick<Batch, 'counts' | 'billed_amount' | 'degraded' | 'next_attempt_at'>;
export type Job = z.infer<typeof jobWithResult>;
/** `searched_to_row`: with a reference, the last row that was looked at. */
export type RowPage = Page<Job> & { searched_to_row?: number };
/** A question to a vendor. */
export type Lookup = z.infer<typeof askedAnswer>;
export type RevealBody = z.input<typeof revealBody>;
export type Quote = z.infer<typeof quoteAnswer>;
export type Preview = z.infer<typeof previewAnswer>;
export type Overview = z.infer<typeof overviewAnswer>;
export type Session = z.infer<typeof sessionAnswer>;

/** What a batch's stream of events says. */
export type BatchEvent = { type: 'status'; change: StatusChange } | { type: 'progress'; progress: BatchProgress };

type Asked<Schema extends z.ZodType> = Query & { [Name in keyof z.input<Schema>]?: unknown };

export type Client = ReturnType<typeof openClient>;

export function openClient(options: TransportOptions) {
  const transport = openTransport(options);
  return {
    transport,
    session: sessionCalls(transport),
    account: accountCalls(transport),
    people: peopleCalls(transport),
    keys: keyCalls(transport),
    approvals: approvalCalls(transport),
    settings: settingsCalls(transport),
    reviews: reviewCalls(transport),
    audit: auditCalls(transport),
    aml: amlCalls(transport),
    links: linkCalls(transport),
    batches: batchCalls(transport),
    jobs: jobCalls(transport),
    overview: (signal?: AbortSignal) => transport.send<Overview>('GET', 'api/v1/overview', { signal }),
    checks: checkCalls(transport),
    money: moneyCalls(transport),
    requests: requestCalls(transport),
    operator: operatorCalls(transport),
    webhooks: webhookCalls(transport),
  };
}

const SESSION = 'api/v1/session';

const sessionCalls = ({ send }: Transport) => ({
  read: (signal?: AbortSignal) => send<Session>('GET', SESSION, { signal }),
  signIn: (body: z.input<typeof signInBody>) => send<Session>('POST', SESSION, { body }),
  useLink: (body: { token: string; password?: string; name?: string; code?: string; recovery_code?: string }) =>
    send<Session>('POST', `${SESSION}/link`, { body }),
  challengePasskey: () => send<{ options: unknown }>('POST', `${SESSION}/passkey`),
  beginOidc: () => send<{ url: string }>('POST', `${SESSION}/oidc`),
  signOut: () => send<unknown>('DELETE', SESSION),
});

const JOBS = 'api/v1/jobs';

const jobCalls = ({ send, open }: Transport) => ({
  read: (id: string, signal?: AbortSignal) => send<Job>('GET', `${JOBS}/${id}`, { signal }),
  /** Which vendors were asked for it. */
  lookups: (id: string, signal?: AbortSignal) => send<{ data: Lookup[] }>('GET', `${JOBS}/${id}/lookups`, { signal }),
  /** In clear, for a purpose that the audit keeps; an approval if a second person must agree first. */
  reveal: (id: string, body: RevealBody) => send<Job | Approval>('POST', `${JOBS}/${id}/reveal`, { body }),
  /** A picture that was submitted, while it is kept. */
  image: async (id: string, side: 'selfie' | 'portrait', signal?: AbortSignal) =>
    (await open('GET', `${JOBS}/${id}/images/${side}`, { signal })).blob(),
  /** A screening as a PDF. */
  report: async (id: string) => (await open('GET', `${JOBS}/${id}/report`)).blob(),
});

const BATCHES = 'api/v1/batches';

const batchCalls = ({ send, items, events }: Transport) => ({
  page: (query: Asked<typeof batchesQuery>, signal?: AbortSignal) => send<Page<Batch>>('GET', BATCHES, { query, signal }),
  all: (query: Asked<typeof batchesQuery> = {}) => items<Batch>(BATCHES, query),
  read: (id: string, signal?: AbortSignal) => send<BatchDetail>('GET', `${BATCHES}/${id}`, { signal }),
  /** Of a text the first 256 KiB are enough; a workbook or an archive must be whole. */
  preview: (file: { type: string; bytes: Blob }, query: Query, signal?: AbortSignal) =>
    send<Preview>('POST', `${BATCHES}/preview`, { file, query, signal }),
  quote: (file: { type: string; bytes: Blob }, query: Query, signal?: AbortSignal) =>
    send<Quote>('POST', `${BATCHES}/quote`, { file, query, signal }),
  history: (id: string, signal?: AbortSignal) => send<{ data: StatusChange[] }>('GET', `${BATCHES}/${id}/history`, { signal }),
  timeline: (id: string, signal?: AbortSignal) => send<Timeline>('GET', `${BATCHES}/${id}/timeline`, { signal }),
  jobs: (id: string, query: Asked<typeof batchJobsQuery>, signal?: AbortSignal) =>
    send<RowPage>('GET', `${BATCHES}/${id}/jobs`, { query, signal }),
  /** An approval if a second person must agree to the start first. */
  start: (id: string) => send<BatchDetail | Approval>('POST', `${BATCHES}/${id}/start`),
  control: (id: string, verb: 'pause' | 'resume' | 'cancel' | 'retry') => send<BatchDetail>('POST', `${BATCHES}/${id}/${verb}`),
  link: (id: string, body: z.input<typeof linkBody>) => send<Link | Approval>('POST', `${BATCHES}/${id}/links`, { body }),
  /** Until the batch is over. */
  async *watch(id: string, signal: AbortSignal, onState?: (isConnected: boolean) => void): AsyncGenerator<BatchEvent> {
    for await (const event of events(`${BATCHES}/${id}/events`, signal, onState)) {
      const told = batchEventOf(event);
      if (told) yield told;
    }
  },
});

function batchEventOf({ type, data }: ServerEvent): BatchEvent | null {
  if (type === 'status') return { type, change: JSON.parse(data) as StatusChange };
  return type === 'progress' ? { type, progress: JSON.parse(data) as BatchProgress } : null;
}
