/** Shows rows together with who submitted them. */
import { type NameSource, readSubmitters } from '../access/submitters.ts';
import type { CreatedBy, Submitter } from '../contract/created-by.ts';
import { callerOf, type Http } from './http.ts';

/** `show` makes the answer from a row. Inside of a transaction, `source` has its `sql`. */
export function withSubmitters<Row extends Submitter, Shown extends object>(
  show: (row: Row, source: NameSource) => Shown | Promise<Shown>,
) {
  const showAll = async (c: Http, source: NameSource, rows: readonly Row[]): Promise<(Shown & { created_by: CreatedBy })[]> => {
    const submitterOf = await readSubmitters(source, callerOf(c), rows);
    return Promise.all(rows.map(async (row) => ({ ...(await show(row, source)), created_by: submitterOf(row) })));
  };
  return { showAll, showOne: async (c: Http, source: NameSource, row: Row) => (await showAll(c, source, [row]))[0]! };
}
