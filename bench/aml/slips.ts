/** People on the UN's list with slips of the pen: two in one word, one in each of two words, one slip and the last word first. */
import type { ScreeningIndex } from '../../src/engines/aml/match/index.ts';
import { openMatcher } from '../../src/engines/aml/match/screen.ts';
import { THRESHOLD_DEFAULT } from '../../src/engines/aml/request.ts';
import type { Listing, TokenRelation } from '../../src/engines/aml/screening.ts';
import { SortedNames } from './jaro-winkler.ts';
import { inventNigerians, PEOPLES } from './nigerians.ts';
import { HALVES, type Half, halfOf } from './slices.ts';

export interface SlipRates {
  slips: string;
  half: Half;
  people: number;
  found: number;
  /** By sorted Jaro–Winkler similarity. */
  foundByReference: number;
  /** Of those found: words with a slip, and how many of them the evidence calls another form of the name. */
  words: number;
  misnamed: number;
}

const UN = 'un_sc';
const KINDS = ['two in one word', 'one in each of two words', 'one, and the last word first'] as const;
/** Letters beside each other on the keyboard. */
const KEYS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
const WORD_MIN = 5;

const lastFirst = (words: string[]): string[] => [words.at(-1)!, ...words.slice(0, -1)];

export interface Slipped {
  kind: (typeof KINDS)[number];
  half: Half;
  sent: string;
  /** The words of `sent` that have a slip. */
  wrong: string[];
  list: string;
  id: string;
}

/** The same slips for the same lists. */
function slippedNames(listings: Iterable<Listing>): Slipped[] {
  let state = 24;
  const below = (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  const slip = (word: string): string => {
    const at = 1 + below(word.length - 2);
    const letter = word[at]!;
    const row = KEYS.find((keys) => keys.includes(letter)) ?? KEYS[0]!;
    const beside = row[row.indexOf(letter) + (row.indexOf(letter) === 0 ? 1 : -1)]!;
    const changed = [
      word.slice(0, at) + word.slice(at + 1),
      word.slice(0, at) + letter + word.slice(at),
      word.slice(0, at) + beside + word.slice(at + 1),
      word.slice(0, at) + (word[at + 1] ?? '') + letter + word.slice(at + 2),
    ][below(4)]!;
    return changed === word ? word.slice(0, at) + word.slice(at + 1) : changed;
  };
  const all: Slipped[] = [];
  for (const { list, entry } of listings) {
    if (list !== UN) continue;
    const words = entry.names[0]!.text.toLowerCase()
      .split(/[^a-z]+/)
      .filter(Boolean);
    const long = words.flatMap((word, i) => (word.length >= WORD_MIN ? [i] : []));
    if (long.length < 2) continue;
    const [first, second] = below(2) === 0 ? [long[0]!, long.at(-1)!] : [long.at(-1)!, long[0]!];
    const half = halfOf(words.at(-1)!);
    const [twice, once, other, turned] = [slip(slip(words[first]!)), slip(words[first]!), slip(words[second]!), slip(words[first]!)];
    const sent = [
      { words: words.with(first, twice), wrong: [twice] },
      { words: words.with(first, once).with(second, other), wrong: [once, other] },
      { words: lastFirst(words.with(first, turned)), wrong: [turned] },
    ];
    for (const [i, kind] of KINDS.entries())
      all.push({ kind, half, sent: sent[i]!.words.join(' '), wrong: sent[i]!.wrong, list, id: entry.sourceId });
  }
  return all;
}

/** How the evidence explains the words with a slip, where that person is found at the default threshold; null where not. */
function findSlipped(index: ScreeningIndex, slipped: readonly Slipped[]): (TokenRelation[] | null)[] {
  const matcher = openMatcher(index);
  return slipped.map(({ sent, wrong, list, id }) => {
    const subject = { name: sent, dateOfBirth: null, country: null, gender: null };
    const hit = matcher.screen(subject, { threshold: THRESHOLD_DEFAULT, lists: [list] }).find(({ sourceId }) => sourceId === id);
    return hit
      ? hit.explanation.tokens.filter(({ query, listed }) => wrong.includes(query ?? '') && query !== listed).map(({ how }) => how)
      : null;
  });
}

export function rateSlips(index: ScreeningIndex, listings: readonly Listing[]): SlipRates[] {
  const slipped = slippedNames(listings);
  const found = findSlipped(index, slipped);
  const reference = new SortedNames(listings, UN);
  const byReference = slipped.map(({ sent, id }) => reference.screen(sent).includes(id));
  return KINDS.flatMap((slips) =>
    HALVES.map((half) => {
      const places = slipped.flatMap((one, i) => (one.kind === slips && one.half === half ? [i] : []));
      const explained = places.flatMap((i) => found[i] ?? []);
      return {
        slips,
        half,
        people: places.length,
        found: places.filter((i) => found[i] !== null).length,
        foundByReference: places.filter((i) => byReference[i]).length,
        words: explained.length,
        misnamed: explained.filter((how) => how === 'nickname').length,
      };
    }),
  );
}

/** Invented Nigerians of each group. */
const STRANGERS = 400;

export interface SlipStrangers {
  names: number;
  /** Names that hit somebody on the UN's list. */
  hits: number;
  hitsByReference: number;
}

/** What finding slips costs: invented Nigerians who hit somebody on the same list. */
export function rateSlipStrangers(index: ScreeningIndex, listings: readonly Listing[]): SlipStrangers {
  const names = Object.values(PEOPLES).flatMap((peoples, g) => inventNigerians(peoples, STRANGERS, 3_000 + g));
  const matcher = openMatcher(index);
  const reference = new SortedNames(listings, UN);
  const isHit = (name: string): boolean =>
    matcher.screen({ name, dateOfBirth: null, country: null, gender: null }, { threshold: THRESHOLD_DEFAULT, lists: [UN] }).length > 0;
  return {
    names: names.length,
    hits: names.filter(isHit).length,
    hitsByReference: names.filter((name) => reference.screen(name).length > 0).length,
  };
}
