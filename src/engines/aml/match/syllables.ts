/**
 * Names made of syllables: Chinese in pinyin, Wade-Giles, Cantonese and Hokkien spelling, Korean in its several romanizations, Vietnamese. A syllable is a name or it is another one;
 * it is never a slip. Sources: the tables of Hanyu Pinyin and Wade-Giles, of McCune-Reischauer and of the Revised Romanization.
 */
import { DIALECT_FAMILIES, DIALECTS } from './dialects.ts';
import { fold } from './fold.ts';
import { remembering } from './remembering.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const INITIALS = 'b p m f d t n l g k h j q x zh ch sh r z c s'.split(' ');
/** By initial, the finals that it has; after `-` those of all initials of the row. */
const FINALS: Record<string, string> = {
  b: 'a o ai ei ao an en ang eng i ie iao ian in ing u',
  p: 'a o ai ei ao ou an en ang eng i ie iao ian in ing u',
  m: 'a o e ai ei ao ou an en ang eng i ie iao iu ian in ing u',
  f: 'a o ei ou an en ang eng u',
  d: 'a e ai ei ao ou an en ang eng i ia ie iao iu ian ing u uo ui uan un ong',
  t: 'a e ai ao ou an ang eng i ie iao ian ing u uo ui uan un ong',
  n: 'a e ai ei ao ou an en ang eng i ie iao iu ian in iang ing u uo uan ue ong',
  l: 'a e ai ei ao ou an ang eng i ia ie iao iu ian in iang ing u uo uan un ue ong',
  g: 'a e ai ei ao ou an en ang eng u ua uo uai ui uan un uang ong',
  k: 'a e ai ao ou an en ang eng u ua uo uai ui uan un uang ong',
  h: 'a e ai ei ao ou an en ang eng u ua uo uai ui uan un uang ong',
  j: 'i ia ie iao iu ian in iang ing u ue uan un iong',
  q: 'i ia ie iao iu ian in iang ing u ue uan un iong',
  x: 'i ia ie iao iu ian in iang ing u ue uan un iong',
  zh: 'a e ai ei ao ou an en ang eng i u ua uo uai ui uan un uang ong',
  ch: 'a e ai ao ou an en ang eng i u ua uo uai ui uan un uang ong',
  sh: 'a e ai ei ao ou an en ang eng i u ua uo uai ui uan un uang',
  r: 'e ao ou an en ang eng i u uo ui uan un ong',
  z: 'a e ai ei ao ou an en ang eng i u uo ui uan un ong',
  c: 'a e ai ao ou an en ang eng i u uo ui uan un ong',
  s: 'a e ai ao ou an en ang eng i u uo ui uan un ong',
};
const BARE = 'a o e ai ei ao ou an en ang er yi ya ye yao you yan yin yang ying yong yu yue yuan yun wu wa wo wai wei wan wen wang weng';

/** Wade-Giles without its apostrophes and marks, which few write. */
const WADE_INITIALS: Record<string, string> = {
  b: 'p',
  d: 't',
  g: 'k',
  zh: 'ch',
  j: 'ch',
  q: 'ch',
  z: 'ts',
  c: 'ts',
  x: 'hs',
  r: 'j',
};
const WADE_WHOLE: Record<string, string> = {
  zhi: 'chih',
  chi: 'chih',
  shi: 'shih',
  ri: 'jih',
  zi: 'tzu',
  ci: 'tzu',
  si: 'ssu szu',
  er: 'erh',
  yi: 'i yi',
  you: 'yu',
  yan: 'yen',
  ye: 'yeh',
  yue: 'yueh',
  yong: 'yung',
};
const WADE_FINALS: Record<string, string> = { ian: 'ien', ie: 'ieh', ong: 'ung', iong: 'iung', ue: 'ueh' };

function wadeOf(initial: string, final: string): string[] {
  const whole = WADE_WHOLE[initial + final];
  if (whole) return whole.split(' ');
  const start = WADE_INITIALS[initial] ?? initial;
  if (final === 'e') return 'gkh'.includes(initial) ? [`${start}o`] : [`${start}e`, `${start}eh`];
  if (final === 'uo') return [start + (['g', 'k', 'h', 'sh'].includes(initial) ? 'uo' : 'o')];
  if (final === 'ui' && 'gk'.includes(initial)) return [`${start}uei`];
  return [start + (WADE_FINALS[final] ?? final)];
}

const pinyin = new Set<string>();
/** Wade-Giles → the syllables in pinyin that it may stand for. */
const wade = new Map<string, string[]>();
function addSyllable(initial: string, final: string): void {
  pinyin.add(initial + final);
  for (const written of wadeOf(initial, final)) wade.set(written, [...(wade.get(written) ?? []), initial + final]);
}
for (const initial of INITIALS) for (const final of FINALS[initial]!.split(' ')) addSyllable(initial, final);
for (const syllable of BARE.split(' ')) addSyllable('', syllable);

const LENGTH_MAX = 6;
/** Given names have one or two syllables; three written as one word are a whole name. */
const SYLLABLES_MAX = 3;
const READINGS_MAX = 12;
/** A syllable in a dialect stands for up to six. */
const DIALECT_READINGS_MAX = 64;

/** How a word divides into syllables of `known`; null if it does not. */
function parts(word: string, known: (syllable: string) => boolean, most = SYLLABLES_MAX): string[] | null {
  if (word === '') return [];
  if (most === 0) return null;
  for (let length = Math.min(word.length, LENGTH_MAX); length > 0; length--) {
    if (!known(word.slice(0, length))) continue;
    const rest = parts(word.slice(length), known, most - 1);
    if (rest) return [word.slice(0, length), ...rest];
  }
  return null;
}

const inWadeGiles: (word: string) => readonly string[] = remembering((word) => readIn(word, wade, READINGS_MAX));
const inDialect: (word: string) => readonly string[] = remembering((word) => readIn(word, DIALECTS, DIALECT_READINGS_MAX));

/** What a word may be in pinyin, if it is in Wade-Giles or, if its name may be (`isDialect`), in Cantonese or Hokkien spelling; empty for other words. */
export const pinyinOf = (word: string, { isDialect }: { isDialect: boolean }): readonly string[] =>
  isDialect ? [...inDialect(word), ...inWadeGiles(word)] : inWadeGiles(word);

/** A word is divided into as few syllables as it can be, in every way (`chiman`: `chi man`, `chim an`). */
function readIn(word: string, table: ReadonlyMap<string, readonly string[]>, most: number): string[] {
  for (let syllables = 1; syllables <= SYLLABLES_MAX; syllables++) {
    const found = readAs(word, table, syllables);
    if (found.length > 0)
      return [...new Set(found)]
        .slice(0, most)
        .filter((one) => one !== word)
        .map(withoutUmlaut);
  }
  return [];
}

/** What a word may be in so many syllables. */
function readAs(word: string, table: ReadonlyMap<string, readonly string[]>, syllables: number): readonly string[] {
  if (syllables === 1) return table.get(word) ?? [];
  const found: string[] = [];
  for (let length = Math.min(word.length - 1, LENGTH_MAX); length > 0; length--) {
    const starts = table.get(word.slice(0, length));
    if (!starts) continue;
    const ends = readAs(word.slice(length), table, syllables - 1);
    for (const start of starts) for (const end of ends) found.push(start + end);
  }
  return found;
}

/** Whether two words are one word in pinyin, Wade-Giles or both. */
export function readAlike(one: string, other: string): boolean {
  if (one === other) return true;
  const mine = inWadeGiles(one);
  const theirs = inWadeGiles(other);
  return mine.includes(other) || theirs.includes(one);
}

/** Whether a word in Wade-Giles sounds like another one. Korean names share that: `Chang` is `Jang`. */
export const soundAlike = (one: string, other: string): boolean => soundsLike(one, other) || soundsLike(other, one);
const soundsLike = (wadeGiles: string, other: string): boolean => inWadeGiles(wadeGiles).some((reading) => fold(reading) === fold(other));

/** Whether a word in Cantonese or Hokkien spelling may be another one in pinyin. */
export const readsInDialect = (dialect: string, other: string): boolean => inDialect(dialect).includes(other);

/** One vowel or diphthong with consonants around it, as in Korean and Vietnamese. */
const ONE_SYLLABLE = /^[bcdfghjklmnpqrstvwxyz]{0,3}[aeiouy]{1,4}(?:ng|nh|ch|rk|[nklmptch])?$/;
export const isOneSyllable = (word: string): boolean => ONE_SYLLABLE.test(word);

/** Lü and nü, as people type them. `lue` and `nue` are the syllables lüe and nüe, which are never spelt as these are. */
const UMLAUTS = new Map([
  ['lv', 'lu'],
  ['lyu', 'lu'],
  ['nv', 'nu'],
  ['nyu', 'nu'],
  ['lue', 'lve'],
  ['nue', 'nve'],
]);

/** A syllable in one spelling of its ü, which publishers drop. */
export const withoutUmlaut = (word: string): string => UMLAUTS.get(word) ?? word;

const isSyllables = (word: string): boolean =>
  isOneSyllable(word) ||
  UMLAUTS.has(word) ||
  isInDialect(word) ||
  parts(word, (one) => pinyin.has(one), 2) !== null ||
  parts(word, (one) => wade.has(one), 1) !== null;

const isInDialect = (word: string): boolean => parts(word, (one) => DIALECTS.has(one), 2) !== null;

/** Common family names. */
const FAMILIES = words(`
  wang li zhang liu chen yang zhao huang zhou wu xu sun hu zhu gao lin he guo ma luo liang song zheng xie han tang feng yu dong xiao cheng cao yuan deng fu
  shen zeng peng lu lyu lv lue su jiang cai jia ding wei xue ye yan pan du dai xia zhong tian ren fan fang shi yao tan liao zou xiong jin kong bai cui kang mao
  mo zhuang gong ling wen hao pang ruan lan nie geng xing niu tong zhan zuo lai kuang gan huo sang cen miao ning ji ju bi sheng hong you zang zong qi qu rong kung
  qiu qin gu hou shao meng long wan duan qian lei yin chang chou chao hsu hsieh hsiao tsao tseng teng chiang tsai chia chung jen pai ho kuo lo sung
  hsueh yeh tai tu chu chin chiu ku chien tien hsia shih tung fung kim gim pak park bak choe choi ri lee rhee yi jong jeong jung gang
  cho jo jang im rim lim yun yoon so seo suh sin shin o oh hwang an ahn ryu yoo paek baek jon jeon chon ko go koh mun moon son nam sim shim no noh roh
  ha kwak kwon gwon pae bae hyon ryang min koo na ra ryom pyon byun nguyen tran le pham hoang huynh phan vu vo dang bui do ngo duong dinh truong trinh dao xi hsi ou ouyang mei pei qiao zhai zhuo hsing hsiang xiang xuan zhen
  chan wong lam lau leung cheung yeung kwok kwong kwan tsang tse tsui tsoi tso chow chau yip mak poon pun siu sze szeto tam yau yim yiu yuen yung
  hui hung lui luk lok mok mui ngai ngan fok fong foo chui chuk woo goh ong teo teoh chua khoo low loh yeo yeoh seah cheah tay teh
  toh quek kwek liew leow neo phua wee oei ooi liem tjia tjoa thio kwee situ
`);
const WORDS_MAX = 4;

/** Whether a word in Latin letters is a family name of China, Korea or Vietnam. */
export const isEasternFamily = (word: string): boolean => FAMILIES.has(word);

/** Whether a name consists of syllables: all its words do, and one is a family name of China, Korea or Vietnam. */
export const isSyllabic = (name: readonly string[]): boolean =>
  name.length > 1 && name.length <= WORDS_MAX && name.some((word) => FAMILIES.has(word)) && name.every(isSyllables);

/** Family names of Koreans and of no Chinese. */
const KOREAN_FAMILIES = words('kim gim pak park bak choe ri rhee paek baek paik kwon gwon ryom');

/**
 * Whether a syllabic name may be in Cantonese or Hokkien spelling: all its words may be, and one of them is not pinyin. `Chan Chi Ming` could be pinyin but for
 * its family.
 */
export const isDialect = (name: readonly string[]): boolean =>
  name.every(isInDialect) &&
  name.some((word) => DIALECT_FAMILIES.has(word) || parts(word, (one) => pinyin.has(one)) === null) &&
  !KOREAN_FAMILIES.has(name[0]!) &&
  !KOREAN_FAMILIES.has(name.at(-1)!);

/** Each line is one syllable in Korean names, as people write it. The first is McCune-Reischauer's without marks. */
const KOREAN = new Map(
  `
  yong young yeong ryong lyong
  chol chul cheol
  song sung seong
  hyon hyun hyeon
  kyong kyung gyeong kyeong gyong gyung
  myong myung myeong
  byong byung byeong pyong pyung phyong
  hyok hyuk hyeok
  sok suk seok sook
  guk kuk kook gook
  gun kun geun keun
  un eun
  jun chun joon
  hun hoon
  su soo
  u woo
  ryol ryul yol yul yeol ryeol
  thaek taek
  gil kil
  dong tong
  gwang kwang
  gi ki
  ji chi jee
  jin chin
  jae chae
  hui hee
  gum kum geum keum
  bong pong
  bom beom pom bum
  yon yeon youn
  nyo nyeo
  bin pin
  bok pok
  gyu kyu
  jon jeon
  sin shin
  paek baek paik baik
  kwon gwon
  kang gang
  cho jo
  o oh
  ko go koh
  ku gu koo
  an ahn
  im rim lim
  mun moon
  so seo suh
  yun yoon
  pae bae
  sim shim
  ryu yu yoo
  hwang
  `
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [first, ...others] = line.trim().split(' ');
      return others.map((other) => [other, first!] as const);
    }),
);
/** Families and syllables that are Korean and not Chinese. */
const SURELY_KOREAN = words(`
  kim gim pak park bak choe choi ri rhee paek baek paik kwon gwon ryom shin oh jeon yoon moon seo suh noh roh shim pyon byun kwak ryang young yeong soo hyun
  hyon hyeon joon hoon kyung kyong gyeong myung myong byung byong chul chol cheol sook seok sok hyok hyuk woo eun geun keun guk kook thaek taek jae ryol
`);

/** The words of a Korean name in one romanization; other names as they are. */
export function oneKorean(name: readonly string[]): readonly string[] {
  return name.some((word) => SURELY_KOREAN.has(word)) ? name.map((word) => KOREAN.get(word) ?? word) : name;
}
