/**
 * Group commit and its twin for reads: callers hand in one item each, and one database round trip serves everybody who came while the
 * previous one was under way. A lone caller waits for nothing; under load the groups grow by themselves.
 */

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface Group<Item, Result> {
  (item: Item): Promise<Result>;
  /** Resolves when nothing is waiting or under way. */
  idle(): Promise<void>;
}

/**
 * `flush` answers as many results as it got items, in their order. When a group fails, its halves are tried again, down to single items: a
 * poison item fails alone, and after a lost connection most go through in few groups. `itemsMax` bounds a group, `flushesMax` how many run at a time.
 */
export function group<Item, Result>(
  flush: (items: Item[]) => Promise<Result[]>,
  { itemsMax, flushesMax }: { itemsMax: number; flushesMax: number },
): Group<Item, Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let idlers: (() => void)[] = [];
  let running = 0;
  let scheduled = false;

  async function run(taken: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await flush(taken.map((w) => w.item));
      for (const [i, w] of taken.entries()) w.resolve(results[i] as Result);
    } catch (error) {
      if (taken.length === 1) {
        taken[0]!.reject(error);
        return;
      }
      const half = taken.length >> 1;
      await run(taken.slice(0, half));
      await run(taken.slice(half));
    }
  }

  function pump(): void {
    scheduled = false;
    while (waiting.length > 0 && running < flushesMax) {
      running++;
      run(waiting.splice(0, itemsMax)).finally(() => {
        running--;
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
        // After the current turn, so that a loop over a chunk's jobs lands in one group.
        setImmediate(pump);
      }
    });

  return Object.assign(add, {
    idle: () =>
      new Promise<void>((resolve) => {
        idlers = [...idlers, resolve];
        setImmediate(pump);
      }),
  });
}
