/** The invalid rows of a batch page by page, each with its reference and what is wrong with it; not what was submitted. */

import { LOOK_MS, type Suggestion, suggestRows } from '../batches/find-reference.ts';
import { isTable, rowReader, storedReference } from '../batches/row-reader.ts';
import type { BatchRow } from '../contract/batches.ts';
import type { Context } from '../foundation/context.ts';
import { parseCursor, showCursor } from '../foundation/cursor.ts';
import { narrowed } from '../foundation/lists.ts';
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

interface InvalidRowsOptions {
  cursor: string | null;
  fromRow: number;
  /** Only the first row that has it, which is looked for as long as one look may take. */
  reference: string | null;
  limit: number;
}

/** Whether it still has them. */
export const hasInvalid = ({ invalid, invalidGoneAt }: BatchRow): boolean => invalid > 0 && invalidGoneAt === null;

/** In row order, after `cursor` or else from `fromRow` on. Null if the cursor does not belong to this batch. */
export async function readInvalidRows(
  ctx: Context,
  batch: BatchRow,
  { cursor, fromRow, reference, limit }: InvalidRowsOptions,
): Promise<InvalidPage | null> {
  const scope = `invalid-rows:${batch.id}`;
  const from = cursor === null ? `${fromRow}` : parseCursor(ctx.cipher, scope, cursor);
  if (from === null) return null;
  if (!hasInvalid(batch)) return { rows: [], nextCursor: null };
  const { rows, next } =
    reference === null
      ? await readFrom(ctx, batch, { from: Number(from), limit })
      : await findInvalid(ctx, batch, reference, {
          from: Number(from),
          suggestion: (await suggestRows(ctx, [batch], reference)).get(batch.id)!,
        });
  return { rows, nextCursor: next === null ? null : showCursor(ctx.cipher, scope, `${next}`) };
}

/** `next`: the row to continue with; null: there is none. */
interface Read {
  rows: InvalidRow[];
  next: number | null;
}

/** `among`: only these rows; null: any. */
async function readFrom(
  { sql, cipher }: Context,
  batch: BatchRow,
  { from, limit, among = null }: { from: number; limit: number; among?: Suggestion },
): Promise<Read> {
  const stored = await sql<{ rowNumber: number; problems: RowProblem[]; input: Buffer | null }[]>`
    select row_number, problems, input from invalid_rows
    where batch_id = ${batch.id} and row_number >= ${from}
      ${narrowed(sql, [among !== null && sql`row_number = any(${among as number[]}::int[])`])}
    order by row_number limit ${limit + 1}`;
  const { open } = await cipher.opener(stored.map(({ input }) => input));
  const read = rowReader(isTable(batch.format) ? batch.columns : null, batch.mapping);
  const rows = stored.slice(0, limit).map(({ rowNumber, problems, input }) => {
    const raw = input && JSON.parse(open(input, 'invalid_row', `${batch.id}:${rowNumber}`));
    return { row: rowNumber, reference: raw && storedReference((field) => read(raw, field)), problems };
  });
  return { rows, next: stored[limit]?.rowNumber ?? null };
}

const SEARCHED_ROWS = 500;

/** Searches from row `from` on, for about `ms`. */
export async function findInvalid(
  ctx: Context,
  batch: BatchRow,
  reference: string,
  { from, suggestion, ms = LOOK_MS }: { from: number; suggestion: Suggestion; ms?: number },
): Promise<Read> {
  const until = performance.now() + ms;
  for (let next = from; ; ) {
    const read = await readFrom(ctx, batch, { from: next, limit: SEARCHED_ROWS, among: suggestion });
    const found = read.rows.find((row) => row.reference === reference);
    if (found) return { rows: [found], next: null };
    if (read.next === null || performance.now() > until) return { rows: [], next: read.next };
    next = read.next;
  }
}
