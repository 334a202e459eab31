/** What an upload may come from, as the body of a request: files, bytes, text, streams and rows; and the options of an upload as a query. */
import type { z } from 'zod';
import type { batchOptions } from '../contract/batches.ts';
import type { fileOptions } from '../contract/uploads.ts';
import { pause } from './attempts.ts';
import type { FileBytes, Query } from './transport.ts';

/** One row, by the names of its inputs or of your own columns. */
export type Row = Readonly<Record<string, unknown>>;

type Stream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * A file, its bytes, its text (not its path), a stream of its bytes, or rows. A stream can be read only once, so its upload is not repeated after a failure;
 * with a function that opens the stream (`() => createReadStream(path)`) it can be.
 */
export type UploadSource = Blob | Uint8Array | string | Stream | (() => Stream) | { rows: Iterable<Row> | AsyncIterable<Row> };

type Contract = Omit<z.input<typeof batchOptions>, 'metadata'> & z.input<typeof fileOptions>;

export interface FileOptions extends Partial<Contract> {
  metadata?: Record<string, unknown>;
  /** The file's name, which gives its type: `people.xlsx`. Default: that of a `File`. Without a name the file is read as CSV. */
  name?: string;
  signal?: AbortSignal;
}

export interface UploadOptions extends FileOptions {
  checks: Contract['checks'];
  /** For an upload that a later process may repeat: the same file with the same key is submitted once in 24 hours. Default: a new one. */
  idempotencyKey?: string;
}

/** `failure`: what the source itself threw while it was read. */
export interface UploadFile {
  type: string;
  bytes: FileBytes;
  failure(): unknown;
}

/** By the ending of a file's name. */
export const fileTypes: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  txt: 'text/csv',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  json: 'application/json',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xlsm: 'application/vnd.ms-excel.sheet.macroEnabled.12',
  zip: 'application/zip',
  gz: 'application/gzip',
};

/** Types for which the first part is enough for a preview. */
export const isText = (type: string): boolean => /^text\/|json/.test(type);

/** What a preview reads of a text. */
export const PREVIEW_BYTES = 256 * 1024;

/** Rows are sent in pieces of about this many characters. */
const PIECE_CHARACTERS = 64 * 1024;

export function fileOf(source: UploadSource, { name }: FileOptions): UploadFile {
  let failure: unknown;
  const streamOf = (chunks: Stream) => (chunks instanceof ReadableStream ? chunks : streamFrom(chunks, (error) => (failure = error)));
  const file = (type: string, bytes: FileBytes): UploadFile => ({ type, bytes, failure: () => failure });
  if (typeof source === 'object' && 'rows' in source) {
    const { rows } = source;
    const type = fileTypes.ndjson!;
    return Array.isArray(rows) ? file(type, new Blob(rows.map(lineOf), { type })) : file(type, streamOf(encodeRows(rows)));
  }
  const own = source instanceof Blob ? source : null;
  const ending = /\.(\w+)$/.exec(name ?? (own as { name?: string } | null)?.name ?? '')?.[1]?.toLowerCase() ?? '';
  const type = fileTypes[ending] ?? (own?.type || fileTypes.csv!);
  if (own) return file(type, own);
  if (typeof source === 'function')
    return file(type, () => {
      failure = undefined;
      try {
        return streamOf(source());
      } catch (error) {
        failure = error;
        throw error;
      }
    });
  // A copy, since the upload may be repeated after the caller has reused the bytes.
  if (typeof source === 'string' || source instanceof Uint8Array) return file(type, new Blob([source as string]));
  return file(type, streamOf(source as Stream));
}

/** The part of a file that its preview reads. A stream is closed afterwards. */
export async function beginningOf({ type, bytes, failure }: UploadFile): Promise<{ type: string; bytes: Blob }> {
  const max = isText(type) ? PREVIEW_BYTES : Number.POSITIVE_INFINITY;
  if (bytes instanceof Blob) return { type, bytes: bytes.size > max ? bytes.slice(0, max) : bytes };
  const reader = (typeof bytes === 'function' ? bytes() : bytes).getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  while (size < max) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw failure() ?? error;
    });
    if (done) break;
    pieces.push(value);
    size += value.byteLength;
  }
  await reader.cancel();
  return { type, bytes: new Blob(pieces as Uint8Array<ArrayBuffer>[]).slice(0, max) };
}

export function queryOf({ name: _name, signal: _signal, mapping, metadata, consent, ...rest }: FileOptions): Query {
  const asJson = (value: unknown) => (value === undefined ? undefined : JSON.stringify(value));
  const { idempotencyKey: _key, ...options } = rest as typeof rest & Partial<UploadOptions>;
  return { ...(options as Query), mapping: asJson(mapping), metadata: asJson(metadata), consent: asJson(consent) };
}

const lineOf = (row: Row): string => `${JSON.stringify(row)}\n`;

async function* encodeRows(rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = '';
  for await (const row of rows) {
    text += lineOf(row);
    if (text.length < PIECE_CHARACTERS) continue;
    yield encoder.encode(text);
    text = '';
    // Lets a refusal be read: a list of rows never waits, and the service hangs up on a body that still arrives half a second after it was refused.
    await pause(0);
  }
  if (text !== '') yield encoder.encode(text);
}

/** `ReadableStream.from` is missing in Chromium. */
function streamFrom(chunks: AsyncIterable<Uint8Array>, onFailure: (error: unknown) => void): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        onFailure(error);
        controller.error(error);
      }
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
