/** A file on disk for yauzl, read in pages: yauzl asks for 46 bytes of each entry, then for its name, and each would be a separate read. */
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { RandomAccessReader } from 'yauzl';

const PAGE_BYTES = 65_536;

interface Page {
  start: number;
  bytes: Buffer;
}

/** The caller still has to close the file. */
export class PagedFile extends RandomAccessReader {
  private page: Page = { start: 0, bytes: Buffer.alloc(0) };
  private readonly file: FileHandle;

  constructor(file: FileHandle) {
    super();
    this.file = file;
  }

  override read(buffer: Buffer, offset: number, length: number, position: number, callback: (error: Error | null) => void): void {
    // Synchronous if the page is already in memory.
    if (copyOf(this.page, buffer, offset, length, position)) callback(null);
    else
      this.readOn(buffer, offset, length, position).then(
        () => callback(null),
        (error: Error) => callback(error),
      );
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.range(start, end), { objectMode: false });
  }

  private async *range(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const { bytesRead, buffer } = await this.file.read(Buffer.allocUnsafeSlow(Math.min(PAGE_BYTES, end - at)), { position: at });
      if (bytesRead === 0) throw endsTooSoon();
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  private async readOn(buffer: Buffer, offset: number, length: number, position: number): Promise<void> {
    const bytes = Buffer.allocUnsafeSlow(Math.max(PAGE_BYTES, length));
    let held = 0;
    while (held < length) {
      const { bytesRead } = await this.file.read(bytes, held, bytes.length - held, position + held);
      if (bytesRead === 0) throw endsTooSoon();
      held += bytesRead;
    }
    this.page = { start: position, bytes: bytes.subarray(0, held) };
    copyOf(this.page, buffer, offset, length, position);
  }
}

const endsTooSoon = (): Error => new Error('the file ends before the requested range');

/** Returns false if the page does not hold the whole range. */
function copyOf({ start, bytes }: Page, buffer: Buffer, offset: number, length: number, position: number): boolean {
  if (position < start || position + length > start + bytes.length) return false;
  bytes.copy(buffer, offset, position - start, position - start + length);
  return true;
}
