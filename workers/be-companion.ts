/** A process beside the API of `confam start`: the child half of `companion.ts`. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import type { Config } from '../src/foundation/config.ts';
import type { ToChild, ToParent } from './companion.ts';
import { type Roles, runRoles } from './main.ts';

/** Below the API's: when processors are scarce, single calls go first (their median beside a running batch fell from 16 to 12 ms). */
const PRIORITY = constants.priority.PRIORITY_BELOW_NORMAL;

/** Waits for its database, then works until it is told to drain or its parent is gone. */
export async function beCompanion(config: Config, roles: Roles): Promise<void> {
  giveWay();
  // The terminal's Ctrl-C reaches the whole group; the parent decides when to drain.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  const message = (kind: ToChild['kind']): Promise<ToChild> =>
    new Promise((resolve) => {
      const hear = (message: ToChild) => {
        if (message.kind !== kind) return;
        process.off('message', hear);
        resolve(message);
      };
      process.on('message', hear);
    });
  const over = Promise.race([message('drain'), once(process, 'disconnect')]);
  const first = await Promise.race([message('run'), over.then(() => null)]);
  if (first?.kind !== 'run') return;
  // The parent answers for all processes on the operations port.
  const running = await runRoles({ ...config, CONFAM_OPERATIONS_PORT: undefined }, first.databaseUrl, roles);
  const say = (message: ToParent) => process.connected && process.send!(message, () => {});
  process.on('message', async (message: ToChild) => {
    if (message.kind === 'metrics') say({ kind: 'metrics', metrics: await running.metrics() });
  });
  say({ kind: 'running' });
  await over;
  await running.drain();
}

/**
 * Linux keeps a priority for each thread, and sets only the caller's. V8 and the thread pool have started their threads by now; garbage-collection threads
 * would fill the processors before a call. Threads that start later inherit.
 */
function giveWay(): void {
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid];
  for (const thread of threads) {
    try {
      setPriority(thread, PRIORITY);
    } catch (error) {
      // A thread that has just ended.
      if ((error as { info?: { code?: string } }).info?.code !== 'ESRCH') throw error;
    }
  }
}
