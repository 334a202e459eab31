/** Sends a batch's files: its results, or its rows to correct; compressed if the client accepts that. */
import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { BatchRow } from '../contract/batches.ts';
import type { ResultFormat } from '../contract/results.ts';
import { ApiError } from '../foundation/errors.ts';
import { showId } from '../foundation/ids.ts';
import { errorFormat, streamErrors } from '../results/errors.ts';
import type { LinkedFile } from '../results/links.ts';
import { nextSince, streamResults } from '../results/results.ts';
import { XLSX_ROWS_MAX } from '../results/xlsx.ts';
import type { Http } from './http.ts';
import type { Tools } from './tools.ts';

const MEDIA: Record<ResultFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** Media types of the files, as they are documented. */
export const FILES = Object.values(MEDIA).map((type) => type.split(';')[0]!);

interface Sending {
  /** Only what came after; null: the whole file. */
  since: string | null;
  /** Whether CSV begins with a byte-order mark. */
  hasMark: boolean;
}

export async function sendResults(
  c: Http,
  { service, sendFile }: Pick<Tools, 'service' | 'sendFile'>,
  batch: BatchRow,
  { kind, format, outcomes }: LinkedFile,
  { since, hasMark }: Sending,
): Promise<Response> {
  const send = (content: Content, name: string, type: ResultFormat, more: Record<string, string> = {}) => {
    const file = fileOf(c, content, name, type);
    return sendFile(c, batch.appId, file.bytes, { ...file.headers, ...more });
  };
  if (kind === 'errors' && batch.invalidGoneAt !== null) {
    throw new ApiError('resource_not_found', 'The rows to correct were deleted when their retention period ended');
  }
  const asked = kind === 'errors' ? errorFormat(batch, format) : (format ?? 'csv');
  if (asked === 'xlsx' && (kind === 'errors' ? batch.invalid : batch.rows) >= XLSX_ROWS_MAX) {
    throw new ApiError('invalid_request', `A sheet holds at most ${XLSX_ROWS_MAX} rows; ask for format=csv`, {
      details: [{ path: 'format', message: 'cannot hold so many rows', rule: 'too_many_rows' }],
    });
  }
  if (kind === 'errors') return send(streamErrors(service, batch, { format: asked, hasMark }), `${nameOf(batch)}-errors`, asked);
  // Read before the first row, so that nothing falls between two downloads.
  const next = { 'Next-Since': await nextSince(service) };
  return send(streamResults(service, batch, { format: asked, hasMark }, { outcomes, since }), nameOf(batch), asked, next);
}

const NAME_CHARACTERS_MAX = 60;

/** The batch's reference, in characters that are safe in every file system and header, then its id. */
function nameOf({ id, reference }: Pick<BatchRow, 'id' | 'reference'>): string {
  const words = (reference ?? '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .slice(0, NAME_CHARACTERS_MAX)
    .split(/[^A-Za-z0-9._]+/)
    .filter((word) => /\w/.test(word))
    .join('-')
    .replace(/^\.+/, '');
  return words === '' ? showId('bat', id) : `${words}-${showId('bat', id)}`;
}

type Content = AsyncGenerator<string | Uint8Array>;

/** A file to be saved as `name`, compressed if the client accepts that (a workbook is already compressed). */
function fileOf(c: Http, content: Content, name: string, format: ResultFormat) {
  const zips = format !== 'xlsx' && acceptsGzip(c.req.header('accept-encoding') ?? '');
  const headers = {
    'Content-Type': MEDIA[format],
    'Content-Disposition': `attachment; filename="${name}.${format}"`,
    Vary: 'Accept-Encoding',
    // Written anew for each request, so a part of one file is no part of the next (RFC 9110, 14.3).
    'Accept-Ranges': 'none',
    ...(zips && { 'Content-Encoding': 'gzip' }),
  };
  return { headers, bytes: zips ? gzip(content) : bytesOf(content) };
}

async function* bytesOf(content: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of content) yield typeof part === 'string' ? Buffer.from(part) : part;
}

/** Half of zlib's usual memory: 128 KiB (zconf.h) and short queues. A client that does not read ties that much up. */
const GZIP = { level: constants.Z_BEST_SPEED, windowBits: 14, memLevel: 7, chunkSize: 16_384, highWaterMark: 16_384 };

async function* gzip(content: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  const zip = createGzip(GZIP);
  // An error on either side reaches the reader at the other end.
  pipeline(Readable.from(bytesOf(content), { objectMode: false, highWaterMark: GZIP.highWaterMark }), zip, () => {});
  yield* zip;
}

/** RFC 9110, 12.5.3: `gzip` or `*` with a weight above 0. */
function acceptsGzip(header: string): boolean {
  const weights = new Map(
    header.split(',').map((part) => {
      const [coding = '', weight] = part.split(';').map((text) => text.trim().toLowerCase());
      return [coding, weight?.startsWith('q=') ? Number(weight.slice(2)) : 1];
    }),
  );
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}
