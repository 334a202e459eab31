/** How much room a disk has for the embedded Postgres. */
import { statfs } from 'node:fs/promises';

/** Four segments of Postgres's write-ahead log: with less, Postgres may stop in the middle of its next commit. */
const FREE_BYTES_MIN = 64 * 1024 * 1024;

/** False for a folder that cannot be examined. */
export async function isNearlyFull(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize < FREE_BYTES_MIN;
  } catch {
    return false;
  }
}
