/** Where an export has found a person: jobs, calls and rows of batches, by id and number. Nothing about anybody is opened. */

import type { Context } from '../foundation/context.ts';
import { parseCursor, showCursor } from '../foundation/cursor.ts';
import { twinJoin } from '../jobs/job.ts';
import type { jobOutcome, jobStatus } from '../schema/jobs.ts';
import type { FoundOfPerson } from '../schema/lifecycle.ts';
import type { ExportRow } from './export.ts';

export interface JobThere {
  id: string;
  checkId: string;
  /** A duplicate has the status and the outcome of its original. */
  status: (typeof jobStatus.enumValues)[number];
  outcome: (typeof jobOutcome.enumValues)[number] | null;
  createdAt: string;
}

export interface FoundPlace {
  kind: 'job' | 'call' | 'row' | 'invalid_row';
  /** Where a row is; null for anything else. */
  batch: { id: string; row: number; createdAt: string } | null;
  /** One for each check of a row; none in a row to correct. */
  jobs: JobThere[];
}

interface PlacePage {
  places: FoundPlace[];
  /** Null on the last page. */
  nextCursor: string | null;
}

type Spot = { kind: 'job' | 'call'; id: string } | { kind: 'row' | 'invalid_row'; id: string; row: number };

/** Newest first; the rows of a batch are in order. Leaves out what has been deleted since. Null: the cursor came from another list. */
export async function readPlaces(
  ctx: Context,
  { id, appId, live, found }: ExportRow,
  { cursor, limit }: { cursor: string | null; limit: number },
): Promise<PlacePage | null> {
  const scope = `places ${id}`;
  const position = cursor === null ? '0' : parseCursor(ctx.cipher, scope, cursor);
  if (position === null) return null;
  const from = Number(position);
  const spots = found ? spotsOf(found) : [];
  const page = spots.slice(from, from + limit);
  const singles = page.flatMap((spot) => ('row' in spot ? [] : [spot.id]));
  const rows = page.flatMap((spot) => ('row' in spot ? [spot] : []));
  const { sql } = ctx;
  const [alone, inRows, batches] = await Promise.all([
    sql<JobThere[]>`
      select id, check_id, status, outcome, created_at from jobs j
      where id = any(${singles}::uuid[]) and app_id = ${appId} and live = ${live} and not exists (select 1 from deletions d where d.id = j.id)`,
    sql<(JobThere & { batchId: string; rowNumber: number })[]>`
      select j.id, j.batch_id, j.row_number, j.check_id, coalesce(t.status, j.status) as status, coalesce(t.outcome, j.outcome) as outcome, j.created_at
      from unnest(${rows.map((spot) => spot.id)}::uuid[], ${rows.map(({ row }) => row)}::int[]) spot (batch_id, row_number)
      join jobs j on j.batch_id = spot.batch_id and j.row_number = spot.row_number ${sql.unsafe(twinJoin)}
      where j.app_id = ${appId} and j.live = ${live} order by j.check_id`,
    sql<{ id: string; createdAt: string }[]>`
      select id, created_at from batches
      where id = any(${rows.map((spot) => spot.id)}::uuid[]) and app_id = ${appId} and live = ${live} and deleted_at is null`,
  ]);
  const places = page.flatMap((spot): FoundPlace[] => {
    if (!('row' in spot)) {
      const jobs = alone.filter((job) => job.id === spot.id);
      return jobs.length === 0 ? [] : [{ kind: spot.kind, batch: null, jobs }];
    }
    const batch = batches.find((one) => one.id === spot.id);
    if (!batch) return [];
    const jobs = inRows.filter((job) => job.batchId === spot.id && job.rowNumber === spot.row);
    return [{ kind: spot.kind, batch: { ...batch, row: spot.row }, jobs }];
  });
  const to = from + page.length;
  return { places, nextCursor: to < spots.length ? showCursor(ctx.cipher, scope, String(to)) : null };
}

/** Ids sort by time. */
function spotsOf({ jobs, calls, rows, invalidRows }: FoundOfPerson): Spot[] {
  const inBatches = (kind: 'row' | 'invalid_row', all: Record<string, number[]>): Spot[] =>
    Object.entries(all).flatMap(([id, numbers]) => numbers.map((row) => ({ kind, id, row })));
  const spots: Spot[] = [
    ...jobs.map((id): Spot => ({ kind: 'job', id })),
    ...calls.map((id): Spot => ({ kind: 'call', id })),
    ...inBatches('row', rows),
    ...inBatches('invalid_row', invalidRows),
  ];
  const rowOf = (spot: Spot) => ('row' in spot ? spot.row : 0);
  return spots.sort((one, other) => (one.id === other.id ? rowOf(one) - rowOf(other) : one.id < other.id ? 1 : -1));
}
