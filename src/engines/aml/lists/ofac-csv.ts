/**
 * OFAC's lists as CSV, all files of one publication together: SDN.CSV or CONS_PRIM.CSV (12 columns), ALT.CSV (5, aliases), SDN_COMMENTS.CSV (2,
 * remarks too long for the first file). The files have no header, so the number of columns identifies each. ADD.CSV (6) tells the countries of
 * organizations; a person's address is not a nationality. Without ALT.CSV only the aliases in the remarks are known, so an import should include it.
 */
import { type ListEntry, type ListFacts, type ListFile, ListFileError, type ListFormat } from '../list.ts';
import { type CsvRow, readCsvRows } from './csv.ts';
import { idOf, oneLine, SourceIds, toEntry } from './fields.ts';
import { type DraftName, lastFirst } from './names.ts';

/** OFAC's number for an entry, the same in all files. */
export const ENT_NUM = /^\d{1,9}$/;

export const ofacPage = (entNum: string): string => `https://sanctionssearch.ofac.treas.gov/Details.aspx?id=${entNum}`;

const COLUMNS = { main: 12, addresses: 6, aliases: 5, comments: 2 } as const;
type Kind = keyof typeof COLUMNS;

/** Aliases, remarks and addresses are held until the main file is read: one list has 20,000 aliases. */
const HELD_MAX = 500_000;

export const ofacCsvFormat: ListFormat = {
  id: 'ofac_csv',
  // The first line of each file: a number, then the file's other cells. OFAC writes an empty cell as -0- followed by a blank.
  recognizes: (_name, head) => {
    const cells = /^\ufeff?(\d{1,9},[^\r\n]*)\r?\n/.exec(head)?.[1]?.match(/"(?:[^"]|"")*"|[^,]+/g) ?? [];
    const empty = cells.filter((cell) => cell === '-0- ').length;
    return (cells.length === COLUMNS.comments && cells[1]!.startsWith('"')) || (empty > 0 && kindOf(cells.length) !== null);
  },
  read: readOfacCsv,
};

async function* readOfacCsv(files: ListFile[], facts: ListFacts): AsyncGenerator<ListEntry> {
  facts.publishedOn = null;
  facts.skipped = 0;
  const ids = new SourceIds();
  const mains: ListFile[] = [];
  const further: Further = { aliases: new Map(), comments: new Map(), countries: new Map() };
  let held = 0;
  for (const file of files) {
    const kind = await kindOfFile(file);
    if (kind === 'main') mains.push(file);
    if (kind === 'main') continue;
    for await (const row of rowsOf(file, kind)) {
      held += 1;
      if (held > HELD_MAX)
        throw new ListFileError('too_large', `${file.name}, line ${row.line}: more than ${HELD_MAX} aliases, remarks and addresses`);
      const entNum = idOf(cell(row, 0), ENT_NUM, whereOf(file, row));
      if (kind === 'comments') further.comments.set(entNum, (further.comments.get(entNum) ?? '') + row.cells[1]!);
      else if (kind === 'addresses') push(further.countries, entNum, cell(row, 4));
      else push(further.aliases, entNum, { text: cell(row, 3), kind: cell(row, 2) === 'fka' ? 'former' : 'alias' });
    }
  }
  if (mains.length === 0) {
    throw new ListFileError('missing_file', `${namesOf(files)}: SDN.CSV or CONS_PRIM.CSV, the file of ${COLUMNS.main} columns, is missing`);
  }
  for (const file of mains) {
    for await (const row of rowsOf(file, 'main')) {
      const type = cell(row, 2);
      if (type === 'individual') yield readPerson(row, further, ids, whereOf(file, row));
      else if (type === '') yield readOrganization(row, further, ids, whereOf(file, row));
      else facts.skipped += 1;
    }
  }
  ids.end(mains);
}

/** What the other files say, by the number of the entry. Names are as listed: of a person with the family name first. */
interface Further {
  aliases: Map<string, DraftName[]>;
  comments: Map<string, string>;
  countries: Map<string, string[]>;
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}

/** The comment continues in the middle of a word. */
const remarksOf = (row: CsvRow, entNum: string, { comments }: Further): string =>
  `${row.cells[11] === NOTHING ? '' : row.cells[11]}${comments.get(entNum) ?? ''}`;

function readPerson(row: CsvRow, further: Further, ids: SourceIds, where: string): ListEntry {
  const entNum = ids.add(idOf(cell(row, 0), ENT_NUM, where), where);
  const remarks = readRemarks(remarksOf(row, entNum, further));
  return toEntry(
    {
      sourceId: entNum,
      category: 'sanction',
      names: [
        lastFirst(cell(row, 1), 'primary'),
        ...(further.aliases.get(entNum) ?? []).map(({ text, kind }) => lastFirst(text, kind)),
        ...remarks.weakAliases.map((text) => lastFirst(text, 'weak')),
      ],
      births: remarks.births,
      countries: remarks.countries,
      gender: remarks.gender,
      programs: cell(row, 3).split('] ['),
      url: ofacPage(entNum),
    },
    where,
  );
}

function readOrganization(row: CsvRow, further: Further, ids: SourceIds, where: string): ListEntry {
  const entNum = ids.add(idOf(cell(row, 0), ENT_NUM, where), where);
  const remarks = remarksOf(row, entNum, further);
  return toEntry(
    {
      sourceId: entNum,
      category: 'sanction',
      type: 'organization',
      names: [
        { text: cell(row, 1), kind: 'primary' },
        ...(further.aliases.get(entNum) ?? []),
        ...readRemarks(remarks).weakAliases.map((text): DraftName => ({ text, kind: 'weak' })),
      ],
      countries: further.countries.get(entNum) ?? [],
      registrations: remarks.split(';').flatMap((item) => REGISTRATION.exec(oneLine(item))?.[1] ?? []),
      programs: cell(row, 3).split('] ['),
      url: ofacPage(entNum),
    },
    where,
  );
}

/** `Registration Number 26740 (Iran)`, `Tax ID No. 100036386`, `RUC # 20108363101`, `V.A.T. Number BG 121024920`. */
const REGISTRATION =
  /^(?:alt\. )?(?:(?:Business |Public )?Registration (?:Number|ID)|Tax ID No\.|Commercial Registry Number|(?:UK )?Company Number|(?:Business|Enterprise|Legal Entity|Identification|V\.A\.T\.) Number|(?:National ID|C\.R\.|Trade License|Folio Mercantil|Matricula Mercantil) No\.?|R\.F\.C\.|(?:RUC|RIF|NIT) #|Unified Social Credit Code \(USCC\)) ([A-Z0-9][A-Z0-9 ./-]*)/;

/** `DOB 05 Jun 1971; alt. DOB 1972; nationality Nigeria; Gender Male; a.k.a. 'DOTTIE'.` Only weak aliases appear here, in quotes. */
function readRemarks(text: string) {
  const births: string[] = [];
  const countries: string[] = [];
  const weakAliases: string[] = [];
  let gender = '';
  for (const item of text.trim().replace(/\.$/, '').split(';')) {
    const [, key, value] = /^(?:alt\. )?(DOB|nationality|citizen|Gender|[afn]\.k\.a\.) (.+)$/.exec(oneLine(item)) ?? [];
    if (key === undefined || value === undefined) continue;
    if (key === 'DOB') births.push(value);
    else if (key === 'Gender') gender ||= value;
    else if (key === 'nationality' || key === 'citizen') countries.push(value);
    else weakAliases.push(value.replace(/^'|'$/g, ''));
  }
  return { births, countries, weakAliases, gender };
}

async function kindOfFile(file: ListFile): Promise<Kind> {
  for await (const row of readCsvRows(file, { delimiter: ',' })) {
    const kind = kindOf(row.cells.length);
    if (kind !== null && ENT_NUM.test(cell(row, 0))) return kind;
    const columns = Object.values(COLUMNS).join(', ');
    throw new ListFileError('missing_column', `${file.name}, line ${row.line}: expected ${columns} columns with a number in the first`);
  }
  throw new ListFileError('empty', `${file.name} is empty`);
}

function kindOf(columns: number): Kind | null {
  return (Object.keys(COLUMNS) as Kind[]).find((kind) => COLUMNS[kind] === columns) ?? null;
}

/** OFAC ends its files with 0x1A on a line of its own. */
async function* rowsOf(file: ListFile, kind: Kind): AsyncGenerator<CsvRow> {
  let hasEnded = false;
  for await (const row of readCsvRows(file, { delimiter: ',', endsLines: true })) {
    if (hasEnded) throw new ListFileError('malformed', `${whereOf(file, row)}: a row after the end-of-file mark`);
    hasEnded = row.cells.length === 1 && cell(row, 0) === '\x1a';
    if (hasEnded) continue;
    if (row.cells.length !== COLUMNS[kind]) {
      const rule = row.cells.length < COLUMNS[kind] ? 'truncated' : 'malformed';
      throw new ListFileError(rule, `${whereOf(file, row)}: ${row.cells.length} columns instead of ${COLUMNS[kind]}`);
    }
    yield row;
  }
}

const NOTHING = '-0- ';

function cell(row: CsvRow, column: number): string {
  const text = row.cells[column] ?? '';
  return text === NOTHING ? '' : text.trim();
}

const whereOf = (file: ListFile, row: CsvRow): string => `${file.name}, line ${row.line}`;

const namesOf = (files: readonly ListFile[]): string => files.map((file) => file.name).join(', ');
