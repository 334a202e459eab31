/** Files that are sent: their types by name, and an upload with progress that never holds the file in memory. */
import type { BatchDetail, Preview } from '../../client/client.ts';
import { Refused, Unreachable } from '../../client/errors.ts';
import type { Query } from '../../client/transport.ts';
import { client, isFromBetween, noteStatus } from '../state.ts';

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  txt: 'text/csv',
  tsv: 'text/tab-separated-values',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  json: 'application/json',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xlsm: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  zip: 'application/zip',
};
/** Their directory is at their end. */
const PACKED: ReadonlySet<string> = new Set(['xlsx', 'xlsm', 'zip']);

export const ACCEPTED = Object.keys(TYPES)
  .map((ending) => `.${ending}`)
  .join(',');

/** What the service reads for a preview of a text. */
const SAMPLE_BYTES = 256 * 1024;

const endingOf = ({ name }: File): string => /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

/** Why a file cannot be read at all; null: it may be. */
export function refusalOf(file: File): string | null {
  const ending = endingOf(file);
  if (file.size === 0) return 'The file is empty.';
  if (ending === 'xls' || ending === 'ods' || ending === 'numbers')
    return `Save the spreadsheet as XLSX or CSV: a .${ending} file cannot be read.`;
  if (!(ending in TYPES))
    return `${ending ? `A .${ending} file` : 'This file'} cannot be read. Choose CSV, Excel (XLSX), NDJSON, JSON, or a ZIP archive.`;
  return null;
}

const wholeOf = (file: File) => ({ type: TYPES[endingOf(file)]!, bytes: file as Blob });

export const sampleOf = (file: File) =>
  PACKED.has(endingOf(file)) ? wholeOf(file) : { type: TYPES[endingOf(file)]!, bytes: file.slice(0, SAMPLE_BYTES) };

/** Reading a larger file a second time, to look into the cache for every row, takes longer than it is worth. */
const WHOLE_BYTES_MAX = 20_000_000;
const PIECES = 10;
const PIECE_BYTES = 400_000;
const HEAD_BYTES = 64 * 1024;
const LINE_END = 10;

/** Formats in which each line is a row, as long as no cell holds a line break. */
const LINES: ReadonlySet<string> = new Set(['csv', 'txt', 'tsv', 'ndjson', 'jsonl']);

/**
 * What a quote is asked for: the whole file, or of a large one its header and lines from ten places. A piece that begins or ends within a cell costs a row or
 * two of the sample. Null: a file of this kind is too large and cannot be cut.
 */
export async function quotedOf(file: File, { dialect }: Preview): Promise<{ type: string; bytes: Blob; isSample: boolean } | null> {
  if (file.size <= WHOLE_BYTES_MAX) return { ...wholeOf(file), isSample: false };
  const isBytewise = dialect.encoding === null || dialect.encoding === 'utf-8' || dialect.encoding === 'windows-1252';
  if (!LINES.has(endingOf(file)) || !isBytewise || dialect.line_end === '\r') return null;
  const head = await read(file, 0, HEAD_BYTES);
  let headerEnd = 0;
  for (let line = 0; line < (dialect.header_row ?? 0); line++) headerEnd = head.indexOf(LINE_END, headerEnd) + 1;
  const pieces = await Promise.all(
    Array.from({ length: PIECES }, async (_, at) => {
      const start = at === 0 ? headerEnd : Math.floor((file.size / PIECES) * at);
      const piece = await read(file, start, PIECE_BYTES);
      return piece.slice(at === 0 ? 0 : piece.indexOf(LINE_END) + 1, piece.lastIndexOf(LINE_END) + 1);
    }),
  );
  return { type: wholeOf(file).type, bytes: new Blob([head.slice(0, headerEnd), ...pieces]), isSample: true };
}

const read = async (file: File, start: number, bytes: number): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await file.slice(start, start + bytes).arrayBuffer());

/** The file has changed since it was chosen: the browser refuses to read on. */
export class FileChanged extends Error {}

export interface Sending {
  batch: Promise<BatchDetail>;
  stop(): void;
}

/** `key`: of one intention to send, so that a repetition after a lost connection never makes a second batch. */
export function sendBatch(file: File, query: Query, key: string, onProgress: (share: number) => void): Sending {
  const request = new XMLHttpRequest();
  const batch = new Promise<BatchDetail>((resolve, reject) => {
    const { url, headers } = client.transport.addressed('api/v1/batches', query);
    request.open('POST', url);
    for (const [name, value] of Object.entries({ ...headers, 'Content-Type': wholeOf(file).type, 'Idempotency-Key': key }))
      request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    request.onload = () => {
      if (isFromBetween(request.status, request.getResponseHeader('content-type'))) return reject(new Unreachable('a proxy answered'));
      const body = parsed(request.responseText);
      noteStatus(request.status);
      if (request.status === 202 && body.entity) resolve(body.entity as BatchDetail);
      else reject(new Refused(request.status, body, request.getResponseHeader('retry-after')));
    };
    request.onerror = () => {
      file
        .slice(0, 1)
        .arrayBuffer()
        .then(
          () => reject(new Unreachable('the connection was lost')),
          () => reject(new FileChanged()),
        );
    };
    request.onabort = () => reject(new DOMException('stopped', 'AbortError'));
    request.send(file);
  });
  return { batch, stop: () => request.abort() };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
