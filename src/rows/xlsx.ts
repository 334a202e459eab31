/**
 * XLSX in: the sheet is streamed from a file on disk, since a ZIP has its directory at the end. Cells become the text that the sheet shows: numbers
 * with all digits, leading zeros of a format, dates in ISO form.
 */
import type { FileHandle } from 'node:fs/promises';
import { type Names, NO_NAMES } from './header.ts';
import { batches, ROW_LIMITS, type Row, type RowLimits, type TableAbout, type TableSource, UploadError } from './row.ts';
import { SheetHandler } from './sheet.ts';
import { openWorkbook, type SheetPart, type Workbook } from './workbook.ts';
import { readXml } from './xml.ts';

export interface XlsxOptions {
  /** Name of the sheet; null: the first sheet with a table that is not hidden. */
  sheet: string | null;
  /** Limit in bytes for all parts that are read, expanded. */
  expandedMax: number;
}

/** How many sheets are tried if none is named. */
const SHEETS_TRIED = 20;

/** Reads the header before it returns. From here on the source closes the file, whatever happens. */
export async function readXlsx(
  file: FileHandle,
  { sheet, expandedMax }: XlsxOptions,
  limits: RowLimits = ROW_LIMITS,
  names: Names = NO_NAMES,
): Promise<TableSource> {
  let workbook: Workbook | null = null;
  try {
    workbook = await openWorkbook(file, sheet, limits, expandedMax);
    const path = await chooseSheet(workbook, limits, names);
    const { handler, pieces } = await openSheet(workbook, path, limits, names);
    const { layout, headerSheetRow } = handler;
    if (layout === null) throw new UploadError('empty_file', 'The sheet is empty');
    const about: TableAbout = {
      sheet: path.name,
      sheets: workbook.sheetNames,
      dialect: null,
      headerRow: headerSheetRow,
      leftOut: layout.leftOut,
      encoding: null,
      get hiddenRows() {
        return handler.hiddenRows;
      },
    };
    const close = closer(pieces, workbook, file);
    return { columns: layout.columns, labels: layout.labels, about, rows: readRows(handler, pieces, close), close };
  } catch (error) {
    await workbook?.close();
    await file.close();
    throw error;
  }
}

/** The first sheet with a recognized header, since a cover sheet may come first; otherwise the first with any content. */
async function chooseSheet(workbook: Workbook, limits: RowLimits, names: Names): Promise<SheetPart> {
  const [first, ...others] = workbook.sheets;
  if (others.length === 0) return first!;
  let filled: SheetPart | null = null;
  for (const part of workbook.sheets.slice(0, SHEETS_TRIED)) {
    try {
      const { handler, pieces } = await openSheet(workbook, part, limits, names);
      await pieces.return(undefined);
      if (handler.isRecognized) return part;
      if (handler.layout !== null) filled ??= part;
    } catch (error) {
      // Reading this sheet will raise the error again; another sheet may do.
      if (!(error instanceof UploadError) || error.rule === 'expands_too_far') throw error;
      filled ??= part;
    }
  }
  return filled ?? first!;
}

/** Reads until the header is known or the sheet ends. */
async function openSheet(workbook: Workbook, { path }: SheetPart, limits: RowLimits, names: Names) {
  const handler = new SheetHandler(workbook, limits, names);
  const pieces = readXml('sheet', workbook.read(path), handler, limits);
  while (handler.layout === null) {
    if (!(await pieces.next()).done) continue;
    handler.end();
    break;
  }
  return { handler, pieces };
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
