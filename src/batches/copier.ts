/**
 * Stores the rows of an upload within its transaction. Jobs go through one long COPY, which Postgres processes while further rows are read.
 * Submitted rows (in blocks) and invalid rows are inserted, which interrupts the COPY.
 */

import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Context, Tx } from '../foundation/context.ts';
import { newId } from '../foundation/ids.ts';
import { recordset } from '../foundation/recordset.ts';
import { ROW_BYTES } from '../money/usage.ts';
import type { RowProblem } from '../schema/batches.ts';
import type { RawRow } from './columns.ts';
import { packImages } from './images.ts';
import type { NewJob } from './intake.ts';
import { BlockWriter, insertBlocks, type SealedBlock } from './row-blocks.ts';

/** Jobs sent together: the next slice is prepared while this one is on its way. */
const SLICE_JOBS = 500;
/** Characters of sealed images in a slice; jobs with images reach this before `SLICE_JOBS`. */
const SLICE_LENGTH = 8 * 1024 * 1024;
/** Invalid rows inserted together. */
const SLICE_INVALID = 2_000;
/** Bytes of blocks inserted together. */
const SLICE_BLOCK_BYTES = 2 * 1024 * 1024;

export interface JobConstants {
  batchId: string;
  appId: string;
  live: boolean;
  cacheMode: 'use' | 'refresh';
  /** Worst-case price and cached price of each check. */
  prices: Map<string, { priceKobo: number; cachedPriceKobo: number }>;
}

interface RefusedRow {
  row: number;
  problems: RowProblem[];
  input: string | null;
}

export interface Copier {
  /** Estimated bytes of what was passed to it. */
  readonly bytes: number;
  job(job: NewJob): boolean;
  invalid(row: number, problems: RowProblem[], raw: RawRow | null): boolean;
  /** One slice is sent while the next is prepared, so at most two are in memory. */
  send(): Promise<void>;
  /** Waits until everything is stored; throws if any of it failed. */
  flush(): Promise<void>;
  /** Ends the COPY after an error: a ROLLBACK in the middle of one costs the connection and hides the error behind it. */
  settled(): Promise<void>;
}

export const openCopier = (tx: Tx, { cipher }: Pick<Context, 'cipher'>, batch: JobConstants): Copier => new RowCopier(tx, cipher, batch);

class RowCopier implements Copier {
  bytes = 0;
  private readonly tx: Tx;
  private readonly cipher: Context['cipher'];
  private readonly batchId: string;
  private readonly writer: BlockWriter;
  private readonly jobs: JobCopy;
  /** What every job's line has in common, and what those of a check have. */
  private readonly common: string;
  private readonly perCheck: ReadonlyMap<string, string>;
  private lines: string[] = [];
  private length = 0;
  private refused: RefusedRow[] = [];
  private blocks: SealedBlock[] = [];
  private blockBytes = 0;
  private underWay: Promise<void> = Promise.resolve();

  constructor(tx: Tx, cipher: Context['cipher'], { batchId, appId, live, cacheMode, prices }: JobConstants) {
    this.tx = tx;
    this.cipher = cipher;
    this.batchId = batchId;
    this.writer = new BlockWriter(cipher, batchId);
    this.jobs = new JobCopy(tx);
    this.common = [appId, batchId, live ? 't' : 'f', cacheMode].join('\t');
    this.perCheck = new Map(
      [...prices].map(([check, { priceKobo, cachedPriceKobo }]) => [check, `${priceKobo}\t${cachedPriceKobo}\t${check}`]),
    );
  }

  job({ row, check, subject, raw, images, twinRow }: NewJob): boolean {
    const id = newId();
    // A duplicate never runs, so it needs no images.
    const sealed = images === null || twinRow > 0 ? NULL : `\\\\x${this.cipher.seal(packImages(images), 'images', id).toString('hex')}`;
    const state = twinRow === 0 ? `queued\t${NULL}` : `duplicate\t${twinRow}`;
    this.lines.push(
      `${id}\t${this.common}\t${this.perCheck.get(check.id)}\t${check.family}\t${state}\t${row}\t\\\\x${subject.toString('hex')}\t${sealed}\n`,
    );
    this.length += sealed.length;
    this.bytes += ROW_BYTES + (sealed.length >> 1);
    this.keep(this.writer.add(row, raw));
    return this.lines.length >= SLICE_JOBS || this.length >= SLICE_LENGTH || this.blockBytes >= SLICE_BLOCK_BYTES;
  }

  invalid(row: number, problems: RowProblem[], raw: RawRow | null): boolean {
    const { cipher, batchId } = this;
    const input = raw === null ? null : cipher.seal(JSON.stringify(raw), 'invalid_row', `${batchId}:${row}`).toString('base64');
    this.refused.push({ row, problems, input });
    this.bytes += ROW_BYTES + (input?.length ?? 0);
    return this.refused.length >= SLICE_INVALID;
  }

  send(): Promise<void> {
    return this.sendSlice(false);
  }

  async flush(): Promise<void> {
    await this.sendSlice(true);
    await this.underWay;
    await this.jobs.end();
  }

  async settled(): Promise<void> {
    await this.underWay.catch(() => {});
    await this.jobs.end().catch(() => {});
  }

  private keep(block: SealedBlock | null): void {
    if (block === null) return;
    this.blocks.push(block);
    this.blockBytes += block.rows.length;
    this.bytes += block.rows.length;
  }

  private async sendSlice(isLast: boolean): Promise<void> {
    await this.underWay;
    const { lines } = this;
    this.lines = [];
    this.length = 0;
    if (isLast) this.keep(this.writer.end());
    let rows: RefusedRow[] = [];
    let sealed: SealedBlock[] = [];
    if (isLast || this.refused.length >= SLICE_INVALID) [rows, this.refused] = [this.refused, []];
    if (isLast || this.blockBytes >= SLICE_BLOCK_BYTES) [sealed, this.blocks, this.blockBytes] = [this.blocks, [], 0];
    this.underWay = this.write(lines, rows, sealed);
    this.underWay.catch(() => {});
  }

  private async write(lines: string[], rows: RefusedRow[], sealed: SealedBlock[]): Promise<void> {
    if (lines.length > 0) await this.jobs.send(lines.join(''));
    if (rows.length + sealed.length > 0) await this.jobs.end();
    if (rows.length > 0) await insertRefused(this.tx, this.batchId, rows);
    if (sealed.length > 0) await insertBlocks(this.tx, this.batchId, sealed);
  }
}

/** The COPY of jobs. It begins with the first line, and again after each end. */
class JobCopy {
  private readonly tx: Tx;
  private stream: Writable | null = null;
  private copied: Promise<void> = Promise.resolve();

  constructor(tx: Tx) {
    this.tx = tx;
  }

  async send(text: string): Promise<void> {
    if (!this.stream) {
      this.stream = await this.tx`
        copy jobs (id, app_id, batch_id, live, cache_mode, price_kobo, cached_price_kobo, check_id, family, status, twin_row, row_number,
          subject, images) from stdin`.writable();
      this.copied = finished(this.stream);
      // The next await sees the error; until then it must not count as unhandled.
      this.copied.catch(() => {});
    }
    const { stream } = this;
    // The stream's end, and any refusal by Postgres, arrive through `copied`.
    await Promise.race([new Promise<void>((resolve) => stream.write(Buffer.from(text), () => resolve())), this.copied]);
  }

  async end(): Promise<void> {
    this.stream?.end();
    this.stream = null;
    await this.copied;
  }
}

async function insertRefused(tx: Tx, batchId: string, refused: RefusedRow[]): Promise<void> {
  await tx`
    insert into invalid_rows (batch_id, row_number, problems, input)
    select ${batchId}, row_number, problems::jsonb, decode(input, 'base64')
    from ${recordset(tx, refused, {
      row_number: ['int', (r) => r.row],
      problems: ['text', (r) => JSON.stringify(r.problems)],
      input: ['text', (r) => r.input],
    })} t`;
}

/** COPY text format. */
const NULL = '\\N';
