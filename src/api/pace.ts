/** How slowly a client may send a body. A slow one ties up a connection, a place among the uploads and a file on disk. */
import type { ReadableStreamReadResult } from 'node:stream/web';
import { ApiError } from '../foundation/errors.ts';

export interface PaceLimits {
  /** Over any stretch of this length the client must average `BYTES_PER_SECOND_MIN`. */
  stallMs: number;
  /** Limit for the whole body. */
  totalMs: number;
}

/** What GPRS manages on a bad day. */
const BYTES_PER_SECOND_MIN = 8 * 1024;

export const PACE: PaceLimits = { stallMs: 30_000, totalMs: 3_600_000 };

type Read = ReadableStreamReadResult<Uint8Array>;

/** Times only the waiting for the client: our own work between two reads does not count. */
export class Pace {
  private readonly limits: PaceLimits;
  private totalMs = 0;
  private stretchMs = 0;
  private stretchBytes = 0;

  constructor(limits: PaceLimits) {
    this.limits = limits;
  }

  /** The result of `reading`. Throws `invalid_request` when the client is too slow or hangs up. */
  async follow(reading: Promise<Read>): Promise<Read> {
    const brokenOff = reading.catch(() => Promise.reject(new ApiError('invalid_request', 'The body ended before it was complete')));
    for (;;) {
      const began = performance.now();
      const read = await within(Math.min(this.limits.stallMs - this.stretchMs, this.limits.totalMs - this.totalMs), brokenOff);
      const ms = performance.now() - began;
      this.totalMs += ms;
      this.stretchMs += ms;
      this.stretchBytes += read?.value?.byteLength ?? 0;
      if (read?.done) return read;
      this.refuseTooSlow();
      if (read) return read;
    }
  }

  private refuseTooSlow(): void {
    const { stallMs, totalMs } = this.limits;
    if (this.totalMs >= totalMs) throw tooSlow(`did not come within ${totalMs / 1000} s`);
    if (this.stretchMs < stallMs) return;
    if (this.stretchBytes === 0) throw tooSlow(`stalled for ${stallMs / 1000} s`);
    if (this.stretchBytes < (BYTES_PER_SECOND_MIN * stallMs) / 1000)
      throw tooSlow(`came at less than ${BYTES_PER_SECOND_MIN} bytes a second`);
    this.stretchMs = 0;
    this.stretchBytes = 0;
  }
}

/** Null: `ms` passed first. */
async function within(ms: number, reading: Promise<Read>): Promise<Read | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), null);
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}

function tooSlow(message: string): ApiError {
  return new ApiError('invalid_request', `The body ${message}`, { details: [{ path: 'body', message, rule: 'too_slow' }] });
}
