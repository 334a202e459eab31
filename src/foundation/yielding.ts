/**
 * Yields long work (an upload, a file of results) to single calls in the same process. Every few milliseconds the work lets the event loop run, and while
 * calls are in progress it waits for them to end, for a bounded time. A call takes several ticks of the loop; if the work merely let one tick pass, each
 * would cost the call a slice of it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface Yielding {
  /** Counts as a call while it runs. */
  call<T>(work: () => Promise<T>): Promise<T>;
  /** For one piece of long work, which calls the function often: a returned promise means it must wait. */
  long(): () => Promise<void> | undefined;
}

const WORK_MS = 4;
/** The longest wait after each slice: under any load of calls, long work keeps a third of its speed. */
const GIVE_WAY_MS = 8;

export function openYielding(): Yielding {
  let calls = 0;
  let waiting: (() => void)[] = [];

  function untilNoCall(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, GIVE_WAY_MS);
      waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  return {
    async call(work) {
      calls++;
      try {
        return await work();
      } finally {
        if (--calls === 0) {
          for (const go of waiting) go();
          waiting = [];
        }
      }
    },
    long() {
      let began = performance.now();
      return () => {
        if (performance.now() - began < WORK_MS) return undefined;
        return nextTurn()
          .then(() => (calls > 0 ? untilNoCall() : undefined))
          .then(() => {
            began = performance.now();
          });
      };
    },
  };
}
