/** Runs a module of this package on worker threads, from TypeScript sources as well as compiled. */
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
  return new Piscina<Task, Result>({
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
}
