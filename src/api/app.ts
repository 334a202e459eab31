/** The HTTP API: its routes, and what every request goes through before and after its handler. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import { DEPLOYMENT } from '../access/audit/entry.ts';
import { openRateLimits, type RateLimits } from '../access/rate-limit.ts';
import { isDatabaseAway, isDatabaseFault } from '../foundation/database-faults.ts';
import { ApiError, ClientGone } from '../foundation/errors.ts';
import { newId, showId } from '../foundation/ids.ts';
import { openOutage } from '../foundation/outages.ts';
import type { Service } from '../pipeline/service.ts';
import { admitted } from './admit.ts';
import { type AnswerLog, byOf, openAnswerLog } from './answered.ts';
import { type Admit, type Admitting, type Authentication, openAuthentication, refuseLiveKey } from './authenticate.ts';
import { type Console, openConsole } from './console/files.ts';
import { type Docs, openDocs } from './docs/document.ts';
import { type EarlyRefusals, openEarlyRefusals } from './early-refusals.ts';
import type { ProcessState } from './health.ts';
import { type Http, type Middleware, outgoingOf, refusal, type Variables } from './http.ts';
import { idempotent } from './idempotency.ts';
import { refuseOtherOrigins, refuseUnlessOn } from './mcp/routes.ts';
import { type Guards, methodsOf, mount } from './mount.ts';
import { refuseWrongOptions } from './options.ts';
import { limitRate, rateHeaders } from './rate-limit.ts';
import { refusalOf } from './refusals.ts';
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
const limitVisitors = ({ people }: Tools): Middleware =>
  createMiddleware(async (c, next) => {
    people.limitNetwork(c);
    await next();
  });

export async function openApi(service: Service, state: ProcessState): Promise<Api> {
  const log = openAnswerLog(service);
  const defaultHeaders = defaultHeadersOf(service);
  const early = openEarlyRefusals(service, routes, Object.fromEntries(defaultHeaders), log);
  const rateLimits = await openRateLimits(service);
  const authentication = await openAuthentication(service, openAdmitting(service, rateLimits, early));
  const app = new Hono<{ Variables: Variables }>();
  const tools: Tools = {
    ...openTools(service, state, {
      docs: openDocs(service, documentedOperations),
      consoleFiles: openConsole(service),
      rateLimits,
      authentication,
    }),
    callOwn: async (c, request) => app.fetch(request, c.env),
  };

  app.use(finishAnswers(service, defaultHeaders, log));
  mount(app, routes, tools, guardsOf(service, authentication, tools));
  app.notFound(refuseUnknownPath);
  const outage = openOutage(service.log, 'requests are refused without the database', 'requests have the database again');
  app.onError((error, c) => refuseError(service, outage, error, c));

  return {
    fetch: app.fetch,
    refuseEarly: early.answer,
    routes: app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => ({ method, path })),
    docs: tools.docs,
    console: tools.consoleFiles,
    drain: () => tools.watch.drain(),
    close: async () =>
      void (await Promise.all([authentication.close(), rateLimits.close(), log.close(), tools.queueBoard.close(), tools.uploads.close()])),
  };
}

function openAdmitting(service: Service, rateLimits: RateLimits, early: EarlyRefusals): Admitting {
  const admit: Admit = (c, owner, countedAs, next) => {
    service.suspensions.refuse(owner.appId);
    const limit = owner.settings.requestsPerMinute ?? service.config.CONFAM_REQUESTS_PER_MINUTE;
    limitRate(c, rateLimits, countedAs, limit);
    refuseWrongOptions(c);
    const onRefusal = () => early.remember(c, { appId: owner.appId, by: byOf(c), count: () => rateHeaders(rateLimits, countedAs, limit) });
    return admitted(c, service.admission, owner.appId, next, onRefusal);
  };
  return {
    admit: (c, owner, countedAs, next) => admit(c, owner, countedAs, () => idempotent(service, c, owner, next)),
    admitPerson: (c, personId, next) =>
      admit(c, { appId: DEPLOYMENT, live: false, settings: { requestsPerMinute: OWN_REQUESTS_PER_MINUTE } }, personId, next),
  };
}

const guardsOf = (service: Service, authentication: Authentication, tools: Tools): Guards => ({
  app: [authentication.app],
  test: [authentication.app, refuseLiveKey],
  model: [refuseUnlessOn(service.config), refuseOtherOrigins(service.config), authentication.app],
  admin: [authentication.admin],
  monitoring: [authentication.monitoring],
  person: [authentication.person],
  visitor: [limitVisitors(tools)],
  anyone: [],
});

type Headers = [name: string, value: string][];

/** Nearly every answer holds personal data, so by default no cache may store it. The few answers that may be cached set their own header. */
const defaultHeadersOf = ({ config }: Service): Headers => [...securityHeaders(config), ['Cache-Control', 'private, no-store']];

/** Names the request, adds the headers that every answer has, and logs it. */
const finishAnswers = ({ config }: Service, defaultHeaders: Headers, log: AnswerLog): Middleware =>
  createMiddleware(async (c, next) => {
    const started = performance.now();
    c.set('requestId', showId('req', newId()));
    c.set('answerHeaders', { 'X-Request-Id': c.get('requestId') });
    await next();
    const outgoing = outgoingOf(c);
    // Set after the handler: a slow handler is fine, a client that stops reading its response is not.
    outgoing.setTimeout(config.CONFAM_ANSWER_STALL_MS);
    // For a call made by another handler (`callOwn`), the headers of the outer response may already have been sent.
    if (!outgoing.headersSent) {
      // Headers that the response itself sets take precedence. Adding these to its `Headers` object would cost a tenth of a cached call.
      for (const [name, value] of defaultHeaders) outgoing.setHeader(name, value);
      for (const [name, value] of Object.entries(c.get('answerHeaders'))) outgoing.setHeader(name, value);
    }
    log.add({
      requestId: c.get('requestId'),
      method: c.req.method,
      route: c.get('route')?.path ?? 'none',
      status: c.res.status,
      code: c.get('refusedAs') ?? null,
      by: byOf(c),
      ms: performance.now() - started,
    });
  });

function refuseUnknownPath(c: Http): Response {
  const allowed = methodsOf(routes, c.req.path);
  if (allowed.length === 0) {
    const hint = /\/$|\/\//.test(c.req.path) ? ': paths have no slash at the end and no two in a row' : '; /docs/reference lists all';
    return refusal(c, new ApiError('resource_not_found', `There is no such path${hint}`));
  }
  const headers = { Allow: allowed.join(', ') };
  return refusal(c, new ApiError('method_not_allowed', `${c.req.method} is not allowed here; use ${allowed.join(' or ')}`, { headers }));
}

/** The status that nginx logs for such a request. */
const CLIENT_GONE = 499;

function refuseError({ log }: Service, outage: ReturnType<typeof openOutage>, error: Error, c: Http): Response {
  // For the log only: nobody reads it.
  if (error instanceof ClientGone) return new Response(null, { status: CLIENT_GONE });
  const report = (bug: unknown): void => {
    // Every request meets it, and the line of each has its status.
    if (isDatabaseAway(bug)) outage(bug);
    else log.error({ request: c.get('requestId'), err: bug }, isDatabaseFault(bug) ? 'database unavailable' : 'request failed');
  };
  return refusal(c, refusalOf(error, report));
}
