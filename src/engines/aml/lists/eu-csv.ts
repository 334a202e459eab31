/**
 * The EU's consolidated list of financial sanctions (FSF) as CSV 1.1: one row for each attribute (a name, a birth, a citizenship …) of an entity.
 * This layout does not mark weak aliases. The XML layout does, so prefer that one.
 */
import { type ListEntry, type ListFacts, type ListFile, ListFileError, type ListFormat } from '../list.ts';
import { type CellOf, type CsvRow, columnsByName, readCsvRows } from './csv.ts';
import { isoDay } from './dates.ts';
import { type EuBirth, type EuName, euBirth, euNames, LOGICAL_ID } from './eu-xml.ts';
import { idOf, SourceIds, toEntry } from './fields.ts';

const REQUIRED = [
  'Entity_LogicalId',
  'Entity_SubjectType',
  'Entity_Regulation_Programme',
  'NameAlias_LastName',
  'NameAlias_FirstName',
  'NameAlias_MiddleName',
  'NameAlias_WholeName',
  'BirthDate_BirthDate',
  'BirthDate_Day',
  'BirthDate_Month',
  'BirthDate_Year',
  'BirthDate_YearRangeFrom',
  'BirthDate_YearRangeTo',
  'BirthDate_Circa',
  'Citizenship_CountryIso2Code',
] as const;
const OPTIONAL = [
  'fileGenerationDate',
  'Entity_SubjectType_ClassificationCode',
  'Entity_DesignationDate',
  'Entity_Regulation_PublicationUrl',
  'NameAlias_Gender',
  'BirthDate_CalendarType',
] as const;
type Column = (typeof REQUIRED)[number] | (typeof OPTIONAL)[number];

/** The list has 6,000 entities. The rows of one entity need not be adjacent. */
const ENTITIES_MAX = 200_000;
/** Rows of one person. */
const ROWS_MAX = 10_000;

export const euCsvFormat: ListFormat = {
  id: 'eu_csv',
  recognises: (_name, head) => /\bEntity_LogicalId\b[^\r\n;]{0,3};/i.test(head.split(/[\r\n]/, 1)[0]!),
  read: readEuCsv,
};

interface Entity {
  where: string;
  rows: number;
  names: Map<string, EuName>;
  births: Map<string, EuBirth>;
  countries: Set<string>;
  programs: Set<string>;
  gender: string;
  listedOn: string;
  url: string;
}

async function* readEuCsv(files: ListFile[], facts: ListFacts): AsyncGenerator<ListEntry> {
  facts.publishedOn = null;
  facts.skipped = 0;
  const persons = new Map<string, Entity>();
  const others = new Set<string>();
  for (const file of files) {
    for await (const { row, cell } of readRows(file, facts)) {
      const where = `${file.name}, line ${row.line}`;
      const id = idOf(cell(row, 'Entity_LogicalId'), LOGICAL_ID, where);
      if (!isPerson(row, cell)) others.add(id);
      else addRow(persons, id, row, cell, where);
      if (persons.size + others.size > ENTITIES_MAX) throw new ListFileError('too_large', `${where}: more than ${ENTITIES_MAX} entities`);
    }
  }
  facts.skipped = others.size;
  const ids = new SourceIds();
  for (const [id, entity] of persons) yield readEntity(ids.add(id, entity.where), entity);
  ids.end(files);
}

async function* readRows(file: ListFile, facts: ListFacts): AsyncGenerator<{ row: CsvRow; cell: CellOf<Column> }> {
  let columns = 0;
  let cell: CellOf<Column> | null = null;
  for await (const row of readCsvRows(file, { delimiter: ';', relaxQuotes: true, endsLines: true })) {
    if (cell === null) {
      cell = columnsByName<Column>(file.name, row, REQUIRED, OPTIONAL);
      columns = row.cells.length;
      continue;
    }
    if (row.cells.length > columns) {
      throw new ListFileError('malformed', `${file.name}, line ${row.line}: ${row.cells.length} columns, ${columns} in the header`);
    }
    facts.publishedOn ??= isoDay(cell(row, 'fileGenerationDate'));
    yield { row, cell };
  }
  if (cell === null) throw new ListFileError('empty', `${file.name} is empty`);
}

/** Depending on the year, either column has held the word or the letter. */
const isPerson = (row: CsvRow, cell: CellOf<Column>): boolean =>
  [cell(row, 'Entity_SubjectType'), cell(row, 'Entity_SubjectType_ClassificationCode')].some((type) => /^(?:p|person)$/i.test(type));

function addRow(persons: Map<string, Entity>, id: string, row: CsvRow, cell: CellOf<Column>, where: string): void {
  const entity = persons.get(id) ?? newEntity(where);
  persons.set(id, entity);
  entity.rows += 1;
  if (entity.rows > ROWS_MAX) throw new ListFileError('too_large', `${where}: more than ${ROWS_MAX} rows of one entity`);
  const name = {
    whole: cell(row, 'NameAlias_WholeName'),
    given: [cell(row, 'NameAlias_FirstName'), cell(row, 'NameAlias_MiddleName')],
    last: cell(row, 'NameAlias_LastName'),
    isWeak: false,
  };
  const nameKey = [name.whole, ...name.given, name.last].join('|');
  if (nameKey !== '|||') entity.names.set(nameKey, name);
  const birth = {
    calendar: cell(row, 'BirthDate_CalendarType'),
    date: cell(row, 'BirthDate_BirthDate'),
    year: cell(row, 'BirthDate_Year'),
    month: cell(row, 'BirthDate_Month'),
    day: cell(row, 'BirthDate_Day'),
    rangeFrom: cell(row, 'BirthDate_YearRangeFrom'),
    rangeTo: cell(row, 'BirthDate_YearRangeTo'),
    circa: cell(row, 'BirthDate_Circa').toLowerCase(),
  };
  entity.births.set(Object.values(birth).join('|'), birth);
  entity.countries.add(cell(row, 'Citizenship_CountryIso2Code'));
  entity.programs.add(cell(row, 'Entity_Regulation_Programme'));
  entity.gender ||= cell(row, 'NameAlias_Gender');
  entity.listedOn ||= cell(row, 'Entity_DesignationDate');
  entity.url ||= cell(row, 'Entity_Regulation_PublicationUrl');
}

const newEntity = (where: string): Entity => ({
  where,
  rows: 0,
  names: new Map(),
  births: new Map(),
  countries: new Set(),
  programs: new Set(),
  gender: '',
  listedOn: '',
  url: '',
});

function readEntity(sourceId: string, entity: Entity): ListEntry {
  return toEntry(
    {
      sourceId,
      category: 'sanction',
      names: euNames([...entity.names.values()]),
      births: [...entity.births.values()].map(euBirth),
      countries: [...entity.countries],
      gender: entity.gender,
      programs: [...entity.programs],
      listedOn: entity.listedOn,
      url: entity.url,
    },
    entity.where,
  );
}
