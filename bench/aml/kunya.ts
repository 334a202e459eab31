/**
 * `Bouhafs` is how the Maghreb writes `Abu Hafs`: names of father of somebody in both spellings, and those of another father. Split in two halves by the
 * son's name. Written after the rule, by the same author.
 */
import { halfOf, type SlicePair } from './slices.ts';

/** As the Maghreb and as others write them. */
const SONS: readonly (readonly [string, string])[] = [
  ['hafs', 'Hafs'],
  ['khaled', 'Khalid'],
  ['taleb', 'Talib'],
  ['daoud', 'Dawud'],
  ['salem', 'Salim'],
  ['nasr', 'Nasr'],
  ['malek', 'Malik'],
  ['djamil', 'Jamil'],
  ['hamza', 'Hamza'],
  ['amar', 'Ammar'],
  ['chouaib', 'Shuayb'],
  ['rached', 'Rashid'],
  ['mediene', 'Madyan'],
  ['kacem', 'Qasim'],
  ['slimane', 'Sulayman'],
  ['yahia', 'Yahya'],
  ['youcef', 'Yusuf'],
  ['saïd', 'Said'],
  ['zeid', 'Zayd'],
  ['tayeb', 'Tayyib'],
];
const GIVEN: readonly (readonly [string, string])[] = [
  ['Lamine', 'Lamin'],
  ['Mourad', 'Murad'],
  ['Hocine', 'Husayn'],
  ['Mokhtar', 'Mukhtar'],
];

export const kunyaPairs = (): SlicePair[] =>
  SONS.flatMap(([son, theirs], s) =>
    GIVEN.flatMap(([given, written], g) => {
      const half = halfOf(`kunya ${son}`);
      const [other, otherWritten] = SONS[(s + 1 + g) % SONS.length]!;
      const listed = `${written} Abu ${theirs}`;
      const pair = (name: string, isMatch: boolean): SlicePair => ({ slice: 'Bou-, Abu', half, name, listed, isMatch });
      return [
        pair(`${given} Bou${son}`, true),
        pair(`${given} Bou ${theirs}`, true),
        pair(`${given} Bou${other}`, false),
        pair(`${written} Abu ${otherWritten}`, false),
      ];
    }),
  );
