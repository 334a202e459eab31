/**
 * Screening off the event loop, on threads that share one index (`engines/aml/match/index.ts`). Requests are sent in groups, which spreads the cost
 * of a message between threads over many names. A new index comes with new threads; screenings in progress finish on the old ones.
 */
import { group } from '../../foundation/group.ts';
import { openThreads } from '../threads.ts';
import type { ScreeningIndex } from './match/index.ts';
import type { Match, ScreenOptions, Subject } from './screening.ts';

export interface ScreenRequest {
  subject: Subject;
  options: ScreenOptions;
}

export interface Screener {
  screen(request: ScreenRequest): Promise<Match[]>;
  /** Finishes screenings in progress, then ends the threads. */
  close(): Promise<void>;
}

/** Requests in one message: a few milliseconds of a thread's time. */
const GROUP_MAX = 32;

/** Resolves when the first thread is ready. */
export async function openScreener(index: ScreeningIndex, threads: number): Promise<Screener> {
  const pool = openThreads<ScreenRequest[], Match[][]>(import.meta.url, './screen-thread', { threads, data: index });
  await pool.run([]);
  // For each thread, one group in progress and one waiting.
  const screen = group<ScreenRequest, Match[]>((requests) => pool.run(requests), { itemsMax: GROUP_MAX, flushesMax: threads * 2 });
  return {
    screen,
    async close() {
      await screen.idle();
      await pool.close();
    },
  };
}
