/**
 * Receives the body of an upload as fast as its client sends it: the first bytes into memory, the rest into an unnamed file. The beginning can be read
 * meanwhile, so that a wrong column is refused before hours of sending. Nothing that others need (a connection, a transaction, a place among the readers) is
 * held before the last byte has arrived. See docs/decisions/0015-uploads-arrive-first.md.
 */
import type { FileHandle } from 'node:fs/promises';
import type { Leave } from '../access/gate.ts';
import type { Service } from '../pipeline/service.ts';
import type { Bytes } from '../rows/decode.ts';
import { openSpool, writeAll } from '../rows/spool.ts';
import { leaveFirstGate } from './admit.ts';
import { verifyDigest } from './digest.ts';
import { bodyChunks, callerOf, clientOf, type Http } from './http.ts';

interface Arriving {
  /** Can be read once. If something is wrong with the body, it throws after the last byte that arrived. */
  bytes: Bytes;
  /** Resolves after the last byte, or after what broke the body off. */
  over: Promise<void>;
  /** Resolves when the body is complete and this upload may be read: from then on nobody waits for its client. Throws what is wrong with the body. */
  whole(): Promise<void>;
  /** Where a whole body is; null if it is small and stays in memory. */
  stored(): Stored | null;
}

/** A body in a file, whose descriptor any thread of the process can read until the body is released. */
export interface Stored {
  fd: number;
  size: number;
}

/** Releases the body when `read` is done, however much of it is left. Throws `too_many_in_progress` or `overloaded` if there is no place. */
export type Receive = <T>(c: Http, read: (arriving: Arriving) => Promise<T>) => Promise<T>;

export function openReceiving({ config, admission: { uploads, reads } }: Service): Receive {
  const { CONFAM_UPLOAD_BYTES_MAX: bytesMax } = config;
  const pace = { stallMs: config.CONFAM_UPLOAD_STALL_MS, totalMs: config.CONFAM_UPLOAD_MS_MAX };
  return async (c, read) => {
    const { appId } = callerOf(c);
    const client = clientOf(c);
    // A request waits in one queue at a time; otherwise waiting uploads would keep the app's other requests out.
    leaveFirstGate(c);
    const leave = await uploads.enter(appId, client);
    let turn: Leave | null = null;
    let arrival: Arrival | null = null;
    try {
      arrival = new Arrival(verifyDigest(c.req.header('content-digest'), bodyChunks(c, bytesMax, undefined, pace)));
      const { ended } = arrival;
      return await read({
        bytes: arrival.read(),
        over: ended.catch(() => {}),
        async whole() {
          await ended;
          turn ??= await reads.enter(appId, client);
        },
        stored: () => arrival!.stored(),
      });
    } finally {
      await arrival?.close();
      (turn as Leave | null)?.();
      leave();
    }
  };
}

/** How much of a body stays in memory; a larger one goes to a file. */
const HELD_BYTES = 256 * 1024;
const PIECE_BYTES = 128 * 1024;

/** A body that is read while it is still being written. */
class Arrival {
  /** Resolves after the last byte. */
  readonly ended: Promise<void>;
  /** By offset in the body. */
  private readonly held = new Map<number, Uint8Array>();
  private file: FileHandle | null = null;
  private size = 0;
  private isOver = false;
  private isClosed = false;
  private wake: () => void = () => {};

  constructor(bytes: Bytes) {
    this.ended = this.take(bytes).finally(() => {
      this.isOver = true;
      this.wake();
    });
    // The body's reader sees the error; this only keeps it from being unhandled until then.
    this.ended.catch(() => {});
  }

  async *read(): AsyncGenerator<Uint8Array> {
    for (let at = 0; ; ) {
      while (at < this.size) {
        const piece = await this.piece(at);
        at += piece.length;
        yield piece;
      }
      if (this.isOver) return this.ended;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  stored(): Stored | null {
    return this.file && { fd: this.file.fd, size: this.size };
  }

  /** Discards the rest of the body without waiting for it. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.held.clear();
    await this.file?.close();
  }

  private async take(bytes: Bytes): Promise<void> {
    for await (const chunk of bytes) {
      if (this.isClosed) return;
      if (this.file === null && this.size + chunk.length > HELD_BYTES) await this.moveToFile();
      if (this.file) await writeAll(this.file, chunk);
      else this.held.set(this.size, chunk);
      this.size += chunk.length;
      this.wake();
    }
  }

  private async moveToFile(): Promise<void> {
    const file = await openSpool();
    try {
      for (const chunk of this.held.values()) await writeAll(file, chunk);
    } catch (error) {
      await file.close();
      throw error;
    }
    if (this.isClosed) return file.close();
    this.file = file;
    this.held.clear();
  }

  private async piece(at: number): Promise<Uint8Array> {
    if (this.file === null) return this.held.get(at)!;
    const length = Math.min(PIECE_BYTES, this.size - at);
    const { buffer, bytesRead } = await this.file.read(Buffer.allocUnsafeSlow(length), 0, length, at);
    if (bytesRead === 0) throw new Error('the file of an upload ends too soon');
    return buffer.subarray(0, bytesRead);
  }
}
