/**
 * Refuses query parameters that a route does not declare, that are given twice or that cannot be decoded, so that a typing error never costs money. Single calls
 * and compatibility paths ignore unknown parameters, because clients of other services send their own; `checks.ts` refuses what is wrong with inputs.
 */
import { type ErrorDetail, repeatedOption } from '../foundation/errors.ts';
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
  const undecodable = undecodableOptions(c);
  if (undecodable.length > 0) throw invalid(undecodable);
  const unmapped = options.includes('mapping') ? names.filter((name) => !name.startsWith(MAPPED)) : names;
  const unknown = unknownOptions(unmapped, options);
  if (unknown.length > 0) throw invalid(unknown);
}

/** Parameters that are not percent-encoded UTF-8, for a refusal: they would be taken with their escapes, as some other text than the one that was meant. */
export function undecodableOptions(c: Http): ErrorDetail[] {
  if (!c.req.url.includes('%')) return [];
  const pairs = new URL(c.req.url).search.slice(1).split('&');
  const names = pairs.filter((pair) => !isEncoded(pair)).map((pair) => pair.split('=', 1)[0]!);
  return names.map((path) => ({ path, message: 'is not percent-encoded UTF-8', rule: 'invalid_encoding' }));
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
