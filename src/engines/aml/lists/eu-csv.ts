/**
 * The EU's consolidated list of financial sanctions (FSF) as CSV 1.1: one row for each attribute (a name, a birth, a citizenship …) of an entity.
 * This layout does not mark weak aliases. The XML layout does, so prefer that one.
 */
import { type ListEntry, type ListFacts, type ListFile, ListFileError, type ListFormat } from '../list.ts';
import { type CellOf, type CsvRow, columnsByName, readCsvRows } from './csv.ts';
import { isoDay } from './dates.ts';
import { type EuBirth, type EuName, euBirth, euNames, LOGICAL_ID, REGISTRATION_TYPE } from './eu-xml.ts';
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
  'Address_CountryIso2Code',
  'Identification_Number',
  'Identification_TypeCode',
] as const;
type Column = (typeof REQUIRED)[number] | (typeof OPTIONAL)[number];

/** The list has 6,000 entities. The rows of one entity need not be adjacent. */
const ENTITIES_MAX = 200_000;
/** Rows of one person or organization. */
const ROWS_MAX = 10_000;

export const euCsvFormat: ListFormat = {
  id: 'eu_csv',
  recognizes: (_name, head) => /\bEntity_LogicalId\b[^\r\n;]{0,3};/i.test(head.split(/[\r\n]/, 1)[0]!),
  read: readEuCsv,
};

interface Entity {
  where: string;
  isOrganization: boolean;
  rows: number;
  names: Map<string, EuName>;
  births: Map<string, EuBirth>;
  countries: Set<string>;
  registrations: Set<string>;
  programs: Set<string>;
  gender: string;
  listedOn: string;
  url: string;
}

async function* readEuCsv(files: ListFile[], facts: ListFacts): AsyncGenerator<ListEntry> {
  facts.publishedOn = null;
  facts.skipped = 0;
  const entities = new Map<string, Entity>();
  for (const file of files) {
    for await (const { row, cell } of readRows(file, facts)) {
      const where = `${file.name}, line ${row.line}`;
      const id = idOf(cell(row, 'Entity_LogicalId'), LOGICAL_ID, where);
      addRow(entities, id, row, cell, where);
      if (entities.size > ENTITIES_MAX) throw new ListFileError('too_large', `${where}: more than ${ENTITIES_MAX} entities`);
    }
  }
  const ids = new SourceIds();
  for (const [id, entity] of entities) yield readEntity(ids.add(id, entity.where), entity);
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

function addRow(entities: Map<string, Entity>, id: string, row: CsvRow, cell: CellOf<Column>, where: string): void {
  const entity = entities.get(id) ?? newEntity(where);
  entities.set(id, entity);
  // The rows of one entity repeat its type.
  if (isPerson(row, cell)) entity.isOrganization = false;
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
  entity.countries.add(cell(row, entity.isOrganization ? 'Address_CountryIso2Code' : 'Citizenship_CountryIso2Code'));
  if (entity.isOrganization && REGISTRATION_TYPE.test(cell(row, 'Identification_TypeCode')))
    entity.registrations.add(cell(row, 'Identification_Number'));
  entity.programs.add(cell(row, 'Entity_Regulation_Programme'));
  entity.gender ||= cell(row, 'NameAlias_Gender');
  entity.listedOn ||= cell(row, 'Entity_DesignationDate');
  entity.url ||= cell(row, 'Entity_Regulation_PublicationUrl');
}

const newEntity = (where: string): Entity => ({
  where,
  isOrganization: true,
  rows: 0,
  names: new Map(),
  births: new Map(),
  countries: new Set(),
  registrations: new Set(),
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
      type: entity.isOrganization ? 'organization' : undefined,
      names: euNames([...entity.names.values()]),
      births: [...entity.births.values()].map(euBirth),
      countries: [...entity.countries],
      registrations: [...entity.registrations],
      gender: entity.gender,
      programs: [...entity.programs],
      listedOn: entity.listedOn,
      url: entity.url,
    },
    entity.where,
  );
}
