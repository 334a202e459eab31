/** The body of an upload as bytes: bounded, watched for stalls, and so many at a time. */
import { ApiError } from '../errors.ts';
import type { Http } from './http.ts';

/** A client that sends nothing for so long is hung up on: an upload holds a transaction. */
const STALL_MS = 30_000;

/** The body's chunks as they arrive. Throws `payload_too_large`, or `invalid_upload` when the client stalls or hangs up. */
export async function* uploadBytes(c: Http, bytesMax: number): AsyncGenerator<Uint8Array> {
  const tooLarge = () => new ApiError('payload_too_large', `The upload is larger than ${bytesMax} bytes`);
  if (Number(c.req.header('content-length') ?? 0) > bytesMax) throw tooLarge();
  const reader = c.req.raw.body?.getReader();
  if (!reader) return;
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await withinStall(reader.read());
      if (done) return;
      size += value.byteLength;
      if (size > bytesMax) throw tooLarge();
      yield value;
    }
  } finally {
    // Whoever stops reading early leaves the rest unread; the connection is closed with the answer.
    reader.cancel().catch(() => {});
  }
}

async function withinStall<T>(reading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const stalled = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ApiError('invalid_upload', `The upload stalled for ${STALL_MS / 1000} s`)), STALL_MS);
  });
  try {
    return await Promise.race([reading, stalled]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs at most `max` uploads at a time; further ones wait, and their clients with them. */
export function limitUploads(max: number): <T>(upload: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (upload) => {
    if (running < max) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await upload();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
