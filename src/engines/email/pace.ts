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

interface Queue {
  active: number;
  /** The `performance.now()` before which no question starts. */
  nextAt: number;
  /** In order of arrival. */
  waiting: Set<Waiter>;
  timer: NodeJS.Timeout | null;
}

type Waiter = (hasTurn: boolean) => void;

export function openPace({ concurrent, intervalMs, keysMax }: PaceOptions): Pace {
  const queues = new LRUCache<string, Queue>({ max: keysMax });

  function queueOf(key: string): Queue {
    const queue = queues.get(key) ?? { active: 0, nextAt: 0, waiting: new Set(), timer: null };
    queues.set(key, queue);
    return queue;
  }

  function advance(queue: Queue): void {
    if (queue.timer) clearTimeout(queue.timer);
    queue.timer = null;
    while (queue.waiting.size > 0 && queue.active < concurrent) {
      const waitMs = queue.nextAt - performance.now();
      if (waitMs > 0) {
        queue.timer = setTimeout(() => advance(queue), Math.ceil(waitMs));
        return;
      }
      const [first] = queue.waiting;
      queue.active++;
      queue.nextAt = performance.now() + intervalMs;
      first!(true);
    }
  }

  return {
    async turn(key, waitMaxMs, signal) {
      const queue = queueOf(key);
      const aheadMs = queue.nextAt - performance.now() + queue.waiting.size * intervalMs;
      if (aheadMs > waitMaxMs || signal.aborted) return null;
      const hasTurn = await new Promise<boolean>((resolve) => {
        const finish: Waiter = (value) => {
          queue.waiting.delete(finish);
          clearTimeout(timer);
          signal.removeEventListener('abort', giveUp);
          resolve(value);
        };
        const giveUp = () => finish(false);
        const timer = setTimeout(giveUp, waitMaxMs);
        signal.addEventListener('abort', giveUp);
        queue.waiting.add(finish);
        advance(queue);
      });
      if (!hasTurn) return null;
      return () => {
        queue.active--;
        advance(queue);
      };
    },
    hold(key, ms) {
      const queue = queueOf(key);
      queue.nextAt = Math.max(queue.nextAt, performance.now() + ms);
    },
  };
}
