/**
 * A deadline within a signal that many calls share, such as that of a chunk of jobs. Not `AbortSignal.any`: Node 20 keeps 2 KB of every call for as
 * long as the outer signal lives (measured: 270 MB for 100,000 calls), and garbage-collects a time-out that only the compound signal refers to, so
 * that it never fires. Nor one listener a call: Node warns from the eleventh on.
 */

export interface Deadline {
  signal: AbortSignal;
  /** Aborts the work before the deadline. */
  stop(): void;
  /** Must be called when the work has ended. */
  end(): void;
}

/** Open deadlines by the signal that they share. */
const shared = new WeakMap<AbortSignal, Set<AbortController>>();

export function openDeadline(outer: AbortSignal, timeoutMs: number): Deadline {
  const inner = new AbortController();
  if (outer.aborted) inner.abort();
  const timer = setTimeout(() => inner.abort(), timeoutMs);
  const underWay = shared.get(outer) ?? share(outer);
  underWay.add(inner);
  return {
    signal: inner.signal,
    stop: () => inner.abort(),
    end() {
      clearTimeout(timer);
      underWay.delete(inner);
    },
  };
}

function share(outer: AbortSignal): Set<AbortController> {
  const underWay = new Set<AbortController>();
  shared.set(outer, underWay);
  outer.addEventListener(
    'abort',
    () => {
      for (const inner of underWay) inner.abort();
    },
    { once: true },
  );
  return underWay;
}
