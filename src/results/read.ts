/**
 * Rows of a batch with their results, a page at a time. Each page is copied out in a transaction of its own, so a slow reader holds neither a transaction nor a
 * connection, and after half a second no page either.
 */

import type { Admitting } from '../access/admission.ts';
import { BLOCK_ROWS } from '../batches/row-blocks.ts';
import type { BatchRow } from '../contract/batches.ts';
import type { Context } from '../foundation/context.ts';
import { CopyBuffer } from './copy-reader.ts';
import { type Page, type ResultRow, readPage, rowsOf } from './page.ts';
import type { Wanted } from './page-query.ts';

/** Pages that are read ahead for a reader that keeps up. One would do if fetching a page were not mostly waiting for answers. */
const PAGES_AHEAD = 2;
/** Approximate bytes in a page, and its most rows, for such a reader. */
const PAGE_BYTES = 2 * 1024 * 1024;
const PAGE_ROWS_MAX = 64 * BLOCK_ROWS;
/** Rows of the first page, and of every page for a slow reader. A quick reader gets larger and larger pages. */
const PAGE_ROWS_MIN = BLOCK_ROWS;
const GROWTH = 4;
/** A reader that consumes a page within this time is quick. */
const QUICK_MS = 1_000;
/** A page left unread for this long is dropped; its rest is read again when the reader continues. */
const DROP_MS = 500;
/** Rows emitted at a time. Other work runs between two slices. */
const SLICE_ROWS = 128;
/** Approximate characters of text emitted at a time. For a stalled reader six such pieces wait, between here and the socket: most of what it ties up, which is at most 256 KiB. */
export const PIECE_LENGTH = 24 * 1024;

/**
 * Rows in submitted order, in slices, each to be used before the next is requested; rows left over from one slice come in the next. For a quick
 * reader the next page is fetched while this one is written. For a stalled one only the position is kept.
 */
export async function* readRows(ctx: Context & Admitting, batch: BatchRow, wanted: Wanted): AsyncGenerator<Iterable<ResultRow>> {
  const giveWay = ctx.yielding.long();
  const download = new Download(ctx, batch, wanted);
  while (await download.open()) {
    while (download.hasMore()) {
      const drop = setTimeout(() => download.drop(), DROP_MS);
      yield download.slice();
      clearTimeout(drop);
      await giveWay();
    }
  }
}

/** A page that is being read, up to the row `to`. */
interface Coming {
  page: Promise<Page>;
  to: number;
  buffer: CopyBuffer;
}

/** Position of a download. A page's rows are views of its buffer, so the page and the buffer are dropped together. */
class Download {
  /** The last row emitted; or the last before the page, if nothing of the page was emitted. */
  private last = 0;
  private to = 0;
  private count = PAGE_ROWS_MIN;
  private isQuick = false;
  private next: ResultRow | null = null;
  private rows: Iterator<ResultRow, void> | null = null;
  private buffer = new CopyBuffer();
  private spares: CopyBuffer[] = [];
  /** The pages that follow, in order. */
  private ahead: Coming[] = [];
  private openedAt = 0;
  private readonly ctx: Context & Admitting;
  private readonly batch: BatchRow;
  private readonly wanted: Wanted;

  constructor(ctx: Context & Admitting, batch: BatchRow, wanted: Wanted) {
    this.ctx = ctx;
    this.batch = batch;
    this.wanted = wanted;
  }

  /** Reads the page after the last row. False if there is none. */
  async open(): Promise<boolean> {
    const { batch } = this;
    const from = this.last + 1;
    if (from > batch.rows) return false;
    const wasAhead = this.ahead.shift();
    const coming = wasAhead ?? this.start(from, this.buffer);
    const page = await coming.page;
    if (wasAhead) this.spares.push(this.buffer);
    this.buffer = coming.buffer;
    this.to = page.to;
    if (this.isQuick) this.count = Math.min(GROWTH * this.count, rowsOfPage(page.bytes / (page.to - this.last)));
    for (let { to } = this.ahead.at(-1) ?? page; this.isQuick && this.ahead.length < PAGES_AHEAD && to < batch.rows; ) {
      const next = this.start(to + 1, this.spares.pop() ?? new CopyBuffer());
      // The next call of `open` sees the error. A reader that leaves earlier ignores it.
      next.page.catch(() => {});
      this.ahead.push(next);
      to = next.to;
    }
    this.openedAt = performance.now();
    this.rows = rowsOf(await this.ctx.cipher.openerOfBatch(batch.id), batch, page);
    return true;
  }

  /** False if the page is used up or was dropped. */
  hasMore(): boolean {
    if (this.rows === null) return false;
    const first = this.next === null ? this.rows.next() : null;
    if (first && !first.done) this.next = first.value;
    if (this.next !== null) return true;
    this.last = this.to;
    this.rows = null;
    this.isQuick = performance.now() - this.openedAt <= QUICK_MS;
    if (!this.isQuick) this.shrink(this.count / 2);
    return false;
  }

  *slice(): Generator<ResultRow> {
    for (let taken = 0; taken < SLICE_ROWS && this.rows !== null; taken++) {
      const row = this.next ?? this.rows.next().value;
      if (!row) return;
      this.next = null;
      this.last = row.row;
      yield row;
    }
  }

  drop(): void {
    this.rows = null;
    this.next = null;
    this.ahead = [];
    this.isQuick = false;
    this.shrink(PAGE_ROWS_MIN);
  }

  /** Replaces the buffers too, because they keep the size of the largest page that they held. */
  private shrink(rows: number): void {
    this.count = Math.max(PAGE_ROWS_MIN, Math.floor(rows / BLOCK_ROWS) * BLOCK_ROWS);
    this.buffer = new CopyBuffer();
    this.spares = [];
  }

  private start(from: number, buffer: CopyBuffer): Coming {
    const to = Math.min(this.batch.rows, from + this.count - 1);
    const { ctx, batch, wanted } = this;
    return { page: ctx.admission.pages.within(batch.appId, () => readPage(ctx, batch, wanted, { from, to }, buffer)), to, buffer };
  }
}

/** As many whole blocks as fill a page if their rows are as large as these. */
function rowsOfPage(bytesOfARow: number): number {
  return Math.min(PAGE_ROWS_MAX, Math.max(1, Math.floor(PAGE_BYTES / Math.max(1, bytesOfARow) / BLOCK_ROWS)) * BLOCK_ROWS);
}
