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
 * Selects the rows of one app and mode, for a list that has an index on (app, mode, id) and sorts by `live`, then by id. The mode is compared as a range on purpose: with
 * `live = …`, Postgres leaves `live` out of the sort order, so it may follow the primary key instead and read past every row of other apps and modes. The range is a
 * literal, so that Postgres can estimate how many rows match. `alias`: of the table, where the statement joins several.
 */
export const ownedBy = (sql: Sql | Tx, { appId, live }: { appId: string; live: boolean }, alias?: string): postgres.Fragment => {
  const column = (name: string) => sql(alias === undefined ? name : `${alias}.${name}`);
  return sql`${column('app_id')} = ${appId} and ${column('live')} ${live ? sql`>= true` : sql`<= false`}`;
};

/** Pages of the sizes that clients mostly ask for, and one row more. */
const LIMITS = [51, 101, 1_001];

/**
 * `limit …` for at least `rows` rows, for a list that may be long. For a limit that is a parameter, Postgres assumes a tenth of the list, estimates a high
 * cost, and plans the statement again at each execution, which takes longer than running it. Only a few values, because each is a separate statement that
 * every connection keeps.
 */
export const limited = (sql: Sql | Tx, rows: number): postgres.Fragment =>
  sql`limit ${sql.unsafe(String(LIMITS.find((limit) => limit >= rows) ?? rows))}`;
