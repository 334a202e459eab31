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
/** The longest wait after a slice: under any load of calls, long work keeps a third of its speed. */
const GIVE_WAY_MS = 8;

export function openYielding(): Yielding {
  let calls = 0;
  let waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  /** When the latest slice of any long work ended, or began. */
  let workedAt = 0;

  /** However much long work there is, one piece of it runs at a time: ten uploads cost a call no more time than one. */
  function letOneGo(): void {
    const early = workedAt + GIVE_WAY_MS - performance.now();
    if (early > 0) {
      timer = setTimeout(letOneGo, early);
      return;
    }
    workedAt = performance.now();
    waiting.shift()?.();
    timer = waiting.length > 0 ? setTimeout(letOneGo, WORK_MS + GIVE_WAY_MS) : undefined;
  }

  function untilNoCall(): Promise<void> {
    return new Promise((resolve) => {
      waiting.push(resolve);
      timer ??= setTimeout(letOneGo, GIVE_WAY_MS);
    });
  }

  return {
    async call(work) {
      calls++;
      try {
        return await work();
      } finally {
        if (--calls === 0) {
          clearTimeout(timer);
          timer = undefined;
          for (const go of waiting) go();
          waiting = [];
        }
      }
    },
    long() {
      let began = performance.now();
      return () => {
        const now = performance.now();
        if (now - began < WORK_MS) return undefined;
        workedAt = now;
        return nextTurn()
          .then(() => (calls > 0 ? untilNoCall() : undefined))
          .then(() => {
            began = performance.now();
          });
      };
    },
  };
}
