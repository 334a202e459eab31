/** The cells of a worksheet → a header and rows. Knows where it stands in the sheet, so that an error can be found there. */
import { cellText, type NumberFormat, PLAIN } from './cells.ts';
import {
  badWorkbook,
  brokenRow,
  isStorable,
  namedColumns,
  type Row,
  type RowLimits,
  type RowRule,
  rowTooLarge,
  tooManyRows,
  UploadError,
} from './row.ts';
import type { SharedStrings } from './strings.ts';
import { StringText } from './workbook.ts';
import type { XmlHandler } from './xml.ts';

/** `XFD`, the last column of Excel. */
const SHEET_COLUMNS_MAX = 16_384;

interface Meaning {
  uses1904: boolean;
  formats: readonly NumberFormat[];
  strings: SharedStrings;
}

/** What is wrong with a row's first bad cell. */
interface Problem {
  column: number;
  rule: RowRule;
  what: string;
}

export class SheetHandler implements XmlHandler {
  /** Null until the first row that is not blank has been read. */
  header: { columns: string[]; labels: string[] } | null = null;
  /** Data rows so far. */
  row = 0;
  private rows: Row<string[]>[] = [];
  private isInData = false;
  /** As the sheet counts, from 1. */
  private sheetRow = 0;
  private headerSheetRow = 0;
  private lastSheetRow = 0;

  /** Of the row; those beyond `columnsMax` are not kept. */
  private cells: string[] = [];
  private cellsBytes = 0;
  /** The last one with something to see; -1: the row is blank. */
  private lastColumn = -1;
  private problem: Problem | null = null;

  private column = -1;
  private type = 'n';
  private format: NumberFormat = PLAIN;
  private value: string | null = null;
  private isInValue = false;
  private hasFormula = false;
  private readonly inline = new StringText();

  private readonly meaning: Meaning;
  private readonly limits: RowLimits;

  constructor(meaning: Meaning, limits: RowLimits) {
    this.meaning = meaning;
    this.limits = limits;
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
    else if (name === 'row') this.openRow(attributes.r);
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
    if (this.isInValue) this.value += text;
    else if (this.isInData) this.inline.add(text);
  }

  private openRow(number: string | undefined): void {
    const next = number === undefined ? this.sheetRow + 1 : Number(number);
    if (!(next > this.sheetRow && Number.isInteger(next)))
      throw badWorkbook(`The rows of the sheet are not in order behind row ${this.sheetRow}`);
    this.sheetRow = next;
    this.column = -1;
    this.cells = [];
    this.cellsBytes = 0;
    this.lastColumn = -1;
    this.problem = null;
  }

  private openCell({ r, t, s }: Record<string, string>): void {
    this.column = r === undefined ? this.column + 1 : columnOf(r);
    if (this.column < 0 || this.column >= SHEET_COLUMNS_MAX) throw badWorkbook(`Row ${this.sheetRow} of the sheet has a cell in no column`);
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
    if (!isStorable(text)) this.report('invalid_characters', 'a character that cannot be stored');
    if (this.column < this.limits.columnsMax) this.cells[this.column] = text;
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
    this.report(read.rule, read.rule === 'invalid_date' ? 'a date that does not exist' : 'a number that is none');
    return value;
  }

  private report(rule: RowRule, what: string): void {
    this.problem ??= { column: this.column, rule, what };
  }

  private closeRow(): void {
    const { cells, header } = this;
    const isTooLarge = this.cellsBytes > this.limits.rowBytesMax;
    if (!isTooLarge && this.problem === null && this.lastColumn === -1) return;
    this.lastSheetRow = this.sheetRow;
    if (header === null) {
      if (this.problem) throw this.badHeader(this.problem);
      if (isTooLarge) throw new UploadError('header_too_large', `The header is larger than ${this.limits.headerBytesMax} bytes`);
      this.headerSheetRow = this.sheetRow;
      this.header = namedColumns(
        Array.from({ length: this.lastColumn + 1 }, (_, index) => cells[index] ?? ''),
        this.limits,
      );
      return;
    }
    if (this.row === this.limits.rowsMax) throw tooManyRows(this.limits);
    this.row += 1;
    this.rows.push(isTooLarge ? rowTooLarge(this.row, this.limits) : this.readRow(header.labels));
  }

  private badHeader({ rule, what, column }: Problem): UploadError {
    return new UploadError(rule, `The header (row ${this.sheetRow} of the sheet) has ${what} in column ${columnName(column)}`);
  }

  private readRow(labels: string[]): Row<string[]> {
    const { cells, problem, row, lastColumn } = this;
    const where = `Row ${row} (row ${this.sheetRow} of the sheet)`;
    const length = Math.max(labels.length, Math.min(lastColumn + 1, this.limits.columnsMax));
    const value = Array.from({ length }, (_, index) => cells[index] ?? '');
    if (problem) {
      const label = labels[problem.column] ?? null;
      const message = `${where} has ${problem.what} in ${label ?? `column ${columnName(problem.column)}`}`;
      return brokenRow(row, problem.rule, message, value.map(storableCell), label);
    }
    if (lastColumn < labels.length) return { row, value, error: null };
    const message = `${where} has a cell in column ${columnName(lastColumn)}; the header ends with column ${columnName(labels.length - 1)}`;
    return brokenRow(row, 'column_count', message, value);
  }

  /** Only the first cell of a merged range has a value: whose it is beside that cannot be known. Ranges outside of the table do no harm. */
  private refuseMerged(range: string): void {
    const match = /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/.exec(range);
    if (!match || this.header === null) return;
    const [, from, top, , bottom] = match as unknown as [string, string, string, string, string];
    if (Number(bottom) < this.headerSheetRow || Number(top) > this.lastSheetRow) return;
    const label = this.header.labels[columnOf(from)];
    if (label === undefined) return;
    const message = `The cells ${range} of the sheet are merged (row ${top}, column ${label}). Unmerge them and send the file again`;
    throw new UploadError('merged_cells', message, null, label);
  }
}

const storableCell = (cell: string): string => cell.toWellFormed().replaceAll('\0', '\uFFFD');

/** `AB12` → 27; -1: no reference. */
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
