/** Threads of this package: how a file of ours is run by one, from the sources as well as compiled. */
import { Piscina } from 'piscina';

interface ThreadOptions {
  /** At most; all but the first are begun when there is work for them, and end when there was none for a minute. */
  threads: number;
  /** Shared with every thread; copied but for shared memory. */
  data?: unknown;
  /** Of each thread's heap; undefined: V8's own measure. Small where what is thrown away are large buffers, which lie outside of the heap. */
  youngGenerationMb?: number;
}

/** What is under way when they are closed may take so long. */
const CLOSE_MS = 10_000;
const IDLE_MS = 60_000;
/** The sources run by tsx, which a thread that is not started by it (a test's) has to be told. */
const FROM_SOURCES = import.meta.url.endsWith('.ts');
const hasTsx = process.execArgv.some((argument) => argument.includes('tsx'));

/** `path`: of a module beside `base` (an `import.meta.url`), without its ending; its default export is the task. */
export function openThreads<Task, Result>(
  base: string,
  path: string,
  { threads, data, youngGenerationMb }: ThreadOptions,
): Piscina<Task, Result> {
  return new Piscina<Task, Result>({
    filename: new URL(`${path}.${FROM_SOURCES ? 'ts' : 'js'}`, base).href,
    workerData: data,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: IDLE_MS,
    closeTimeout: CLOSE_MS,
    ...(youngGenerationMb !== undefined && { resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb } }),
    ...(FROM_SOURCES && !hasTsx && { execArgv: ['--import', 'tsx'] }),
  });
}
