/** All groups of names that a word belongs to: the usual spellings, those of the dictionary and of the tables of forms, rarer short forms, and patronymics. */

import { lazily } from '../../../foundation/lazily.ts';
import { readForeignNames } from '../../../names/dictionary/index.ts';
import { readShortForms, readSpellings } from '../../../names/forms/index.ts';
import { fold } from './fold.ts';
import { remembering } from './remembering.ts';
import { addTo, type Groups, NONE, readUsualGroups, shortPairs } from './spellings.ts';

/**
 * Pairs of a short and a long form, the long one in all its spellings: `Zhenya` is `Evgeny` as well as `Yevgeny`. Names with many spellings (`common`) keep one:
 * most are of northern Nigeria, whose few names would hit more people on the lists.
 */
function inAllSpellings(
  pairs: readonly (readonly string[])[],
  spellings: readonly (readonly string[])[],
  common: ReadonlySet<string>,
): string[][] {
  const spelt = new Map<string, Set<string>>();
  for (const names of spellings) for (const name of names) spelt.set(name, new Set([...(spelt.get(name) ?? []), ...names]));
  return pairs.map(([short, long]) => [...new Set([short!, long!, ...(common.has(long!) ? [] : (spelt.get(long!) ?? []))])]);
}

/** Names of the dictionary with more than one spelling. Nigerian ones are left out: with them, the few names of northern Nigeria would hit more people on the lists. */
const foreignSpellings = () =>
  readForeignNames()
    .flat()
    .filter((names) => new Set(names.map(fold)).size > 1);

const STEM_MIN = 3;

/** Only threads that screen need these tables; building them takes 0.1 s and 4 MB. */
const tables = lazily(() => {
  const { spellings, translations, shortForms } = readUsualGroups();
  const further = [...readSpellings(), ...foreignSpellings()];
  const usual = [...spellings, ...translations, ...shortForms];
  const all = [...usual, ...further, ...inAllSpellings(shortPairs(readShortForms()), further, new Set(spellings.flat()))];
  /** The first number behind each kind; `all`: behind all groups of given names. */
  const behind = {
    spellings: spellings.length,
    translations: spellings.length + translations.length,
    usual: usual.length,
    further: usual.length + further.length,
    all: all.length,
  };
  /** Folded word → the groups of names that contain it. */
  const groups: Groups = new Map();
  /** Folded names without their last vowels → the groups of their patronymics. */
  const patronymics: Groups = new Map();
  for (const [group, names] of all.entries())
    for (const name of names) {
      const folded = fold(name);
      addTo(groups, folded, group);
      if (group < behind.further && stemOf(folded).length >= STEM_MIN) addTo(patronymics, stemOf(folded), group);
    }
  return { behind, groups, patronymics };
});

/** Whether a group's names are spellings of one name, rather than translations or short forms. */
export function isSpelling(group: number): boolean {
  const { behind } = tables();
  return group < behind.spellings || (group >= behind.usual && group < behind.further) || group >= behind.all;
}

/** Whether a group consists of a name and its short form. */
export function isShortForm(group: number): boolean {
  const { behind } = tables();
  return group >= behind.translations && group < behind.all && !isSpelling(group);
}

/** Numbers of all groups of names that contain a folded word, and of those of the fathers' names. */
export const formGroups = (folded: string): readonly number[] =>
  tables().groups.get(folded) ?? (folded.endsWith('vic') || folded.endsWith('na') ? patronymicGroups(folded) : NONE);

/** Folded patronymics of the former Soviet Union, of sons and of daughters: `Yevgenievich`, `Yauhenavich`, `Uladzimirauna`. */
const PATRONYMICS = [/[aeio]vic$/, /(?:[aeio]v|[aeo]u)na$/];
const PATRONYMIC_LENGTH = 4;

/** Whether a folded word is made like a patronymic. Some family names of the Balkans are too. */
export const isPatronymic = (folded: string): boolean => PATRONYMICS.some((ending) => ending.test(folded));

/** Groups of their own: the son of `Yevgeny` is not `Yevgeny`. */
const patronymicGroups = remembering((folded): readonly number[] => {
  const kind = PATRONYMICS.findIndex((ending) => ending.test(folded));
  if (kind === -1) return NONE;
  const { patronymics, behind } = tables();
  const groups = patronymics.get(stemOf(folded.slice(0, -PATRONYMIC_LENGTH)));
  return groups?.map((group) => group + (kind + 1) * behind.all) ?? NONE;
});

/** Without its last vowels. */
function stemOf(folded: string): string {
  let length = folded.length;
  while (length > 0 && 'aeiouj'.includes(folded[length - 1]!)) length--;
  return folded.slice(0, length);
}
