/** What different romanizations of one word have in common. `fold` is a single spelling for most of them; `skeleton` is their consonants. */

/** Groups of letters → the letter that stands for their sound: `c` for ch, `j` for zh and dj. The longest group that fits is used. */
const SOUNDS: Record<string, string> = {
  tsch: 'c',
  tsh: 'c',
  tch: 'c',
  cz: 'c',
  ch: 'c',
  sch: 's',
  sh: 's',
  sz: 's',
  ck: 'k',
  cc: 'k',
  ce: 'se',
  ci: 'si',
  cy: 'si',
  c: 'k',
  ph: 'f',
  kh: 'k',
  q: 'k',
  gh: 'g',
  th: 't',
  dzh: 'j',
  dj: 'j',
  zh: 'j',
  dh: 'd',
  tz: 'z',
  ts: 'z',
  x: 'ks',
  w: 'v',
  ou: 'u',
  oo: 'u',
  ae: 'e',
  ai: 'e',
  ay: 'e',
  ei: 'e',
  ey: 'e',
  ee: 'i',
  ie: 'i',
  iy: 'i',
  ij: 'i',
  yi: 'i',
  y: 'i',
  oe: 'o',
  ue: 'u',
};

/** The letter that stands for a single letter, by its code; `''` for itself. */
const single: string[] = Array.from({ length: 128 }, () => '');
/** Groups of letters and their sounds by the codes of the first two (`128 × first + second`); the longest group first. */
const groups: ([string, string][] | null)[] = Array.from({ length: 128 * 128 }, () => null);
for (const [letters, sound] of Object.entries(SOUNDS).sort(([a], [b]) => b.length - a.length)) {
  const [first, second] = [letters.charCodeAt(0), letters.charCodeAt(1)];
  if (letters.length === 1) single[first] = sound;
  else groups[first * 128 + second] = [...(groups[first * 128 + second] ?? []), [letters, sound]];
}

function groupAt(word: string, at: number): [string, string] | null {
  const begin = at + 1 < word.length ? groups[word.charCodeAt(at) * 128 + word.charCodeAt(at + 1)] : null;
  if (begin) for (const group of begin) if (word.startsWith(group[0], at)) return group;
  return null;
}

const U = 'u'.charCodeAt(0);

/** Somali spelling, recognized by its doubled vowels: c is a guttural stop that others leave out, x is h (`Caasha`, `Faarax`). */
function unsomali(word: string): string {
  if (word[0] === 'c' && /aa|ii|uu/.test(word)) return unsomali(word.slice(1));
  return word.includes('x') && /aa|ii|uu|ee|oo/.test(word) ? word.replaceAll('x', 'h') : word;
}

/** `written` in plain lower case. The result is never empty. */
export function fold(written: string): string {
  if (written.length < 3) return written;
  const word = unsomali(written);
  const { length } = word;
  let folded = '';
  /** Letters from here on are copied as they are. */
  let from = 0;
  /** The last letter of the result. */
  let last = 0;
  for (let at = 0; at < length; ) {
    const code = word.charCodeAt(at);
    const group = groupAt(word, at);
    const next = at + (group ? group[0].length : 1);
    let sound = group ? group[1] : (single[code] ?? '');
    // `Ouahab` is Wahab, `Marouane` Marwan.
    if ((sound === 'u' || (sound === '' && code === U)) && isVowel(word.charCodeAt(next))) sound = 'v';
    const first = sound === '' ? code : sound.charCodeAt(0);
    if (sound !== '' || first === last) {
      folded += word.slice(from, at);
      // Doubled letters count once.
      folded += first === last ? sound.slice(1) : sound;
      from = next;
    }
    last = sound.length > 1 ? sound.charCodeAt(1) : first;
    at = next;
  }
  folded = from === 0 ? word : folded + word.slice(from);
  return folded.length > 3 && last === H ? folded.slice(0, -1) : folded;
}

const H = 'h'.charCodeAt(0);

const isVowel = (code: number): boolean => code === 97 || code === 101 || code === 105 || code === 111;

/** First letter, with `a` for any vowel, then the consonants without h and v. Voiced and unvoiced consonants are not distinguished. */
export function skeleton(folded: string): string {
  const first = folded[0]!;
  let bones = VOWELS.includes(first) ? 'a' : (HARD[first] ?? first);
  for (let i = 1; i < folded.length; i++) {
    const letter = folded[i]!;
    if (!MUTE.includes(letter)) bones += HARD[letter] ?? letter;
  }
  return bones;
}

const VOWELS = 'aeiou';
const MUTE = 'aeiouhv';
const HARD: Record<string, string> = { b: 'p', d: 't', g: 'k', z: 's', j: 'c' };
