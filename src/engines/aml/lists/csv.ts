/** Streams the CSV files of list publishers within fixed bounds: csv-parse splits the records, columns are found by name. */
import { pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { type ListFile, ListFileError } from '../list.ts';
import { readText } from './text.ts';

export interface CsvRow {
  /** Line on which the record ends, from 1. */
  line: number;
  cells: string[];
}

export interface CsvDialect {
  delimiter: ',' | ';' | '\t';
  /** Treats a quote as plain text if the cell did not start with one. */
  relaxQuotes?: boolean;
  /** The publisher ends every line, including the last, so a file that stops in the middle of a line was cut off. */
  endsLines?: boolean;
}

/** No list has a cell or record near this size: a larger one means an unclosed quote, or that the file is not CSV. */
const CELL_CHARACTERS_MAX = 1024 * 1024;
const RECORD_BYTES_MAX = 4 * 1024 * 1024;
const COLUMNS_MAX = 500;
const LINE_FEED = 0x0a;
const SPACE = 0x20;
/** The DOS end-of-file mark, which OFAC still writes. */
const END_OF_FILE = 0x1a;

/** Skips lines whose cells are all blank. Rows may differ in length; the format decides what that means. */
export async function* readCsvRows(file: ListFile, dialect: CsvDialect): AsyncGenerator<CsvRow> {
  let sinceRecord = 0;
  let parsedLine = 0;
  /** Records that csv-parse has emitted but nobody has read yet. */
  const ends: number[] = [];
  const parser = parse({
    delimiter: dialect.delimiter,
    relax_quotes: dialect.relaxQuotes === true,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    on_record: (cells: string[], { lines }) => {
      sinceRecord = 0;
      parsedLine = lines;
      ends.push(lines);
      return cells;
    },
  });
  async function* bounded() {
    let last: number | undefined;
    let isBlank = true;
    for await (const piece of readText(file)) {
      last = piece.at(-1);
      isBlank &&= piece.every((byte) => byte <= SPACE);
      sinceRecord += piece.length;
      if (sinceRecord > RECORD_BYTES_MAX) throw tooLarge(file.name, parsedLine + 1, `a record of more than ${RECORD_BYTES_MAX} bytes`);
      yield piece;
    }
    if (dialect.endsLines && !isBlank && last !== LINE_FEED && last !== END_OF_FILE) {
      throw new ListFileError(
        'truncated',
        `${file.name}: ends in the middle of the line after line ${parsedLine}; the file may be cut off`,
      );
    }
  }
  pipeline(bounded(), parser, () => {});
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      const line = ends.shift()!;
      if (cells.length > COLUMNS_MAX) throw tooLarge(file.name, line, `more than ${COLUMNS_MAX} columns`);
      if (cells.some((cell) => cell.length > CELL_CHARACTERS_MAX)) {
        throw tooLarge(file.name, line, `a cell of more than ${CELL_CHARACTERS_MAX} characters`);
      }
      yield { line, cells };
    }
  } catch (error) {
    throw error instanceof CsvError ? badQuotes(error, file.name, parsedLine + 1) : error;
  }
}

/** The trimmed text of a cell. Empty if the file lacks the column or the row lacks the cell. */
export type CellOf<Column extends string> = (row: CsvRow, column: Column) => string;

/** Finds column positions by name, ignoring case, spaces, `_` and `-`. Of two equal names the first counts. Throws `missing_column`. */
export function columnsByName<Column extends string>(
  fileName: string,
  header: CsvRow,
  required: readonly Column[],
  optional: readonly Column[] = [],
): CellOf<Column> {
  const names = header.cells.map(plainColumn);
  const missing = required.filter((column) => !names.includes(plainColumn(column)));
  if (missing.length > 0) {
    const which = `${missing.length === 1 ? 'the column' : 'the columns'} ${missing.join(', ')}`;
    throw new ListFileError('missing_column', `${fileName}, line ${header.line}: the header lacks ${which}`);
  }
  const places = new Map([...required, ...optional].map((column) => [column, names.indexOf(plainColumn(column))]));
  return (row, column) => row.cells[places.get(column) ?? -1]?.trim() ?? '';
}

/** A line of a file with a header: its position, for error messages, and its cells by column. */
export interface TableLine<Column extends string> {
  where: string;
  read(column: Column): string;
}

/** The lines after the header, with columns found by name. Throws if a line has more or fewer cells than the header. */
export async function* readTable<Column extends string>(
  file: ListFile,
  dialect: CsvDialect,
  required: readonly Column[],
  optional: readonly Column[],
): AsyncGenerator<TableLine<Column>> {
  let width: number | null = null;
  let cell: CellOf<Column> = () => '';
  for await (const row of readCsvRows(file, dialect)) {
    if (width === null) {
      width = row.cells.length;
      cell = columnsByName<Column>(file.name, row, required, optional);
      continue;
    }
    const where = `${file.name}, line ${row.line}`;
    if (row.cells.length !== width)
      throw new ListFileError('malformed', `${where}: ${row.cells.length} cells where the header has ${width}; the file may be cut off`);
    yield { where, read: (column) => cell(row, column) };
  }
}

/** The form in which column names are compared. */
export const plainColumn = (name: string): string => name.toLowerCase().replace(/[\s_-]+/g, '');

/** Replaces csv-parse's own message, which quotes the cell. */
function badQuotes(error: CsvError, name: string, line: number): ListFileError {
  return error.code === 'CSV_QUOTE_NOT_CLOSED'
    ? new ListFileError(
        'truncated',
        `${name}: the record that starts at line ${line} opens a quote that is never closed; the file may be cut off`,
      )
    : new ListFileError('malformed', `${name}: the record that starts at line ${line} has a quote in the middle of a cell`);
}

function tooLarge(name: string, line: number, what: string): ListFileError {
  return new ListFileError('too_large', `${name}, line ${line}: ${what}; a quote may be missing, or the file is not CSV`);
}
