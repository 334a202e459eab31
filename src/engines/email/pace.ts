/**
 * How fast somebody who did not ask for it is asked: so many questions at a time, a least interval between their beginnings, and silence
 * for as long as he wants it. Each key (a mail host, a registry) is paced by itself, within this process.
 */
import { LRUCache } from 'lru-cache';

export interface Pace {
  /** Waits for a turn; whoever got one calls the function when done. Null: it would come later than `waitMaxMs`, or `signal` fired. */
  turn(key: string, waitMaxMs: number, signal: AbortSignal): Promise<(() => void) | null>;
  /** Nobody gets a turn for so long. */
  hold(key: string, ms: number): void;
}

interface PaceOptions {
  concurrent: number;
  intervalMs: number;
  /** Keys that are remembered; the one that was longest unused is forgotten. */
  keysMax: number;
}

interface Lane {
  active: number;
  /** `performance.now()` before which nobody begins. */
  nextAt: number;
  /** In the order in which they came. */
  waiting: Set<Waiter>;
  timer: NodeJS.Timeout | null;
}

type Waiter = (isHis: boolean) => void;

export function openPace({ concurrent, intervalMs, keysMax }: PaceOptions): Pace {
  const lanes = new LRUCache<string, Lane>({ max: keysMax });

  function laneOf(key: string): Lane {
    const lane = lanes.get(key) ?? { active: 0, nextAt: 0, waiting: new Set(), timer: null };
    lanes.set(key, lane);
    return lane;
  }

  function advance(lane: Lane): void {
    if (lane.timer) clearTimeout(lane.timer);
    lane.timer = null;
    while (lane.waiting.size > 0 && lane.active < concurrent) {
      const waitMs = lane.nextAt - performance.now();
      if (waitMs > 0) {
        lane.timer = setTimeout(() => advance(lane), Math.ceil(waitMs));
        return;
      }
      const [first] = lane.waiting;
      lane.active++;
      lane.nextAt = performance.now() + intervalMs;
      first!(true);
    }
  }

  return {
    async turn(key, waitMaxMs, signal) {
      const lane = laneOf(key);
      const aheadMs = lane.nextAt - performance.now() + lane.waiting.size * intervalMs;
      if (aheadMs > waitMaxMs || signal.aborted) return null;
      const isHis = await new Promise<boolean>((resolve) => {
        const settle: Waiter = (value) => {
          lane.waiting.delete(settle);
          clearTimeout(timer);
          signal.removeEventListener('abort', giveUp);
          resolve(value);
        };
        const giveUp = () => settle(false);
        const timer = setTimeout(giveUp, waitMaxMs);
        signal.addEventListener('abort', giveUp);
        lane.waiting.add(settle);
        advance(lane);
      });
      if (!isHis) return null;
      return () => {
        lane.active--;
        advance(lane);
      };
    },
    hold(key, ms) {
      const lane = laneOf(key);
      lane.nextAt = Math.max(lane.nextAt, performance.now() + ms);
    },
  };
}
