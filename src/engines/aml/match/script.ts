/**
 * Turns a word in any script into plain lower-case ASCII, as people romanize names: Han by pinyin, Hangul by sound, Arabic and Hebrew by their
 * letters (short vowels are not written), everything else by `any-ascii`.
 */
import { createRequire } from 'node:module';
import anyAscii from 'any-ascii';
import { plainArabic, readArabic } from './arabic.ts';

/** Loaded with the first name in Han: its dictionary takes 60 ms in each process and thread. */
let pinyin: typeof import('pinyin-pro').pinyin | null = null;
const loadPinyin = () => (createRequire(import.meta.url)('pinyin-pro') as typeof import('pinyin-pro')).pinyin;

export interface RomanWord {
  /** `a` to `z` and digits. */
  text: string;
  /** `voiced`: in Arabic letters, but with the vowels that everybody reads there. */
  script: 'alphabet' | 'abjad' | 'voiced' | 'han' | 'hangul';
}

export const ASCII = /^[\x20-\x7e]*$/;
const LETTERS_AND_DIGITS = /^[A-Za-z0-9]+$/;
const HAN = /\p{Script=Han}/u;
const HANGUL = /\p{Script=Hangul}/u;
/** Runs of one script: a family name in Han may precede a given name in kana. */
const RUNS =
  /\p{Script=Han}+|\p{Script=Hangul}+|[\p{Script=Arabic}\p{Script=Hebrew}][\p{Script=Arabic}\p{Script=Hebrew}\p{M}]*|[^\p{Script=Han}\p{Script=Hangul}\p{Script=Arabic}\p{Script=Hebrew}]+/gu;
const ABJAD = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;
const GREEK = /\p{Script=Greek}/u;

/**
 * Romanizes one word as written. Empty if it has no letter or digit. `isAlone`: the word is the whole name, so in a script without spaces it hides
 * several names.
 */
export function romanize(word: string, { isAlone }: { isAlone: boolean }): RomanWord[] {
  if (LETTERS_AND_DIGITS.test(word)) return [{ text: word.toLowerCase(), script: 'alphabet' }];
  if (ASCII.test(word)) return romanWord(word.toLowerCase(), 'alphabet');
  const runs = word.match(RUNS) ?? [];
  if (runs.length > 1) return runs.flatMap((run) => romanize(run, { isAlone: false }));
  if (HAN.test(word)) return fromHan(word, isAlone);
  if (HANGUL.test(word)) return fromHangul(word, isAlone);
  if (ABJAD.test(word)) return fromAbjad(word);
  return anyAscii(GREEK.test(word) ? inLetters(word) : composed(word))
    .split(/[\s-]+/)
    .flatMap((part) => romanWord(part.toLowerCase(), 'alphabet'));
}

function romanWord(text: string, script: RomanWord['script']): RomanWord[] {
  const letters = text.replace(/[^a-z0-9]/g, '');
  return letters === '' ? [] : [{ text: letters, script }];
}

/** German and Nordic letters keep their usual two-letter spelling, Lü and Nü the one of Chinese keyboards, and Azeri ə is a as in passports; of every other marked letter only the mark is dropped. */
const composed = (word: string): string =>
  word
    .replace(/[äÄ]/g, 'ae')
    .replace(/[öÖøØ]/g, 'oe')
    .replace(/^([ln])[üÜ]$/i, '$1v')
    .replace(/[üÜ]/g, 'ue')
    .replace(/[åÅ]/g, 'a')
    .replace(/[þÞ]/g, 'th')
    .replace(/[əƏ]/g, 'a');

/** Sounds that Greek writes with two letters (`Παπαδόπουλος`, `Μπακογιάννη`), romanized by ELOT 743, as in passports. */
const GREEK_SOUNDS: readonly (readonly [RegExp, string])[] = [
  [/ου/g, 'ou'],
  [/([αεη])υ(?=[βγδζλμνραεηιοω])/g, '$1v'],
  [/([αεη])υ/g, '$1f'],
  [/γ(?=[γξχ])/g, 'n'],
  [/^μπ/g, 'b'],
  [/^ντ/g, 'd'],
  [/^γκ/g, 'g'],
];

const inLetters = (word: string): string =>
  GREEK_SOUNDS.reduce(
    (text, [letters, sound]) => text.replace(letters, sound),
    word
      .normalize('NFD')
      .replace(/[\u0300-\u0344]/g, '')
      .toLowerCase(),
  );

/** Family names of two characters (Hundred Family Surnames and the common modern ones). */
const DOUBLE_SURNAMES = new Set(
  '欧阳 歐陽 司马 司馬 上官 诸葛 諸葛 夏侯 皇甫 尉迟 公孙 公孫 慕容 司徒 令狐 端木 独孤 南宫 南宮 东方 東方 西门 西門 百里 呼延 长孙 長孫'.split(
    ' ',
  ),
);
const HAN_NAME_MAX = 4;

/** A name of two to four characters is family name and given name. Anything longer is one word (a transcribed foreign name). */
function fromHan(word: string, isAlone: boolean): RomanWord[] {
  const characters = [...word].filter((character) => HAN.test(character));
  pinyin ??= loadPinyin();
  const syllables = pinyin(characters.join(''), { toneType: 'none', type: 'array', surname: 'head', v: false }).map((syllable) =>
    anyAscii(syllable).toLowerCase(),
  );
  if (!isAlone || characters.length < 2 || characters.length > HAN_NAME_MAX) return romanWord(syllables.join(''), 'han');
  const familyLength = characters.length > 2 && DOUBLE_SURNAMES.has(characters.slice(0, 2).join('')) ? 2 : 1;
  return [...romanWord(syllables.slice(0, familyLength).join(''), 'han'), ...romanWord(syllables.slice(familyLength).join(''), 'han')];
}

/** Sounds of the parts of a syllable block (Unicode 15, 3.12), close to how Koreans of either state write their names. */
const INITIALS = 'k kk n d tt r m b pp s ss  j jj ch k t p h'.split(' ');
const MEDIALS = 'a ae ya yae o e yo ye o wa wae oe yo u wo we wi yu u ui i'.split(' ');
const FINALS = ' k k k n n n t l l l l l l l l m p p t t ng t t k t p t'.split(' ');
const HANGUL_FIRST = 0xac00;
const HANGUL_LAST = 0xd7a3;
/** Families whose usual spelling differs from the sound. */
const KOREAN_FAMILIES: Record<string, string> = {
  이: 'lee',
  리: 'ri',
  림: 'rim',
  임: 'im',
  박: 'pak',
  최: 'choe',
  노: 'no',
  로: 'ro',
  류: 'ryu',
  유: 'yu',
};

function fromHangul(word: string, isAlone: boolean): RomanWord[] {
  const blocks = [...word].filter((character) => HANGUL.test(character));
  const sound = (block: string): string => {
    const at = block.charCodeAt(0);
    if (at < HANGUL_FIRST || at > HANGUL_LAST) return '';
    const index = at - HANGUL_FIRST;
    return `${INITIALS[Math.floor(index / 588)]}${MEDIALS[Math.floor((index % 588) / 28)]}${FINALS[index % 28]}`;
  };
  const family = romanWord(KOREAN_FAMILIES[blocks[0]!] ?? sound(blocks[0]!), 'hangul');
  if (blocks.length === 1) return family;
  if (!isAlone || blocks.length > HAN_NAME_MAX) return romanWord(blocks.map(sound).join(''), 'hangul');
  return [...family, ...romanWord(blocks.slice(1).map(sound).join(''), 'hangul')];
}

/** Arabic, with the letters of Persian, Urdu and Pashto, and Hebrew. Ayn and hamza have no letter of their own in Latin names. */
const LETTERS: Record<string, string> = Object.fromEntries(
  (
    'ا:a أ:a إ:i آ:a ٱ:a ب:b ت:t ث:th ج:j ح:h خ:kh د:d ذ:dh ر:r ز:z س:s ش:sh ص:s ض:d ط:t ظ:z غ:gh ف:f ق:q ك:k ل:l م:m ن:n ه:h و:w ي:y ى:a ة:a ئ:y ؤ:w ' +
    'پ:p چ:ch ژ:zh گ:g ک:k ی:y ں:n ٹ:t ڈ:d ڑ:r ے:e ۍ:y ې:e ہ:h ھ:h څ:ts ځ:dz ښ:sh ړ:r ڼ:n ' +
    'א:a ב:b ג:g ד:d ה:h ו:v ז:z ח:h ט:t י:y כ:k ך:k ל:l מ:m ם:m נ:n ן:n ס:s פ:p ף:f צ:ts ץ:ts ק:k ר:r ש:sh ת:t'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);

/** Ayn, hamza, and the mark that lengthens a line. `any-ascii` reads letters of languages other than those above. */
const SILENT = new Set('عءـ');

/** Readings of words that are not names by themselves. */
const joins = new Set('bin ibn bint abu abi umm wuld sayyid shaykh haji mullah mawlawi qari hafiz agha khan'.split(' '));

function fromAbjad(word: string): RomanWord[] {
  const plain = plainArabic(word).replace(/[^\p{L}]/gu, '');
  const compound = /^(.{2,})(الدين|الله)$/u.exec(plain);
  if (plain === 'الله') return romanWord('allah', 'alphabet');
  if (plain === 'عبدالله') return romanWord('abdullah', 'alphabet');
  if (compound) return [...fromAbjad(compound[1]!), ...fromAbjad(compound[2]!)];
  if (/^عبدال.{2}/u.test(plain)) return [...romanWord('abd', 'alphabet'), ...fromAbjad(plain.slice(3))];
  const read = readArabic(plain);
  if (read !== undefined) return romanWord(read, joins.has(read) ? 'alphabet' : 'voiced');
  // The article is written together with its word.
  if (/^ال.{3}/u.test(plain)) return [...romanWord('al', 'alphabet'), ...fromAbjad(plain.slice(2))];
  return romanWord([...plain].map(romanLetter).join(''), 'abjad');
}

function romanLetter(letter: string, i: number, word: string[]): string {
  // An initial ayn is heard as its vowel; a final he is a vowel.
  if (
    (letter === 'ع' && i === 0) ||
    (letter === 'ه' && i > 1 && i === word.length - 1) ||
    (letter === 'ה' && i > 0 && i === word.length - 1)
  )
    return 'a';
  return (
    LETTERS[letter] ??
    (SILENT.has(letter)
      ? ''
      : anyAscii(letter)
          .toLowerCase()
          .replace(/[^a-z]/g, ''))
  );
}
