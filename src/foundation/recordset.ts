/** Many rows for one statement. Each column is named, typed and read in one place, so nothing must be kept in step by eye. */
import type postgres from 'postgres';
import type { Sql, Tx } from './context.ts';

type Value = string | number | boolean | Buffer | null;

/** By column name: the type in Postgres, and how the value is read from a row. */
export type Columns<Row> = Readonly<Record<string, readonly [type: keyof typeof WRITTEN, read: (row: Row) => Value]>>;

/** Rows written for a statement, a text for each column. Plain values: a thread can make them for another. */
export interface WrittenRows {
  columns: readonly (readonly [name: string, type: keyof typeof WRITTEN])[];
  arrays: readonly string[];
}

export const writeRows = <Row>(rows: readonly Row[], columns: Columns<Row>): WrittenRows => ({
  columns: Object.entries(columns).map(([name, [type]]) => [name, type]),
  arrays: Object.values(columns).map(([type, read]) => arrayOf(rows, type, read)),
});

/**
 * `rows` as a query to select from: `(select * from unnest($1::uuid[], …) as t(id, …))`.
 * `ordinality`: name of one more column, which numbers the rows from 1.
 */
export const recordset = <Row>(sql: Sql | Tx, rows: readonly Row[], columns: Columns<Row>, ordinality = ''): postgres.Fragment =>
  writtenRecordset(sql, writeRows(rows, columns), ordinality);

export const writtenRecordset = (sql: Sql | Tx, { columns, arrays }: WrittenRows, ordinality = ''): postgres.Fragment =>
  sql(textOf(columns, ordinality), ...arrays);

/** For `subject = any(${byteaArray(hashes)}::bytea[])`. Hashes as bytes or in hex. */
export const byteaArray = (hashes: readonly (Buffer | string)[]): string =>
  `{${hashes.map((hash) => (typeof hash === 'string' ? inHex(hash) : WRITTEN.bytea(hash))).join(',')}}`;

/** By the columns' names and types. Cached because postgres.js keeps every template that it has seen for good. */
const texts = new Map<string, TemplateStringsArray>();

/** One template for all columns. A fragment per column would be a `Query` and thus a promise each: sixty of them were a quarter of what a settlement allocates. */
function textOf(typed: WrittenRows['columns'], ordinality: string): TemplateStringsArray {
  const key = `${typed} ${ordinality}`;
  const known = texts.get(key);
  if (known) return known;
  const names = [...typed.map(([name]) => name), ...(ordinality ? [ordinality] : [])];
  const end = `) ${ordinality && 'with ordinality '}as t(${names.join(', ')}))`;
  const parts = typed.map(([, type], at) => `::${type}[]${at < typed.length - 1 ? ', ' : end}`);
  const text = ['(select * from unnest(', ...parts];
  const template = Object.assign(text, { raw: text });
  texts.set(key, template);
  return template;
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

const inHex = (hex: string): string => `"\\\\x${hex}"`;

const WRITTEN = {
  uuid: quoted,
  text: quoted,
  bool: String,
  int: String,
  bigint: String,
  float8: String,
  bytea: (bytes: Buffer) => inHex(bytes.toString('hex')),
} as const;
