/** Keys are UUIDv7 (time-ordered) in the database and `job_` + 32 hex digits outside: the prefix says what a thing is. */
import { v7 } from 'uuid';

export type IdPrefix = 'app' | 'key' | 'job' | 'bat' | 'req' | 'evt' | 'dlv';

export const newId = (): string => v7();

export function showId(prefix: IdPrefix, uuid: string): string {
  return `${prefix}_${uuid.replaceAll('-', '')}`;
}

/** The UUID of `text`, or `null` when it is not an id of that kind. */
export function parseId(prefix: IdPrefix, text: string): string | null {
  const hex = new RegExp(`^${prefix}_([0-9a-f]{32})$`).exec(text)?.[1];
  return hex ? `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` : null;
}
