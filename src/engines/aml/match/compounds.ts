/** Arabic compound names whose first word ends in the article, as people in Bengal, Pakistan and Malaysia write them: `Saiful Islam` is `Saif al-Islam`. */
import { fold } from './fold.ts';

/** As in Arabic: Bengal writes o for a and j for z (`Nozrul`, `Mijanur`). */
function spelt(word: string): string {
  return fold(word.replaceAll('j', 'z').replaceAll('o', 'a'));
}

/** First words of such names, without the article. `Rasul`, `Maqbul` and `Mansur` do not end in an article: those letters are part of the name. */
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
    .map(spelt),
);
const [U, O] = ['u', 'o'].map((letter) => letter.charCodeAt(0)) as [number, number];
/** The article's vowel is spelt differently from language to language. Its consonant is l, or r before `Rahman`. */
const COMPOUND = /^(.{3,}?)(?:ou|oo|o|u)[lr]$/;

/** Returns `saif` for `saiful`, and any other word unchanged. */
export function withoutFinalArticle(word: string): string {
  const vowel = word.charCodeAt(word.length - 2);
  const first = vowel === U || vowel === O ? COMPOUND.exec(word)?.[1] : undefined;
  return first !== undefined && FIRST.has(spelt(first)) ? first : word;
}
