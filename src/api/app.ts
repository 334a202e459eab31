/** The HTTP API: its routes, and the one place where an error becomes a refusal. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import { HTTPException } from 'hono/http-exception';
import { DEPLOYMENT } from '../access/audit/entry.ts';
import { openRateLimits } from '../access/rate-limit.ts';
import { sentence } from '../checks/read-input.ts';
import { KeyFault } from '../foundation/crypto.ts';
import { isDatabaseFault } from '../foundation/database-faults.ts';
import { ApiError, ClientGone } from '../foundation/errors.ts';
import { newId, showId } from '../foundation/ids.ts';
import type { Service } from '../pipeline/service.ts';
import { UploadError } from '../rows/row.ts';
import { admitted } from './admit.ts';
import { byOf, openTelling } from './answered.ts';
import { type Admit, openAuthentication, refuseLiveKey } from './authenticate.ts';
import { type Console, openConsole } from './console/files.ts';
import { type Docs, openDocs } from './docs/document.ts';
import { openEarlyRefusals } from './early-refusals.ts';
import type { ProcessState } from './health.ts';
import { outgoingOf, refusal, type Variables } from './http.ts';
import { idempotent } from './idempotency.ts';
import { refuseUnlessOn } from './mcp/routes.ts';
import { type Guards, methodsOf, mount } from './mount.ts';
import { refuseWrongOptions } from './options.ts';
import { limitRate, rateHeaders } from './rate-limit.ts';
import { documentedOperations, routes } from './routes.ts';
import { securityHeaders } from './security-headers.ts';
import { openTools, type Tools } from './tools.ts';

export interface Api {
  fetch: Hono<{ Variables: Variables }>['fetch'];
  /** Answers a request that `fetch` would refuse for its app's share, without reading it. False: `fetch` must answer it. */
  refuseEarly(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
  /** Every method and path that the router knows. */
  routes: { method: string; path: string }[];
  docs: Pick<Docs, 'prepare'>;
  console: Pick<Console, 'prepare'>;
  /** Ends every wait: waiting requests are answered at once, and so are all later ones. */
  drain(): void;
  close(): Promise<void>;
}

/** Requests a minute of one person about their own account; each change of it leaves an entry in the audit. */
const OWN_REQUESTS_PER_MINUTE = 600;

/** Whoever is about to sign in counts by their network, before what they send is read. */
const limitVisitors = ({ people }: Tools) =>
  createMiddleware<{ Variables: Variables }>(async (c, next) => {
    people.limitNetwork(c);
    await next();
  });

export async function openApi(service: Service, state: ProcessState): Promise<Api> {
  const rateLimits = await openRateLimits(service);
  const admit: Admit = (c, owner, countedAs, next) => {
    service.suspensions.refuse(owner.appId);
    const limit = owner.settings.requestsPerMinute ?? service.config.CONFAM_REQUESTS_PER_MINUTE;
    limitRate(c, rateLimits, countedAs, limit);
    refuseWrongOptions(c);
    const onRefusal = () => early.remember(c, { appId: owner.appId, by: byOf(c), count: () => rateHeaders(rateLimits, countedAs, limit) });
    return admitted(c, service.admission, owner.appId, next, onRefusal);
  };
  const authentication = await openAuthentication(service, {
    admit: (c, owner, countedAs, next) => admit(c, owner, countedAs, () => idempotent(service, c, owner, next)),
    admitPerson: (c, personId, next) =>
      admit(c, { appId: DEPLOYMENT, live: false, settings: { requestsPerMinute: OWN_REQUESTS_PER_MINUTE } }, personId, next),
  });
  const tools: Tools = {
    ...openTools(service, state, openDocs(service, documentedOperations), openConsole(service), authentication, rateLimits),
    callOwn: async (c, request) => app.fetch(request, c.env),
  };
  const guards: Guards = {
    app: [authentication.app],
    test: [authentication.app, refuseLiveKey],
    model: [refuseUnlessOn(service.config), authentication.app],
    admin: [authentication.admin],
    monitoring: [authentication.monitoring],
    person: [authentication.person],
    visitor: [limitVisitors(tools)],
    anyone: [],
  };
  const telling = openTelling(service);
  // Nearly every answer holds personal data. The few that may be cached say so themselves.
  const defaultHeaders = [...securityHeaders(service.config), ['Cache-Control', 'private, no-store'] as const];
  const early = openEarlyRefusals(service, routes, Object.fromEntries(defaultHeaders), telling);
  const app = new Hono<{ Variables: Variables }>();

  app.use(async (c, next) => {
    const started = performance.now();
    c.set('requestId', showId('req', newId()));
    c.set('answerHeaders', { 'X-Request-Id': c.get('requestId') });
    await next();
    const outgoing = outgoingOf(c);
    // Set after the handler: a slow handler is fine, a client that stops reading its response is not.
    outgoing.setTimeout(service.config.CONFAM_ANSWER_STALL_MS);
    // For a call made by another handler (`callOwn`), the headers of the outer response may already have been sent.
    if (!outgoing.headersSent) {
      // Headers that the response itself sets take precedence. Adding these to its `Headers` object would cost a tenth of a cached call.
      for (const [name, value] of defaultHeaders) outgoing.setHeader(name, value);
      for (const [name, value] of Object.entries(c.get('answerHeaders'))) outgoing.setHeader(name, value);
    }
    telling.tell({
      requestId: c.get('requestId'),
      method: c.req.method,
      route: c.get('route')?.path ?? 'none',
      status: c.res.status,
      code: c.get('refusedAs') ?? null,
      by: byOf(c),
      ms: performance.now() - started,
    });
  });

  mount(app, routes, tools, guards);

  app.notFound((c) => {
    const allowed = methodsOf(routes, c.req.path);
    if (allowed.length === 0) {
      const hint = /\/$|\/\//.test(c.req.path) ? ': paths have no slash at the end and no two in a row' : '';
      return refusal(c, new ApiError('resource_not_found', `There is no such path${hint}`));
    }
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
    refuseEarly: early.answer,
    routes: app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => ({ method, path })),
    docs: tools.docs,
    console: tools.consoleFiles,
    drain: () => tools.watch.drain(),
    close: async () =>
      void (await Promise.all([
        authentication.close(),
        rateLimits.close(),
        telling.close(),
        tools.queueBoard.close(),
        tools.uploads.close(),
      ])),
  };
}

/** The status that nginx logs for such a request. */
const CLIENT_GONE = 499;
/** ENOSPC and EDQUOT come from the file system, 53100 (disk_full) from Postgres. */
const FULL_DISK: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', '53100']);
const FULL_DISK_RETRY_SECONDS = 60;
/** Lost connections come back within moments; a restart of Postgres takes a few seconds. */
const UNAVAILABLE_RETRY_SECONDS = 2;
/** An operator must put the key back. */
const KEY_RETRY_SECONDS = 60;

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
  if (error instanceof KeyFault) {
    const seconds = error.isPassing ? UNAVAILABLE_RETRY_SECONDS : KEY_RETRY_SECONDS;
    return new ApiError('key_unavailable', error.message, { headers: { 'Retry-After': String(seconds) } });
  }
  if (isDatabaseFault(error)) {
    return new ApiError('unavailable', 'The service is briefly unavailable; nothing was charged', {
      headers: { 'Retry-After': String(UNAVAILABLE_RETRY_SECONDS) },
    });
  }
  return new ApiError('internal', 'Something went wrong on our side; quote the request id');
}
