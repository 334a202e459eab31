/** A thread of `upload-threads.ts`: opens an upload that has arrived, validates its rows, and seals or prices them. It has neither a database nor a request. */
import { readSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import { workerData } from 'piscina';
import { intake, type Tally } from '../batches/intake.ts';
import { type PackedRows, RowPacker } from '../batches/packer.ts';
import type { FirstLookup, RowWork } from '../batches/row-thread.ts';
import { knownCheck } from '../checks/catalog.ts';
import { sealerUnder } from '../foundation/crypto.ts';
import { ApiError } from '../foundation/errors.ts';
import { type IndexKeys, openIndexer } from '../foundation/index-keys.ts';
import { openYielding } from '../foundation/yielding.ts';
import { RowPricer } from '../pipeline/row-pricer.ts';
import { type TableAbout, UploadError } from '../rows/row.ts';
import type { BatchFormat, DateFormat } from '../schema/batches.ts';
import { forSubmission, type Opened, openUpload, type Sent, type UploadBounds } from './open-upload.ts';
import type { Stored } from './receive-upload.ts';
import { Inbox, PortClosed } from './upload-inbox.ts';

/** Passed to every thread. */
export interface ThreadData {
  indexKeys: IndexKeys;
  bounds: UploadBounds;
}

/** One upload. */
export interface UploadTask {
  sent: Sent;
  stored: Stored;
  port: MessagePort;
}

/** First how to read the rows, then one `more` for each slice that was taken. */
export type ToThread =
  | {
      kind: 'read';
      work: RowWork;
      checks: string[];
      mapping: Record<string, string>;
      dateFormat: DateFormat;
      watchLists: readonly string[] | null;
    }
  | { kind: 'more' };

/** `head` first; then slices, and the tally after the last one. A failure ends it at any time. */
export type FromThread =
  | { kind: 'head'; format: BatchFormat; table: TableHead | null }
  | { kind: 'slice'; slice: PackedRows | FirstLookup[] }
  | { kind: 'tally'; tally: Tally }
  | { kind: 'failure'; failure: Failure };

interface TableHead {
  columns: string[];
  labels: string[];
  about: TableAbout;
}

/** An error as plain values. */
export type Failure =
  | ({ kind: 'upload' } & Pick<UploadError, 'rule' | 'message' | 'row' | 'field'>)
  | ({ kind: 'api' } & Pick<ApiError, 'code' | 'message' | 'details' | 'headers' | 'extra'>)
  | { kind: 'other'; message: string; stack: string | undefined; code: unknown };

const { indexKeys, bounds } = workerData as ThreadData;
const cipher = openIndexer(indexKeys.configured, indexKeys.retired);
const yielding = openYielding();
/** How much of a file is read at a time. */
const PIECE_BYTES = 128 * 1024;

// Linux gives each thread a priority of its own: when processors are scarce, the loop that answers calls goes first.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

export default async function readUpload({ sent, stored, port }: UploadTask): Promise<void> {
  const inbox = new Inbox<ToThread, FromThread>(port);
  let upload: Opened<unknown> | null = null;
  try {
    upload = await openUpload(sent, { bytes: bytesOf(stored), whole: async () => {} }, bounds, forSubmission);
    const { format, source } = upload;
    const table = source.columns === null ? null : { columns: source.columns, labels: source.labels, about: source.about };
    inbox.say({ kind: 'head', format, table });
    const slices = read(upload, await inbox.take());
    for (;;) {
      const next = await slices.next();
      if (next.done) return inbox.say({ kind: 'tally', tally: next.value });
      inbox.say({ kind: 'slice', slice: next.value });
      await inbox.take();
    }
  } catch (error) {
    if (!(error instanceof PortClosed)) inbox.say({ kind: 'failure', failure: failureOf(error) });
  } finally {
    await upload?.source.close();
    inbox.close();
  }
}

function read({ source }: Opened<unknown>, asked: ToThread): AsyncGenerator<PackedRows | FirstLookup[], Tally> {
  if (asked.kind !== 'read') throw new Error('an upload was not told how to be read');
  const { work, checks, mapping, dateFormat, watchLists } = asked;
  const plan = { source, checks: checks.map(knownCheck), mapping, options: { date_format: dateFormat }, watchLists };
  return work.kind === 'store'
    ? intake({ cipher, yielding }, plan, new RowPacker(sealerUnder(work.key), work.batchId))
    : intake({ cipher, yielding }, plan, new RowPricer(cipher, work));
}

/** Read at once instead of by Node's own threads: the file was written a moment ago, and nobody else is waiting in this one. */
async function* bytesOf({ fd, size }: Stored): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, size - at));
    const length = readSync(fd, piece, 0, piece.length, at);
    if (length === 0) throw new Error('the file of an upload ends too soon');
    at += length;
    yield piece.subarray(0, length);
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof UploadError) {
    const { rule, message, row, field } = error;
    return { kind: 'upload', rule, message, row, field };
  }
  if (error instanceof ApiError) {
    const { code, message, details, headers, extra } = error;
    return { kind: 'api', code, message, details, headers, extra };
  }
  const { message, stack, code } = error as Error & { code?: unknown };
  return { kind: 'other', message, stack, code };
}
