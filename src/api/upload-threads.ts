/**
 * Reads the rows of large uploads in a thread: parsing, validating and sealing a million rows takes 15 s of a processor, which single calls would share with it
 * in the event loop. The thread reads the body's file and sends back what statements take, as a few large texts a slice; the transaction stays here. See
 * docs/decisions/0035-uploads-in-a-thread.md.
 */
import { MessageChannel } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import type { Tally } from '../batches/intake.ts';
import type { RowPlan, RowThread, RowWork, Slices } from '../batches/row-thread.ts';
import { openThreads } from '../engines/threads.ts';
import type { Context } from '../foundation/context.ts';
import { ApiError, retryAfter } from '../foundation/errors.ts';
import { UploadError } from '../rows/row.ts';
import type { OpenedTable, Sent, UploadBounds } from './open-upload.ts';
import type { Stored } from './receive-upload.ts';
import { Inbox } from './upload-inbox.ts';
import type { Failure, FromThread, ThreadData, ToThread, UploadTask } from './upload-thread.ts';

interface UploadThreads {
  /** The thread reads the file until the session is closed. */
  open(sent: Sent, stored: Stored): UploadSession;
  close(): Promise<void>;
}

export interface UploadSession extends RowThread {
  /** A workbook or an archive as the thread has opened it. Throws as opening it here would. */
  opened(): Promise<OpenedTable>;
  /** Resolves when the thread has left the file. */
  close(): Promise<void>;
}

/** Bulk work as a whole gets one processor of this process at most, however many uploads there are; they take turns by slices. */
const THREADS = 1;
/** Enough for a new thread to load. */
const LOST_RETRY_SECONDS = 2;
/** Rows live for one slice. With V8's default of 48 MB, or with 16, the process is larger and reading is no faster. */
const YOUNG_MB = 6;

export function openUploadThreads(
  { config, cipher, log }: Pick<Context, 'config' | 'cipher' | 'log'>,
  bounds: UploadBounds,
): UploadThreads {
  let pool: Piscina<UploadTask, void> | null = null;
  const start = () => {
    const data: ThreadData = { indexKeys: cipher.indexKeys, bounds };
    return openThreads<UploadTask, void>(import.meta.url, './upload-thread', {
      threads: THREADS,
      rest: true,
      tasksAtOnce: config.CONFAM_UPLOADS_MAX,
      data,
      youngGenerationMb: YOUNG_MB,
    });
  };
  return {
    open(sent, stored) {
      pool ??= start();
      return new Session(pool, { sent, stored }, (error) => {
        log.error({ err: error }, 'the thread that reads uploads ended');
        return threadLost();
      });
    },
    async close() {
      await pool?.destroy();
    },
  };
}

class Session implements UploadSession {
  private readonly inbox: Inbox<FromThread, ToThread>;
  /** Resolves when the thread has left the file; throws if the thread ended before. */
  private readonly over: Promise<void>;

  /** `lost`: the error for the upload's client if the thread ends. */
  constructor(pool: Piscina<UploadTask, void>, upload: Omit<UploadTask, 'port'>, lost: (error: unknown) => ApiError) {
    const { port1, port2 } = new MessageChannel();
    this.inbox = new Inbox(port1);
    this.over = pool.run({ ...upload, port: port2 }, { transferList: [port2] }).catch((error: unknown) => {
      this.inbox.close();
      throw lost(error);
    });
    this.over.catch(() => {});
  }

  async opened(): Promise<OpenedTable> {
    const { format, table } = await this.take('head');
    if (table === null) throw new Error('a workbook without columns');
    return { format, source: { ...table, rows: unread, close: async () => {} } };
  }

  async *read<W extends RowWork>(work: W, { checks, mapping, options, watchLists }: RowPlan): AsyncGenerator<Slices[W['kind']], Tally> {
    this.inbox.say({ kind: 'read', work, checks: checks.map(({ id }) => id), mapping, dateFormat: options.date_format, watchLists });
    for (;;) {
      const message = await this.take('slice', 'tally');
      if (message.kind === 'tally') return message.tally;
      // The thread makes the next one while this one is stored.
      this.inbox.say({ kind: 'more' });
      yield message.slice as Slices[W['kind']];
    }
  }

  async close(): Promise<void> {
    this.inbox.close();
    await this.over.catch(() => {});
  }

  /** The next message of these kinds. Throws what the thread threw. */
  private async take<K extends FromThread['kind']>(...kinds: K[]): Promise<Extract<FromThread, { kind: K }>> {
    for (;;) {
      const message = await this.inbox.take().catch(async (error: unknown) => {
        await this.over;
        throw error;
      });
      if (message.kind === 'failure') throw errorOf(message.failure);
      if ((kinds as string[]).includes(message.kind)) return message as Extract<FromThread, { kind: K }>;
    }
  }
}

/** By then its transaction has stored nothing; the next upload starts another thread. */
const threadLost = (): ApiError =>
  new ApiError('unavailable', 'The thread that read the upload ended. Nothing was stored: send it again', {
    headers: retryAfter(LOST_RETRY_SECONDS),
  });

/** The thread has the rows of what it has opened. */
const unread: AsyncIterable<never> = {
  [Symbol.asyncIterator]: () => {
    throw new Error('the rows of this upload are read by a thread');
  },
};

function errorOf(failure: Failure): Error {
  const { message } = failure;
  if (failure.kind === 'upload') return new UploadError(failure.rule, message, failure.row, failure.field);
  if (failure.kind === 'other') return Object.assign(new Error(message), { stack: failure.stack, code: failure.code });
  const { code, details, headers, extra } = failure;
  return new ApiError(code, message, { ...(details && { details }), headers, extra });
}
