/** Names that people bear and words that businesses use: what a local part is made of if it is neither an office nor typed at random. */
import roles from 'role-based-email-addresses';
import { lazily } from '../../foundation/lazily.ts';
import { TRADE_WORDS, WEAK_WORDS } from '../../names/company-words.ts';
import { readFamilyNames, readForeignNames, readNigerianNames } from '../../names/dictionary/index.ts';
import { KNOWN_NAMES } from '../../names/known-names.ts';
import { CHRISTIAN, GROUPS, MUSLIM } from '../../names/nigerian-names.ts';
import { buildDomainSet } from './domain-set.ts';

const wordsOf = (text: string): string[] => text.trim().split(/\s+/);

/** What `gibberish.ts` learns from: names as Nigerians and office-holders of all countries bear them. */
export const NAMES: readonly string[] = [
  ...Object.values(GROUPS).flatMap(({ male, female, surnames }) => [...male, ...female, ...surnames]),
  ...Object.values(CHRISTIAN).flat(),
  ...Object.values(MUSLIM).flat(),
  // The capitals and digits after a name are marks of the table (`names/known-names.ts`).
  ...wordsOf(KNOWN_NAMES).map((name) => name.replace(/[A-Z\d].*/, '')),
].map((name) => name.toLowerCase());

/** Tens of thousands, so they are hashes instead of texts. */
const names = lazily(() => buildDomainSet([...NAMES, ...[readNigerianNames(), ...readForeignNames(), ...readFamilyNames()].flat(2)]));
const words = lazily(() => buildDomainSet([...roles, ...wordsOf(WEAK_WORDS), ...wordsOf(TRADE_WORDS)]));

/** In lower case. */
export const isName = (word: string): boolean => names().find(word) !== undefined;
export const isNameOrWord = (text: string): boolean => isName(text) || words().find(text) !== undefined;
