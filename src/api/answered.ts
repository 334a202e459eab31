/** Records each answered request: one canonical log line, its metrics, and the entry that its app can read later. */
import { openRequestLog, type RequestLog } from '../access/request-log.ts';
import type { Context } from '../foundation/context.ts';
import type { ErrorCode } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import type { Http, Variables } from './http.ts';

export interface Answered {
  requestId: string;
  method: string;
  /** The route's pattern, never the path or the query: those hold identifiers. */
  route: string;
  status: number;
  /** Null unless the request was refused. */
  code: ErrorCode | null;
  by: By;
  ms: number;
}

/** Who sent the request, if known. */
export interface By {
  /** The app that it acts for. */
  appId: string | undefined;
  signedIn: Variables['signedIn'];
}

export const byOf = (c: Http): By => ({ appId: c.get('caller')?.appId, signedIn: c.get('signedIn') });

export interface AnswerLog {
  add(answered: Answered): void;
  close(): Promise<void>;
}

export function openAnswerLog(service: Pick<Context, 'sql' | 'log' | 'metrics'>): AnswerLog {
  const kept = openRequestLog(service);
  return {
    add(answered) {
      const { requestId, method, route, status, by } = answered;
      const ms = Math.round(answered.ms * 10) / 10;
      service.metrics.requests.inc({ route, method, status });
      service.metrics.requestSeconds.observe({ route }, ms / 1000);
      service.log.info(
        { request: requestId, method, route, status, app: by.appId && showId('app', by.appId), actor: by.signedIn?.actor.id, ms },
        'request',
      );
      keep(kept, answered);
    },
    close: () => kept.close(),
  };
}

/** Keeps the request for its app, if known. Successful reads by people are left out: the console makes so many that they would push out the keys' requests. */
function keep(log: RequestLog, { requestId, method, route, status, code, by, ms }: Answered): void {
  const { actor, appId, live } = by.signedIn ?? {};
  const id = parseId('req', requestId);
  if (!actor || !appId || live === null || live === undefined || id === null) return;
  if (actor.kind !== 'key' && actor.kind !== 'person') return;
  const isRead = method === 'GET' || method === 'HEAD';
  if (actor.kind === 'person' && isRead && status < 400) return;
  log.add({ id, appId, live, method, route, status, code, duration: Math.round(ms * 10), actorKind: actor.kind, actorId: actor.id });
}
