/**
 * Reads the addresses from a breach file of any size: text or CSV, also gzipped or in UTF-16. Each line gives the first cell that is an address. The
 * files are dumps with unclosed quotes and passwords of any characters, so lines are not parsed as strict CSV.
 */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { type Bytes, decodeUtf16, gunzip, isGzip, isZip, peek } from '../../../rows/decode.ts';
import { UploadError } from '../../../rows/row.ts';
import { BreachFileError, canonicalAddress } from './breach-file.ts';

const READ_BYTES = 256 * 1024;
/** A longer line comes from a dump of something else and is skipped. */
const LINE_BYTES_MAX = 64 * 1024;
const LINE_FEED = 0x0a;

/** A whole cell: between commas, semicolons, colons, bars or tabs, quoted or not. The file's first cell may have a byte-order mark. */
const CELL =
  /(?:^|[,;:|\t])[ "'<\ufeff]*([^\s"'(),:;<>@[\\\]|]{1,64})@((?:[a-z0-9\u0080-\uffff](?:[a-z0-9\u0080-\uffff-]{0,61}[a-z0-9\u0080-\uffff])?\.){1,8}[a-z\u0080-\uffff][a-z0-9\u0080-\uffff-]{0,61}[a-z0-9\u0080-\uffff])[ "'>]*(?=[,;:|\t\r]|$)/i;

export interface AddressLines {
  lines: number;
  /** Lines without an address. */
  skipped: number;
}

/** Calls `take` with the canonical form of each address. Throws `BreachFileError`, or the error of reading the file. */
export async function readAddresses(path: string, counts: AddressLines, take: (canonical: string) => void): Promise<void> {
  try {
    await readText(await plainText(path), counts, take);
  } catch (error) {
    throw error instanceof UploadError ? new BreachFileError(`${basename(path)} ${TROUBLES[error.rule] ?? 'is not text'}`) : error;
  }
}

const TROUBLES: Record<string, string> = {
  bad_gzip: 'is not a complete gzip file',
  expands_too_far: 'expands to far too large a size',
};

async function readText(bytes: Bytes, counts: AddressLines, take: (canonical: string) => void): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  let isTooLong = false;
  for await (const chunk of bytes) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      const text = Buffer.concat([rest, chunk.subarray(0, end)]);
      readLines(isTooLong ? text.subarray(text.indexOf(LINE_FEED) + 1) : text, counts, take);
      isTooLong = false;
      rest = Buffer.from(chunk.subarray(end));
    } else {
      rest = Buffer.concat([rest, chunk]);
    }
    if (rest.length > LINE_BYTES_MAX) {
      if (!isTooLong) {
        counts.lines++;
        counts.skipped++;
      }
      isTooLong = true;
      rest = Buffer.alloc(0);
    }
  }
  if (!isTooLong) readLines(rest, counts, take);
}

async function plainText(path: string): Promise<Bytes> {
  const { head, bytes } = await peek(createReadStream(path, { highWaterMark: READ_BYTES }), 4);
  if (isZip(head)) throw new BreachFileError(`${basename(path)} is a zip archive: unpack it first`);
  return decodeUtf16(isGzip(head) ? gunzip(bytes, Number.POSITIVE_INFINITY) : bytes);
}

function readLines(text: Buffer, counts: AddressLines, take: (canonical: string) => void): void {
  const lines = text.toString('utf8').split('\n');
  for (const line of lines) {
    if (line === '' || line === '\r') continue;
    counts.lines++;
    const cell = line.length <= LINE_BYTES_MAX && line.includes('@') ? CELL.exec(line) : null;
    const canonical = cell && canonicalAddress(cell[1]!, cell[2]!);
    if (canonical) take(canonical);
    else counts.skipped++;
  }
}
