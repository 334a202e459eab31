/** A batch's results: its rows in submitted order as CSV, JSON Lines or XLSX, streamed, even while the batch runs. */

import type { Admitting } from '../access/admission.ts';
import type { BatchRow } from '../contract/batches.ts';
import type { ResultFormat } from '../contract/results.ts';
import type { Context } from '../foundation/context.ts';
import { parseBytes } from '../foundation/json-bytes.ts';
import { BYTE_ORDER_MARK, csvLine } from '../rows/csv.ts';
import { type Cell, type CellSink, CsvBytes, cellOf } from '../rows/csv-bytes.ts';
import { jsonlWriter } from './jsonl.ts';
import type { ResultRow } from './page.ts';
import type { ResultFilter } from './page-query.ts';
import { PIECE_LENGTH, readRows } from './read.ts';
import { resultTable, type Table } from './table.ts';
import { xlsxFile } from './xlsx.ts';

/** `hasMark`: a CSV file starts with a byte-order mark. */
export interface FileForm {
  format: ResultFormat;
  hasMark: boolean;
}

/** Text or bytes of the results, a slice of the rows at a time. */
export function streamResults(
  ctx: Context & Admitting,
  batch: BatchRow,
  { format, hasMark }: FileForm,
  filter: ResultFilter,
): AsyncGenerator<string | Uint8Array> {
  if (format === 'jsonl') return jsonlFile(ctx, batch, filter);
  return format === 'csv' ? csvFile(ctx, batch, filter, { hasMark }) : workbook(ctx, batch, filter);
}

async function* jsonlFile(ctx: Context & Admitting, batch: BatchRow, filter: ResultFilter): AsyncGenerator<string> {
  const line = jsonlWriter(await ctx.cipher.openerOfBatch(batch.id), batch);
  for await (const rows of readRows(ctx, batch, { ...filter, isTable: false })) {
    let text = '';
    for (const row of rows) {
      text += line(row);
      if (text.length >= PIECE_LENGTH) break;
    }
    yield text;
  }
}

async function* csvFile(
  ctx: Context & Admitting,
  batch: BatchRow,
  filter: ResultFilter,
  { hasMark }: Pick<FileForm, 'hasMark'>,
): AsyncGenerator<string | Uint8Array> {
  const table = resultTable(await ctx.cipher.openerOfBatch(batch.id), batch);
  yield (hasMark ? BYTE_ORDER_MARK : '') + csvLine(table.head);
  const lines = new CsvBytes();
  for await (const rows of readRows(ctx, batch, { ...filter, isTable: true })) {
    for (const row of rows) {
      table.write(row, lines);
      lines.endLine();
      if (lines.length >= PIECE_LENGTH) break;
    }
    yield lines.take();
  }
}

async function* workbook(ctx: Context & Admitting, batch: BatchRow, filter: ResultFilter): AsyncGenerator<Uint8Array> {
  const table = resultTable(await ctx.cipher.openerOfBatch(batch.id), batch);
  async function* slices(): AsyncGenerator<Iterable<readonly Cell[]>> {
    for await (const rows of readRows(ctx, batch, { ...filter, isTable: true })) yield someCells(table, rows);
  }
  yield* xlsxFile(table.head, slices());
}

/** Cells of the first of `rows`, about one piece of XML. */
function* someCells(table: Table, rows: Iterable<ResultRow>): Generator<readonly Cell[]> {
  let length = 0;
  for (const row of rows) {
    const line = new CellList();
    table.write(row, line);
    yield line.list;
    for (const cell of line.list) length += CELL_MARKUP_LENGTH + (typeof cell === 'string' ? cell.length : 0);
    if (length >= PIECE_LENGTH) return;
  }
}

class CellList implements CellSink {
  readonly list: Cell[] = [];

  cell(cell: Cell): void {
    this.list.push(cell);
  }

  cells(cells: readonly Cell[]): void {
    this.list.push(...cells);
  }

  json(bytes: Buffer, start: number, end: number): void {
    this.list.push(cellOf(parseBytes({ bytes, start, end })));
  }
}

/** `<c r="AA1000" t="inlineStr"><is><t xml:space="preserve"></t></is></c>`; an empty cell has no markup. */
const CELL_MARKUP_LENGTH = 40;

/**
 * The `since` to ask for after a read that starts now: no result that is committed later has an older time. A result carries the time at which its
 * transaction began, so this is the start of the oldest open transaction, less a margin for one that has begun but is not listed yet. ISO,
 * microseconds.
 *
 * Asked as the user that processes connect as: Postgres shows a transaction's start to its own user only.
 */
export async function nextSince(ctx: Context): Promise<string> {
  return ctx.sql.begin('read only', async (tx) => {
    await tx`set local role none`;
    const [row] = await tx<{ since: string }[]>`
      select to_char((coalesce(min(xact_start), now()) - interval '100 ms') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as since
      from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and xact_start is not null`;
    return row!.since;
  });
}
