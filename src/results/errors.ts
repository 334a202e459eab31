/**
 * A file of a batch's invalid rows in the form of the upload, to be corrected and sent again: the rows as submitted, their number in the old file,
 * and their errors. Uploads ignore these two columns. This file drops those that came from an earlier such file, so it can be sent again as it is.
 */

import type { Admitting } from '../access/admission.ts';
import { isTable } from '../batches/row-reader.ts';
import { openAbout } from '../contract/about.ts';
import type { BatchRow } from '../contract/batches.ts';
import type { ResultFormat } from '../contract/results.ts';
import type { Context } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { showId } from '../foundation/ids.ts';
import { BYTE_ORDER_MARK, csvLine } from '../rows/csv.ts';
import type { Cell } from '../rows/csv-bytes.ts';
import { fold } from '../rows/likely-names.ts';
import type { Delimiter } from '../rows/row.ts';
import type { BatchFormat, RowProblem } from '../schema/batches.ts';
import { named } from './jsonl.ts';
import { ERROR_COLUMNS } from './own-rows.ts';
import { type ResultRow, readInvalidPages } from './page.ts';
import type { FileForm } from './results.ts';
import { describe } from './table.ts';
import { xlsxFile } from './xlsx.ts';

const [ROW_COLUMN, ERROR_COLUMN] = ERROR_COLUMNS;

interface Forms {
  /** The default, the format of the upload, comes first. */
  formats: readonly [ResultFormat, ...ResultFormat[]];
  /** Says why no other format can be had. */
  because: string;
}

const TABLE = 'these rows were uploaded as a table';
const OBJECTS: Forms = { formats: ['jsonl'], because: 'these rows were uploaded as JSON objects' };

/** Only forms that lose nothing: a line of JSON has no place for surplus cells, and a table none for nested objects. */
const FORMS: Record<BatchFormat, Forms> = {
  csv: { formats: ['csv', 'xlsx'], because: TABLE },
  xlsx: { formats: ['xlsx', 'csv'], because: TABLE },
  zip: { formats: ['csv'], because: 'the manifest of an archive is CSV' },
  ndjson: OBJECTS,
  json: OBJECTS,
};

/** The form of the rows to correct: the one asked for, or else that of the upload (of an archive, that of its manifest). Throws `ApiError` if it does not fit. */
export function errorFormat({ format }: Pick<BatchRow, 'format'>, asked: ResultFormat | null): ResultFormat {
  const { formats, because } = FORMS[format];
  if (asked === null || formats.includes(asked)) return asked ?? formats[0];
  const message = `must be ${formats.join(' or ')}: ${because}`;
  throw new ApiError('invalid_request', `format ${message}`, { details: [{ path: 'format', message, rule: 'enum' }] });
}

/** Text or bytes of the file, a page at a time. `format`: as `errorFormat` gives it. */
export function streamErrors(
  ctx: Context & Admitting,
  batch: BatchRow,
  { format, hasMark }: FileForm,
): AsyncGenerator<string | Uint8Array> {
  if (!isTable(batch.format)) return jsonlFile(ctx, batch);
  const kept = batch.columns.flatMap((name, i) => (isOurs(name) ? [] : [i]));
  const head = [...kept.map((i) => batch.columns[i]!), ROW_COLUMN, ERROR_COLUMN];
  const nameOf = columnNames(batch);
  // Each cell stays in its column even after a spreadsheet has saved the file. Surplus cells come last, so that the row is refused again.
  const cells = ({ row, raw, problems }: ResultRow): Cell[] => {
    const original = (raw() ?? []) as Cell[];
    const own = kept.map((i) => original[i] ?? '');
    return [...own, row, describe(problems as RowProblem[], nameOf), ...original.slice(batch.columns.length)];
  };
  const pages = pagesOf(ctx, batch, cells);
  return format === 'xlsx' ? xlsxFile(head, pages) : csvFile(head, pages, { hasMark, delimiter: () => delimiterOf(ctx, batch) });
}

async function* csvFile(
  head: readonly string[],
  pages: AsyncIterable<Cell[][]>,
  { hasMark, delimiter }: { hasMark: boolean; delimiter(): Promise<Delimiter> },
): AsyncGenerator<string> {
  const between = await delimiter();
  const line = (cells: readonly Cell[]) => csvLine(cells, between);
  yield (hasMark ? BYTE_ORDER_MARK : '') + line(head);
  for await (const page of pages) yield page.map(line).join('');
}

/** The delimiter of the uploaded CSV, so that the program that opened that file can open this one. */
async function delimiterOf({ cipher }: Context, { id, about }: BatchRow): Promise<Delimiter> {
  return openAbout(await cipher.opener([about]), showId('bat', id), about).delimiter ?? ',';
}

async function* jsonlFile(ctx: Context & Admitting, batch: BatchRow): AsyncGenerator<string> {
  const nameOf = columnNames(batch);
  const line = ({ row, raw, problems }: ResultRow): string =>
    `${JSON.stringify({ ...named(batch, raw()), [ROW_COLUMN]: row, [ERROR_COLUMN]: describe(problems as RowProblem[], nameOf) })}\n`;
  for await (const page of pagesOf(ctx, batch, line)) yield page.join('');
}

/** `National ID (nin)`, or the column alone if the input has the same name. A message about a row names the column itself. */
const columnNames =
  ({ mapping }: BatchRow) =>
  ({ field, message }: RowProblem): string | null => {
    const column = field === null || message.startsWith('Row ') ? undefined : mapping[field];
    return column === undefined ? field : fold(column) === fold(field!) ? column : `${column} (${field})`;
  };

async function* pagesOf<T>(ctx: Context & Admitting, batch: BatchRow, show: (row: ResultRow) => T): AsyncGenerator<T[]> {
  for await (const rows of readInvalidPages(ctx, batch)) yield rows.map(show);
}

const isOurs = (name: string): boolean => name === ROW_COLUMN || name === ERROR_COLUMN;
