/**
 * One breach in one file: sorted hashes of addresses, a directory that gives the position of hashes by their first bits, and a filter. Directory and
 * filter are held in memory; a look-up that passes the filter reads one run of about 512 hashes. The file contains no address, and without the key
 * nobody can test whether an address is in it.
 *
 * Layout, little endian (as is every machine that Node's binaries support): magic, length of the header, header (JSON), padding to 4,096 bytes;
 * hashes, 8 bytes each; directory, 4 bytes a run plus 4; filter.
 */
import { createHmac } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { domainToASCII } from 'node:url';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import type { Breach } from '../email.ts';
import { BLOCK_BYTES, mayContain } from './filter.ts';

export const HASH_BYTES = 8;
const MAGIC = Buffer.from('CONFAMB1');
export const HEADER_BYTES = 4096;

const headerSchema = z.object({
  name: z.string().min(1),
  date: z.iso.date().nullable(),
  hasPasswords: z.boolean(),
  addresses: z.int().min(1),
  importedAt: z.iso.datetime(),
  /** Identifies the key that the hashes were made with. */
  keyCheck: z.string(),
  /** The number of runs is 2 to this power; the first bits of a hash select its run. */
  directoryBits: z.int().min(1).max(24),
  filterBytes: z.int().min(BLOCK_BYTES).multipleOf(BLOCK_BYTES),
  /** CRC-32 of directory and filter. */
  checksum: z.int(),
});

export type BreachHeader = z.infer<typeof headerSchema>;

export const BREACH_NAME = /^[A-Za-z0-9][A-Za-z0-9 ._#&+()-]{0,63}$/;
export const FILE_ENDING = '.breach';
export const fileNameOf = (name: string): string => `${encodeURIComponent(name)}${FILE_ENDING}`;
export const OTHER_KEY = 'it was made with another key (CONFAM_INDEX_KEY)';

/** Why a file cannot be read. The message gives only the reason, without the file's name. */
export class BreachFileError extends Error {}

export interface BreachFile {
  breach: Breach;
  /** False without reading the file if the filter excludes the hash. */
  has(hash: Buffer): Promise<boolean> | false;
  /** Closes the file once no look-up reads it. */
  close(): Promise<void>;
}

/** The form in which addresses are compared: spellings of one address become equal. Null if the domain is not valid. */
export function canonicalAddress(local: string, domain: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII needs no conversion, which is most of the time of an import.
  const ascii = /^[\u0000-\u007f]*$/.test(domain) ? domain.toLowerCase() : domainToASCII(domain);
  return ascii === '' ? null : `${local.normalize('NFC').toLowerCase()}@${ascii}`;
}

/** HMAC-SHA256, of which the first 8 bytes count: with 100 million addresses, one look-up in 10^11 is a false match. */
export const hashAddress = (key: Buffer, canonical: string): Buffer => createHmac('sha256', key).update(canonical).digest();

export const keyCheckOf = (key: Buffer): string => createHmac('sha256', key).update('key check').digest('hex').slice(0, 16);

export const encodeHeader = (header: BreachHeader): Buffer => {
  const json = Buffer.from(JSON.stringify(header));
  const bytes = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(bytes);
  bytes.writeUInt32LE(json.length, MAGIC.length);
  if (json.copy(bytes, MAGIC.length + 4) < json.length) throw new Error('the header exceeds its space');
  return bytes;
};

export const directoryBytes = (bits: number): number => (2 ** bits + 1) * 4;
export const runOf = (high: number, bits: number): number => high >>> (32 - bits);

/** Throws `BreachFileError` if the file is not a breach file or is incomplete. */
export async function readHeaderAt(path: string): Promise<BreachHeader> {
  const file = await open(path, 'r');
  try {
    return await readHeader(file);
  } finally {
    await file.close();
  }
}

async function readHeader(file: FileHandle): Promise<BreachHeader> {
  const bytes = Buffer.alloc(HEADER_BYTES);
  await file.read(bytes, 0, HEADER_BYTES, 0);
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new BreachFileError('it is not a breach file, or another release wrote it');
  const from = MAGIC.length + 4;
  const header = parseHeader(bytes.subarray(from, from + bytes.readUInt32LE(MAGIC.length)).toString('utf8'));
  if (!header) throw new BreachFileError('its header is damaged');
  const size = HEADER_BYTES + header.addresses * HASH_BYTES + directoryBytes(header.directoryBits) + header.filterBytes;
  if ((await file.stat()).size !== size) throw new BreachFileError('it is incomplete');
  return header;
}

function parseHeader(json: string): BreachHeader | null {
  try {
    return headerSchema.parse(JSON.parse(json));
  } catch {
    return null;
  }
}

/** Throws `BreachFileError`, also for a file made with another key. */
export async function openBreachFile(path: string, key: Buffer): Promise<BreachFile> {
  const file = await open(path, 'r');
  try {
    const header = await readHeader(file);
    if (header.keyCheck !== keyCheckOf(key)) throw new BreachFileError(OTHER_KEY);
    const at = HEADER_BYTES + header.addresses * HASH_BYTES;
    const tables = new Uint32Array((directoryBytes(header.directoryBits) + header.filterBytes) / 4);
    await readAll(file, tables, at);
    if (crc32(new Uint8Array(tables.buffer)) !== header.checksum) throw new BreachFileError('its directory or filter is damaged');
    const directoryWords = directoryBytes(header.directoryBits) / 4;
    return opened(file, header, tables.subarray(0, directoryWords), tables.subarray(directoryWords));
  } catch (error) {
    await file.close();
    throw error;
  }
}

function opened(file: FileHandle, header: BreachHeader, directory: Uint32Array, filter: Uint32Array): BreachFile {
  let reading = 0;
  let idle: (() => void) | null = null;

  async function readRun(run: number, high: number, low: number): Promise<boolean> {
    const from = directory[run]!;
    const hashes = new Uint32Array((directory[run + 1]! - from) * 2);
    if (hashes.length === 0) return false;
    reading++;
    try {
      await readAll(file, hashes, HEADER_BYTES + from * HASH_BYTES);
      return includes(hashes, high, low);
    } finally {
      if (--reading === 0) idle?.();
    }
  }

  return {
    breach: { name: header.name, date: header.date, hasPasswords: header.hasPasswords },
    has(hash) {
      const low = hash.readUInt32LE(0);
      const high = hash.readUInt32LE(4);
      return mayContain(filter, high, low) && readRun(runOf(high, header.directoryBits), high, low);
    },
    async close() {
      if (reading > 0)
        await new Promise<void>((resolve) => {
          idle = resolve;
        });
      await file.close();
    },
  };
}

/** Binary search over pairs of low and high half, sorted by high, then low. */
function includes(hashes: Uint32Array, high: number, low: number): boolean {
  let from = 0;
  let to = hashes.length / 2;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const order = hashes[2 * middle + 1]! - high || hashes[2 * middle]! - low;
    if (order === 0) return true;
    if (order < 0) from = middle + 1;
    else to = middle;
  }
  return false;
}

/** Fills `target` in steps, because one call reads at most 2 GiB. Throws `BreachFileError` if the file ends early. */
export async function readAll(file: FileHandle, target: Uint32Array | BigUint64Array, position: number): Promise<void> {
  const bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, at, Math.min(bytes.length - at, READ_BYTES_MAX), position + at);
    if (bytesRead === 0) throw new BreachFileError('it ends too early');
    at += bytesRead;
  }
}

const READ_BYTES_MAX = 1024 ** 3;
