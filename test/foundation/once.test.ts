/** `once` makes a value on the first call and shares it, tries again after a failure, and can be closed whether or not it made one. */
import { expect, it } from 'vitest';
import { once } from '../../src/foundation/once.ts';

it('callers share what the first one makes', async () => {
  let made = 0;
  const get = once(async () => ++made);
  expect(await get.made()).toBe(null);
  expect(await Promise.all([get(), get()])).toEqual([1, 1]);
  expect(await get()).toBe(1);
  expect(await get.made()).toBe(1);
});

it('everyone who waited is told of a failure, and the next call tries again', async () => {
  let tries = 0;
  const get = once(async () => {
    tries++;
    if (tries === 1) throw new Error('not yet');
    return tries;
  });
  const failed = await Promise.allSettled([get(), get()]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await get.made()).toBe(null);
  expect(await get()).toBe(2);
});

it('made() waits for what is being made, and a failure leaves nothing to close', async () => {
  let resolve = (_: string) => {};
  const get = once(() => new Promise<string>((done) => (resolve = done)));
  void get();
  const made = get.made();
  resolve('engine');
  expect(await made).toBe('engine');
  const failing = once(() => Promise.reject(new Error('no models')));
  const asked = failing().catch((error: Error) => error.message);
  expect(await failing.made()).toBe(null);
  expect(await asked).toBe('no models');
});
