/** Turns the cells of a worksheet into a header and rows. Keeps its position in the sheet, so that an error can name it. */
import { cellText, type NumberFormat, PLAIN } from './cells.ts';
import { arrange, findHeader, HEAD_ROWS, keepApart, type Layout, layOut, type Names } from './header.ts';
import {
  badWorkbook,
  brokenRow,
  type CellError,
  type Row,
  type RowLimits,
  type RowRule,
  rowTooLarge,
  tooManyRows,
  UploadError,
} from './row.ts';
import { isStorable } from './storable.ts';
import type { SharedStrings } from './strings.ts';
import { refuseLongText, StringText } from './workbook.ts';
import { isTrue, type XmlHandler } from './xml.ts';

/** `XFD`, the last column of Excel. */
const SHEET_COLUMNS_MAX = 16_384;
/** Cells kept of a row: columns that our own files add, which are left out, come on top of the columns that an upload may have. */
const CELLS_MAX = 1_000;

interface Meaning {
  uses1904: boolean;
  formats: readonly NumberFormat[];
  strings: SharedStrings;
  /** Most characters in the cells of the sheet. A shared text counts in every cell that shows it. */
  textMax: number;
}

/** A fault in a cell. */
interface Problem {
  column: number;
  rule: RowRule;
  what: string;
}

/** A non-blank row of the sheet. */
interface SheetRow {
  /** Row number in the sheet, from 1. */
  number: number;
  cells: string[];
  /** The last cell with visible content, kept or not. */
  lastColumn: number;
  problems: readonly Problem[];
  isTooLarge: boolean;
  isHidden: boolean;
}

export class SheetHandler implements XmlHandler {
  /** Null until enough of the sheet has been read to know the header. */
  layout: Layout | null = null;
  headerSheetRow = 0;
  /** Whether the header has a name that a check looks for. */
  isRecognized = false;
  /** Data rows so far. */
  row = 0;
  /** How many of them the sheet hides. */
  hiddenRows = 0;
  private rows: Row<string[]>[] = [];
  private isInData = false;
  /** Row number in the sheet, from 1. */
  private sheetRow = 0;
  private isHidden = false;
  private head: SheetRow[] = [];
  private lastSheetRow = 0;

  /** Cells of the current row; those beyond `CELLS_MAX` are not kept. */
  private cells: string[] = [];
  private cellsBytes = 0;
  /** Characters of all cells so far. */
  private textLength = 0;
  /** The last cell with visible content; -1 if the row is blank. */
  private lastColumn = -1;
  private problems: Problem[] = [];

  private column = -1;
  private type = 'n';
  private format: NumberFormat = PLAIN;
  private value: string | null = null;
  private isInValue = false;
  private hasFormula = false;
  private readonly inline = new StringText();

  private readonly meaning: Meaning;
  private readonly limits: RowLimits;

  private readonly names: Names;

  constructor(meaning: Meaning, limits: RowLimits, names: Names) {
    this.meaning = meaning;
    this.limits = limits;
    this.names = names;
  }

  /** Call when no more rows will come. False if the sheet has none. */
  end(): boolean {
    if (this.layout === null && this.head.length > 0) this.chooseHeader();
    return this.layout !== null;
  }

  drain(): Row<string[]>[] {
    const { rows } = this;
    this.rows = [];
    return rows;
  }

  open(name: string, attributes: Record<string, string>): void {
    if (!this.isInData) {
      if (name === 'sheetData') this.isInData = true;
      else if (name === 'mergeCell') this.refuseMerged(attributes.ref ?? '');
      return;
    }
    if (name === 'c') this.openCell(attributes);
    else if (name === 'v') {
      this.isInValue = true;
      this.value = '';
    } else if (name === 'f') this.hasFormula = true;
    else if (name === 'row') this.openRow(attributes);
    else this.inline.open(name);
  }

  close(name: string): void {
    if (!this.isInData) return;
    if (name === 'v') this.isInValue = false;
    else if (name === 'c') this.closeCell();
    else if (name === 'row') this.closeRow();
    else if (name === 'sheetData') this.isInData = false;
    else this.inline.close(name);
  }

  text(text: string): void {
    if (this.isInValue) {
      this.value += text;
      refuseLongText(this.value!);
    } else if (this.isInData) this.inline.add(text);
  }

  private openRow({ r: number, hidden }: Record<string, string>): void {
    const next = number === undefined ? this.sheetRow + 1 : Number(number);
    if (!(next > this.sheetRow && Number.isInteger(next)))
      throw badWorkbook(`The rows of the sheet are not in order after row ${this.sheetRow}`);
    this.sheetRow = next;
    this.isHidden = isTrue(hidden);
    this.column = -1;
    this.cells = [];
    this.cellsBytes = 0;
    this.lastColumn = -1;
    this.problems = [];
  }

  private openCell({ r, t, s }: Record<string, string>): void {
    this.column = r === undefined ? this.column + 1 : columnOf(r);
    if (this.column < 0 || this.column >= SHEET_COLUMNS_MAX)
      throw badWorkbook(`Row ${this.sheetRow} of the sheet has a cell outside all columns`);
    this.type = t ?? 'n';
    this.format = s === undefined ? PLAIN : (this.meaning.formats[Number(s)] ?? PLAIN);
    this.value = null;
    this.hasFormula = false;
    this.inline.begin();
  }

  private closeCell(): void {
    const text = this.readCell();
    if (text === '') return;
    this.cellsBytes += text.length;
    if (this.cellsBytes > this.limits.rowBytesMax) return;
    this.textLength += text.length;
    if (this.textLength > this.meaning.textMax)
      throw new UploadError('expands_too_far', 'The cells of the workbook expand too far: the same long text is in too many of them');
    if (!isStorable(text)) this.report('invalid_characters', 'a character that cannot be stored');
    if (this.column < CELLS_MAX) this.cells[this.column] = text;
    if (this.column > this.lastColumn && text.trim() !== '') this.lastColumn = this.column;
  }

  private readCell(): string {
    const { value, type } = this;
    if (type === 'inlineStr') return this.inline.take();
    if (value === null || (value === '' && type !== 'str')) {
      if (this.hasFormula)
        this.report('formula_without_value', 'a formula without a value (open the file in Excel and save it, or send values)');
      return '';
    }
    if (type === 'n') return this.readNumber(value);
    if (type === 's') {
      const text = this.meaning.strings.get(Number(value));
      if (text === undefined) throw badWorkbook(`Row ${this.sheetRow} of the sheet has a cell whose text is missing in the workbook`);
      return text;
    }
    if (type === 'str') return value;
    if (type === 'b') return value === '1' || value === 'true' ? 'TRUE' : 'FALSE';
    if (type === 'd') return value.replace(/T00:00:00(?:\.0+)?Z?$/, '');
    this.report('error_cell', 'an error value such as #N/A');
    return type === 'e' ? value : '';
  }

  private readNumber(value: string): string {
    const read = cellText(value, this.format, this.meaning.uses1904);
    if ('text' in read) return read.text;
    this.report(read.rule, read.rule === 'invalid_date' ? 'a date that does not exist' : 'an invalid number');
    return value;
  }

  private report(rule: RowRule, what: string): void {
    if (this.problems.length < CELLS_MAX) this.problems.push({ column: this.column, rule, what });
  }

  private closeRow(): void {
    const isTooLarge = this.cellsBytes > this.limits.rowBytesMax;
    if (!isTooLarge && this.problems.length === 0 && this.lastColumn === -1) return;
    this.lastSheetRow = this.sheetRow;
    const cells = Array.from({ length: Math.min(this.lastColumn + 1, CELLS_MAX) }, (_, index) => this.cells[index] ?? '');
    const { sheetRow: number, lastColumn, problems, isHidden } = this;
    const row: SheetRow = { number, cells, lastColumn, problems, isTooLarge, isHidden };
    if (this.layout) {
      this.addRow(this.layout, row);
      return;
    }
    this.head.push(row);
    if (this.head.length === HEAD_ROWS) this.chooseHeader();
  }

  private chooseHeader(): void {
    const { head, limits, names } = this;
    this.head = [];
    const { at, wanted } = findHeader(
      head.map(({ cells }) => cells),
      names,
    );
    const header = head[at]!;
    const [problem] = header.problems;
    if (problem) throw badHeader(header, problem);
    if (header.isTooLarge) throw new UploadError('header_too_large', `The header is larger than ${limits.headerBytesMax} bytes`);
    const below = head.slice(at + 1);
    this.headerSheetRow = header.number;
    this.isRecognized = wanted > 0;
    this.layout = layOut(
      header.cells,
      below.map(({ cells }) => cells),
      names,
      limits,
    );
    for (const row of below) this.addRow(this.layout, row);
  }

  private addRow(layout: Layout, row: SheetRow): void {
    if (this.row === this.limits.rowsMax) throw tooManyRows(this.limits);
    this.row += 1;
    if (row.isHidden) this.hiddenRows += 1;
    this.rows.push(row.isTooLarge ? rowTooLarge(this.row, this.limits) : this.readRow(layout, row));
  }

  private readRow(layout: Layout, { number, cells, lastColumn, problems }: SheetRow): Row<string[]> {
    const { row } = this;
    const { labels, places, width } = layout;
    const where = `Row ${row} (row ${number} of the sheet)`;
    while (cells.length < width) cells.push('');
    const value = lastColumn < CELLS_MAX ? arrange(layout, cells) : null;
    if (value === null) {
      const stray =
        lastColumn < CELLS_MAX ? cells.findLastIndex((cell, place) => cell.trim() !== '' && !layout.known.has(place)) : lastColumn;
      const why = stray < width ? 'which has no name in the header' : `the header ends with column ${columnName(width - 1)}`;
      const message = `${where} has a cell in column ${columnName(stray)}${stray < width ? ', ' : '; '}${why}`;
      return brokenRow(row, 'column_count', message, keepApart(layout, cells).slice(0, this.limits.columnsMax).map(storableCell));
    }
    if (problems.length === 0) return { row, value, error: null, sheetRow: number };
    const errors = problems.flatMap(({ column, rule, what }): CellError[] => {
      const at = places === null ? column : places.indexOf(column);
      const field = labels[at];
      return field === undefined ? [] : [{ column: at, row, field, rule, message: `${where} has ${what} in ${field}` }];
    });
    return { row, value: value.map(storableCell), error: null, sheetRow: number, ...(errors.length > 0 && { cellErrors: errors }) };
  }

  /** In a merged range only the first cell has a value, and it is unclear which rows it applies to. Ranges outside the table do no harm. */
  private refuseMerged(range: string): void {
    const match = /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/.exec(range);
    if (!match || !this.end()) return;
    const [, from, top, , bottom] = match as unknown as [string, string, string, string, string];
    if (Number(bottom) < this.headerSheetRow || Number(top) > this.lastSheetRow) return;
    const { labels, places } = this.layout!;
    const label = labels[places === null ? columnOf(from) : places.indexOf(columnOf(from))];
    if (label === undefined) return;
    const message = `The cells ${range} of the sheet are merged (row ${top}, column ${label}). Unmerge them and send the file again`;
    throw new UploadError('merged_cells', message, null, label);
  }
}

function badHeader({ number }: SheetRow, { rule, what, column }: Problem): UploadError {
  return new UploadError(rule, `The header (row ${number} of the sheet) has ${what} in column ${columnName(column)}`);
}

const storableCell = (cell: string): string => cell.toWellFormed().replaceAll('\0', '\uFFFD');

/** `AB12` → 27; -1 if the text is not a cell reference. */
function columnOf(reference: string): number {
  let column = 0;
  for (let at = 0; at < reference.length && at < 4; at++) {
    const code = reference.charCodeAt(at);
    if (code < 65 || code > 90) break;
    column = column * 26 + code - 64;
  }
  return column - 1;
}

function columnName(column: number): string {
  const rest = Math.floor(column / 26);
  return (rest > 0 ? columnName(rest - 1) : '') + String.fromCharCode(65 + (column % 26));
}
