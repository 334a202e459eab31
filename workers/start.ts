/**
 * `confam start`: everything on one machine in two processes: API and dispatcher here, the pools beside them. Loading takes most of a start, so this module loads
 * little: it forks the other process before it loads what this one runs (`household.ts`), and two cores load at once.
 */
import { readConfig } from '../src/foundation/config.ts';
import { startCompanion } from './companion.ts';
import { untilSignal } from './signals.ts';

export async function start(): Promise<void> {
  const began = performance.now();
  const config = readConfig(process.env);
  // From here on a signal no longer ends the process by itself, which would leave Postgres behind.
  const signaled = untilSignal();
  const companion = startCompanion();
  try {
    const { runHousehold } = await import('./household.ts');
    await runHousehold(config, { began, signaled, companion });
  } catch (error) {
    await companion.close(0);
    throw error;
  }
}
