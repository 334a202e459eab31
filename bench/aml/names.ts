/** Names as in a customer file: given and family names of many people in new combinations, so that words repeat as they do there. */
import type { Listing } from '../../src/engines/aml/screening.ts';

/** Given and family names of listed people, as often as they occur. */
export interface NameParts {
  given: string[];
  family: string[];
}

export function collectParts({ given, family }: NameParts, { entry }: Listing): void {
  const words = entry.names[0]!.text.split(/\s+/);
  if (words.length < 2) return;
  given.push(words[0]!);
  family.push(words.at(-1)!);
}

/** The same names for the same seed. */
export function inventNames({ given, family }: NameParts, count: number, seed: number): string[] {
  let state = seed;
  // A linear congruential generator (Numerical Recipes); only its upper bits are used.
  const pick = (from: string[]): string => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return from[Math.floor((state / 2 ** 32) * from.length)]!;
  };
  return Array.from({ length: count }, () => `${pick(given)} ${pick(family)}`);
}
