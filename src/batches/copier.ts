/**
 * Stores the rows of an upload within its transaction. Jobs go through one long COPY, which Postgres processes while further rows are read.
 * Submitted rows (in blocks) and invalid rows are inserted, which interrupts the COPY.
 */

import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Context, Tx } from '../foundation/context.ts';
import { newId } from '../foundation/ids.ts';
import { recordset } from '../foundation/recordset.ts';
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
  job(job: NewJob): boolean;
  invalid(row: number, problems: RowProblem[], raw: RawRow | null): boolean;
  /** One slice is sent while the next is prepared, so at most two are in memory. */
  send(): Promise<void>;
  /** Waits until everything is stored; throws if any of it failed. */
  flush(): Promise<void>;
  /** Ends the COPY after an error: a ROLLBACK in the middle of one costs the connection and hides the error behind it. */
  settled(): Promise<void>;
}

export function openCopier(tx: Tx, { cipher }: Pick<Context, 'cipher'>, batch: JobConstants): Copier {
  let lines: string[] = [];
  let length = 0;
  let refused: RefusedRow[] = [];
  const writer = new BlockWriter(cipher, batch.batchId);
  let blocks: SealedBlock[] = [];
  let blockBytes = 0;
  let underWay: Promise<void> = Promise.resolve();
  let copy: Writable | null = null;
  let copied: Promise<void> = Promise.resolve();
  const common = [batch.appId, batch.batchId, batch.live ? 't' : 'f', batch.cacheMode].join('\t');
  const perCheck = new Map(
    [...batch.prices].map(([check, { priceKobo, cachedPriceKobo }]) => [check, `${priceKobo}\t${cachedPriceKobo}\t${check}`]),
  );

  async function sendJobs(text: string): Promise<void> {
    if (!copy) {
      copy = await tx`
        copy jobs (id, app_id, batch_id, live, cache_mode, price_kobo, cached_price_kobo, check_id, family, status, twin_row, row_number,
          subject, images) from stdin`.writable();
      copied = finished(copy);
      // The next await sees the error; until then it must not count as unhandled.
      copied.catch(() => {});
    }
    const stream = copy;
    // The stream's end, and any refusal by Postgres, arrive through `copied`.
    await Promise.race([new Promise<void>((resolve) => stream.write(Buffer.from(text), () => resolve())), copied]);
  }

  async function endCopy(): Promise<void> {
    copy?.end();
    copy = null;
    await copied;
  }

  async function write(jobLines: string[], rows: RefusedRow[], sealed: SealedBlock[]): Promise<void> {
    if (jobLines.length > 0) await sendJobs(jobLines.join(''));
    if (rows.length + sealed.length > 0) await endCopy();
    if (rows.length > 0) await insertRefused(tx, batch.batchId, rows);
    if (sealed.length > 0) await insertBlocks(tx, batch.batchId, sealed);
  }

  function keep(block: SealedBlock | null): void {
    if (block === null) return;
    blocks.push(block);
    blockBytes += block.rows.length;
  }

  async function send(isLast: boolean): Promise<void> {
    await underWay;
    const jobLines = lines;
    lines = [];
    length = 0;
    if (isLast) keep(writer.end());
    let rows: RefusedRow[] = [];
    let sealed: SealedBlock[] = [];
    if (isLast || refused.length >= SLICE_INVALID) [rows, refused] = [refused, []];
    if (isLast || blockBytes >= SLICE_BLOCK_BYTES) [sealed, blocks, blockBytes] = [blocks, [], 0];
    underWay = write(jobLines, rows, sealed);
    underWay.catch(() => {});
  }

  return {
    job({ row, check, subject, raw, images, twinRow }) {
      const id = newId();
      // A duplicate never runs, so it needs no images.
      const sealed = images === null || twinRow > 0 ? NULL : `\\\\x${cipher.seal(packImages(images), 'images', id).toString('hex')}`;
      const state = twinRow === 0 ? `queued\t${NULL}` : `duplicate\t${twinRow}`;
      lines.push(
        `${id}\t${common}\t${perCheck.get(check.id)}\t${check.family}\t${state}\t${row}\t\\\\x${subject.toString('hex')}\t${sealed}\n`,
      );
      length += sealed.length;
      keep(writer.add(row, raw));
      return lines.length >= SLICE_JOBS || length >= SLICE_LENGTH || blockBytes >= SLICE_BLOCK_BYTES;
    },
    invalid(row, problems, raw) {
      const input = raw === null ? null : cipher.seal(JSON.stringify(raw), 'invalid_row', `${batch.batchId}:${row}`).toString('base64');
      refused.push({ row, problems, input });
      return refused.length >= SLICE_INVALID;
    },
    send: () => send(false),
    async flush() {
      await send(true);
      await underWay;
      await endCopy();
    },
    async settled() {
      await underWay.catch(() => {});
      await endCopy().catch(() => {});
    },
  };
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
