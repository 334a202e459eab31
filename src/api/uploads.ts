/**
 * Reads an upload in any form: CSV, NDJSON, JSON, XLSX or an archive with images, raw or as a form, compressed or not. Everything streams with back-pressure:
 * the consumer of the rows sets the pace.
 */

import type { z } from 'zod';
import { wantedNames } from '../batches/columns.ts';
import type { PreviewUpload } from '../batches/preview.ts';
import type { Upload } from '../batches/submit.ts';
import { checks as allChecks, findCheck } from '../checks/catalog.ts';
import type { Check } from '../checks/check.ts';
import { IMAGE_BYTES_MAX, IMAGE_ROW_BYTES_MAX, imageInputs } from '../checks/inputs.ts';
import { batchOptions } from '../contract/batches.ts';
import { type PreviewOptions, previewOptions } from '../contract/previews.ts';
import { FORM_TYPE, GZIP_TYPES, UPLOAD_TYPES } from '../contract/uploads.ts';
import { ApiError } from '../foundation/errors.ts';
import type { Service } from '../pipeline/service.ts';
import { oursAmong } from '../results/own-columns.ts';
import { isWorkbook } from '../rows/archive.ts';
import { beginningOfText, type UploadText, wholeText } from '../rows/beginning.ts';
import { readCsv } from '../rows/csv.ts';
import { type Bytes, gunzip, gunzipFile, isGzip, isOle, isZip, nestedGzip, peek, textOfHead } from '../rows/decode.ts';
import type { Names } from '../rows/header.ts';
import { readJson } from '../rows/json.ts';
import { unknownOptions } from '../rows/likely-names.ts';
import { readNdjson } from '../rows/ndjson.ts';
import { ROW_LIMITS, type RowLimits, type RowSource } from '../rows/row.ts';
import { spool } from '../rows/spool.ts';
import { readXlsx } from '../rows/xlsx.ts';
import { readZip } from '../rows/zip.ts';
import type { BatchFormat } from '../schema/batches.ts';
import { checked, type Http, invalid, mediaType } from './http.ts';
import { type Form, readForm } from './multipart.ts';
import { type Arriving, openReceiving } from './receive-upload.ts';
import {
  mergeOptions,
  NAMES,
  namedFormat,
  optionsOf,
  optionsOfQuery,
  type SentOptions,
  unknownField,
  wrongOption,
} from './upload-options.ts';

/** A sheet's markup is several times its content, and rows of an archive may share an image. Beyond this many times the largest upload it is neither. */
const EXPANSION = 4;
const ARCHIVE_ENTRIES_MAX = 200_000;
/** Enough for the first line of most uploads. */
const PROBE_BYTES = 16_384;

const GZIP_NAME = /\.gz$/;

/**
 * Reads the body of a request as an upload, passes it to `use`, and always releases it afterwards (`receive-upload.ts` limits how many at a time). Throws
 * `unsupported_media_type`, `payload_too_large`, `overloaded`, `invalid_request` for an option or a header, and `UploadError` for the file. Some of these are
 * thrown while its rows are read, so `use` commits nothing before it has read them all.
 */
export type Uploads = <T>(c: Http, use: (upload: Upload) => Promise<T>) => Promise<T>;

/** The same for a preview, which reads the beginning of a text, and the first rows of a workbook or an archive. */
export type Previews = <T>(c: Http, use: (upload: PreviewUpload) => Promise<T>) => Promise<T>;

/** The bytes of a text that a preview reads. */
const BEGINNING_BYTES = 256 * 1024;

/** How a body is read: whole, or its beginning. */
interface Reading<Options> {
  schema: z.ZodType<Options>;
  /** A submission says which checks it is for; a preview may ask. */
  needsChecks: boolean;
  textOf(file: Bytes): Promise<UploadText>;
}

const forGood: Reading<Upload['options']> = { schema: batchOptions, needsChecks: true, textOf: wholeText };
const forPreview: Reading<PreviewOptions> = {
  schema: previewOptions,
  needsChecks: false,
  textOf: (file) => beginningOfText(file, BEGINNING_BYTES),
};

/** An upload whose beginning has been read. */
type Opened<Options> = Omit<Upload, 'options'> & { options: Options; text: UploadText | null };

export function openUploads(service: Service): { receiveUpload: Uploads; receivePreview: Previews } {
  const { config } = service;
  const limits = { ...ROW_LIMITS, rowsMax: config.CONFAM_UPLOAD_ROWS_MAX };
  const bytesMax = config.CONFAM_UPLOAD_BYTES_MAX;
  const receive = openReceiving(service);
  const receiver =
    <Options extends { checks?: string[]; mapping: Record<string, string> }>(reading: Reading<Options>) =>
    async <T>(c: Http, use: (upload: Opened<Options>) => Promise<T>): Promise<T> => {
      const type = mediaType(c);
      if (!isKnownType(type))
        throw unsupported(`Content-Type must be one of ${[...UPLOAD_TYPES.keys(), ...GZIP_TYPES, FORM_TYPE].join(', ')}${adviceFor(type)}`);
      return receive(c, async (arriving) => {
        const upload = await openUpload(await openContent(c, type, arriving, bytesMax, reading), limits, bytesMax, reading);
        try {
          return await use(upload);
        } finally {
          await upload.source.close();
        }
      });
    };
  return { receiveUpload: receiver(forGood), receivePreview: receiver(forPreview) };
}

/** Advice for the media types of common spreadsheets that we do not read. */
const adviceFor = (type: string): string =>
  /opendocument|ms-excel/.test(type) ? '; save the spreadsheet as XLSX or CSV and send it again' : '';

const isKnownType = (type: string): boolean => UPLOAD_TYPES.has(type) || GZIP_TYPES.includes(type) || type === FORM_TYPE;

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
  c: Http,
  type: string,
  { bytes: raw, whole }: Arriving,
  bytesMax: number,
  { schema }: Pick<Reading<unknown>, 'schema'>,
): Promise<Content> {
  const encoding = (c.req.header('content-encoding') ?? 'identity').trim().toLowerCase();
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding)) throw unsupported('Content-Encoding must be gzip or identity');
  const isEncoded = encoding !== 'identity';
  const bytes = isEncoded ? gunzip(raw, bytesMax) : raw;
  const asked = optionsOfQuery(c);
  if (type === FORM_TYPE)
    return { ...openForm(await readForm(bytes, c.req.header('content-type')!, unknownField), asked), isEncoded, whole };
  const isGzipType = GZIP_TYPES.includes(type);
  const format = isGzipType ? namedFormat(asked) : UPLOAD_TYPES.get(type)!;
  if (format !== null && format !== 'json') checked(schema, asked);
  return { asked, bytes, format, isGzip: isGzipType, isForm: false, isEncoded, whole };
}

function openForm({ fields, fileName, fileType, file }: Form, query: SentOptions): Omit<Content, 'isEncoded' | 'whole'> {
  const asked = mergeOptions(optionsOf(fields), query);
  const name = fileName.toLowerCase().replace(GZIP_NAME, '');
  const byName = NAMES.get(/\.([a-z]+)$/.exec(name)?.[1] ?? '');
  const format = namedFormat(asked) ?? byName ?? UPLOAD_TYPES.get(fileType.toLowerCase()) ?? null;
  return { asked, bytes: file, format, isGzip: null, isForm: true };
}

/** Opens the file according to its format. */
async function openUpload<Options extends { checks?: string[]; mapping: Record<string, string> }>(
  { asked, bytes, format, isGzip: isCompressed, isForm, isEncoded, whole }: Content,
  limits: RowLimits,
  bytesMax: number,
  reading: Reading<Options>,
): Promise<Opened<Options>> {
  const packed = await peek(bytes, 2);
  const isFile = isCompressed ?? isGzip(packed.head);
  if (isFile && isEncoded) throw nestedGzip();
  const file = isFile ? await gunzipFile(packed.bytes, bytesMax) : packed.bytes;
  const probed: Probed = format === null ? await probe(file) : { format, bytes: file };
  const lacksChecks = reading.needsChecks && asked.checks === undefined;
  if (probed.format === 'json') {
    const text = await reading.textOf(probed.bytes);
    const source = await readJson(text.bytes, limits, {
      needed: lacksChecks ? ['checks'] : [],
      limitsFor: (options) => (takeImages(asked.checks ?? options.get('checks')) ? withImages(limits) : null),
      isCut: text.isCut,
    });
    return closingOnError(source, () => {
      const unknown = unknownOptions(Object.keys(source.options), [...Object.keys(batchOptions.shape), 'rows']);
      if (unknown.length > 0) throw invalid(unknown);
      return { format: 'json', source, options: checked(reading.schema, mergeOptions(source.options, asked)), whole, text };
    });
  }
  if (isForm && lacksChecks) throw checksMissing();
  const options = checked(reading.schema, asked);
  return { ...(await openTable(probed, options, asked, whole, limits, bytesMax, reading)), options, whole };
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

async function openTable<Options extends { checks?: string[]; mapping: Record<string, string> }>(
  { format, bytes }: Probed,
  options: Options,
  asked: SentOptions,
  whole: Upload['whole'],
  limits: RowLimits,
  bytesMax: number,
  { textOf }: Pick<Reading<Options>, 'textOf'>,
): Promise<Pick<Opened<Options>, 'format' | 'source' | 'text'>> {
  const hasImages = takeImages(options.checks);
  if (format === 'ndjson') {
    const text = await textOf(bytes);
    return { format, source: await readNdjson(text.bytes, hasImages ? withImages(limits) : limits), text };
  }
  const own = hasImages ? withAdvice(limits) : limits;
  const checks = options.checks ? options.checks.map(findCheck).filter((check) => check !== undefined) : allChecks;
  const names: Names = { isWanted: wantedNames(checks, options.mapping), ours: oursAmong };
  if (format === 'csv') {
    const text = await textOf(bytes);
    return { format, source: await readCsv(text.bytes, own, names), text };
  }
  // Opening a workbook or an archive is already work, so the upload must be complete first.
  await whole();
  const file = await spool(bytes);
  const expandedMax = EXPANSION * bytesMax;
  if (format === 'zip' || (format === 'packed' && !(await isWorkbook(file, ARCHIVE_ENTRIES_MAX)))) {
    const source = await readZip(
      file,
      { entriesMax: ARCHIVE_ENTRIES_MAX, fileBytesMax: IMAGE_BYTES_MAX, manifestBytesMax: bytesMax, expandedMax },
      own,
      names,
    );
    return { format: 'zip', source, text: null };
  }
  const sheet = typeof asked.sheet === 'string' && asked.sheet !== '' ? asked.sheet : null;
  return { format: 'xlsx', source: await readXlsx(file, { sheet, expandedMax }, own, names), text: null };
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
  if (isZip(packed.head)) return { format: 'packed', bytes: packed.bytes };
  if (isOle(packed.head)) return { format: 'xlsx', bytes: packed.bytes };
  return {
    format: textFormat(
      textOfHead(packed.head)
        .replace(/^\ufeff/, '')
        .trimStart(),
    ),
    bytes: packed.bytes,
  };
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

const unsupported = (message: string): ApiError => new ApiError('unsupported_media_type', message);

const checksMissing = (): ApiError =>
  wrongOption('checks', 'must come before the file: put it in the query, or in a field before the file', 'option_after_file');
