/** The files of a list, wherever they are: reopened from the start as often as a reader wants, gunzipped, and bounded. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type ListFile, ListFileError } from '../engines/aml/list.ts';
import { type Bytes, gunzip, isGzip, peek } from '../rows/decode.ts';
import { UploadError } from '../rows/row.ts';

/** Per file, after gunzip. OpenSanctions, the largest, has about a fifth of this. */
export const FILE_BYTES_MAX = 2 * 1024 ** 3;
const FILES_MAX = 50_000;
const READ_BYTES = 256 * 1024;

/** The files at `paths`. A folder stands for the files directly in it, except hidden ones. Throws `ListFileError`. */
export async function openPaths(paths: readonly string[]): Promise<ListFile[]> {
  const found = (await Promise.all(paths.map(filesAt))).flat();
  if (found.length === 0) throw new ListFileError('missing_file', 'There is no file in the folder');
  if (found.length > FILES_MAX) throw new ListFileError('too_large', `There are more than ${FILES_MAX} files`);
  return found.map((path) => listFile(basename(path), () => createReadStream(path, { highWaterMark: READ_BYTES })));
}

async function filesAt(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const entries = await readdir(path, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => join(path, name));
  } catch (error) {
    throw new ListFileError('missing_file', `${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** A file in a spool, which stays open. */
export const spooledFile = (name: string, spool: FileHandle): ListFile =>
  listFile(name, () => spool.createReadStream({ start: 0, autoClose: false, highWaterMark: READ_BYTES }));

function listFile(name: string, open: () => Bytes): ListFile {
  const plain = name.replace(/\.gz$/i, '');
  return { name: plain, open: () => plainBytes(plain, open) };
}

async function* plainBytes(name: string, open: () => Bytes): AsyncGenerator<Uint8Array> {
  const { head, bytes } = await peek(open(), 2);
  try {
    if (isGzip(head)) yield* gunzip(bytes, FILE_BYTES_MAX);
    else yield* bounded(name, bytes);
  } catch (error) {
    throw error instanceof UploadError ? asListError(name, error) : error;
  }
}

async function* bounded(name: string, bytes: Bytes): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of bytes) {
    total += chunk.length;
    if (total > FILE_BYTES_MAX) throw new ListFileError('too_large', `${name} is larger than ${FILE_BYTES_MAX} bytes`);
    yield chunk;
  }
}

const asListError = (name: string, { rule }: UploadError): ListFileError =>
  rule === 'bad_gzip'
    ? new ListFileError('truncated', `${name} is not a complete gzip file`)
    : new ListFileError('too_large', `${name} expands to more than ${FILE_BYTES_MAX} bytes, or to an absurd multiple of its size`);

export interface Fingerprint {
  /** SHA-256 over the files' bytes in the order of their names. For one file it equals `sha256sum` of the unpacked file. */
  checksum: Buffer;
  bytes: number;
}

export async function fingerprint(files: readonly ListFile[]): Promise<Fingerprint> {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const file of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    for await (const chunk of file.open()) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  }
  return { checksum: hash.digest(), bytes };
}
