/**
 * Answers that last as long as their clients read them: files of results, streams of events. Each has a place until its connection is done
 * with it; who reads nothing for a while is hung up on (`api/app.ts`, for every answer).
 */

import type { Suspensions } from '../access/suspensions.ts';
import { openPlaces, share } from '../foundation/places.ts';
import { type Http, outgoingOf } from './http.ts';

export interface StreamsOptions {
  /** Most in the process; an app may have half of them. */
  all: number;
  /** In the plural, for the sentence that refuses. */
  what: string;
  retrySeconds: number;
  /** Streams of an app that is suspended are cut off: what was sent is not the whole. */
  suspensions: Suspensions;
}

/** Throws `overloaded` where there is no place. */
export type SendStream = (c: Http, appId: string, content: AsyncIterable<Uint8Array>, headers: Record<string, string>) => Promise<Response>;

/** One that ends in this time makes room for another. */
const PLACE_WAIT_MS = 2_000;

export function openStreams({ all, what, retrySeconds, suspensions }: StreamsOptions): SendStream {
  const places = openPlaces({ all, each: share(all), what, retrySeconds });
  const open = new Map<NonNullable<ReturnType<typeof outgoingOf>>, string>();
  suspensions.onChange(() => {
    for (const [outgoing, appId] of open) if (suspensions.has(appId)) outgoing.destroy();
  });
  return async (c, appId, content, headers) => {
    if (c.req.method === 'HEAD') return new Response(null, { headers });
    const leave = await places.take(appId, PLACE_WAIT_MS);
    const outgoing = outgoingOf(c);
    if (outgoing === undefined || outgoing.destroyed) leave();
    else {
      open.set(outgoing, appId);
      outgoing.once('close', () => {
        open.delete(outgoing);
        leave();
      });
    }
    return new Response(ReadableStream.from(content), { headers });
  };
}
