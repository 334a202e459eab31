/** Builds the statements of lists so that Postgres keeps one good plan for each. */
import type postgres from 'postgres';
import type { Sql, Tx } from './context.ts';

/**
 * ` and …` for each condition that applies. Optional filters must not be written as `$1 is null or …`: Postgres then expects few rows whatever is asked for, and
 * reads and sorts an app's whole list instead of following its index.
 */
export const narrowed = (sql: Sql | Tx, conditions: readonly (postgres.Fragment | false)[]): postgres.Fragment =>
  conditions.reduce<postgres.Fragment>((before, condition) => (condition ? sql`${before} and ${condition}` : before), sql``);

/**
 * Rows of one app and mode, for a list whose index is (app, mode, id) and whose order is by `live`, then by id. The mode is written as a range, because a column that
 * equals something has no part in the order: where most rows are of one app and mode, Postgres would follow the primary key, and read them all to show the few of another.
 * It is written in the statement, so that Postgres knows how many rows it has.
 */
export const ownedBy = (sql: Sql | Tx, { appId, live }: { appId: string; live: boolean }, table?: string): postgres.Fragment => {
  const column = (name: string) => sql(table === undefined ? name : `${table}.${name}`);
  return sql`${column('app_id')} = ${appId} and ${column('live')} ${live ? sql`>= true` : sql`<= false`}`;
};

/** Pages of the sizes that clients mostly ask for, and one row more. */
const LIMITS = [51, 101, 1_001];

/**
 * `limit …` for at least `rows` rows, for a list that may be long. As a parameter Postgres would take it for a tenth of the list, find that dear, and plan the statement
 * anew each time, which takes longer than to run it. Only a few values, because each makes a statement of its own that every connection keeps.
 */
export const limited = (sql: Sql | Tx, rows: number): postgres.Fragment =>
  sql`limit ${sql.unsafe(String(LIMITS.find((limit) => limit >= rows) ?? rows))}`;
