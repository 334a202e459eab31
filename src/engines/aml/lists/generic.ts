/**
 * Confam's own format for adverse media and in-house lists: CSV with a header, or JSON Lines with the same member names (docs/lists.md). Only `name`
 * is required.
 */
import { createHash } from 'node:crypto';
import { delimiterOf, firstLine } from '../../../rows/records.ts';
import {
  type Category,
  categories,
  type EntryType,
  entryTypes,
  type ListEntry,
  type ListFacts,
  type ListFile,
  ListFileError,
  type ListFormat,
} from '../list.ts';
import { type CsvDialect, plainColumn, readCsvRows } from './csv.ts';
import { SourceIds, toEntry } from './fields.ts';
import { readJsonLines } from './json-lines.ts';
import { readStart } from './text.ts';

export const genericFormat: ListFormat = {
  id: 'generic',
  recognizes: (_name, head) => (isJson(head) ? /"name"\s*:/i.test(head) : columnPlaces(headerCells(head)).has('name')),
  read: readGeneric,
};

/** Each column and its aliases. */
const COLUMNS = {
  name: [],
  id: ['source_id'],
  aliases: ['alias'],
  weak_aliases: ['weak_alias'],
  date_of_birth: ['dob', 'birth_date'],
  countries: ['country', 'nationality', 'nationalities'],
  entity_type: [],
  gender: ['sex'],
  registration_numbers: ['registration_number', 'rc_number'],
  category: [],
  programs: ['program'],
  headline: [],
  listed_on: ['published', 'published_on'],
  ended_on: [],
  url: [],
} as const;
type Column = keyof typeof COLUMNS;

interface Line {
  where: string;
  /** All values of a column: a cell split at semicolons, or the elements of an array. */
  values(column: Column): string[];
  /** The value of a single-valued column. */
  value(column: Column): string;
}

async function* readGeneric(
  files: ListFile[],
  facts: ListFacts,
  options: { category: Category } = { category: 'adverse_media' },
): AsyncGenerator<ListEntry> {
  facts.publishedOn = null;
  facts.skipped = 0;
  const ids = new SourceIds();
  for (const file of files) {
    for await (const line of readLines(file)) yield readEntry(line, ids, options.category);
  }
  ids.end(files);
}

async function* readLines(file: ListFile): AsyncGenerator<Line> {
  const start = await readStart(file);
  if (start.trim() === '') throw new ListFileError('empty', `${file.name} is empty`);
  yield* isJson(start) ? readObjects(file) : readRecords(file, start);
}

function readEntry(line: Line, ids: SourceIds, usual: Category): ListEntry {
  const [name, births, url] = [line.value('name'), line.values('date_of_birth'), line.value('url')];
  const category = line.value('category').toLowerCase();
  if (category !== '' && !isCategory(category)) {
    throw new ListFileError('bad_value', `${line.where}: category is none of ${categories.join(', ')}`);
  }
  const type = typeNamed(line.value('entity_type').toLowerCase());
  if (type === undefined) throw new ListFileError('bad_value', `${line.where}: entity_type is none of ${entryTypes.join(', ')}`);
  const isOrganization = type === 'organization';
  return toEntry(
    {
      sourceId: ids.add(line.value('id') || hashOf([name, births.join(';'), url]), line.where),
      category: category === '' ? usual : category,
      names: [
        { text: name, kind: 'primary' },
        ...line.values('aliases').map((text) => ({ text, kind: 'alias' as const })),
        ...line.values('weak_aliases').map((text) => ({ text, kind: 'weak' as const })),
      ],
      type: isOrganization ? 'organization' : undefined,
      births: isOrganization ? [] : births,
      countries: line.values('countries'),
      gender: isOrganization ? '' : line.value('gender'),
      registrations: isOrganization ? line.values('registration_numbers') : [],
      programs: [...line.values('programs'), line.value('headline')],
      listedOn: line.value('listed_on'),
      endedOn: line.value('ended_on'),
      url,
    },
    line.where,
  );
}

/** Undefined for a word that names no type; a person unless the line says otherwise. */
function typeNamed(word: string): EntryType | undefined {
  if (word === '' || word === 'person' || word === 'individual') return 'person';
  return ['organization', 'organisation', 'company', 'entity', 'business'].includes(word) ? 'organization' : undefined;
}

const isCategory = (text: string): text is Category => (categories as readonly string[]).includes(text);

/** Id for a line without one. Derived from the content, so it survives a move of the line in the next version. */
const hashOf = (values: string[]): string => createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 24);

async function* readRecords(file: ListFile, start: string): AsyncGenerator<Line> {
  let places: Map<Column, number> | null = null;
  let width = 0;
  for await (const { line, cells } of readCsvRows(file, dialectOf(start))) {
    const where = `${file.name}, line ${line}`;
    if (places === null) {
      places = columnPlaces(cells);
      width = cells.length;
      if (!places.has('name')) throw new ListFileError('missing_column', `${where}: the header lacks the column name`);
      continue;
    }
    if (cells.length !== width) {
      throw new ListFileError('malformed', `${where}: ${cells.length} cells where the header has ${width}; the file may be cut off`);
    }
    const at = places;
    const value = (column: Column): string => cells[at.get(column) ?? -1]?.trim() ?? '';
    yield { where, value, values: (column) => splitList(value(column), column) };
  }
}

async function* readObjects(file: ListFile): AsyncGenerator<Line> {
  for await (const { line, value: object } of readJsonLines(file)) {
    const where = `${file.name}, line ${line}`;
    const members = Object.entries(object);
    const places = columnPlaces(members.map(([name]) => name));
    if (!places.has('name')) throw new ListFileError('missing_column', `${where} lacks the member name`);
    const values = (column: Column): string[] => {
      const value = members[places.get(column) ?? -1]?.[1] ?? '';
      const texts = Array.isArray(value) ? value : splitList(String(value), column);
      if (texts.some((text) => typeof text !== 'string') || (typeof value === 'object' && !Array.isArray(value))) {
        throw new ListFileError('bad_value', `${where}: ${column} is neither a string nor an array of strings`);
      }
      return texts.map((text: string) => text.trim()).filter((text) => text !== '');
    };
    yield { where, values, value: (column) => values(column)[0] ?? '' };
  }
}

const LISTS: ReadonlySet<Column> = new Set(['aliases', 'weak_aliases', 'date_of_birth', 'countries', 'registration_numbers', 'programs']);

const splitList = (text: string, column: Column): string[] =>
  (LISTS.has(column) ? text.split(';') : [text]).map((part) => part.trim()).filter((part) => part !== '');

/** Of two equal column names the first counts. */
function columnPlaces(header: readonly string[]): Map<Column, number> {
  const names = header.map(plainColumn);
  const places = new Map<Column, number>();
  for (const [column, others] of Object.entries(COLUMNS) as [Column, readonly string[]][]) {
    const at = [column, ...others].map((name) => names.indexOf(plainColumn(name))).find((place) => place !== -1);
    if (at !== undefined) places.set(column, at);
  }
  return places;
}

const isJson = (head: string): boolean => head.trimStart().startsWith('{');

const dialectOf = (start: string): CsvDialect => ({
  delimiter: String.fromCharCode(delimiterOf(headerLine(start))) as CsvDialect['delimiter'],
});

const headerCells = (head: string): string[] => {
  const line = headerLine(head);
  return line
    .toString('utf8')
    .split(String.fromCharCode(delimiterOf(line)))
    .map((cell) => cell.replaceAll('"', ''));
};

function headerLine(start: string): Buffer {
  const text = Buffer.from(`${start.trimStart()}\n`);
  return text.subarray(0, firstLine(text, true)?.end ?? 0);
}
