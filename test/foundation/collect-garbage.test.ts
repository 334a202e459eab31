import { expect, it } from 'vitest';
import { collectGarbage } from '../../src/foundation/collect-garbage.ts';

it('frees what nothing refers to any more', () => {
  const gone = new WeakRef(Array.from({ length: 100_000 }, (_, i) => `${i}`));
  // The reference itself keeps its object until the end of this turn, so look at what a turn leaves behind.
  return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    collectGarbage();
    expect(gone.deref()).toBeUndefined();
  });
});
