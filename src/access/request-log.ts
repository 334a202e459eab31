/**
 * Keeps the last requests of each app. They are gathered in memory and written a few times a second, so that a request does not wait for it; beyond what one
 * write takes they are dropped and counted. They hold what the log line holds: no path, query or body.
 */
import { REQUESTS_DAYS, REQUESTS_MAX } from '../contract/requests.ts';
import type { Context } from '../foundation/context.ts';
import { firstIdAt } from '../foundation/ids.ts';
import { narrowed, ownedBy } from '../foundation/lists.ts';
import { openOutage } from '../foundation/outages.ts';
import { recordset } from '../foundation/recordset.ts';
import { DAY_MS } from '../foundation/time.ts';
import type { requestLog } from '../schema/requests.ts';
import type { AppMode } from './owner.ts';

export type LoggedRequest = typeof requestLog.$inferSelect;

export interface RequestLog {
  add(request: LoggedRequest): void;
  close(): Promise<void>;
}

const WRITE_MS = 250;
/** Requests in one write: of all apps, and of one. */
const WRITE_MAX = 400;
const APP_MAX = 100;

export function openRequestLog({ sql, log, metrics }: Pick<Context, 'sql' | 'log' | 'metrics'>): RequestLog {
  const outage = openOutage(log, 'requests are not kept for their apps', 'requests are kept for their apps again');
  let waiting: LoggedRequest[] = [];
  let byApp = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  let isWriting = false;

  const write = async (): Promise<void> => {
    timer = null;
    const requests = waiting;
    waiting = [];
    byApp = new Map();
    if (requests.length === 0) return;
    isWriting = true;
    try {
      await insert(sql, requests);
    } catch (error) {
      metrics.requestsUnlogged.inc(requests.length);
      outage(error);
    } finally {
      isWriting = false;
      if (waiting.length > 0) begin();
    }
  };
  const begin = (): void => {
    if (timer || isWriting) return;
    timer = setTimeout(() => {
      writing = write();
    }, WRITE_MS);
    timer.unref();
  };

  return {
    add(request) {
      const own = byApp.get(request.appId) ?? 0;
      if (own >= APP_MAX || waiting.length >= WRITE_MAX) return metrics.requestsUnlogged.inc();
      byApp.set(request.appId, own + 1);
      waiting.push(request);
      begin();
    },
    async close() {
      if (timer) clearTimeout(timer);
      await writing;
      if (timer) clearTimeout(timer);
      await write();
    },
  };
}

const insert = (sql: Context['sql'], requests: LoggedRequest[]) => sql`
  insert into request_log (id, app_id, live, method, route, status, code, duration, actor_kind, actor_id)
  select * from ${recordset(sql, requests, {
    id: ['uuid', (r) => r.id],
    app_id: ['uuid', (r) => r.appId],
    live: ['bool', (r) => r.live],
    method: ['text', (r) => r.method],
    route: ['text', (r) => r.route],
    status: ['int', (r) => r.status],
    code: ['text', (r) => r.code],
    duration: ['int', (r) => r.duration],
    actor_kind: ['text', (r) => r.actorKind],
    actor_id: ['text', (r) => r.actorId],
  })} t on conflict do nothing`;

export interface RequestFilter {
  /** The last id of the previous page. */
  before: string | null;
  limit: number;
  /** The first digit. */
  statusClass: number | null;
  route: string | null;
  id: string | null;
  by: 'key' | 'person' | null;
}

/** Newest first. */
export async function listRequests(
  { sql }: Pick<Context, 'sql'>,
  { appId, live }: AppMode,
  { before, limit, statusClass, route, id, by }: RequestFilter,
): Promise<LoggedRequest[]> {
  return sql<LoggedRequest[]>`
    select * from request_log
    where ${ownedBy(sql, { appId, live })}
      ${narrowed(sql, [
        before !== null && sql`id < ${before}`,
        id !== null && sql`id = ${id}`,
        statusClass !== null && sql`status / 100 = ${statusClass}`,
        route !== null && sql`route = ${route}`,
        by !== null && sql`actor_kind = ${by}`,
      ])}
    order by live desc, id desc limit ${limit}`;
}

/** Apps with requests since then may have too many. Longer than the time between two sweeps. */
const RECENT_MS = 5 * 60_000;

/** Deletes at most `limit` requests that are too old; returns how many. */
export async function dropOldRequests({ sql }: Pick<Context, 'sql'>, limit: number): Promise<number> {
  const dropped = await sql`
    delete from request_log where id in (
      select id from request_log where id < ${firstIdAt(Date.now() - REQUESTS_DAYS * DAY_MS)} order by id limit ${limit})`;
  return dropped.count;
}

/** Deletes what exceeds an app's limit. */
export async function dropMostRequests({ sql }: Pick<Context, 'sql'>): Promise<void> {
  const recent = await sql<AppMode[]>`
    select distinct app_id, live from request_log where id >= ${firstIdAt(Date.now() - RECENT_MS)}`;
  for (const { appId, live } of recent)
    await sql`
      delete from request_log where app_id = ${appId} and live = ${live} and id <= (
        select id from request_log where ${ownedBy(sql, { appId, live })} order by live desc, id desc offset ${REQUESTS_MAX} limit 1)`;
}
