/** How much of an upload is held before it is stored. */
import { expect, test } from 'vitest';
import { RowPacker } from '../../src/batches/packer.ts';
import type { Sealer } from '../../src/foundation/crypto.ts';

const sealer = { seal: (text: string) => Buffer.from(text) } as unknown as Sealer;
const problems = [{ field: 'nin', rule: 'digits', message: 'must be 11 digits' }];

test('invalid rows are flushed by size as well as by count: after sixteen rows of 64 KiB, not two thousand', () => {
  const packer = new RowPacker(sealer, 'b');
  const wide = ['x'.repeat(64 * 1024)];
  const fulls = Array.from({ length: 40 }, (_, at) => {
    const isFull = packer.invalid(at + 1, problems, wide);
    if (isFull) expect(packer.slice(false).refused).not.toBeNull();
    return isFull;
  });
  expect(fulls.flatMap((isFull, at) => (isFull ? [at + 1] : []))).toEqual([16, 32]);
  expect(packer.slice(false).refused).toBeNull();
  expect(packer.slice(true).refused).not.toBeNull();
});
