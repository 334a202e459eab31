/**
 * A split block Bloom filter (Putze, Sanders, Singler 2007; the one of Apache Parquet): tells whether a hash may be among those added. A look-up
 * reads one block of 32 bytes and so costs one cache miss. Blocks follow the order of the hashes, so sorted hashes fill the filter in one sweep.
 */

const BLOCK_WORDS = 8;
export const BLOCK_BYTES = BLOCK_WORDS * 4;
/** About one absent hash in 200 passes (measured in test/engines/email/corpus.test.ts). */
const BITS_PER_HASH = 12;
/** Odd multipliers, one for each word of a block (parquet-format, BloomFilter.md). */
const SALTS = [0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31];

export const filterBytes = (hashes: number): number => Math.max(1, Math.ceil((hashes * BITS_PER_HASH) / (BLOCK_BYTES * 8))) * BLOCK_BYTES;

/** `high` and `low`: the halves of the hash as unsigned 32-bit integers. */
export function addToFilter(filter: Uint32Array, high: number, low: number): void {
  const at = blockAt(filter, high);
  for (let i = 0; i < BLOCK_WORDS; i++) filter[at + i]! |= 1 << (Math.imul(low, SALTS[i]!) >>> 27);
}

export function mayContain(filter: Uint32Array, high: number, low: number): boolean {
  const at = blockAt(filter, high);
  for (let i = 0; i < BLOCK_WORDS; i++) if (!(filter[at + i]! & (1 << (Math.imul(low, SALTS[i]!) >>> 27)))) return false;
  return true;
}

const blockAt = (filter: Uint32Array, high: number): number => Math.floor((high / 2 ** 32) * (filter.length / BLOCK_WORDS)) * BLOCK_WORDS;
