/** The invalid rows of a batch page by page, each with its reference and what is wrong with it; not what was submitted. */
import { isTable, rowReader, storedReference } from '../batches/columns.ts';
import type { BatchRow } from '../contract/batches.ts';
import type { Context } from '../foundation/context.ts';
import { parseCursor, showCursor } from '../foundation/cursor.ts';
import type { RowProblem } from '../schema/batches.ts';

export interface InvalidRow {
  row: number;
  reference: string | null;
  problems: RowProblem[];
}

interface InvalidPage {
  rows: InvalidRow[];
  /** Null on the last page. */
  nextCursor: string | null;
}

/** In row order, after `cursor` or else from `fromRow` on. Null if the cursor does not belong to this batch. */
export async function readInvalidRows(
  { sql, cipher }: Context,
  batch: BatchRow,
  { cursor, fromRow, limit }: { cursor: string | null; fromRow: number; limit: number },
): Promise<InvalidPage | null> {
  const scope = `invalid-rows:${batch.id}`;
  const from = cursor === null ? `${fromRow}` : parseCursor(cipher, scope, cursor);
  if (from === null) return null;
  if (batch.invalid === 0 || batch.invalidGoneAt !== null) return { rows: [], nextCursor: null };
  const stored = await sql<{ rowNumber: number; problems: RowProblem[]; input: Buffer | null }[]>`
    select row_number, problems, input from invalid_rows
    where batch_id = ${batch.id} and row_number >= ${Number(from)} order by row_number limit ${limit + 1}`;
  const { open } = await cipher.opener(stored.map(({ input }) => input));
  const read = rowReader(isTable(batch.format) ? batch.columns : null, batch.mapping);
  const rows = stored.slice(0, limit).map(({ rowNumber, problems, input }) => {
    const raw = input && JSON.parse(open(input, 'invalid_row', `${batch.id}:${rowNumber}`));
    return { row: rowNumber, reference: raw && storedReference((field) => read(raw, field)), problems };
  });
  const next = stored[limit];
  return { rows, nextCursor: next ? showCursor(cipher, scope, `${next.rowNumber}`) : null };
}
