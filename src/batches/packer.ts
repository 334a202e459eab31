/**
 * Makes the rows of an upload ready to be stored: seals them (in blocks), their images and its invalid rows, and writes the parameters of the statements. Uses no
 * database, so that a thread can do it; `copier.ts` stores what it made.
 */

import type { Sealer } from '../foundation/crypto.ts';
import { newId } from '../foundation/ids.ts';
import { type WrittenRows, writeRows } from '../foundation/recordset.ts';
import { ROW_BYTES } from '../money/usage.ts';
import type { RowProblem } from '../schema/batches.ts';
import { packImages } from './images.ts';
import type { NewJob, Sink } from './intake.ts';
import { BlockWriter, type SealedBlock, writeBlocks } from './row-blocks.ts';
import type { RawRow } from './row-reader.ts';

/** Jobs sent together: the next slice is prepared while this one is on its way. */
const SLICE_JOBS = 2_000;
/** Bytes of sealed images in a slice; jobs with images reach this before `SLICE_JOBS`. */
const SLICE_IMAGE_BYTES = 6 * 1024 * 1024;
/** Invalid rows inserted together, and their bytes. */
const SLICE_INVALID = 2_000;
const SLICE_INVALID_BYTES = 1024 * 1024;
/** Bytes of blocks inserted together. */
const SLICE_BLOCK_BYTES = 256 * 1024;

/** Rows ready to be stored: plain values. Null: none of that kind. */
export interface PackedRows {
  jobs: PackedJobs | null;
  refused: WrittenRows | null;
  blocks: WrittenRows | null;
  /** Estimated bytes in the database. */
  bytes: number;
}

/** Writes for each job only what differs from job to job. What few uploads have (several checks, duplicates, images) is written only where it occurs. */
export interface PackedJobs {
  /** Ids of checks. The column `check_at` is a position in this list, from 1. */
  checks: string[];
  hasTwins: boolean;
  hasImages: boolean;
  rows: WrittenRows;
}

/** `images`: ciphertext. */
interface SealedJob extends Pick<NewJob, 'row' | 'twinRow' | 'subject'> {
  id: string;
  check: string;
  images: Buffer | null;
}

interface RefusedRow {
  row: number;
  problems: RowProblem[];
  input: Buffer | null;
}

export class RowPacker implements Sink<PackedRows> {
  private readonly sealer: Sealer;
  private readonly batchId: string;
  private readonly writer: BlockWriter;
  private jobs: SealedJob[] = [];
  private imageBytes = 0;
  private refused: RefusedRow[] = [];
  private refusedBytes = 0;
  private blocks: SealedBlock[] = [];
  private blockBytes = 0;
  private bytes = 0;

  constructor(sealer: Sealer, batchId: string) {
    this.sealer = sealer;
    this.batchId = batchId;
    this.writer = new BlockWriter(sealer, batchId);
  }

  job({ row, check, subject, raw, images, twinRow }: NewJob): boolean {
    const id = newId();
    // A duplicate never runs, so it needs no images.
    const sealed = images === null || twinRow > 0 ? null : this.sealer.seal(packImages(images), 'images', id);
    this.jobs.push({ id, check: check.id, row, twinRow, subject, images: sealed });
    this.imageBytes += sealed?.length ?? 0;
    this.bytes += ROW_BYTES + (sealed?.length ?? 0);
    this.keep(this.writer.add(row, raw));
    return this.jobs.length >= SLICE_JOBS || this.imageBytes >= SLICE_IMAGE_BYTES || this.blockBytes >= SLICE_BLOCK_BYTES;
  }

  invalid(row: number, problems: RowProblem[], raw: RawRow | null): boolean {
    const input = raw === null ? null : this.sealer.seal(JSON.stringify(raw), 'invalid_row', `${this.batchId}:${row}`);
    this.refused.push({ row, problems, input });
    this.bytes += ROW_BYTES + (input?.length ?? 0);
    this.refusedBytes += input?.length ?? 0;
    return this.isRefusedFull();
  }

  slice(isLast: boolean): PackedRows {
    if (isLast) this.keep(this.writer.end());
    const { jobs, bytes } = this;
    let refused: RefusedRow[] = [];
    let blocks: SealedBlock[] = [];
    [this.jobs, this.imageBytes, this.bytes] = [[], 0, 0];
    if (isLast || this.isRefusedFull()) [refused, this.refused, this.refusedBytes] = [this.refused, [], 0];
    if (isLast || this.blockBytes >= SLICE_BLOCK_BYTES) [blocks, this.blocks, this.blockBytes] = [this.blocks, [], 0];
    return {
      jobs: jobs.length > 0 ? writeJobs(jobs) : null,
      refused: refused.length > 0 ? writeRefused(refused) : null,
      blocks: blocks.length > 0 ? writeBlocks(blocks) : null,
      bytes,
    };
  }

  private isRefusedFull(): boolean {
    return this.refused.length >= SLICE_INVALID || this.refusedBytes >= SLICE_INVALID_BYTES;
  }

  private keep(block: SealedBlock | null): void {
    if (block === null) return;
    this.blocks.push(block);
    this.blockBytes += block.rows.length;
    this.bytes += block.rows.length;
  }
}

function writeJobs(jobs: readonly SealedJob[]): PackedJobs {
  const checks = [...new Set(jobs.map(({ check }) => check))];
  const hasTwins = jobs.some(({ twinRow }) => twinRow > 0);
  const hasImages = jobs.some(({ images }) => images !== null);
  const rows = writeRows(jobs, {
    id: ['uuid', (job) => job.id],
    row_number: ['int', ({ row }) => row],
    subject: ['bytea', (job) => job.subject],
    ...(checks.length > 1 && { check_at: ['int', ({ check }: SealedJob) => checks.indexOf(check) + 1] as const }),
    ...(hasTwins && { twin_row: ['int', ({ twinRow }: SealedJob) => (twinRow === 0 ? null : twinRow)] as const }),
    ...(hasImages && { images: ['bytea', (job: SealedJob) => job.images] as const }),
  });
  return { checks, hasTwins, hasImages, rows };
}

const writeRefused = (refused: readonly RefusedRow[]): WrittenRows =>
  writeRows(refused, {
    row_number: ['int', (r) => r.row],
    problems: ['text', (r) => JSON.stringify(r.problems)],
    input: ['bytea', (r) => r.input],
  });
