/** When an operator wants a process to end. */

const LOOK_MS = 500;

/** The first SIGTERM or SIGINT, or the end of the npm that runs this process; the second signal ends the process at once. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let count = 0;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => (++count === 1 ? resolve() : process.exit(130)));
    void untilNpmEnds().then(resolve);
  });
}

/**
 * SIGTERM to npm ends npm and the shell between them, but never reaches this process, which would then run on with nobody to stop it. Never resolves if npm did
 * not start this process, nor on Windows, where a process keeps the id of a parent that has ended.
 */
function untilNpmEnds(): Promise<void> {
  return new Promise((resolve) => {
    if (process.env.npm_lifecycle_event === undefined) return;
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      resolve();
    }, LOOK_MS);
    timer.unref();
  });
}
