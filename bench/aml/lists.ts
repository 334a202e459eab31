/**
 * Reads the real lists of `../shared/data/aml`, which are not part of the project, with the project's own readers. The EU's is not a file of its publisher:
 * it was made from the annexes of its regulations, and is read here.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { openPaths } from '../../src/aml/files.ts';
import { countryCode } from '../../src/engines/aml/countries.ts';
import {
  type Category,
  type EntryType,
  type ListEntry,
  type ListedName,
  type ListFile,
  type ListFormat,
  plainRegistration,
} from '../../src/engines/aml/list.ts';
import { listedBirth } from '../../src/engines/aml/lists/dates.ts';
import { formats } from '../../src/engines/aml/lists/formats.ts';
import type { Listing } from '../../src/engines/aml/screening.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';

export const DATA = join(packageRoot(), '../shared/data/aml');
export const hasData = existsSync(DATA);

/** Bytes by which a format is recognized. */
const HEAD_LENGTH = 4096;

export interface RealList {
  list: string;
  category: Category;
  paths: readonly string[];
}

const OFAC_FURTHER = ['alt', 'add', 'sdn_comments'].map((file) => `ofac/${file}-2024-01-08.csv`);

const EU = 'eu/eu_journal_consolidated.csv';

const everyList: readonly RealList[] = [
  { list: 'ofac_sdn', category: 'sanction', paths: ['ofac/sdn-2024-01-11.csv', ...OFAC_FURTHER] },
  { list: 'ofac_cons', category: 'sanction', paths: ['prim', 'alt', 'add', 'comments'].map((file) => `ofac/cons/cons_${file}.csv`) },
  { list: 'un_sc', category: 'sanction', paths: ['un/UN_consolidated-2026-02-27.xml'] },
  { list: 'uk_ofsi', category: 'sanction', paths: ['uk/UK_Sanctions_List-2025-04.csv.gz'] },
  { list: 'eu_journal', category: 'sanction', paths: [EU] },
  { list: 'ca_sema', category: 'sanction', paths: ['canada/sema-lmes-2025.xml'] },
  { list: 'everypolitician', category: 'pep', paths: ['peps/everypolitician-2015-11.csv'] },
  { list: 'nigeria_peps', category: 'pep', paths: ['peps/nigeria-peps-2020.csv'] },
];

/** The lists named in AML_LISTS, separated by commas; without it all lists. */
export function realLists(): readonly RealList[] {
  const names = process.env.AML_LISTS?.split(',');
  return names ? everyList.filter(({ list }) => names.includes(list)) : everyList;
}

export const openRealList = ({ paths }: RealList): Promise<ListFile[]> => openPaths(paths.map((path) => join(DATA, path)));

/** Entries list by list; `sanctions`: of sanctions lists only. */
export async function* readListings(which: 'all' | 'sanctions'): AsyncGenerator<Listing> {
  for (const real of realLists()) {
    if (which === 'sanctions' && real.category !== 'sanction') continue;
    const files = await openRealList(real);
    const head = await readHead(files[0]!);
    const format = realFormats.find((one) => one.recognizes(files[0]!.name, head))!;
    for await (const entry of format.read(files, { publishedOn: null, skipped: 0 }, { category: real.category }))
      yield { list: real.list, version: '2026-01-01-00000000', digest: '0'.repeat(16), entry };
  }
}

async function readHead(file: ListFile): Promise<string> {
  for await (const chunk of file.open()) return Buffer.from(chunk).subarray(0, HEAD_LENGTH).toString('utf8');
  return '';
}

const EU_ORGANIZATIONS = new Set(['LegalEntity', 'Company', 'Organization']);

/** One row a person or organization; the row number is the id. */
const euJournalFormat: ListFormat = {
  id: 'eu_journal',
  recognizes: (_name, head) => head.startsWith('celex,'),
  async *read(_files, facts) {
    facts.publishedOn = null;
    for (const [i, row] of readRows(EU).entries()) {
      const type = row.schema === 'Person' ? 'person' : EU_ORGANIZATIONS.has(row.schema!) ? 'organization' : null;
      const entry = type && euEntry(String(i), type, row);
      if (entry) yield entry;
      else facts.skipped++;
    }
  },
};

export const realFormats: readonly ListFormat[] = [euJournalFormat, ...formats];

function euEntry(sourceId: string, type: EntryType, row: Record<string, string>): ListEntry | null {
  const named = (column: string, kind: ListedName['kind']): ListedName[] => partsOf(row[column]).map((text) => ({ text, kind }));
  const names = [
    ...named('name', 'primary'),
    ...named('alias', 'alias'),
    ...named('weakAlias', 'weak'),
    ...named('previousName', 'former'),
  ];
  if (names.length === 0) return null;
  const isOrganization = type === 'organization';
  const countries = isOrganization ? [row.country, row.jurisdiction].flatMap(partsOf) : partsOf(row.nationality);
  const registrations = [row.registrationNumber, row.taxNumber, row.innCode, row.ogrnCode].flatMap(partsOf).map(plainRegistration);
  return {
    sourceId,
    category: 'sanction',
    ...(isOrganization && { type: 'organization' as const, registrations }),
    names,
    births: isOrganization ? [] : partsOf(row.birthDate).flatMap((birth) => listedBirth(birth) ?? []),
    countries: [...new Set(countries.flatMap((country) => countryCode(country) ?? []))].sort(),
    gender: row.gender === 'male' || row.gender === 'female' ? row.gender : null,
    programs: partsOf(row.programKey),
    listedOn: null,
    endedOn: null,
    url: null,
  };
}

const partsOf = (cell: string | undefined): string[] =>
  (cell ?? '')
    .split(';')
    .map((text) => text.trim())
    .filter(Boolean);

/** A table in the folder, by column names. */
export const readRows = (path: string): Record<string, string>[] =>
  parse(readFileSync(join(DATA, path)), { columns: true, bom: true, relax_column_count: true });
