/** Arabic names of two words whose article is written together with the first, as in Bengal, Pakistan and Malaysia: `Saiful Islam` is `Saif al-Islam`. */
import { fold } from './fold.ts';

/** First words of such names. By themselves `Rasul`, `Maqbul` and `Mansur` are names: they do not end in an article. */
const FIRST = new Set(
  `
  saif sayf nur noor shams badr kamr qamr khair fakhr fazl fadl nazr nasr lutf ain taj zia shah amir amin aziz anis anwar ansar asad ashraf asif ata atiq
  baki bazl ehsan ihsan enam inam ikram emdad faiz farid fokhr habib hafiz hamid hasib jamil jahir johir zahir zahid zakir kabir karim khalil khurshid
  kamal lutfi mahbub mahfuz mahmud majid masud matia mati moti mizan mohsin moin monir munir mofiz mojib mujib mokhles mukhles moshi mosi mushfiq mostafiz
  mustafiz nazm nizam obaid obayd ubaid rafiq rahim rakib rashid reaz riaz reza ruh said sayed saiyed sadiq samiz siraj seraj shafi shafiq shahid
  shamim shariq sharif tauhid touhid tariq wahid wali zain zin zill zillu
  `
    .trim()
    .split(/\s+/)
    .map(fold),
);
const [U, O] = ['u', 'o'].map((letter) => letter.charCodeAt(0)) as [number, number];
/** The vowel is a language's; the article's last letter is l, or r before `Rahman`. */
const COMPOUND = /^(.{3,}?)(?:ou|oo|o|u)[lr]$/;

/** `saif` of `saiful`; a word of any other kind as it is. */
export function beforeArticle(word: string): string {
  const vowel = word.charCodeAt(word.length - 2);
  const first = vowel === U || vowel === O ? COMPOUND.exec(word)?.[1] : undefined;
  return first !== undefined && FIRST.has(fold(first)) ? first : word;
}
