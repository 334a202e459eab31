/** Shows rows together with who submitted them. */
import { readSubmitters } from '../access/submitters.ts';
import type { CreatedBy, Submitter } from '../contract/created-by.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { callerOf, type Http } from './http.ts';

interface Reading {
  sql: Sql | Tx;
  cipher: Context['cipher'];
}

/** `show` makes the answer from a row. Inside of a transaction, `reading` has its `sql`. */
export function withSubmitters<Row extends Submitter, Shown extends object>(show: (row: Row, reading: Reading) => Shown | Promise<Shown>) {
  const showAll = async (c: Http, reading: Reading, rows: readonly Row[]): Promise<(Shown & { created_by: CreatedBy })[]> => {
    const submitterOf = await readSubmitters(reading, callerOf(c), rows);
    return Promise.all(rows.map(async (row) => ({ ...(await show(row, reading)), created_by: submitterOf(row) })));
  };
  return { showAll, showOne: async (c: Http, reading: Reading, row: Row) => (await showAll(c, reading, [row]))[0]! };
}
