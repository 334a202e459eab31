/** Many rows for one statement: each column is named, typed and read in one place, so that nothing has to be kept in step by eye. */
import type postgres from 'postgres';
import type { Sql, Tx } from './context.ts';

type Value = string | number | boolean | Buffer | null;

/** By column name: the type in Postgres, and how the value is read from a row. */
export type Columns<Row> = Readonly<Record<string, readonly [type: keyof typeof WRITTEN, read: (row: Row) => Value]>>;

/**
 * `rows` as a query to select from: `(select * from unnest($1::uuid[], …) as t(id, …))`.
 * `ordinality`: name of one more column, which numbers the rows from 1.
 */
export function recordset<Row>(sql: Sql | Tx, rows: readonly Row[], columns: Columns<Row>, ordinality?: string): postgres.Fragment {
  const names = Object.keys(columns);
  const arrays = names.map((name) => {
    const [type, read] = columns[name]!;
    return sql`${arrayOf(rows, type, read)}::${sql.unsafe(`${type}[]`)}`;
  });
  const list = arrays.reduce((all, next) => sql`${all}, ${next}`);
  const alias = sql.unsafe(`t(${[...names, ...(ordinality ? [ordinality] : [])].join(', ')})`);
  return sql`(select * from unnest(${list}) ${ordinality ? sql.unsafe('with ordinality') : sql``} as ${alias})`;
}

/** An array as Postgres reads it. Written here, because postgres.js takes its type from the first value, sends no array of booleans or bytes, and takes twice as long. */
function arrayOf<Row>(rows: readonly Row[], type: keyof typeof WRITTEN, read: (row: Row) => Value): string {
  const write = WRITTEN[type] as (value: Value) => string;
  let text = '';
  for (const row of rows) {
    const value = read(row);
    text += value === null ? ',null' : `,${write(value)}`;
  }
  return `{${text.slice(1)}}`;
}

const quoted = (text: string): string => (text.includes('"') || text.includes('\\') ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`);

const WRITTEN = {
  uuid: quoted,
  text: quoted,
  bool: String,
  int: String,
  bigint: String,
  bytea: (bytes: Buffer) => `"\\\\x${bytes.toString('hex')}"`,
} as const;
