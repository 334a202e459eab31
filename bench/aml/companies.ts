/**
 * Organizations: names that two publishers, one publisher or another script give one organization, against the most alike name of another one; listed
 * organizations found under names written otherwise; and invented Nigerian companies that are on no list.
 */
import { createHash } from 'node:crypto';
import anyAscii from 'any-ascii';
import { distance } from 'fastest-levenshtein';
import { buildIndex } from '../../src/engines/aml/match/build.ts';
import type { ScreeningIndex } from '../../src/engines/aml/match/index.ts';
import { openMatcher } from '../../src/engines/aml/match/screen.ts';
import { THRESHOLD_DEFAULT } from '../../src/engines/aml/request.ts';
import type { Listing } from '../../src/engines/aml/screening.ts';
import { wilson } from '../figure.ts';
import { BLIND_COMPANIES, blindCompanies } from './blind.ts';
import { FORMS, inventCompanies } from './company-names.ts';
import { type Intervals, intervalsAt, type Rates, ratesAt } from './rates.ts';
import { HALVES, type Half, halfOf, type SlicePair } from './slices.ts';

const nobody = { type: 'organization', dateOfBirth: null, country: null, gender: null } as const;
/** Similarity from which two names may be spellings of one name, or be confused. Computed without the matcher. */
const ALIKE = 0.6;
const PAIRS_MAX = 700;

/** An organization as one publisher lists it. */
interface Listed {
  listing: Listing;
  /** The organization, whoever lists it. */
  cluster: number;
  half: Half;
  names: { text: string; plain: string; isLatin: boolean }[];
}

/**
 * Entries that share a name or a registration number are one organization. All of its entries are in the same half, chosen by its alphabetically first name.
 */
export function organizationsIn(listings: readonly Listing[]): Listed[] {
  const entries = listings.filter(({ entry }) => entry.type === 'organization');
  const parents = entries.map((_, i) => i);
  const rootOf = (i: number): number => {
    let at = i;
    while (parents[at] !== at) at = parents[at]!;
    return at;
  };
  const seen = new Map<string, number>();
  const join = (key: string, i: number) => {
    const first = seen.get(key);
    if (first === undefined) seen.set(key, i);
    else parents[rootOf(i)] = rootOf(first);
  };
  for (const [i, { entry }] of entries.entries()) {
    for (const { text, kind } of entry.names) if (kind !== 'weak' && bareOf(text).length > 5) join(`name ${bareOf(text)}`, i);
    for (const number of entry.registrations ?? []) if (number.length >= 8) join(`number ${number}`, i);
  }
  const first = new Map<number, string>();
  for (const [i, { entry }] of entries.entries()) {
    const name = entry.names.map(({ text }) => plainOf(text)).sort()[0]!;
    const known = first.get(rootOf(i));
    if (known === undefined || name < known) first.set(rootOf(i), name);
  }
  return entries.map((listing, i) => ({
    listing,
    cluster: rootOf(i),
    half: halfOf(`company ${first.get(rootOf(i))}`),
    names: listing.entry.names
      .filter(({ kind }) => kind !== 'weak')
      .map(({ text }) => ({ text, plain: plainOf(text), isLatin: /^[\p{Script=Latin}\P{L}]*$/u.test(text) })),
  }));
}

const plainOf = (text: string): string =>
  anyAscii(text)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
/** Leaves out brackets and the commonest legal forms and articles. Used to cluster entries independently of the matcher. */
const bareOf = (text: string): string =>
  plainOf(text.replace(/[([][^)\]]*[)\]]/g, ' '))
    .split(' ')
    .map((word) => word.replace(/^centre$/, 'center').replace(/^iranian$/, 'iran'))
    .filter((word) => !BARE.has(word))
    .sort()
    .join(' ');
const BARE = new Set(
  'joint stock public open closed limited liability company co ltd llc inc corporation corp jsc pjsc ojsc cjsc ooo oao ao pao zao kompaniya gmbh srl sarl plc se sl sa the of and so called'.split(
    ' ',
  ),
);
const alike = (one: string, other: string): number => 1 - distance(one, other) / Math.max(one.length, other.length, 1);
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const byHash = (a: Listed, b: Listed): number => (hashOf(a.names[0]!.text) < hashOf(b.names[0]!.text) ? -1 : 1);

/** Pairs of all slices. A slice has at most as many negatives as positives. */
export function companyPairs(all: readonly Listed[]): SlicePair[] {
  const shuffled = all.filter(({ names }) => names[0]?.isLatin).toSorted(byHash);
  return [...publisherPairs(shuffled), ...aliasPairs(shuffled), ...scriptPairs(shuffled), ...strangerPairs(shuffled)];
}

/** The primary names that two publishers give one organization. */
function publisherPairs(all: readonly Listed[]): SlicePair[] {
  const byCluster = new Map<number, Listed[]>();
  for (const one of all) byCluster.set(one.cluster, [...(byCluster.get(one.cluster) ?? []), one]);
  return [...byCluster.values()]
    .flatMap((same) => {
      const [one] = same;
      const other = same.find(({ listing, names }) => listing.list !== one!.listing.list && names[0]!.plain !== one!.names[0]!.plain);
      if (!other || alike(one!.names[0]!.plain, other.names[0]!.plain) < ALIKE / 2) return [];
      return [pair('companies: another publisher', one!.half, other.names[0]!.text, one!.names[0]!.text, true)];
    })
    .slice(0, PAIRS_MAX);
}

/** Two names that one publisher gives, alike enough to be spellings of one: many aliases are other names altogether. */
const aliasPairs = (all: readonly Listed[]): SlicePair[] =>
  all
    .flatMap(({ half, names: [primary, ...others] }) => {
      const alias = others.find(({ plain, isLatin }) => isLatin && plain !== primary!.plain && alike(plain, primary!.plain) >= ALIKE);
      return alias ? [pair('companies: alike aliases', half, alias.text, primary!.text, true)] : [];
    })
    .slice(0, PAIRS_MAX);

const scriptPairs = (all: readonly Listed[]): SlicePair[] =>
  all
    .flatMap(({ half, names: [primary, ...others] }) => {
      const original = others.find(({ text, isLatin }) => !isLatin && /\p{Script=Cyrillic}/u.test(text));
      return original ? [pair('companies: Cyrillic', half, original.text, primary!.text, true)] : [];
    })
    .slice(0, PAIRS_MAX);

/** The most alike names of two organizations: negatives of every slice. */
function strangerPairs(all: readonly Listed[]): SlicePair[] {
  const some = all.slice(0, 4_000);
  return some.slice(0, PAIRS_MAX * 2).flatMap((one) => {
    const name = one.names[0]!.plain;
    let best = ALIKE - 0.1;
    let closest: Listed | null = null;
    for (const other of some) {
      if (other.cluster === one.cluster || other.half !== one.half || Math.abs(other.names[0]!.plain.length - name.length) > 10) continue;
      const likeness = alike(other.names[0]!.plain, name);
      if (likeness > best && other.names[0]!.plain !== name) [best, closest] = [likeness, other];
    }
    return closest ? [pair('companies: the most alike others', one.half, closest.names[0]!.text, one.names[0]!.text, false)] : [];
  });
}

const pair = (slice: string, half: Half, name: string, listed: string, isMatch: boolean): SlicePair => ({
  slice,
  half,
  name,
  listed,
  isMatch,
});

/** Scores each pair in both directions, over one index of all the names. A name that is not found scores 0. */
export function scoreCompanies(pairs: readonly SlicePair[]) {
  const ids = new Map([...new Set(pairs.flatMap(({ name, listed }) => [name, listed]))].map((name, i) => [name, String(i)]));
  const facts = { births: [], countries: [], gender: null, programs: [], listedOn: null, endedOn: null, url: null };
  const listings = [...ids].map(([text, sourceId]): Listing => {
    const names = [{ text, kind: 'primary' as const }];
    return {
      list: 'pairs',
      version: '1',
      digest: '0'.repeat(16),
      entry: { sourceId, category: 'sanction', type: 'organization', names, ...facts },
    };
  });
  const matcher = openMatcher(buildIndex(listings));
  const score = (name: string, listed: string): number =>
    matcher.screen({ name, ...nobody }, { threshold: 0, lists: null }).find(({ sourceId }) => sourceId === ids.get(listed))?.score ?? 0;
  return pairs.map((one) => ({ ...one, scores: [score(one.name, one.listed), score(one.listed, one.name)] as const }));
}

export interface CompanyRates extends Rates {
  slice: string;
  half: Half;
  /** Of one organization, and of two. */
  pairs: number;
  strangers: number;
  intervals: Intervals;
}

/** Each slice of positives against the negatives, by half. */
export function rateCompanies(scored: ReturnType<typeof scoreCompanies>): CompanyRates[] {
  const slices = [...new Set(scored.filter(({ isMatch }) => isMatch).map(({ slice }) => slice))];
  return ['companies: all', ...slices].flatMap((slice) =>
    HALVES.map((half) => {
      const ofHalf = scored.filter((one) => one.half === half);
      const matches = ofHalf.filter(({ isMatch, slice: own }) => isMatch && (slice === 'companies: all' || own === slice));
      // As many negatives as positives; otherwise the precision of a small slice would be that of its neighbours.
      const others = ofHalf.filter(({ isMatch }) => !isMatch).slice(0, matches.length);
      const pairs = [...matches, ...others];
      return {
        slice,
        half,
        pairs: matches.length,
        strangers: others.length,
        ...ratesAt(pairs, THRESHOLD_DEFAULT),
        intervals: intervalsAt(pairs, THRESHOLD_DEFAULT),
      };
    }),
  );
}

/** The pairs by another author, which have negatives of their own: all of them, and each group. */
export function rateBlindCompanies(): CompanyRates[] {
  const scored = scoreCompanies(blindCompanies());
  const slices = [...new Set(scored.map(({ slice }) => slice))];
  return [`${BLIND_COMPANIES}all`, ...slices].flatMap((slice) =>
    HALVES.map((half) => {
      const pairs = scored.filter((one) => one.half === half && (slice === `${BLIND_COMPANIES}all` || one.slice === slice));
      const matches = pairs.filter(({ isMatch }) => isMatch).length;
      return {
        slice,
        half,
        pairs: matches,
        strangers: pairs.length - matches,
        ...ratesAt(pairs, THRESHOLD_DEFAULT),
        intervals: intervalsAt(pairs, THRESHOLD_DEFAULT),
      };
    }),
  );
}

/** Ways in which a client may write a listed name. */
const WRITTEN: Record<string, (name: string, i: number) => string | null> = {
  'without its legal form': (name) => changed(name, name.replace(LEGAL, ' ')),
  'with another legal form': (name, i) =>
    `${name.replace(LEGAL, ' ').trim()} ${['Limited', 'Nig. Ltd', 'PLC', 'GmbH', 'Co., Ltd.'][i % 5]}`,
  'with a letter changed': (name, i) => withSlip(name, i),
  'with a space left out': (name) => changed(name, name.replace(/([\p{L}]{4,}) (?=\p{L}{4,})/u, '$1')),
  'with its words turned round': (name) => {
    const parts = name.split(' ');
    return parts.length > 2 ? [...parts.slice(1), parts[0]].join(' ') : null;
  },
};
const LEGAL =
  /[,.]?\s*\b(?:limited liability company|joint stock company|limited|ltd|llc|inc|corporation|corp|company|co|gmbh|plc|jsc|ojsc|pjsc|ooo|oao|sarl|s\.?a\.?)\b\.?/giu;
const changed = (before: string, after: string): string | null => {
  const plain = after.replace(/\s+/g, ' ').trim();
  return plain !== before && /\p{L}{3}/u.test(plain) ? plain : null;
};

/** One letter of the longest word is replaced, left out or exchanged with the next. */
function withSlip(name: string, i: number): string | null {
  const word = name.match(/[A-Za-z]{6,}/g)?.toSorted((a, b) => b.length - a.length)[0];
  if (!word) return null;
  const at = 2 + (i % (word.length - 3));
  const slips = [
    word.slice(0, at) + word.slice(at + 1),
    `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`,
    `${word.slice(0, at)}${'aeiou'[i % 5]}${word.slice(at + 1)}`,
  ];
  return changed(name, name.replace(word, slips[i % 3]!));
}

export interface WrittenRates {
  written: string;
  half: Half;
  companies: number;
  found: number;
}

/** Listed organizations, screened against all lists: any listing of the same organization counts. */
export function rateWritten(index: ScreeningIndex, all: readonly Listed[]): WrittenRates[] {
  const matcher = openMatcher(index);
  const clusterOf = new Map(all.map(({ listing: { list, entry }, cluster }) => [`${list} ${entry.sourceId}`, cluster]));
  const some = all
    .filter(({ names }) => names[0]?.isLatin)
    .toSorted(byHash)
    .slice(0, 1_500);
  return Object.entries(WRITTEN).flatMap(([written, write]) =>
    HALVES.map((half) => {
      let [companies, found] = [0, 0];
      for (const [i, one] of some.entries()) {
        const name = one.half === half ? write(one.names[0]!.text, i) : null;
        if (name === null) continue;
        companies++;
        const hits = matcher.screen({ name, ...nobody }, { threshold: THRESHOLD_DEFAULT, lists: null });
        if (hits.some(({ list, sourceId }) => clusterOf.get(`${list} ${sourceId}`) === one.cluster)) found++;
      }
      return { written, half, companies, found: found / Math.max(1, companies) };
    }),
  );
}

export interface InventedRates {
  form: string;
  names: number;
  /** Per 1,000, with the 95 % interval (Wilson). */
  hits: number;
  from: number;
  to: number;
}

export const ALL_FORMS = 'all forms';

/** Names of each form. */
const INVENTED = 4_000;

/** Invented Nigerian companies with a hit on any sanctions list, by name alone. */
export function rateInvented(index: ScreeningIndex): InventedRates[] {
  const matcher = openMatcher(index);
  const rates = FORMS.map((form, i) => {
    const names = inventCompanies(form, INVENTED, 7_000 + i);
    const hits = names.filter(
      (name) => matcher.screen({ name, ...nobody }, { threshold: THRESHOLD_DEFAULT, lists: null }).length > 0,
    ).length;
    return rated(form, hits, names.length);
  });
  const hits = rates.reduce((sum, one) => sum + (one.hits * one.names) / 1_000, 0);
  return [...rates, rated(ALL_FORMS, Math.round(hits), INVENTED * FORMS.length)];
}

function rated(form: string, hits: number, names: number): InventedRates {
  const [from, to] = wilson(hits, names);
  return { form, names, hits: (hits / names) * 1_000, from: from * 1_000, to: to * 1_000 };
}
