/**
 * A program: writes `src/names/known-names.ts` from politicians' names and the sandbox's. Only the development half goes in (`slices.ts`), and of
 * Nigerian office-holders only the words that `words.ts` does not keep unseen, so that the other half still measures something.
 *
 *   node --import tsx bench/aml/known-names.ts
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import anyAscii from 'any-ascii';
import { fold } from '../../src/engines/aml/match/fold.ts';
import { kunya, nasab, particles, softTitles, suffixes, titles } from '../../src/engines/aml/match/words.ts';
import { CHRISTIAN, GROUPS, MUSLIM } from '../../src/names/nigerian-names.ts';
import { spellingGroups } from '../../src/names/variants.ts';
import { readRows } from './lists.ts';
import { halfOf } from './slices.ts';
import { wrapped } from './wrapped.ts';

/** Bearers among 26,000 people from which on a word is known, common, or borne by millions. */
const KNOWN = 3;
const COMMON = 12;
const MILLIONS = 40;
/** Share of a given name's bearers of one gender. */
const ONE_GENDER = 0.95;

interface Word {
  bearers: number;
  spellings: Map<string, number>;
  male: number;
  female: number;
}

const words = new Map<string, Word>();
const isNoName = (word: string): boolean => [titles, suffixes, particles, nasab, kunya, softTitles].some((set) => set.has(word));

function count(word: string, bearers: number, gender: string | undefined): void {
  if (word.length < 3 || isNoName(word)) return;
  const key = fold(word);
  const known = words.get(key) ?? { bearers: 0, spellings: new Map(), male: 0, female: 0 };
  known.bearers += bearers;
  known.spellings.set(word, (known.spellings.get(word) ?? 0) + bearers);
  if (gender === 'male' || gender === 'female') known[gender] += bearers;
  words.set(key, known);
}

const wordsOf = (name: string): string[] =>
  anyAscii(name)
    .toLowerCase()
    .replace(/['`]/g, '')
    .split(/[^a-z]+/)
    .filter(Boolean);
const isLatin = (name: string): boolean => /^[\p{Script=Latin}\P{L}]*$/u.test(name);

for (const { name, gender } of readRows('peps/everypolitician-2015-11.csv'))
  if (isLatin(name!) && halfOf(name!.toLowerCase().split(/\s+/).at(-1)!) === 'development')
    for (const [i, word] of [...new Set(wordsOf(name!))].entries()) count(word, 1, i === 0 ? gender : undefined);
const isKeptUnseen = (word: string): boolean =>
  createHash('sha256')
    .update(`${word[0]!.toUpperCase()}${word.slice(1)}`)
    .digest()[0]! %
    3 ===
  0;
for (const { name } of readRows('peps/nigeria-peps-2020.csv'))
  for (const word of new Set(wordsOf(name!))) if (!isKeptUnseen(word)) count(word, KNOWN, undefined);
const groups = [...Object.values(GROUPS), { ...CHRISTIAN, surnames: [] }, { ...MUSLIM, surnames: [] }];
for (const { male, female, surnames } of groups)
  for (const [list, gender] of [
    [male, 'male'],
    [female, 'female'],
    [surnames, undefined],
  ] as const)
    for (const name of list) if (halfOf(name) === 'development') for (const word of wordsOf(name)) count(word, KNOWN, gender);
for (const name of spellingGroups.flat()) count(name, KNOWN, undefined);

const entries = [...words.values()]
  .filter(({ bearers }) => bearers >= KNOWN)
  .map(({ bearers, spellings, male, female }) => {
    const [usual] = [...spellings].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]!;
    const given = male + female;
    const gender = given < KNOWN ? '' : male / given >= ONE_GENDER ? 'M' : female / given >= ONE_GENDER ? 'F' : '';
    return `${usual}${gender}${bearers >= MILLIONS ? '3' : bearers >= COMMON ? '2' : ''}`;
  })
  .sort();
const lines = wrapped(entries);
writeFileSync(
  new URL('../../src/names/known-names.ts', import.meta.url),
  `/**
 * Names that many people bear, one spelling each: given names and surnames of politicians of all countries, of Nigerian office-holders and of the
 * sandbox's people. M, F: a given name of men, of women. 2, 3: common, borne by millions. Written by \`bench/aml/known-names.ts\`.
 */
export const KNOWN_NAMES = \`
${lines.join('\n')}
\`;
`,
);
console.log(`${entries.length} names, ${entries.filter((e) => /[23]$/.test(e)).length} common, ${lines.length} lines`);
