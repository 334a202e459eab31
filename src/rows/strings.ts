/**
 * The shared strings of a workbook, on disk: a sheet of a million rows may have millions of them. Memory holds only where each string ends and the
 * last pages used; sheets mostly use their strings in order.
 */
import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { badWorkbook } from './row.ts';
import { openSpool, writeAll } from './spool.ts';

const PAGE_BYTES = 65_536;
const PAGES_MAX = 256;
const STRINGS_MAX = 20_000_000;

export class SharedStrings {
  count = 0;
  /** Where each string ends in the spool. */
  private ends = new Float64Array(1024);
  private size = 0;
  private waiting: Buffer[] = [];
  waitingBytes = 0;
  private readonly pages = new LRUCache<number, Buffer>({ max: PAGES_MAX });
  private readonly file: FileHandle;

  private constructor(file: FileHandle) {
    this.file = file;
  }

  static async open(): Promise<SharedStrings> {
    return new SharedStrings(await openSpool());
  }

  add(text: string): void {
    if (this.count === STRINGS_MAX) throw badWorkbook(`The workbook has more than ${STRINGS_MAX} shared strings`);
    if (this.count === this.ends.length) {
      const ends = new Float64Array(this.ends.length * 2);
      ends.set(this.ends);
      this.ends = ends;
    }
    const bytes = Buffer.from(text);
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    this.size += bytes.length;
    this.ends[this.count++] = this.size;
  }

  /** To be called now and then while strings are added, and once at the end. */
  async flush(): Promise<void> {
    if (this.waitingBytes > 0) await writeAll(this.file, Buffer.concat(this.waiting));
    this.waiting = [];
    this.waitingBytes = 0;
  }

  /** Undefined if there is no such string. */
  get(index: number): string | undefined {
    if (!(index >= 0 && index < this.count)) return undefined;
    const from = index === 0 ? 0 : this.ends[index - 1]!;
    const to = this.ends[index]!;
    const page = Math.floor(from / PAGE_BYTES);
    const start = page * PAGE_BYTES;
    if (to <= start + PAGE_BYTES) return this.page(page).toString('utf8', from - start, to - start);
    const bytes = Buffer.allocUnsafe(to - from);
    for (let at = from; at < to; ) {
      const number = Math.floor(at / PAGE_BYTES);
      at += this.page(number).copy(bytes, at - from, at - number * PAGE_BYTES, Math.min(PAGE_BYTES, to - number * PAGE_BYTES));
    }
    return bytes.toString('utf8');
  }

  close(): Promise<void> {
    return this.file.close();
  }

  private page(number: number): Buffer {
    const known = this.pages.get(number);
    if (known) return known;
    const start = number * PAGE_BYTES;
    const page = Buffer.allocUnsafeSlow(Math.min(PAGE_BYTES, this.size - start));
    for (let at = 0; at < page.length; ) {
      const read = readSync(this.file.fd, page, at, page.length - at, start + at);
      if (read === 0) throw new Error('the spool of shared strings is shorter than what was written');
      at += read;
    }
    this.pages.set(number, page);
    return page;
  }
}
