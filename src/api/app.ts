/** The HTTP API: its routes, one canonical log line a request, and the one place where an error becomes a refusal. */
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { openRateLimits } from '../access/rate-limit.ts';
import { openRequestLog, type RequestLog } from '../access/request-log.ts';
import { sentence } from '../checks/read-input.ts';
import { isDatabaseFault } from '../foundation/database-faults.ts';
import { ApiError, ClientGone } from '../foundation/errors.ts';
import { newId, parseId, showId } from '../foundation/ids.ts';
import type { Service } from '../pipeline/service.ts';
import { UploadError } from '../rows/row.ts';
import { admitted } from './admit.ts';
import { openAuthentication, refuseLiveKey } from './authenticate.ts';
import { type Console, openConsole } from './console/files.ts';
import { type Docs, openDocs } from './docs/document.ts';
import type { ProcessState } from './health.ts';
import { type Http, outgoingOf, refusal, type Variables } from './http.ts';
import { idempotent } from './idempotency.ts';
import { type Guards, methodsOf, mount } from './mount.ts';
import { refuseUnknownOptions } from './options.ts';
import { limitRate } from './rate-limit.ts';
import { documentedOperations, routes } from './routes.ts';
import { securityHeaders } from './security-headers.ts';
import { openTools, type Tools } from './tools.ts';

export interface Api {
  fetch: Hono<{ Variables: Variables }>['fetch'];
  /** Every method and path that the router knows. */
  routes: { method: string; path: string }[];
  docs: Pick<Docs, 'prepare'>;
  console: Pick<Console, 'prepare'>;
  /** Ends every wait: whoever is waiting gets an answer at once, and so does everybody who asks from now on. */
  drain(): void;
  close(): Promise<void>;
}

export async function openApi(service: Service, state: ProcessState): Promise<Api> {
  const rateLimits = await openRateLimits(service);
  const authentication = await openAuthentication(service, async (c, owner, countedAs, next) => {
    service.suspensions.refuse(owner.appId);
    limitRate(c, rateLimits, countedAs, owner.settings.requestsPerMinute ?? service.config.CONFAM_REQUESTS_PER_MINUTE);
    refuseUnknownOptions(c);
    return admitted(c, service.admission, owner.appId, () => idempotent(service, c, owner, next));
  });
  const tools: Tools = {
    ...openTools(service, state, openDocs(service, documentedOperations), openConsole(service), authentication, rateLimits),
    callOwn: async (c, request) => app.fetch(request, c.env),
  };
  const guards: Guards = {
    app: [authentication.app],
    test: [authentication.app, refuseLiveKey],
    admin: [authentication.admin],
    monitoring: [authentication.monitoring],
    person: [authentication.person],
    anyone: [],
  };
  const requestLog = openRequestLog(service);
  // Nearly every answer holds personal data. The few that may be cached say so themselves.
  const defaultHeaders = [...securityHeaders(service.config), ['Cache-Control', 'private, no-store'] as const];
  const app = new Hono<{ Variables: Variables }>();

  app.use(async (c, next) => {
    const started = performance.now();
    c.set('requestId', showId('req', newId()));
    c.set('answerHeaders', { 'X-Request-Id': c.get('requestId') });
    await next();
    const outgoing = outgoingOf(c);
    // Set only after the handler: a client may wait for its answer, but the answer does not wait for its client.
    outgoing.setTimeout(service.config.CONFAM_ANSWER_STALL_MS);
    // A call that one of our own tools makes (`callOwn`) may come after the head of its answer.
    if (!outgoing.headersSent) {
      // What the answer itself says takes precedence. In the answer's own `Headers` they would cost a tenth of a cached call.
      for (const [name, value] of defaultHeaders) outgoing.setHeader(name, value);
      for (const [name, value] of Object.entries(c.get('answerHeaders'))) outgoing.setHeader(name, value);
    }
    const ms = Math.round((performance.now() - started) * 10) / 10;
    // The route's pattern, never the path or the query: those hold identifiers.
    const route = c.get('route')?.path ?? 'none';
    service.metrics.requests.inc({ route, method: c.req.method, status: c.res.status });
    service.metrics.requestSeconds.observe({ route }, ms / 1000);
    service.log.info(
      {
        request: c.get('requestId'),
        method: c.req.method,
        route,
        status: c.res.status,
        app: c.get('caller')?.appId,
        actor: c.get('signedIn')?.actor.id,
        ms,
      },
      'request',
    );
    keepRequest(requestLog, c, ms);
  });

  mount(app, routes, tools, guards);

  app.notFound((c) => {
    const allowed = methodsOf(routes, c.req.path);
    if (allowed.length === 0) return refusal(c, new ApiError('resource_not_found', 'There is no such path'));
    return refusal(
      c,
      new ApiError('method_not_allowed', `${c.req.method} is not allowed here`, { headers: { Allow: allowed.join(', ') } }),
    );
  });
  app.onError((error, c) => {
    // For the log only: nobody reads it.
    if (error instanceof ClientGone) return new Response(null, { status: CLIENT_GONE });
    return refusal(
      c,
      refusalOf(error, (bug) => {
        service.log.error({ request: c.get('requestId'), err: bug }, isDatabaseFault(bug) ? 'database unavailable' : 'request failed');
      }),
    );
  });

  return {
    fetch: app.fetch,
    routes: app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => ({ method, path })),
    docs: tools.docs,
    console: tools.consoleFiles,
    drain: () => tools.watch.drain(),
    close: async () => void (await Promise.all([authentication.close(), rateLimits.close(), requestLog.close(), tools.queueBoard.close()])),
  };
}

/** For the app of the request, if it is known. What people read in the console would push out what keys do, so it is kept only if it fails. */
function keepRequest(log: RequestLog, c: Http, ms: number): void {
  const { actor, appId, live } = c.get('signedIn') ?? {};
  const id = parseId('req', c.get('requestId'));
  if (!actor || !appId || live === null || live === undefined || id === null) return;
  if (actor.kind !== 'key' && actor.kind !== 'person') return;
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
  if (actor.kind === 'person' && isRead && c.res.status < 400) return;
  log.add({
    id,
    appId,
    live,
    method: c.req.method,
    route: c.get('route')?.path ?? 'none',
    status: c.res.status,
    code: c.get('refusedAs') ?? null,
    duration: Math.round(ms * 10),
    actorKind: actor.kind,
    actorId: actor.id,
  });
}

/** The status that nginx logs for such a request. */
const CLIENT_GONE = 499;
/** ENOSPC and EDQUOT come from the file system, 53100 (disk_full) from Postgres. */
const FULL_DISK: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', '53100']);
const FULL_DISK_RETRY_SECONDS = 60;
/** Lost connections come back within moments; a restart of Postgres takes a few seconds. */
const UNAVAILABLE_RETRY_SECONDS = 2;

function refusalOf(error: unknown, report: (bug: unknown) => void): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof UploadError) {
    const path = error.field ?? (error.row === null ? 'body' : `row ${error.row}`);
    return new ApiError(error.code, sentence([{ field: null, message: error.message }]), {
      details: [{ path, message: error.message, rule: error.rule, ...(error.row === null ? {} : { row: error.row }) }],
    });
  }
  if (error instanceof HTTPException && error.status < 500) return new ApiError('invalid_request', 'The request is malformed');
  report(error);
  if (FULL_DISK.has((error as { code?: unknown } | null)?.code)) {
    return new ApiError('overloaded', 'The server’s disk is full; nothing was stored', {
      headers: { 'Retry-After': String(FULL_DISK_RETRY_SECONDS) },
    });
  }
  if (isDatabaseFault(error)) {
    return new ApiError('unavailable', 'The service is briefly unavailable; nothing was charged', {
      headers: { 'Retry-After': String(UNAVAILABLE_RETRY_SECONDS) },
    });
  }
  return new ApiError('internal', 'Something went wrong on our side; quote the request id');
}
