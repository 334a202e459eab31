/** The seal of a report: anyone with the stored entity can prove that the report was made from it. */
import { createHash } from 'node:crypto';

/** SHA-256, in hexadecimal, of the value's canonical JSON (RFC 8785: no white space, members sorted by their UTF-16 code units). */
export const sealOf = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex');

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}
