/** The HTTP API: the resources in order, one canonical log line a request, and the one place where an error becomes a refusal. */
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { openRateLimits } from '../access/rate-limit.ts';
import { openWatch } from '../batches/waiters.ts';
import { sentence } from '../checks/read-input.ts';
import { portraitChecker } from '../faces/portrait.ts';
import { isDatabaseFault } from '../foundation/database-faults.ts';
import { ApiError } from '../foundation/errors.ts';
import { newId, showId } from '../foundation/ids.ts';
import type { Service } from '../pipeline/service.ts';
import { UploadError } from '../rows/row.ts';
import { adminRoutes } from './admin.ts';
import { amlRoutes } from './aml.ts';
import { openAuthentication } from './authenticate.ts';
import { watchRoutes } from './batch-progress.ts';
import { batchRoutes } from './batches.ts';
import { checkRoutes } from './checks.ts';
import { compatibilityRoutes } from './compatibility.ts';
import { type Docs, openDocs } from './docs.ts';
import { outgoingOf, refusal, type Variables } from './http.ts';
import { idempotent } from './idempotency.ts';
import { jobRoutes } from './jobs.ts';
import { listRoutes } from './lists.ts';
import { operationRoutes, type ProcessState } from './operations.ts';
import { refuseUnknownOptions, routeOf } from './options.ts';
import { portraitRoutes } from './portraits.ts';
import { priceRoutes } from './prices.ts';
import { providerRoutes } from './providers.ts';
import { limitRate } from './rate-limit.ts';
import { reportRoutes } from './report.ts';
import { resultRoutes } from './results.ts';
import { usageRoutes } from './usage.ts';
import { walletRoutes } from './wallet.ts';
import { webhookRoutes } from './webhooks.ts';

export interface Api {
  fetch: Hono<{ Variables: Variables }>['fetch'];
  /** Every method and path that the router knows. */
  routes: { method: string; path: string }[];
  docs: Pick<Docs, 'prepare' | 'link'>;
  /** Ends every wait: whoever is waiting gets an answer at once, and so does everybody who asks from now on. */
  drain(): void;
  close(): Promise<void>;
}

export async function openApi(service: Service, state: ProcessState): Promise<Api> {
  const rateLimits = await openRateLimits(service);
  const authentication = await openAuthentication(service, async (c, key, next) => {
    service.suspensions.refuse(key.appId);
    limitRate(c, rateLimits, key.keyId, key.settings.requestsPerMinute ?? service.config.CONFAM_REQUESTS_PER_MINUTE);
    refuseUnknownOptions(c);
    return idempotent(service, c, key, next);
  });
  const watch = openWatch(service);
  const docs = openDocs(service);
  const app = new Hono<{ Variables: Variables }>();

  app.use(async (c, next) => {
    const started = performance.now();
    c.set('requestId', showId('req', newId()));
    c.set('answerHeaders', { 'X-Request-Id': c.get('requestId'), 'X-Content-Type-Options': 'nosniff' });
    await next();
    // Set only after the handler: a client may wait for its answer, but the answer does not wait for its client.
    outgoingOf(c)?.setTimeout(service.config.CONFAM_ANSWER_STALL_MS);
    for (const [name, value] of Object.entries(c.get('answerHeaders'))) c.res.headers.set(name, value);
    // Nearly every answer holds personal data. The few that may be cached set the header themselves.
    if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'private, no-store');
    const ms = Math.round((performance.now() - started) * 10) / 10;
    // The route's pattern, never the path or the query: those hold identifiers.
    const route = routeOf(c);
    service.metrics.requests.inc({ route, method: c.req.method, status: c.res.status });
    service.metrics.requestSeconds.observe({ route }, ms / 1000);
    service.log.info(
      { request: c.get('requestId'), method: c.req.method, route, status: c.res.status, app: c.get('caller')?.appId, ms },
      'request',
    );
  });

  app.route('/', operationRoutes(service, state, authentication.metrics));
  app.route('/', docs.routes);
  const calls = checkRoutes(service, authentication);
  app.route('/', calls);
  app.route('/', amlRoutes(service, authentication));
  app.route('/', portraitRoutes(service, authentication, service.faces ? portraitChecker(service.faces) : undefined));
  app.route('/', jobRoutes(service, authentication, watch));
  app.route('/', reportRoutes(service, authentication));
  app.route('/', watchRoutes(service, authentication, watch));
  app.route('/', resultRoutes(service, authentication));
  app.route('/', batchRoutes(service, authentication));
  app.route('/', walletRoutes(service, authentication));
  app.route('/', priceRoutes(service, authentication));
  app.route('/', usageRoutes(service, authentication));
  app.route('/', webhookRoutes(service, authentication));
  app.route('/', compatibilityRoutes(service, authentication));
  app.route('/', adminRoutes(service, authentication));
  app.route('/', providerRoutes(service, authentication));
  app.route('/', listRoutes(service, authentication));

  const routes = app.routes.filter((route) => route.method !== 'ALL').map(({ method, path }) => ({ method, path }));
  const paths = routes.map(({ method, path }) => ({ method, matches: matcher(path) }));
  const verifying = new Set(calls.routes.map(({ path }) => path));
  app.notFound((c) => {
    const allowed = new Set(paths.filter((path) => path.matches(c.req.path)).map((path) => path.method));
    if (allowed.size === 0) return refusal(c, new ApiError('resource_not_found', 'There is no such path'));
    if (allowed.has('GET') && !verifying.has(c.req.path)) allowed.add('HEAD');
    return refusal(
      c,
      new ApiError('method_not_allowed', `${c.req.method} is not allowed here`, { headers: { Allow: [...allowed].join(', ') } }),
    );
  });
  app.onError((error, c) =>
    refusal(
      c,
      refusalOf(error, (bug) => {
        service.log.error({ request: c.get('requestId'), err: bug }, isDatabaseFault(bug) ? 'database unavailable' : 'request failed');
      }),
    ),
  );

  return {
    fetch: app.fetch,
    routes,
    docs,
    drain: () => watch.drain(),
    close: async () => void (await Promise.all([authentication.close(), rateLimits.close()])),
  };
}

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

/** Does `path` belong to the route? A `:name` matches any part that is not empty. */
function matcher(route: string): (path: string) => boolean {
  const expected = route.split('/');
  return (path) => {
    const parts = path.split('/');
    return parts.length === expected.length && expected.every((part, at) => (part.startsWith(':') ? parts[at] !== '' : part === parts[at]));
  };
}
