/**
 * Sorts more hashes than fit in memory. They are spooled to an unnamed file in 256 parts by the last of their eight bytes, which is the most
 * significant when they are compared as numbers. Each part is small enough to sort by itself. Writes synchronously: the import command does nothing
 * else meanwhile.
 */
import { writeSync } from 'node:fs';
import { openSpool } from '../../../rows/spool.ts';
import { HASH_BYTES, readAll } from './breach-file.ts';

export interface Parts {
  /** Adds the first 8 bytes of `hash`. */
  add(hash: Buffer): void;
  /** Includes duplicates. */
  count(): number;
  /** The part's hashes in ascending order, without duplicates. The parts are in order too. */
  sorted(part: number): Promise<BigUint64Array>;
  close(): Promise<void>;
}

export const PARTS = 256;
/** Buffered for each part before it is written: 16 MiB in all. */
const BLOCK_BYTES = 64 * 1024;
const BLOCK_HASHES = BLOCK_BYTES / HASH_BYTES;

export async function openParts(folder: string): Promise<Parts> {
  const spool = await openSpool(folder);
  const buffers = Array.from({ length: PARTS }, () => Buffer.from(new ArrayBuffer(BLOCK_BYTES)));
  const held = new Uint32Array(PARTS);
  /** Positions of each part's blocks in the spool. */
  const blocks: number[][] = buffers.map(() => []);
  let end = 0;

  function flush(part: number): void {
    blocks[part]!.push(end);
    for (let at = 0; at < BLOCK_BYTES; ) at += writeSync(spool.fd, buffers[part]!, at, BLOCK_BYTES - at, end + at);
    end += BLOCK_BYTES;
    held[part] = 0;
  }

  return {
    add(hash) {
      const part = hash[HASH_BYTES - 1]!;
      hash.copy(buffers[part]!, held[part]!, 0, HASH_BYTES);
      held[part]! += HASH_BYTES;
      if (held[part] === BLOCK_BYTES) flush(part);
    },
    count: () => (end + held.reduce((sum, bytes) => sum + bytes, 0)) / HASH_BYTES,
    async sorted(part) {
      const written = blocks[part]!;
      const rest = new BigUint64Array(buffers[part]!.buffer, 0, held[part]! / HASH_BYTES);
      const hashes = new BigUint64Array(written.length * BLOCK_HASHES + rest.length);
      for (const [i, at] of written.entries()) await readAll(spool, hashes.subarray(i * BLOCK_HASHES, (i + 1) * BLOCK_HASHES), at);
      hashes.set(rest, written.length * BLOCK_HASHES);
      return distinct(hashes.sort());
    },
    close: () => spool.close(),
  };
}

/** Compares halves, because reading a BigInt allocates an object. */
function distinct(hashes: BigUint64Array): BigUint64Array {
  const halves = new Uint32Array(hashes.buffer);
  let kept = 0;
  for (let i = 0; i < halves.length; i += 2) {
    if (kept > 0 && halves[i] === halves[kept - 2] && halves[i + 1] === halves[kept - 1]) continue;
    halves[kept++] = halves[i]!;
    halves[kept++] = halves[i + 1]!;
  }
  return hashes.subarray(0, kept / 2);
}
