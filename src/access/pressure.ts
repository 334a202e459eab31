/**
 * Decides how much of its share a loud app may use, from how late the event loop runs. All requests of a process share the loop, so a late loop delays
 * everybody, whoever caused it. The part shrinks by a factor while the loop is late and grows steadily while it is on time. `loudness.ts` says who is loud.
 */
const TICK_MS = 20;
/** A timer that fires later than this is late. A call takes about five turns of the loop, and is delayed by each of them. */
const LATE_MS = 5;
const SHRINK = 0.8;
/** A very late tick counts as this many late ones, so that it cuts the part to a tenth at most. */
const LATE_TICKS_MAX = 10;
/** Growth in a tick: from nothing to the whole share in ten seconds. */
const GROW = TICK_MS / 10_000;
const PART_MIN = 1 / 64;
/** After so many late ticks the process was under heavy load: a single long pause, such as a garbage collection, does not count. */
const HEAVY_TICKS = 50;

export class Pressure {
  /** The part of its share that a loud app may use: 1 while the loop is on time. */
  part = 1;
  /** Late ticks since the share was last whole. */
  private late = 0;

  /** Returns true when heavy load is over: at the tick that makes the share whole again. */
  tick(lateMs: number): boolean {
    const ticks = Math.min(lateMs / LATE_MS, LATE_TICKS_MAX);
    if (ticks >= 1) {
      this.late++;
      this.part = Math.max(PART_MIN, this.part * SHRINK ** ticks);
      return false;
    }
    this.part = Math.min(1, this.part + GROW);
    if (this.part < 1) return false;
    const wasHeavy = this.late >= HEAVY_TICKS;
    this.late = 0;
    return wasHeavy;
  }
}

/** Measures the event loop of this process until the returned function is called. `onCalm`: heavy load is over. */
export function followLoop(pressure: Pressure, onCalm: () => void): () => void {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const isOver = pressure.tick(now - last - TICK_MS);
    last = now;
    if (isOver) onCalm();
  }, TICK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
