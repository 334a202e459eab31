/** What a check returned, as names and values for people. */
import { bytes } from '../terminal/text.ts';

/** A longer text without spaces is a picture or a signature. */
const LINE_MAX = 200;

/** `address.street`, `hits[1].name`; empty values are left out. */
export function flatten(value: unknown, path = ''): [string, string][] {
  if (value === null || value === undefined || value === '') return [];
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== 'object')) return value.length === 0 ? [] : [[path, value.join(', ')]];
    return value.flatMap((item, at) => flatten(item, `${path}[${at + 1}]`));
  }
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([name, member]) => flatten(member, path === '' ? name : `${path}.${name}`));
  const text = String(value);
  return [[path, text.length > LINE_MAX && !text.includes(' ') ? `(${bytes(Math.round((text.length * 3) / 4))}; --json has it)` : text]];
}
