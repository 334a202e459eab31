/** Paths of the API with ids in them. */
import { Refused } from './errors.ts';

/**
 * `base` with further parts, each encoded, so that what stands for an id, such as a part of a console's address, cannot lead to another path. Throws `Refused`
 * like the service for what no id can be: nothing, and the dots that a URL takes for folders.
 */
export function at(base: string, ...parts: string[]): string {
  for (const part of parts)
    if (/^\.{0,2}$/.test(part)) throw new Refused(404, { error: `"${part}" is not an id`, code: 'resource_not_found' }, null);
  return [base, ...parts.map(encodeURIComponent)].join('/');
}
