/** Labelled addresses of every kind are judged as well as `docs/email.md` says (`bench/email/addresses.txt`); `npm run bench -- email` prints the table. */
import { beforeAll, describe, expect, it, test } from 'vitest';
import { HALVES, judgeAll, rateReputations, rateSlices, type SliceRate } from '../../../bench/email/slices.ts';
import { openLists } from '../../../src/engines/email/lists.ts';

/** How many rows of each slice are judged wrongly, in the development half and in the held-out half. More is a regression; with fewer, lower the number. */
const WRONG: Record<string, readonly [number, number]> = {
  'names: Hausa, Fulani, Kanuri': [0, 0],
  'names: Yoruba': [0, 0],
  'names: Igbo': [0, 0],
  'names: Niger Delta': [0, 0],
  'names: Efik, Ibibio, Annang': [0, 0],
  'names: Edo, Esan, Urhobo': [0, 0],
  'names: Middle Belt': [0, 0],
  'names: English given names, foreign residents': [0, 2],
  'short, nicknames and initials': [0, 5],
  'random letters': [1, 0],
  'random letters and digits': [1, 0],
  'typed without looking': [0, 0],
  'random, pronounceable': [7, 7],
  banks: [0, 0],
  'ministries, agencies, states, forces': [0, 0],
  'universities and schools': [0, 0],
  companies: [0, 1],
  'free providers': [0, 0],
  disposable: [0, 0],
  forwarding: [0, 1],
  'slips: free providers': [0, 9],
  'slips: institutions': [1, 6],
  'imitations: banks and payment': [0, 2],
  'imitations: authorities, telcos, companies': [0, 3],
  roles: [0, 11],
  'tags and dots': [0, 0],
  'international letters': [0, 0],
  'answers of DNS and the registry': [0, 0],
};
/** Of the development half and the held-out half. */
const HONEST_LOW_MAX = [0, 2];
const RISKY_HIGH_MAX = [0, 5];

let rates: SliceRate[] = [];
let judged: Awaited<ReturnType<typeof judgeAll>> = [];
beforeAll(async () => {
  judged = await judgeAll(await openLists());
  rates = rateSlices(judged);
});

describe('labelled addresses', () => {
  it('are more than 600, each once, and every slice has rows in both halves', () => {
    expect(new Set(judged.map(({ address }) => address)).size).toBe(judged.length);
    expect(judged.length).toBeGreaterThan(1_700);
    expect([...new Set(rates.map(({ slice }) => slice))].sort()).toEqual(Object.keys(WRONG).sort());
    for (const { slice, half, rows } of rates) expect(rows, `${slice}, ${half}`).toBeGreaterThanOrEqual(7);
  });

  it('never lie in both halves with one family', () => {
    for (const half of HALVES) {
      const families = new Set(judged.filter((row) => row.half === half).map(({ family }) => family));
      expect(judged.filter((row) => row.half !== half && families.has(row.family))).toEqual([]);
    }
  });

  describe.each(HALVES)('%s half', (half) => {
    test.each(Object.keys(WRONG))('%s: no more are judged wrongly than documented', (slice) => {
      const { wrong } = rates.find((rate) => rate.slice === slice && rate.half === half)!;
      const told = wrong.map(({ address, expected, verdict }) => `${address} is ${expected}, judged ${verdict}`).join('\n');
      expect(wrong.length, told).toBeLessThanOrEqual(WRONG[slice]![HALVES.indexOf(half)]!);
    });
  });

  it('are hardly ever of low reputation if honest, or of high reputation if risky', () => {
    const counts = rateReputations(judged).map(({ count }) => count);
    for (const [i, most] of [...HONEST_LOW_MAX, ...RISKY_HIGH_MAX].entries()) expect(counts[i]).toBeLessThanOrEqual(most);
  });
});
