/** Finds the words of an explanation, which are in the plain letters that the matcher compared, in the name as it was sent or listed. */
import type { EntryType } from '../engines/aml/list.ts';
import { tokenizeOrganization } from '../engines/aml/match/organization-tokens.ts';
import { tokenize } from '../engines/aml/match/tokens.ts';

/** Most words of a name that the matcher reads as one: `Abd al Rahman`, `S. A. R. L.`. */
const WORDS_MAX = 4;

/**
 * Returns a function that gives a word as `name` writes it, followed by how it was read if they differ in more than capitals. A word that the name does not show
 * stays as it is.
 */
export function asWritten(name: string, type: EntryType): (word: string) => string {
  const read = (text: string) => (type === 'organization' ? tokenizeOrganization : tokenize)(text).map((token) => token.text);
  const words = name.split(/[\s,]+/u).filter(Boolean);
  const known = new Map<string, string>();
  const add = (key: string, written: string) => {
    if (!known.has(key)) known.set(key, written);
  };
  for (let count = 1; count <= WORDS_MAX; count++)
    for (let at = 0; at + count <= words.length; at++) {
      const written = words.slice(at, at + count).join(' ');
      add(read(written).join(' '), written);
    }
  // Several names in one word, as in Chinese.
  for (const written of words) for (const one of read(written)) add(one, written);
  return (word) => {
    const written = known.get(word);
    return written === undefined || written.toLowerCase() === word ? (written ?? word) : `${written} (${word})`;
  };
}
