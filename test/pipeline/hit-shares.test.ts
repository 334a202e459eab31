import { expect, it } from 'vitest';
import { HitShares } from '../../src/pipeline/hit-shares.ts';

it('follows what the cache answers for one app, whatever it answers for others', () => {
  const shares = new HitShares();
  expect(shares.of('a')).toBe(0);
  for (let i = 0; i < 100; i++) {
    shares.add('a', true);
    shares.add('b', i % 10 === 0);
  }
  expect(shares.of('a')).toBeGreaterThan(0.99);
  expect(shares.of('b')).toBeLessThan(0.3);
  for (let i = 0; i < 20; i++) shares.add('a', false);
  expect(shares.of('a')).toBeLessThan(0.5);
});
