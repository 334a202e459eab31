/** The HTTP API: resources in order, one canonical log line a request, one place where every refusal becomes its envelope. */
import { Hono, type Context as HonoContext } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { matchedRoutes } from 'hono/route';
import { sentence } from '../batches/batch.ts';
import { openWatch } from '../batches/watch.ts';
import { ApiError } from '../errors.ts';
import { portraitChecker } from '../faces/portrait.ts';
import { newId, showId } from '../ids.ts';
import { openRateLimits } from '../ratelimit.ts';
import { UploadError } from '../rows/row.ts';
import type { Service } from '../service.ts';
import { adminRoutes } from './admin.ts';
import { amlRoutes } from './aml.ts';
import { openAuthentication } from './authenticate.ts';
import { batchRoutes } from './batches.ts';
import { checkRoutes } from './checks.ts';
import { compatibilityRoutes } from './compatibility.ts';
import { docsRoutes } from './docs.ts';
import { refusal, type Variables } from './http.ts';
import { idempotent } from './idempotency.ts';
import { jobRoutes } from './jobs.ts';
import { listRoutes } from './lists.ts';
import { operationRoutes, type ProcessState } from './operations.ts';
import { portraitRoutes } from './portraits.ts';
import { priceRoutes } from './prices.ts';
import { providerRoutes } from './providers.ts';
import { limitRate } from './ratelimit.ts';
import { reportRoutes } from './report.ts';
import { resultRoutes } from './results.ts';
import { usageRoutes } from './usage.ts';
import { walletRoutes } from './wallet.ts';
import { watchRoutes } from './watch.ts';
import { webhookRoutes } from './webhooks.ts';

export interface Api {
  fetch: Hono<{ Variables: Variables }>['fetch'];
  /** Every method and path, as the router has it. */
  routes: { method: string; path: string }[];
  /** Answers everybody who waits for something, from now on at once. */
  drain(): void;
  close(): Promise<void>;
}

export async function openApi(service: Service, state: ProcessState): Promise<Api> {
  const rateLimits = await openRateLimits(service);
  const authentication = await openAuthentication(service, (c, key, next) => {
    limitRate(c, rateLimits, key.keyId, key.settings.requestsPerMinute ?? service.config.CONFAM_REQUESTS_PER_MINUTE);
    return idempotent(service, c, key, next);
  });
  const watch = openWatch(service);
  const app = new Hono<{ Variables: Variables }>();

  app.use(async (c, next) => {
    const started = performance.now();
    c.set('requestId', showId('req', newId()));
    c.set('answerHeaders', { 'X-Request-Id': c.get('requestId') });
    await next();
    for (const [name, value] of Object.entries(c.get('answerHeaders'))) c.res.headers.set(name, value);
    const ms = Math.round((performance.now() - started) * 10) / 10;
    // The pattern of the route, not the path and never the query: those hold identifiers.
    const route = routeOf(c);
    service.metrics.requests.inc({ route, method: c.req.method, status: c.res.status });
    service.metrics.requestSeconds.observe({ route }, ms / 1000);
    service.log.info(
      { request: c.get('requestId'), method: c.req.method, route, status: c.res.status, app: c.get('caller')?.appId, ms },
      'request',
    );
  });

  app.route('/', operationRoutes(service, state));
  app.route('/', docsRoutes(service));
  app.route('/', checkRoutes(service, authentication));
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
  app.notFound((c) => {
    const allowed = new Set(paths.filter((path) => path.matches.test(c.req.path)).map((path) => path.method));
    if (allowed.size === 0) return refusal(c, new ApiError('resource_not_found', 'There is no such path'));
    if (allowed.has('GET')) allowed.add('HEAD');
    return refusal(
      c,
      new ApiError('method_not_allowed', `${c.req.method} is not allowed here`, { headers: { Allow: [...allowed].join(', ') } }),
    );
  });
  app.onError((error, c) =>
    refusal(
      c,
      refusalOf(error, (bug) => service.log.error({ request: c.get('requestId'), err: bug }, 'request failed')),
    ),
  );

  return {
    fetch: app.fetch,
    routes,
    drain: () => watch.drain(),
    close: async () => void (await Promise.all([authentication.close(), rateLimits.close()])),
  };
}

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
  return new ApiError('internal', 'Something went wrong on our side; quote the request id');
}

/** The pattern of the handler that answered; middleware matches `/*`. */
function routeOf(c: HonoContext): string {
  return matchedRoutes(c).findLast((route) => route.method !== 'ALL')?.path ?? 'none';
}

const matcher = (path: string): RegExp => new RegExp(`^${path.replace(/:[^/]+/g, '[^/]+')}$`);
