/**
 * A program: screens `NAMES` invented names, and those of the files, against all lists in one thread, and compares with a plain scan. Prints one line of
 * JSON.
 */
import { distance } from 'fastest-levenshtein';
import { IndexBuilder } from '../../src/engines/aml/match/build.ts';
import { openMatcher } from '../../src/engines/aml/match/screen.ts';
import { THRESHOLD_DEFAULT } from '../../src/engines/aml/request.ts';
import type { Matcher } from '../../src/engines/aml/screening.ts';
import { type Summary, summarize } from '../figure.ts';
import { namesOfFiles } from './accuracy.ts';
import { readListings } from './lists.ts';
import { collectParts, inventNames, type NameParts } from './names.ts';

const INVENTED = Number(process.env.NAMES);
const WARM_UP = 3_000;
/** The scan compares this many names with this many rows and extrapolates the rest. */
const SCAN = { names: 20, rows: 5_000 } as const;

export interface Pass {
  names: number;
  hits: number;
  wallPerSecond: number;
  cpuPerSecond: number;
  /** Milliseconds. */
  took: Summary;
}

export interface Speed {
  names: number;
  entries: number;
  /** Every word is new to the matcher until it repeats. */
  fresh: Pass;
  /** As many other names afterwards. */
  further: Pass;
  /** The same with another matcher and other names, sent as persons: without a type, organizations are screened too. */
  persons: { fresh: Pass; further: Pass };
  /** Milliseconds a name takes in the scan, over all rows. */
  scanMs: number;
}

const builder = new IndexBuilder();
const parts: NameParts = { given: [], family: [] };
const listed: string[] = [];
for await (const listing of readListings('all')) {
  builder.add(listing);
  collectParts(parts, listing);
  for (const { text } of listing.entry.names) listed.push(text);
}
const index = builder.finish();

// A separate matcher warms up the compiler, so that the measured one knows none of the words.
const warm = openMatcher(index);
for (const name of inventNames(parts, WARM_UP, 1)) screenWith(warm, name);
const first = [...namesOfFiles(), ...inventNames(parts, INVENTED, 2)];
const second = inventNames(parts, INVENTED, 3);
const [matcher, personMatcher] = [openMatcher(index), openMatcher(index)];
const fresh = pass(matcher, first);
const further = pass(matcher, second);
const persons = {
  fresh: pass(personMatcher, inventNames(parts, INVENTED, 5), 'person'),
  further: pass(personMatcher, inventNames(parts, INVENTED, 6), 'person'),
};
const speed: Speed = {
  names: index.persons.rowCount + index.organizations.rowCount,
  entries: index.persons.entryCount + index.organizations.entryCount,
  fresh,
  further,
  persons,
  scanMs: scan(),
};
console.log(JSON.stringify(speed));

function screenWith(one: Matcher, name: string, type?: 'person'): number {
  const subject = { name, dateOfBirth: null, country: null, gender: null, ...(type && { type }) };
  return one.screen(subject, { threshold: THRESHOLD_DEFAULT, lists: null }).length;
}

function pass(one: Matcher, names: string[], type?: 'person'): Pass {
  const took: number[] = [];
  const cpu = process.cpuUsage();
  const began = performance.now();
  let hits = 0;
  for (const name of names) {
    const from = performance.now();
    hits += screenWith(one, name, type);
    took.push(performance.now() - from);
  }
  const wallMs = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  const perSecond = (ms: number): number => (names.length / ms) * 1000;
  return {
    names: names.length,
    hits,
    wallPerSecond: perSecond(wallMs),
    cpuPerSecond: perSecond((user + system) / 1000),
    took: summarize(took),
  };
}

/** Compares every name with every row by edit distance, words sorted: the work without an index. */
function scan(): number {
  const sorted = (name: string): string => name.toLowerCase().split(/\s+/).sort().join(' ');
  const step = Math.floor(listed.length / SCAN.rows);
  const rows = Array.from({ length: SCAN.rows }, (_, i) => sorted(listed[i * step]!));
  const names = inventNames(parts, SCAN.names, 4).map(sorted);
  const began = performance.now();
  for (const name of names) for (const row of rows) distance(name, row);
  const ms = performance.now() - began;
  return (ms / names.length) * (listed.length / rows.length);
}
