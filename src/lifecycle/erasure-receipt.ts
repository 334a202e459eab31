/** The receipt that ends an erasure: what was erased, and what stays and why. */
import { showInstant } from '../contract/fields.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { showId } from '../foundation/ids.ts';
import { recordset } from '../foundation/recordset.ts';
import type { PersonMarks } from '../schema/lifecycle.ts';
import { listBackups } from './backup/list.ts';
import type { ErasureRow, StepGroup } from './erasure-group.ts';
import { signReceipt } from './receipts.ts';

/** Times of backups that a receipt names; it says how many there are. */
const BACKUPS_NAMED = 100;

/** Writes and signs the receipts of finished erasures, and forgets whom they were about. */
export async function conclude({ cipher }: Context, tx: Tx, { erasures, people }: StepGroup): Promise<void> {
  if (erasures.every(({ stage }) => stage !== 'done')) return;
  const [now] = await tx<{ at: string }[]>`select now() as at`;
  const backups = await listBackups(tx, BACKUPS_NAMED);
  const receipts = erasures.flatMap((erasure, at) => {
    if (erasure.stage !== 'done') return [];
    const receipt = receiptOf(erasure, people[at]!.marks, now!.at, backups);
    return [{ id: erasure.id, receipt, signature: signReceipt({ cipher }, receipt) }];
  });
  await tx`
    update erasures e set asked = null, marks = null, finished_at = ${now!.at}::timestamptz, receipt = t.receipt, signature = t.signature
    from ${recordset(tx, receipts, { id: ['uuid', (r) => r.id], receipt: ['text', (r) => r.receipt], signature: ['text', (r) => r.signature] })} t
    where e.id = t.id`;
}

/** What stays of batches that had rows of the person. */
const OF_BATCHES = [
  {
    what: 'batches',
    why: 'their counts, amounts, reference, metadata, consent and names of columns are of the batch as a whole; they go with it',
  },
  { what: 'saved_mappings', why: 'they hold names of columns; deleted after 400 days without use' },
  { what: 'row_marks', why: 'shortened keyed hashes by which rows are found; they go with their batch' },
  { what: 'excerpts', why: 'what receivers answered to messages about a batch; deleted after 7 days' },
] as const;

function receiptOf(
  { id, appId, live, askedAt, counts, kept, held, marks }: ErasureRow,
  { types }: PersonMarks,
  finishedAt: string,
  backups: { made: string[]; number: number },
): string {
  const isOfBatches = ['rows', 'invalid_rows'].some((what) => (counts[what] ?? 0) + (kept[what] ?? 0) > 0) || held.length > 0;
  return JSON.stringify({
    object: 'erasure_receipt',
    erasure: showId('ers', id),
    app: showId('app', appId),
    mode: live ? 'live' : 'test',
    identifiers: types,
    asked_at: showInstant(askedAt),
    finished_at: showInstant(finishedAt),
    erased: counts,
    kept: [
      { what: 'ledger, usage', why: 'books must stay complete; they name nobody, unless the operator did in the note of a top-up' },
      { what: 'audit', why: 'proof of who read and changed what; it names nobody' },
      { what: 'kept_answers', why: 'those about review cases are not searched; they expire within a day' },
      ...(isOfBatches ? OF_BATCHES : []),
      backups.number === 0
        ? {
            what: 'backups',
            why: 'this deployment has recorded none. One made in another way before this erasure has the person; restoring it repeats the erasure',
          }
        : {
            what: 'backups',
            number: backups.number,
            made_at: backups.made.map(showInstant),
            why: 'made before this erasure, so they have the person until the operator deletes them; restoring one repeats the erasure',
          },
      ...held.map((batch) => ({ what: showId('bat', batch), why: 'legal hold' })),
      ...Object.entries(kept).map(([what, number]) => ({ what, number, why: 'legal hold of a person' })),
    ],
    ...(marks !== null && { repeated_after_restore: true }),
  });
}
