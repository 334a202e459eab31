/**
 * Answers that last as long as their clients read them: result files and event streams. Each holds a place until its connection is closed. A client that
 * reads nothing for a while is disconnected (`api/app.ts`, for every answer).
 */

import type { ServerResponse } from 'node:http';
import type { Gate } from '../access/gate.ts';
import type { Service } from '../pipeline/service.ts';
import { leaveFirstGate } from './admit.ts';
import type { Holders } from './holders.ts';
import { clientOf, type Http, outgoingOf } from './http.ts';

/** Throws `too_many_in_progress` or `overloaded` if there is no place. */
export type SendStream = (c: Http, appId: string, content: AsyncIterable<Uint8Array>, headers: Record<string, string>) => Promise<Response>;

/** Streams of a suspended app, or of a key, session or role that ends, are cut off; what was sent so far is incomplete. */
export function openStreams({ suspensions }: Pick<Service, 'suspensions'>, holders: Holders, gate: Gate): SendStream {
  const open = new Map<ServerResponse, string>();
  suspensions.onChange(() => {
    for (const [outgoing, appId] of open) if (suspensions.has(appId)) outgoing.destroy();
  });
  return async (c, appId, content, headers) => {
    if (c.req.method === 'HEAD') return new Response(null, { headers });
    leaveFirstGate(c);
    const leave = await gate.enter(appId, clientOf(c));
    const outgoing = outgoingOf(c);
    if (outgoing.destroyed) leave();
    else {
      open.set(outgoing, appId);
      const forget = holders.add(c, appId, () => outgoing.destroy());
      outgoing.once('close', () => {
        open.delete(outgoing);
        forget();
        leave();
      });
    }
    return new Response(ReadableStream.from(content), { headers });
  };
}
