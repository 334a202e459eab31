/** The table of an app's last requests, for engineers who look for one. */
import { boolean, index, integer, pgTable, smallint, text, uuid } from 'drizzle-orm/pg-core';

/** What the log line of a request says: the route's pattern, never the path, the query or a body. The newest few thousand of an app, for a week. */
export const requestLog = pgTable(
  'request_log',
  {
    /** Shown as `req_…`, and ordered by time. */
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    method: text('method').notNull(),
    route: text('route').notNull(),
    status: smallint('status').notNull(),
    /** The error code of a refusal. */
    code: text('code'),
    /** Tenths of a millisecond. */
    duration: integer('duration').notNull(),
    actorKind: text('actor_kind').$type<'key' | 'person'>().notNull(),
    actorId: text('actor_id').notNull(),
  },
  (t) => [index('request_log_app').on(t.appId, t.live, t.id)],
);
