/** Arabic names of two words whose article is written together with the first, as in Bengal and Pakistan: `Saiful Islam` is `Saif al-Islam`. */
import { wordSimilarity } from './distance.ts';
import { fold } from './fold.ts';
import { isName } from './known.ts';

/** Second words of such names: what people are the sword, light or servant of. */
const SECOND = new Set(
  `
  islam haq haqq haque huq hoque hak alam huda hoda mulk hayat hai abedin abidin arefin arifin kalam kabir karim amin aziz hakim hamid majid wahid ghani
  ghafur qadir bari khaliq khaleque malik mannan jabbar jalil latif hasan hassan husain hossain
  rahman rehman rahaman rahim rashid rauf razzaq razzak samad salam sattar subhan sobhan zaman nabi naser nasir
  `
    .trim()
    .split(/\s+/)
    .map(fold),
);
const U = 'u'.charCodeAt(0);
const COMPOUND = /^(.{3,})u([lrszn])$/;

/** The name before the article with which `word` ends; null if it does not end so. The article's last letter is l or that of the word behind it. */
export function beforeArticle(word: string, next: string): string | null {
  if (word.charCodeAt(word.length - 2) !== U) return null;
  const written = COMPOUND.exec(word);
  if (!written || !SECOND.has(fold(next))) return null;
  // A slip of `Abdul`.
  if (wordSimilarity(fold(word), 'abdul') > 0) return null;
  const [, first, letter] = written as unknown as [string, string, string];
  // `Mansur Rahman` has two names.
  return letter === 'l' || (next.startsWith(letter) && !isName(fold(word))) ? first : null;
}
