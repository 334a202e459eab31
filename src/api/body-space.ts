/**
 * Memory for large bodies, kept and used again: each picture call would otherwise leave 16 MB of garbage, and V8 collects the whole heap for every 64. What is still to be read of a
 * body must have been copied before its space is kept.
 */

const MIB = 1024 * 1024;
const KEPT_MAX = 2;
const KEPT_MS = 5_000;

const kept: ArrayBuffer[] = [];
let timer: NodeJS.Timeout | undefined;

/** Not cleared: the body is written over it. */
export function spaceFor(bytes: number): Buffer {
  if (bytes < MIB) return Buffer.allocUnsafe(bytes);
  const at = kept.findIndex(({ byteLength }) => byteLength >= bytes);
  const space = at === -1 ? Buffer.allocUnsafeSlow(Math.ceil(bytes / MIB) * MIB).buffer : kept.splice(at, 1)[0]!;
  return Buffer.from(space, 0, bytes);
}

/** Nobody may read `body` any more. */
export function keepSpace({ buffer }: Buffer): void {
  if (buffer.byteLength < MIB || !(buffer instanceof ArrayBuffer)) return;
  kept.push(buffer);
  if (kept.length > KEPT_MAX) kept.shift();
  clearTimeout(timer);
  timer = setTimeout(() => kept.splice(0), KEPT_MS);
  timer.unref();
}
