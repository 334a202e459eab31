/** The answer of a statement that was sent ahead is known once its transaction is. */
import { describe, expect, it } from 'vitest';
import { alreadyAnswered } from '../../src/foundation/queries.ts';

describe('a statement that must have been answered', () => {
  it('answers what it was answered, or fails as it failed', async () => {
    expect(await alreadyAnswered(Promise.resolve([{ a: 1 }]))).toEqual([{ a: 1 }]);
    await expect(alreadyAnswered(Promise.reject(new Error('refused by Postgres')))).rejects.toThrow('refused by Postgres');
  });

  it('fails where there is no answer yet, instead of waiting for one that never comes', async () => {
    await expect(alreadyAnswered(new Promise(() => {}))).rejects.toThrow('a statement could not be sent');
  });
});
