/** Names as a file of customers has them: given and family names of many people, put together anew, so that words repeat as they do there. */
import type { Listing } from '../../src/engines/aml/screening.ts';

/** Given and family names of the people on lists, as often as they are there. */
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

/** The same ones for the same seed. */
export function inventNames({ given, family }: NameParts, count: number, seed: number): string[] {
  let state = seed;
  // A linear congruential generator (Numerical Recipes), of which the upper bits count.
  const pick = (from: string[]): string => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return from[Math.floor((state / 2 ** 32) * from.length)]!;
  };
  return Array.from({ length: count }, () => `${pick(given)} ${pick(family)}`);
}
