/**
 * Answers that last as long as their clients read them: result files and event streams. Each holds a place until its connection is closed. A client that
 * reads nothing for a while is disconnected (`api/app.ts`, for every answer).
 */

import type { Suspensions } from '../access/suspensions.ts';
import { openPlaces, share } from '../foundation/places.ts';
import { type Http, outgoingOf } from './http.ts';

export interface StreamsOptions {
  /** Most streams in the process; an app may have half of them. */
  all: number;
  /** Plural noun for the refusal's sentence. */
  what: string;
  retrySeconds: number;
  /** Streams of a suspended app are cut off; what was sent so far is incomplete. */
  suspensions: Suspensions;
}

/** Throws `overloaded` if there is no place. */
export type SendStream = (c: Http, appId: string, content: AsyncIterable<Uint8Array>, headers: Record<string, string>) => Promise<Response>;

/** How long a request waits for a place. */
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
