/** Which names that look alike are two, by the dictionaries of given names and of family names. */
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

const regions = [readNigerianNames(), ...readForeignNames()];
const given = dictionaryOf(regions);
const families = dictionaryOf(readFamilyNames());
/** Given names by the spelling as written, for spellings that fold into those of another name. */
const byWritten: Numbers = new Map();
for (const [name, spellings] of regions.flat().entries())
  for (const spelling of spellings) if (given.byFold.get(fold(spelling))!.length > 1) add(byWritten, spelling, name);

export const isInDictionary = (folded: string): boolean => given.byFold.has(folded);

/** Whether two folded words are two given names of one region (`asif`, `atif`). Of two regions they are rather two spellings, or a slip. */
export const areTwoNames = (one: string, other: string): boolean => areTwo(given.byFold, given.regions, one, other);

/** The same of two words as written that sound alike (`sami`, `samih`). */
export const areTwoWrittenNames = (one: string, other: string): boolean => areTwo(byWritten, given.regions, one, other);

/** Whether two folded words are two family names of one region (`jafari`, `jabbari`). */
export const areTwoFamilies = (one: string, other: string): boolean => areTwo(families.byFold, families.regions, one, other);

function areTwo(numbers: Numbers, regionOf: readonly number[], one: string, other: string): boolean {
  const names = numbers.get(one);
  const others = names && numbers.get(other);
  return (
    others !== undefined &&
    !names!.some((name) => others.includes(name)) &&
    names!.some((name) => others.some((theirs) => regionOf[name] === regionOf[theirs]))
  );
}
