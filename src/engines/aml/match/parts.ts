/** Compares a word with words that the other side writes separately, part by part, in any spelling: `Benslimane` with `bin Sulayman`. */
import { lettersOf, muteSimilarity, wordSimilarity } from './distance.ts';
import { fold } from './fold.ts';
import { formGroups, isSpelling } from './form-groups.ts';
import { ABJAD } from './tokens.ts';
import { articles, nasabBehind } from './words.ts';

export interface ApartWord {
  text: string;
  flags: number;
}

/** Similarity of a part and a word that are spellings of one name. */
const SPELT = 0.95;
/** Least similarity of a part that differs in a letter, as romanizations do (`tigani`, `tijani`). With more differences, too many words would look like two others joined. */
const LETTER_MIN = 0.88;
/** Most letters by which a part may be longer or shorter than the word that it stands for. */
const SLACK = 2;
/** The same, if one of the two comes from a script without vowels. */
const MUTE_SLACK = 4;
/** Shorter parts are compared only if they are particles. */
const NAME_MIN = 3;

/** Each line is one particle, as a separate word and as part of a longer one: `Belkacem` is `Abu al-Qasim`, and `Belhadj` is `bin al-Hajj`. */
const SAME_PARTICLES: readonly string[] = ['bin ben ibn be', 'abu abou abo aboo bou bu be', [...articles, 'l'].join(' ')];
/** Particle → the lines that contain it, as bits. */
const kinds = new Map<string, number>();
for (const [i, line] of SAME_PARTICLES.entries()) for (const text of line.split(' ')) kinds.set(text, (kinds.get(text) ?? 0) | (1 << i));
const kindsOf = (text: string): number => kinds.get(text) ?? 0;

/** `Hashimovich` is `Hashim oglu`, and `Hashimovna` is `Hashim kyzy`. */
const OF_SON = /^[aeoiy]?v(?:ich|itch|ych)$/;
const OF_DAUGHTER = /^[aeoiy]?vna$/;
const DAUGHTER = /^[kqg][iy]z/;

/** Spellings of one name begin with letters from the same line. Checking that first rules out most pairs cheaply. */
const BEGINNINGS: readonly string[] = ['aeiouyjhwv', 'ckqgxhj', 'szctxj', 'bpvwf', 'dtz', 'm', 'n', 'l', 'r'];
const beginnings = new Uint16Array(128);
for (const [i, letters] of BEGINNINGS.entries()) for (const letter of letters) beginnings[letter.charCodeAt(0)]! |= 1 << i;
const beginAlike = (one: string, other: string): boolean => (beginnings[one.charCodeAt(0)]! & beginnings[other.charCodeAt(0)]!) !== 0;

/** Similarity from 0 (the words do not fit) to 1 (the same letters). `apart`: two or three words. `mayDiffer`: a part may differ from its word in one letter. */
export function alikeInParts(one: ApartWord, apart: readonly ApartWord[], mayDiffer: boolean): number {
  return apart.some(({ text }) => text.length >= NAME_MIN && !isParticle(text)) ? best(one, one.text, apart, 0, mayDiffer) : 0;
}

function best(one: ApartWord, text: string, apart: readonly ApartWord[], at: number, mayDiffer: boolean): number {
  const word = apart[at]!;
  if (!mayBegin(text, word.text)) return 0;
  if (at === apart.length - 1) return alike(text, one.flags, word, mayDiffer);
  let most = 0;
  const slack = (one.flags | word.flags) & ABJAD ? MUTE_SLACK : SLACK;
  const longest = Math.min(word.text.length + slack, text.length - (apart.length - 1 - at));
  for (let cut = Math.max(1, word.text.length - slack); cut <= longest; cut++) {
    const first = alike(text.slice(0, cut), one.flags, word, mayDiffer);
    if (first > most) most = Math.max(most, first * best(one, text.slice(cut), apart, at + 1, mayDiffer));
  }
  return most;
}

/** Whether `text` may begin with the word or a form of it. Only false is certain. */
const mayBegin = (text: string, word: string): boolean => text[0] === word[0] || beginAlike(text, word) || isParticle(word);

const isParticle = (text: string): boolean => kindsOf(text) !== 0 || nasabBehind.has(text);

function alike(part: string, flags: number, word: ApartWord, mayDiffer: boolean): number {
  if (part === word.text || kindsOf(part) & kindsOf(word.text)) return 1;
  if (nasabBehind.has(word.text)) return (DAUGHTER.test(word.text) ? OF_DAUGHTER : OF_SON).test(part) ? SPELT : 0;
  if (part.length < NAME_MIN || word.text.length < NAME_MIN || !beginAlike(part, word.text)) return 0;
  if ((flags ^ word.flags) & ABJAD) {
    const [mute, full] = flags & ABJAD ? [part, word.text] : [word.text, part];
    return muteSimilarity(lettersOf(fold(mute)), lettersOf(fold(full)));
  }
  const [mine, theirs] = [fold(part), fold(word.text)];
  if (mine === theirs) return 1;
  const groups = formGroups(mine);
  if (formGroups(theirs).some((group) => isSpelling(group) && groups.includes(group))) return SPELT;
  if (!mayDiffer) return 0;
  const similarity = Math.max(wordSimilarity(mine, theirs), wordSimilarity(part, word.text));
  return similarity >= LETTER_MIN ? similarity : 0;
}
