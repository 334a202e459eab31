/**
 * How often the matcher is right: on labelled pairs of names, a third of which was kept unseen while it was written, and on people who are on the lists and
 * people who are not.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countryCode } from '../../src/engines/aml/countries.ts';
import { buildIndex } from '../../src/engines/aml/match/build.ts';
import type { ScreeningIndex } from '../../src/engines/aml/match/index.ts';
import { openMatcher } from '../../src/engines/aml/match/screen.ts';
import { THRESHOLD_DEFAULT } from '../../src/engines/aml/request.ts';
import type { Matcher, Subject } from '../../src/engines/aml/screening.ts';
import { DATA, readRows } from './lists.ts';
import { oneListed } from './one-listed.ts';
import { type Intervals, intervalsAt, type Rates, ratesAt, type Scored } from './rates.ts';

/** The threshold of logic-v2's authors, whose scores come with the pairs. */
const REFERENCE_THRESHOLD = 0.7;
const BEST_STEPS = Array.from({ length: 140 }, (_, i) => 0.3 + i * 0.005);
export const FILE_THRESHOLDS = [0.7, 0.75, 0.8, 0.85] as const;

export interface Pair {
  group: string;
  name: string;
  listed: string;
  /** Chosen by the first byte of the SHA-256 of both names, so nobody can pick them. */
  isHeldOut: boolean;
  isMatch: boolean;
  score: number;
  /** The score of logic-v2, as its authors committed it. */
  reference: number | null;
}

interface BestRates extends Rates {
  threshold: number;
}

export interface PairRates {
  pairs: string;
  count: number;
  atDefault: Rates;
  /** Of `atDefault`. */
  intervals: Intervals;
  best: BestRates;
  reference: Rates;
  referenceBest: BestRates;
}

const nobody: Omit<Subject, 'name'> = { dateOfBirth: null, country: null, gender: null };

/** The pairs of persons, each scored by an index of just the one listed name. */
export function scorePairs(): Pair[] {
  return readRows('bench/name_pairs.csv')
    .filter(({ schema }) => schema === 'Person')
    .map(({ group, name1, name2, is_match, logic_v2_score }) => ({
      group: group!,
      name: name1!,
      listed: name2!,
      isHeldOut: createHash('sha256').update(`${name1}|${name2}`).digest()[0]! % 3 === 0,
      isMatch: is_match === 'true',
      score: scorePair(name1!, name2!),
      reference: logic_v2_score ? Number(logic_v2_score) : null,
    }));
}

function scorePair(name: string, listed: string): number {
  const index = buildIndex([oneListed(listed)]);
  return openMatcher(index).screen({ name, ...nobody }, { threshold: 0, lists: null })[0]?.score ?? 0;
}

/** All pairs and the regression groups: each in full, the held-out third, and the rest. */
export function ratePairs(pairs: readonly Pair[]): PairRates[] {
  const regression = pairs.filter(({ group }) => group !== 'synth_people');
  return [
    { name: 'persons', of: pairs },
    { name: 'regression groups', of: regression },
  ].flatMap(({ name, of }) => [
    rate(name, of),
    rate(
      `${name}, held-out third`,
      of.filter(({ isHeldOut }) => isHeldOut),
    ),
    rate(
      `${name}, the rest`,
      of.filter(({ isHeldOut }) => !isHeldOut),
    ),
  ]);
}

function rate(name: string, pairs: readonly Pair[]): PairRates {
  const own = pairs.map(({ score, isMatch }) => ({ scores: [score], isMatch }));
  const reference = pairs.flatMap(({ reference, isMatch }) => (reference === null ? [] : [{ scores: [reference], isMatch }]));
  return {
    pairs: name,
    count: pairs.length,
    atDefault: ratesAt(own, THRESHOLD_DEFAULT),
    intervals: intervalsAt(own, THRESHOLD_DEFAULT),
    best: bestRates(own),
    reference: ratesAt(reference, REFERENCE_THRESHOLD),
    referenceBest: bestRates(reference),
  };
}

const bestRates = (scored: readonly Scored[]): BestRates =>
  BEST_STEPS.map((threshold) => ({ threshold, ...ratesAt(scored, threshold) })).reduce((best, one) => (one.f1 > best.f1 ? one : best));

const FILES = ['positives_un_exact', 'positives_un_typos', 'negatives_global', 'negatives_us'] as const;

export interface FileRates {
  file: (typeof FILES)[number];
  /** Whether birth and nationality are sent with the name, where the file has them. */
  withEvidence: boolean;
  count: number;
  /** Share of its people with a hit, for each of `FILE_THRESHOLDS`. */
  hits: number[];
}

/** `index`: of the sanctions lists. Any hit counts: people on the UN's list are on the others too. */
export function rateFiles(index: ScreeningIndex): FileRates[] {
  const matcher = openMatcher(index);
  return FILES.flatMap((file) => {
    const people = peopleOf(file);
    const evidence = file.startsWith('negatives') ? [false, true] : [false];
    return evidence.map((withEvidence) => {
      const scores = people.map((subject) => topScore(matcher, withEvidence ? subject : { ...nobody, name: subject.name }));
      const hits = FILE_THRESHOLDS.map((threshold) => scores.filter((score) => score >= threshold).length / scores.length);
      return { file, withEvidence, count: people.length, hits };
    });
  });
}

const topScore = (matcher: Matcher, subject: Subject): number =>
  matcher.screen(subject, { threshold: FILE_THRESHOLDS[0], lists: null })[0]?.score ?? 0;

const peopleOf = (file: (typeof FILES)[number]): Subject[] =>
  readRows(`bench/${file}.csv`).map(({ full_name, date_of_birth, nationality, gender }) => ({
    name: full_name!,
    dateOfBirth: /^\d{4}-\d\d-\d\d$/.test(date_of_birth!) ? date_of_birth! : null,
    country: countryCode(nationality!),
    gender: gender === 'male' || gender === 'female' ? gender : null,
  }));

/** The names of the four files. */
export const namesOfFiles = (): string[] => FILES.flatMap((file) => peopleOf(file).map(({ name }) => name));

/** Pairs across scripts, each with the score that it must reach. */
export function rateScripts(): { reached: number; count: number } {
  const pairs = readFileSync(join(DATA, 'bench/cross_script_pairs.csv'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(','));
  return { reached: pairs.filter(([name, listed, least]) => scorePair(name!, listed!) >= Number(least)).length, count: pairs.length };
}
