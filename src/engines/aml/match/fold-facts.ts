/** What the search for similar words needs about the folds of the index. */
import { lettersIn } from './distance.ts';
import type { ListIndex } from './index.ts';

/**
 * The facts needed about each fold that may be close to a word are stored side by side, `STRIDE` numbers a fold. Folds are visited in no order, and
 * fetching each fact from its own array costs more than the comparison.
 */
export const STRIDE = 8;
/** The last `turn` in which the fold was tried. */
export const TRIED = 0;
/** Position of its letters, and the letters as a bit mask. */
export const HEARD_FROM = 1;
export const HEARD_TO = 2;
export const HEARD = 3;
/** The same for the fold's first word as written. */
export const WRITTEN_FROM = 4;
export const WRITTEN_TO = 5;
export const WRITTEN = 6;
/** 1: at least one of its words comes from a script without vowels. */
export const MUTE = 7;

export function factsOf({ foldCount, foldBytes, foldStart, foldToken, foldMute, tokenBytes, tokenStart }: ListIndex): Int32Array {
  const facts = new Int32Array(foldCount * STRIDE);
  for (let fold = 0; fold < foldCount; fold++) {
    const at = fold * STRIDE;
    const token = foldToken[fold]!;
    const heard = { bytes: foldBytes, from: foldStart[fold]!, to: foldStart[fold + 1]! };
    const written = { bytes: tokenBytes, from: tokenStart[token]!, to: tokenStart[token + 1]! };
    facts[at + HEARD_FROM] = heard.from;
    facts[at + HEARD_TO] = heard.to;
    facts[at + HEARD] = lettersIn(heard);
    facts[at + WRITTEN_FROM] = written.from;
    facts[at + WRITTEN_TO] = written.to;
    facts[at + WRITTEN] = lettersIn(written);
    facts[at + MUTE] = foldMute[fold]!;
  }
  return facts;
}
