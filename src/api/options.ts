/**
 * Refuses query parameters that a path does not know, so that a mistyped option never spends money. A path knows the parameters that the OpenAPI document
 * lists for it. The single calls and the compatibility paths are exempt and accept any query: other services' clients send parameters of their own.
 */
import type { Context as HonoContext } from 'hono';
import { matchedRoutes } from 'hono/route';
import { unknownOptions } from '../rows/likely-names.ts';
import { type Http, invalid } from './http.ts';
import { resourceOperations } from './openapi/resources.ts';

/** `GET /api/v1/jobs/:id` → the names of its query parameters. */
const known: ReadonlyMap<string, readonly string[]> = new Map(
  resourceOperations.map(({ method, path, parameters = [] }) => [
    `${method.toUpperCase()} ${path}`,
    parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
  ]),
);

/** `map.<check>.<input>` belongs to the mapping, which is validated against the upload's checks. */
const MAPPED = 'map.';

export function refuseUnknownOptions(c: Http): void {
  const names = Object.keys(c.req.query());
  if (names.length === 0) return;
  const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
  const options = known.get(`${method} ${routeOf(c)}`);
  if (!options) return;
  const unmapped = options.includes('mapping') ? names.filter((name) => !name.startsWith(MAPPED)) : names;
  const unknown = unknownOptions(unmapped, options);
  if (unknown.length > 0) throw invalid(unknown);
}

/** The pattern of the handler that answers; middleware matches `/*`. */
export function routeOf(c: HonoContext): string {
  return matchedRoutes(c).findLast((route) => route.method !== 'ALL')?.path ?? 'none';
}
