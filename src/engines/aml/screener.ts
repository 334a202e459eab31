/**
 * Screening off the event loop: threads that share one index (`engines/aml/match/index.ts`), asked in groups, so that what a message between threads costs
 * is spread over many names. Another index comes with new threads: whoever is being screened ends with the one that he began with.
 */
import { group } from '../../foundation/group.ts';
import { openThreads } from '../threads.ts';
import type { ListIndex } from './match/index.ts';
import type { Match, ScreenOptions, Subject } from './screening.ts';

export interface ScreenRequest {
  subject: Subject;
  options: ScreenOptions;
}

export interface Screener {
  screen(request: ScreenRequest): Promise<Match[]>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/** Of one message: a few milliseconds of a thread. */
const GROUP_MAX = 32;

/** Resolves when it can answer. */
export async function openScreener(index: ListIndex, threads: number): Promise<Screener> {
  const pool = openThreads<ScreenRequest[], Match[][]>(import.meta.url, './screen-thread', { threads, data: index });
  await pool.run([]);
  // One group at work and one waiting for each thread.
  const screen = group<ScreenRequest, Match[]>((requests) => pool.run(requests), { itemsMax: GROUP_MAX, flushesMax: threads * 2 });
  return {
    screen,
    async close() {
      await screen.idle();
      await pool.close();
    },
  };
}
