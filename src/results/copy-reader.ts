/**
 * COPY in binary form (postgresql.org/docs/current/sql-copy.html, "Binary Format"), parsed here: for a million rows the usual way, a text
 * row of every column and a hex string for each ciphertext, takes several times as long.
 */
import { once } from 'node:events';
import type { Context } from '../foundation/context.ts';

/** Of a buffer that was not used yet. */
const FIRST_BYTES = 64 * 1024;

/**
 * What a COPY answered, in memory that serves again for the next one: fresh memory for each page would outlive the young generation, and a
 * download would grow by whatever waits for a collection of the old one.
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

  /** What is in it, until it is filled anew. */
  content(): Buffer {
    return this.bytes.subarray(0, this.length);
  }
}

/**
 * Fills `target`. In a transaction, whose connection nobody else is given meanwhile: where all are busy, postgres.js would put another query
 * behind the COPY, and fail it. (Its `reserve` never answers on a connection that is new and is not asked for its types.)
 */
export function copyOut({ sql }: Context, query: string, target: CopyBuffer): Promise<Buffer> {
  target.clear();
  return new Promise((resolve, reject) => {
    const reading = sql.begin('read only', async (tx) => {
      const stream = await tx.unsafe(query).readable();
      stream.on('data', (message: Buffer) => target.append(message));
      await once(stream, 'end');
      // postgres.js 3.4.9 pauses its socket when the stream is full and resumes it when the stream asks for more, which one that has come to
      // its end does not do: the connection would stand still for good, and so would the next query that gets it.
      stream._read(0);
      // The end of a transaction that only read changes nothing: not waited for.
      resolve(target.content());
    });
    reading.catch(reject);
  });
}

const HEADER_BYTES = 19;
/** Milliseconds from 1970 to 2000, where Postgres counts from. */
const EPOCH_MS = 946_684_800_000;

/** Its fields, in the order in which they were selected. Bytes are views of `data`. */
export function openFields(data: Buffer) {
  let at = HEADER_BYTES + data.readInt32BE(HEADER_BYTES - 4);
  /** Start of the next field, or -1 for NULL; steps over it. */
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
    /** False at the end. */
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
    /** Text of our own, which is ASCII: quicker to decode. */
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
