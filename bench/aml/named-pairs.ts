/**
 * Typical pairs of names for each class of error, and how often each is decided correctly: in both directions, combined with several other names, by name alone
 * and with the same country. We knew these pairs while writing the rules, so they show what is covered, not how unseen names fare.
 */
import { THRESHOLD_DEFAULT } from '../../src/engines/aml/request.ts';
import { type ScoredPair, scoreSlices } from './slices.ts';

/** `_` stands for each of the other names. */
const PAIRS: Record<string, { isMatch: boolean; pairs: readonly (readonly [string, string])[] }> = {
  'two known names': {
    isMatch: false,
    pairs: [
      ['Amina _', 'Aminu _'],
      ['Hassan _', 'Hussaini _'],
      ['Oluwafemi _', 'Oluwakemi _'],
      ['Emmanuel _', 'Emmanuella _'],
      ['Bashir _', 'Bashar _'],
      ['Ubaydullah _', 'Abdullah _'],
    ],
  },
  'short and long forms, initials': {
    isMatch: true,
    pairs: [
      ['Oluwaseun _', 'Seun _'],
      ['Olufemi _', 'Femi _'],
      ['Adekemi _', 'Kemi _'],
      ['Chukwuemeka _', 'Emeka _'],
      ['Olabisi _', 'Bisi _'],
      ['Ogochukwu _', 'Ogo _'],
      ['AO _', 'Adebayo Oluwole _'],
    ],
  },
  'Maghrebi, al-Din': {
    isMatch: true,
    pairs: [
      ['Noureddine _', 'Nur al-Din _'],
      ['Salah Eddine _', 'Salahuddin _'],
      ['Cherif _', 'Sharif _'],
      ['Ouassim _', 'Wassim _'],
      ['Boubakeur _', 'Abu Bakr _'],
    ],
  },
  syllables: {
    isMatch: false,
    pairs: [
      ['CHANG SU HA', 'CHANG CHANG HA'],
      ['Lue Haidong', 'Lü Haidong'],
      ['Kim Yong Nam', 'Kim Yong Chol'],
    ],
  },
  'syllables, one name': {
    isMatch: true,
    pairs: [
      ['Lv Haidong', 'Lü Haidong'],
      ['Hsieh Ting-feng', 'Xie Tingfeng'],
    ],
  },
  'Arabic letters': { isMatch: false, pairs: [['حسن الزهراوي', 'حسين الزهراوي']] },
  'no spaces': {
    isMatch: true,
    pairs: [
      ['johnadebayo', 'John Adebayo'],
      ['Musakwairanga', 'Musa Kwairanga'],
    ],
  },
};

/** Rare, known and common ones. */
const BESIDE = ['Kwairanga', 'Okwuosa', 'Balogun', 'Lawal', 'Benmakhlouf'];

export interface NamedRates {
  class: string;
  isMatch: boolean;
  /** Pairs in both directions, and how many are decided rightly by name alone and with the same country. */
  directions: number;
  right: number;
  rightWithCountry: number;
  /** Those decided wrongly in either case. */
  wrong: string[];
}

export function rateNamedPairs(): NamedRates[] {
  return Object.entries(PAIRS).map(([name, { isMatch, pairs }]) => {
    const written = pairs.flatMap(([one, other]) =>
      (one.includes('_') ? BESIDE : ['']).map((beside) => ({ one: one.replace('_', beside), other: other.replace('_', beside) })),
    );
    const scored = scoreSlices(written.map(({ one, other }) => ({ slice: name, half: 'development', name: one, listed: other, isMatch })));
    const isRight = (score: number): boolean => score >= THRESHOLD_DEFAULT === isMatch;
    const count = (of: (pair: ScoredPair) => readonly number[]): number => scored.flatMap(of).filter(isRight).length;
    return {
      class: name,
      isMatch,
      directions: scored.length * 2,
      right: count(({ scores }) => scores),
      rightWithCountry: count(({ withCountry }) => withCountry),
      wrong: scored
        .filter(({ scores, withCountry }) => ![...scores, ...withCountry].every(isRight))
        .map((pair) => `${pair.name} / ${pair.listed} (${pair.scores.join(', ')}; ${pair.withCountry.join(', ')})`),
    };
  });
}
