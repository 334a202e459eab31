/** What an erasure does in each of its stages, in order: single jobs, records of calls, the rows of batches, whatever it waited for, and what belongs to no job. */
import { keepMarks } from '../batches/row-marks.ts';
import { isBatchOver, type UnopenedBatch } from '../contract/batches.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { dataSubjectsOf } from './data-subjects.ts';
import { type AskedJob, eraseEndedJobs, eraseJobs, waitFor } from './erase-jobs.ts';
import { eraseCached, eraseKeptAnswers, erasePortraits } from './erase-rest.ts';
import { eraseInBatch } from './erase-rows.ts';
import { eraseScreened } from './erase-screened.ts';
import { askedFor, count, type ErasureGroup, type ErasureRow, type Progress, type StepGroup } from './erasure-group.ts';
import { endExportsAbout } from './export.ts';
import { findCalls, findJobs, hashesOf, JOBS, nextBatches, suspectRows } from './find-data-subjects.ts';

/** Does the next part of the work, and notes in each erasure where to continue. */
type Stage = (ctx: Context, tx: Tx, group: StepGroup) => Promise<void>;

const move = (erasures: readonly ErasureRow[], to: Pick<ErasureRow, 'stage' | 'cursor' | 'row'>): void => {
  for (const erasure of erasures) Object.assign(erasure, to);
};
const begin = (erasures: readonly ErasureRow[], stage: ErasureRow['stage']): void => move(erasures, { stage, cursor: null, row: 0 });

/** Whether all are still in one stage. Those that wait for something proceed by themselves. */
export const areTogether = ({ erasures: [first, ...others] }: StepGroup): boolean => others.every(({ stage }) => stage === first!.stage);

/** The place that all of them are at. Data newer than the newest erasure belongs to none of them. */
const placeOf = ({ erasures }: StepGroup): Progress => ({ ...erasures[0]!, id: erasures.at(-1)!.id });

export const stages: Record<ErasureRow['stage'], Stage> = {
  async jobs(ctx, tx, group) {
    const { erasures } = group;
    const { jobs, next } = await findJobs(ctx.cipher, tx, placeOf(group), group.dataSubjects, group.held);
    const over: AskedJob[] = [];
    for (const { id, matches, isOver, isHeld } of jobs) {
      const by = askedFor(group, id, matches);
      if (isHeld) for (const erasure of by) count(erasure, 'jobs', 1, 'kept');
      else if (isOver) over.push({ id, by });
      else waitFor({ id, by });
    }
    await eraseJobs(ctx, tx, group, over, 'jobs');
    if (next === null) begin(erasures, 'calls');
    else move(erasures, { stage: 'jobs', cursor: next, row: 0 });
  },

  async calls(ctx, tx, group) {
    const { erasures, dataSubjects, held } = group;
    const found = await findCalls(tx, placeOf(group), dataSubjects);
    const heldIds = await heldAmong(
      tx,
      found.map(({ id }) => id),
      held,
    );
    const calls = found.map(({ id, matches }) => ({ id, by: askedFor(group, id, matches) }));
    const free = calls.filter(({ id }) => !heldIds.has(id));
    await eraseJobs(ctx, tx, group, free, 'calls');
    for (const { id, by } of calls) if (heldIds.has(id)) for (const erasure of by) count(erasure, 'calls', 1, 'kept');
    if (found.length < JOBS) begin(erasures, 'batches');
    else move(erasures, { stage: 'calls', cursor: found.at(-1)!.id, row: 0 });
  },

  async batches(ctx, tx, group) {
    const { erasures } = group;
    const { cursor, row, ...place } = placeOf(group);
    const { suspects, upTo } = await nextBatches(ctx.cipher, tx, { ...place, cursor, row }, group.dataSubjects);
    for (const suspect of suspects) {
      const { id } = suspect.batch;
      for (let after: number | null = id === cursor ? row : 0; after !== null; ) {
        after = await eraseInBatch(ctx, tx, group, suspect, after);
        move(erasures, { stage: 'batches', cursor: id, row: after ?? 0 });
        if (group.isLong()) return;
      }
    }
    if (upTo === null) for (const erasure of erasures) begin([erasure], isWaiting(erasure) ? 'waiting' : 'rest');
    else move(erasures, { stage: 'batches', cursor: upTo, row: 0 });
  },

  async waiting(ctx, tx, group) {
    for (const [at, erasure] of group.erasures.entries()) {
      await eraseEnded(ctx, tx, { ...group, erasures: [erasure], dataSubjects: dataSubjectsOf(ctx.cipher, group.people[at]!.marks) });
      if (group.isLong()) return;
    }
  },

  async rest(ctx, tx, group) {
    const { cursor } = group.erasures[0]!;
    if (cursor === null) await eraseCached(tx, group);
    const next = await eraseKeptAnswers(ctx, tx, group, cursor);
    if (next !== null) return move(group.erasures, { stage: 'rest', cursor: next, row: 0 });
    for (const { what, by } of await eraseScreened(tx, group)) for (const erasure of by) count(erasure, what, 1, 'kept');
    for (const matches of await endExportsAbout(ctx, tx, group.erasures[0]!, group.dataSubjects))
      count(group.erasures[matches[0]!]!, 'exports', 1);
    if (!group.erasures[0]!.live) await erasePortraits(tx, group);
    begin(group.erasures, 'done');
  },

  async done() {},
};

/** Those of the calls that are about somebody under a legal hold. */
async function heldAmong(tx: Tx, ids: readonly string[], held: StepGroup['held']): Promise<ReadonlySet<string>> {
  if (held === null) return new Set();
  const calls = await tx<{ id: string }[]>`select id from jobs where id = any(${ids}::uuid[]) and subject in ${hashesOf(tx, held)}`;
  return new Set(calls.map(({ id }) => id));
}

const isWaiting = ({ waiting, waitingJobs }: ErasureRow): boolean => waiting.length + waitingJobs.length > 0;

/** Checks whether the work that an erasure waits for has ended, and erases it. */
async function eraseEnded(ctx: Context, tx: Tx, group: ErasureGroup & { erasures: [Progress] }): Promise<void> {
  const [erasure] = group.erasures;
  await eraseEndedJobs(ctx, tx, erasure, group.held);
  await keepMarks(tx);
  for (const id of erasure.waiting) {
    const [batch] = await tx<UnopenedBatch[]>`select * from batches where id = ${id} and deleted_at is null`;
    if (batch && !isBatchOver(batch)) continue;
    const others = erasure.waiting.filter((other) => other !== id);
    erasure.waiting = others;
    const suspect = batch && { batch, rows: await suspectRows(ctx.cipher, tx, batch, group.dataSubjects) };
    const next = suspect ? await eraseInBatch(ctx, tx, group, suspect, erasure.cursor === id ? erasure.row : 0) : null;
    // It was retried in the meantime.
    const isInWork = erasure.waiting.length > others.length;
    if (next !== null && !isInWork) erasure.waiting = [...others, id];
    move([erasure], { stage: 'waiting', cursor: id, row: isInWork ? 0 : (next ?? 0) });
    if (!isInWork) return;
  }
  erasure.waits = isWaiting(erasure);
  if (!erasure.waits) begin([erasure], 'rest');
}
