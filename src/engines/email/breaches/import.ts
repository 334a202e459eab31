/**
 * Turns a breach's files, of any size, into one file of hashes (`breach-file.ts`) in bounded memory. The file gets its final name only when complete,
 * so an aborted import leaves the previous state.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { DAY_MS } from '../../../foundation/time.ts';
import { writeAll } from '../../../rows/spool.ts';
import { type AddressLines, readAddresses } from './addresses.ts';
import {
  BREACH_NAME,
  BreachFileError,
  type BreachHeader,
  directoryBytes,
  encodeHeader,
  fileNameOf,
  HASH_BYTES,
  HEADER_BYTES,
  hashAddress,
  keyCheckOf,
  readAll,
  runOf,
} from './breach-file.ts';
import { addToFilter, filterBytes } from './filter.ts';
import { openParts, PARTS, type Parts } from './parts.ts';

export interface BreachImport {
  /** An existing breach of this name is replaced. */
  name: string;
  /** `YYYY-MM-DD` */
  date: string | null;
  hasPasswords: boolean;
  files: readonly string[];
}

export interface ImportedBreach extends AddressLines {
  header: BreachHeader;
  /** Lines with an address that had already occurred. */
  repeated: number;
}

const PART_ENDING = '.part';
/** Average hashes in a directory run: 4 KiB, one page. */
const RUN_HASHES = 512;
const DIRECTORY_BITS_MAX = 24;
/** Largest number that the directory's 32-bit entries can hold. */
const ADDRESSES_MAX = 2 ** 32 - 1;
/** An unfinished file untouched for this long was left by an import that was killed. */
const ABANDONED_MS = DAY_MS;
const SWEEP_HASHES = 128 * 1024;

/** Throws `BreachFileError` or the error of reading the files; nothing has changed then. */
export async function importBreach(folder: string, key: Buffer, { name, files, ...about }: BreachImport): Promise<ImportedBreach> {
  if (!BREACH_NAME.test(name)) throw new BreachFileError('the name of a breach has 1 to 64 letters, digits, spaces and ._#&+()-');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeAbandoned(folder);
  const counts: AddressLines = { lines: 0, skipped: 0 };
  const parts = await openParts(folder);
  try {
    for (const path of files) await readAddresses(path, counts, (canonical) => parts.add(hashAddress(key, canonical)));
    const hashes = parts.count();
    if (hashes === 0) throw new BreachFileError('it contains no address');
    if (hashes > ADDRESSES_MAX) throw new BreachFileError(`it has more than ${ADDRESSES_MAX} addresses`);
    const fields = { name, ...about, importedAt: new Date().toISOString(), keyCheck: keyCheckOf(key) };
    const header = await putInPlace(join(folder, fileNameOf(name)), (file) => writeBreach(file, fields, parts));
    return { ...counts, header, repeated: hashes - header.addresses };
  } finally {
    await parts.close();
  }
}

async function putInPlace<T>(target: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const unfinished = `${target}.${randomBytes(6).toString('hex')}${PART_ENDING}`;
  const file = await open(unfinished, 'wx+', 0o600);
  try {
    const result = await write(file);
    await file.sync();
    await rename(unfinished, target);
    return result;
  } finally {
    await file.close();
    await rm(unfinished, { force: true });
  }
}

type Fields = Pick<BreachHeader, 'name' | 'date' | 'hasPasswords' | 'importedAt' | 'keyCheck'>;

async function writeBreach(file: FileHandle, fields: Fields, parts: Parts): Promise<BreachHeader> {
  const directoryBits = Math.min(DIRECTORY_BITS_MAX, Math.max(1, Math.ceil(Math.log2(parts.count() / RUN_HASHES))));
  const directory = new Uint32Array(directoryBytes(directoryBits) / 4);
  // Reserves the header's space, which is filled in at the end.
  await writeAll(file, Buffer.alloc(HEADER_BYTES));
  let addresses = 0;
  for (let part = 0; part < PARTS; part++) {
    const hashes = await parts.sorted(part);
    const bytes = new Uint8Array(hashes.buffer, 0, hashes.byteLength);
    countRuns(directory, directoryBits, new Uint32Array(hashes.buffer, 0, hashes.length * 2));
    await writeAll(file, bytes);
    addresses += hashes.length;
  }
  for (let run = 1; run < directory.length; run++) directory[run]! += directory[run - 1]!;
  const filter = new Uint32Array(filterBytes(addresses) / 4);
  for (let at = 0; at < addresses; at += SWEEP_HASHES) {
    const hashes = new Uint32Array(Math.min(SWEEP_HASHES, addresses - at) * 2);
    await readAll(file, hashes, HEADER_BYTES + at * HASH_BYTES);
    for (let i = 0; i < hashes.length; i += 2) addToFilter(filter, hashes[i + 1]!, hashes[i]!);
  }
  const tables = [new Uint8Array(directory.buffer), new Uint8Array(filter.buffer)];
  for (const table of tables) await writeAll(file, table);
  const checksum = tables.reduce((sum, table) => crc32(table, sum), 0);
  const header = { ...fields, addresses, directoryBits, filterBytes: filter.byteLength, checksum };
  await file.write(encodeHeader(header), 0, HEADER_BYTES, 0);
  return header;
}

/** Counts each run's hashes, one entry further on, so that the running sums give the start of each run. */
function countRuns(directory: Uint32Array, bits: number, halves: Uint32Array): void {
  for (let i = 1; i < halves.length; i += 2) directory[runOf(halves[i]!, bits) + 1]!++;
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(PART_ENDING)) continue;
    const path = join(folder, name);
    const about = await stat(path).catch(() => null);
    if (about && about.mtimeMs < Date.now() - ABANDONED_MS) await rm(path, { force: true });
  }
}
