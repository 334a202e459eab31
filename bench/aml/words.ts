/**
 * How often a Nigerian word combined with a word that is not a name by itself (an initial, a particle, a title, a suffix), or placed after a surname, hits
 * somebody on a sanctions list. A third of the words was kept unseen while the matcher was written.
 */
import { createHash } from 'node:crypto';
import type { ScreeningIndex } from '../../src/engines/aml/match/index.ts';
import { openMatcher } from '../../src/engines/aml/match/screen.ts';
import { titles } from '../../src/engines/aml/match/words.ts';
import { THRESHOLD_DEFAULT } from '../../src/engines/aml/request.ts';
import { readRows } from './lists.ts';

const FORMS = [
  ...['_ Mba', 'Mba _', 'E. _', 'I. _', 'Y. _', '_ E.', '_ E. Mba', 'Ben _', '_ Ben', 'Ben _ Mba', 'Van _', 'Mac _', 'Abu _', '_ Abu'],
  ...['Dame _', 'Sen _', 'Chief _', 'A. _', 'M. _', '_ Md', '_ MD', '_ Jr', '_ Ltd', 'Tom _'],
] as const;

export interface WordRates {
  form: string;
  words: number;
  /** Share of the words with a hit that is not listed in exactly these words; the second figure is over the held-out words. */
  hits: number;
  heldOutHits: number;
  /** Share of the words that are listed in exactly these words: `Abu Ibrahim`. */
  listed: number;
}

/** `index`: of the sanctions lists. */
export function rateWords(index: ScreeningIndex): WordRates[] {
  const matcher = openMatcher(index);
  const words = nigerianWords();
  const heldOut = new Set(words.filter((word) => createHash('sha256').update(word).digest()[0]! % 3 === 0));
  return FORMS.map((form) => {
    let listed = 0;
    const hit: string[] = [];
    for (const word of words) {
      const name = form.replace('_', word);
      const found = matcher.screen({ name, dateOfBirth: null, country: null, gender: null }, { threshold: THRESHOLD_DEFAULT, lists: null });
      const isListed = found.some(({ explanation }) =>
        explanation.tokens.every(({ how, listed, query }) => how === 'exact' || (how === 'folded' && listed !== null && query !== null)),
      );
      if (isListed) listed++;
      else if (found.length > 0) hit.push(word);
    }
    return {
      form,
      words: words.length,
      hits: hit.length / words.length,
      heldOutHits: hit.filter((word) => heldOut.has(word)).length / heldOut.size,
      listed: listed / words.length,
    };
  });
}

/** Words from the names of Nigerian office-holders. */
const nigerianWords = (): string[] => [
  ...new Set(
    readRows('peps/nigeria-peps-2020.csv')
      .flatMap(({ name }) => name!.split(/[^A-Za-z]+/))
      .filter((word) => word.length > 2 && !titles.has(word.toLowerCase()))
      .map((word) => `${word[0]!.toUpperCase()}${word.slice(1).toLowerCase()}`),
  ),
];
