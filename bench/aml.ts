/**
 * Screening against the real lists of `../shared/data/aml`: how often it is right, how fast, with how much memory, and as a batch through the whole service.
 */

import { IndexBuilder } from '../src/engines/aml/match/build.ts';
import { THRESHOLD_DEFAULT } from '../src/engines/aml/request.ts';
import type { Listing } from '../src/engines/aml/screening.ts';
import { FILE_THRESHOLDS, type FileRates, type PairRates, rateFiles, ratePairs, rateScripts, scorePairs } from './aml/accuracy.ts';
import { blindPairs } from './aml/blind.ts';
import { type Bulk, bulk } from './aml/bulk.ts';
import { type ChineseRates, rateChinese } from './aml/chinese.ts';
import {
  ALL_FORMS,
  type CompanyRates,
  companyPairs,
  type InventedRates,
  organizationsIn,
  rateBlindCompanies,
  rateCompanies,
  rateInvented,
  rateWritten,
  scoreCompanies,
  type WrittenRates,
} from './aml/companies.ts';
import { ALL_GROUPS, hasTarget, type ListedGroupRates, rateGroupsByList } from './aml/groups.ts';
import { REFERENCE_MIN } from './aml/jaro-winkler.ts';
import { kunyaPairs } from './aml/kunya.ts';
import { hasData, readListings } from './aml/lists.ts';
import type { IndexMemory } from './aml/memory.ts';
import { NameRegions, type RegionRates, ratePairRegions } from './aml/name-regions.ts';
import { type NamedRates, rateNamedPairs } from './aml/named-pairs.ts';
import { nigerianPairs } from './aml/nigerian-pairs.ts';
import { type PoliticianRates, ratePoliticians, screenPoliticians } from './aml/politicians.ts';
import { type Intervals, perThousand, type Rates, withInterval } from './aml/rates.ts';
import { type RespeltRates, rateRespelt } from './aml/respelt.ts';
import { familyPairs, listPairs, publisherPairs, rateSlices, type SliceRates, scoreSlices } from './aml/slices.ts';
import { rateSlipStrangers, rateSlips, type SlipRates, type SlipStrangers } from './aml/slips.ts';
import type { Speed } from './aml/speed.ts';
import { rateStems, type StemRates } from './aml/stems.ts';
import { rateWords, type WordRates } from './aml/words.ts';
import { type Figure, ms, perSecond, type Report, wilson } from './figure.ts';
import { type Bench, type Options, type Size, sized } from './harness.ts';

const F1_MIN: Record<string, number> = { persons: 0.88, 'regression groups': 0.91 };
const RECALL_MIN: Record<string, number> = { positives_un_exact: 1, positives_un_typos: 0.99 };
const FALSE_POSITIVES_MAX = 0.003;
const WORD_HITS_MAX = 0.005;
/** Hits per 1,000 invented names, for each Nigerian people and overall. */
const GROUP_HITS_MAX = 8;
const ALL_GROUPS_HITS_MAX = 3;
/** Invented names of each group. */
const GROUP_NAMES: Size = { full: 4_000, tiny: 100 };
/** Per 1,000 invented Nigerian companies. */
const COMPANY_HITS_MAX = 8;
const PER_SECOND_MIN = 5_000;
const P99_MS_MAX = 4;
const BULK_MS_MAX = 60_000;
const MILLION: Size = { full: 1_000_000, tiny: 10_000 };
/** The lists of a tiny run: 3,000 names instead of 109,000. */
const TINY_LISTS = 'un_sc,nigeria_peps';
const SCREENED: Size = { full: 20_000, tiny: 500 };
const INDEX_MAX = { lists: { mb: 150, ms: 3_000 }, million: { mb: 900, ms: 30_000 } } as const;

/** `aml` on the command line means all of them, `aml/accuracy` one. Only the accuracy and the groups are independent of other load on the machine. */
export const amlParts = {
  accuracy: withLists(accuracy),
  groups: withLists(async (_bench, options) => {
    const groups = await rateGroupsByList(sized(options, GROUP_NAMES));
    return { figures: groups.map(groupFigure), detail: { groups } };
  }),
  speed: withLists(speed),
  memory: withLists(memory),
  batch: withLists(async (bench, options) => {
    const batch = await bulk(bench, options);
    return { figures: bulkFigures(batch), detail: { batch } };
  }),
};

type Part = (bench: Bench, options: Options) => Promise<Report>;

function withLists(part: Part): Part {
  return async (bench, options) => {
    if (!hasData) return { figures: [{ what: 'screening', measured: 'skipped: needs ../shared/data/aml' }], detail: {} };
    // This process runs only this benchmark, so its environment may change.
    if (options.tiny) process.env.AML_LISTS = TINY_LISTS;
    return await part(bench, options);
  };
}

async function accuracy(_bench: Bench, options: Options): Promise<Report> {
  const measured = await measureAccuracy(options);
  return {
    figures: [
      ...measured.pairs.map(pairFigure),
      ...measured.regions.rates.map(regionFigure),
      {
        what: 'region of a name guessed rightly, people kept from learning',
        measured: `${measured.regions.right} of ${measured.regions.people}`,
      },
      ...measured.files.map(fileFigure),
      ...measured.words.map(wordFigure),
      {
        what: 'pairs across scripts that reach their expected score',
        measured: `${measured.scripts.reached} of ${measured.scripts.count}`,
      },
      ...measured.slices.map(sliceFigure),
      ...measured.named.map(namedFigure),
      stemFigure(measured.stems),
      ...measured.slips.map(slipFigure),
      slipStrangerFigure(measured.slipStrangers),
      respeltFigure(measured.respelt),
      ...measured.chinese.map(chineseFigure),
      ...measured.politicians.map(politicianFigure),
      ...measured.companies.map(companyFigure),
      ...measured.written.map(writtenFigure),
      ...measured.invented.map(inventedFigure),
    ],
    detail: { accuracy: measured },
  };
}

async function speed(bench: Bench, options: Options): Promise<Report> {
  const measured = await run<Speed>(bench, './aml/speed.ts', { NAMES: String(sized(options, SCREENED)) });
  return { figures: speedFigures(measured), detail: { speed: measured } };
}

async function memory(bench: Bench, options: Options): Promise<Report> {
  const lists = await run<IndexMemory>(bench, './aml/memory.ts', {});
  const million = await run<IndexMemory>(bench, './aml/memory.ts', { NAMES: String(sized(options, MILLION)) });
  return { figures: [...indexFigures(lists, INDEX_MAX.lists), ...indexFigures(million, INDEX_MAX.million)], detail: { lists, million } };
}

async function run<Line>(bench: Bench, path: string, environment: Record<string, string>): Promise<Line> {
  const { line, stop } = await bench.startProgram<Line>(new URL(path, import.meta.url), {
    ...environment,
    ...(process.env.AML_LISTS && { AML_LISTS: process.env.AML_LISTS }),
  });
  await stop();
  return line;
}

/** A tiny run uses only every n-th of the pairs and persons that take longest. */
const TINY_PART = 10;

async function measureAccuracy({ tiny }: Options) {
  const some = <T>(all: readonly T[]): readonly T[] => (tiny ? all.filter((_, at) => at % TINY_PART === 0) : all);
  const builder = new IndexBuilder();
  const listings: Listing[] = [];
  for await (const listing of readListings('sanctions')) {
    builder.add(listing);
    listings.push(listing);
  }
  const index = builder.finish();
  const organizations = organizationsIn(listings);
  const persons = listings.filter(({ entry }) => entry.type !== 'organization');
  const pairs = scorePairs();
  const regions = new NameRegions(persons);
  return {
    pairs: ratePairs(pairs),
    regions: { rates: ratePairRegions(pairs, regions), ...regions.tested },
    files: rateFiles(index),
    words: rateWords(index),
    scripts: rateScripts(),
    slices: rateSlices(
      scoreSlices(
        some([...familyPairs(), ...kunyaPairs(), ...nigerianPairs(), ...blindPairs(), ...listPairs(persons), ...publisherPairs(persons)]),
      ),
    ),
    named: rateNamedPairs(),
    stems: rateStems(),
    slips: rateSlips(index, some(persons)),
    slipStrangers: rateSlipStrangers(index, some(persons)),
    respelt: rateRespelt(index, persons),
    chinese: rateChinese(index),
    politicians: ratePoliticians(screenPoliticians(index)),
    companies: [...rateCompanies(scoreCompanies(companyPairs(organizations))), ...rateBlindCompanies()],
    written: rateWritten(index, organizations),
    invented: rateInvented(index),
  };
}

function pairFigure({ pairs, count, atDefault, intervals, best, reference, referenceBest }: PairRates): Figure {
  const least = F1_MIN[pairs];
  return {
    what: `F1 at ${THRESHOLD_DEFAULT}, ${pairs} (${count})`,
    measured: `${ratesText(atDefault, intervals)}; best ${best.f1.toFixed(3)} at ${best.threshold.toFixed(2)}`,
    reference: `logic-v2 ${reference.f1.toFixed(3)}, best ${referenceBest.f1.toFixed(3)} at ${referenceBest.threshold.toFixed(2)}`,
    ...(least !== undefined && { target: `≥ ${least}`, ok: atDefault.f1 >= least }),
  };
}

const regionFigure = ({ region, isHeldOut, pairs, matches, intervals, ...rates }: RegionRates): Figure => ({
  what: `F1 at ${THRESHOLD_DEFAULT}, labelled pairs, ${isHeldOut ? 'held-out third' : 'the rest'}, ${region} names (${pairs}, ${matches} of one person)`,
  measured: ratesText(rates, intervals),
});

/** With 95 % intervals. */
const ratesText = ({ precision, recall, f1 }: Rates, intervals: Intervals): string =>
  `${withInterval(f1, intervals.f1)} (P ${withInterval(precision, intervals.precision)}, R ${withInterval(recall, intervals.recall)})`;

function fileFigure({ file, withEvidence, count, hits }: FileRates): Figure {
  const atDefault = hits[FILE_THRESHOLDS.indexOf(THRESHOLD_DEFAULT)]!;
  const least = RECALL_MIN[file];
  const shares = hits.map((share, i) => `${(share * 100).toFixed(2)} % at ${FILE_THRESHOLDS[i]}`);
  const target =
    least !== undefined
      ? { target: `≥ ${least * 100} %`, ok: atDefault >= least }
      : { target: `≤ ${FALSE_POSITIVES_MAX * 100} %`, ok: atDefault <= FALSE_POSITIVES_MAX };
  return {
    what: `hits of ${file} (${count}${withEvidence ? ', with birth and nationality' : ''})`,
    measured: shares.join(', '),
    ...target,
  };
}

const wordFigure = ({ form, words, hits, heldOutHits, listed }: WordRates): Figure => ({
  what: `hits of "${form}" with ${words.toLocaleString('en')} Nigerian words`,
  measured: `${(hits * 100).toFixed(2)} %, held-out third ${(heldOutHits * 100).toFixed(2)} %; listed in these words ${(listed * 100).toFixed(2)} %`,
  target: `≤ ${WORD_HITS_MAX * 100} %`,
  ok: hits <= WORD_HITS_MAX,
});

const sliceFigure = (rates: SliceRates): Figure => ({
  what: `F1 at ${THRESHOLD_DEFAULT}, ${rates.slice}, ${rates.half} half (${rates.pairs} pairs, both ways)`,
  measured: `${ratesText(rates, rates.intervals)}; with the same country on both sides F1 ${rates.withCountry.f1.toFixed(3)} (P ${rates.withCountry.precision.toFixed(3)}, R ${rates.withCountry.recall.toFixed(3)}); a hit one way only: ${rates.oneWay}`,
});

const namedFigure = ({ class: name, isMatch, directions, right, rightWithCountry, wrong }: NamedRates): Figure => ({
  what: `pairs named in the classes of error that are ${isMatch ? 'a hit' : 'no hit'}, ${name} (${directions}, both ways)`,
  measured: `${right}; with the same country ${rightWithCountry}${wrong.length > 0 ? `; not: ${wrong.join('; ')}` : ''}`,
});

const stemFigure = ({ directions, byName, withCountry, withBirth }: StemRates): Figure => ({
  what: `a man's and a woman's name of one stem that are a hit (${directions}, both ways)`,
  measured: `${withInterval(...byName)}; with the same country ${withInterval(...withCountry)}; with the same birth too ${withInterval(...withBirth)}`,
});

const slipFigure = ({ slips, half, people, found, foundByReference, words, misnamed }: SlipRates): Figure => ({
  what: `UN persons found with slips: ${slips}, ${half} half (${people})`,
  measured: `${withInterval(found / people, wilson(found, people))}; slips that the evidence calls another form of the name: ${misnamed} of ${words}`,
  reference: `sorted Jaro–Winkler ${REFERENCE_MIN} ${withInterval(foundByReference / people, wilson(foundByReference, people))}`,
});

const chineseFigure = ({ spelling, names, hits }: ChineseRates): Figure => ({
  what: `hits per 1,000 invented Chinese names on sanctions lists, ${spelling} (${names})`,
  measured: withInterval((hits / names) * 1_000, perThousand(hits, names), 1),
});

const slipStrangerFigure = ({ names, hits, hitsByReference }: SlipStrangers): Figure => ({
  what: `hits per 1,000 invented Nigerian names on the UN's list (${names.toLocaleString('en')})`,
  measured: withInterval((hits / names) * 1_000, perThousand(hits, names), 1),
  reference: `sorted Jaro–Winkler ${REFERENCE_MIN} ${withInterval((hitsByReference / names) * 1_000, perThousand(hitsByReference, names), 1)}`,
});

const respeltFigure = ({ names, found, born, foundWithBirth }: RespeltRates): Figure => ({
  what: 'listed people of two common names found with one of them spelt otherwise',
  measured: `${found} of ${names}; with the listed birth ${foundWithBirth} of ${born}`,
});

const politicianFigure = ({ half, people, hits, interval, rules }: PoliticianRates): Figure => ({
  what: `politicians who hit somebody born in another year, ${half} half (${people})`,
  measured: `${withInterval(hits, interval, 1)} per 1,000 (${Object.entries(rules)
    .map(([rule, count]) => `${rule} ${count}`)
    .join(', ')})`,
});

const groupFigure = (rates: ListedGroupRates): Figure => {
  const { lists, source, group, names, hits, interval, twoWords, threeWords, listed, withCountry, withBirth } = rates;
  const most = group === ALL_GROUPS ? ALL_GROUPS_HITS_MAX : GROUP_HITS_MAX;
  return {
    what: `hits per 1,000 Nigerian names, ${lists}, ${source}, ${group} (${names.toLocaleString('en')})`,
    measured: `${withInterval(hits, interval, 1)} (two words ${twoWords.toFixed(1)}, more ${threeWords.toFixed(1)}; listed in exactly these words ${listed.toFixed(1)}); with the same country, without a birth ${withCountry.toFixed(1)}; with birth and country ${withBirth.toFixed(1)}`,
    ...(hasTarget(lists, source) && { target: `≤ ${most}`, ok: hits <= most }),
  };
};

const companyFigure = ({ slice, half, pairs, strangers, intervals, ...rates }: CompanyRates): Figure => ({
  what: `F1 at ${THRESHOLD_DEFAULT}, ${slice}, ${half} half (${pairs} pairs, ${strangers} of strangers)`,
  measured: ratesText(rates, intervals),
});

const writtenFigure = ({ written, half, companies, found }: WrittenRates): Figure => ({
  what: `listed organizations found ${written}, ${half} half (${companies})`,
  measured: withInterval(found, wilson(found * companies, companies)),
});

const inventedFigure = ({ form, names, hits, from, to }: InventedRates): Figure => ({
  what: `hits per 1,000 invented Nigerian companies, ${form} (${names.toLocaleString('en')})`,
  measured: withInterval(hits, [from, to], 1),
  ...(form === ALL_FORMS && { target: `≤ ${COMPANY_HITS_MAX}`, ok: hits <= COMPANY_HITS_MAX }),
});

const speedFigures = ({ names, fresh, further, persons, scanMs }: Speed): Figure[] =>
  [
    { what: `screenings, one thread, ${names.toLocaleString('en')} names, every word new to the matcher`, pass: fresh },
    { what: 'the same with as many other names afterwards', pass: further },
    { what: 'the same sent as persons, every word new to the matcher', pass: persons.fresh },
    { what: 'the same sent as persons, afterwards', pass: persons.further },
  ].flatMap(({ what, pass: { cpuPerSecond, wallPerSecond, took } }) => [
    {
      what,
      measured: `${perSecond(cpuPerSecond, 'names')} of processor time, ${perSecond(wallPerSecond, 'names')} of wall time`,
      reference: `${ms(scanMs)} a name in a plain scan (extrapolated)`,
      ratio: Math.round((cpuPerSecond * scanMs) / 1000).toLocaleString('en'),
      target: `≥ ${PER_SECOND_MIN.toLocaleString('en')}/s`,
      ok: cpuPerSecond >= PER_SECOND_MIN,
    },
    {
      what: '  its p99',
      measured: `${took.p99.toFixed(2)} ms (p50 ${took.p50.toFixed(2)}, max ${took.max.toFixed(1)})`,
      target: `≤ ${P99_MS_MAX} ms`,
      ok: took.p99 <= P99_MS_MAX,
    },
  ]);

function indexFigures(index: IndexMemory, most: { mb: number; ms: number }): Figure[] {
  const names = index.names.toLocaleString('en');
  const [one, two] = index.threadMb;
  return [
    {
      what: `index of ${names} names`,
      measured: `${Math.round(index.sharedMb)} MB shared; the process grew by ${Math.round(index.grownMb)} MB${index.peakMb === null ? '' : `, peak ${Math.round(index.peakMb)} MB in all`}`,
      target: `≤ ${most.mb} MB`,
      ok: index.grownMb <= most.mb,
    },
    {
      what: `  built in`,
      measured: `${ms(index.buildWallMs)} (${ms(index.buildCpuMs)} of processor time)`,
      target: `≤ ${most.ms} ms`,
      ok: index.buildWallMs <= most.ms,
    },
    {
      what: '  added by a second screening thread',
      measured: `${Math.round(two - one)} MB (the first ${Math.round(one - index.grownMb)} MB)`,
      target: '< the index',
      ok: two - one < index.sharedMb,
    },
  ];
}

const bulkFigures = ({ rows, uploadMs, runMs, calls }: Bulk): Figure[] => [
  {
    what: `${rows.toLocaleString('en')} names through the whole service`,
    measured: `${((uploadMs + runMs) / 1000).toFixed(1)} s (upload ${(uploadMs / 1000).toFixed(1)} s)`,
    target: `≤ ${BULK_MS_MAX / 1000} s`,
    ok: uploadMs + runMs <= BULK_MS_MAX,
  },
  { what: '  a single screening meanwhile, p99', measured: `${ms(calls.p99)} (p50 ${ms(calls.p50)})` },
];
