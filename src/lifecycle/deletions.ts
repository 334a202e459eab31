/**
 * Deletion of a batch or a single job, as clients ask for it. Once it is committed, the data is unreadable and pending approvals about it are gone; `purge.ts`
 * then deletes it, in small steps. What stays: ledger, audit, counts of usage, and the row of the batch or job without anything that its client said. Also the
 * legal hold, which forbids all of that.
 */
import { type Author, record } from '../access/audit/append.ts';
import { forgetApprovals, forgetApprovalsOfRows } from '../approvals/approvals.ts';
import { readBatch } from '../batches/batch.ts';
import { type BatchRow, isBatchOver, type UnopenedBatch } from '../contract/batches.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { showId } from '../foundation/ids.ts';
import { deleteEventsAbout } from '../webhooks/events.ts';
import { heldPeople, isHeldIn, isHeldJob } from './holds.ts';

type Deletable = Pick<BatchRow, 'id' | 'appId' | 'live'>;

type Reason = 'requested' | 'retention';

/** Null if the app has no such batch in this mode. A batch that was deleted before is returned as it is. */
export async function deleteBatch(ctx: Context, { id, appId, live }: Deletable, by: Author): Promise<BatchRow | null> {
  return ctx.sql.begin(async (tx) => {
    const [batch] = await tx<UnopenedBatch[]>`select * from batches where id = ${id} and app_id = ${appId} and live = ${live} for update`;
    if (!batch) return null;
    if (batch.deletedAt === null) {
      if (batch.legalHoldAt !== null)
        throw new ApiError('conflict', 'The batch is under a legal hold: none of it can be deleted until the hold is lifted');
      if (!isBatchOver(batch)) {
        throw new ApiError('conflict', `A batch that is ${batch.status} cannot be deleted: cancel it, and wait until it is canceled`);
      }
      await refuseHeldPeople(ctx, tx, batch);
      await markBatch(tx, batch, 'requested');
      await record(tx, by, { appId, live, action: 'batch.delete', object: showId('bat', id) });
    }
    return readBatch(ctx, tx, appId, id);
  });
}

async function refuseHeldPeople(ctx: Context, tx: Tx, batch: UnopenedBatch): Promise<void> {
  const held = await heldPeople(ctx, tx, batch);
  if (held === null) return;
  const isHeld = await isHeldIn(ctx, tx, held, batch);
  if (isHeld)
    throw new ApiError(
      'conflict',
      'The batch has rows about a person under a legal hold: it is kept until the hold is lifted. Others in it can be erased',
    );
  if (isHeld === null)
    throw new ApiError(
      'conflict',
      'It is not known yet whether the batch has rows about a person under a legal hold: try again in a minute',
      {
        headers: { 'Retry-After': '60' },
      },
    );
}

/** The caller has locked the batch, and it is over. */
export async function markBatch(tx: Tx, { id, appId, live }: Deletable, reason: Reason): Promise<void> {
  // Column names and the address for its messages may say something about people too.
  await tx`
    update batches set status = 'deleting', deleted_at = now(), about = null, reference = null, metadata = null, reference_index = null, callback_url = null,
      columns = '{}', mapping = '{}', approval_id = null
    where id = ${id}`;
  // Whatever is left of the batch, in its rows, in files of the database and in backups of its rows, can no longer be opened.
  await tx`delete from data_keys where id = ${id}`;
  await deleteEventsAbout(tx, [showId('bat', id)]);
  await forgetApprovals(tx, [showId('bat', id)]);
  await forgetApprovalsOfRows(tx, { id, appId });
  await tx`update links set revoked_at = now() where batch_id = ${id} and revoked_at is null`;
  await tx`insert into deletions (id, app_id, live, kind, reason) values (${id}, ${appId}, ${live}, 'batch', ${reason}) on conflict do nothing`;
}

/** False if the app has no such single job in this mode. True also for one that was deleted before. */
export async function deleteJob(ctx: Context, { id, appId, live }: Deletable, by: Author): Promise<boolean> {
  return ctx.sql.begin(async (tx) => {
    const [job] = await tx<{ status: string; batchId: string | null; isSingle: boolean; isDeleted: boolean }[]>`
      select status, batch_id, input is not null as is_single, exists (select 1 from deletions d where d.id = jobs.id) as is_deleted
      from jobs where id = ${id} and app_id = ${appId} and live = ${live} for update`;
    if (!job) return false;
    if (job.isDeleted) return true;
    if (job.batchId !== null) {
      throw new ApiError('conflict', `The job is a row of ${showId('bat', job.batchId)} and is deleted with it`);
    }
    // The record of a single call has no input: nobody submitted it as a job.
    if (!job.isSingle) return false;
    if (job.status === 'queued' || job.status === 'leased') {
      throw new ApiError('conflict', 'The job has not ended: wait until it has, then delete it');
    }
    const held = await heldPeople(ctx, tx, { appId, live });
    if (held !== null && (await isHeldJob(ctx, tx, held, id)))
      throw new ApiError('conflict', 'The job is about a person under a legal hold: it is kept until the hold is lifted');
    await tx`
      update jobs set input = null, about = null, reference = null, metadata = null, consent = null, reference_index = null, subject = null, images = null,
        images_until = null, callback_url = null
      where id = ${id}`;
    // A case that has not been announced is not announced any more.
    const cases = await tx<
      { id: string }[]
    >`update reviews set announced_at = coalesce(announced_at, now()) where job_id = ${id} returning id`;
    await deleteEventsAbout(tx, [showId('job', id), ...cases.map((review) => showId('rev', review.id))]);
    await forgetApprovals(tx, [showId('job', id)]);
    await tx`insert into deletions (id, app_id, live, kind, reason) values (${id}, ${appId}, ${live}, 'job', 'requested')`;
    await record(tx, by, { appId, live, action: 'job.delete', object: showId('job', id) });
    return true;
  });
}

/** Null if the app has no such batch in this mode. One that is held already is left as it is. */
export const placeLegalHold = (ctx: Context, batch: Deletable, by: Author): Promise<BatchRow | null> =>
  changeLegalHold(ctx, batch, 'batch.hold', by);

/** Likewise. */
export const liftLegalHold = (ctx: Context, batch: Deletable, by: Author): Promise<BatchRow | null> =>
  changeLegalHold(ctx, batch, 'batch.release', by);

async function changeLegalHold(
  ctx: Context,
  { id, appId, live }: Deletable,
  action: 'batch.hold' | 'batch.release',
  by: Author,
): Promise<BatchRow | null> {
  return ctx.sql.begin(async (tx) => {
    const [batch] = await tx<UnopenedBatch[]>`select * from batches where id = ${id} and app_id = ${appId} and live = ${live} for update`;
    if (!batch) return null;
    if (batch.deletedAt !== null) throw new ApiError('conflict', 'The batch was deleted: there is nothing left to hold');
    const isHeld = action === 'batch.hold';
    if ((batch.legalHoldAt !== null) !== isHeld) {
      await tx`update batches set legal_hold_at = ${isHeld ? tx`now()` : null} where id = ${id}`;
      await record(tx, by, { appId, live, action, object: showId('bat', id) });
    }
    return readBatch(ctx, tx, appId, id);
  });
}
