/** Reads files out of a gzipped tar archive, as npm packs it, one at a time. Files that are not wanted are skipped without being kept. */
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';

export interface TarFile {
  path: string;
  bytes: Buffer;
}

/** Largest file. The largest model has 5 MB. */
const FILE_BYTES_MAX = 256 * 1024 * 1024;

/** Throws if the archive is damaged or incomplete, or a file is too large. */
export async function* readTarball(source: Readable, wanted: (path: string) => boolean): AsyncGenerator<TarFile> {
  const entries = extract();
  const unpacked = pipeline(source, createGunzip(), entries);
  // Reading the entries below throws the same error.
  unpacked.catch(() => {});
  for await (const entry of entries) {
    const { name: path, size = 0 } = entry.header;
    if (size > FILE_BYTES_MAX) throw new Error(`${path} is too large`);
    if (wanted(path)) yield { path, bytes: await buffer(entry) };
    else entry.resume();
  }
  await unpacked;
}
