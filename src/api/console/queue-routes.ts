/** Bull Board at `/console/queues`: what is in the queues, read-only, for administrators. `queue-board.ts` has its answers and files. */
import { ApiError } from '../../foundation/errors.ts';
import type { Http } from '../http.ts';
import { lenientRoute } from '../route.ts';
import type { Tools } from '../tools.ts';

/** The one style that it writes into its page itself: the colours of a logo. */
const OWN_STYLE = "'sha256-r2N1TB/gHbBtBZFKg7ejmq1acVSREzucTAEw6ga4hoU='";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${OWN_STYLE}`,
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ROOT = '/console/queues';

const common = { method: 'get', who: 'admin', audit: { none: 'shows ids of queued work and nobody' } } as const;

/** Where browsers find the console: behind a prefix, only the configured address tells. */
function baseOf({ service }: Pick<Tools, 'service'>): string {
  const { CONFAM_PUBLIC_URL: address } = service.config;
  const prefix = address === undefined ? '' : new URL(address).pathname.replace(/\/$/, '');
  return `${prefix}${ROOT}/`;
}

const page = (path: string) =>
  lenientRoute({
    ...common,
    path,
    async handle(c, tools: Tools) {
      return c.body(await tools.queueBoard.page(baseOf(tools)), 200, {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': POLICY,
      });
    },
  });

/** Before those of the console, whose pages would take these addresses. */
export const queueRoutes = [
  lenientRoute({
    ...common,
    path: `${ROOT}/static/:file{.+}`,
    async handle(c, { queueBoard }: Tools) {
      const found = await queueBoard.file(rest(c, 'static'));
      if (!found) throw new ApiError('resource_not_found', 'There is no such file');
      return c.body(found.bytes, 200, { 'Content-Type': found.type, 'Cache-Control': 'private, max-age=3600' });
    },
  }),
  lenientRoute({
    ...common,
    path: `${ROOT}/api/:path{.+}`,
    async handle(c, { queueBoard }: Tools) {
      const found = await queueBoard.answer(rest(c, 'api'), c.req.query());
      if (!found) throw new ApiError('resource_not_found', 'There is no such path');
      return Response.json(found.body, { status: found.status });
    },
  }),
  ...[ROOT, `${ROOT}/`, `${ROOT}/:page`, `${ROOT}/queue/:name`, `${ROOT}/queue/:name/:job`].map(page),
];

/** What follows `/console/queues/<part>/` in the address. */
const rest = (c: Http, part: string): string => c.req.path.slice(`${ROOT}/${part}/`.length);
