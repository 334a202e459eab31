/** Which names that look alike are two, by the dictionary of given names. */
import { readForeignNames, readNigerianNames } from '../../../names/dictionary/index.ts';
import { fold } from './fold.ts';

/** Folded spelling → numbers of the names that it stands for. */
const byFold = new Map<string, number[]>();
/** The same by the spelling as written, for spellings that fold into those of another name. */
const byWritten = new Map<string, number[]>();
/** By number of a name: its region. */
const regions: number[] = [];

function add(map: Map<string, number[]>, key: string, name: number): void {
  const names = map.get(key);
  if (!names) map.set(key, [name]);
  else if (!names.includes(name)) names.push(name);
}

function addAll(): void {
  const all = [readNigerianNames(), ...readForeignNames()].flatMap((names, region) => names.map((spellings) => ({ spellings, region })));
  for (const [name, { spellings, region }] of all.entries()) {
    regions.push(region);
    for (const spelling of spellings) add(byFold, fold(spelling), name);
  }
  for (const [name, { spellings }] of all.entries())
    for (const spelling of spellings) if (byFold.get(fold(spelling))!.length > 1) add(byWritten, spelling, name);
}
addAll();

export const isInDictionary = (folded: string): boolean => byFold.has(folded);

/** Whether two folded words are two names of one region (`asif`, `atif`). Of two regions they are rather two spellings, or a slip. */
export const areTwoNames = (one: string, other: string): boolean => areTwo(byFold.get(one), byFold.get(other));

/** The same of two words as written that sound alike (`sami`, `samih`). */
export const areTwoWrittenNames = (one: string, other: string): boolean => areTwo(byWritten.get(one), byWritten.get(other));

const areTwo = (names: readonly number[] | undefined, others: readonly number[] | undefined): boolean =>
  names !== undefined &&
  others !== undefined &&
  !names.some((name) => others.includes(name)) &&
  names.some((name) => others.some((other) => regions[name] === regions[other]));
