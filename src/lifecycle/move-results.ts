/**
 * Moves results that earlier releases stored one by one into blocks (docs/decisions/0026-results-in-blocks.md). A batch remembers how far it was moved
 * (`unmoved_after`), and each step is one transaction with its place in it: after a kill the next sweep continues. A reader gets a job and its result from one
 * statement, so it sees both before the move or both after it. Once all batches are moved, a sweep costs one look at an empty index.
 */
import { listed } from '../batches/states.ts';
import { ENDED, isBatchOver, type UnopenedBatch } from '../contract/batches.ts';
import type { Context, Tx } from '../foundation/context.ts';
import type { Opener, Sealer } from '../foundation/crypto.ts';
import { NIL_ID, showId } from '../foundation/ids.ts';
import { recordset } from '../foundation/recordset.ts';
import { openEntity } from '../jobs/entities.ts';
import { everyProcessReadsBlocks } from '../jobs/release.ts';
import { BLOCK_JOBS } from '../jobs/result-blocks.ts';
import { sealResults } from '../pipeline/sealed-results.ts';
import { commitLater, inSteps } from './pace.ts';
import { type Freed, giveBack } from './purge.ts';

/** A larger ciphertext contains an image, or is better stored alone. Bounds a step to 32 MB. */
const MOVED_BYTES_MAX = 64 * 1024;

type Moving = Pick<UnopenedBatch, 'id' | 'appId' | 'live' | 'checks' | 'rows'>;

/** Sweeps until nothing is left, or `stop`. A batch that fails is tried again by the next process. */
export function openResultMover(ctx: Context): (stop: AbortSignal) => Promise<void> {
  const readsBlocks = everyProcessReadsBlocks(ctx);
  const failed = new Set<string>();
  return async (stop) => {
    for (let after = NIL_ID; !stop.aborted && (await readsBlocks()); ) {
      const [batch] = await ctx.sql<Moving[]>`
        select id, app_id, live, checks, rows from batches b
        where unmoved_after is not null and deleted_at is null and id > ${after} and status in ${ctx.sql.unsafe(listed(ENDED))}
          and not exists (select 1 from apps a where a.id = b.app_id and a.deleted_at is not null)
        order by id limit 1`;
      if (!batch) return;
      after = batch.id;
      if (failed.has(batch.id)) continue;
      await moveBatch(ctx, batch, stop).catch((error: unknown) => {
        failed.add(batch.id);
        ctx.log.error({ batch: showId('bat', batch.id), err: error }, 'results not moved into blocks: they stay readable as they are');
      });
    }
  };
}

async function moveBatch(ctx: Context, batch: Moving, stop: AbortSignal): Promise<void> {
  // Before any transaction: the key service may be asked.
  const sealer = await ctx.cipher.sealer({ appId: batch.appId, batchId: batch.id });
  await inSteps(stop, (jobs) => ctx.sql.begin((tx) => moveRows(ctx, tx, batch, sealer, jobs)));
}

/** One step: the next rows with about so many jobs. False if the batch is done, or another process has locked it. */
async function moveRows({ cipher }: Context, tx: Tx, batch: Moving, sealer: Sealer, jobs: number): Promise<boolean> {
  await commitLater(tx);
  const [at] = await tx<{ row: number }[]>`select unmoved_after as row from batches where id = ${batch.id} and unmoved_after is not null`;
  if (!at) return false;
  const to = Math.min(batch.rows, at.row + BLOCK_JOBS * Math.max(1, Math.round(jobs / BLOCK_JOBS / batch.checks.length)));
  const found = await lockApart(tx, batch, at.row, to);
  // Jobs before their batch, as everywhere.
  const [now] = await tx<Pick<UnopenedBatch, 'status' | 'deletedAt'>[]>`
    select status, deleted_at from batches where id = ${batch.id} and unmoved_after = ${at.row} for no key update skip locked`;
  if (!now || now.deletedAt !== null || !isBatchOver(now)) return false;
  const opener = await cipher.opener(found.map(({ entity }) => entity));
  const moved = found.length === 0 ? [] : await move(tx, batch, found, opener, sealer);
  const isWhole = !(await hasLocked(tx, batch, at.row, to, found));
  const isDone = isWhole && to === batch.rows;
  if (isWhole) await tx`update batches set unmoved_after = ${isDone ? null : to} where id = ${batch.id}`;
  // Last: all settling for an app shares these rows.
  await giveBack(tx, moved);
  return isWhole && !isDone;
}

interface Apart {
  id: string;
  checkId: string;
  /** When it was stored: the day (UTC) on which its bytes were counted, and the time. */
  day: string;
  at: string;
  entity: Buffer;
}

/** The jobs of the rows after `after` up to `to` with a result outside of blocks and no image apart. */
const apart = (tx: Tx, { id }: Moving, after: number, to: number) => tx`
  from jobs j join results r on r.job_id = j.id
  where j.batch_id = ${id} and j.row_number > ${after} and j.row_number <= ${to} and j.result_block is null and r.entity_images is null
    and octet_length(r.entity) <= ${MOVED_BYTES_MAX}`;

/** Whoever erases, deletes or retries these jobs locks them too, so that a result is moved before that or not at all. */
const lockApart = (tx: Tx, batch: Moving, after: number, to: number) => tx<Apart[]>`
  select j.id, j.check_id, (j.completed_at at time zone 'utc')::date::text as day, j.completed_at::text as at, r.entity
  ${apart(tx, batch, after, to)} and j.completed_at is not null order by j.id for update of j skip locked`;

/** Whether a job of these rows was left out because another transaction has it locked. */
async function hasLocked(tx: Tx, batch: Moving, after: number, to: number, found: readonly Apart[]): Promise<boolean> {
  const left = await tx`
    select 1 ${apart(tx, batch, after, to)} and j.completed_at is not null and j.id <> all(${found.map(({ id }) => id)}::uuid[]) limit 1`;
  return left.length > 0;
}

/** Returns what this frees. Entities with a large image stay where they are, and so does one that would be alone in its block. */
async function move(tx: Tx, batch: Moving, found: readonly Apart[], opener: Opener, sealer: Sealer): Promise<Freed[]> {
  const { id: batchId, appId, live } = batch;
  const slots: { id: string; block: string; slot: number }[] = [];
  const blocks: { id: string; checkId: string; day: string; at: string; sealed: Buffer }[] = [];
  // Bytes are counted by day, and a block is counted on one.
  for (const day of new Set(found.map((one) => one.day))) {
    const some = found.filter((one) => one.day === day);
    const entities = some.map(({ id, checkId, entity }) => {
      const opened = openEntity(opener, { entity, entityImages: null, entityOf: id });
      return { jobId: id, appId, batchId, checkId, entity: opened! };
    });
    const made = sealResults(() => sealer, entities, { inBlocks: true });
    for (const { id, checkId, sealed, jobIds } of made.blocks) {
      blocks.push({ id, checkId, day, at: some[0]!.at, sealed });
      slots.push(...jobIds.map((jobId, slot) => ({ id: jobId, block: id, slot })));
    }
  }
  if (slots.length === 0) return [];
  await tx`
    insert into result_blocks (batch_id, id, check_id, created_at, sealed)
    select ${batchId}, id, check_id, at::timestamptz, sealed
    from ${recordset(tx, blocks, { id: ['uuid', (b) => b.id], check_id: ['text', (b) => b.checkId], at: ['text', (b) => b.at], sealed: ['bytea', (b) => b.sealed] })} b`;
  const pointed = await tx`
    update jobs j set result_block = s.block, result_slot = s.slot
    from ${recordset(tx, slots, { id: ['uuid', (s) => s.id], block: ['uuid', (s) => s.block], slot: ['int', (s) => s.slot] })} s
    where j.id = s.id and j.batch_id = ${batchId} and j.result_block is null`;
  const gone = await tx<{ id: string; bytes: number }[]>`
    delete from results where job_id = any(${slots.map(({ id }) => id)}::uuid[]) returning job_id as id, octet_length(entity) as bytes`;
  // The jobs are locked, so this is a bug; nothing is written.
  if (pointed.count !== slots.length || gone.length !== slots.length) throw new Error('results changed while they were moved');
  const stored = new Map(found.map((one) => [one.id, one]));
  const counted = { appId, live, source: 'batch' };
  return [
    ...gone.map(({ id, bytes }) => ({ ...counted, checkId: stored.get(id)!.checkId, day: stored.get(id)!.day, bytes })),
    ...blocks.map(({ checkId, day, sealed }) => ({ ...counted, checkId, day, bytes: -sealed.length })),
  ];
}
