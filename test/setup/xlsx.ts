/** Workbooks for tests: the minimal parts of what Excel writes, with any fault a test needs. */
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** A cell: text (shared), a number as stored, or the whole element as XML with `@` for its reference. */
export type Cell = string | number | { xml: string } | null;

export interface Sheet {
  name?: string;
  state?: string;
  /** Rows of cells, or the contents of `<sheetData>`. */
  rows: Cell[][] | string;
  /** What follows `</sheetData>`. */
  after?: string;
}

export interface WorkbookSpec {
  sheets: Sheet[];
  /** Format codes; `s="1"` selects the first. */
  formats?: string[];
  uses1904?: boolean;
  /** Replaces or adds parts; null removes one. */
  parts?: Record<string, string | Buffer | null>;
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';

export const xlsx = (...rows: Cell[][]): Promise<Buffer> => workbook({ sheets: [{ rows }] });

export async function workbook({ sheets, formats = [], uses1904 = false, parts = {} }: WorkbookSpec): Promise<Buffer> {
  const strings = new Map<string, number>();
  const all: Record<string, string | Buffer | null> = {
    '[Content_Types].xml': `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    '_rels/.rels': relations([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><workbookPr${uses1904 ? ' date1904="1"' : ''}/><sheets>${sheets
      .map(
        ({ name, state }, i) =>
          `<sheet name="${name ?? `Sheet${i + 1}`}" sheetId="${i + 1}"${state ? ` state="${state}"` : ''} r:id="rId${i + 1}"/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      ...sheets.map((_, i): [string, string] => ['worksheet', `worksheets/sheet${i + 1}.xml`]),
      ['styles', 'styles.xml'],
      ['sharedStrings', '/xl/sharedStrings.xml'],
    ]),
    'xl/styles.xml': `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts>${formats
      .map((code, i) => `<numFmt numFmtId="${164 + i}" formatCode="${escaped(code)}"/>`)
      .join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats
      .map((_, i) => `<xf numFmtId="${164 + i}"/>`)
      .join('')}<xf numFmtId="14"/></cellXfs></styleSheet>`,
  };
  for (const [i, { rows, after = '' }] of sheets.entries()) {
    const data = typeof rows === 'string' ? rows : rows.map((cells, r) => rowXml(cells, r + 1, strings)).join('');
    all[`xl/worksheets/sheet${i + 1}.xml`] = `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>${data}</sheetData>${after}</worksheet>`;
  }
  all['xl/sharedStrings.xml'] =
    `${HEAD}<sst xmlns="${MAIN}">${[...strings.keys()].map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join('')}</sst>`;
  return zip({ ...all, ...parts });
}

export async function zip(parts: Record<string, string | Buffer | null>, options = {}): Promise<Buffer> {
  const file = new ZipFile();
  for (const [path, content] of Object.entries(parts)) if (content !== null) file.addBuffer(Buffer.from(content as string), path, options);
  file.end();
  const chunks: Buffer[] = [];
  for await (const chunk of Readable.from(file.outputStream)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function rowXml(cells: Cell[], number: number, strings: Map<string, number>): string {
  const xml = cells.map((cell, column) => {
    const reference = `${letters(column)}${number}`;
    if (cell === null) return '';
    if (typeof cell === 'object') return cell.xml.replace('@', reference);
    if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`;
    if (!strings.has(cell)) strings.set(cell, strings.size);
    return `<c r="${reference}" t="s"><v>${strings.get(cell)}</v></c>`;
  });
  return `<row r="${number}">${xml.join('')}</row>`;
}

function letters(column: number): string {
  return (column >= 26 ? letters(Math.floor(column / 26) - 1) : '') + String.fromCharCode(65 + (column % 26));
}

const relations = (targets: [string, string][]): string =>
  `${HEAD}<Relationships xmlns="${PACKAGE}">${targets
    .map(([type, target], i) => `<Relationship Id="rId${i + 1}" Type="${RELATIONS}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
