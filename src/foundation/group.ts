/**
 * Group commit, and the same for reads: callers pass in one item each, and one database round trip serves everybody who came while the previous one was
 * running. A lone caller does not wait; under load the groups grow by themselves.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseFault, isPassingFault } from './database-faults.ts';

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface Group<Item, Result> {
  (item: Item): Promise<Result>;
  /** Resolves when nothing is waiting or running. */
  idle(): Promise<void>;
  /** Items that are waiting or running. */
  size(): number;
}

interface GroupOptions<Item> {
  itemsMax: number;
  flushesMax: number;
  patienceMs?: number;
  rowOf?: (item: Item) => string;
}

/** How long a group is retried while the database is unreachable, unless its owner says otherwise: clients are waiting. */
const PATIENCE_MS = 2_500;
const AGAIN_MS = 20;
const AGAIN_MAX_MS = 500;

/**
 * `flush` returns as many results as it got items, in order. `mayBeDone`: it has been called with these items before, and may have carried them out if the
 * answer was lost with a connection. If the database is at fault, the whole group is retried for `patienceMs`. If it fails for another reason, its halves are
 * tried, down to single items, so that a bad item fails alone. `itemsMax` bounds a group, `flushesMax` how many run at a time. `rowOf`: the row that an item
 * locks; items of one row are never in two groups at a time, because the second group would hold a connection only to wait for the first.
 */
export function group<Item, Result>(
  flush: (items: Item[], mayBeDone: boolean) => Promise<Result[]>,
  { itemsMax, flushesMax, patienceMs = PATIENCE_MS, rowOf }: GroupOptions<Item>,
): Group<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  const locked = new Set<string>();
  let idlers: (() => void)[] = [];
  let running = 0;
  let underWay = 0;
  let scheduled = false;

  async function run(taken: Waiting<Item, Result>[], wasTried = false): Promise<void> {
    let mayBeDone = wasTried;
    try {
      const results = await patiently(() => {
        const answers = flush(
          taken.map((w) => w.item),
          mayBeDone,
        );
        mayBeDone = true;
        return answers;
      }, patienceMs);
      for (const [i, w] of taken.entries()) w.resolve(results[i] as Result);
    } catch (error) {
      if (taken.length === 1 || isDatabaseFault(error)) {
        for (const w of taken) w.reject(error);
        return;
      }
      const half = taken.length >> 1;
      await run(taken.slice(0, half), true);
      await run(taken.slice(half), true);
    }
  }

  /** The next group; empty if everything that waits is locked. */
  function take(): Waiting<Item, Result>[] {
    if (!rowOf) return waiting.splice(0, itemsMax);
    const isFree = ({ item }: Waiting<Item, Result>) => !locked.has(rowOf(item));
    const taken = waiting.filter(isFree).slice(0, itemsMax);
    const among = new Set(taken);
    waiting = waiting.filter((one) => !among.has(one));
    return taken;
  }

  function pump(): void {
    scheduled = false;
    while (waiting.length > 0 && running < flushesMax) {
      const items = take();
      if (items.length === 0) break;
      running++;
      underWay += items.length;
      const rows = rowOf ? new Set(items.map(({ item }) => rowOf(item))) : [];
      for (const row of rows) locked.add(row);
      run(items).finally(() => {
        running--;
        underWay -= items.length;
        for (const row of rows) locked.delete(row);
        pump();
      });
    }
    if (waiting.length === 0 && running === 0) {
      for (const wake of idlers.splice(0)) wake();
    }
  }

  const add = (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!scheduled && running < flushesMax) {
        scheduled = true;
        // After the current tick, so that a loop over a chunk's jobs lands in one group.
        setImmediate(pump);
      }
    });

  return Object.assign(add, {
    idle: () =>
      new Promise<void>((resolve) => {
        idlers = [...idlers, resolve];
        setImmediate(pump);
      }),
    size: () => waiting.length + underWay,
  });
}

async function patiently<T>(attempt: () => Promise<T>, patienceMs: number): Promise<T> {
  const began = performance.now();
  for (let waitMs = AGAIN_MS; ; waitMs = Math.min(2 * waitMs, AGAIN_MAX_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isPassingFault(error) || performance.now() - began + waitMs > patienceMs) throw error;
    }
    await sleep(waitMs);
  }
}
