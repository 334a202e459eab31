/** Whether a word consists of words that the other side writes apart, each in any spelling: `Benslimane`, `bin Sulayman`. */
import { lettersOf, muteSimilarity, wordSimilarity } from './distance.ts';
import { fold } from './fold.ts';
import { formGroups, isSpelling } from './spellings.ts';
import { ABJAD } from './tokens.ts';
import { articles, nasabBehind } from './words.ts';

export interface ApartWord {
  text: string;
  flags: number;
}

/** Another spelling of a part. */
const SPELT = 0.95;
/** One letter that romanisations differ in (`tigani`, `tijani`). More are too many: many words begin and end like two others. */
const LETTER_MIN = 0.88;
/** How much longer or shorter a part may be than the word that it stands for, and if one of them has no vowels. */
const SLACK = 2;
const MUTE_SLACK = 4;
const NAME_MIN = 3;

/** The same particle, as it is written alone and as it begins a word: `Belkacem` is `bu al-Qasim`, `Belhadj` `bin al-Hajj`. */
const SAME_PARTICLES: readonly string[] = ['bin ben ibn be', 'abu abou abo aboo bou bu be', [...articles, 'l'].join(' ')];
/** Particle → the lines above that it is in, as bits. */
const kinds = new Map<string, number>();
for (const [i, line] of SAME_PARTICLES.entries()) for (const text of line.split(' ')) kinds.set(text, (kinds.get(text) ?? 0) | (1 << i));
const kindsOf = (text: string): number => kinds.get(text) ?? 0;

/** `Hashimovich` is `Hashim oglu`, `Hashimovna` `Hashim kyzy`. */
const OF_SON = /^[aeoiy]?v(?:ich|itch|ych)$/;
const OF_DAUGHTER = /^[aeoiy]?vna$/;
const DAUGHTER = /^[kqg][iy]z/;

/** Letters with which spellings of one name begin. Other parts need not be compared, which most are. */
const BEGINNINGS: readonly string[] = ['aeiouyjhwv', 'ckqgxhj', 'szctxj', 'bpvwf', 'dtz', 'm', 'n', 'l', 'r'];
const beginnings = new Uint16Array(128);
for (const [i, letters] of BEGINNINGS.entries()) for (const letter of letters) beginnings[letter.charCodeAt(0)]! |= 1 << i;
const beginAlike = (one: string, other: string): boolean => (beginnings[one.charCodeAt(0)]! & beginnings[other.charCodeAt(0)]!) !== 0;

/** From 0, for words that do not fit, to 1, for the same letters. `apart`: two words or three. `mayDiffer`: a part may differ in a letter. */
export function alikeInParts(one: ApartWord, apart: readonly ApartWord[], mayDiffer: boolean): number {
  return apart.some(({ text }) => text.length >= NAME_MIN && !isParticle(text)) ? best(one, one.text, apart, 0, mayDiffer) : 0;
}

function best(one: ApartWord, text: string, apart: readonly ApartWord[], at: number, mayDiffer: boolean): number {
  const word = apart[at]!;
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
