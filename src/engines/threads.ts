/** Runs a module of this package on worker threads, from TypeScript sources as well as compiled. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';

interface ThreadOptions {
  /** Maximum. The first thread always runs, unless all may `rest`; the others start when there is work and end after a minute without any. */
  threads: number;
  rest?: boolean;
  /** How many tasks a thread works on at a time. */
  tasksAtOnce?: number;
  /** Passed to every thread: shared memory is shared, the rest is copied. */
  data?: unknown;
  /**
   * Heap for young objects of each thread, in MB; undefined: V8's default. Small where the garbage is mostly large buffers, which live outside the
   * heap.
   */
  youngGenerationMb?: number;
}

/** Time that tasks in progress get to finish on close. */
const CLOSE_MS = 10_000;
const IDLE_MS = 60_000;
/** tsx runs the sources. A thread that tsx did not start (a test's) must be told to load it. */
const FROM_SOURCES = import.meta.url.endsWith('.ts');
const hasTsx = process.execArgv.some((argument) => argument.includes('tsx'));

/** `path`: a module relative to `base` (an `import.meta.url`), without its extension. Its default export is the task. */
export function openThreads<Task, Result>(
  base: string,
  path: string,
  { threads, rest = false, tasksAtOnce = 1, data, youngGenerationMb }: ThreadOptions,
): Piscina<Task, Result> {
  if (!process.listeners('worker').includes(watchLoading)) process.on('worker', watchLoading);
  const pool = new Threads<Task, Result>({
    filename: new URL(`${path}.${FROM_SOURCES ? 'ts' : 'js'}`, base).href,
    workerData: data,
    minThreads: rest ? 0 : 1,
    maxThreads: threads,
    concurrentTasksPerWorker: tasksAtOnce,
    idleTimeout: IDLE_MS,
    closeTimeout: CLOSE_MS,
    ...(youngGenerationMb !== undefined && { resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb } }),
    ...(FROM_SOURCES && !hasTsx && { execArgv: ['--import', 'tsx'] }),
  });
  // A thread that ends while it loads, or while it has nothing to do, belongs to no task: piscina emits its error, and an unheard one would end the process.
  pool.on('error', (error: Error) => {
    process.emitWarning(error);
    // No thread is left to take the waiting tasks. The next task starts another thread.
    if (pool.threads.length === 0 && pool.queueSize > 0) void pool.destroy();
  });
  return pool;
}

/** Threads that have not loaded their module yet, and when each has. */
const loading = new Map<Worker, Promise<void>>();

function watchLoading(worker: Worker): void {
  const loaded = new Promise<void>((resolve) => {
    // Piscina's thread says that it is ready before it says anything else.
    for (const event of ['message', 'error', 'exit']) worker.once(event, () => resolve());
  });
  loading.set(worker, loaded);
  void loaded.then(() => loading.delete(worker));
}

/** Resolves when no thread of this process is loading. Node 20 can abort the process (`importSyncForRequire`) if it ends a thread that is. */
export async function threadsLoaded(): Promise<void> {
  // Node announces a new thread a moment after it was created.
  await nextTurn();
  await Promise.all(loading.values());
}

class Threads<Task, Result> extends Piscina<Task, Result> {
  override async destroy(): Promise<void> {
    await this.loaded();
    await super.destroy();
  }

  override async close(): Promise<void> {
    await this.loaded();
    await super.close();
  }

  private async loaded(): Promise<void> {
    await nextTurn();
    await Promise.all(this.threads.map((thread) => loading.get(thread)));
  }
}
