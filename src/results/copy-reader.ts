/**
 * Reads COPY in binary form (postgresql.org/docs/current/sql-copy.html, "Binary Format"). For a million rows the usual way, with a text row for every
 * column and a hex string for each ciphertext, takes several times as long.
 */
import { once } from 'node:events';
import type { Context } from '../foundation/context.ts';
import { uuidFromHex } from '../foundation/ids.ts';

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
/** Of the number of fields in a tuple, and of the length before each field. */
const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;
/** In place of a number of fields: no tuple follows. */
const END = -1;
const NULL_LENGTH = -1;
/** Milliseconds from 1970 to 2000, where Postgres counts from. */
const EPOCH_MS = 946_684_800_000;

export type FieldType = 'int' | 'bool' | 'text' | 'ascii' | 'uuid' | 'bytea' | 'instant';

/** Reads the fields of one tuple after another, by name. `types`: of the fields, in the order of the select list. Bytes are views of `data`. */
export function openTuples<Types extends Record<string, FieldType>>(data: Buffer, types: Types) {
  const names = Object.keys(types);
  const fields = new Fields(data, names.length);
  const read = Object.fromEntries(names.map((name, at) => [name, reader[types[name]!](fields, at)])) as {
    [Name in keyof Types]: ReturnType<(typeof reader)[Types[Name]]>;
  };
  return {
    read,
    /** False at the end of the data. */
    next: () => fields.next(),
    /** Reads neighbouring fields by `make`, and returns the same value wherever they have the same bytes: for fields in which few tuples differ. */
    shared: <T>(first: keyof Types & string, last: keyof Types & string, make: () => T) =>
      sharing(fields, names.indexOf(first), names.indexOf(last), make),
  };
}

/** Where the fields of the current tuple are. */
class Fields {
  readonly data: Buffer;
  /** Their first bytes; -1 for NULL. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  private at: number;

  constructor(data: Buffer, count: number) {
    this.data = data;
    this.starts = new Int32Array(count);
    this.ends = new Int32Array(count);
    this.at = HEADER_BYTES + data.readInt32BE(HEADER_BYTES - LENGTH_BYTES);
  }

  next(): boolean {
    const { data, starts, ends } = this;
    let at = this.at + COUNT_BYTES;
    if (data.readInt16BE(this.at) === END) return false;
    for (let i = 0; i < starts.length; i++) {
      const length = data.readInt32BE(at);
      at += LENGTH_BYTES;
      starts[i] = length === NULL_LENGTH ? -1 : at;
      if (length !== NULL_LENGTH) at += length;
      ends[i] = at;
    }
    this.at = at;
    return true;
  }
}

/** A function for each type, so that each stays monomorphic. They return null for NULL. */
const reader = {
  int: (of: Fields, i: number) => () => (of.starts[i] === -1 ? null : of.data.readInt32BE(of.starts[i]!)),
  bool: (of: Fields, i: number) => () => (of.starts[i] === -1 ? null : of.data[of.starts[i]!] === 1),
  text: (of: Fields, i: number) => () => (of.starts[i] === -1 ? null : of.data.toString('utf8', of.starts[i], of.ends[i])),
  /** For our own text, which is quicker to decode. */
  ascii: (of: Fields, i: number) => () => (of.starts[i] === -1 ? null : of.data.toString('latin1', of.starts[i], of.ends[i])),
  uuid: (of: Fields, i: number) => () => (of.starts[i] === -1 ? null : uuidFromHex(of.data.toString('hex', of.starts[i], of.ends[i]))),
  bytea: (of: Fields, i: number) => () => (of.starts[i] === -1 ? null : of.data.subarray(of.starts[i], of.ends[i])),
  instant: (of: Fields, i: number) => () => (of.starts[i] === -1 ? null : instantAt(of.data, of.starts[i]!)),
} satisfies Record<FieldType, unknown>;

/** Microseconds since 2000 in 64 bits. */
const instantAt = (data: Buffer, start: number): Date =>
  new Date(EPOCH_MS + Math.floor((data.readInt32BE(start) * 2 ** 32 + data.readUInt32BE(start + 4)) / 1000));

function sharing<T>({ data, starts, ends }: Fields, first: number, last: number, make: () => T): () => T {
  const known = new Map<string, T>();
  let [previousStart, previousLength] = [0, -1];
  let previous: T;
  return () => {
    // With the length of the first field, which tells NULL from an empty one.
    const start = (starts[first] === -1 ? ends[first]! : starts[first]!) - LENGTH_BYTES;
    const length = ends[last]! - start;
    if (length === previousLength && isSame(data, previousStart, start, length)) return previous;
    const key = data.toString('latin1', start, start + length);
    if (!known.has(key)) known.set(key, make());
    previous = known.get(key)!;
    [previousStart, previousLength] = [start, length];
    return previous;
  };
}

/** Quicker than `compare`, which is a call into C++, for so few bytes. */
function isSame(data: Buffer, one: number, other: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (data[one + i] !== data[other + i]) return false;
  return true;
}
