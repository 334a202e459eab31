/** Whether Postgres allows as many connections as Confam may open. A test compares docs/operations.md, "Connections", with these figures. */
import type { Config } from '../foundation/config.ts';
import { apiConnections, PROCESS_CONNECTIONS, type Sql } from '../foundation/context.ts';
import { FAMILIES } from '../foundation/families.ts';
import { QUEUE_CONNECTIONS } from '../foundation/queue.ts';
import { about, type Finding } from './finding.ts';

/** One for each family, and one for webhooks. */
const QUEUES = FAMILIES.length + 1;

/** The most that a worker of all families, an API and a dispatcher open. */
export function connectionsOf(config: Config): Record<'worker' | 'api' | 'dispatcher', number> {
  const { adding, working, listening, looking } = QUEUE_CONNECTIONS;
  // A worker that screens works for the clock of watch lists, one tick at a time, and sets it.
  const clock = adding + 1 + listening;
  const onPostgres = config.REDIS_URL ? 0 : 1;
  return {
    worker: PROCESS_CONNECTIONS + onPostgres * (QUEUES * (working + listening) + clock),
    api: PROCESS_CONNECTIONS + apiConnections(config) + onPostgres * looking,
    dispatcher: PROCESS_CONNECTIONS + onPostgres * QUEUES * adding,
  };
}

export async function checkConnections(sql: Sql, config: Config): Promise<Finding> {
  const connections = about('connections');
  const [limit] = await sql<{ server: number; database: number; user: number }[]>`
    select (select sum(case name when 'max_connections' then setting::int else -setting::int end)::int from pg_settings
        where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')) as server,
      (select datconnlimit from pg_database where datname = current_database()) as database,
      (select rolconnlimit from pg_roles where rolname = session_user) as "user"`;
  // -1 stands for no limit.
  const allowed = Math.min(...Object.values(limit!).filter((one) => one >= 0));
  const needed = Object.values(connectionsOf(config)).reduce((sum, count) => sum + count);
  const says = `${allowed} allowed; one API, one worker of all families and one dispatcher open up to ${needed}`;
  if (needed <= allowed) return connections.ok(says);
  const narrowest = allowed === limit!.server ? 'max_connections' : 'the CONNECTION LIMIT of the database or the user';
  return connections.note(`${says}: raise ${narrowest}, or start workers with fewer --families`);
}
