/** The rows of a batch's results, streamed. A download that is cut off continues after the last row that arrived. */
import type { Outcome } from '../contract/results.ts';
import { isOutage, pause } from './attempts.ts';
import { readChunks } from './chunks.ts';
import { Unreachable } from './errors.ts';
import type { Job } from './jobs.ts';
import { type Stated, statedIn } from './purpose.ts';
import type { Transport } from './transport.ts';

/** One submitted row with what each check found. */
export interface ResultRow {
  /** Data row of the upload, from 1. */
  row: number;
  reference: string | null;
  /** As submitted, by column; null once it is no longer kept. */
  input: Record<string, unknown> | null;
  status: 'valid' | 'invalid';
  /** Why the row is invalid. */
  errors: { field: string; rule: string; message: string }[];
  /** By the id of the check; a check without a job is missing. */
  checks: Record<string, RowResult>;
}

export type RowResult = Pick<Job, 'id' | 'status' | 'outcome' | 'billed_amount' | 'cached' | 'error' | 'duplicate_of' | 'completed_at'> & {
  /** What the check found; null: nothing, or not yet. */
  entity: Record<string, unknown> | null;
};

export interface ResultsOptions extends Stated {
  /** Only rows with at least one check of these outcomes. */
  outcome?: Outcome | readonly Outcome[];
  /** `Next-Since` of an earlier download: only rows with a check that has ended since. */
  since?: string;
  signal?: AbortSignal;
}

/** Longer than the service ever pauses between two available rows. */
const SILENCE_MS = 60_000;
/** Attempts in a row that bring nothing new. */
const RETRIES = 4;
const PAUSE_MS = 1_000;

export async function* readResults(
  open: Transport['open'],
  path: string,
  { outcome, since, signal, purpose }: ResultsOptions,
): AsyncGenerator<ResultRow> {
  const query = { format: 'jsonl', outcome, since };
  let last = 0;
  for (let failures = 0; ; ) {
    try {
      const { body } = await open('GET', path, { query, headers: statedIn({ purpose }), signal });
      for await (const line of readLines(body!)) {
        const result = JSON.parse(line) as ResultRow;
        // Seen before the connection was cut.
        if (result.row <= last) continue;
        last = result.row;
        failures = 0;
        yield result;
      }
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (!isOutage(error) || ++failures > RETRIES) throw error;
      await pause(PAUSE_MS * failures, signal);
    }
  }
}

/** Throws `Unreachable` if the last line has no end: something on the way closed the connection as if all had come. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of readChunks(body, SILENCE_MS)) {
    const [first, ...others] = decoder.decode(bytes, { stream: true }).split('\n') as [string, ...string[]];
    rest += first;
    for (const next of others) {
      yield rest;
      rest = next;
    }
  }
  if (rest !== '') throw new Unreachable(null, 'The results end within a row');
}
