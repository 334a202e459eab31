/**
 * Pairs of names, and names of Nigerians, by authors who had seen neither the matcher, its tables nor the other pairs (language models that were told only what
 * the classes are, 27 November 2026). Nobody else has checked the labels. Of the first three sets, one half was read while engines 11 to 14 were written, the
 * other was only counted. Nothing of the fourth set has been read; it was written when engine 14 was done. The fifth set, of persons and organizations, is by an
 * author who had read what the documents say about the matcher, but neither its code nor its tables (29 November 2026). No given name or family name is in both of
 * its halves, and only the development half has been read since. The pairs of northern Nigeria and Niger, split in the same way, are by somebody who knew the
 * matcher, though not its tables, and no rule was changed after they had been read (29 November 2026).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { NameSource } from './name-sources.ts';
import type { Half, SlicePair } from './slices.ts';

/** What the slices of the sets begin with. */
export const BLIND = ['blind: ', 'blind 2: ', 'blind 3: ', 'blind 4: ', 'blind 5: ', 'northern: '] as const;
export const BLIND_COMPANIES = 'blind 5 companies: ';

const read = (name: string): string[] =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .trim()
    .split('\n');

const halfOf = (pair: readonly string[]): Half =>
  createHash('sha256').update(pair.toSorted().join('|')).digest()[0]! % 2 === 1 ? 'development' : 'held out';

/** `half`: of all pairs of the file; without it, each pair has its own. */
const FILES: readonly { set: (typeof BLIND)[number]; file: string; half?: Half }[] = [
  { set: 'blind: ', file: './blind-pairs.tsv' },
  { set: 'blind 2: ', file: './blind-pairs-2.tsv' },
  { set: 'blind 3: ', file: './blind-pairs-3.tsv' },
  { set: 'blind 4: ', file: './blind-pairs-4.tsv', half: 'held out' },
  { set: 'blind 5: ', file: './blind-pairs-5-development.tsv', half: 'development' },
  { set: 'blind 5: ', file: './blind-pairs-5.tsv', half: 'held out' },
  { set: 'northern: ', file: './northern-pairs-development.tsv', half: 'development' },
  { set: 'northern: ', file: './northern-pairs.tsv', half: 'held out' },
];

export const blindPairs = (): SlicePair[] => FILES.flatMap(({ set, file, half }) => pairsIn(file, set, half));

export const blindCompanies = (): SlicePair[] => [
  ...pairsIn('./blind-companies-5-development.tsv', BLIND_COMPANIES, 'development'),
  ...pairsIn('./blind-companies-5.tsv', BLIND_COMPANIES, 'held out'),
];

const pairsIn = (file: string, set: string, half?: Half): SlicePair[] =>
  read(file).map((line) => {
    const [group, name, listed, same] = line.split('\t') as [string, string, string, string];
    return { slice: `${set}${group}`, half: half ?? halfOf([name, listed]), name, listed, isMatch: same === '1' };
  });

type Weighted = readonly (readonly [string, number])[];
type Tables = Record<'men' | 'women' | 'family', Weighted>;

function tablesOf(group: string): Tables {
  const lines = read('./blind-names.txt');
  const at = lines.indexOf(`[${group}]`);
  const [men, women, family] = lines.slice(at + 1, at + 4).map((line) =>
    line
      .replace(/^.*: /, '')
      .split(', ')
      .map((one) => [one.split(' ')[0]!, Number(one.split(' ')[1])] as const),
  );
  return { men: men!, women: women!, family: family! };
}

/** Two words or three in turn, each drawn by how common it is. A Muslim name from the north has the father's name in the middle. */
function draw(group: string, most: number): string[] {
  const { men, women, family } = tablesOf(group);
  let state = 9_000 + group.length;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const pick = (from: Weighted): string => {
    let left = random() * from.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of from) {
      left -= weight;
      if (left < 0) return name;
    }
    return from[0]![0];
  };
  const names = new Set<string>();
  while (names.size < most) {
    const own = random() < 0.5 ? men : women;
    const middle = names.size % 2 === 1 ? [pick(group === 'Hausa' ? men : own)] : [];
    const words = [pick(own), ...middle, pick(family)];
    if (new Set(words).size === words.length) names.add(words.join(' '));
  }
  return [...names];
}

export const BLIND_NAMES: NameSource = { source: "another author's names, by how common they are", namesOf: draw };
