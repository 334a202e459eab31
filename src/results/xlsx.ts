/**
 * Writes a workbook of one sheet as its rows are read: the sheet's XML streams into the zip, so memory does not grow with the rows. Text cells are
 * inline strings, which keep leading zeros and which no spreadsheet runs as formulas. Only our own numbers are written as numbers.
 */
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { readable } from '../foundation/readable.ts';
import type { Cell } from '../rows/csv-bytes.ts';

/** Limits of Excel: rows of a sheet, including the header, and characters of a cell. */
export const XLSX_ROWS_MAX = 1_048_576;
const CELL_CHARACTERS_MAX = 32_767;
/** Ends a cell that was cut, so that nobody takes it for whole. */
const CUT = ' [… cut: this is all that a cell of a workbook can hold]';

/** Kept small: each queue is memory spent on a client that does not read. */
const QUEUE_BYTES = 16 * 1024;

/** Bytes of the file. `rows` is read as fast as the bytes are consumed. Each array of cells is used before the next is requested. */
export function xlsxFile(head: readonly string[], rows: AsyncIterable<Iterable<readonly Cell[]>>): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const sheet = Readable.from(sheetXml(head, rows), { objectMode: false, highWaterMark: QUEUE_BYTES });
  // Passes the error to the reader of the file; yazl itself does not report it.
  sheet.once('error', (error) => (zip.outputStream as Readable).destroy(error));
  for (const [path, text] of Object.entries(PARTS)) zip.addBuffer(Buffer.from(XML + text), path);
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml', { compressionLevel: 1 });
  zip.end();
  return contentOf(zip.outputStream as Readable, sheet);
}

async function* contentOf(file: Readable, sheet: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* file;
  } finally {
    sheet.destroy();
  }
}

async function* sheetXml(head: readonly string[], rows: AsyncIterable<Iterable<readonly Cell[]>>): AsyncGenerator<Buffer> {
  const columns = head.map((_, i) => columnName(i));
  yield Buffer.from(`${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" \
activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>${widthsXml(head)}<sheetData>${rowXml(head, columns, 1)}`);
  let number = 1;
  for await (const slice of rows) {
    let xml = '';
    for (const cells of slice) xml += rowXml(cells, columns, ++number);
    yield Buffer.from(xml);
  }
  yield Buffer.from('</sheetData></worksheet>');
}

function rowXml(cells: readonly Cell[], columns: readonly string[], row: number): string {
  let xml = `<row r="${row}">`;
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i];
    if (cell === '' || cell === null || cell === undefined) continue;
    // An invalid row can be wider than the header.
    const at = `${columns[i] ?? columnName(i)}${row}`;
    if (typeof cell === 'number' && Number.isFinite(cell)) xml += `<c r="${at}"><v>${cell}</v></c>`;
    else xml += `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(fitting(String(cell)))}</t></is></c>`;
  }
  return `${xml}</row>`;
}

/** Excel counts as JavaScript does; a letter of two units is not cut in half. */
const fitting = (text: string): string =>
  text.length <= CELL_CHARACTERS_MAX ? text : text.slice(0, CELL_CHARACTERS_MAX - CUT.length).replace(/[\uD800-\uDBFF]$/, '') + CUT;

/** Characters: at least a number of 11 digits or a date, at most what leaves room for other columns. */
const WIDTH_MIN = 14;
const WIDTH_MAX = 40;

/** Rows are written as they are read, so widths follow the header, with room for its letters being wider than digits. */
function widthsXml(head: readonly string[]): string {
  const widths = head.map((name) => Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, Math.ceil(name.length * 1.1) + 2)));
  return `<cols>${widths.map((width, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`).join('')}</cols>`;
}

/** A … Z, AA … */
const columnName = (index: number): string =>
  (index >= 26 ? columnName(Math.floor(index / 26) - 1) : '') + String.fromCharCode(65 + (index % 26));

const SPECIAL = /[&<>\uFFFE\uFFFF\u202A-\u202E\u2066-\u2069]|(?![\t\n])\p{Cc}|_(?=x[0-9A-Fa-f]{4}_)|\p{Cs}/gu;
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;', _: '_x005F_' };

/** XML cannot contain control characters, and the same text is readable in every file. Excel reads `_x0041_` as the character with that number unless its `_` is escaped. */
const escapeXml = (text: string): string =>
  text.search(SPECIAL) !== -1 ? readable(text).replace(SPECIAL, (found) => ENTITIES[found] ?? '\ufffd') : text;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The smallest set of parts that Excel, LibreOffice and Numbers open. */
const PARTS = {
  '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" \
ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>\
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Results" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
};
