/**
 * The submitted input of a job, as stored. A single job's input, and what its client said about it, are sealed with the job; a batch's rows, each with its
 * reference, in blocks.
 */
import { knownCheck } from '../checks/catalog.ts';
import { openRow, type Unopened } from '../contract/about.ts';
import type { JobRow } from '../contract/jobs.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { type StoredJob, selectJobs } from '../jobs/job.ts';
import { attachBlocks } from '../jobs/result-blocks.ts';
import type { BatchFormat, DateFormat } from '../schema/batches.ts';
import { readBlocks } from './row-blocks.ts';
import { isTable, type Mapping, type RawRow, REFERENCE, rowReader, storedReference } from './row-reader.ts';
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
  const { open: openOwn } = await ctx.cipher.opener(jobs.map(({ input }) => input));
  return (job) => {
    const own = job.input === null ? null : (JSON.parse(openOwn(job.input, 'input', job.id)) as RawRow);
    if (job.batchId === null) return (field) => (own as Record<string, unknown>)[field];
    const { read, open } = batches.get(job.batchId)!;
    // Batches older than blocks have each row with its job.
    const row = own ?? open(job.rowNumber!);
    return (field) => read(row, field);
  };
}

/** Null if the job does not exist, was deleted (by itself or with its batch), or belongs to another app. */
export const readJob = async (ctx: Context, sql: Sql | Tx, appId: string, id: string): Promise<StoredJob | null> =>
  (await readJobs(ctx, sql, appId, [id]))[0] ?? null;

/** The jobs that `readJob` would return, in no order. */
export async function readJobs(ctx: Context, sql: Sql | Tx, appId: string, ids: readonly string[]): Promise<StoredJob[]> {
  const rows = await sql<Unopened<StoredJob>[]>`
    ${selectJobs(sql)} where j.id = any(${ids as string[]}::uuid[]) and j.app_id = ${appId}
      and not exists (select 1 from deletions d where d.id in (j.id, j.batch_id))`;
  return openJobs<StoredJob>(ctx, rows);
}

/** Opens jobs with their references and metadata, in the order given, and reads the blocks of their results. Throws if something does not open. */
export async function openJobs<Job extends JobRow>(ctx: Context, stored: readonly Unopened<Job>[]): Promise<Job[]> {
  const opener = await ctx.cipher.opener(stored.map(({ about }) => about));
  const jobs = stored.map((job) => openRow<Job>(opener, 'job', job));
  const [rows] = await Promise.all([
    withReferences(
      ctx,
      jobs.filter((job) => job.batchId !== null && job.reference === null),
    ),
    attachBlocks(ctx, jobs),
  ]);
  if (rows.length === 0) return jobs;
  const submitted = await readSubmitted(ctx, rows);
  for (const row of rows) row.reference = storedReference(submitted(row));
  return jobs;
}

/** The rows of batches that have a reference column; the blocks of other batches need not be read. */
async function withReferences<Job extends JobRow>({ sql }: Context, rows: Job[]): Promise<Job[]> {
  if (rows.length === 0) return rows;
  const ids = [...new Set(rows.map((row) => row.batchId!))];
  const batches = await sql<{ id: string }[]>`select id from batches where id = any(${ids}::uuid[]) and mapping ? ${REFERENCE}`;
  return rows.filter((row) => batches.some(({ id }) => id === row.batchId));
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
