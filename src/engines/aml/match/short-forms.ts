/** Short and other forms that follow from how a name is made: names of God and of rank before or after what people call somebody (`Oluwaseun`, `Seun`). */
import { fold } from './fold.ts';

/** Yoruba, Igbo, Urhobo, Ijaw. */
const BEGINNINGS = ['oluwa', 'olu', 'ola', 'ade', 'akin', 'ayo', 'ife', 'mo', 'chukwu', 'chi', 'nna', 'oghene', 'tamuno', 'oritse'].map(
  fold,
);
const ENDINGS = ['chukwu', 'kachukwu', 'oluwa', 'loluwa'].map(fold);
/** A shorter remainder is a name of its own (`Olu`+`bi`). */
const BEHIND_MIN = 4;
const BEFORE_MIN = 3;
/** `Oluwaseun` is written `Oluseun` too. */
const SHORTER = ['oluwa', 'olu'].map(fold) as [string, string];
/** Igbo names contain the name of God in full or shortened (`Kelechukwu`, `Kelechi`; `Chukwuebuka`, `Chiebuka`). */
const LONG_GOD = fold('chukwu');
const SHORT_GOD = fold('chi');
/** `Fatimatu` is Fatima in West Africa. `Talatu`, born on a Tuesday, is not Tala. */
const WEST_AFRICAN = /^(.{4,}a)tu$/;
/** `Adeola` is `Deola`, `Oladipo` is `Ladipo`. */
const CONTRACTED = ['ade', 'ola'].map(fold);
const CONTRACTED_MIN = 6;

/** Tajik and Uzbek family names have a Persian or a Russian ending: `Saidzoda`, `Saidov`. */
const TAJIK = /^(.{3,}?)(?:zoda|zada|zade)$/;
const RUSSIAN_ENDINGS = ['ov', 'ev', 'ova', 'eva'];

/** The short forms of a folded name; none of most names. */
export function shortened(folded: string): string[] {
  const forms: string[] = [];
  for (const beginning of BEGINNINGS)
    if (folded.startsWith(beginning) && folded.length - beginning.length >= BEHIND_MIN) forms.push(folded.slice(beginning.length));
  for (const ending of ENDINGS)
    if (folded.endsWith(ending) && folded.length - ending.length >= BEFORE_MIN) forms.push(folded.slice(0, -ending.length));
  if (folded.startsWith(SHORTER[0]) && folded.length - SHORTER[0].length >= BEHIND_MIN)
    forms.push(SHORTER[1] + folded.slice(SHORTER[0].length));
  if (folded.endsWith(LONG_GOD) && folded.length - LONG_GOD.length >= BEFORE_MIN) forms.push(folded.slice(0, -LONG_GOD.length) + SHORT_GOD);
  if (folded.startsWith(LONG_GOD) && folded.length - LONG_GOD.length >= BEHIND_MIN) forms.push(SHORT_GOD + folded.slice(LONG_GOD.length));
  const westAfrican = WEST_AFRICAN.exec(folded);
  if (westAfrican) forms.push(westAfrican[1]!);
  const tajik = TAJIK.exec(folded);
  if (tajik) forms.push(...RUSSIAN_ENDINGS.map((ending) => tajik[1]! + ending));
  if (folded.length >= CONTRACTED_MIN && CONTRACTED.some((beginning) => folded.startsWith(beginning))) forms.push(folded.slice(1));
  return forms;
}

/** Whether one of two folded names is the other without its beginning: `Damilare`, `Oluwadamilare`. */
export const isEndOfOther = (one: string, other: string): boolean =>
  (one.endsWith(other) && shortened(one).includes(other)) || (other.endsWith(one) && shortened(other).includes(one));

/** Beginnings that so many names have that they are evidence for none of them. */
const SHARED = ['oluwa', 'chukwu', 'oghene', 'tamuno', 'ogun', 'olu', 'ade', 'ola', 'oye', 'eze', 'nwa', 'osa', 'omo', 'bou', 'ben'].map(
  fold,
);
const SHARED_BEHIND_MIN = 3;

/** The longest of these beginnings that a folded word has; empty for most words. */
export const sharedBeginning = (folded: string): string =>
  SHARED.find((beginning) => folded.length - beginning.length >= SHARED_BEHIND_MIN && folded.startsWith(beginning)) ?? '';
