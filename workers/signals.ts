/** When an operator wants a process to end. */

/** The first SIGTERM or SIGINT; the second one ends the process at once. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let count = 0;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => (++count === 1 ? resolve() : process.exit(130)));
  });
}
