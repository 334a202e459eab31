/**
 * XLSX in: the sheet is streamed out of a file on disk, since a ZIP has its directory at the end.
 * Cells become the text that the sheet shows: numbers with all their digits, leading zeros of a format, dates in ISO form.
 */
import type { FileHandle } from 'node:fs/promises';
import { batches, ROW_LIMITS, type Row, type RowLimits, type TableSource, UploadError } from './row.ts';
import { SheetHandler } from './sheet.ts';
import { openWorkbook, type Workbook } from './workbook.ts';
import { readXml } from './xml.ts';

export interface XlsxOptions {
  /** Name of the sheet; null: the first one that is not hidden. */
  sheet: string | null;
  /** Most bytes that all parts which are read may expand to. */
  expandedMax: number;
}

/** Reads the header before it returns. The file is the source's to close from here on, whatever happens. */
export async function readXlsx(
  file: FileHandle,
  { sheet, expandedMax }: XlsxOptions,
  limits: RowLimits = ROW_LIMITS,
): Promise<TableSource> {
  let workbook: Workbook | null = null;
  try {
    workbook = await openWorkbook(file, sheet, limits, expandedMax);
    const handler = new SheetHandler(workbook, limits);
    const pieces = readXml('sheet', workbook.sheet(), handler, limits);
    const close = closer(pieces, workbook, file);
    while (handler.header === null) {
      if ((await pieces.next()).done) throw new UploadError('empty_file', 'The sheet is empty');
    }
    return { ...handler.header, rows: readRows(handler, pieces, close), close };
  } catch (error) {
    await workbook?.close();
    await file.close();
    throw error;
  }
}

const closer = (pieces: AsyncGenerator<void>, workbook: Workbook, file: FileHandle) => async (): Promise<void> => {
  await pieces.return(undefined);
  await workbook.close();
  await file.close();
};

async function* readRows(handler: SheetHandler, pieces: AsyncGenerator<void>, close: () => Promise<void>): AsyncGenerator<Row<string[]>[]> {
  try {
    yield* batches(handler.drain());
    for await (const _ of pieces) yield* batches(handler.drain());
  } finally {
    await close();
  }
  if (handler.row === 0) throw new UploadError('header_only', 'The sheet has a header but no rows');
}
