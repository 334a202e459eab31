/**
 * Finds the rows that have a reference, in every batch of an app and mode, newest first. Searching a batch that has no marks yet (`batches/find-reference.ts`)
 * takes long, so each request stops after a fixed time, and the next one continues from there.
 */
import type { AppMode } from '../access/owner.ts';
import { findReference, LOOK_MS, type Suggestion, suggestRows } from '../batches/find-reference.ts';
import { openJobs } from '../batches/submitted.ts';
import { openRow, type Unopened } from '../contract/about.ts';
import type { BatchRow, UnopenedBatch } from '../contract/batches.ts';
import type { Context } from '../foundation/context.ts';
import { parseCursor, showCursor } from '../foundation/cursor.ts';
import { limited, narrowed, ownedBy } from '../foundation/lists.ts';
import { type StoredJob, selectJobs } from '../jobs/job.ts';
import type { RowProblem } from '../schema/batches.ts';
import { findInvalid, hasInvalid } from './invalid-rows.ts';

export interface FoundRow {
  batch: BatchRow;
  row: number;
  /** What is wrong with an invalid row; otherwise null. */
  problems: RowProblem[] | null;
  /** One for each check of the batch; none for an invalid row. */
  jobs: StoredJob[];
}

interface FoundRows {
  rows: FoundRow[];
  /** Null once every batch was searched. */
  nextCursor: string | null;
  /** The batch that was searched last; null: none. */
  searchedTo: BatchRow | null;
}

/** Where the search goes on: in this batch or the next older one, among its valid or its invalid rows, from this row on. */
interface Position {
  batch: string;
  part: 'valid' | 'invalid';
  row: number;
}

/** Batches read at a time. */
const BATCHES = 50;

/** Null if the cursor does not belong to this list. Ends before `limit` rows are found if the time is up. */
export async function findRows(
  ctx: Context,
  owner: AppMode,
  { reference, cursor, limit }: { reference: string; cursor: string | null; limit: number },
): Promise<FoundRows | null> {
  const scope = `rows:${owner.appId}:${owner.live}`;
  let at = cursor === null ? null : positionOf(parseCursor(ctx.cipher, scope, cursor));
  if (cursor !== null && at === null) return null;
  const until = performance.now() + LOOK_MS;
  const rows: FoundRow[] = [];
  let searchedTo: BatchRow | null = null;
  const end = (next: Position | null): FoundRows => ({
    rows,
    nextCursor: next && showCursor(ctx.cipher, scope, `${next.batch} ${next.part} ${next.row}`),
    searchedTo,
  });
  for (;;) {
    const batches = await readBatches(ctx, owner, at?.batch ?? null);
    const suggestions = await suggestRows(ctx, batches, reference);
    for (const batch of batches.slice(0, BATCHES)) {
      const from: Position = at?.batch === batch.id ? at : { batch: batch.id, part: 'valid', row: 1 };
      if (rows.length >= limit || (performance.now() > until && searchedTo !== null)) return end(from);
      searchedTo = batch;
      const suggestion = suggestions.get(batch.id)!;
      if (suggestion?.length === 0) continue;
      const bounds = { suggestion, ms: Math.max(0, until - performance.now()), room: limit - rows.length };
      const { found, next } = await searchBatch(ctx, batch, reference, from, bounds);
      rows.push(...found);
      if (next) return end(next);
    }
    const further = batches[BATCHES];
    if (!further) return end(null);
    at = { batch: further.id, part: 'valid', row: 1 };
  }
}

/** Newest first, from `from` on; one more than `BATCHES` if there is one. Without those that have no references or no rows any more. */
async function readBatches({ sql, cipher }: Context, owner: AppMode, from: string | null): Promise<BatchRow[]> {
  const batches = await sql<UnopenedBatch[]>`
    select * from batches
    where ${ownedBy(sql, owner)} and deleted_at is null and mapping->>'reference' is not null
      ${narrowed(sql, [from !== null && sql`id <= ${from}`])}
    order by live desc, id desc ${limited(sql, BATCHES + 1)}`;
  const opener = await cipher.opener(batches.map(({ about }) => about));
  return batches.map((batch) => openRow<BatchRow>(opener, 'bat', batch));
}

/** `room`: how many rows may be found. `next`: where to go on if that or the time did not suffice. */
async function searchBatch(
  ctx: Context,
  batch: BatchRow,
  reference: string,
  { part, row: from }: Position,
  { suggestion, ms, room }: { suggestion: Suggestion; ms: number; room: number },
): Promise<{ found: FoundRow[]; next: Position | null }> {
  const found: FoundRow[] = [];
  const began = performance.now();
  if (part === 'valid') {
    const { row, lookedTo } = await findReference(ctx, batch, reference, { fromRow: from, suggestion, ms });
    if (row === null && lookedTo < batch.rows) return { found, next: { batch: batch.id, part, row: lookedTo + 1 } };
    const jobs = row === null ? [] : await readRow(ctx, batch, row);
    if (jobs.length > 0) found.push({ batch, row: row!, problems: null, jobs });
  }
  if (!hasInvalid(batch)) return { found, next: null };
  if (found.length === room) return { found, next: { batch: batch.id, part: 'invalid', row: 1 } };
  const left = Math.max(0, ms - (performance.now() - began));
  const { rows, next } = await findInvalid(ctx, batch, reference, { from: part === 'invalid' ? from : 1, suggestion, ms: left });
  for (const { row, problems } of rows) found.push({ batch, row, problems, jobs: [] });
  return { found, next: next === null ? null : { batch: batch.id, part: 'invalid', row: next } };
}

/** The jobs of a row, in the order of the batch's checks. Empty if its person was erased. */
async function readRow(ctx: Context, batch: BatchRow, row: number): Promise<StoredJob[]> {
  const jobs = await ctx.sql<Unopened<StoredJob>[]>`${selectJobs(ctx.sql, batch)} where j.batch_id = ${batch.id} and j.row_number = ${row}`;
  const placeOf = ({ checkId }: StoredJob): number => batch.checks.indexOf(checkId);
  return (await openJobs<StoredJob>(ctx, jobs)).toSorted((one, other) => placeOf(one) - placeOf(other));
}

function positionOf(text: string | null): Position | null {
  const [batch, part, row] = text?.split(' ') ?? [];
  return batch && (part === 'valid' || part === 'invalid') ? { batch, part, row: Number(row) } : null;
}
