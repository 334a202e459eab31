/**
 * Opens an upload in any form: CSV, NDJSON, JSON, XLSX or an archive with images, raw or as a form, compressed or not. Everything streams with back-pressure:
 * the consumer of the rows sets the pace. Knows no request, so that a thread can open the same upload (`upload-thread.ts`).
 */

import type { z } from 'zod';
import { wantedNames } from '../batches/columns.ts';
import type { Upload } from '../batches/upload.ts';
import { checks as allChecks, findCheck } from '../checks/catalog.ts';
import type { Check } from '../checks/check.ts';
import { IMAGE_BYTES_MAX, IMAGE_ROW_BYTES_MAX, imageInputs } from '../checks/inputs.ts';
import { batchOptions } from '../contract/batches.ts';
import { type PreviewOptions, previewOptions } from '../contract/previews.ts';
import { FORM_TYPE, GZIP_TYPES, UPLOAD_TYPES } from '../contract/uploads.ts';
import type { ApiError } from '../foundation/errors.ts';
import { oursAmong } from '../results/own-columns.ts';
import { ownLines, submittedRow } from '../results/own-rows.ts';
import { isWorkbook } from '../rows/archive.ts';
import { beginningOfText, type UploadText, wholeText } from '../rows/beginning.ts';
import { readCsv } from '../rows/csv.ts';
import {
  type Bytes,
  gunzip,
  gunzipFile,
  isGzip,
  isOle,
  isZip,
  nestedGzip,
  peek,
  refuseJson,
  refuseNoTable,
  refuseOpenDocument,
  refusePacked,
  SIGNATURE_BYTES,
  startOf,
} from '../rows/decode.ts';
import type { Names } from '../rows/header.ts';
import { readJson } from '../rows/json.ts';
import { unknownOptions } from '../rows/likely-names.ts';
import { readNdjson } from '../rows/ndjson.ts';
import type { RowLimits, RowSource } from '../rows/row.ts';
import { spool } from '../rows/spool.ts';
import { readXlsx } from '../rows/xlsx.ts';
import { readZip } from '../rows/zip.ts';
import type { BatchFormat } from '../schema/batches.ts';
import { checked, invalid } from './http.ts';
import { type Form, readForm } from './multipart.ts';
import { mergeOptions, NAMES, namedFormat, optionsOf, type SentOptions, unknownField, wrongOption } from './upload-options.ts';

/** A sheet's markup is several times its content, and rows of an archive may share an image. Anything beyond this many times the largest upload is neither. */
const EXPANSION = 4;
const ARCHIVE_ENTRIES_MAX = 200_000;
/** Enough for the first line of most uploads. */
const PROBE_BYTES = 16_384;

const GZIP_NAME = /\.gz$/;

/** The bytes of a text that a preview reads. */
export const BEGINNING_BYTES = 256 * 1024;

/** How much of an upload is read: all of it for a submission, the beginning for a preview. */
interface UploadPlan<Options> {
  schema: z.ZodType<Options>;
  /** A submission says which checks it is for; a preview may ask. */
  needsChecks: boolean;
  textOf(file: Bytes): Promise<UploadText>;
}

export const forSubmission: UploadPlan<Upload['options']> = { schema: batchOptions, needsChecks: true, textOf: wholeText };
export const forPreview: UploadPlan<PreviewOptions> = {
  schema: previewOptions,
  needsChecks: false,
  textOf: (file) => beginningOfText(file, BEGINNING_BYTES),
};

/** An upload whose beginning has been read. */
export type Opened<Options> = Omit<Upload, 'options' | 'thread'> & { options: Options; text: UploadText | null };

/** What the headers and the query of an upload say: plain values. */
export interface Sent {
  /** The media type. */
  type: string;
  /** The header with its parameters. */
  contentType: string;
  /** Whether a Content-Encoding compressed the body. */
  isEncoded: boolean;
  asked: SentOptions;
}

/** Bounds of what is read. */
export interface UploadBounds {
  rows: RowLimits;
  bytesMax: number;
}

/** A workbook or an archive that was opened elsewhere. */
export type OpenedTable = Pick<Opened<unknown>, 'format' | 'source'>;

/** Opens a whole workbook or archive elsewhere; null: here. */
type OpenElsewhere = () => Promise<OpenedTable> | null;

type AnyOptions = { checks?: string[]; mapping: Record<string, string> };

/**
 * Throws `unsupported_media_type`, `payload_too_large`, `invalid_request` for an option or a header, and `UploadError` for the file. Some of these are thrown
 * while its rows are read.
 */
export async function openUpload<Options extends AnyOptions>(
  sent: Sent,
  body: Pick<Upload, 'whole'> & { bytes: Bytes },
  bounds: UploadBounds,
  plan: UploadPlan<Options>,
  elsewhere: OpenElsewhere = () => null,
): Promise<Opened<Options>> {
  return openFile(await openContent(sent, body, bounds.bytesMax, plan), bounds, plan, elsewhere);
}

/** A file and its options; `bytes` are still as they are in the file. */
interface Content {
  asked: SentOptions;
  bytes: Bytes;
  /** Null: to be detected from the file. */
  format: BatchFormat | null;
  /** Null: to be detected from the file. */
  isGzip: boolean | null;
  isForm: boolean;
  /** Whether a Content-Encoding compressed it. */
  isEncoded: boolean;
  whole: Upload['whole'];
}

/** Finds the file in the body. Options that must all be known by then are checked before the body is read. */
async function openContent(
  { type, contentType, isEncoded, asked }: Sent,
  { bytes: raw, whole }: Pick<Upload, 'whole'> & { bytes: Bytes },
  bytesMax: number,
  { schema }: Pick<UploadPlan<unknown>, 'schema'>,
): Promise<Content> {
  const bytes = isEncoded ? gunzip(raw, bytesMax) : raw;
  if (type === FORM_TYPE) return { ...openForm(await readForm(bytes, contentType, unknownField), asked), isEncoded, whole };
  const isGzipType = GZIP_TYPES.includes(type);
  const named = namedFormat(asked);
  const format = isGzipType ? named : UPLOAD_TYPES.get(type)!;
  if (named !== null && named !== format)
    throw wrongOption('format', `must agree with the Content-Type, which is ${type}`, 'invalid_value');
  if (format !== null && format !== 'json') checked(schema, asked);
  return { asked, bytes, format, isGzip: isGzipType || null, isForm: false, isEncoded, whole };
}

function openForm({ fields, fileName, fileType, file }: Form, query: SentOptions): Omit<Content, 'isEncoded' | 'whole'> {
  const asked = mergeOptions(optionsOf(fields), query);
  const name = fileName.toLowerCase().replace(GZIP_NAME, '');
  const byName = NAMES.get(/\.([a-z]+)$/.exec(name)?.[1] ?? '');
  const format = namedFormat(asked) ?? byName ?? UPLOAD_TYPES.get(fileType.toLowerCase()) ?? null;
  return { asked, bytes: file, format, isGzip: null, isForm: true };
}

/** Opens the file according to its format. */
async function openFile<Options extends AnyOptions>(
  content: Content,
  bounds: UploadBounds,
  plan: UploadPlan<Options>,
  elsewhere: OpenElsewhere,
): Promise<Opened<Options>> {
  const { asked, format, isForm, whole } = content;
  const { rows: limits, bytesMax } = bounds;
  const file = await unzipped(content, bytesMax);
  const probed: Probed = format === null ? await probe(file) : { format, bytes: await refuseOthers(format, file) };
  if (probed.format !== 'packed' && probed.format !== 'xlsx') refuseSheet(asked);
  if (probed.format === 'json') return openJson(probed.bytes, content, limits, plan);
  if (isForm && lacksChecks(asked, plan)) throw checksMissing();
  const options = checked(plan.schema, asked);
  if (probed.format === 'csv' || probed.format === 'ndjson') {
    const text = await plan.textOf(probed.bytes);
    return { format: probed.format, source: await openText(probed.format, text.bytes, options, limits), text, options, whole };
  }
  // Opening a workbook or an archive is already work, so the upload must be complete first.
  await whole();
  const table = await (elsewhere()?.finally(() => release(probed.bytes)) ?? openPacked(probed, options, asked, bounds));
  return { ...table, text: null, options, whole };
}

/** The file without its gzip. */
async function unzipped({ bytes, isGzip: isSaidGzip, isEncoded }: Content, bytesMax: number): Promise<Bytes> {
  const packed = await peek(bytes, 2);
  if (!(isSaidGzip ?? isGzip(packed.head))) return packed.bytes;
  if (isEncoded) throw nestedGzip();
  return gunzipFile(packed.bytes, bytesMax);
}

const lacksChecks = (asked: SentOptions, { needsChecks }: Pick<UploadPlan<unknown>, 'needsChecks'>): boolean =>
  needsChecks && asked.checks === undefined;

/** A JSON document may hold its own options, before the rows. */
async function openJson<Options extends AnyOptions>(
  file: Bytes,
  { asked, whole }: Content,
  limits: RowLimits,
  plan: UploadPlan<Options>,
): Promise<Opened<Options>> {
  const text = await plan.textOf(file);
  const source = await readJson(text.bytes, limits, {
    needed: lacksChecks(asked, plan) ? ['checks'] : [],
    limitsFor: (options) => (takeImages(asked.checks ?? options.get('checks')) ? withImages(limits) : null),
    isCut: text.isCut,
    unwrap: submittedRow,
  });
  return closingOnError(source, () => {
    const unknown = unknownOptions(Object.keys(source.options), [...Object.keys(batchOptions.shape), 'rows']);
    if (unknown.length > 0) throw invalid(unknown);
    return { format: 'json', source, options: checked(plan.schema, mergeOptions(source.options, asked)), whole, text };
  });
}

/** Whether one of the checks takes images; `checks` as the client sent them, valid or not. */
function takeImages(checks: unknown): boolean {
  const { data: ids = [] } = batchOptions.shape.checks.safeParse(checks);
  return ids.some((id) => takesImages(findCheck(id)));
}

const takesImages = (check: Check | undefined): boolean => check !== undefined && imageInputs(check).length > 0;

/** JSON rows contain their images. */
const withImages = (limits: RowLimits): RowLimits => ({
  ...limits,
  rowBytesMax: IMAGE_ROW_BYTES_MAX,
  skippedRowBytesMax: 2 * IMAGE_ROW_BYTES_MAX,
});

/** Tables have no room for images. */
const withAdvice = (limits: RowLimits): RowLimits => ({
  ...limits,
  rowAdvice: '; send images as files of a ZIP archive, with the rows as its manifest.csv',
});

const release = async (bytes: Bytes): Promise<void> => void (await bytes[Symbol.asyncIterator]().return?.());

async function openText(format: 'csv' | 'ndjson', text: Bytes, options: AnyOptions, limits: RowLimits): Promise<RowSource> {
  const hasImages = takeImages(options.checks);
  if (format === 'ndjson') return readNdjson(text, hasImages ? withImages(limits) : limits, ownLines);
  return readCsv(text, hasImages ? withAdvice(limits) : limits, namesFor(options));
}

async function openPacked(
  { format, bytes }: Probed,
  options: AnyOptions,
  asked: SentOptions,
  { rows: limits, bytesMax }: UploadBounds,
): Promise<OpenedTable> {
  const own = takeImages(options.checks) ? withAdvice(limits) : limits;
  const names = namesFor(options);
  const file = await spool(bytes);
  const expandedMax = EXPANSION * bytesMax;
  if (format === 'zip' || (format === 'packed' && !(await isWorkbook(file, ARCHIVE_ENTRIES_MAX)))) {
    refuseSheet(asked);
    const source = await readZip(
      file,
      { entriesMax: ARCHIVE_ENTRIES_MAX, fileBytesMax: IMAGE_BYTES_MAX, manifestBytesMax: bytesMax, expandedMax },
      own,
      names,
    );
    return { format: 'zip', source };
  }
  const sheet = typeof asked.sheet === 'string' && asked.sheet !== '' ? asked.sheet : null;
  return { format: 'xlsx', source: await readXlsx(file, { sheet, expandedMax }, own, names) };
}

function refuseSheet({ sheet }: SentOptions): void {
  if (sheet !== undefined && sheet !== '') throw wrongOption('sheet', 'is only for a workbook', 'invalid_value');
}

/** The columns that the named checks read, or any check if none is named. */
function namesFor({ checks: ids, mapping }: AnyOptions): Names {
  const checks = ids ? ids.map(findCheck).filter((check) => check !== undefined) : allChecks;
  return { isWanted: wantedNames(checks, mapping), ours: oursAmong };
}

async function closingOnError<T>(source: RowSource, make: () => T): Promise<T> {
  try {
    return make();
  } catch (error) {
    await source.close();
    throw error;
  }
}

interface Probed {
  /** `packed`: a workbook or an archive; only the directory at the end of the file tells them apart. */
  format: BatchFormat | 'packed';
  bytes: Bytes;
}

/**
 * What the file looks like: an OLE file is a workbook, lines of JSON objects are NDJSON, any other leading brace or bracket starts a JSON document, the rest
 * is CSV.
 */
async function probe(bytes: Bytes): Promise<Probed> {
  const packed = await peek(bytes, PROBE_BYTES);
  await refusing(packed.bytes, () => refuseOpenDocument(packed.head));
  if (isZip(packed.head)) return { format: 'packed', bytes: packed.bytes };
  if (isOle(packed.head)) return { format: 'xlsx', bytes: packed.bytes };
  const start = startOf(packed.head);
  await refusing(packed.bytes, () => refuseNoTable(start));
  return { format: textFormat(start), bytes: packed.bytes };
}

/** Refuses a file whose first bytes contradict the format that it was sent as. */
async function refuseOthers(format: BatchFormat, file: Bytes): Promise<Bytes> {
  const { head, bytes } = await peek(file, SIGNATURE_BYTES);
  await refusing(bytes, () => {
    refuseOpenDocument(head);
    if (format !== 'xlsx' && format !== 'zip') refusePacked(head);
    if (format !== 'csv') return;
    refuseNoTable(startOf(head));
    refuseJson(startOf(head));
  });
  return bytes;
}

async function refusing(bytes: Bytes, refuse: () => void): Promise<void> {
  try {
    refuse();
  } catch (error) {
    await release(bytes);
    throw error;
  }
}

function textFormat(start: string): BatchFormat {
  if (!start.startsWith('{')) return start.startsWith('[') ? 'json' : 'csv';
  const line = start.split('\n', 1)[0]!;
  try {
    return Object.hasOwn(JSON.parse(line) as object, 'rows') ? 'json' : 'ndjson';
  } catch {
    return 'json';
  }
}

const checksMissing = (): ApiError =>
  wrongOption('checks', 'must come before the file: put it in the query, or in a field before the file', 'option_after_file');
