/**
 * Invented Nigerians by language group: the same person with one name in another spelling, and somebody else who has the most alike name of the group in
 * place of one. Spellings are those of `variants.ts`, and what clerks write: an h at the end, sh as s, and in the north the letters of French.
 */
import { distance } from 'fastest-levenshtein';
import { GROUPS, type GroupName } from '../../src/names/nigerian-names.ts';
import { shortFormGroups, spellingGroups } from '../../src/names/variants.ts';
import { inventNigerians, PEOPLES } from './nigerians.ts';
import { halfOf, type SlicePair } from './slices.ts';

/** Invented people of each group; half of them have three names. */
const PEOPLE = 400;
/** Two names of a group may be confused from this similarity on. */
const ALIKE = 0.6;

/** As in Niger, Chad and Cameroon, where many of these families live too. */
const FRENCH: readonly (readonly [RegExp, string])[] = [
  [/sh/g, 'ch'],
  [/j/g, 'dj'],
  [/u(?![aeiou])/g, 'ou'],
];
const CLERKS: readonly (readonly [RegExp, string])[] = [
  [/([aeiou])$/, '$1h'],
  [/([aeiou])h$/, '$1'],
  [/sh/g, 's'],
  [/([^aeiou])\1/g, '$1'],
];

export function nigerianPairs(): SlicePair[] {
  return Object.entries(PEOPLES).flatMap(([group, peoples], g) => {
    const names = [...new Set(peoples.flatMap((people) => namesOf(people)))];
    const letters = group === 'Hausa' ? [...CLERKS, ...FRENCH] : CLERKS;
    return inventNigerians(peoples, PEOPLE, 2_000 + g).flatMap((listed, i) => {
      const words = listed.toLowerCase().split(' ');
      const facts = { slice: `Nigeria: ${group}`, half: halfOf(listed.split(' ').at(-1)!), listed };
      const at = i % words.length;
      const spelt = respellings(words[at]!, at < words.length - 1, letters);
      const other = mostAlike(words[at]!, names, words);
      return [
        ...(spelt.length > 0 ? [{ ...facts, name: words.with(at, spelt[i % spelt.length]!).join(' '), isMatch: true }] : []),
        ...(other === null ? [] : [{ ...facts, name: words.with(at, other).join(' '), isMatch: false }]),
      ];
    });
  });
}

function namesOf(people: GroupName): string[] {
  const { male, female, surnames } = GROUPS[people];
  return [...male, ...female, ...surnames].map((name) => name.toLowerCase());
}

const groupsWith = (word: string, groups: readonly (readonly string[])[]) => groups.filter((group) => group.includes(word));

function respellings(word: string, isGiven: boolean, letters: typeof CLERKS): string[] {
  const spelt = groupsWith(word, spellingGroups).flat();
  const short = isGiven ? shortFormGroups.flatMap(([first, ...longs]) => (longs.includes(word) ? [first!] : [])) : [];
  const written = letters.map(([from, to]) => word.replace(from, to));
  return [...new Set([...spelt, ...short, ...written])].filter((one) => one !== word);
}

/** The most alike name that is neither a spelling nor a short form of the word; null if none is alike. */
function mostAlike(word: string, names: readonly string[], words: readonly string[]): string | null {
  const forms = new Set([...groupsWith(word, spellingGroups), ...groupsWith(word, shortFormGroups)].flat());
  const plain = plainly(word);
  let best = ALIKE;
  let closest: string | null = null;
  for (const name of names) {
    if (forms.has(name) || words.includes(name) || plainly(name) === plain) continue;
    const likeness = 1 - distance(name, word) / Math.max(name.length, word.length);
    if (likeness > best) [best, closest] = [likeness, name];
  }
  return closest;
}

const plainly = (word: string): string => CLERKS.slice(1).reduce((text, [from, to]) => text.replace(from, to), word);
