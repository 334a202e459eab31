/** What came of a batch: its rows in submitted order as CSV, JSON Lines or XLSX, streamed while it may still run. */
import type { Context } from '../context.ts';
import type { BatchRow } from '../contract.ts';
import { csvLine } from '../rows/csv.ts';
import { jsonlWriter } from './jsonl.ts';
import { type ResultFilter, readRows } from './read.ts';
import { type Cell, resultTable } from './table.ts';
import { xlsxFile } from './xlsx.ts';

export const RESULT_FORMATS = ['csv', 'jsonl', 'xlsx'] as const;
export type ResultFormat = (typeof RESULT_FORMATS)[number];

/** Characters of JSON Lines that are handed on together, about. */
const TEXT_LENGTH = 256 * 1024;

/** Text or bytes of the results, a slice of the rows at a time. */
export function streamResults(
  ctx: Context,
  batch: BatchRow,
  format: ResultFormat,
  filter: ResultFilter,
): AsyncGenerator<string | Uint8Array> {
  if (format === 'jsonl') return jsonlFile(ctx, batch, filter);
  return format === 'csv' ? csvFile(ctx, batch, filter) : workbook(ctx, batch, filter);
}

async function* jsonlFile(ctx: Context, batch: BatchRow, filter: ResultFilter): AsyncGenerator<string> {
  const line = jsonlWriter(ctx, batch);
  for await (const rows of readRows(ctx, batch, { ...filter, images: true })) {
    let text = '';
    for (const row of rows) {
      text += line(row);
      // With images, a slice of rows would be many megabytes.
      if (text.length < TEXT_LENGTH) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
  }
}

async function* csvFile(ctx: Context, batch: BatchRow, filter: ResultFilter): AsyncGenerator<string> {
  const table = resultTable(ctx, batch);
  yield csvLine(table.head);
  for await (const rows of readRows(ctx, batch, { ...filter, images: false })) {
    let text = '';
    for (const row of rows) text += csvLine(table.cells(row));
    yield text;
  }
}

function workbook(ctx: Context, batch: BatchRow, filter: ResultFilter): AsyncGenerator<Uint8Array> {
  const table = resultTable(ctx, batch);
  async function* slices(): AsyncGenerator<Iterable<readonly Cell[]>> {
    for await (const rows of readRows(ctx, batch, { ...filter, images: false })) {
      yield (function* () {
        for (const row of rows) yield table.cells(row);
      })();
    }
  }
  return xlsxFile(table.head, slices());
}

/**
 * From when to ask for what comes after the results that are read from now on: a time that no result committed later is older than. A
 * result has the time at which its transaction began, so it is the beginning of the oldest that is under way, less a moment for what
 * has begun and is not listed yet. ISO, microseconds.
 */
export async function nextSince(ctx: Context): Promise<string> {
  const [row] = await ctx.sql<{ since: string }[]>`
    select to_char((coalesce(min(xact_start), now()) - interval '100 ms') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as since
    from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and xact_start is not null`;
  return row!.since;
}
