/**
 * Refuses query parameters that a route does not declare or that are given twice, so that a typing error never costs money. Single calls and compatibility
 * paths ignore unknown parameters, because clients of other services send their own; `checks.ts` refuses inputs that are given to them twice.
 */
import { repeatedOption } from '../foundation/errors.ts';
import { unknownOptions } from '../rows/likely-names.ts';
import { type Http, invalid } from './http.ts';

/** `map.<check>.<input>` belongs to the mapping, which is validated against the upload's checks. */
const MAPPED = 'map.';

export function refuseWrongOptions(c: Http): void {
  const options = c.get('route')?.options;
  if (!options) return;
  const sent = c.req.queries();
  const names = Object.keys(sent);
  const repeated = names.filter((name) => sent[name]!.length > 1);
  if (repeated.length > 0) throw invalid(repeated.map(repeatedOption));
  const unmapped = options.includes('mapping') ? names.filter((name) => !name.startsWith(MAPPED)) : names;
  const unknown = unknownOptions(unmapped, options);
  if (unknown.length > 0) throw invalid(unknown);
}
