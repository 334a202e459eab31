/** A batch's jobs page by page, and the first errors of its rows: what fits into a JSON answer. */
import { findReference, type Look, suggestRows } from '../batches/find-reference.ts';
import { openJobs } from '../batches/submitted.ts';
import type { Unopened } from '../contract/about.ts';
import type { BatchRow } from '../contract/batches.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { pagesOf, parseCursor, showCursor } from '../foundation/cursor.ts';
import { narrowed } from '../foundation/lists.ts';
import { type StoredJob, selectJobs } from '../jobs/job.ts';
import type { RowProblem } from '../schema/batches.ts';
import { hasInvalid } from './invalid-rows.ts';

export interface JobPage {
  jobs: StoredJob[];
  /** Null on the last page. */
  nextCursor: string | null;
  /** With a reference: the last row that was looked at for it. */
  lookedTo?: number;
}

interface JobsOptions {
  cursor: string | null;
  limit: number;
  status: string | null;
  outcome: string | null;
  flagged: boolean | null;
  /** Only the row that has it. */
  reference: string | null;
  fromRow: number | null;
  check?: string | undefined;
  /** Kobo. */
  billed?: number | null | undefined;
}

/** A batch's jobs in row order, after `cursor` or else from `fromRow` on. Null if the cursor does not belong to this batch. */
export async function readJobs(ctx: Context, batch: BatchRow, options: JobsOptions): Promise<JobPage | null> {
  const scope = `jobs:${batch.id}`;
  const after = options.cursor === null ? `${options.fromRow ?? 0}:` : parseCursor(ctx.cipher, scope, options.cursor);
  if (after === null) return null;
  const [row, check] = after.split(':') as [string, string];
  const look = options.reference === null ? null : await lookFor(ctx, batch, options.reference, Math.max(1, Number(row)));
  if (look?.row === null) {
    const { lookedTo } = look;
    return { jobs: [], nextCursor: lookedTo < batch.rows ? showCursor(ctx.cipher, scope, `${lookedTo + 1}:`) : null, lookedTo };
  }
  const found = look?.row ?? null;
  const { sql } = ctx;
  const { status, outcome, flagged, check: wanted, billed } = options;
  const jobs = await sql<Unopened<StoredJob>[]>`
    ${selectJobs(sql, batch)}
    where j.batch_id = ${batch.id} and (j.row_number, j.check_id) > (${Number(row)}, ${check})
      ${narrowed(sql, [
        found !== null && sql`j.row_number = ${found}`,
        status !== null && withStatus(sql, status),
        outcome !== null && sql`coalesce(t.outcome, j.outcome) = ${outcome}::text::job_outcome`,
        flagged !== null && sql`coalesce(t.flagged, j.flagged, false) = ${flagged}`,
        wanted !== undefined && sql`j.check_id = ${wanted}`,
        billed !== undefined && billed !== null && sql`j.billed_kobo = ${billed}`,
      ])}
    order by j.row_number, j.check_id limit ${options.limit + 1}`;
  const { page, nextCursor } = pagesOf(ctx.cipher, scope).page(jobs, options.limit, ({ rowNumber, checkId }) => `${rowNumber}:${checkId}`);
  return { jobs: await openJobs<StoredJob>(ctx, page), nextCursor, ...(look && { lookedTo: look.lookedTo }) };
}

async function lookFor(ctx: Context, batch: BatchRow, reference: string, fromRow: number): Promise<Look> {
  const suggestions = await suggestRows(ctx, [batch], reference);
  return findReference(ctx, batch, reference, { fromRow, suggestion: suggestions.get(batch.id)! });
}

/** A duplicate is found with its original as well as among the duplicates. */
const withStatus = (sql: Sql | Tx, status: string) =>
  status === 'duplicate' ? sql`j.status = 'duplicate'` : sql`coalesce(t.status, j.status) = ${status}::text::job_status`;

/** The first invalid rows, for the answer that describes the batch. */
export async function readErrors(ctx: Context, batch: BatchRow, limit: number) {
  if (!hasInvalid(batch) || batch.deletedAt !== null) return [];
  const rows = await ctx.sql<{ rowNumber: number; problems: RowProblem[] }[]>`
    select row_number, problems from invalid_rows where batch_id = ${batch.id} order by row_number limit ${limit}`;
  return rows
    .flatMap(({ rowNumber, problems }) =>
      problems.map((p) => ({ row: rowNumber, path: p.field ?? `row ${rowNumber}`, rule: p.rule, message: p.message })),
    )
    .slice(0, limit);
}
