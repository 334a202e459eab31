/**
 * `confam start`: everything on one machine in three processes: the API here, the pools and the dispatcher beside it. Loading takes most of a start, so this
 * module loads little: it forks the pools before it loads what this process runs (`parent.ts`), and two cores load at once.
 */
import { readConfig } from '../src/foundation/config.ts';
import { startCompanion } from './companion.ts';
import { untilSignal } from './signals.ts';

export async function start(): Promise<void> {
  const began = performance.now();
  const config = readConfig(process.env);
  // From here on a signal no longer ends the process by itself, which would leave Postgres behind.
  const signaled = untilSignal();
  const pools = startCompanion('pools');
  try {
    const { runParent } = await import('./parent.ts');
    await runParent(config, { began, signaled, pools });
  } catch (error) {
    await pools.close(0);
    throw error;
  }
}
