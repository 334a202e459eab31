/** Lists an app's batches and single jobs page by page. */
import type { Owner } from '../access/owner.ts';
import { openRow, referenceIndexes, type Unopened } from '../contract/about.ts';
import type { BatchRow, UnopenedBatch } from '../contract/batches.ts';
import type { JobRow } from '../contract/jobs.ts';
import type { Context } from '../foundation/context.ts';
import { pagesOf } from '../foundation/cursor.ts';
import { limited, narrowed, ownedBy } from '../foundation/lists.ts';
import { byteaArray } from '../foundation/recordset.ts';
import { jobColumns } from '../jobs/job.ts';

export interface BatchPage {
  batches: BatchRow[];
  /** Null on the last page. */
  nextCursor: string | null;
}

export interface BatchQuery {
  statuses: readonly string[] | null;
  reference: string | null;
  /** ISO times with offset: created at or after `since`, and before `until`. */
  since: string | null;
  until: string | null;
  cursor: string | null;
  limit: number;
}

/** Newest first: ids are ordered by time. Null if the cursor is not one of this list. */
export async function listBatches(ctx: Context, owner: Owner, query: BatchQuery): Promise<BatchPage | null> {
  const pages = pagesOf(ctx.cipher, `batches:${owner.appId}:${owner.live}`);
  const before = pages.begin(query.cursor);
  if (before === undefined) return null;
  const { statuses, reference, since, until, limit } = query;
  const indexes = reference === null ? [] : referenceIndexes(ctx.cipher, owner, reference);
  const { sql } = ctx;
  const batches = await sql<UnopenedBatch[]>`
    select * from batches
    where ${ownedBy(sql, owner)}
      ${narrowed(sql, [
        before !== null && sql`id < ${before}`,
        statuses !== null && sql`status::text = any(${statuses as string[]})`,
        reference !== null && sql`(reference_index = any(${byteaArray(indexes)}::bytea[]) or reference = ${reference})`,
        since !== null && sql`created_at >= ${since}`,
        until !== null && sql`created_at < ${until}`,
      ])}
    order by live desc, id desc ${limited(sql, limit + 1)}`;
  const { page, nextCursor } = pages.page(batches, limit, ({ id }) => id);
  const opener = await ctx.cipher.opener(page.map(({ about }) => about));
  return { batches: page.map((batch) => openRow<BatchRow>(opener, 'bat', batch)), nextCursor };
}

export interface JobQuery {
  statuses: readonly string[] | null;
  outcome: string | null;
  flagged: boolean | null;
  check: string | null;
  reference: string | null;
  /** ISO times with offset: created at or after `since`, and before `until`. */
  since: string | null;
  until: string | null;
  cursor: string | null;
  limit: number;
}

type ListedJob = JobRow & { runAfter: string | null };

/** Single jobs without their results, newest first. Null if the cursor is not one of this list. */
export async function listJobs(
  { sql, cipher }: Context,
  { appId, live }: Owner,
  query: JobQuery,
): Promise<{ jobs: ListedJob[]; nextCursor: string | null } | null> {
  const pages = pagesOf(cipher, `single-jobs:${appId}:${live}`);
  const before = pages.begin(query.cursor);
  if (before === undefined) return null;
  const { statuses, outcome, flagged, check, reference, since, until, limit } = query;
  const indexes = reference === null ? [] : referenceIndexes(cipher, { appId, live }, reference);
  const jobs = await sql<Unopened<ListedJob>[]>`
    select ${sql.unsafe(jobColumns)}, w.run_after from jobs j left join waiting_jobs w on w.job_id = j.id
    where ${ownedBy(sql, { appId, live }, 'j')} and j.batch_id is null and j.input is not null
      ${narrowed(sql, [
        before !== null && sql`j.id < ${before}`,
        statuses !== null && sql`j.status::text = any(${statuses as string[]})`,
        outcome !== null && sql`j.outcome::text = ${outcome}`,
        flagged !== null && sql`coalesce(j.flagged, false) = ${flagged}`,
        check !== null && sql`j.check_id = ${check}`,
        reference !== null && sql`(j.reference_index = any(${byteaArray(indexes)}::bytea[]) or j.reference = ${reference})`,
        since !== null && sql`j.created_at >= ${since}`,
        until !== null && sql`j.created_at < ${until}`,
      ])}
    order by j.live desc, j.id desc ${limited(sql, limit + 1)}`;
  const { page, nextCursor } = pages.page(jobs, limit, ({ id }) => id);
  const opener = await cipher.opener(page.map(({ about }) => about));
  return { jobs: page.map((job) => openRow<ListedJob>(opener, 'job', job)), nextCursor };
}
