/**
 * How an upload is read, whatever it comes as: CSV, NDJSON, JSON, XLSX, an archive with images, raw or as a form, compressed or not. Everything streams and pushes
 * back; whoever uses the rows decides how fast they come.
 */

import type { Upload } from '../batches/submit.ts';
import { findCheck } from '../checks/catalog.ts';
import type { Check } from '../checks/check.ts';
import { IMAGE_BYTES_MAX, IMAGE_ROW_BYTES_MAX, imageInputs } from '../checks/inputs.ts';
import { type BatchOptions, batchOptions } from '../contract.ts';
import { ApiError } from '../errors.ts';
import { isWorkbook } from '../rows/archive.ts';
import { readCsv } from '../rows/csv.ts';
import { type Bytes, decodeUtf16, gunzip, isGzip, isOle, isZip, peek } from '../rows/decode.ts';
import { readJson } from '../rows/json.ts';
import { readNdjson } from '../rows/ndjson.ts';
import { ROW_LIMITS, type RowLimits, type RowSource } from '../rows/row.ts';
import { spool } from '../rows/spool.ts';
import { readXlsx } from '../rows/xlsx.ts';
import { readZip } from '../rows/zip.ts';
import type { BatchFormat } from '../schema/batches.ts';
import type { Service } from '../service.ts';
import { verifyDigest } from './digest.ts';
import { bodyChunks, checked, type Http, mediaType, parseJson } from './http.ts';
import { type Form, readForm } from './multipart.ts';

/** By media type. Browsers call a CSV file `text/plain` or `application/vnd.ms-excel`, so a part of a form goes by its name first. */
const MEDIA_TYPES: ReadonlyMap<string, BatchFormat> = new Map(
  Object.entries<BatchFormat>({
    'text/csv': 'csv',
    'application/csv': 'csv',
    'text/tab-separated-values': 'csv',
    'application/x-ndjson': 'ndjson',
    'application/ndjson': 'ndjson',
    'application/jsonl': 'ndjson',
    'application/json': 'json',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
    'application/vnd.ms-excel.sheet.macroenabled.12': 'xlsx',
    'application/zip': 'zip',
    'application/x-zip-compressed': 'zip',
  }),
);
const GZIP_TYPES = ['application/gzip', 'application/x-gzip'];
const FORM_TYPE = 'multipart/form-data';

/** By the end of a file's name, and by the option `format`. */
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

/** The markup of a sheet is several times its content, and rows of an archive may share an image; beyond this many times the largest upload it is neither. */
const EXPANSION = 4;
const ARCHIVE_ENTRIES_MAX = 200_000;
/** Enough to see the first line of most uploads. */
const PROBE_BYTES = 16_384;

const GZIP_NAME = /\.gz$/;
const JSON_OPTIONS = ['metadata', 'consent'];

/** Options as they were sent, checked later; `format` and `sheet` are among them, and are for this file only. */
type Asked = Record<string, unknown>;

/**
 * Reads the body of a request as an upload, hands it to `use`, and lets go of it whatever happens; so many at a time, further ones wait and
 * their clients with them. Throws `unsupported_media_type`, `payload_too_large`, `invalid_request` for an option or a header, `UploadError`
 * for the file: partly when it is opened, partly out of its rows, so `use` commits nothing before it has read them all.
 */
export type Uploads = <T>(c: Http, use: (upload: Upload) => Promise<T>) => Promise<T>;

export function openUploads({ config }: Service): Uploads {
  const limits = { ...ROW_LIMITS, rowsMax: config.CONFAM_UPLOAD_ROWS_MAX };
  const bytesMax = config.CONFAM_UPLOAD_BYTES_MAX;
  const inTurn = takeTurns(config.CONFAM_UPLOADS_MAX);
  return (c, use) => {
    const type = mediaType(c);
    if (!isKnownType(type))
      throw unsupported(`Content-Type must be one of ${[...MEDIA_TYPES.keys(), ...GZIP_TYPES, FORM_TYPE].join(', ')}`);
    return inTurn(async () => {
      const body = bodyChunks(c, bytesMax);
      try {
        const content = await openContent(c, type, body, bytesMax);
        const upload = await openUpload(content, limits, bytesMax);
        try {
          return await use(upload);
        } finally {
          await upload.source.close();
        }
      } finally {
        // Not awaited: it may stand in the middle of a read. What is left of the body is thrown away behind it.
        body.return(undefined).catch(() => {});
      }
    });
  };
}

const isKnownType = (type: string): boolean => MEDIA_TYPES.has(type) || GZIP_TYPES.includes(type) || type === FORM_TYPE;

/** A file and what is to be done with it; `bytes` are still as they are in the file. */
interface Content {
  asked: Asked;
  bytes: Bytes;
  /** Null: to be seen from the file itself. */
  format: BatchFormat | null;
  /** Null: to be seen from the file itself. */
  isGzip: boolean | null;
  isForm: boolean;
}

/** The file out of the body. Options are checked before a byte of the body is read where they must all be known by then. */
async function openContent(c: Http, type: string, body: Bytes, bytesMax: number): Promise<Content> {
  const raw = verifyDigest(c.req.header('content-digest'), body);
  const encoding = (c.req.header('content-encoding') ?? 'identity').trim().toLowerCase();
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding)) throw unsupported('Content-Encoding must be gzip or identity');
  const bytes = encoding === 'identity' ? raw : gunzip(raw, bytesMax);
  const asked = optionsOfQuery(c);
  if (type === FORM_TYPE) return openForm(await readForm(bytes, c.req.header('content-type')!, isOption), asked);
  const isGzipType = GZIP_TYPES.includes(type);
  const format = isGzipType ? namedFormat(asked) : MEDIA_TYPES.get(type)!;
  if (format !== null && format !== 'json') checked(batchOptions, asked);
  return { asked, bytes, format, isGzip: isGzipType, isForm: false };
}

function openForm({ fields, fileName, fileType, file }: Form, query: Asked): Content {
  const asked = mergeOptions(optionsOf(fields), query);
  const name = fileName.toLowerCase().replace(GZIP_NAME, '');
  const byName = NAMES.get(/\.([a-z]+)$/.exec(name)?.[1] ?? '');
  const format = namedFormat(asked) ?? byName ?? MEDIA_TYPES.get(fileType.toLowerCase()) ?? null;
  return { asked, bytes: file, format, isGzip: null, isForm: true };
}

/** Opens the file by its format. */
async function openUpload(
  { asked, bytes, format, isGzip: isCompressed, isForm }: Content,
  limits: RowLimits,
  bytesMax: number,
): Promise<Upload> {
  const packed = await peek(bytes, 2);
  const file = (isCompressed ?? isGzip(packed.head)) ? gunzip(packed.bytes, bytesMax) : packed.bytes;
  const probed: Probed = format === null ? await probe(file) : { format, bytes: file };
  const needsChecks = asked.checks === undefined;
  if (probed.format === 'json') {
    const source = await readJson(await decodeUtf16(probed.bytes), limits, {
      needed: needsChecks ? ['checks'] : [],
      limitsFor: (options) => (takeImages(asked.checks ?? options.get('checks')) ? withImages(limits) : null),
    });
    return closingOnError(source, () => ({ format: 'json', source, options: checked(batchOptions, mergeOptions(source.options, asked)) }));
  }
  if (isForm && needsChecks) throw checksMissing();
  const options = checked(batchOptions, asked);
  return openTable(probed, options, asked, limits, bytesMax);
}

/** Whether one of the checks does; `checks` as they are asked for, right or wrong. */
function takeImages(checks: unknown): boolean {
  const { data: ids = [] } = batchOptions.shape.checks.safeParse(checks);
  return ids.some((id) => takesImages(findCheck(id)));
}

const takesImages = (check: Check | undefined): boolean => check !== undefined && imageInputs(check).length > 0;

/** JSON rows hold their images themselves. */
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
  asked: Asked,
  limits: RowLimits,
  bytesMax: number,
): Promise<Upload> {
  const hasImages = takeImages(options.checks);
  if (format === 'ndjson') {
    return { format, source: await readNdjson(await decodeUtf16(bytes), hasImages ? withImages(limits) : limits), options };
  }
  const own = hasImages ? withAdvice(limits) : limits;
  if (format === 'csv') return { format, source: await readCsv(await decodeUtf16(bytes), own), options };
  const file = await spool(bytes);
  const expandedMax = EXPANSION * bytesMax;
  if (format === 'zip' || (format === 'packed' && !(await isWorkbook(file, ARCHIVE_ENTRIES_MAX)))) {
    const source = await readZip(
      file,
      { entriesMax: ARCHIVE_ENTRIES_MAX, fileBytesMax: IMAGE_BYTES_MAX, manifestBytesMax: bytesMax, expandedMax },
      own,
    );
    return { format: 'zip', source, options };
  }
  const sheet = typeof asked.sheet === 'string' && asked.sheet !== '' ? asked.sheet : null;
  return { format: 'xlsx', source: await readXlsx(file, { sheet, expandedMax }, own), options };
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
  /** `packed`: a workbook or an archive, which only the directory at the end of the file tells apart. */
  format: BatchFormat | 'packed';
  bytes: Bytes;
}

/** What the file looks like: an OLE file is a workbook, lines of JSON objects are NDJSON, another brace opens a document, the rest is CSV. */
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

function namedFormat({ format }: Asked): BatchFormat | null {
  if (format === undefined || format === '') return null;
  const named = typeof format === 'string' ? NAMES.get(format) : undefined;
  if (named) return named;
  throw wrongOption('format', `must be one of ${[...NAMES.keys()].join(', ')}`, 'enum');
}

/** Those of a batch by name, `map.<input>`, and how the file is to be read. */
const isOption = (name: string): boolean =>
  name.startsWith('map.') || name === 'format' || name === 'sheet' || (name !== 'mapping' && Object.hasOwn(batchOptions.shape, name));

function optionsOfQuery(c: Http): Asked {
  refuseBadEscapes(c);
  return optionsOf(Object.entries(c.req.query()).filter(([name]) => isOption(name)));
}

/** `checks=…`, `map.nin=…`. Of several of one name the first counts. */
function optionsOf(pairs: readonly [name: string, value: string][]): Asked {
  const options = new Map<string, unknown>();
  const mapping = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (name.startsWith('map.')) {
      if (!mapping.has(name.slice(4))) mapping.set(name.slice(4), value);
    } else if (!options.has(name)) options.set(name, JSON_OPTIONS.includes(name) ? parseJson(name, value) : value);
  }
  if (mapping.size > 0) options.set('mapping', Object.fromEntries(mapping));
  return Object.fromEntries(options);
}

/** The query wins. */
const mergeOptions = (inBody: Asked, inQuery: Asked): Asked => ({ ...inBody, ...inQuery });

/** What is not percent-encoded UTF-8 would be taken, and stored, escapes and all. */
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
  wrongOption('checks', 'did not come before the file: put it in the query, or in a field in front of the file', 'option_after_file');

/** Runs at most `max` uploads at a time: each holds a transaction. */
function takeTurns(max: number): <T>(upload: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (upload) => {
    if (running < max) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await upload();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
