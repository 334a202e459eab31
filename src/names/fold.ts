/** Reduces a written name to the plain words that are compared: no case, accents, punctuation or titles. */

/** Letters that Unicode does not decompose into a base letter and a mark: Hausa hooks, Igbo and Ijaw letters, and those of neighbouring languages. */
const LETTERS: Record<string, string> = {
  ɓ: 'b',
  ɗ: 'd',
  ƙ: 'k',
  ƴ: 'y',
  ŋ: 'n',
  ɛ: 'e',
  ɔ: 'o',
  ǝ: 'e',
  ə: 'e',
  ɖ: 'd',
  ø: 'o',
  ł: 'l',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
};

/** Titles before a name that are not part of it. Registries put some of them into the first name. */
const TITLES = new Set(
  (
    'mr mrs miss ms mister madam dr doctor prof professor engr engineer barr barrister arc architect surv surveyor pharm rev reverend revd ' +
    'pastor pst bishop apostle evangelist evang deacon deaconess elder fr sr bro hon honourable sen senator chief otunba oloye prince princess ' +
    'alhaji alh alhaja hajia hajiya haj mallam malam mal sheikh shaykh ustaz ustadh imam sir lady capt captain maj col gen'
  ).split(' '),
);

/** Suffixes that follow a name. */
const SUFFIXES = new Set('jr jnr junior snr senior esq ii iii iv'.split(' '));

/** Particles that are never a whole name: they belong to what follows (`Abdul Rahman`, `Oluwa Seun`). */
const BEGINNINGS = new Set(['abdul', 'abdur', 'abdus', 'abd', 'oluwa', 'chukwu', 'chuku', 'oghene', 'nur']);

const isPlain = (name: string): boolean => /^[A-Za-z ]*$/.test(name);

/** Lower case without marks. Apostrophes are dropped; every other non-letter becomes a space. */
function plain(name: string): string {
  if (isPlain(name)) return name.toLowerCase();
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}|['’‘ʼʻ`´ˈ"“”]/gu, '')
    .replace(/[^a-z\s]/gu, (letter) => LETTERS[letter] ?? (/\p{L}/u.test(letter) ? letter : ' '));
}

/** For texts compared letter by letter: ignores case, runs of blanks and how an accent is composed. */
export const plainly = (text: string): string => text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();

export interface FoldedName {
  /** All letters without gaps, so that `Adé-Ọlá`, `Ade Ola` and `ADEOLA` are equal. */
  joined: string;
  /** The words without titles; with them if there is nothing else. */
  words: readonly string[];
}

export function foldName(name: string): FoldedName {
  const all = plain(name).split(/\s+/).filter(Boolean);
  const words = withoutTitles(all);
  return { joined: words.join(''), words: withBeginnings(words) };
}

function withoutTitles(words: readonly string[]): readonly string[] {
  let from = 0;
  let to = words.length;
  while (from < to - 1 && TITLES.has(words[from]!)) from++;
  while (to - 1 > from && SUFFIXES.has(words[to - 1]!)) to--;
  return words.slice(from, to);
}

function withBeginnings(words: readonly string[]): readonly string[] {
  if (words.length < 2) return words;
  const whole: string[] = [];
  let beginning = '';
  for (const [i, word] of words.entries()) {
    beginning += word;
    if (BEGINNINGS.has(word) && i < words.length - 1) continue;
    whole.push(beginning);
    beginning = '';
  }
  return whole;
}
