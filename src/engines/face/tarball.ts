/** Reads the files of a gzipped tar archive (POSIX ustar, as npm packs it) one after the other. Only requested files are kept. */
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

export interface TarFile {
  path: string;
  bytes: Buffer;
}

const BLOCK = 512;
/** Limit for one file. The largest that is needed has 5 MB. */
const FILE_BYTES_MAX = 256 * 1024 * 1024;

export async function* readTarball(source: Readable, wanted: (path: string) => boolean): AsyncGenerator<TarFile> {
  const gunzip = createGunzip();
  source.once('error', (error) => gunzip.destroy(error));
  const chunks: AsyncIterator<Buffer> = source.pipe(gunzip)[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);

  for (;;) {
    const header = await take(BLOCK);
    // Blocks of zeros end the archive.
    if (header === null || header.every((byte) => byte === 0)) return;
    const name = text(header, 0, 100);
    const prefix = text(header, 345, 155);
    const path = prefix === '' ? name : `${prefix}/${name}`;
    const size = Number.parseInt(text(header, 124, 12), 8);
    if (!(size >= 0 && size <= FILE_BYTES_MAX)) throw new Error('the tar archive is damaged');
    const padded = Math.ceil(size / BLOCK) * BLOCK;
    const bytes = await take(padded, wanted(path));
    if (bytes === null) throw new Error('the tar archive is incomplete');
    if (wanted(path)) yield { path, bytes: bytes.subarray(0, size) };
  }

  /** Null at the end. With `keep` false, skips the bytes and returns an empty buffer. */
  async function take(length: number, keep = true): Promise<Buffer | null> {
    const parts: Buffer[] = [];
    let missing = length;
    while (missing > 0) {
      if (held.length === 0) {
        const next = await chunks.next();
        if (next.done) return null;
        held = next.value;
      }
      const part = held.subarray(0, missing);
      if (keep) parts.push(part);
      held = held.subarray(part.length);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }
}

const text = (header: Buffer, start: number, length: number): string =>
  header
    .subarray(start, start + length)
    .toString('latin1')
    .replace(/\0.*$/s, '');
