/**
 * The typed client of the public API, for programs with a key and for the console with a session. Its types come from `src/contract/`, so that a change of an
 * answer is a compiler's error here. It knows nothing of the server and has no dependency. Each resource's calls are one object.
 */
import type { z } from 'zod';
import type { batchAnswer, batchesQuery, batchWithErrors, changeAnswer, progressAnswer } from '../contract/batches.ts';
import type { jobWithResult } from '../contract/jobs.ts';
import type { priceAnswer, walletAnswer } from '../contract/money.ts';
import type { sessionAnswer, signInBody } from '../contract/people.ts';
import type { batchJobsQuery, linkAnswer, linkBody } from '../contract/results.ts';
import type { ServerEvent } from './events.ts';
import { openTransport, type Page, type Query, type Transport, type TransportOptions } from './transport.ts';

export type Batch = z.infer<typeof batchAnswer>;
export type BatchDetail = z.infer<typeof batchWithErrors>;
export type BatchStatus = Batch['status'];
export type StatusChange = z.infer<typeof changeAnswer>;
export type BatchProgress = z.infer<typeof progressAnswer> & Pick<Batch, 'counts' | 'billed_amount' | 'degraded' | 'next_attempt_at'>;
export type Job = z.infer<typeof jobWithResult>;
export type Price = z.infer<typeof priceAnswer>;
export type Wallet = z.infer<typeof walletAnswer>;
export type Session = z.infer<typeof sessionAnswer>;
export type Link = z.infer<typeof linkAnswer>;

/** What a batch's stream of events says. */
export type BatchEvent = { type: 'status'; change: StatusChange } | { type: 'progress'; progress: BatchProgress };

type Asked<Schema extends z.ZodType> = Query & { [Name in keyof z.input<Schema>]?: unknown };

export type Client = ReturnType<typeof openClient>;

export function openClient(options: TransportOptions) {
  const transport = openTransport(options);
  return {
    transport,
    session: sessionCalls(transport),
    batches: batchCalls(transport),
    jobs: { read: (id: string, signal?: AbortSignal) => transport.send<Job>('GET', `api/v1/jobs/${id}`, { signal }) },
    money: {
      wallet: (signal?: AbortSignal) => transport.send<Wallet>('GET', 'api/v1/wallet', { signal }),
      prices: (signal?: AbortSignal) => transport.send<{ data: Price[] }>('GET', 'api/v1/prices', { signal }),
    },
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

const BATCHES = 'api/v1/batches';

const batchCalls = ({ send, items, events }: Transport) => ({
  page: (query: Asked<typeof batchesQuery>, signal?: AbortSignal) => send<Page<Batch>>('GET', BATCHES, { query, signal }),
  all: (query: Asked<typeof batchesQuery> = {}) => items<Batch>(BATCHES, query),
  read: (id: string, signal?: AbortSignal) => send<BatchDetail>('GET', `${BATCHES}/${id}`, { signal }),
  history: (id: string, signal?: AbortSignal) => send<{ data: StatusChange[] }>('GET', `${BATCHES}/${id}/history`, { signal }),
  jobs: (id: string, query: Asked<typeof batchJobsQuery>, signal?: AbortSignal) =>
    send<Page<Job>>('GET', `${BATCHES}/${id}/jobs`, { query, signal }),
  control: (id: string, verb: 'start' | 'pause' | 'resume' | 'cancel' | 'retry') => send<BatchDetail>('POST', `${BATCHES}/${id}/${verb}`),
  link: (id: string, body: z.input<typeof linkBody>) => send<Link>('POST', `${BATCHES}/${id}/links`, { body }),
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
