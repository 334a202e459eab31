/** What different romanisations of one word have in common. `fold` is a single spelling for most of them; `skeleton` is their consonants. */

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

/** By first letter; longest first. */
const sounds: [string, string][][] = [];
for (const [letters, sound] of Object.entries(SOUNDS).sort(([a], [b]) => b.length - a.length)) {
  const first = letters.charCodeAt(0);
  sounds[first] = [...(sounds[first] ?? []), [letters, sound]];
}

/** `word` in plain lower case. The result is never empty. */
export function fold(word: string): string {
  if (word.length < 3) return word;
  let folded = '';
  let at = 0;
  while (at < word.length) {
    let sound = word[at]!;
    let length = 1;
    const choices = sounds[word.charCodeAt(at)];
    if (choices) {
      for (const [letters, letter] of choices) {
        if (letters.length > 1 && !word.startsWith(letters, at)) continue;
        sound = letter;
        length = letters.length;
        break;
      }
    }
    at += length;
    // `Ouahab` is Wahab, `Marouane` Marwan.
    if (sound === 'u' && isVowel(word.charCodeAt(at))) sound = 'v';
    // Doubled letters count once.
    if (sound.length > 1) {
      if (!folded.endsWith(sound[0]!)) folded += sound[0]!;
      folded += sound[1]!;
    } else if (!folded.endsWith(sound)) folded += sound;
  }
  return folded.length > 3 && folded.endsWith('h') ? folded.slice(0, -1) : folded;
}

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
