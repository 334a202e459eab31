/**
 * Reads an upload in any form: CSV, NDJSON, JSON, XLSX or an archive with images, raw or as a form, compressed or not. Everything streams with back-pressure:
 * the consumer of the rows sets the pace.
 */

import { wantedNames } from '../batches/columns.ts';
import type { Upload } from '../batches/submit.ts';
import { findCheck } from '../checks/catalog.ts';
import type { Check } from '../checks/check.ts';
import { IMAGE_BYTES_MAX, IMAGE_ROW_BYTES_MAX, imageInputs } from '../checks/inputs.ts';
import { type BatchOptions, batchOptions } from '../contract/batches.ts';
import { FORM_TYPE, fileOptions, GZIP_TYPES, UPLOAD_TYPES } from '../contract/uploads.ts';
import { ApiError } from '../foundation/errors.ts';
import type { Service } from '../pipeline/service.ts';
import { oursAmong } from '../results/own-columns.ts';
import { isWorkbook } from '../rows/archive.ts';
import { readCsv } from '../rows/csv.ts';
import { type Bytes, decodeUtf16, gunzip, gunzipFile, isGzip, isOle, isZip, nestedGzip, peek } from '../rows/decode.ts';
import type { Names } from '../rows/header.ts';
import { readJson } from '../rows/json.ts';
import { unknownOptions } from '../rows/likely-names.ts';
import { readNdjson } from '../rows/ndjson.ts';
import { ROW_LIMITS, type RowLimits, type RowSource } from '../rows/row.ts';
import { spool } from '../rows/spool.ts';
import { readXlsx } from '../rows/xlsx.ts';
import { readZip } from '../rows/zip.ts';
import type { BatchFormat } from '../schema/batches.ts';
import { consentOf } from './consent.ts';
import { checked, type Http, invalid, mediaType, parseJson } from './http.ts';
import { type Form, readForm } from './multipart.ts';
import { type Arriving, openReceiving } from './receive-upload.ts';

/** By file name extension, which is also the value of the option `format`. */
const NAMES: ReadonlyMap<string, BatchFormat> = new Map(
  Object.entries<BatchFormat>({
    csv: 'csv',
    tsv: 'csv',
    txt: 'csv',
    ndjson: 'ndjson',
    jsonl: 'ndjson',
    json: 'json',
    xlsx: 'xlsx',
    xlsm: 'xlsx',
    zip: 'zip',
  }),
);

/** A sheet's markup is several times its content, and rows of an archive may share an image. Beyond this many times the largest upload it is neither. */
const EXPANSION = 4;
const ARCHIVE_ENTRIES_MAX = 200_000;
/** Enough for the first line of most uploads. */
const PROBE_BYTES = 16_384;

const GZIP_NAME = /\.gz$/;
const JSON_OPTIONS = ['mapping', 'metadata', 'consent'];

/** Options as they were sent, checked later; `format` and `sheet` are among them and are used only in this file. */
type SentOptions = Record<string, unknown>;

/**
 * Reads the body of a request as an upload, passes it to `use`, and always releases it afterwards (`receive-upload.ts` limits how many at a time). Throws
 * `unsupported_media_type`, `payload_too_large`, `overloaded`, `invalid_request` for an option or a header, and `UploadError` for the file. Some of these are
 * thrown while its rows are read, so `use` commits nothing before it has read them all.
 */
export type Uploads = <T>(c: Http, use: (upload: Upload) => Promise<T>) => Promise<T>;

export function openUploads(service: Service): Uploads {
  const { config } = service;
  const limits = { ...ROW_LIMITS, rowsMax: config.CONFAM_UPLOAD_ROWS_MAX };
  const bytesMax = config.CONFAM_UPLOAD_BYTES_MAX;
  const receive = openReceiving(service);
  return async (c, use) => {
    const type = mediaType(c);
    if (!isKnownType(type))
      throw unsupported(`Content-Type must be one of ${[...UPLOAD_TYPES.keys(), ...GZIP_TYPES, FORM_TYPE].join(', ')}${adviceFor(type)}`);
    return receive(c, async (arriving) => {
      const upload = await openUpload(await openContent(c, type, arriving, bytesMax), limits, bytesMax);
      try {
        return await use(upload);
      } finally {
        await upload.source.close();
      }
    });
  };
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
async function openContent(c: Http, type: string, { bytes: raw, whole }: Arriving, bytesMax: number): Promise<Content> {
  const encoding = (c.req.header('content-encoding') ?? 'identity').trim().toLowerCase();
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding)) throw unsupported('Content-Encoding must be gzip or identity');
  const isEncoded = encoding !== 'identity';
  const bytes = isEncoded ? gunzip(raw, bytesMax) : raw;
  const asked = optionsOfQuery(c);
  if (type === FORM_TYPE)
    return { ...openForm(await readForm(bytes, c.req.header('content-type')!, unknownField), asked), isEncoded, whole };
  const isGzipType = GZIP_TYPES.includes(type);
  const format = isGzipType ? namedFormat(asked) : UPLOAD_TYPES.get(type)!;
  if (format !== null && format !== 'json') checked(batchOptions, asked);
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
async function openUpload(
  { asked, bytes, format, isGzip: isCompressed, isForm, isEncoded, whole }: Content,
  limits: RowLimits,
  bytesMax: number,
): Promise<Upload> {
  const packed = await peek(bytes, 2);
  const isFile = isCompressed ?? isGzip(packed.head);
  if (isFile && isEncoded) throw nestedGzip();
  const file = isFile ? await gunzipFile(packed.bytes, bytesMax) : packed.bytes;
  const probed: Probed = format === null ? await probe(file) : { format, bytes: file };
  const needsChecks = asked.checks === undefined;
  if (probed.format === 'json') {
    const source = await readJson(await decodeUtf16(probed.bytes), limits, {
      needed: needsChecks ? ['checks'] : [],
      limitsFor: (options) => (takeImages(asked.checks ?? options.get('checks')) ? withImages(limits) : null),
    });
    return closingOnError(source, () => {
      const unknown = unknownOptions(Object.keys(source.options), [...Object.keys(batchOptions.shape), 'rows']);
      if (unknown.length > 0) throw invalid(unknown);
      return { format: 'json', source, options: checked(batchOptions, mergeOptions(source.options, asked)), whole };
    });
  }
  if (isForm && needsChecks) throw checksMissing();
  const options = checked(batchOptions, asked);
  return { ...(await openTable(probed, options, asked, whole, limits, bytesMax)), whole };
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

async function openTable(
  { format, bytes }: Probed,
  options: BatchOptions,
  asked: SentOptions,
  whole: Upload['whole'],
  limits: RowLimits,
  bytesMax: number,
): Promise<Omit<Upload, 'whole'>> {
  const hasImages = takeImages(options.checks);
  if (format === 'ndjson') {
    return { format, source: await readNdjson(await decodeUtf16(bytes), hasImages ? withImages(limits) : limits), options };
  }
  const own = hasImages ? withAdvice(limits) : limits;
  const checks = options.checks.map(findCheck).filter((check) => check !== undefined);
  const names: Names = { isWanted: wantedNames(checks, options.mapping), ours: oursAmong };
  if (format === 'csv') return { format, source: await readCsv(await decodeUtf16(bytes), own, names), options };
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
    return { format: 'zip', source, options };
  }
  const sheet = typeof asked.sheet === 'string' && asked.sheet !== '' ? asked.sheet : null;
  return { format: 'xlsx', source: await readXlsx(file, { sheet, expandedMax }, own, names), options };
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
  const text = await peek(await decodeUtf16(packed.bytes), PROBE_BYTES);
  return {
    format: textFormat(
      text.head
        .toString('utf8')
        .replace(/^\ufeff/, '')
        .trimStart(),
    ),
    bytes: text.bytes,
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

function namedFormat({ format }: SentOptions): BatchFormat | null {
  if (format === undefined || format === '') return null;
  const named = typeof format === 'string' ? NAMES.get(format) : undefined;
  if (named) return named;
  throw wrongOption('format', `must be one of ${[...NAMES.keys()].join(', ')}`, 'enum');
}

/** The batch options by name, and those that tell how to read the file. `map.<input>` comes on top; its inputs depend on the checks. */
const OPTIONS = Object.keys({ ...batchOptions.shape, ...fileOptions.shape });
const MAPPED = 'map.';

const isOption = (name: string): boolean => name.startsWith(MAPPED) || OPTIONS.includes(name);

/** Why a form field other than the file is refused; null: it is an option. */
const unknownField = (name: string): ApiError | null => (isOption(name) ? null : invalid(unknownOptions([name], OPTIONS)));

/** The query holds nothing but options: `options.ts` has refused the rest. */
function optionsOfQuery(c: Http): SentOptions {
  refuseBadEscapes(c);
  const asked = optionsOf(Object.entries(c.req.query()));
  const consent = consentOf(c, asked.consent);
  return consent === undefined ? asked : { ...asked, consent };
}

/** `checks=…`, `map.nin=…`; `mapping` is the same as JSON. If a name repeats, its first value counts. */
function optionsOf(pairs: readonly [name: string, value: string][]): SentOptions {
  const options = new Map<string, unknown>();
  const mapping = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (name.startsWith(MAPPED)) {
      if (!mapping.has(name.slice(MAPPED.length))) mapping.set(name.slice(MAPPED.length), value);
    } else if (!options.has(name)) options.set(name, JSON_OPTIONS.includes(name) ? parseJson(name, value) : value);
  }
  const whole = options.get('mapping') ?? {};
  // Anything but an object stays as it is, to be refused with the other options.
  if (mapping.size > 0 && typeof whole === 'object') options.set('mapping', { ...whole, ...Object.fromEntries(mapping) });
  return Object.fromEntries(options);
}

/** The query wins. */
const mergeOptions = (inBody: SentOptions, inQuery: SentOptions): SentOptions => ({ ...inBody, ...inQuery });

/** A value that is not percent-encoded UTF-8 would be stored with its escapes, so it is refused. */
function refuseBadEscapes(c: Http): void {
  for (const parameter of new URL(c.req.url).search.slice(1).split('&')) {
    const name = parameter.split('=', 1)[0]!;
    if (!isOption(name)) continue;
    try {
      decodeURIComponent(parameter);
    } catch {
      throw wrongOption(name, 'is not percent-encoded UTF-8', 'bad_escape');
    }
  }
}

const unsupported = (message: string): ApiError => new ApiError('unsupported_media_type', message);

const wrongOption = (path: string, message: string, rule: string): ApiError =>
  new ApiError('invalid_request', `${path} ${message}`, { details: [{ path, message, rule }] });

const checksMissing = (): ApiError =>
  wrongOption('checks', 'must come before the file: put it in the query, or in a field before the file', 'option_after_file');
