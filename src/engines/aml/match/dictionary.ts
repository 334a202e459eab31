/** Which names that look alike are two, by the dictionaries of given names and of family names. */
import { lazily } from '../../../foundation/lazily.ts';
import { type Region, readFamilyNames, readForeignNames, readNigerianNames } from '../../../names/dictionary/index.ts';
import { fold } from './fold.ts';

/** Spelling → numbers of the names that it stands for. */
type Numbers = Map<string, number[]>;

interface Dictionary {
  byFold: Numbers;
  /** By number of a name: its region. */
  regions: number[];
}

function add(numbers: Numbers, key: string, name: number): void {
  const names = numbers.get(key);
  if (!names) numbers.set(key, [name]);
  else if (!names.includes(name)) names.push(name);
}

function dictionaryOf(all: readonly Region[]): Dictionary {
  const byFold: Numbers = new Map();
  const regions: number[] = [];
  for (const [region, names] of all.entries())
    for (const spellings of names) {
      const name = regions.push(region) - 1;
      for (const spelling of spellings) add(byFold, fold(spelling), name);
    }
  return { byFold, regions };
}

/** Only threads that screen need these tables; building them takes 0.1 s and 5 MB. */
const tables = lazily(() => {
  const regions = [readNigerianNames(), ...readForeignNames()];
  const given = dictionaryOf(regions);
  /** Given names by the spelling as written, for spellings that fold into those of another name. */
  const byWritten: Numbers = new Map();
  for (const [name, spellings] of regions.flat().entries())
    for (const spelling of spellings) if (given.byFold.get(fold(spelling))!.length > 1) add(byWritten, spelling, name);
  return { given, byWritten, families: dictionaryOf(readFamilyNames()) };
});

export const isInDictionary = (folded: string): boolean => tables().given.byFold.has(folded);

/** Whether two folded words are two given names of one region (`asif`, `atif`). Of two regions they are rather two spellings, or a slip. */
export function areTwoNames(one: string, other: string): boolean {
  const { byFold, regions } = tables().given;
  return areTwo(byFold, regions, one, other);
}

/** The same of two words as written that sound alike (`sami`, `samih`). */
export function areTwoWrittenNames(one: string, other: string): boolean {
  const { byWritten, given } = tables();
  return areTwo(byWritten, given.regions, one, other);
}

/** Whether two folded words are two family names of one region (`jafari`, `jabbari`). */
export function areTwoFamilies(one: string, other: string): boolean {
  const { byFold, regions } = tables().families;
  return areTwo(byFold, regions, one, other);
}

function areTwo(numbers: Numbers, regionOf: readonly number[], one: string, other: string): boolean {
  const names = numbers.get(one);
  const others = names && numbers.get(other);
  return (
    others !== undefined &&
    !names!.some((name) => others.includes(name)) &&
    names!.some((name) => others.some((theirs) => regionOf[name] === regionOf[theirs]))
  );
}
