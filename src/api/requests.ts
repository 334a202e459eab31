/** The last requests of an app, for engineers. */
import type { z } from 'zod';
import { type LoggedRequest, listRequests } from '../access/request-log.ts';
import { REQUESTS_DAYS, REQUESTS_MAX, type requestAnswer, requestsQuery } from '../contract/requests.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { callerOf, envelope } from './http.ts';
import { answer } from './openapi/operation.ts';
import { pageOf, refTo } from './openapi/schema.ts';
import { idCursor, page, pageById } from './pages.ts';
import { route } from './route.ts';

export const requestRoutes = [
  route({
    tag: 'requests',
    who: 'app',
    scope: 'results:read',
    method: 'get',
    path: '/api/v1/requests',
    id: 'listRequests',
    audit: { none: 'shows nobody' },
    summary: `The app’s last requests, newest first: at most ${REQUESTS_MAX} of each mode, for ${REQUESTS_DAYS} days; never a path, a query or a body`,
    query: requestsQuery,
    answers: { 200: answer('A page', pageOf(refTo('Request'))) },
    async handle(c, { service, query: { limit, cursor, status, route: pattern, request, by } }) {
      const id = request === undefined ? null : parseId('req', request);
      if (request !== undefined && id === null) return envelope(c, page([], null));
      const filter = { id, by, route: pattern ?? null, statusClass: status === null ? null : Number(status[0]) };
      const rows = await listRequests(service, callerOf(c), { ...filter, before: idCursor('req', cursor), limit: limit + 1 });
      return envelope(c, pageById(rows.map(showRequest), limit));
    },
  }),
];

/** A UUIDv7 begins with its time in milliseconds. */
const timeOf = (id: string): string => new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toISOString();

const showRequest = (row: LoggedRequest): z.infer<typeof requestAnswer> => ({
  id: showId('req', row.id),
  object: 'request',
  method: row.method,
  route: row.route,
  status: row.status,
  code: row.code,
  duration_ms: row.duration / 10,
  actor: { kind: row.actorKind, id: row.actorId },
  at: timeOf(row.id),
});
