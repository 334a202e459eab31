/** What routes read from paths, queries and headers: the named batch or job, pages, filters, times, and how long the client will wait. */
import { z } from 'zod';
import { readBatch } from '../batches/batch.ts';
import { readJob } from '../batches/submitted.ts';
import type { BatchRow } from '../contract/batches.ts';
import { PAGE_DEFAULT, PAGE_MAX, WAIT_SECONDS_MAX } from '../contract/queries.ts';
import { ApiError } from '../foundation/errors.ts';
import { type IdPrefix, parseId } from '../foundation/ids.ts';
import type { StoredJob } from '../jobs/job.ts';
import type { Service } from '../pipeline/service.ts';
import { callerOf, type Http } from './http.ts';

/** The batch named in the path. Another app's batch, or one of the other mode, looks as if it did not exist. */
export async function findBatch(service: Service, c: Http): Promise<BatchRow> {
  const { appId, live } = callerOf(c);
  const id = parseId('bat', c.req.param('id') ?? '');
  const batch = id === null ? null : await readBatch(service, service.sql, appId, id);
  if (!batch || batch.live !== live) throw new ApiError('resource_not_found', 'There is no such batch');
  return batch;
}

/** The job of that id; hidden from others as a batch is. */
export async function findJob(service: Service, c: Http, id: string | null): Promise<StoredJob> {
  const { appId, live } = callerOf(c);
  const job = id === null ? null : await readJob(service, service.sql, appId, id);
  // The record of a single call has neither input nor batch: nobody submitted it as a job.
  if (!job || (job.input === null && job.batchId === null) || job.live !== live)
    throw new ApiError('resource_not_found', 'There is no such job');
  return job;
}

export function pageSize(c: Http): number {
  return wholeNumber(c, 'limit', 1, PAGE_MAX) ?? PAGE_DEFAULT;
}

/** `?wait=30` in milliseconds; null if absent. */
export function waitMs(c: Http): number | null {
  const seconds = wholeNumber(c, 'wait', 0, WAIT_SECONDS_MAX);
  return seconds === null ? null : seconds * 1000;
}

/** Seconds of `Prefer: wait=10` (RFC 7240, 4.3), capped at our own maximum; null without one. A preference that makes no sense is ignored. */
export function preferredWait(c: Http): number | null {
  const found = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(c.req.header('prefer') ?? '');
  return found ? Math.min(Number(found[1]), WAIT_SECONDS_MAX) : null;
}

function wholeNumber(c: Http, name: string, min: number, max: number): number | null {
  const text = c.req.query(name);
  if (text === undefined) return null;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw refused(name, `must be ${min} to ${max}`, 'range');
}

export function oneOf<T extends string>(c: Http, name: string, allowed: readonly T[]): T | null {
  return someOf(c, name, allowed, 1)?.[0] ?? null;
}

/** One or several values separated by commas; null: no filter. */
export function someOf<T extends string>(c: Http, name: string, allowed: readonly T[], most: number = allowed.length): T[] | null {
  const text = c.req.query(name);
  if (text === undefined || text === '') return null;
  const asked = text.split(',');
  if (asked.length <= most && asked.every((one) => allowed.includes(one as T))) return [...new Set(asked)] as T[];
  throw refused(name, `must be ${most === 1 ? 'one' : 'some'} of ${allowed.join(', ')}`, 'enum');
}

const isoTime = z.iso.datetime({ offset: true });

/** An ISO time with its offset, kept as text: Postgres reads microseconds, which a Date would lose. */
export function timeOf(c: Http, name: string): string | null {
  const text = c.req.query(name);
  if (text === undefined || text === '') return null;
  // An unescaped "+" arrives as a space.
  const time = text.replace(' ', '+');
  if (isoTime.safeParse(time).success && /^[1-9]/.test(time)) return time;
  throw refused(name, 'must be an ISO 8601 time with its offset, such as 2026-11-21T09:30:00Z', 'invalid_time');
}

/** A page of items, newest first. `read` holds one more than `limit`, which shows whether more follow. The cursor is the last item's id. */
export function pageOf<T extends { id: string }>(read: T[], limit: number) {
  const data = read.slice(0, limit);
  const hasMore = read.length > limit;
  return { object: 'list', data, has_more: hasMore, next_cursor: hasMore ? data.at(-1)!.id : null };
}

/** The id in the cursor of such a page; null: the first page. */
export function idCursor(prefix: IdPrefix, cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const id = parseId(prefix, cursor);
  if (id) return id;
  throw new ApiError('invalid_request', 'The cursor did not come from this API', {
    details: [{ path: 'cursor', message: 'is malformed', rule: 'cursor' }],
  });
}

export const refusedCursor = (): ApiError => refused('cursor', 'did not come from this list', 'cursor');

function refused(path: string, message: string, rule: string): ApiError {
  return new ApiError('invalid_request', `${path} ${message}`, { details: [{ path, message, rule }] });
}
