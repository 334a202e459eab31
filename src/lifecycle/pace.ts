/**
 * Long deletions in steps that calls do not notice. A step's size follows how long the last one took: where the database is busy, or its disk slow, steps become
 * small and the rests between them long.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tx } from '../foundation/context.ts';

/** Target duration of a step: about as long as a call that writes. */
const STEP_MS = 10;
/** Rows of a step. */
const FIRST = 250;
/** Below this a step's statements take longer than its rows. */
const LEAST = 100;
export const MOST = 500;
/** Growth from one step to the next. A step that took too long shrinks the next one at once. */
const GROWTH = 1.25;
/** Rests, as a multiple of what the step took. */
const REST = 4;

/**
 * Commits without waiting for the disk, for a transaction that would be repeated if the machine lost power right after it. Those who wait for a commit of
 * their own then wait for one write less. What a later transaction says about it reaches the disk only together with it.
 */
export const commitLater = (tx: Tx) => tx`set local synchronous_commit = off`;

/** Repeats `step` until it returns false, or `stop`. `rows`: how many it should delete. */
export async function inSteps(stop: AbortSignal, step: (rows: number) => Promise<boolean>): Promise<void> {
  let rows = FIRST;
  while (!stop.aborted) {
    const began = performance.now();
    if (!(await step(rows))) return;
    const took = performance.now() - began;
    rows = Math.round(Math.min(MOST, Math.max(LEAST, Math.min(rows * GROWTH, (rows * STEP_MS) / took))));
    await sleep(took * REST);
  }
}
