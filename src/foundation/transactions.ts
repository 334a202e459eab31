/**
 * Makes `sql.begin` of postgres.js 3.4.9 survive the loss of its connection. Unpatched, it writes its ROLLBACK to the closed socket, which ends the process
 * with an uncatchable TypeError (porsager/postgres#1208), and it lets later statements of the transaction run on the replacement connection, outside of any
 * transaction or inside somebody else's (#1216). Drop this once #1209 and #1215 are released. A session of `sql.reserve` has the first fault too, and when it is
 * released its closed connection is lent to the next query.
 *
 * `unlisten` succeeds on a lost connection, so that a process whose connections are cut while it stops still exits cleanly.
 *
 * Other faults of that release are patched in its own files, by `ops/patch-postgres.mjs`.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type postgres from 'postgres';
import { isConnectionLost, wasLeftIdle } from './database-faults.ts';
import { alreadyAnswered, send } from './queries.ts';

/** How often a transaction is begun whose session ends before its work has. */
const BEGIN_TRIES = 3;

/** `begin` itself rejects when the connection closes, so the callback's own error is not needed. */
const never = <T>(): Promise<T> => new Promise<T>(() => {});

export function guardTransactions<Types extends Record<string, unknown>>(sql: postgres.Sql<Types>): postgres.Sql<Types> {
  guardBegin(sql);
  guardReserve(sql);
  guardListen(sql);
  return sql;
}

function guardBegin<Types extends Record<string, unknown>>(sql: postgres.Sql<Types>): void {
  type Work = (tx: postgres.TransactionSql<Types>) => unknown;
  const begin = sql.begin.bind(sql) as (...args: unknown[]) => Promise<unknown>;

  const beginOnce = (args: unknown[], work: Work): Promise<unknown> => {
    let lost = false;
    const running = begin(...args, async (tx: postgres.TransactionSql<Types>) => {
      const guardedTx = new Proxy(tx, {
        apply(target, self, call) {
          if (lost) throw Object.assign(new Error('the connection of this transaction is lost'), { code: 'CONNECTION_LOST' });
          return Reflect.apply(target, self, call);
        },
      });
      try {
        const result = await work(guardedTx);
        return lost ? never() : result;
      } catch (error) {
        // `begin` rejects as soon as the connection is closed, and must not try to roll back before that.
        if (lost || isConnectionLost(error)) return never();
        throw error;
      }
    });
    running.catch(() => {
      lost = true;
    });
    return running;
  };

  // Postgres ends the session of a process that is stopped before it has read the answer to its BEGIN. Nothing was done yet, so it begins again.
  const guarded = async (...args: unknown[]): Promise<unknown> => {
    const work = args.pop() as Work;
    for (let tries = 1; ; tries++) {
      let hasBegun = false;
      const once: Work = (tx) => {
        hasBegun = true;
        return work(tx);
      };
      try {
        return await beginOnce(args, once);
      } catch (error) {
        if (hasBegun || !wasLeftIdle(error) || tries === BEGIN_TRIES) throw error;
      }
    }
  };
  sql.begin = guarded as typeof sql.begin;
}

function guardReserve<Types extends Record<string, unknown>>(sql: postgres.Sql<Types>): void {
  const reserve = sql.reserve.bind(sql);
  sql.reserve = async () => {
    const session = await reserve();
    const { release } = session;
    let lost: unknown = null;
    // The driver's own hook: it tells which connection carries a query, and that connection tells when it closes.
    const onexecute = (connection: { onclose: (error: unknown) => void }) => {
      connection.onclose = (error) => {
        lost = error;
      };
    };
    const guardedSession = new Proxy(session, {
      apply(target, self, call) {
        if (lost) throw lost;
        return Reflect.apply(target, self, call);
      },
    });
    guardedSession.release = () => {
      if (!lost) release();
    };
    await session.unsafe('select 1', [], { onexecute } as postgres.UnsafeQueryOptions);
    return guardedSession;
  };
}

function guardListen<Types extends Record<string, unknown>>(sql: postgres.Sql<Types>): void {
  const listen = sql.listen.bind(sql);
  sql.listen = (async (...args: Parameters<typeof sql.listen>) => {
    const listener = await listen(...args);
    return { ...listener, unlisten: () => listener.unlisten().catch(unlessLost) };
  }) as typeof sql.listen;
}

/** A lost connection no longer listens, which is what the caller wanted. */
function unlessLost(error: unknown): void {
  if (!isConnectionLost(error)) throw error;
}

/** How a transaction ends: what it answers, and its last statements. None of these may need another's answer. */
export interface Ending<Result> {
  result: Result;
  last: readonly postgres.PendingQuery<postgres.Row[]>[];
}

/**
 * Like `sql.begin`, for a transaction whose last statements lock rows that many others need: these statements are sent in one packet with the commit. So the
 * rows are locked only until the commit is on disk, not while this process reads an answer and sends the next statement. (A statement beyond 16 kB, or one that
 * a connection sees for the first time, is answered before the next is sent.) If one fails Postgres rolls back, and its error is thrown.
 */
export async function endTogether<Types extends Record<string, unknown>, Result>(
  sql: postgres.Sql<Types>,
  work: (tx: postgres.TransactionSql<Types>) => Promise<Ending<Result>>,
): Promise<Result> {
  const { result, answers } = (await sql.begin(async (tx) => {
    const { result, last } = await work(tx);
    return { result, answers: last.map(send) };
  })) as { result: Result; answers: Promise<unknown>[] };
  // Each was answered before the commit, unless it could not even be written.
  for (const answer of answers) await alreadyAnswered(answer);
  return result;
}

/** A line of the newest change of `ops/patch-postgres.mjs`. */
const NEWEST_CHANGE = 'options.onsocket(x) // confam';

/** Whether `ops/patch-postgres.mjs` has patched the driver; an installation without scripts leaves it out. */
export function isDriverMended(): boolean {
  const folder = dirname(createRequire(import.meta.url).resolve('postgres'));
  return readFileSync(join(folder, '..', '..', 'src', 'connection.js'), 'utf8').includes(NEWEST_CHANGE);
}
