/**
 * Paces questions to hosts that did not ask for them: a limit on concurrent questions, a minimum interval between their starts, and silence for as
 * long as the host wants. Each key (a mail host, a registry) is paced separately, within this process.
 */
import { LRUCache } from 'lru-cache';

export interface Pace {
  /** Waits for a slot. The caller must call the returned function when done. Null: the slot would come later than `waitMaxMs`, or `signal` fired. */
  turn(key: string, waitMaxMs: number, signal: AbortSignal): Promise<(() => void) | null>;
  /** Grants no slots for this long. */
  hold(key: string, ms: number): void;
}

interface PaceOptions {
  concurrent: number;
  intervalMs: number;
  /** Keys remembered; the least recently used one is forgotten first. */
  keysMax: number;
}

interface Lane {
  active: number;
  /** The `performance.now()` before which no question starts. */
  nextAt: number;
  /** In order of arrival. */
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
