/**
 * How late the event loop is, and so how much of its share a loud app may use. All requests of a process share the loop: while it is late, everybody waits,
 * whoever caused that. The part shrinks by a factor while the loop is late and grows steadily while it is not. Who is loud: `loudness.ts`.
 */
const TICK_MS = 20;
/** A timer that fires this much after its time is late. Collecting garbage takes less. */
const LATE_MS = 20;
const SHRINK = 0.8;
/** However late one tick was, it counts as this many late ones at most: the part falls to a tenth. */
const LATE_TICKS_MAX = 10;
/** Growth in a tick: from nothing to the whole share in ten seconds. */
const GROW = TICK_MS / 10_000;
const PART_MIN = 1 / 64;

export class Pressure {
  /** Of its share, what a loud app may use: 1 while the loop is on time. */
  part = 1;

  tick(lateMs: number): void {
    const ticks = Math.min(lateMs / LATE_MS, LATE_TICKS_MAX);
    this.part = ticks >= 1 ? Math.max(PART_MIN, this.part * SHRINK ** ticks) : Math.min(1, this.part + GROW);
  }
}

/** Follows the event loop of this process until it is closed. */
export function followLoop(pressure: Pressure): () => void {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    pressure.tick(now - last - TICK_MS);
    last = now;
  }, TICK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
