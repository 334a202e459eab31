/** The words of names of organizations by what they tell: legal forms, words of one meaning, words that all companies have. */
import { BRAND_WORDS, LEGAL_FORMS, LEGAL_PHRASES, SAME_WORDS, TRADE_WORDS, WEAK_WORDS } from '../../../names/company-words.ts';
import { FREQUENT_COMPANY_WORDS } from '../../../names/frequent-company-words.ts';
import { isKnown } from './known.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

export const legalForms: ReadonlySet<string> = new Set(words(LEGAL_FORMS));

/** Legal forms of several words, by their first word, the longest first. */
const phrases = new Map<string, string[][]>();
for (const phrase of LEGAL_PHRASES.replaceAll('\n', '').split('|').map(words)) {
  const alike = phrases.get(phrase[0]!) ?? [];
  phrases.set(
    phrase[0]!,
    [...alike, phrase].sort((a, b) => b.length - a.length),
  );
}

/** The words of these. */
export const legalPhraseWords: ReadonlySet<string> = new Set([...phrases.values()].flat(2));

/** How many of the words from `from` on are a legal form of several words; 0: none begins there. */
export function legalPhraseAt(texts: readonly string[], from: number): number {
  const phrase = phrases.get(texts[from]!)?.find((one) => one.every((word, at) => word === texts[from + at]));
  return phrase?.length ?? 0;
}

/** Words between others, in the languages of the lists. */
export const connectives: ReadonlySet<string> = new Set(
  words('and the of for de la le les du des del los las der die das und y e et i al el ul van von with wa va'),
);

const same = new Map<string, string>();
for (const line of SAME_WORDS.trim().split('\n')) {
  const [first, ...others] = words(line);
  for (const other of others) same.set(other, first!);
}

/** How little a word tells: 3 of nearly all companies, 2 of a trade or in many names, 1 in some names. */
const levels = new Map<string, 1 | 2 | 3>();
for (const word of words(FREQUENT_COMPANY_WORDS)) levels.set(word.slice(0, -1), Number(word.at(-1)) as 1 | 2);
for (const word of words(BRAND_WORDS)) if (!levels.has(word)) levels.set(word, 1);
for (const word of words(TRADE_WORDS)) levels.set(word, 2);
for (const word of words(WEAK_WORDS)) levels.set(word, 3);

/** One spelling for words of one meaning, and the singular of words that the tables know. */
export function plainWord(word: string): string {
  const meant = same.get(word);
  if (meant !== undefined) return meant;
  if (word.length < 4 || !word.endsWith('s')) return word;
  const singular = word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  // `News` is no plural of `new`, which tells less.
  if (levels.has(word)) return levels.get(singular) === levels.get(word) ? singular : word;
  return same.get(singular) ?? (levels.has(singular) ? singular : word);
}

/** 0 for a word that may be a company's own. Companies also bear their owners' names. */
export const levelOf = (word: string, folded: string): 0 | 1 | 2 | 3 => levels.get(word) ?? (isKnown(folded) ? 1 : 0);
