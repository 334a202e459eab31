/** The steps between an upload's bytes and its text: a look at the first bytes, gzip, UTF-16. Each step streams, and releases its input. */
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UploadError } from './row.ts';
import { notText } from './text.ts';

export type Bytes = AsyncIterable<Uint8Array>;

/**
 * Gzip shrinks rows of text five- to twentyfold. Text that expands further than this is repetition made to fill a disk. Small files are exempt,
 * because they do no harm.
 */
export const EXPANSION_MAX = 200;
export const EXPANSION_IGNORED_BYTES = 16 * 1024 * 1024;
/** Small text does harm: a row may be two bytes, and each costs as much as a large one. */
export const GZIP_IGNORED_BYTES = 65_536;

/** The first `count` bytes (fewer if there are no more), and a stream of all bytes, including those. */
export async function peek(bytes: Bytes, count: number): Promise<{ head: Buffer; bytes: AsyncIterableIterator<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let held = 0;
  while (held < count) {
    const next = await iterator.next();
    if (next.done) break;
    read.push(next.value);
    held += next.value.length;
  }
  const head = Buffer.concat(read).subarray(0, count);
  // Not a generator: one that was never started would not release the iterator.
  const all: AsyncIterableIterator<Uint8Array> = {
    async next() {
      const value = read.shift();
      return value ? { done: false, value } : iterator.next();
    },
    async return() {
      await iterator.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => all,
  };
  return { head, bytes: all };
}

export const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b;
export const isZip = (head: Buffer): boolean => head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;

const OPEN_DOCUMENT = 'an OpenDocument spreadsheet (.ods)';
const WORD = 'a Word document (.docx)';

/** Other kinds of document that are ZIP archives, recognized by a part that each of them contains. */
const FOREIGN_SPREADSHEETS: Record<string, string> = {
  'meta-inf/manifest.xml': OPEN_DOCUMENT,
  'xl/workbook.bin': 'a binary workbook (.xlsb)',
  'index/document.iwa': 'an Apple Numbers spreadsheet',
  'word/document.xml': WORD,
};

/** The refusal of a document that Confam does not read; null for any other file. `hasPart` takes names in lower case. */
export function foreignSpreadsheet(hasPart: (name: string) => boolean): UploadError | null {
  const kind = Object.entries(FOREIGN_SPREADSHEETS).find(([part]) => hasPart(part))?.[1];
  return kind === undefined ? null : foreign(kind, kind === WORD ? COPY : undefined);
}

const foreign = (kind: string, advice = 'Save it as XLSX or CSV and send it again'): UploadError =>
  new UploadError('bad_workbook', `The upload is ${kind}. ${advice}`);

const SAVE = 'Open it in Excel, save it as XLSX or CSV, and send that file';
const COPY = 'Copy its table into Excel, save it as XLSX or CSV, and send that file';
const UNPACK = 'Unpack it, and send the file that it holds';

/** Whether the file is an OpenDocument spreadsheet. Its first part is its type, not compressed. */
const isOpenDocument = (head: Buffer): boolean =>
  isZip(head) && head.toString('latin1', 30, 38) === 'mimetype' && head.includes('application/vnd.oasis.opendocument.spreadsheet');

/** Enough of a file for `refuseOpenDocument` and `refusePacked`. */
export const SIGNATURE_BYTES = 192;

/** Refuses an OpenDocument spreadsheet, whatever it was sent as. */
export function refuseOpenDocument(head: Buffer): void {
  if (isOpenDocument(head)) throw foreign(OPEN_DOCUMENT);
}

/** Refuses a workbook or an archive that was sent as text. */
export function refusePacked(head: Buffer): void {
  if (isZip(head))
    throw new UploadError(
      'not_text',
      'The upload is not text but a ZIP file, such as an XLSX workbook. Send it with the Content-Type of a workbook or of a ZIP archive, in a form with a name that ends in .xlsx or .zip, or save it as CSV',
    );
  if (isOle(head)) throw oleWorkbook();
}

/** Kinds of file that hold no table that we can read: how they begin, what they are called, and what to do. Patterns are strict, because a column's name may begin with `<` or `{`. */
const NO_TABLES: readonly [RegExp, string, string][] = [
  [/^%PDF-\d/, 'a PDF file', COPY],
  [/^\{\\rtf/, 'an RTF document', COPY],
  [/^<\?xml\s/i, 'an XML file, such as an Excel 2003 XML spreadsheet', SAVE],
  [/^<(?:!doctype\s+html\b|(?:html|head|meta|table)(?:\s+[a-z:-]+\s*=|\s*>\s*<))/i, 'an HTML page, whatever its name says', SAVE],
  [/^Rar!\p{Cc}/u, 'a RAR archive', UNPACK],
  [/^7z\ufffd\ufffd'\p{Cc}/u, 'a 7-Zip archive', UNPACK],
];

/** A JSON object with a member, or an array of such objects. No valid CSV begins like this, because a quote inside an unquoted cell is not allowed. */
const JSON_START = /^(?:\[\s*)?\{\s*"(?:[^"\\]|\\.)*"\s*:/;

/** Refuses a file that is neither a table nor JSON. `start`: of its text. */
export function refuseNoTable(start: string): void {
  const [, kind, advice] = NO_TABLES.find(([begins]) => begins.test(start)) ?? [];
  if (kind !== undefined) throw new UploadError('not_a_table', `The upload is ${kind}. ${advice}`);
}

/** Refuses JSON that was sent as CSV. */
export function refuseJson(start: string): void {
  if (JSON_START.test(start))
    throw new UploadError(
      'not_a_table',
      'The upload is JSON, not CSV. Send it as application/json, or as application/x-ndjson if each line is an object; in a form, with a name that ends in .json or .ndjson',
    );
}

export const oleWorkbook = (): UploadError =>
  new UploadError(
    'bad_workbook',
    'The upload is an Excel 97 to 2003 workbook (.xls), or is password-protected. Save it as XLSX or CSV, without a password, and send it again',
  );

/** Whether the file is an OLE file: a workbook with a password, or one of Excel 97 to 2003. */
export const isOle = (head: Buffer): boolean => head[0] === 0xd0 && head[1] === 0xcf && head[2] === 0x11 && head[3] === 0xe0;

/** Throws `expands_too_far` beyond `bytesMax` bytes or an absurd ratio, `bad_gzip` for a damaged file, and errors of `bytes`. */
export async function* gunzip(bytes: Bytes, bytesMax: number): AsyncGenerator<Uint8Array> {
  let expanded = 0;
  let ignored = 0;
  let isWhole = false;
  const inflater = createGunzip({ chunkSize: 65_536 });
  async function* counted() {
    yield* bytes;
    isWhole = true;
  }
  pipeline(counted(), inflater, () => {});
  try {
    for await (const chunk of inflater as AsyncIterable<Buffer>) {
      // A workbook or an archive has its own rules for its contents.
      if (expanded === 0) ignored = isZip(chunk) ? EXPANSION_IGNORED_BYTES : GZIP_IGNORED_BYTES;
      expanded += chunk.length;
      if (expanded > bytesMax) throw new UploadError('expands_too_far', `The upload expands to more than ${bytesMax} bytes`);
      // Compared with the bytes inflated, not the bytes received; otherwise all rows of a small file could be read before the ratio is noticed.
      if (expanded > ignored && expanded > EXPANSION_MAX * inflater.bytesWritten) {
        throw new UploadError('expands_too_far', `The upload expands more than ${EXPANSION_MAX} times; send it as it is`);
      }
      yield chunk;
    }
  } catch (error) {
    throw isZlibError(error) ? badGzip() : error;
  }
  if (!isWhole) throw badGzip();
}

/** The expanded bytes of a gzip file. Throws `nested_gzip` for a gzip file inside it: packed twice, a few hundred bytes hold millions of rows. */
export async function gunzipFile(bytes: Bytes, bytesMax: number): Promise<Bytes> {
  const unpacked = await peek(gunzip(bytes, bytesMax), 2);
  if (!isGzip(unpacked.head)) return unpacked.bytes;
  await unpacked.bytes.return?.();
  throw nestedGzip();
}

export const nestedGzip = (): UploadError =>
  new UploadError('nested_gzip', 'The upload is compressed twice. Compress it once, or send it as it is');

const badGzip = (): UploadError => new UploadError('bad_gzip', 'The upload is not a complete gzip file, or has extra data after its end');

const isZlibError = (error: unknown): boolean => error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');

type Order = 'little' | 'big';

/** Converts UTF-16 as Excel and Windows write it to UTF-8, and passes everything else through. Throws `not_text` for broken UTF-16, and for UTF-32. */
export async function decodeUtf16(bytes: Bytes): Promise<Bytes> {
  const { head, bytes: all } = await peek(bytes, 4);
  if (isUtf32(head)) {
    await all.return?.();
    throw new UploadError('not_text', 'The upload is UTF-32 text. Save the file as UTF-8 text and send it again');
  }
  const order = byteOrder(head);
  return order === null ? all : toUtf8(all, order);
}

export const isUtf16 = (head: Buffer): boolean => byteOrder(head) !== null;

/** Recognized by its byte-order mark, or by an ASCII character with three NUL bytes beside it, which no other encoding of text has. */
const isUtf32 = ([a, b, c, d]: Buffer): boolean =>
  (a === 0xff && b === 0xfe && c === 0 && d === 0) ||
  (a === 0 && b === 0 && ((c === 0xfe && d === 0xff) || (c === 0 && d !== 0 && d !== undefined))) ||
  (a !== 0 && b === 0 && c === 0 && d === 0);

/** The beginning of a file as text, without byte-order mark and leading white space, from which its format is recognized. */
export function startOf(head: Buffer): string {
  return textOfHead(head)
    .replace(/^\ufeff/, '')
    .trimStart();
}

function textOfHead(head: Buffer): string {
  const order = byteOrder(head);
  if (order === null) return head.toString('utf8');
  const units = head.subarray(0, head.length - (head.length % 2));
  return (order === 'little' ? units : Buffer.from(units).swap16()).toString('utf16le');
}

/** Recognized by the byte-order mark, or by the two ASCII characters that a header starts with. */
function byteOrder(head: Buffer): Order | null {
  const [a, b, c, d] = head;
  if (a === 0xff && b === 0xfe) return 'little';
  if (a === 0xfe && b === 0xff) return 'big';
  if (head.length < 4) return null;
  if (a !== 0 && b === 0 && c !== 0 && d === 0) return 'little';
  return a === 0 && b !== 0 && c === 0 && d !== 0 ? 'big' : null;
}

async function* toUtf8(bytes: Bytes, order: Order): AsyncGenerator<Uint8Array> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    let units = Buffer.concat([rest, chunk]);
    let end = units.length - (units.length % 2);
    // Keeps a surrogate pair together.
    if (end >= 2 && isHighSurrogate(units[order === 'little' ? end - 1 : end - 2]!)) end -= 2;
    rest = Buffer.from(units.subarray(end));
    units = units.subarray(0, end);
    const text = (order === 'little' ? units : units.swap16()).toString('utf16le');
    if (!text.isWellFormed()) {
      // Emits the lines before the fault first, so that the reader has reached the faulty row.
      yield Buffer.from(text.slice(0, text.lastIndexOf('\n', loneSurrogate(text)) + 1));
      throw notText();
    }
    yield Buffer.from(text);
  }
  if (rest.length > 0) throw notText();
}

const isHighSurrogate = (byte: number): boolean => byte >= 0xd8 && byte <= 0xdb;

const loneSurrogate = (text: string): number => text.search(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
