/**
 * Reads COPY in binary form (postgresql.org/docs/current/sql-copy.html, "Binary Format"). For a million rows the usual way, with a text row for every
 * column and a hex string for each ciphertext, takes several times as long.
 */
import { once } from 'node:events';
import type { Context } from '../foundation/context.ts';

/** Initial size of a buffer. */
const FIRST_BYTES = 64 * 1024;

/**
 * Holds what a COPY returned, and is reused for the next one. Fresh memory for each page would outlive the young generation, and a download would
 * grow by everything that waits for an old-generation collection.
 */
export class CopyBuffer {
  private bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  private length = 0;

  clear(): void {
    this.length = 0;
  }

  append(message: Buffer): void {
    if (this.length + message.length > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, this.length + message.length));
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    message.copy(this.bytes, this.length);
    this.length += message.length;
  }

  /** The content, valid until the buffer is filled again. */
  content(): Buffer {
    return this.bytes.subarray(0, this.length);
  }
}

/**
 * Fills `target`. Uses a transaction, so that nobody else gets the connection meanwhile: if all are busy, postgres.js would queue another query
 * behind the COPY, and fail it. (Its `reserve` never answers on a new connection that is not asked for its types.)
 */
export function copyOut({ sql }: Context, query: string, target: CopyBuffer): Promise<Buffer> {
  target.clear();
  return new Promise((resolve, reject) => {
    const reading = sql.begin('read only', async (tx) => {
      const stream = await tx.unsafe(query).readable();
      stream.on('data', (message: Buffer) => target.append(message));
      await once(stream, 'end');
      // postgres.js 3.4.9 pauses its socket when the stream is full and resumes it when the stream asks for more. A stream that has ended does not
      // ask, so the connection, and the next query on it, would hang for good.
      stream._read(0);
      // Resolves without waiting for the end of the transaction, which only read.
      resolve(target.content());
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
