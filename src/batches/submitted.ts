/** What was submitted for a job, as it is stored: a single job's input is sealed with it, a batch's rows in blocks. */
import type { Context } from '../context.ts';
import type { BatchFormat } from '../schema/batches.ts';
import type { StoredJob } from './batch.ts';
import { isTable, type Mapping, type RawRow, rowReader } from './columns.ts';
import { readBlocks } from './rowblocks.ts';

export type SubmittedJob = Pick<StoredJob, 'id' | 'batchId' | 'rowNumber' | 'input'>;

/** Reads an input of a check. Throws where it does not open. */
export type InputReader = (field: string) => unknown;

interface BatchColumns {
  format: BatchFormat;
  columns: string[];
  mapping: Mapping;
}

/** Answers a reader for each of `jobs`, which may be of several batches. */
export async function readSubmitted(ctx: Context, jobs: readonly SubmittedJob[]): Promise<(job: SubmittedJob) => InputReader> {
  const ids = [...new Set(jobs.flatMap((job) => job.batchId ?? []))];
  const batches = new Map(await Promise.all(ids.map(async (id) => [id, await readRows(ctx, id, jobs)] as const)));
  return (job) => {
    const own = job.input === null ? null : (JSON.parse(ctx.cipher.open(job.input, 'input', job.id)) as RawRow);
    if (job.batchId === null) return (field) => (own as Record<string, unknown>)[field];
    const { read, open } = batches.get(job.batchId)!;
    // Batches from before there were blocks have each row with its job.
    const row = own ?? open(job.rowNumber!);
    return (field) => read(row, field);
  };
}

async function readRows(ctx: Context, id: string, jobs: readonly SubmittedJob[]) {
  const rows = jobs.flatMap((job) => (job.batchId === id ? job.rowNumber! : []));
  const [[batch], open] = await Promise.all([
    ctx.sql<BatchColumns[]>`select format, columns, mapping from batches where id = ${id}`,
    readBlocks(ctx, id, rows),
  ]);
  const { format, columns, mapping } = batch!;
  return { read: rowReader(isTable(format) ? columns : null, mapping), open };
}
