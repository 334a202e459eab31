import { expect, test } from 'vitest';
import { networkOf } from '../../src/foundation/networks.ts';

test.each([
  ['192.0.2.7', '192.0.2.7/32'],
  ['2001:db8::7', '2001:db8:0:0:0:0:0:7/128'],
  ['10.0.0.0/8', '10.0.0.0/8'],
  ['::ffff:192.0.2.7', '192.0.2.7/32'],
  ['::ffff:192.0.2.7/128', '192.0.2.7/32'],
  ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
  ['::ffff:0:0/96', '0.0.0.0/0'],
  ['::/0', '::/0'],
])('%s is the network %s', (text, network) => {
  expect(networkOf(text)).toBe(network);
});
