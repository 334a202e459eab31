/**
 * OFAC's lists as CSV, all files of one publication together: SDN.CSV or CONS_PRIM.CSV (12 columns), ALT.CSV (5, aliases), SDN_COMMENTS.CSV (2,
 * remarks too long for the first file). The files have no header, so the number of columns identifies each. ADD.CSV (6) is accepted but ignored: an
 * address is not a nationality. Without ALT.CSV only the aliases in the remarks are known, so an import should include it.
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

/** Aliases and remarks are held until the main file is read: one list has 20,000 aliases. */
const HELD_MAX = 500_000;

export const ofacCsvFormat: ListFormat = {
  id: 'ofac_csv',
  // The first line of each file: a number, then the file's other cells. OFAC writes an empty cell as -0- followed by a blank.
  recognises: (_name, head) => {
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
  const aliases = new Map<string, DraftName[]>();
  const comments = new Map<string, string>();
  let held = 0;
  for (const file of files) {
    const kind = await kindOfFile(file);
    if (kind === 'main') mains.push(file);
    if (kind !== 'aliases' && kind !== 'comments') continue;
    for await (const row of rowsOf(file, kind)) {
      held += 1;
      if (held > HELD_MAX)
        throw new ListFileError('too_large', `${file.name}, line ${row.line}: more than ${HELD_MAX} aliases and remarks`);
      const entNum = idOf(cell(row, 0), ENT_NUM, whereOf(file, row));
      if (kind === 'comments') {
        comments.set(entNum, (comments.get(entNum) ?? '') + row.cells[1]!);
        continue;
      }
      const alias = lastFirst(cell(row, 3), cell(row, 2) === 'fka' ? 'former' : 'alias');
      const others = aliases.get(entNum);
      if (others) others.push(alias);
      else aliases.set(entNum, [alias]);
    }
  }
  if (mains.length === 0) {
    throw new ListFileError('missing_file', `${namesOf(files)}: SDN.CSV or CONS_PRIM.CSV, the file of ${COLUMNS.main} columns, is missing`);
  }
  for (const file of mains) {
    for await (const row of rowsOf(file, 'main')) {
      if (cell(row, 2) === 'individual') yield readPerson(row, aliases, comments, ids, whereOf(file, row));
      else facts.skipped += 1;
    }
  }
  ids.end(mains);
}

function readPerson(
  row: CsvRow,
  aliases: ReadonlyMap<string, DraftName[]>,
  comments: ReadonlyMap<string, string>,
  ids: SourceIds,
  where: string,
): ListEntry {
  const entNum = ids.add(idOf(cell(row, 0), ENT_NUM, where), where);
  // The comment continues in the middle of a word.
  const remarks = readRemarks(`${row.cells[11] === NOTHING ? '' : row.cells[11]}${comments.get(entNum) ?? ''}`);
  return toEntry(
    {
      sourceId: entNum,
      category: 'sanction',
      names: [
        lastFirst(cell(row, 1), 'primary'),
        ...(aliases.get(entNum) ?? []),
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
