/** Erases people from the rows of a batch, some rows at a time. `erase.ts` says which batch is next. */
import { eraseRows } from '../batches/row-blocks.ts';
import { isBatchOver, type UnopenedBatch } from '../contract/batches.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { eraseScreened } from './erase-screened.ts';
import { askedFor, count, type ErasureGroup } from './erasure-group.ts';
import { type FoundRow, findInvalid, findRows, type Suspect, stepOf } from './find-data-subjects.ts';
import { forgetRows } from './purge.ts';

/**
 * Erases people from the next rows after row `after`. Returns the last row looked at; null at the end of the batch. A batch that has not ended is added to
 * the `waiting` list of each erasure that has rows in it; a batch under a legal hold, to `held`. If several erasures cover a row, the oldest counts it as
 * erased; a row that stays is counted as kept by each.
 */
export async function eraseInBatch(
  { cipher }: Context,
  tx: Tx,
  group: ErasureGroup,
  suspect: Suspect,
  after: number,
): Promise<number | null> {
  const { batch } = suspect;
  const { among, to, isLast } = stepOf(suspect, after);
  const asked = (found: FoundRow[]) =>
    found.flatMap(({ row, matches }) => {
      const by = askedFor(group, batch.id, matches);
      return by.length === 0 ? [] : [{ row, by }];
    });
  const rows = asked(await findRows(cipher, tx, group.dataSubjects, batch, among));
  const invalid = asked(await findInvalid(cipher, tx, group.dataSubjects, batch, among));
  const next = isLast ? null : to;
  if (rows.length + invalid.length === 0) return next;
  // Jobs before their batch, as everywhere.
  const jobs = await tx<{ id: string; family: string }[]>`
    select id, family from jobs where batch_id = ${batch.id} and row_number = any(${rows.map(({ row }) => row)}::int[]) order by id for update`;
  const [now] = await tx<UnopenedBatch[]>`select * from batches where id = ${batch.id} for update`;
  if (now!.deletedAt !== null) return null;
  if (now!.legalHoldAt !== null || !isBatchOver(now!)) {
    for (const erasure of new Set([...rows, ...invalid].flatMap(({ by }) => by))) {
      const list = now!.legalHoldAt !== null ? 'held' : 'waiting';
      if (!erasure[list].includes(batch.id)) erasure[list] = [...erasure[list], batch.id];
    }
    return next;
  }
  const { held } = group;
  const heldRows = new Set(held && numbersOf(await findRows(cipher, tx, held, batch, numbersOf(rows))));
  const invalidStay = new Set(held && numbersOf(await findInvalid(cipher, tx, held, batch, numbersOf(invalid))));
  const gone = rows.filter(({ row }) => !heldRows.has(row));
  const invalidGone = invalid.filter(({ row }) => !invalidStay.has(row));
  // An upload makes the ids of its jobs after its own id. A job may therefore be newer than the erasure, and once it is gone its monitor would look newer too.
  if (jobs.some(({ id, family }) => family === 'aml' && id > group.erasures[0]!.id)) await eraseScreened(tx, group);
  await forgetRows(tx, cipher, batch, numbersOf(gone));
  await eraseRows(tx, cipher, batch, numbersOf(gone));
  await tx`delete from invalid_rows where batch_id = ${batch.id} and row_number = any(${numbersOf(invalidGone)}::int[])`;
  await tx`update batches set erased_rows = erased_rows + ${gone.length + invalidGone.length} where id = ${batch.id}`;
  for (const { by } of gone) count(by[0]!, 'rows', 1);
  for (const { by } of invalidGone) count(by[0]!, 'invalid_rows', 1);
  for (const { row, by } of rows) if (heldRows.has(row)) for (const erasure of by) count(erasure, 'rows', 1, 'kept');
  for (const { row, by } of invalid) if (invalidStay.has(row)) for (const erasure of by) count(erasure, 'invalid_rows', 1, 'kept');
  return next;
}

const numbersOf = (rows: readonly { row: number }[]): number[] => rows.map(({ row }) => row);
