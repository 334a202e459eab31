/** The internals of a query in postgres.js 3.4.9, for statements that are sent without waiting for the previous answer. */
import type postgres from 'postgres';

/** The parts of a query that decide where it runs and what is called when it ends. */
export interface Query extends postgres.PendingQuery<postgres.Row[]> {
  handler(query: Query): unknown;
  resolve(rows: unknown): void;
  reject(error: unknown): void;
  executed: boolean;
  cursorRows?: number;
  cancelled: boolean | null;
  /** Set by the driver when it sends the statement again, because a migration has outdated its plan. */
  retried?: unknown;
}

export const isQuery = (made: unknown): made is Query => made instanceof Promise && 'handler' in made;

/** Makes the statement fail where the driver would send it again, after the transaction has gone on. The returned function says whether that happened. */
export function leaveUnrepeated(query: Query): () => boolean {
  let outdated: unknown = null;
  query.cancelled = null;
  Object.defineProperty(query, 'retried', {
    configurable: true,
    get: () => outdated,
    set(error: unknown) {
      outdated = error;
      query.cancelled = true;
      query.reject(error);
    },
  });
  return () => outdated !== null;
}

/** Sends a statement at once, even if earlier ones have no answer yet. */
export function send(query: postgres.PendingQuery<postgres.Row[]>): Promise<unknown> {
  const sent = query as Query;
  const answered = new Promise((resolve, reject) => Object.assign(sent, { resolve, reject }));
  answered.catch(() => {});
  leaveUnrepeated(sent);
  sent.executed = true;
  sent.handler(sent);
  return answered;
}

const UNSENT = Symbol('unsent');

/** The answer of a statement that must have one by now. Throws if it could not even be written. */
export async function alreadyAnswered<Answer>(answer: Promise<Answer>): Promise<Answer> {
  // Not a promise that is rejected beforehand: an error with its stack for each statement.
  const first = await Promise.race([answer, UNSENT]);
  if (first === UNSENT) throw new Error('a statement could not be sent');
  return first as Answer;
}
