/**
 * Connections for requests of one app: whatever a handler does with its `sql` runs in a transaction that says which app it is for, under a role that sees only
 * this app's rows (`wall-tables.ts`). A query that forgets its app finds nothing of the others'.
 */
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import { LRUCache } from 'lru-cache';
import type postgres from 'postgres';
import { wasLeftIdle } from './database-faults.ts';
import { alreadyAnswered, isQuery, leaveUnrepeated, type Query } from './queries.ts';

type Types = { bigint: number };
type Sql = postgres.Sql<Types>;
type Tx = postgres.TransactionSql<Types>;

export interface Bound {
  sql: Sql;
  db: PostgresJsDatabase;
}

const APPS_MAX = 10_000;
const TRIES = 2;

/** `pool`: connections as `confam_tenant`. */
export function openTenants(pool: Sql): (appId: string) => Bound {
  const known = new LRUCache<string, Bound>({ max: APPS_MAX });
  return (appId) => {
    const before = known.get(appId);
    if (before) return before;
    const sql = boundTo(pool, appId);
    const bound = { sql, db: drizzle(sql) };
    known.set(appId, bound);
    return bound;
  };
}

function boundTo(pool: Sql, appId: string): Sql {
  /** Sent ahead of the statement that follows, without waiting for its answer. If it fails, so does the transaction. */
  const bind = (tx: Tx): Query => {
    const binding = tx`select set_config('confam.app_id', ${appId}, true)` as unknown as Query;
    binding.executed = true;
    binding.handler(binding);
    return binding;
  };
  const begin = (...args: unknown[]): Promise<unknown> => {
    const work = args.pop() as (tx: Tx) => unknown;
    return (pool.begin as (...args: unknown[]) => Promise<unknown>)(...args, (tx: Tx) => {
      bind(tx);
      return work(tx);
    });
  };
  /** A query may be part of another one, so it gets its transaction only when it runs. */
  const bound = <Made>(made: Made): Made => {
    if (isQuery(made)) made.handler = runBound;
    return made;
  };
  /** The commit is sent behind the statement without waiting for its answer, which saves a round trip; if the statement fails, the commit rolls back. */
  async function runBound(query: Query): Promise<void> {
    const { resolve, reject } = query;
    if (query.cursorRows !== undefined) return reject(new Error('a cursor needs a transaction of its own'));
    for (let tries = 1; ; tries++) {
      const answered = new Promise((ended, failed) => Object.assign(query, { resolve: ended, reject: failed }));
      answered.catch(() => {});
      const isOutdated = leaveUnrepeated(query);
      try {
        await pool.begin((tx) => bind(tx).handler(query));
        // It has ended before the commit, unless it could not even be written.
        return resolve(await alreadyAnswered(answered));
      } catch (error) {
        if (!(isOutdated() || wasLeftIdle(error)) || tries === TRIES) return reject(error);
      }
    }
  }
  return new Proxy(pool, {
    apply: (target, self, call) => bound(Reflect.apply(target, self, call)),
    get(target, name) {
      if (name === 'begin') return begin;
      if (name === 'unsafe') return (...args: Parameters<Sql['unsafe']>) => bound(target.unsafe(...args));
      return Reflect.get(target, name);
    },
  });
}
