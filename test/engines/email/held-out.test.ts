/**
 * Cases written before the rules they judge: disposable, forwarding and role addresses, and imitations of Nigerian banks and authorities. Errors
 * are printed by name; the shares are the claims that may be made.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAddress } from '../../../src/engines/email/address.ts';
import { type Lists, openLists } from '../../../src/engines/email/lists.ts';
import { readLikeness } from '../../../src/engines/email/lookalike.ts';

interface Case {
  kind: 'disposable' | 'forwarding' | 'role' | 'imitation';
  address: string;
  expected: 'yes' | 'no';
}

const cases = parse(readFileSync(join(import.meta.dirname, 'held-out.csv')), { columns: true }) as Case[];
/** Share of the cases of each kind that must be right. */
const RIGHT_MIN = { disposable: 0.95, forwarding: 0.95, role: 0.9, imitation: 0.9 } as const;

let lists: Lists;
beforeAll(async () => {
  lists = await openLists();
});
afterAll(() => lists.close());

function isOf({ kind, address }: Case): boolean {
  const read = readAddress(address);
  if (kind === 'disposable') return lists.isDisposable(read.domain);
  if (kind === 'forwarding') return lists.isForwarding(read.domain);
  if (kind === 'role') return lists.isRole(read.local.toLowerCase());
  const { isLookalike, suggestion } = readLikeness(read);
  return isLookalike || suggestion !== null;
}

describe('cases written before the rules', () => {
  it.each(Object.entries(RIGHT_MIN))('%s: nearly all are classified correctly, and no honest address is accused', (kind, least) => {
    const ours = cases.filter((one) => one.kind === kind);
    const wrong = ours.filter((one) => isOf(one) !== (one.expected === 'yes'));
    console.log(
      `${kind}: ${ours.length - wrong.length} of ${ours.length}; wrong: ${wrong.map(({ address }) => address).join(' ') || 'none'}`,
    );
    expect(wrong.filter(({ expected }) => expected === 'no').map(({ address }) => address)).toEqual([]);
    expect(1 - wrong.length / ours.length).toBeGreaterThanOrEqual(least);
  });
});
