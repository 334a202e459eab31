/** Erases a person from the rows of a batch, some thousand rows at a time. `erase.ts` says which batch is next. */
import { eraseRows } from '../batches/row-blocks.ts';
import { isBatchOver, type UnopenedBatch } from '../contract/batches.ts';
import type { Context, Tx } from '../foundation/context.ts';
import type { erasures } from '../schema/lifecycle.ts';
import { findInvalid, findRows, type Suspect, stepOf } from './find-theirs.ts';
import { forgetRows } from './purge.ts';
import type { Whom } from './subject.ts';

export type ErasureRow = typeof erasures.$inferSelect;

/** Counts erased items, or items kept under a legal hold. */
export function add(erasure: ErasureRow, what: string, more: number, where: 'counts' | 'kept' = 'counts'): void {
  if (more > 0) erasure[where] = { ...erasure[where], [what]: (erasure[where][what] ?? 0) + more };
}

/** Looks at the next rows after `after`. Returns the last of them, `done` after the last of all, or `in_work` if the person is in a batch that has not ended. */
export async function eraseInBatch(
  { cipher }: Context,
  tx: Tx,
  erasure: ErasureRow,
  { whom, held }: { whom: Whom; held: Whom | null },
  suspect: Suspect,
  after: number,
): Promise<number | 'done' | 'in_work'> {
  const { batch } = suspect;
  const { among, to, isLast } = stepOf(suspect, after);
  const rows = await findRows(cipher, tx, whom, batch, among);
  const invalid = await findInvalid(cipher, tx, whom, batch, among);
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
    const stay = new Set(held && (await findRows(cipher, tx, held, batch, rows)));
    const invalidStay = new Set(held && (await findInvalid(cipher, tx, held, batch, invalid)));
    const [gone, invalidGone] = [rows.filter((row) => !stay.has(row)), invalid.filter((row) => !invalidStay.has(row))];
    await forgetRows(tx, cipher, batch, gone);
    await eraseRows(tx, cipher, batch, gone);
    await tx`delete from invalid_rows where batch_id = ${batch.id} and row_number = any(${invalidGone}::int[])`;
    add(erasure, 'rows', gone.length);
    add(erasure, 'invalid_rows', invalidGone.length);
    add(erasure, 'rows', rows.length - gone.length, 'kept');
    add(erasure, 'invalid_rows', invalid.length - invalidGone.length, 'kept');
  }
  return isLast ? 'done' : to;
}
