/**
 * Refuses query parameters that a route does not declare, so that a mistyped option never spends money. The single calls and the compatibility paths are
 * exempt and accept any query: other services' clients send parameters of their own.
 */
import { unknownOptions } from '../rows/likely-names.ts';
import { type Http, invalid } from './http.ts';

/** `map.<check>.<input>` belongs to the mapping, which is validated against the upload's checks. */
const MAPPED = 'map.';

export function refuseUnknownOptions(c: Http): void {
  const options = c.get('route')?.options;
  if (!options) return;
  const names = Object.keys(c.req.query());
  const unmapped = options.includes('mapping') ? names.filter((name) => !name.startsWith(MAPPED)) : names;
  const unknown = unknownOptions(unmapped, options);
  if (unknown.length > 0) throw invalid(unknown);
}
