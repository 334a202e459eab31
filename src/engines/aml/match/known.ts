/** Names that many people bear: whoever writes one of them means it, so it is rarely a slip for another. */
import { KNOWN_NAMES } from '../../../names/known-names.ts';
import { areTwoFamilies, areTwoNames, areTwoWrittenNames, isInDictionary } from './dictionary.ts';
import { fold } from './fold.ts';
import { formGroups } from './form-groups.ts';
import { remembering } from './remembering.ts';
import { nameGroups, writtenGroups } from './spellings.ts';

interface Known {
  gender: 'M' | 'F' | '';
  /** 0: merely known, 1: common, 2: borne by millions. */
  commonness: number;
}

const byFold = new Map<string, Known>();
for (const [, name, gender, common] of KNOWN_NAMES.matchAll(/([a-z]+)([MF]?)([23]?)/g))
  byFold.set(fold(name!), {
    gender: gender as Known['gender'],
    commonness: common === '' ? 0 : Number(common) - 1,
  });

const genderOf = (folded: string): Known['gender'] => byFold.get(folded)?.gender ?? '';

/** Builds the tables that are otherwise built by the first name that needs them. */
export function loadNames(): void {
  formGroups('');
  isInDictionary('');
}

/** Whether the tables have the name, common or rare. */
export const isName = (folded: string): boolean => isKnown(folded) || isInDictionary(folded);

export const isKnown = (folded: string): boolean => byFold.has(folded) || nameGroups(folded).length > 0;

/** 0 for a rare or merely known name, 1 for a common one, 2 for one that millions bear. */
export const commonness = (folded: string): number => byFold.get(folded)?.commonness ?? 0;

/**
 * Whether two words that are alike are two names: `no`; `both` are names; `families`: both are family names; `sent`: only the one sent is a known name;
 * `sent family`: it is, and both are family names.
 */
export type Strangeness = 'no' | 'sent' | 'families' | 'sent family' | 'both';

const folded = remembering(fold);

/** `Amina` and `Aminu`, `Oluwafemi` and `Oluwakemi`. Spellings of one name are not two names, nor is a slip, which makes a word that nobody bears. */
export function strangeness(sent: string, listed: string): Strangeness {
  const [one, other] = [folded(sent), folded(listed)];
  if (one === other) return areTwoInSound(sent, listed) ? 'both' : 'no';
  const kind = givenStrangeness(one, other);
  if (kind === 'both' || !areTwoFamilies(one, other)) return kind;
  return kind === 'sent' ? 'sent family' : 'families';
}

function givenStrangeness(one: string, other: string): Strangeness {
  if (areManAndWoman(one, other)) return 'both';
  if (!isName(one) || formGroups(one).some((group) => formGroups(other).includes(group))) return 'no';
  if (areTwoNames(one, other)) return 'both';
  const [mine, theirs] = [genderOf(one), genderOf(other)];
  if (mine !== '' && theirs !== '' && mine !== theirs) return 'both';
  if (!isKnown(one) || areRomanizations(one, other)) return 'no';
  return isKnown(other) ? 'both' : 'sent';
}

/** Whether two words of one sound are two names by any table. */
const areTwoInSound = (one: string, other: string): boolean =>
  areWrittenApart(one, other) ||
  (areTwoWrittenNames(one, other) && !writtenGroups(one).some((group) => writtenGroups(other).includes(group)));

/** `Tahir` and `Tahira`, `Victor` and `Victoria`: a man's name, and what it is for a woman, known or not. */
function areManAndWoman(one: string, other: string): boolean {
  const [man, woman] = one.length < other.length ? [one, other] : [other, one];
  if (!woman.startsWith(man.slice(0, -1))) return false;
  const stem = man.replace(/[^aeiou]u$/, (end) => end[0]!);
  if (!woman.startsWith(stem) || !FEMININE.has(woman.slice(stem.length))) return false;
  const gender = genderOf(man);
  return gender === 'M' || (gender === '' && nameGroups(man).length > 0 && stem.length > 3);
}
const FEMININE = new Set(['a', 'ia', 'at', 'ah', 'ina', 'ela', 'ete']);

/** Two names of the tables that only sound alike (`Aissa`, `Aisha`). */
export function areWrittenApart(one: string, other: string): boolean {
  const groups = writtenGroups(one);
  const others = writtenGroups(other);
  return groups.length > 0 && others.length > 0 && !groups.some((group) => others.includes(group));
}

/**
 * Whether two spellings differ only where romanizations differ: in a mute or guttural h, s and z, c (for ch) and s, doubled letters, and in vowels that
 * stand for each other. A name that ends in another vowel is another name.
 */
function areRomanizations(one: string, other: string): boolean {
  const others = bonesOf(other);
  return bonesOf(one).some((mine, i) => {
    const theirs = others[i]!;
    return (
      mine.bones === theirs.bones && mine.vowels.every((vowels, v) => areVowels(vowels, theirs.vowels[v]!, v === mine.vowels.length - 1))
    );
  });
}

/** The consonants of a word, and the vowels before, between and after them. */
interface Bones {
  bones: string;
  vowels: string[];
}

/** With every h mute, and with every h as a k. */
const bonesOf = remembering((folded) => ['', 'k'].map((h) => bonesWith(folded, h)));

function bonesWith(folded: string, h: string): Bones {
  let bones = '';
  const vowels = [''];
  let last = '';
  for (let i = 0; i < folded.length; i++) {
    const letter = i > 0 && folded[i] === 'h' ? h : folded[i]!;
    const sound = letter === 'z' || letter === 'c' ? 's' : letter;
    if (sound === '' || sound === last) continue;
    last = sound;
    if ('aeiou'.includes(sound)) vowels[vowels.length - 1] += sound;
    else {
      bones += sound;
      vowels.push('');
    }
  }
  return { bones, vowels };
}

const ALIKE_VOWELS = new Set(['ae', 'ea', 'ei', 'ie', 'ou', 'uo', 'ao', 'oa', 'eo', 'oe']);

function areVowels(one: string, other: string, isLast: boolean): boolean {
  if (one === other) return true;
  const pair = `${one}${other}`;
  if (isLast) return pair.length === 1 ? pair === 'u' || pair === 'e' : pair !== 'ao' && pair !== 'oa' && ALIKE_VOWELS.has(pair);
  return one === '' || other === '' || ALIKE_VOWELS.has(pair);
}
