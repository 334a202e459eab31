/**
 * The invalid rows of a batch in the form in which they were uploaded, to be corrected and sent again: the rows as they were, and beside
 * them their number in the old file and what is wrong. Uploads take no notice of these two columns, and this file leaves out those that
 * an earlier one has brought, so that it may be sent again as it is.
 */
import { isTable } from '../batches/columns.ts';
import type { Context } from '../context.ts';
import type { BatchRow } from '../contract.ts';
import { csvLine } from '../rows/csv.ts';
import type { RowProblem } from '../schema/batches.ts';
import { named } from './jsonl.ts';
import { type ResultRow, readInvalidRows } from './read.ts';
import { type Cell, describe } from './table.ts';
import { xlsxFile } from './xlsx.ts';

const ROW_COLUMN = 'confam_row';
const ERROR_COLUMN = 'confam_error';
/** Rows read at a time. Their numbers may lie far apart: a page is a range of numbers, and most of a range may be valid. */
const PAGE_ROWS = 20_000;

export type ErrorFormat = 'csv' | 'jsonl' | 'xlsx';

/** What the rows were uploaded as; of an archive its manifest. */
export function errorFormat({ format }: BatchRow): ErrorFormat {
  if (format === 'zip') return 'csv';
  return format === 'csv' || format === 'xlsx' ? format : 'jsonl';
}

/** Text or bytes of the file, a page at a time. */
export function streamErrors(ctx: Context, batch: BatchRow): AsyncGenerator<string | Uint8Array> {
  if (!isTable(batch.format)) return jsonlFile(ctx, batch);
  const kept = batch.columns.flatMap((name, i) => (isOurs(name) ? [] : [i]));
  const head = [...kept.map((i) => batch.columns[i]!), ROW_COLUMN, ERROR_COLUMN];
  const cells = ({ row, raw, problems }: ResultRow): Cell[] => {
    const original = (raw() ?? []) as Cell[];
    // A row with too few or too many cells stays one.
    const own =
      original.length === batch.columns.length ? kept.map((i) => original[i]) : original.length === 0 ? kept.map(() => '') : original;
    return [...own, row, describe(problems as RowProblem[])];
  };
  const pages = pagesOf(ctx, batch, cells);
  return errorFormat(batch) === 'xlsx' ? xlsxFile(head, pages) : csvFile(head, pages);
}

async function* csvFile(head: readonly string[], pages: AsyncIterable<Cell[][]>): AsyncGenerator<string> {
  yield csvLine(head);
  for await (const page of pages) yield page.map(csvLine).join('');
}

async function* jsonlFile(ctx: Context, batch: BatchRow): AsyncGenerator<string> {
  const line = ({ row, raw, problems }: ResultRow): string =>
    `${JSON.stringify({ ...named(batch, raw()), [ROW_COLUMN]: row, [ERROR_COLUMN]: describe(problems as RowProblem[]) })}\n`;
  for await (const page of pagesOf(ctx, batch, line)) yield page.join('');
}

async function* pagesOf<T>(ctx: Context, batch: BatchRow, show: (row: ResultRow) => T): AsyncGenerator<T[]> {
  if (batch.invalid === 0) return;
  for (let from = 1; from <= batch.rows; from += PAGE_ROWS) {
    const rows = await readInvalidRows(ctx, batch, from, Math.min(batch.rows, from + PAGE_ROWS - 1));
    if (rows.length > 0) yield rows.map(show);
  }
}

const isOurs = (name: string): boolean => name === ROW_COLUMN || name === ERROR_COLUMN;
