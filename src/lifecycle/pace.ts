/**
 * Long deletions in steps that calls do not notice. A step's size follows how long the last one took: where the database is busy, or its disk slow, steps become
 * small and the rests between them long.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** What a step shall take: about as long as a call that writes. */
const STEP_MS = 10;
/** Rows of a step. */
const FIRST = 100;
const LEAST = 25;
export const MOST = 1_000;
/** Growth from one step to the next. A step that took too long shrinks the next one at once. */
const GROWTH = 1.25;
/** Rests, as a multiple of what the step took. */
const REST = 1;

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
