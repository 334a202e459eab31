/** Erases a person from the rows of a batch, some thousand rows at a time. `erase.ts` says which batch is next. */
import { eraseRows } from '../batches/row-blocks.ts';
import { isBatchOver, type UnopenedBatch } from '../contract/batches.ts';
import type { Context, Tx } from '../foundation/context.ts';
import type { erasures } from '../schema/lifecycle.ts';
import { findInvalid, findRows, ROWS, type Whom } from './find-theirs.ts';
import { forgetRows } from './purge.ts';

export type ErasureRow = typeof erasures.$inferSelect;

/** Counts what was erased. */
export const add = (erasure: ErasureRow, what: string, more: number): void => {
  if (more > 0) erasure.counts = { ...erasure.counts, [what]: (erasure.counts[what] ?? 0) + more };
};

/** Looks at the next rows after `after`. Returns the last of them, `done` after the last of all, or `in_work` if the person is in a batch that has not ended. */
export async function eraseInBatch(
  { cipher }: Context,
  tx: Tx,
  erasure: ErasureRow,
  whom: Whom,
  batch: UnopenedBatch,
  after: number,
): Promise<number | 'done' | 'in_work'> {
  const to = after + ROWS;
  const rows = await findRows(cipher, tx, whom, batch, after + 1, to);
  const invalid = await findInvalid(cipher, tx, whom, batch, after + 1, to);
  if (rows.length + invalid.length > 0) {
    // Jobs before their batch, as everywhere.
    await tx`select 1 from jobs where batch_id = ${batch.id} and row_number = any(${rows}::int[]) order by id for update`;
    const [now] = await tx<UnopenedBatch[]>`select * from batches where id = ${batch.id} for update`;
    if (now!.deletedAt !== null) return 'done';
    if (now!.legalHoldAt !== null) {
      erasure.held = [...erasure.held, batch.id];
      return 'done';
    }
    if (!isBatchOver(now!)) return 'in_work';
    await forgetRows(tx, cipher, batch, rows);
    await eraseRows(tx, cipher, batch.id, rows);
    await tx`delete from invalid_rows where batch_id = ${batch.id} and row_number = any(${invalid}::int[])`;
    add(erasure, 'rows', rows.length);
    add(erasure, 'invalid_rows', invalid.length);
  }
  return to >= batch.rows ? 'done' : to;
}
