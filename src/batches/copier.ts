/**
 * Stores the rows of an upload within its transaction: its jobs, its submitted rows (in blocks) and its invalid rows. Postgres inserts one slice while the next
 * rows are read. Not by COPY, which Postgres refuses under row-level security.
 */

import type { Check } from '../checks/check.ts';
import type { Tx } from '../foundation/context.ts';
import type { Sealer } from '../foundation/crypto.ts';
import { newId } from '../foundation/ids.ts';
import { recordset } from '../foundation/recordset.ts';
import { ROW_BYTES } from '../money/usage.ts';
import type { RowProblem } from '../schema/batches.ts';
import type { RawRow } from './columns.ts';
import { packImages } from './images.ts';
import type { NewJob } from './intake.ts';
import { BlockWriter, insertBlocks, type SealedBlock } from './row-blocks.ts';

/** Jobs sent together: the next slice is prepared while this one is on its way. */
const SLICE_JOBS = 2_000;
/** Bytes of sealed images in a slice; jobs with images reach this before `SLICE_JOBS`. */
const SLICE_IMAGE_BYTES = 6 * 1024 * 1024;
/** Invalid rows inserted together. */
const SLICE_INVALID = 2_000;
/** Bytes of blocks inserted together. */
const SLICE_BLOCK_BYTES = 256 * 1024;

export interface JobConstants {
  batchId: string;
  appId: string;
  live: boolean;
  cacheMode: 'use' | 'refresh';
  /** Worst-case price and cached price of each check. */
  prices: Map<string, { priceKobo: number; cachedPriceKobo: number }>;
}

/** A job on its way into the database. `images`: ciphertext. */
interface SealedJob extends Pick<NewJob, 'check' | 'row' | 'twinRow' | 'subject'> {
  id: string;
  images: Buffer | null;
}

interface RefusedRow {
  row: number;
  problems: RowProblem[];
  input: Buffer | null;
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
  /** Waits until nothing is being stored any more, whatever came of it. */
  settled(): Promise<void>;
}

export const openCopier = (tx: Tx, sealer: Sealer, batch: JobConstants): Copier => new RowCopier(tx, sealer, batch);

class RowCopier implements Copier {
  bytes = 0;
  private readonly tx: Tx;
  private readonly sealer: Sealer;
  private readonly batch: JobConstants;
  private readonly writer: BlockWriter;
  private jobs: SealedJob[] = [];
  private imageBytes = 0;
  private refused: RefusedRow[] = [];
  private blocks: SealedBlock[] = [];
  private blockBytes = 0;
  private underWay: Promise<void> = Promise.resolve();

  constructor(tx: Tx, sealer: Sealer, batch: JobConstants) {
    this.tx = tx;
    this.sealer = sealer;
    this.batch = batch;
    this.writer = new BlockWriter(sealer, batch.batchId);
  }

  job({ row, check, subject, raw, images, twinRow }: NewJob): boolean {
    const id = newId();
    // A duplicate never runs, so it needs no images.
    const sealed = images === null || twinRow > 0 ? null : this.sealer.seal(packImages(images), 'images', id);
    this.jobs.push({ id, check, row, twinRow, subject, images: sealed });
    this.imageBytes += sealed?.length ?? 0;
    this.bytes += ROW_BYTES + (sealed?.length ?? 0);
    this.keep(this.writer.add(row, raw));
    return this.jobs.length >= SLICE_JOBS || this.imageBytes >= SLICE_IMAGE_BYTES || this.blockBytes >= SLICE_BLOCK_BYTES;
  }

  invalid(row: number, problems: RowProblem[], raw: RawRow | null): boolean {
    const { sealer } = this;
    const { batchId } = this.batch;
    const input = raw === null ? null : sealer.seal(JSON.stringify(raw), 'invalid_row', `${batchId}:${row}`);
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
  }

  async settled(): Promise<void> {
    await this.underWay.catch(() => {});
  }

  private keep(block: SealedBlock | null): void {
    if (block === null) return;
    this.blocks.push(block);
    this.blockBytes += block.rows.length;
    this.bytes += block.rows.length;
  }

  private async sendSlice(isLast: boolean): Promise<void> {
    await this.underWay;
    const { jobs } = this;
    this.jobs = [];
    this.imageBytes = 0;
    if (isLast) this.keep(this.writer.end());
    let rows: RefusedRow[] = [];
    let sealed: SealedBlock[] = [];
    if (isLast || this.refused.length >= SLICE_INVALID) [rows, this.refused] = [this.refused, []];
    if (isLast || this.blockBytes >= SLICE_BLOCK_BYTES) [sealed, this.blocks, this.blockBytes] = [this.blocks, [], 0];
    this.underWay = this.write(jobs, rows, sealed);
    this.underWay.catch(() => {});
  }

  private async write(jobs: SealedJob[], rows: RefusedRow[], sealed: SealedBlock[]): Promise<void> {
    // Sent together, so that Postgres goes from one to the next without waiting for us.
    const statements: Promise<void>[] = [];
    if (jobs.length > 0) statements.push(insertJobs(this.tx, this.batch, jobs));
    if (rows.length > 0) statements.push(insertRefused(this.tx, this.batch.batchId, rows));
    if (sealed.length > 0) statements.push(insertBlocks(this.tx, this.batch.batchId, sealed));
    const [refused] = (await Promise.allSettled(statements)).filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    if (refused) throw refused.reason;
  }
}

/** Only what differs from job to job travels with each: what all of a check have in common is sent once, and what few uploads have (several checks, twins, images) only by those. */
async function insertJobs(tx: Tx, { batchId, appId, live, cacheMode, prices }: JobConstants, jobs: SealedJob[]): Promise<void> {
  const checks = [...new Set(jobs.map(({ check }) => check))];
  const priceOf = (check: Check) => prices.get(check.id)!;
  const hasTwins = jobs.some(({ twinRow }) => twinRow > 0);
  const hasImages = jobs.some(({ images }) => images !== null);
  const checkAt = checks.length > 1 ? tx`check_at` : tx`1`;
  await tx`
    insert into jobs (id, app_id, batch_id, live, cache_mode, price_kobo, cached_price_kobo, check_id, family, status, twin_row, row_number, subject, images)
    select id, ${appId}, ${batchId}, ${live}, ${cacheMode}, (${checks.map((check) => priceOf(check).priceKobo)}::int[])[${checkAt}],
      (${checks.map((check) => priceOf(check).cachedPriceKobo)}::int[])[${checkAt}], (${checks.map(({ id }) => id)}::text[])[${checkAt}],
      (${checks.map(({ family }) => family)}::text[])[${checkAt}],
      ${hasTwins ? tx`case when twin_row is null then 'queued'::job_status else 'duplicate' end, twin_row` : tx`'queued', null`},
      row_number, subject, ${hasImages ? tx`images` : tx`null`}
    from ${recordset(tx, jobs, {
      id: ['uuid', (job) => job.id],
      row_number: ['int', ({ row }) => row],
      subject: ['bytea', (job) => job.subject],
      ...(checks.length > 1 && { check_at: ['int', ({ check }) => checks.indexOf(check) + 1] }),
      ...(hasTwins && { twin_row: ['int', ({ twinRow }) => (twinRow === 0 ? null : twinRow)] }),
      ...(hasImages && { images: ['bytea', (job) => job.images] }),
    })} t`;
}

async function insertRefused(tx: Tx, batchId: string, refused: RefusedRow[]): Promise<void> {
  await tx`
    insert into invalid_rows (batch_id, row_number, problems, input)
    select ${batchId}, row_number, problems::jsonb, input
    from ${recordset(tx, refused, {
      row_number: ['int', (r) => r.row],
      problems: ['text', (r) => JSON.stringify(r.problems)],
      input: ['bytea', (r) => r.input],
    })} t`;
}
