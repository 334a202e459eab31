/**
 * Splits the name of an organization into the words that are compared. Legal forms and connectives are left out, abbreviations spelt out, numbers written
 * in digits. The flags of a word are those of persons' words (`tokens.ts`), with the meanings given here.
 */
import { fold } from './fold.ts';
import { connectives, legalForms, legalPhraseAt, legalPhraseWords, levelOf, plainWord } from './organization-words.ts';
import { remembering } from './remembering.ts';
import { ASCII, type RomanWord, romanize } from './script.ts';
import { ABJAD, COMMON, FREQUENT, HAN, HANGUL, MILLIONS, SOFT, type Token } from './tokens.ts';

/** In some names, in many names of a trade, and in names of all kinds: `level` 1 to 3. */
const LEVELS = [0, COMMON, FREQUENT, SOFT] as const;
export const WEAK = SOFT;
/** In digits. Another number is another organization. */
export const NUMBER = MILLIONS;

const TOKENS_MAX = 16;
const TOKEN_LENGTH_MAX = 40;

/** What a word tells about which organization it is, 0 to 1. */
export function tellingOf(flags: number): number {
  if (flags & WEAK) return 0.15;
  if (flags & FREQUENT) return 0.4;
  if (flags & NUMBER) return 0.5;
  return flags & COMMON ? 0.7 : 1;
}

/** Empty for a name without a letter or digit. */
export function tokenizeOrganization(name: string): Token[] {
  const all = wordsIn(name);
  const own = all.filter(({ text }) => !legalForms.has(text) && !connectives.has(text));
  // `The Company`: if there is nothing else, these words are the name.
  return (own.length > 0 ? own : all).slice(0, TOKENS_MAX).map(tokenOf);
}

/** A name in plain letters whose words are easy to tell apart. */
const PLAIN_NAME = /^[A-Za-z .,-]*$/;

/**
 * Folded forms of some of the words that a name certainly has as tokens and that tell at least `least`. Empty for most names that are not in plain letters.
 * Far quicker than `tokenizeOrganization`.
 */
export function* surelyTelling(name: string, least: number): Generator<string> {
  if (!PLAIN_NAME.test(name)) return;
  const words = name.toLowerCase().split(/[ .,-]+/);
  if (words.length > TOKENS_MAX) return;
  for (const word of words) {
    const { folded, telling } = plainFacts(word);
    if (telling >= least) yield folded;
  }
}

/** The folded form of a word in small letters, and what it tells wherever it stands in a name; 0 if that depends on the words beside it. */
const plainFacts = remembering((word) => {
  const text = plainOf(word);
  const { folded, flags } = tokenOf({ text, script: 'alphabet' });
  const depends = word.length < 2 || legalPhraseWords.has(word) || BEFORE_NUMBER.has(word) || ROMAN.has(word) || ABBREVIATIONS.has(word);
  return { folded, telling: depends || legalForms.has(text) || connectives.has(text) ? 0 : tellingOf(flags) };
});

/** The first letters of its words, with and without legal forms: `National Iranian Oil Company` is `nioc` and `nio`. Only of four words or more. */
export function acronymsOf(name: string): string[] {
  const all = ownWords(name).filter(({ text, script }) => script === 'alphabet' && !connectives.has(text));
  const initials = (list: readonly RomanWord[]) => list.map(({ text }) => text[0]).join('');
  const whole = initials(all);
  const own = initials(all.filter(({ text }) => !legalForms.has(text)));
  return [...new Set([whole, own])].filter(({ length }) => length >= ACRONYM_MIN && length <= ACRONYM_MAX);
}

/** Three letters stand for too many names. */
const ACRONYM_MIN = 4;
const ACRONYM_MAX = 8;

const BRACKETS = /\(([^()]*)\)|\[([^[\]]*)\]/g;

/** The names that a listed name holds: with what stands in brackets, without it, and that by itself if it may be a name (`… CORPS (IRGC)`). */
export function readingsOf(name: string): string[] {
  if (!name.includes('(') && !name.includes('[')) return [name];
  const inner = [...name.matchAll(BRACKETS)].map(([, round, square]) => (round ?? square ?? '').trim());
  if (inner.length === 0) return [name];
  const without = name.replace(BRACKETS, ' ').trim();
  const isName = (text: string) => {
    const tokens = tokenizeOrganization(text);
    const telling = tokens.reduce((sum, { flags }) => sum + tellingOf(flags), 0);
    return telling >= 2 || (tokens.length === 1 && (acronymsOf(without).includes(tokens[0]!.text) || isShortForm(text, without)));
  };
  return [name, ...(/\p{L}/u.test(without) ? [without] : []), ...inner.filter(isName)];
}

/** `AQCF` of `AL-QARAFUWA CHARITABLE FOUNDATION`. A longer word is more likely a place. */
const isShortForm = (text: string, name: string): boolean =>
  /^[A-Z]{4,6}$/.test(text) && name.startsWith(text[0]!) && levelOf(text.toLowerCase(), fold(text.toLowerCase())) === 0;

const wordsIn = (name: string): RomanWord[] => ownWords(name).flatMap(plainly);

/** Names whose words are kept: a name is split for its words and for its acronyms. */
const NAMES_KEPT = 200;

/** The words as written, without legal forms of several words. */
const ownWords = remembering((name): readonly RomanWord[] => {
  const isAscii = ASCII.test(name);
  const text = isAscii ? name : name.normalize('NFKC');
  const written = text
    // `St. Brendan's`: written without it just as often.
    .replace(/(?<=[a-z])['’]s\b/gi, '')
    .replace(/['’‘ʼʻ`´ʾʿˈ"“”«»„]/g, '')
    .replace(/&/g, ' and ')
    // Unicode classes take several times as long.
    .split(isAscii ? /[^A-Za-z0-9]+/ : /[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean)
    .slice(0, TOKENS_MAX * 4);
  const roman = mergeLetters(written.flatMap((word) => romanize(isAscii ? word : withoutHanForm(word), { isAlone: false })));
  return withoutPhrases(roman);
}, NAMES_KEPT);

/** `有限公司` after the name. */
const HAN_FORM = /(?:股份|责任|責任)?有限(?:责任|責任)?公司$|集团$|集團$|公司$|株式会社|株式會社/gu;
const withoutHanForm = (word: string): string => (/\p{Script=Han}/u.test(word) ? word.replace(HAN_FORM, '') || word : word);

/** `S.A.R.L.`, `U. B. A.`: letters on their own that follow each other are one word. */
function mergeLetters(words: RomanWord[]): RomanWord[] {
  const merged: RomanWord[] = [];
  let run = '';
  for (const word of [...words, null]) {
    if (word?.script === 'alphabet' && word.text.length === 1 && /[a-z]/.test(word.text)) {
      run += word.text;
      continue;
    }
    if (run !== '') merged.push({ text: run, script: 'alphabet' });
    run = '';
    if (word) merged.push(word);
  }
  return merged;
}

function withoutPhrases(words: RomanWord[]): RomanWord[] {
  const texts = words.map(({ text }) => text);
  const own: RomanWord[] = [];
  for (let at = 0; at < words.length; ) {
    const phrase = legalPhraseAt(texts, at);
    if (phrase === 0) own.push(words[at]!);
    at += phrase || 1;
  }
  return own.length > 0 ? own : words;
}

/** Words in order, each with its number. */
const numbered = (list: string, first: number): ReadonlyMap<string, string> =>
  new Map(list.split(' ').map((word, i) => [word, String(first + i)]));
const NUMBER_WORDS = numbered(
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty',
  1,
);
const ROMAN = numbered('ii iii iv v vi vii viii ix x xi xii xiii xiv xv', 2);
const ORDINALS = new Map([
  ['1st', 'first'],
  ['2nd', 'second'],
  ['3rd', 'third'],
]);
const BEFORE_NUMBER = new Set(['no', 'nr', 'num', 'number']);

/** Names of licences of the Central Bank of Nigeria. Each abbreviation is read as the words that it stands for. */
const ABBREVIATIONS: ReadonlyMap<string, readonly RomanWord[]> = new Map(
  Object.entries({ mfb: 'microfinance bank', pmb: 'primary mortgage bank' }).map(([short, long]) => [
    short,
    long.split(' ').map((text): RomanWord => ({ text, script: 'alphabet' })),
  ]),
);

function plainly(word: RomanWord, place: number, words: readonly RomanWord[]): RomanWord | readonly RomanWord[] {
  const { text, script } = word;
  if (script !== 'alphabet') return word;
  const whole = ABBREVIATIONS.get(text);
  if (whole) return whole;
  if (BEFORE_NUMBER.has(text) && /^\d|^(?:i{1,3}|iv|vi{0,3})$/.test(words[place + 1]?.text ?? '')) return [];
  // A first word is more likely a name: `Xi Foods`.
  const plain = (place > 0 ? ROMAN.get(text) : undefined) ?? plainOf(text);
  return plain === text ? word : { text: plain, script };
}

const plainOf = remembering((text) => {
  const number = NUMBER_WORDS.get(text) ?? ORDINALS.get(text);
  if (number !== undefined) return number;
  return /^\d+(?:th)?$/.test(text) ? text.replace(/^0+(?=\d)/, '').replace('th', '') : plainWord(text);
});

/** A word that stands alone. */
export const wordToken = (text: string): Token => tokenOf({ text, script: 'alphabet' });

/** A registration number, in the form of `plainRegistration`. Told from words by the sign before it. */
export const registrationToken = (number: string): Token => {
  const text = `0${number.toLowerCase()}`;
  return { text, folded: text, flags: NUMBER, written: 1, isTitled: false };
};

/** Initials and syllables that many names begin with. */
const SHORT = 3;

function tokenOf({ text, script }: RomanWord): Token {
  const cut = text.length > TOKEN_LENGTH_MAX ? text.slice(0, TOKEN_LENGTH_MAX) : text;
  const { folded, flags } = factsOf(cut);
  const ofScript = script === 'abjad' ? ABJAD : script === 'han' ? HAN : script === 'hangul' ? HANGUL : 0;
  return { text: cut, folded, flags: flags | ofScript, written: 1, isTitled: false };
}

/** What a word is in any script. */
const factsOf = remembering((text): Pick<Token, 'folded' | 'flags'> => {
  // Digits have no sound: 1155 is not 15.
  const folded = /\d/.test(text) ? text : fold(text);
  const level = levelOf(text, folded);
  return { folded, flags: (text.length <= SHORT && level === 0 ? COMMON : LEVELS[level]) | (/^\d+$/.test(text) ? NUMBER : 0) };
});
