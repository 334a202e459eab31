/** Threads that end while they load: the process waits for them, and nothing waits for them for ever. */
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { openThreads, threadsLoaded } from '../../src/engines/threads.ts';

/** Byte 0: the module has loaded. Byte 1: it may. */
const marks = () => new Int32Array(new SharedArrayBuffer(8));
const open = (module: string, data: unknown) => {
  const pool = openThreads<number, number>(import.meta.url, `../fixtures/${module}-thread`, { threads: 1, rest: true, data });
  pools.push(pool);
  return pool;
};
let pools: { destroy(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(pools.map((pool) => pool.destroy()));
  pools = [];
});

test('a thread that is loading is ended, and its process may end, once it has loaded', async () => {
  const state = marks();
  const pool = open('slow', state);
  const failed = expect(pool.run(1)).rejects.toThrow();
  const over = [pool.destroy(), threadsLoaded()].map((ending) => ending.then(() => Atomics.load(state, 0)));
  Atomics.store(state, 1, 1);
  Atomics.notify(state, 1);
  expect(await Promise.all(over)).toEqual([1, 1]);
  await failed;
});

test('a task whose thread does not load fails, and the process goes on', async () => {
  const warned = once(process, 'warning');
  const pool = open('broken', null);
  await expect(pool.run(1)).rejects.toThrow();
  expect((await warned)[0]).toBeInstanceOf(Error);
  await expect(pool.run(1)).rejects.toThrow();
});

test('a thread that dies fails its task, and the next task has another', async () => {
  const pool = open('mortal', null);
  await expect(pool.run(0)).rejects.toThrow('worker exited with code: 3');
  expect(await pool.run(7)).toBe(7);
});
