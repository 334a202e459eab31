/**
 * Where the names of Nigerians who are on no sanctions list come from. Half of the sandbox's names are in the engine's own tables, so other sources show
 * whether a group is treated worse once its names are not.
 */
import { fold } from '../../src/engines/aml/match/fold.ts';
import { isName } from '../../src/engines/aml/match/known.ts';
import { titles } from '../../src/engines/aml/match/words.ts';
import { readRows } from './lists.ts';
import { inventNigerians, PEOPLES } from './nigerians.ts';

export const GROUPS = Object.keys(PEOPLES);

export interface NameSource {
  source: string;
  /** The same names each time; half of them have two words, half three, except for real people. */
  namesOf(group: string, most: number): string[];
}

const invented = (group: string, most: number): string[] => inventNigerians(PEOPLES[group]!, most, 1_000 + GROUPS.indexOf(group));

export const TABLES: NameSource = { source: 'names of the tables', namesOf: invented };

/** Each word of such a name with one letter or ending as it is written elsewhere, in spellings that the engine's tables lack. */
export const RESPELT: NameSource = {
  source: 'spellings that the tables lack',
  namesOf: (group, most) =>
    // Of some words every spelling is known.
    invented(group, most * 4)
      .flatMap((name, i) => {
        const words = name.split(' ').map((word, w) => respelt(word.toLowerCase(), i + w));
        return words.includes(null) ? [] : [words.join(' ')];
      })
      .slice(0, most),
};

/** Letters as in French, in other romanizations, and as they are heard. */
const LETTERS: readonly (readonly [RegExp, string])[] = [
  [/sh/, 'ch'],
  [/j/, 'dj'],
  [/(?<=.)a(?=[^aeiou]+[aeiou])/, 'e'],
  [/(?<=.)u(?=[^aeiou])/, 'o'],
  [/(?<=.)e(?=[^aeiou])/, 'i'],
  [/(?<=.)o(?=[^aeiou]+[aeiou])/, 'u'],
  [/(?<=...)[aeiou]$/, ''],
  [/([^aeiou])$/, '$1e'],
  [/^([aeiou])/, 'h$1'],
  [/ch(?=[^aeiou]*[aeiou])/, 'sh'],
  [/kw/, 'ko'],
];

/** Null if the tables have each of its spellings. */
function respelt(word: string, turn: number): string | null {
  const spellings = LETTERS.map(([from, to]) => word.replace(from, to)).filter((one) => one !== word && isUnknown(one));
  return spellings.length === 0 ? null : spellings[turn % spellings.length]!;
}

/** States of Nigeria in which most people are of a group. They stand for it, because the table of office-holders does not tell a person's language. */
const STATES: Record<string, readonly string[]> = {
  Hausa: ['Bauchi', 'Borno', 'Gombe', 'Jigawa', 'Kaduna', 'Kano', 'Katsina', 'Kebbi', 'Sokoto', 'Yobe', 'Zamfara'],
  Yoruba: ['Ekiti', 'Kwara', 'Lagos', 'Ogun', 'Ondo', 'Osun', 'Oyo'],
  Igbo: ['Abia', 'Anambra', 'Ebonyi', 'Enugu', 'Imo'],
  'Niger Delta': ['Akwa Ibom', 'Bayelsa', 'Cross River', 'Delta', 'Edo', 'Rivers'],
  'Middle Belt': ['Adamawa', 'Benue', 'Kogi', 'Nasarawa', 'Niger', 'Plateau', 'Taraba'],
};

const officeHolders = (group: string): string[] =>
  readRows('peps/nigeria-peps-2020.csv')
    .filter(({ state }) => STATES[group]!.includes(state!))
    .map(({ name }) => name!);

/** Words of office-holders' names that the tables lack, combined anew. */
export const UNKNOWN_WORDS: NameSource = {
  source: "office-holders' words that the tables lack, recombined",
  namesOf: (group, most) => {
    const words = unknownWords(group);
    let state = 4_000 + GROUPS.indexOf(group);
    const pick = (): string => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return words[Math.floor((state / 2 ** 32) * words.length)]!;
    };
    return Array.from({ length: most }, (_, i) => {
      const name = new Set<string>();
      while (name.size < 2 + (i % 2)) name.add(pick());
      return [...name].join(' ');
    });
  },
};

const unknownWords = (group: string): string[] => [
  ...new Set(
    officeHolders(group)
      .flatMap((name) =>
        name
          .toLowerCase()
          .replace(/['’]/g, '')
          .split(/[^a-z]+/),
      )
      .filter((word) => word.length > 3 && !titles.has(word) && isUnknown(word)),
  ),
];

/** The office-holders themselves, under their own names. */
export const OFFICE_HOLDERS: NameSource = {
  source: 'office-holders as they are',
  namesOf: (group, most) =>
    officeHolders(group)
      .filter((name) => /\p{L}{2}.* .*\p{L}{2}/u.test(name))
      .slice(0, most),
};

const isUnknown = (word: string): boolean => !isName(fold(word));
