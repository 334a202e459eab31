/**
 * The vocabulary of the row readers: rows, the two kinds of error, the limits. Knows nothing of HTTP, checks or the database. No message contains a
 * cell: an error names the row and the column, and the column only if its name cannot be personal data.
 */

/** Limits for one upload, in bytes of UTF-8 text. The total (500 MB) is bounded where the body is read. */
export interface RowLimits {
  rowsMax: number;
  columnsMax: number;
  rowBytesMax: number;
  headerBytesMax: number;
  /** A row beyond `rowBytesMax` is skipped and reported; beyond this one the upload is refused. */
  skippedRowBytesMax: number;
  /** Nesting within a JSON row or option. */
  depthMax: number;
  /** All members of a JSON document except `rows`, as JSON. */
  optionsBytesMax: number;
  /** Text is processed in pieces of about this size, whatever size the chunks have. */
  pieceBytes: number;
  /** Advice at the end of the message that refuses a row for its size. */
  rowAdvice: string;
}

export const ROW_LIMITS: RowLimits = {
  rowsMax: 1_000_000,
  columnsMax: 200,
  rowBytesMax: 65_536,
  headerBytesMax: 65_536,
  skippedRowBytesMax: 4 * 1024 * 1024,
  depthMax: 32,
  optionsBytesMax: 65_536,
  pieceBytes: 65_536,
  rowAdvice: '',
};

/** Most rows in one array: an `await` for each row would cost more than reading it. */
const BATCH_ROWS = 500;

export type RowRule =
  | 'bad_json'
  | 'repeated'
  | 'bad_quote'
  | 'column_count'
  | 'error_cell'
  | 'formula_without_value'
  | 'inexact_number'
  | 'invalid_characters'
  | 'invalid_date'
  | 'invalid_number'
  | 'not_an_object'
  | 'row_too_large'
  | 'too_deep'
  | 'too_many_columns';

export type UploadRule =
  | RowRule
  | 'bad_archive'
  | 'bad_file_name'
  | 'bad_gzip'
  | 'bad_workbook'
  | 'duplicate_column'
  | 'duplicate_file'
  | 'duplicate_rows'
  | 'empty_file'
  | 'expands_too_far'
  | 'header_only'
  | 'header_too_large'
  | 'merged_cells'
  | 'missing_rows'
  | 'nested_gzip'
  | 'no_columns'
  | 'no_manifest'
  | 'no_rows'
  | 'not_a_file'
  | 'not_a_table'
  | 'not_text'
  | 'options_after_rows'
  | 'options_too_large'
  | 'password_protected'
  | 'rows_not_array'
  | 'several_manifests'
  | 'too_many_files'
  | 'too_many_rows'
  | 'unknown_sheet';

/** One row is broken; reading continues after it. `field` is a label that is safe to show, or null if the whole row is meant. */
interface RowError {
  row: number;
  field: string | null;
  rule: RowRule;
  message: string;
}

/**
 * A row as submitted. `row` counts data rows from 1; blank lines do not count. A broken row keeps its value if it could be read, with U+FFFD in place of
 * every NUL and lone surrogate, so that it can be stored and returned for correction. `sheetRow`: its number in a workbook's sheet, from 1. `line`: the
 * line of a CSV file on which it begins, from 1; undefined if that is `row + 1`, as in a file whose first line is the header.
 */
export type Row<T> =
  | { row: number; value: T; error: null; cellErrors?: readonly CellError[]; sheetRow?: number; line?: number }
  | { row: number; value: T | null; error: RowError };

/** A fault in one cell. It only matters to a reader of that column. */
export interface CellError extends RowError {
  /** Index of the column. */
  column: number;
}

interface Source<T> {
  /** Can be read once. Throws `UploadError` or the byte stream's error; the byte stream is released either way. */
  rows: AsyncIterable<Row<T>[]>;
  /** Releases the byte stream if `rows` will not be read. Harmless otherwise. */
  close(): Promise<void>;
}

/** Rows of cells in the order of `columns` (trimmed, unique). `labels` are the same columns as they may appear in a message. */
export interface TableSource extends Source<string[]> {
  columns: string[];
  labels: string[];
  about: TableAbout;
  files?: Files;
}

/** What separates the cells of a CSV. */
export type Delimiter = ',' | ';' | '\t' | '|';

/** How the table was found in its file. */
export interface TableAbout {
  /** Null if the file is not a workbook. */
  sheet: string | null;
  /** Names of the sheets that may be read. */
  sheets: string[];
  /** Null if the table is not a CSV. */
  dialect: { delimiter: Delimiter; lineEnd: string } | null;
  /** Number of the line or row in the file, from 1. */
  headerRow: number;
  /** Columns from an earlier file of ours. They are not read. */
  leftOut: string[];
  /** Null for Unicode, as it should be. Final once the last row has been read, like `hiddenRows`. */
  encoding: 'windows-1252' | null;
  /** Data rows that the sheet hides, by hand or by a filter. They are rows like any other. */
  readonly hiddenRows: number;
}

/** Files that came with a table, by the names that its cells give. */
export interface Files {
  /** The whole file, or why the row that names it cannot have it. Throws `UploadError` if the upload as a whole exceeds a limit. */
  read(name: string): Promise<{ bytes: Buffer } | { rule: FileRule; message: string }>;
  /** How many files no row has named so far. */
  unused(): number;
}

type FileRule = 'file_damaged' | 'file_not_found' | 'file_too_large';

/** Rows that bring their own names, in the order of the object's keys. Values stay as parsed: a JSON number is a number. */
export interface ObjectSource extends Source<Record<string, unknown>> {
  columns: null;
  /** Names in the first rows. */
  names: string[];
  /** `<name>.<member>` of the objects in those rows. */
  innerNames: string[];
}

export type RowSource = TableSource | ObjectSource;

/** The upload as a whole is unusable. Some rows may have been emitted already; the consumer drops them. */
export class UploadError extends Error {
  readonly code: 'invalid_upload' | 'payload_too_large';
  readonly rule: UploadRule;
  readonly row: number | null;
  readonly field: string | null;

  constructor(rule: UploadRule, message: string, row: number | null = null, field: string | null = null) {
    super(message);
    this.name = 'UploadError';
    this.code = rule === 'expands_too_far' ? 'payload_too_large' : 'invalid_upload';
    this.rule = rule;
    this.row = row;
    this.field = field;
  }
}

export function brokenRow<T>(row: number, rule: RowRule, message: string, value: T | null = null, field: string | null = null): Row<T> {
  return { row, value, error: { row, field, rule, message } };
}

export function rowTooLarge<T>(row: number, limits: RowLimits, called = `Row ${row}`): Row<T> {
  return brokenRow<T>(row, 'row_too_large', `${called} is larger than ${limits.rowBytesMax} bytes${limits.rowAdvice}`);
}

export function rowTooLargeToSkip(row: number, limits: RowLimits, isInQuotes = false): UploadError {
  const hint = isInQuotes ? '; a closing quote may be missing' : '';
  return new UploadError('row_too_large', `Row ${row} is larger than ${limits.skippedRowBytesMax} bytes${hint}${limits.rowAdvice}`, row);
}

export function tooManyRows(limits: RowLimits): UploadError {
  return new UploadError('too_many_rows', `The upload has more than ${limits.rowsMax} rows`, limits.rowsMax + 1);
}

export function badWorkbook(message: string): UploadError {
  return new UploadError('bad_workbook', message);
}

export function* batches<T>(rows: T[]): Generator<T[]> {
  for (let at = 0; at < rows.length; at += BATCH_ROWS) yield rows.slice(at, at + BATCH_ROWS);
}
