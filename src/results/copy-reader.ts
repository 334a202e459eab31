/**
 * Reads COPY in binary form (postgresql.org/docs/current/sql-copy.html, "Binary Format"). For a million rows the usual way, with a text row for every
 * column and a hex string for each ciphertext, takes several times as long.
 */
import { once } from 'node:events';
import type { Context } from '../foundation/context.ts';

/** Size of a buffer once there is something in it. An empty one, such as that of an unread download, takes no memory. */
const FIRST_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

/** Where in a buffer the output of a COPY is. */
export interface Copied {
  start: number;
  end: number;
}

/**
 * Holds what several COPYs returned, and is reused for the next ones. Fresh memory for each page would outlive the young generation, and a download would
 * grow by everything that waits for an old-generation collection.
 */
export class CopyBuffer {
  private bytes: Buffer = NOTHING;
  length = 0;

  clear(): void {
    this.length = 0;
  }

  append(message: Buffer): void {
    if (this.length + message.length > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * this.bytes.length, this.length + message.length));
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    message.copy(this.bytes, this.length);
    this.length += message.length;
  }

  /** A part of the content, valid until more is appended or the buffer is filled again. */
  part({ start, end }: Copied): Buffer {
    return this.bytes.subarray(start, end);
  }
}

/**
 * Fills `target` with the output of the COPYs that `read` runs, all in one snapshot. Runs them in a transaction, to keep the connection to itself: if all
 * connections are busy, postgres.js would queue another query behind the COPY, and fail it. (Its `reserve` never resolves on a new connection that does not
 * fetch types.)
 */
export function copyOut<T>(
  { sql }: Context,
  target: CopyBuffer,
  read: (copy: (query: string) => Promise<Copied>) => Promise<T>,
): Promise<T> {
  target.clear();
  return new Promise((resolve, reject) => {
    const reading = sql.begin('isolation level repeatable read read only', async (tx) => {
      const copy = async (query: string): Promise<Copied> => {
        const start = target.length;
        const stream = await tx.unsafe(`copy (${query}) to stdout (format binary)`).readable();
        stream.on('data', (message: Buffer) => target.append(message));
        await once(stream, 'end');
        // postgres.js 3.4.9 pauses its socket when the stream is full and resumes it when the stream asks for more. A stream that has ended does not
        // ask, so the connection, and the next query on it, would hang for good.
        stream._read(0);
        return { start, end: target.length };
      };
      // Resolves without waiting for the end of the transaction, which only read.
      resolve(await read(copy));
    });
    reading.catch(reject);
  });
}

const HEADER_BYTES = 19;
/** Milliseconds from 1970 to 2000, where Postgres counts from. */
const EPOCH_MS = 946_684_800_000;

/** Reads the fields in the order of the select list. Bytes are views of `data`. */
export function openFields(data: Buffer) {
  let at = HEADER_BYTES + data.readInt32BE(HEADER_BYTES - 4);
  /** Moves past the next field; returns its start, or -1 for NULL. */
  let end = 0;
  const next = (): number => {
    const length = data.readInt32BE(at);
    at += 4;
    if (length === -1) return -1;
    const start = at;
    at += length;
    end = at;
    return start;
  };
  return {
    /** False at the end of the data. */
    nextTuple(): boolean {
      const fields = data.readInt16BE(at);
      at += 2;
      return fields !== -1;
    },
    skip(count: number): void {
      for (let i = 0; i < count; i++) next();
    },
    /** Reads the next `count` fields by `read`, and returns the same value wherever they have the same bytes: for fields in which few tuples differ. */
    shared<T>(count: number, read: () => T): () => T {
      const known = new Map<string, T>();
      let [lastStart, lastLength] = [0, -1];
      let last: T;
      const isLast = (start: number): boolean => {
        if (at - start !== lastLength) return false;
        for (let i = 0; i < lastLength; i++) if (data[start + i] !== data[lastStart + i]) return false;
        return true;
      };
      return () => {
        const start = at;
        for (let i = 0; i < count; i++) next();
        if (isLast(start)) return last;
        const key = data.toString('latin1', start, at);
        if (!known.has(key)) {
          at = start;
          known.set(key, read());
        }
        last = known.get(key)!;
        [lastStart, lastLength] = [start, at - start];
        return last;
      };
    },
    int(): number | null {
      const start = next();
      return start === -1 ? null : data.readInt32BE(start);
    },
    flag(): boolean {
      const start = next();
      return start !== -1 && data[start] === 1;
    },
    text(): string | null {
      const start = next();
      return start === -1 ? null : data.toString('utf8', start, end);
    },
    /** For our own ASCII text, which is quicker to decode. */
    name(): string | null {
      const start = next();
      return start === -1 ? null : data.toString('latin1', start, end);
    },
    uuid(): string | null {
      const start = next();
      return start === -1 ? null : showUuid(data.toString('hex', start, end));
    },
    bytes(): Buffer | null {
      const start = next();
      return start === -1 ? null : data.subarray(start, end);
    },
    /** Microseconds since 2000 in 64 bits. */
    instant(): Date | null {
      const start = next();
      return start === -1
        ? null
        : new Date(EPOCH_MS + Math.floor((data.readInt32BE(start) * 2 ** 32 + data.readUInt32BE(start + 4)) / 1000));
    },
  };
}

const showUuid = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
