import { describe, expect, it, vi } from 'vitest';
import { group } from '../../src/foundation/group.ts';

const gate = () => {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
};

describe('group', () => {
  it('serves concurrent callers with one flush, each with its own result', async () => {
    const flushes: number[][] = [];
    const double = group<number, number>(
      async (items) => {
        flushes.push(items);
        return items.map((n) => n * 2);
      },
      { itemsMax: 100, flushesMax: 1 },
    );
    expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
    expect(flushes).toEqual([[1, 2, 3]]);
  });

  it('gathers callers during a flush, within the bound', async () => {
    const first = gate();
    const flushes: number[][] = [];
    const add = group<number, number>(
      async (items) => {
        flushes.push(items);
        if (flushes.length === 1) await first.opened;
        return items;
      },
      { itemsMax: 2, flushesMax: 1 },
    );
    const one = add(1);
    await vi.waitUntil(() => flushes.length === 1);
    const rest = [2, 3, 4].map(add);
    first.open();
    await Promise.all([one, ...rest]);
    expect(flushes).toEqual([[1], [2, 3], [4]]);
  });

  it('never locks a row in two groups at a time, and goes on with other rows meanwhile', async () => {
    const first = gate();
    const flushes: string[][] = [];
    const add = group<string, string>(
      async (items) => {
        flushes.push(items);
        if (items.includes('a1')) await first.opened;
        return items;
      },
      { itemsMax: 2, flushesMax: 2, rowOf: (item) => item[0]! },
    );
    const one = add('a1');
    await vi.waitUntil(() => flushes.length === 1);
    const others = ['a2', 'b1', 'a3', 'b2', 'b3', 'a4'].map(add);
    await Promise.all([others[1], others[3], others[4]]);
    expect(flushes).toEqual([['a1'], ['b1', 'b2'], ['b3']]);
    first.open();
    expect(await Promise.all([one, ...others])).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'b3', 'a4']);
    expect(flushes.slice(3)).toEqual([['a2', 'a3'], ['a4']]);
    await add.idle();
  });

  it('lets a poison item fail alone', async () => {
    const add = group<number, number>(
      async (items) => {
        if (items.includes(13)) throw new Error('poison');
        return items;
      },
      { itemsMax: 10, flushesMax: 1 },
    );
    const results = await Promise.allSettled([1, 13, 2].map(add));
    expect(results.map((r) => r.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('is idle only when everything handed in is answered', async () => {
    const first = gate();
    let answered = false;
    const add = group<number, number>(
      async (items) => {
        await first.opened;
        return items;
      },
      { itemsMax: 10, flushesMax: 1 },
    );
    const waiting = add(1).then(() => {
      answered = true;
    });
    const idle = add.idle().then(() => answered);
    setTimeout(first.open, 5);
    expect(await idle).toBe(true);
    await waiting;
  });
});
