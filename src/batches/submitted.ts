/** The submitted input of a job, as stored: a single job's input is sealed with the job, a batch's rows in blocks. */
import { knownCheck } from '../checks/catalog.ts';
import type { Context } from '../foundation/context.ts';
import type { StoredJob } from '../jobs/job.ts';
import type { BatchFormat, DateFormat } from '../schema/batches.ts';
import { isTable, type Mapping, type RawRow, rowReader } from './columns.ts';
import { readBlocks } from './row-blocks.ts';
import { formsOf } from './written-values.ts';

export type SubmittedJob = Pick<StoredJob, 'id' | 'batchId' | 'rowNumber' | 'input'>;

/** Reads one input of a check. Throws if it does not open. */
export type InputReader = (field: string) => unknown;

interface BatchColumns {
  checks: string[];
  format: BatchFormat;
  columns: string[];
  mapping: Mapping;
  dateFormat: DateFormat | null;
}

/** Returns a reader for each of `jobs`, which may belong to several batches. */
export async function readSubmitted(ctx: Context, jobs: readonly SubmittedJob[]): Promise<(job: SubmittedJob) => InputReader> {
  const ids = [...new Set(jobs.flatMap((job) => job.batchId ?? []))];
  const batches = new Map(await Promise.all(ids.map(async (id) => [id, await readRows(ctx, id, jobs)] as const)));
  return (job) => {
    const own = job.input === null ? null : (JSON.parse(ctx.cipher.open(job.input, 'input', job.id)) as RawRow);
    if (job.batchId === null) return (field) => (own as Record<string, unknown>)[field];
    const { read, open } = batches.get(job.batchId)!;
    // Batches older than blocks have each row with its job.
    const row = own ?? open(job.rowNumber!);
    return (field) => read(row, field);
  };
}

async function readRows(ctx: Context, id: string, jobs: readonly SubmittedJob[]) {
  const rows = jobs.flatMap((job) => (job.batchId === id ? job.rowNumber! : []));
  const [[batch], { open }] = await Promise.all([
    ctx.sql<BatchColumns[]>`select checks, format, columns, mapping, date_format from batches where id = ${id}`,
    readBlocks(ctx, id, rows),
  ]);
  const { checks, format, columns, mapping, dateFormat } = batch!;
  const read = rowReader(isTable(format) ? columns : null, mapping, formsOf(checks.map(knownCheck)), dateFormat ?? undefined);
  return { read, open };
}
