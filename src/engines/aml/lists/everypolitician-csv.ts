/**
 * Politicians as CSV: EveryPolitician's `term-N.csv`, and tables derived from it or like it (`position`, `country`, `start_date`, `end_date` …).
 * Columns are found by name. A person has one line for each term or group; lines are gathered by id.
 */
import { type ListEntry, type ListFacts, type ListFile, ListFileError, type ListFormat } from '../list.ts';
import { plainColumn, readTable } from './csv.ts';
import { listedBirth } from './dates.ts';
import { countryOfName, lastEnd } from './everypolitician.ts';
import { type Draft, SourceIds, toEntry } from './fields.ts';

export const politiciansCsvFormat: ListFormat = {
  id: 'everypolitician_csv',
  recognizes: (_name, head) => {
    const columns = (head.split(/\r?\n/, 1)[0] ?? '').split(',').map((cell) => plainColumn(cell.replaceAll('"', '')));
    return columns[0] === 'id' && columns[1] === 'name' && columns.some((column) => MARKS.has(column));
  },
  read: readPoliticians,
};

/** Columns that Confam's own format does not have. */
const MARKS: ReadonlySet<string> = new Set(['sortname', 'othernames']);

const REQUIRED = ['id', 'name'] as const;
const OPTIONAL = [
  'sort_name',
  'other_names',
  'family_name',
  'birth_date',
  'gender',
  'country',
  'country_slug',
  'position',
  'official_position',
  'legislature',
  'chamber',
  'state',
  'district',
  'area',
  'term',
  'start_date',
  'end_date',
] as const;
type Column = (typeof REQUIRED)[number] | (typeof OPTIONAL)[number];

/** Everyone is held until the last line is read. EveryPolitician has fewer than 100,000 politicians. */
const PERSONS_MAX = 1_000_000;

interface Person {
  where: string;
  draft: Draft & { births: string[]; countries: string[]; programs: string[] };
  ends: (string | null)[];
}

async function* readPoliticians(files: ListFile[], facts: ListFacts): AsyncGenerator<ListEntry> {
  facts.publishedOn = null;
  facts.skipped = 0;
  const ids = new SourceIds();
  const persons = new Map<string, Person>();
  for (const file of files) await readTerms(file, persons, ids);
  ids.end(files);
  for (const { draft, ends, where } of persons.values()) yield toEntry({ ...draft, endedOn: lastEnd(ends) ?? '' }, where);
}

async function readTerms(file: ListFile, persons: Map<string, Person>, ids: SourceIds): Promise<void> {
  for await (const { where, read } of readTable<Column>(file, { delimiter: ',' }, REQUIRED, OPTIONAL)) {
    const person = persons.get(read('id')) ?? newPerson(ids.add(read('id'), where), where);
    if (persons.size === PERSONS_MAX) throw new ListFileError('too_large', `${where}: more than ${PERSONS_MAX} people`);
    persons.set(person.draft.sourceId, person);
    addTerm(person, read, file.name);
  }
}

const newPerson = (sourceId: string, where: string): Person => ({
  where,
  draft: { sourceId, category: 'pep', names: [], births: [], countries: [], programs: [] },
  ends: [],
});

function addTerm({ draft, ends }: Person, read: (column: Column) => string, fileName: string): void {
  draft.names.push({ text: read('name'), kind: 'primary', family: read('family_name') });
  for (const other of [...read('other_names').split(';'), givenFirst(read('sort_name'))]) draft.names.push({ text: other, kind: 'alias' });
  const birth = birthOf(read('birth_date'));
  if (!draft.births.includes(birth)) draft.births.push(birth);
  // A subdivision counts as its country: `GE-AB` (ISO 3166-2).
  draft.countries.push((read('country') || read('country_slug')).replace(/^([A-Z]{2})-\w+$/, '$1') || countryOfName(fileName));
  draft.gender ||= read('gender');
  draft.programs.push(officeOf(read));
  ends.push(listedBirth(read('end_date'))?.to ?? null);
}

/** `Senator, Chief Whip, 2019/2020`; `Member of National Assembly`. */
function officeOf(read: (column: Column) => string): string {
  const office = read('position') || (read('chamber') || read('legislature') ? `Member of ${read('chamber') || read('legislature')}` : '');
  return [office, read('official_position'), read('district') || read('state') || read('area'), read('term')]
    .filter((part) => part !== '')
    .join(', ');
}

/** `Adebayo, Ṣade`, from the sort-name column. */
const givenFirst = (name: string): string => {
  const [family, given, ...more] = name.split(',');
  return given !== undefined && more.length === 0 ? `${given} ${family}` : name;
};

/** In `3/1/1955` either number may be the month, so only the year counts. */
const birthOf = (text: string): string => /^\d{1,2}\/\d{1,2}\/(\d{4})$/.exec(text)?.[1] ?? text;
