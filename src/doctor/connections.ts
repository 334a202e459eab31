/** Whether Postgres allows as many connections as Confam may open. The figures are those of docs/operations.md, "Connections". */
import type { Config } from '../foundation/config.ts';
import { apiConnections, PROCESS_CONNECTIONS, type Sql } from '../foundation/context.ts';
import { FAMILIES } from '../foundation/families.ts';
import { about, type Finding } from './finding.ts';

/** Queues on Postgres: one for each family, and one for webhooks. */
const QUEUES = FAMILIES.length + 1;
/** BullMQ's connections to Postgres: for a queue that a worker takes from, for one that a dispatcher fills, and for the clock of watch lists. */
const WORKER_QUEUE = 5;
const DISPATCHER_QUEUE = 1;
const LISTS_CLOCK = 3;

/** At most, for one API, one worker of all families and one dispatcher. */
function connectionsNeeded(config: Config): number {
  const queues = config.REDIS_URL ? 0 : QUEUES * (WORKER_QUEUE + DISPATCHER_QUEUE) + LISTS_CLOCK;
  return 3 * PROCESS_CONNECTIONS + apiConnections(config) + queues;
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
  const needed = connectionsNeeded(config);
  const says = `${allowed} allowed; one API, one worker of all families and one dispatcher open up to ${needed}`;
  if (needed <= allowed) return connections.ok(says);
  const narrowest = allowed === limit!.server ? 'max_connections' : 'the CONNECTION LIMIT of the database or the user';
  return connections.note(`${says}: raise ${narrowest}, or start workers with fewer --families`);
}
