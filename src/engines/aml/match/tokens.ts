/** Splits a written name into the words that are compared, each with its weight. */
import { withoutFinalArticle } from './compounds.ts';
import { areFar, letterSimilarity, lettersIn, lettersOf, wordSimilarity } from './distance.ts';
import { fold } from './fold.ts';
import { commonness, isKnown } from './known.ts';
import { remembering } from './remembering.ts';
import { ASCII, type RomanWord, romanize } from './script.ts';
import { nameGroups } from './spellings.ts';
import { isDialect, isEasternFamily, isOneSyllable, isSyllabic, oneKorean, withoutUmlaut } from './syllables.ts';
import { articles, kunya, namelikeTitles, nasab, offices, particles, servant, softTitles, suffixes, titles } from './words.ts';

/** Kinds of word, as bits that the index stores. */
export const PARTICLE = 1;
export const INITIAL = 2;
export const SOFT = 4;
/** From a script without vowels. */
export const ABJAD = 8;
export const NASAB = 16;
/** From Han or Hangul: a syllable that sounds different is another name, not a slip of the pen. */
export const HAN = 32;
export const HANGUL = 64;
/** A name that millions have, or one too short to say much. */
export const COMMON = 128;
/** A particle before or after all names, where it may be a name itself: `Ben Okoro`, `Sani Abu`. */
export const EDGE = 256;
/** In Arabic letters, with the vowels that everybody reads there. */
export const VOICED = 512;
/** A word of a name of China, Korea or Vietnam in Latin letters: another syllable is another name. */
export const SYLLABIC = 1024;
/** A common name, and any known name (`known-names.ts`): alone or beside another one it says little. */
export const FREQUENT = 2048;
export const KNOWN = 4096;
/** Whether millions of people have the name, by the counts in `known-names.ts`. */
export const MILLIONS = 8192;
/** Beside `SYLLABIC`: the name may be in Cantonese or Hokkien spelling. */
export const DIALECT = 16_384;

export interface Token {
  text: string;
  folded: string;
  flags: number;
  /** Number of words as written: two for `Abdul Rahman`. */
  written: number;
  /** A title before the name was dropped: `Chief Mba` is more than `Mba`. */
  isTitled: boolean;
}

/** Longer names are cut: no person has that many words, and the cost of pairing grows with them. */
const TOKENS_MAX = 16;
const TOKEN_LENGTH_MAX = 40;

/** Empty for a name without a letter or digit. */
export function tokenize(name: string): Token[] {
  const words = wordsIn(givenFirst(name));
  const isAlone = words.length === 1;
  const roman = words
    .slice(0, TOKENS_MAX * 4)
    .flatMap((word) => (isInitials(word, words) ? [...word.toLowerCase()].map(letterOf) : romanize(word, { isAlone })));
  const merged = mergeEndings(mergeServants(roman));
  const untitled = withoutTitles(merged);
  const isTitled = untitled[0] !== merged[0] && !offices.has(merged[0]!.text);
  const tokens = untitled.slice(0, TOKENS_MAX).map((word) => tokenOf(word, isTitled));
  markSyllables(tokens);
  markEdges(tokens, name);
  unifyArticles(tokens);
  // `Le Van`, `J. C.`: if there is nothing else, these words are the name.
  if (tokens.every(({ flags }) => flags & (EDGE | INITIAL))) for (const token of tokens) token.flags &= ~(EDGE | INITIAL | NASAB);
  return dropRepeated(tokens);
}

/** `Ma.`, as Spanish and Filipino women are registered; without its point it is a Chinese family name. */
const MARIA = /(^|[\s,])ma\.(?=[\s\p{L}])/giu;
/** `Md`, as in Bangladesh, where it is written first. Behind a name it is a degree. */
const MUHAMMAD = /^\s*md\b\.?(?=.*\p{L})/iu;

/** Unicode classes take several times as long to match, and most names need none. */
function wordsIn(written: string): string[] {
  const unabridged = written.includes('.') ? written.replace(MARIA, '$1Maria ') : written;
  const name = /^\s*m/i.test(unabridged) ? unabridged.replace(MUHAMMAD, 'Muhammad ') : unabridged;
  const words = ASCII.test(name)
    ? name.replace(/['`"]/g, '').split(/[^A-Za-z0-9]+/)
    : name
        .normalize('NFC')
        .replace(/['’‘ʼʻ`´ʾʿˈ"“”«»]/g, '')
        // A point between letters separates initials; the middle dot separates foreign names in Han and Katakana.
        .split(/[^\p{L}\p{M}\p{N}]+/u);
  return words.filter(Boolean);
}

/** `LAST, First` is `First LAST`. */
function givenFirst(name: string): string {
  const comma = name.indexOf(',');
  return comma === -1 || name.includes(',', comma + 1) ? name : `${name.slice(comma + 1)} ${name.slice(0, comma)}`;
}

const letterOf = (text: string): RomanWord => ({ text, script: 'alphabet' });

type Word = RomanWord & Pick<Token, 'written'>;

/** Only before and after the name: between its words, a title is one of them. */
function withoutTitles(words: Word[]): Word[] {
  let from = 0;
  let to = words.length;
  while (from < to - 1 && titles.has(words[from]!.text) && namesIn(words, from + 1, to) >= (namelikeTitles.has(words[from]!.text) ? 2 : 1))
    from++;
  while (to - 1 > from && suffixes.has(words[to - 1]!.text) && namesIn(words, from, to - 1) >= 2) to--;
  return words.slice(from, to);
}

const namesIn = (words: Word[], from: number, to: number): number =>
  words.slice(from, to).filter(({ text }) => text.length > 1 && !particles.has(text)).length;

/** A particle joins two names. Before the first name or after the last it joins nothing, unless it is written as part of one (`al-Masri`). */
function markEdges(tokens: Token[], name: string): void {
  const first = tokens.findIndex(({ flags }) => !(flags & (PARTICLE | INITIAL)));
  const last = tokens.findLastIndex(({ flags }) => !(flags & (PARTICLE | INITIAL)));
  for (const [i, token] of tokens.entries()) {
    if (!(token.flags & PARTICLE) || (first !== -1 && i > first && i < last)) continue;
    if (articles.has(token.text) && i < first && name.toLowerCase().includes(`${token.text}-`)) continue;
    token.flags = (token.flags & ~PARTICLE) | EDGE;
  }
}

const ARTICLE_BEFORE_ANY = new Set(['el', 'ul', 'ur', 'er']);
/** Gives the Arabic article one spelling. It has several (`el-Sayed`, `al-Sayed`), and its last letter may become the first letter of the next name (`as-Sayed`). */
function unifyArticles(tokens: Token[]): void {
  for (const [i, token] of tokens.entries()) {
    if (!(token.flags & (PARTICLE | EDGE)) || token.flags & SYLLABIC || !articles.has(token.text)) continue;
    if (!ARTICLE_BEFORE_ANY.has(token.text) && !tokens[i + 1]?.text.startsWith(token.text.slice(1))) continue;
    token.text = 'al';
    token.folded = 'al';
  }
}

/** `JC`, `AO`, `TE`: two capitals in a name that is not in capitals as a whole, unless they are a name. Two vowels are no name in any case. */
function isInitials(word: string, words: string[]): boolean {
  if (word.length !== 2 || words.length < 2 || !/^[A-Z]{2}$/i.test(word)) return false;
  const lower = word.toLowerCase();
  if (SHORT_NAMES.has(lower) || isEasternFamily(lower)) return false;
  if (/^[aeiou]{2}$/.test(lower)) return word === word.toUpperCase() || words.every((other) => other === other.toLowerCase());
  if (word !== word.toUpperCase() || words.every((other) => other === other.toUpperCase())) return false;
  return /^[^aeiouy]{2}$/.test(lower) || !isSyllabic(words.map((other) => other.toLowerCase()));
}

/** Words of two letters that are names or belong to names, even in capitals. */
const SHORT_NAMES = new Set(
  'al el ad ul ur an ar as at az de di da do du la le lo ng md st mr ms dr jr sr ii iv bo jo ed ty cy om'.split(' '),
);

function tokenOf({ text, script, written }: Word, isTitled: boolean): Token {
  const cut = text.length > TOKEN_LENGTH_MAX ? text.slice(0, TOKEN_LENGTH_MAX) : text;
  const { folded, flags } = factsOf[script](cut);
  return { text: cut, folded, flags, written, isTitled };
}

/** What a word is by itself, by script. */
const factsOf = Object.fromEntries(
  (['alphabet', 'abjad', 'voiced', 'han', 'hangul'] as const).map((script) => [script, remembering((text) => facts(text, script))]),
) as Record<RomanWord['script'], (text: string) => Pick<Token, 'folded' | 'flags'>>;

function facts(text: string, script: RomanWord['script']): Pick<Token, 'folded' | 'flags'> {
  const folded = fold(text);
  const isParticle = particles.has(text) || kunya.has(text);
  const flags =
    (isParticle ? PARTICLE : 0) |
    (text.length === 1 && (script === 'alphabet' || script === 'abjad') ? INITIAL : 0) |
    (softTitles.has(text) ? SOFT : 0) |
    (nasab.has(text) ? NASAB : 0) |
    (script === 'abjad' ? ABJAD : 0) |
    (script === 'voiced' ? VOICED : 0) |
    (script === 'han' ? HAN : 0) |
    (script === 'hangul' ? HANGUL : 0) |
    (folded.length <= (script === 'han' || script === 'hangul' ? COMMON_SYLLABLES : COMMON_LENGTH) ||
    nameGroups(folded).length > 0 ||
    text === 'abdul'
      ? COMMON
      : 0) |
    (commonness(folded) >= 1 ? FREQUENT : 0) |
    (commonness(folded) >= 2 ? MILLIONS : 0) |
    (isKnown(folded) ? KNOWN : 0);
  return { folded, flags };
}

/** Lengths of a folded word: syllables that many names consist of. */
const COMMON_LENGTH = 3;
const COMMON_SYLLABLES = 5;

/** `Abd al-Rahman`, `Abdul Rahman`, `Abdurrahman`: one name, with one spelling of its beginning. */
function mergeServants(words: RomanWord[]): Word[] {
  const merged: Word[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (!isServant(word.text, words[i + 1]?.text)) {
      merged.push({ text: word.script === 'alphabet' ? plainServant(word.text) : word.text, script: word.script, written: 1 });
      continue;
    }
    const hasArticle = articles.has(words[i + 1]?.text ?? '') && i + 2 < words.length;
    const of = words[i + (hasArticle ? 2 : 1)];
    if (!of || of.text.length < 2 || servant.has(of.text) || particles.has(of.text)) {
      merged.push({ ...word, text: 'abdul', written: 1 });
      continue;
    }
    const isGod = /^(allah|ullah|alah|lah|llah|lh|llh)$/.test(of.text);
    merged.push({ text: isGod ? 'abdullah' : `abdul${of.text}`, script: isGod ? 'alphabet' : of.script, written: 2 });
    i += hasArticle ? 2 : 1;
  }
  return merged;
}

const GOD = /^(?:[aou]l)?l+ah$/;
/** `al-Din` after a name, in one word or, after an article, in two. */
const FAITH_ENDING = /^(?:e|u|o|a)(?:d|l)d(?:i|ee|ie|y)ne?$/;
const FAITH = /^d(?:i|ee|ie|y)ne?$/;
/** `Noureddine`, `Salahuddin`, `Nuraldin`. */
const ENDING_IN_FAITH = /^(.{2,}?)[aeou]{1,2}(?:d{1,2}|ld)(?:i|ee|ie|y)ne?$/;

/** `Nur al-Din`, `Nour Eddine`, `Saif Ullah`: one name, with one spelling of its ending. */
function mergeEndings(words: Word[]): Word[] {
  const merged: Word[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const next = words[i + 1]?.text ?? '';
    const mayJoin = word.text.length > 1 && !particles.has(word.text) && !kunya.has(word.text) && !softTitles.has(word.text);
    const hasArticle = articles.has(next) && FAITH.test(words[i + 2]?.text ?? '');
    const isFaith = mayJoin && (hasArticle || FAITH_ENDING.test(next));
    const isGod = mayJoin && GOD.test(next) && word.text.length > 2;
    if (isFaith || isGod) {
      merged.push({ ...word, text: isFaith ? plainFaith(`${word.text}uddin`, word.script) : `${word.text}ullah`, written: 2 });
      i += isFaith && hasArticle ? 2 : 1;
    } else if (word.script === 'alphabet') merged.push({ text: plainEnding(word.text), script: word.script, written: word.written });
    else merged.push(word);
  }
  return merged;
}

const plainEnding = remembering((text) => withoutFinalArticle(withoutArticle(plainFaith(text, 'alphabet'))));

/** The vowels are those of a language, so the ending has one spelling; a word without vowels has none. */
function plainFaith(text: string, script: RomanWord['script']): string {
  if (script === 'abjad') return text.replace(/uddin$/, 'din');
  const written = text.length > 5 && text.includes('d') ? ENDING_IN_FAITH.exec(text) : null;
  return written ? `${written[1]}uddin` : text;
}

/** `Essaadi`, `Elsseid`: the article as it is heard before the letter, written together with the name in Tunisia and Algeria. */
const HEARD_ARTICLE = /^(?:e(?=(ss|zz|rr|nn|tt|dd)[aeiou].{3})|el(?=(ss|zz|rr|nn|tt|dd)[aeiou].{2}))/;

/** `saadi` of `essaadi`, as of `al-Saadi`. */
function withoutArticle(text: string): string {
  const article = text.startsWith('e') && !text.endsWith('uddin') ? HEARD_ARTICLE.exec(text) : null;
  return article ? text.slice(article[0].length + 1) : text;
}

const SERVANT_MIN = 0.84;
/** For a word followed by an article, which is further evidence. */
const SHORT_SERVANT_MIN = 0.75;
const LONG_SERVANTS = [...servant].filter((word) => word.length === 5).map(lettersOf);
const lettersOfServants = LONG_SERVANTS.map(lettersIn);
/** Allows for slips; otherwise the word after it would stand alone. */
const isServant = (word: string, next: string | undefined): boolean =>
  servant.has(word) ||
  (word.length > 3 && word.length < 7 && (word.includes('d') || word.includes('b')) && isLikeServant(word)) ||
  (word.length === 4 && articles.has(next ?? '') && wordSimilarity(word, 'abd') >= SHORT_SERVANT_MIN);

const isLikeServant = remembering((word) => {
  const mine = lettersOf(word);
  const letters = lettersIn(mine);
  return LONG_SERVANTS.some(
    (form, i) => !areFar(letters, word.length, lettersOfServants[i]!, form.bytes.length) && letterSimilarity(mine, form) >= SERVANT_MIN,
  );
});

/** The article assimilates to the next letter: `Abdurrahman`, `Abdussalam`. */
const plainServant = (word: string): string => (word.includes('abd') ? withPlainServant(word) : word);

const withPlainServant = remembering((word) => {
  const written = /^(?:c|k)?abd(?:[aeou]|ou)?(?:l|(?=(rr|ss|nn|zz|tt|dd|sh)))(.{3,})$/.exec(word);
  if (!written) return word;
  const behind = written[1] ? written[2]!.slice(1) : written[2]!;
  return /^(?:l?ah|lahi?|ahi)$/.test(behind) ? 'abdullah' : `abdul${behind}`;
});

/** Marks the words of a name made of syllables, and gives those of a Korean one a single romanization. */
function markSyllables(tokens: Token[]): void {
  if (!tokens.some(({ text }) => isEasternFamily(text))) return;
  const texts = tokens.map(({ text }) => text);
  if (tokens.some(({ flags }) => flags & (ABJAD | VOICED | HAN | HANGUL)) || !isSyllabic(texts)) return;
  const korean = oneKorean(texts);
  const flags = isDialect(texts) ? SYLLABIC | DIALECT : SYLLABIC;
  for (const [i, token] of tokens.entries()) {
    token.flags |= flags;
    if (isEasternFamily(token.text)) token.flags &= ~(PARTICLE | NASAB);
    token.text = withoutUmlaut(token.text);
    token.folded = fold(korean[i] === texts[i] ? token.text : korean[i]!);
  }
}

/**
 * `Sergey Sergey Shoigu`: a repeated word counts once, but a repeated syllable is another name. `Bello Bello` keeps both words, because it is more
 * than `Bello`.
 */
function dropRepeated(tokens: Token[]): Token[] {
  if (tokens.every(({ text }, i) => tokens.findIndex((other) => other.text === text) === i)) return tokens;
  const names = new Set(tokens.filter(({ flags }) => !(flags & (PARTICLE | EDGE | INITIAL))).map(({ text }) => text));
  if (names.size < 2) return tokens;
  const seen = new Set<string>();
  return tokens.filter(({ text, flags }) => {
    if (flags & (PARTICLE | INITIAL) || (flags & SYLLABIC && isOneSyllable(text))) return true;
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew;
  });
}

/** Weight of a word in a name. */
export function weightOf(flags: number, length: number): number {
  if (flags & PARTICLE) return 0.2;
  if (flags & INITIAL) return 0.4;
  if (flags & SOFT) return 0.3;
  return length < 3 ? 0.8 : 1;
}
