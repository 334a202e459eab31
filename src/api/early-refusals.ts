/**
 * Refuses calls of an app that is beyond its share before reading them. The first such call with a key goes through sign-in and the gate as usual; for the next
 * half second, calls with the same credentials get the same answer here, at a tenth of the cost. Without this, an app that sends thousands of calls a second
 * would keep the event loop busy with refusals alone. While its share is cut, the answers are delayed too, so that a client that reads them sends less.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { errorCodes } from '../foundation/errors.ts';
import { newId, showId } from '../foundation/ids.ts';
import type { Service } from '../pipeline/service.ts';
import type { AnswerLog, By } from './answered.ts';
import type { Http } from './http.ts';
import type { Route } from './route.ts';

/** A revocation or suspension holds for all requests within a second. */
const REMEMBER_MS = 500;
const KEYS_MAX = 1_000;
/** Answers delayed at a time; any more are sent at once. Each keeps a connection and a few kilobytes. */
const DELAYED_MAX = 5_000;
/** Time between two delayed answers to one app. Clients often send a new call for each answer, so a burst of answers would cause a burst of calls. */
const PACE_MS = 5;
/** The longest that an answer is delayed. */
const DELAY_MAX_MS = 10_000;
const CLIENT_GONE = 499;
/** A call with a larger body takes the ordinary way, which knows what to do with the unread rest. */
const BODY_BYTES_MAX = 16 * 1024;

/** What is remembered of the refused call. */
interface Refused {
  appId: string;
  by: By;
  /** Counts the request against its key's limit; returns headers for the answer, or null if the limit is reached. */
  count(): Record<string, string> | null;
}

export interface EarlyRefusals {
  /** After the gate has refused the call `c`. */
  remember(c: Http, refused: Refused): void;
  /** Whether it has answered. */
  answer(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
}

/** `headers`: of every answer. */
export function openEarlyRefusals(
  { admission: { calls: gate }, config: { CONFAM_ANSWER_STALL_MS: stallMs } }: Pick<Service, 'admission' | 'config'>,
  routes: readonly Pick<Route, 'method' | 'path' | 'isCall'>[],
  headers: Record<string, string>,
  log: Pick<AnswerLog, 'add'>,
): EarlyRefusals {
  const calls = new Set(routes.filter(({ isCall }) => isCall).map(({ method, path }) => `${method.toUpperCase()} ${path}`));
  const known = new LRUCache<string, Refused>({ max: KEYS_MAX, ttl: REMEMBER_MS });
  const delay = openDelay();

  return {
    remember(c, refused) {
      const key = credentials(c.req.header('authorization'), c.req.header('appid'));
      if (key !== null) known.set(key, refused);
    },
    answer(incoming, outgoing) {
      if (known.size === 0) return false;
      const key = credentials(incoming.headers.authorization, incoming.headers.appid as string | undefined);
      const refused = key === null ? undefined : known.get(key);
      if (!refused || isLong(incoming)) return false;
      const { method = '', url = '' } = incoming;
      const query = url.indexOf('?');
      const route = query === -1 ? url : url.slice(0, query);
      if (!calls.has(`${method} ${route}`)) return false;
      const refusal = gate.refusal(refused.appId);
      const counted = refusal && refused.count();
      if (!counted) return false;
      const started = performance.now();
      const requestId = showId('req', newId());
      const { code, message } = refusal;
      const body = JSON.stringify({ status: 'error', error: message, code, meta: { request_id: requestId } });
      const { status } = errorCodes[code];
      delay(refused.appId, outgoing, refusal.delayMs, () => {
        const isGone = outgoing.destroyed;
        if (!isGone) {
          outgoing.setTimeout(stallMs);
          outgoing.writeHead(status, {
            ...headers,
            ...counted,
            ...refusal.headers,
            'X-Request-Id': requestId,
            'Content-Type': 'application/json',
            'Content-Length': Buffer.byteLength(body),
          });
          outgoing.end(body);
        }
        log.add({
          requestId,
          method,
          route,
          status: isGone ? CLIENT_GONE : status,
          code: isGone ? null : code,
          by: refused.by,
          ms: performance.now() - started,
        });
      });
      return true;
    },
  };
}

/** Sends an app's answer after `ms`, apart from its others; at once if `ms` is 0, if too many wait already, or if its client is gone. */
function openDelay(): (appId: string, outgoing: ServerResponse, ms: number, send: () => void) => void {
  /** By app: when its next delayed answer may be sent. */
  const nextAt = new LRUCache<string, number>({ max: KEYS_MAX });
  let delayed = 0;
  return function delay(appId, outgoing, ms, send) {
    if (ms === 0 || delayed >= DELAYED_MAX) {
      send();
      return;
    }
    const now = performance.now();
    const due = Math.min(now + DELAY_MAX_MS, Math.max(now + ms, nextAt.get(appId) ?? 0));
    nextAt.set(appId, due + PACE_MS);
    delayed++;
    const over = () => {
      clearTimeout(timer);
      outgoing.off('close', over);
      delayed--;
      send();
    };
    const timer = setTimeout(over, due - now);
    outgoing.once('close', over);
  };
}

/** As they were sent; null if any is missing. */
const credentials = (authorization: string | undefined, app: string | undefined): string | null =>
  authorization && app ? `${authorization} ${app}` : null;

const isLong = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > BODY_BYTES_MAX;
