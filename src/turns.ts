/**
 * Long work (an upload, a file of results) runs in the process that answers single calls, and gives way to them: after a few milliseconds
 * it lets the event loop turn, and while calls are under way it waits for their end, for a bounded time. A call takes several turns of the
 * loop; with nothing but turns between them, each would cost it a slice of the long work.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface Turns {
  /** Counts as a call while it runs. */
  call<T>(work: () => Promise<T>): Promise<T>;
  /** For one piece of long work, which asks often whether it is time to wait. */
  long(): () => Promise<void> | undefined;
}

const WORK_MS = 4;
/** At most so long after each slice: under any load of calls the long work keeps a third of its speed. */
const GIVE_WAY_MS = 8;

export function openTurns(): Turns {
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
