/**
 * Yields long work (an upload, a file of results) to single calls in the same process. Every few milliseconds the work lets the event loop run, and while
 * calls are in progress it waits for them to end, for a bounded time. A call takes several ticks of the loop; if the work merely let one tick pass, each
 * would cost the call a slice of it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openPlaces } from './places.ts';

export interface Yielding {
  /** Counts as a call while it runs. */
  call<T>(work: () => Promise<T>): Promise<T>;
  /** Reads a page for a download: only a few at a time, so that calls find a free connection, and one app cannot take all of them. */
  page<T>(appId: string, read: () => Promise<T>): Promise<T>;
  /** For one piece of long work, which calls the function often: a returned promise means it must wait. */
  long(): () => Promise<void> | undefined;
}

/** A page takes up to three of the twelve connections of a process. */
const PAGES_AT_ONCE = 3;
const PAGES_OF_AN_APP = 2;
const WORK_MS = 4;
/** The longest wait after each slice: under any load of calls, long work keeps a third of its speed. */
const GIVE_WAY_MS = 8;

export function openYielding(): Yielding {
  let calls = 0;
  let waiting: (() => void)[] = [];
  const pages = openPlaces({ all: PAGES_AT_ONCE, each: PAGES_OF_AN_APP, what: 'pages', retrySeconds: 1 });

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
    async page(appId, read) {
      const leave = await pages.take(appId, null);
      try {
        return await read();
      } finally {
        leave();
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
