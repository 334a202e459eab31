/** Counts the outcomes of settled jobs in their batches and holds. What follows from the counts, above all the end of a batch, is in `ending.ts`. */
import type postgres from 'postgres';
import type { UnopenedBatch } from '../contract/batches.ts';
import type { Tx } from '../foundation/context.ts';
import { type Columns, recordset } from '../foundation/recordset.ts';
import { captureOnlyOpen } from '../money/ledger.ts';

/** A job that is no longer leased. */
export interface SettledJob {
  /** Null: a single job, which belongs to no batch. */
  batchId: string | null;
  status: 'completed' | 'failed' | 'queued';
  outcome: 'found' | 'not_found' | null;
  flagged: true | null;
  priceKobo: number;
  billedKobo: number;
}

/** What a group of settled jobs adds to a batch. */
export interface BatchDelta {
  id: string;
  leased: number;
  leasedKobo: number;
  found: number;
  notFound: number;
  flagged: number;
  failed: number;
  queued: number;
  billedKobo: number;
}

/** By the batch's id. */
export type BatchDeltas = ReadonlyMap<string, BatchDelta>;

export function deltasOf(settled: readonly SettledJob[]): BatchDeltas {
  const deltas = new Map<string, BatchDelta>();
  for (const job of settled) {
    if (job.batchId === null) continue;
    let delta = deltas.get(job.batchId);
    if (!delta) {
      delta = { id: job.batchId, leased: 0, leasedKobo: 0, found: 0, notFound: 0, flagged: 0, failed: 0, queued: 0, billedKobo: 0 };
      deltas.set(job.batchId, delta);
    }
    delta.leased++;
    delta.leasedKobo += job.priceKobo;
    delta.billedKobo += job.billedKobo;
    if (job.flagged) delta.flagged++;
    if (job.status === 'queued') delta.queued++;
    else if (job.status === 'failed') delta.failed++;
    else if (job.outcome === 'found') delta.found++;
    else delta.notFound++;
  }
  return deltas;
}

export const capturesOf = (deltas: BatchDeltas) =>
  [...deltas.values()].flatMap(({ id, billedKobo }) => (billedKobo > 0 ? [{ id, amountKobo: billedKobo }] : []));

/** Returns the batches as they are then, their rows locked. */
export const countOutcomes = (tx: Tx, deltas: BatchDeltas) => tx<UnopenedBatch[]>`
  with input as ${recordset(tx, [...deltas.values()], deltaColumns)}, ${counting(tx)} select * from counted`;

/** Parts of a WITH that add `input` to the batches; `counted` has them as they are then. */
const counting = (tx: Tx) => tx`
  locked as (select b.id from batches b join input using (id) order by b.id for update of b),
  counted as (
    update batches b set leased = b.leased - i.leased, leased_kobo = b.leased_kobo - i.leased_kobo, found = b.found + i.found,
      not_found = b.not_found + i.not_found, flagged = b.flagged + i.flagged, completed = b.completed + i.found + i.not_found, failed = b.failed + i.failed, queued = b.queued + i.queued,
      billed_kobo = b.billed_kobo + i.billed
    from input i join locked using (id) where b.id = i.id
    returning b.*)`;

const deltaColumns: Columns<BatchDelta> = {
  id: ['uuid', (d) => d.id],
  leased: ['int', (d) => d.leased],
  leased_kobo: ['bigint', (d) => d.leasedKobo],
  found: ['int', (d) => d.found],
  not_found: ['int', (d) => d.notFound],
  flagged: ['int', (d) => d.flagged],
  failed: ['int', (d) => d.failed],
  queued: ['int', (d) => d.queued],
  billed: ['bigint', (d) => d.billedKobo],
};

/** A batch's progress, read without its lock. */
interface Progress {
  id: string;
  isStopping: boolean;
  jobs: number;
  /** Completed and failed. */
  done: number;
  /** Queued and leased. */
  left: number;
  maxFailurePercent: number | null;
  /** Each finished tenth is announced. */
  isWatched: boolean;
}

export const readProgress = (tx: Tx, ids: readonly string[]) => tx<Progress[]>`
  select b.id, b.status = 'canceling' as "isStopping", b.jobs, b.completed + b.failed as done, b.queued + b.leased as left, b.max_failure_percent,
    exists (
      select 1 from webhook_endpoints e
      where e.app_id = b.app_id and e.live = b.live and e.deleted_at is null and 'batch.progress' = any(e.events)) as "isWatched"
  from batches b where b.id = any(${[...ids]}::uuid[])`;

/** How many groups of this size others may settle in the meantime. `countInBatches` counts a batch that is nearer to its end or to a tenth. */
const MEANWHILE = 4;

/**
 * What `countInBatches` does, as statements whose answers are not needed, for batches that will not end, be stopped or pass a tenth that is announced. Null if one
 * of them might. `progress` is a moment old, so the statements fail (`isTurn`) if that happens anyway, or if a hold is closed; then `countInBatches` has to do it.
 */
export function countOnTheWay(tx: Tx, deltas: BatchDeltas, progress: readonly Progress[]): postgres.PendingQuery<postgres.Row[]>[] | null {
  const bounded: Bounded[] = [];
  for (const batch of progress) {
    const delta = deltas.get(batch.id);
    if (!delta) continue;
    const bounds = boundsOf(batch);
    const soon = delta.leased * (1 + MEANWHILE);
    if (batch.left <= soon || batch.done + soon >= bounds.doneBelow) return null;
    bounded.push({ ...delta, ...bounds });
  }
  if (bounded.length < deltas.size) return null;
  const captures = capturesOf(deltas);
  const counted = tx`
    with input as ${recordset(tx, bounded, boundedColumns)}, ${counting(tx)}
    select refuse_turn(bool_or(b.queued + b.leased = 0 or b.completed + b.failed >= i.done_below or b.failed > i.failed_max))
    from counted b join input i using (id)`;
  return captures.length === 0 ? [counted] : [counted, captureOnlyOpen(tx, captures)];
}

/** Whether the statements of `countOnTheWay` failed because a batch ends, is stopped or passes an announced tenth after all. */
export const isTurn = (error: unknown): boolean => (error as { code?: unknown }).code === 'CF001';

interface Bounded extends BatchDelta {
  /** The number of finished jobs at which the next tenth is announced. */
  doneBelow: number;
  /** More failed jobs than this stop the batch. */
  failedMax: number;
}

const boundedColumns: Columns<Bounded> = {
  ...deltaColumns,
  done_below: ['int', (b) => b.doneBelow],
  failed_max: ['int', (b) => b.failedMax],
};

function boundsOf({ isStopping, jobs, done, maxFailurePercent, isWatched }: Progress): Pick<Bounded, 'doneBelow' | 'failedMax'> {
  const nextTenth = Math.floor((done * 10) / jobs) + 1;
  return {
    doneBelow: isWatched ? Math.ceil((nextTenth * jobs) / 10) : jobs,
    failedMax: maxFailurePercent === null || isStopping ? jobs : Math.floor((maxFailurePercent * jobs) / 100),
  };
}
