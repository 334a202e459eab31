/**
 * Answers that last as long as their clients read them: result files and event streams. Each holds a place until its connection is closed. A client that
 * reads nothing for a while is disconnected (`api/app.ts`, for every answer).
 */

import type { Gate } from '../access/gate.ts';
import { endedKeys } from '../access/keys.ts';
import type { Service } from '../pipeline/service.ts';
import { passedOn } from './admit.ts';
import { clientOf, type Http, outgoingOf } from './http.ts';

/** Throws `too_many_in_progress` or `overloaded` if there is no place. */
export type SendStream = (c: Http, appId: string, content: AsyncIterable<Uint8Array>, headers: Record<string, string>) => Promise<Response>;

/** While there are streams: how often their keys are looked up. A key ends everywhere within a second. */
const KEYS_EVERY_MS = 700;

type Outgoing = NonNullable<ReturnType<typeof outgoingOf>>;

/** Streams of a suspended app, or of a key that ends, are cut off; what was sent so far is incomplete. */
export function openStreams(service: Pick<Service, 'suspensions' | 'sql' | 'log'>, gate: Gate): SendStream {
  const { suspensions, log } = service;
  const open = new Map<Outgoing, { appId: string; keyId: string | undefined }>();
  const cut = (isOver: (owner: { appId: string; keyId: string | undefined }) => boolean) => {
    for (const [outgoing, owner] of open) if (isOver(owner)) outgoing.destroy();
  };
  suspensions.onChange(() => cut(({ appId }) => suspensions.has(appId)));
  const cutEnded = async () => {
    const keyIds = new Set([...open.values()].flatMap(({ keyId }) => keyId ?? []));
    const ended = keyIds.size === 0 ? keyIds : await endedKeys(service, [...keyIds]);
    cut(({ keyId }) => keyId !== undefined && ended.has(keyId));
  };
  let timer: NodeJS.Timeout | undefined;
  const add = (outgoing: Outgoing, owner: { appId: string; keyId: string | undefined }) => {
    open.set(outgoing, owner);
    timer ??= setInterval(
      () => cutEnded().catch((error: unknown) => log.debug({ err: error }, 'keys of streams were not looked up')),
      KEYS_EVERY_MS,
    );
  };
  const remove = (outgoing: Outgoing) => {
    open.delete(outgoing);
    if (open.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return async (c, appId, content, headers) => {
    if (c.req.method === 'HEAD') return new Response(null, { headers });
    const leave = await gate.enter(appId, clientOf(c));
    passedOn(c);
    const outgoing = outgoingOf(c);
    if (outgoing === undefined || outgoing.destroyed) leave();
    else {
      add(outgoing, { appId, keyId: c.get('caller')?.keyId });
      outgoing.once('close', () => {
        remove(outgoing);
        leave();
      });
    }
    return new Response(ReadableStream.from(content), { headers });
  };
}
