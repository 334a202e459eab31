/** Many rows for one statement: each column is named, typed and read in one place, so that nothing has to be kept in step by eye. */
import type postgres from 'postgres';
import type { Sql, Tx } from './context.ts';

type ColumnType = 'uuid' | 'text' | 'bool' | 'int' | 'bigint';
type Value = string | number | boolean | null;

/** By column name: the type in Postgres, and how the value is read from a row. `bytea` travels as base64 in a `text` column. */
export type Columns<Row> = Readonly<Record<string, readonly [type: ColumnType, read: (row: Row) => Value]>>;

/**
 * `rows` as a query to select from: `(select * from unnest($1::uuid[], …) as t(id, …))`.
 * `ordinality`: name of one more column, which numbers the rows from 1.
 */
export function recordset<Row>(sql: Sql | Tx, rows: readonly Row[], columns: Columns<Row>, ordinality?: string): postgres.Fragment {
  const names = Object.keys(columns);
  const arrays = names.map((name) => {
    const [type, read] = columns[name]!;
    const values = rows.map(read);
    // postgres.js takes the type of an array from its first value and cannot send booleans so.
    const parameter = type === 'bool' ? sql.array(values as boolean[]) : (values as (string | number)[]);
    return sql`${parameter}::${sql.unsafe(`${type}[]`)}`;
  });
  const list = arrays.reduce((all, next) => sql`${all}, ${next}`);
  const alias = sql.unsafe(`t(${[...names, ...(ordinality ? [ordinality] : [])].join(', ')})`);
  return sql`(select * from unnest(${list}) ${ordinality ? sql.unsafe('with ordinality') : sql``} as ${alias})`;
}
