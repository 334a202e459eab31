import type postgres from 'postgres';
import type { Sql, Tx } from './context.ts';

/**
 * ` and …` for each condition that applies. Optional filters must not be written as `$1 is null or …`: Postgres then expects few rows whatever is asked for, and
 * reads and sorts an app's whole list instead of following its index.
 */
export const narrowed = (sql: Sql | Tx, conditions: readonly (postgres.Fragment | false)[]): postgres.Fragment =>
  conditions.reduce<postgres.Fragment>((before, condition) => (condition ? sql`${before} and ${condition}` : before), sql``);
