/**
 * A workbook on disk: its sheets, number formats and shared strings. Needs random access, because a ZIP has its directory at the end. Refuses files
 * that are not workbooks, are locked, or expand too far.
 */
import type { FileHandle } from 'node:fs/promises';
import { posix } from 'node:path';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { builtInFormat, customFormat, type NumberFormat, PLAIN } from './cells.ts';
import { fieldLabel } from './column-names.ts';
import { type Bytes, EXPANSION_IGNORED_BYTES, EXPANSION_MAX, foreignSpreadsheet, isOle, isZip, oleWorkbook } from './decode.ts';
import { badWorkbook, type RowLimits, UploadError } from './row.ts';
import { SharedStrings } from './strings.ts';
import { isTrue, readXml, type XmlHandler } from './xml.ts';

/** A workbook has a few parts for each sheet, and one for each picture. */
const ENTRIES_MAX = 10_000;
/** Name, extra field and comment of one part. */
const ENTRY_BYTES_MAX = 4_096;
const SHEETS_MAX = 1_000;
/** Excel allows 65,490. */
const STYLES_MAX = 100_000;
/** Limit for each part that is kept in memory: relationships, list of sheets, styles. */
const SMALL_PART_BYTES_MAX = 16 * 1024 * 1024;
const FLUSH_BYTES = 65_536;
/** Excel allows 32,767 in a cell. */
const TEXT_MAX = 1_048_576;

export interface Workbook {
  uses1904: boolean;
  formats: NumberFormat[];
  strings: SharedStrings;
  /** Most characters in the cells of a sheet. */
  textMax: number;
  /** Sheets that may be read: the named one, or all that are not hidden, in order. Never empty. */
  sheets: SheetPart[];
  /** Names of all sheets that may be named, hidden ones too. */
  sheetNames: string[];
  /** Expanded bytes of a sheet. */
  read(path: string): Bytes;
  close(): Promise<void>;
}

export interface SheetPart {
  name: string;
  path: string;
}

interface Sheet {
  name: string;
  relation: string;
  isHidden: boolean;
}

interface Relation {
  type: string;
  target: string;
}

/** `sheet` names one sheet, in any case. `expandedMax`: bytes of all parts that are read. */
export async function openWorkbook(file: FileHandle, sheet: string | null, limits: RowLimits, expandedMax: number): Promise<Workbook> {
  await refuseOthers(file);
  const archive = await Archive.open(file, expandedMax);
  const foreign = foreignSpreadsheet((part) => archive.has(part));
  if (foreign) throw foreign;
  const root = await readRelations(archive, '_rels/.rels', '', limits);
  const main = [...root.values()].find(({ type }) => type.endsWith('/officeDocument'))?.target ?? 'xl/workbook.xml';
  const { sheets, uses1904 } = await readSheets(archive, main, limits);
  const relations = await readRelations(
    archive,
    posix.join(posix.dirname(main), '_rels', `${posix.basename(main)}.rels`),
    posix.dirname(main),
    limits,
  );
  const worksheets = sheets.filter(({ relation }) => relations.get(relation)?.type.endsWith('/worksheet'));
  const chosen = chooseSheets(worksheets, sheet).map(({ name, relation }) => ({ name, path: relations.get(relation)!.target }));
  const partOf = (type: string): string | undefined => [...relations.values()].find((relation) => relation.type.endsWith(type))?.target;
  const formats = await readFormats(archive, partOf('/styles'), limits);
  const strings = await readStrings(archive, partOf('/sharedStrings'), limits);
  return {
    uses1904,
    formats,
    strings,
    // Any number of cells may show one shared text, so the parts alone do not bound what the rows hold.
    textMax: Math.min(expandedMax, Math.max(EXPANSION_IGNORED_BYTES, EXPANSION_MAX * (await file.stat()).size)),
    sheets: chosen,
    sheetNames: worksheets.map(({ name }) => name),
    read: (path) => archive.read(path),
    close: () => strings.close(),
  };
}

function chooseSheets(sheets: Sheet[], wanted: string | null): Sheet[] {
  const fold = (name: string): string => name.trim().toLowerCase();
  if (sheets.length === 0) throw badWorkbook('The workbook has no sheet with cells');
  if (wanted === null) {
    const shown = sheets.filter(({ isHidden }) => !isHidden);
    return shown.length > 0 ? shown : sheets.slice(0, 1);
  }
  const chosen = sheets.find(({ name }) => name === wanted) ?? sheets.find(({ name }) => fold(name) === fold(wanted));
  if (chosen) return [chosen];
  const names = sheets.slice(0, 50).map(({ name }, index) => fieldLabel(name, `sheet ${index + 1}`));
  throw new UploadError('unknown_sheet', `The workbook has no sheet of that name. Sheets found: ${names.join(', ')}`, null, 'sheet');
}

/** Workbooks with a password, and those of Excel 97 to 2003, are OLE files. Their directory tells them apart (MS-CFB 2.2, 2.6). */
async function refuseOthers(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  if (size === 0) throw new UploadError('empty_file', 'The upload is empty');
  const head = Buffer.alloc(512);
  await file.read(head, 0, head.length, 0);
  if (isOle(head)) {
    const directory = Buffer.alloc(4096);
    await file.read(directory, 0, directory.length, (head.readUInt32LE(48) + 1) * 2 ** Math.min(head.readUInt16LE(30), 12));
    if (directory.includes(Buffer.from('EncryptedPackage', 'utf16le'))) throw locked();
    throw oleWorkbook();
  }
  if (!isZip(head)) throw badWorkbook('The upload is not an XLSX workbook. Save it as XLSX or CSV and send it again');
}

const locked = (): UploadError =>
  new UploadError('password_protected', 'The workbook is password-protected. Save it without a password and send it again');

/** The entries of a ZIP file, read by name, with one limit for all of them. */
class Archive {
  private expanded = 0;
  private readonly zip: ZipFile;
  private readonly entries: Map<string, Entry>;
  private readonly expandedMax: number;

  private constructor(zip: ZipFile, entries: Map<string, Entry>, expandedMax: number) {
    this.zip = zip;
    this.entries = entries;
    this.expandedMax = expandedMax;
  }

  /** The caller still has to close `file`. */
  static async open(file: FileHandle, expandedMax: number): Promise<Archive> {
    const entries = new Map<string, Entry>();
    try {
      const zip = await fromFdPromise(file.fd, { autoClose: false });
      for await (const entry of zip.eachEntry()) {
        if (entry.isEncrypted()) throw locked();
        const nameBytes = entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
        if (nameBytes > ENTRY_BYTES_MAX) throw badWorkbook('The workbook has a part whose name is too long');
        if (entries.size === ENTRIES_MAX) throw badWorkbook(`The workbook has more than ${ENTRIES_MAX} parts`);
        entries.set(entry.fileName.toLowerCase(), entry);
      }
      return new Archive(zip, entries, expandedMax);
    } catch (error) {
      throw error instanceof UploadError ? error : badWorkbook('The upload is not a complete XLSX workbook');
    }
  }

  has(path: string): boolean {
    return this.entries.has(path.toLowerCase());
  }

  async *read(path: string, bytesMax = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
    const entry = this.entries.get(path.toLowerCase());
    if (!entry) throw badWorkbook('The upload is not an XLSX workbook: a part of it is missing');
    this.refuseBomb(entry.uncompressedSize, entry);
    let expanded = 0;
    try {
      // yauzl ends the stream with an error if it does not have the size that the entry declares.
      for await (const chunk of (await this.zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
        expanded += chunk.length;
        this.expanded += chunk.length;
        if (expanded > bytesMax) throw badWorkbook('The list of sheets or the styles of the workbook are too large');
        yield chunk;
      }
    } catch (error) {
      throw error instanceof UploadError ? error : badWorkbook('The upload is not a complete XLSX workbook');
    }
  }

  private refuseBomb(size: number, { compressedSize }: Entry): void {
    if (this.expanded + size > this.expandedMax) {
      throw new UploadError('expands_too_far', `The workbook expands to more than ${this.expandedMax} bytes`);
    }
    if (size > EXPANSION_IGNORED_BYTES && size > EXPANSION_MAX * compressedSize) {
      throw new UploadError('expands_too_far', `A part of the workbook expands more than ${EXPANSION_MAX} times`);
    }
  }
}

/** Reads a part to its end. Events without a handler are ignored. */
async function readPart(archive: Archive, path: string, handler: Partial<XmlHandler>, limits: RowLimits): Promise<void> {
  const nothing = () => {};
  const whole = { open: nothing, close: nothing, text: nothing, ...handler };
  for await (const _ of readXml(posix.basename(path), archive.read(path, SMALL_PART_BYTES_MAX), whole, limits));
}

async function readRelations(archive: Archive, path: string, folder: string, limits: RowLimits): Promise<Map<string, Relation>> {
  const relations = new Map<string, Relation>();
  const open = (name: string, { Id, Type, Target, TargetMode }: Record<string, string>) => {
    if (name !== 'Relationship' || !Id || !Type || !Target || TargetMode === 'External') return;
    if (relations.size === ENTRIES_MAX) throw badWorkbook(`The workbook has more than ${ENTRIES_MAX} parts`);
    relations.set(Id, { type: Type, target: Target.startsWith('/') ? Target.slice(1) : posix.join(folder, Target) });
  };
  await readPart(archive, path, { open }, limits);
  return relations;
}

async function readSheets(archive: Archive, path: string, limits: RowLimits): Promise<{ sheets: Sheet[]; uses1904: boolean }> {
  if (path.endsWith('.bin')) throw badWorkbook('The upload is a binary workbook (.xlsb). Save it as .xlsx and send it again');
  const sheets: Sheet[] = [];
  let isWorkbook = false;
  let uses1904 = false;
  const open = (name: string, attributes: Record<string, string>) => {
    if (name === 'workbook') isWorkbook = true;
    else if (name === 'workbookPr') uses1904 = isTrue(attributes.date1904);
    else if (name === 'sheet') {
      if (sheets.length === SHEETS_MAX) throw badWorkbook(`The workbook has more than ${SHEETS_MAX} sheets`);
      const relation = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
      sheets.push({ name: attributes.name ?? '', relation, isHidden: attributes.state !== undefined && attributes.state !== 'visible' });
    }
  };
  await readPart(archive, path, { open }, limits);
  if (!isWorkbook) throw badWorkbook('The upload is not an XLSX workbook');
  return { sheets, uses1904 };
}

/** Number formats by the style index that cells refer to. */
async function readFormats(archive: Archive, path: string | undefined, limits: RowLimits): Promise<NumberFormat[]> {
  if (path === undefined || !archive.has(path)) return [];
  const custom = new Map<number, NumberFormat>();
  const ids: number[] = [];
  let isInCells = false;
  const open = (name: string, attributes: Record<string, string>) => {
    if (name === 'numFmt' && custom.size < STYLES_MAX) custom.set(Number(attributes.numFmtId), customFormat(attributes.formatCode ?? ''));
    else if (name === 'cellXfs') isInCells = true;
    else if (name === 'xf' && isInCells && ids.length < STYLES_MAX) ids.push(Number(attributes.numFmtId ?? 0));
  };
  const close = (name: string) => {
    if (name === 'cellXfs') isInCells = false;
  };
  await readPart(archive, path, { open, close }, limits);
  return ids.map((id) => custom.get(id) ?? builtInFormat(id) ?? PLAIN);
}

async function readStrings(archive: Archive, path: string | undefined, limits: RowLimits): Promise<SharedStrings> {
  const strings = await SharedStrings.open();
  try {
    if (path === undefined || !archive.has(path)) return strings;
    const text = new StringText();
    const handler: XmlHandler = {
      open(name) {
        if (name === 'si') text.begin();
        else text.open(name);
      },
      close(name) {
        text.close(name);
        if (name === 'si') strings.add(text.take());
      },
      text: (piece) => text.add(piece),
    };
    for await (const _ of readXml(posix.basename(path), archive.read(path), handler, limits)) {
      if (strings.waitingBytes >= FLUSH_BYTES) await strings.flush();
    }
    await strings.flush();
    return strings;
  } catch (error) {
    await strings.close();
    throw error;
  }
}

/** Throws `UploadError` if a text is too long. XML itself has no limit. */
export function refuseLongText(text: string): void {
  if (text.length > TEXT_MAX) throw badWorkbook(`The workbook has a text of more than ${TEXT_MAX} characters`);
}

/** The text of a `<si>` or `<is>`: all its `<t>` elements, except those that spell out Japanese (`<rPh>`). */
export class StringText {
  private text = '';
  private isInText = false;
  private isReading = false;

  begin(): void {
    this.text = '';
  }

  open(name: string): void {
    if (name === 'rPh') this.isReading = true;
    else if (name === 't') this.isInText = !this.isReading;
  }

  close(name: string): void {
    if (name === 'rPh') this.isReading = false;
    else if (name === 't') this.isInText = false;
  }

  add(piece: string): void {
    if (!this.isInText) return;
    this.text += piece;
    refuseLongText(this.text);
  }

  /** Decodes `_x000D_`, which stands for a character that XML cannot hold. */
  take(): string {
    const { text } = this;
    this.text = '';
    return text.includes('_x')
      ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      : text;
  }
}
