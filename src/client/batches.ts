/** Batches: files of rows, from their preview to their results. */
import type { z } from 'zod';
import type {
  batchAnswer,
  batchesQuery,
  batchWithErrors,
  changeAnswer,
  failureAnswer,
  progressAnswer,
  quoteAnswer,
  timelineAnswer,
} from '../contract/batches.ts';
import type { previewAnswer } from '../contract/previews.ts';
import type {
  batchJobsQuery,
  foundRowAnswer,
  invalidRowAnswer,
  invalidRowsQuery,
  linkBody,
  Outcome,
  ResultFormat,
  rowsQuery,
} from '../contract/results.ts';
import { throughOutage } from './attempts.ts';
import { StillRunning } from './errors.ts';
import type { ServerEvent } from './events.ts';
import type { Job, JobOptions, WaitOptions } from './jobs.ts';
import type { Link } from './links.ts';
import { at } from './paths.ts';
import type { Approval } from './people.ts';
import { type Stated, statedIn } from './purpose.ts';
import { type ResultsOptions, readResults } from './result-rows.ts';
import { beginningOf, type FileOptions, fileOf, queryOf, type UploadOptions, type UploadSource } from './sources.ts';
import { keyOf, type ListQuery, type OwnKey, type Page, type Query, type Transport } from './transport.ts';

export type Batch = z.infer<typeof batchAnswer>;
export type BatchDetail = z.infer<typeof batchWithErrors>;
export type BatchStatus = Batch['status'];
export type StatusChange = z.infer<typeof changeAnswer>;
export type BatchFailure = z.infer<typeof failureAnswer>;
export type Timeline = z.infer<typeof timelineAnswer>;
/** `searched_to_row`: with a reference, the last row searched. */
export type RowPage = Page<Job> & { searched_to_row?: number };
export type InvalidRow = z.infer<typeof invalidRowAnswer>;
export type FoundRow = z.infer<typeof foundRowAnswer>;
/** `searched_to`: every batch that was submitted later has been searched. */
export type FoundRows = Page<FoundRow> & { searched_to: string | null };
export type BatchProgress = z.infer<typeof progressAnswer> & Pick<Batch, 'counts' | 'billed_amount' | 'degraded' | 'next_attempt_at'>;
export type Quote = z.infer<typeof quoteAnswer>;
export type Preview = z.infer<typeof previewAnswer>;
export type { Outcome, ResultFormat };

/** What a batch's stream of events says. */
export type BatchEvent = { type: 'status'; change: StatusChange } | { type: 'progress'; progress: BatchProgress };

export interface BatchWaitOptions extends WaitOptions {
  /** Called with the first state, and then as it changes. */
  onProgress?: (progress: BatchProgress) => void;
  /** Called with each status, from the first one on. A batch may wait for its start, for money, or for somebody to resume it. */
  onStatus?: (change: StatusChange) => void;
}

export interface SavedFile extends Stated {
  format?: ResultFormat;
  outcome?: readonly Outcome[];
  since?: string;
  signal?: AbortSignal;
}

const BATCHES = 'api/v1/batches';

export const batchCalls = (transport: Transport) => ({
  ...readingCalls(transport),
  ...uploadCalls(transport),
  ...followingCalls(transport),
});

const readingCalls = ({ send, items }: Transport) => ({
  page: (query: ListQuery<z.input<typeof batchesQuery>> = {}, signal?: AbortSignal) => send<Page<Batch>>('GET', BATCHES, { query, signal }),
  all: (query: ListQuery<z.input<typeof batchesQuery>> = {}, signal?: AbortSignal) => items<Batch>(BATCHES, query, signal),
  read: (id: string, signal?: AbortSignal) => send<BatchDetail>('GET', at(BATCHES, id), { signal }),
  history: (id: string, signal?: AbortSignal) => send<{ data: StatusChange[] }>('GET', at(BATCHES, id, 'history'), { signal }),
  timeline: (id: string, signal?: AbortSignal) => send<Timeline>('GET', at(BATCHES, id, 'timeline'), { signal }),
  /** Why checks failed, and how many for each reason, the most frequent first. */
  failures: (id: string, signal?: AbortSignal) => send<{ data: BatchFailure[] }>('GET', at(BATCHES, id, 'failures'), { signal }),
  jobs: (id: string, query: ListQuery<z.input<typeof batchJobsQuery>> = {}, signal?: AbortSignal) =>
    send<RowPage>('GET', at(BATCHES, id, 'jobs'), { query, signal }),
  /** Invalid rows, each with what is wrong with it. */
  invalidRows: (id: string, query: ListQuery<z.input<typeof invalidRowsQuery>> = {}, signal?: AbortSignal) =>
    send<Page<InvalidRow>>('GET', at(BATCHES, id, 'invalid-rows'), { query, signal }),
  /** The rows of all batches that have a reference, as far as one request can search. */
  rows: (query: ListQuery<z.input<typeof rowsQuery>>, signal?: AbortSignal) => send<FoundRows>('GET', 'api/v1/rows', { query, signal }),
  /** Returns an approval if a second person must agree to the start first. */
  start: (id: string) => send<BatchDetail | Approval>('POST', at(BATCHES, id, 'start')),
  control: (id: string, verb: 'pause' | 'resume' | 'cancel' | 'retry') => send<BatchDetail>('POST', at(BATCHES, id, verb)),
  /** Places a legal hold, under which nothing of the batch is deleted, or lifts it. */
  hold: (id: string, isHeld: boolean) => send<BatchDetail>(isHeld ? 'PUT' : 'DELETE', at(BATCHES, id, 'legal-hold')),
  /** Deletes a batch that is over. Its data is unreadable at once, and its rows are deleted soon after. */
  delete: (id: string) => send<BatchDetail>('DELETE', at(BATCHES, id)),
  link: (id: string, body: z.input<typeof linkBody>, options: OwnKey & Stated = {}) =>
    send<Link | Approval>('POST', at(BATCHES, id, 'links'), { body, headers: { ...keyOf(options), ...statedIn(options) } }),
});

const uploadCalls = ({ send }: Transport) => {
  async function submit<Answer>(path: string, source: UploadSource, options: FileOptions & JobOptions): Promise<Answer> {
    const file = fileOf(source, options);
    try {
      // The service ends an upload that stalls or takes more than an hour.
      return await send<Answer>('POST', path, {
        file,
        query: queryOf(options),
        headers: keyOf(options),
        signal: options.signal,
        timeoutMs: null,
      });
    } catch (error) {
      throw file.failure() ?? error;
    }
  }
  return {
    /** Of a text the first 256 KiB are enough; a workbook or an archive must be whole. */
    preview: (file: { type: string; bytes: Blob }, query: Query, signal?: AbortSignal) =>
      send<Preview>('POST', `${BATCHES}/preview`, { file, query, signal }),
    quote: (file: { type: string; bytes: Blob }, query: Query, signal?: AbortSignal) =>
      send<Quote>('POST', `${BATCHES}/quote`, { file, query, signal }),
    /** What the file holds and how its columns would be read. Sends only as much of the file as that needs. */
    previewOf: async (source: UploadSource, options: FileOptions = {}) =>
      send<Preview>('POST', `${BATCHES}/preview`, {
        file: await beginningOf(fileOf(source, options)),
        query: queryOf(options),
        signal: options.signal,
      }),
    /** What the whole file would cost. Nothing is kept or held. */
    quoteOf: (source: UploadSource, options: UploadOptions) => submit<Quote>(`${BATCHES}/quote`, source, options),
    /** Submits the file. Of a stream no more than a piece is in memory. */
    upload: (source: UploadSource, options: UploadOptions) => submit<BatchDetail>(BATCHES, source, options),
  };
};

const followingCalls = ({ send, open, events }: Transport) => {
  const read = (id: string, signal?: AbortSignal) => send<BatchDetail>('GET', at(BATCHES, id), { signal });
  async function* watch(
    id: string,
    signal: AbortSignal = new AbortController().signal,
    onState?: (isConnected: boolean) => void,
  ): AsyncGenerator<BatchEvent> {
    for await (const event of events(at(BATCHES, id, 'events'), signal, onState)) {
      const batchEvent = batchEventOf(event);
      if (batchEvent) yield batchEvent;
    }
  }
  return {
    /** Watches until the batch has ended or `signal` aborts, however long the service is away. */
    watch,
    /** Waits until the batch has ended, however it ended: see its `status`. */
    async wait(batch: string | { id: string }, { timeoutMs, signal, onProgress, onStatus }: BatchWaitOptions = {}): Promise<BatchDetail> {
      const id = typeof batch === 'string' ? batch : batch.id;
      // A mistake in the id or the address is reported at once, not retried like a lost stream.
      let shown = await read(id, signal);
      onProgress?.(progressOf(shown));
      const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
      const readAgain = () => throughOutage(() => read(id, signal), deadline, signal);
      const limit = timeoutMs === undefined ? null : AbortSignal.timeout(timeoutMs);
      const ended = AbortSignal.any([...(signal ? [signal] : []), ...(limit ? [limit] : [])]);
      while (!isBatchOver(shown)) {
        for await (const event of watch(id, ended)) {
          if (event.type === 'progress') {
            onProgress?.(event.progress);
            continue;
          }
          onStatus?.(event.change);
          if (!isBatchOver(event.change)) continue;
          // Don't wait for the server to close the stream. If the batch was retried, this may be its earlier end, which the stream replays: ask before believing it.
          shown = await readAgain();
          if (isBatchOver(shown)) break;
        }
        signal?.throwIfAborted();
        if (isBatchOver(shown)) break;
        shown = await readAgain();
        if (limit?.aborted && !isBatchOver(shown)) throw new StillRunning(id, shown.status);
      }
      onProgress?.(progressOf(shown));
      return shown;
    },
    /** Row by row in submitted order, also while the batch runs. */
    results: (batch: string | { id: string }, options: ResultsOptions = {}) =>
      readResults(open, at(BATCHES, typeof batch === 'string' ? batch : batch.id, 'results'), options),
    /** The results as a file; `headers.get('next-since')` is the next download's `since`. */
    file: (id: string, { signal, purpose, ...query }: SavedFile = {}) =>
      open('GET', at(BATCHES, id, 'results'), { query, headers: statedIn({ purpose }), signal }),
    /** The invalid rows as they were uploaded, each with what is wrong. `format`: `csv` or `xlsx` for those of a table; by default that of the upload. */
    errorsFile: (id: string, { signal, purpose, ...query }: Pick<SavedFile, 'format' | 'signal' | 'purpose'> = {}) =>
      open('GET', at(BATCHES, id, 'errors'), { query, headers: statedIn({ purpose }), signal }),
  };
};

/** A new state does not compile until it has its place here. */
const stages: Readonly<Record<BatchStatus, 'open' | 'ended' | 'gone'>> = {
  awaiting_start: 'open',
  queued: 'open',
  running: 'open',
  paused: 'open',
  paused_funds: 'open',
  canceling: 'open',
  completed: 'ended',
  canceled: 'ended',
  failed: 'ended',
  expired: 'ended',
  deleting: 'gone',
  deleted: 'gone',
};

/** It has run its course, and its results are there until it is deleted. */
export const hasBatchEnded = ({ status }: Pick<Batch, 'status'>): boolean => stages[status] === 'ended';

/** It has ended, or was deleted since. */
export const isBatchOver = (batch: Pick<Batch, 'status'>): boolean => hasBatchEnded(batch) || stages[batch.status] === 'gone';

const progressOf = ({ progress, counts, billed_amount, degraded, next_attempt_at }: Batch): BatchProgress => ({
  ...progress,
  counts,
  billed_amount,
  degraded,
  next_attempt_at,
});

function batchEventOf({ type, data }: ServerEvent): BatchEvent | null {
  if (type === 'status') return { type, change: JSON.parse(data) as StatusChange };
  return type === 'progress' ? { type, progress: JSON.parse(data) as BatchProgress } : null;
}
