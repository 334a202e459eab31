/**
 * Rows of a batch with what came of them, a page at a time. Ciphertexts are opened by whoever writes the row. Each page is read on its own,
 * so that a slow reader holds no transaction open.
 */
import { twinJoin } from '../batches/batch.ts';
import type { RawRow } from '../batches/columns.ts';
import { BLOCK_ROWS, type RowOpener, readBlocks } from '../batches/rowblocks.ts';
import type { Context } from '../context.ts';
import type { BatchRow, Outcome } from '../contract.ts';
import type { StoredEntity } from '../entities.ts';
import type { RowProblem } from '../schema/batches.ts';
import { CopyBuffer, copyOut, openFields } from './copyout.ts';

/** Rows of which at least one job is meant. */
export interface ResultFilter {
  /** Null: all. */
  outcomes: readonly Outcome[] | null;
  /** ISO time with offset, checked; null: from the beginning. Rows with a job that ended then or later. */
  since: string | null;
}

/** Which rows, and whether with the images of their entities. */
interface Wanted extends ResultFilter {
  images: boolean;
}

/** Ciphertexts are in memory that serves again for the page after the next one. */
export interface ResultJob extends StoredEntity {
  id: string;
  status: string;
  outcome: string | null;
  errorCode: string | null;
  cached: boolean;
  billedKobo: number;
  completedAt: Date | null;
  reference: string | null;
  /** Of a duplicate: the row whose result it shows. */
  twinRow: number | null;
}

/** To be used before the next one is asked for. */
export interface ResultRow {
  row: number;
  /** Null where nothing could be kept of an invalid row. */
  raw(): RawRow | null;
  problems: RowProblem[] | null;
  /** In the order of the batch's checks. */
  jobs: (ResultJob | undefined)[];
}

/** Bytes that a page has about, and rows that it has at most. Both bound the memory of a download, which holds two pages. */
const PAGE_BYTES = 2 * 1024 * 1024;
const PAGE_ROWS_MAX = 64 * BLOCK_ROWS;
/** Rows handed on at a time: between two slices others get their turn. */
const SLICE_ROWS = 128;

/** Rows in submitted order, in slices, each to be used up before the next; one page is on its way while another is being written. */
export async function* readRows(ctx: Context, batch: BatchRow, wanted: Wanted): AsyncGenerator<Iterable<ResultRow>> {
  const turn = ctx.turns.long();
  let [buffer, other] = [new CopyBuffer(), new CopyBuffer()];
  let ahead = readPage(ctx, batch, wanted, 1, 4 * BLOCK_ROWS, buffer);
  for (let from = 1; from <= batch.rows; ) {
    const page = await ahead;
    from = page.to + 1;
    if (from <= batch.rows) {
      [buffer, other] = [other, buffer];
      ahead = readPage(ctx, batch, wanted, from, rowsAfter(page), buffer);
      // Seen by the next turn of the loop; a reader that leaves before takes no notice.
      ahead.catch(() => {});
    }
    const rows = rowsOf(ctx, batch, page);
    for (let first = rows.next(); !first.done; first = rows.next()) {
      yield slice(first.value, rows);
      await turn();
    }
  }
}

function* slice(first: ResultRow, rest: Iterator<ResultRow, void>): Generator<ResultRow> {
  yield first;
  for (let taken = 1; taken < SLICE_ROWS; taken++) {
    const next = rest.next();
    if (next.done) return;
    yield next.value;
  }
}

/** A COPY, and the rows that its jobs belong to. */
interface PageJobs {
  copied: Buffer;
  open: RowOpener;
}

interface Page {
  from: number;
  to: number;
  /** Null: no job of these rows is wanted. */
  jobs: PageJobs | null;
  invalid: ResultRow[];
}

/** Rows of the page after this one: whole blocks, as many as have the bytes of a page if they are as large as these. */
function rowsAfter({ from, to, jobs }: Page): number {
  const bytes = Math.max(1, (jobs?.copied.length ?? 0) / (to - from + 1));
  return Math.min(PAGE_ROWS_MAX, Math.max(1, Math.floor(PAGE_BYTES / bytes / BLOCK_ROWS)) * BLOCK_ROWS);
}

/** `count` rows, beginning with number `from`. */
async function readPage(ctx: Context, batch: BatchRow, wanted: Wanted, from: number, count: number, buffer: CopyBuffer): Promise<Page> {
  const { outcomes, since } = wanted;
  const to = Math.min(batch.rows, from + count - 1);
  const wantsInvalid = batch.invalid > 0 && (outcomes?.includes('invalid') ?? true);
  const wantsJobs = batch.invalid < batch.rows && (outcomes === null || outcomes.some((outcome) => outcome !== 'invalid'));
  const [jobs, invalid] = await Promise.all([
    wantsJobs ? readJobs(ctx, batch, wanted, from, to, buffer) : null,
    wantsInvalid ? readInvalidRows(ctx, batch, from, to, since) : [],
  ]);
  return { from, to, jobs, invalid };
}

async function readJobs(ctx: Context, batch: BatchRow, wanted: Wanted, from: number, to: number, buffer: CopyBuffer): Promise<PageJobs> {
  const rows = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const [copied, open] = await Promise.all([copyOut(ctx, pageQuery(batch, wanted, from, to), buffer), readBlocks(ctx, batch.id, rows)]);
  return { copied, open };
}

/** Invalid rows `from` … `to`. `since` leaves them out of a batch that was accepted before. */
export async function readInvalidRows(
  ctx: Context,
  batch: BatchRow,
  from: number,
  to: number,
  since: string | null = null,
): Promise<ResultRow[]> {
  const rows = await ctx.sql<{ rowNumber: number; problems: RowProblem[]; input: Buffer | null }[]>`
    select row_number, problems, input from invalid_rows
    where batch_id = ${batch.id} and row_number between ${from} and ${to} and (${since}::timestamptz is null or ${batch.createdAt}::timestamptz >= ${since}::timestamptz)
    order by row_number`;
  return rows.map(({ rowNumber, problems, input }) => ({
    row: rowNumber,
    raw: () => (input === null ? null : JSON.parse(ctx.cipher.open(input, 'invalid_row', `${batch.id}:${rowNumber}`))),
    problems,
    jobs: [],
  }));
}

/** Those of a page in their order. */
function* rowsOf(ctx: Context, batch: BatchRow, { jobs, invalid }: Page): Generator<ResultRow, void> {
  let refused = 0;
  for (const row of jobs === null ? [] : jobRows(ctx, batch, jobs)) {
    while (refused < invalid.length && invalid[refused]!.row < row.row) yield invalid[refused++]!;
    yield row;
  }
  while (refused < invalid.length) yield invalid[refused++]!;
}

function* jobRows(ctx: Context, batch: BatchRow, { copied, open }: PageJobs): Generator<ResultRow, void> {
  const fields = openFields(copied);
  const position = new Map(batch.checks.map((id, i) => [id, i]));
  let last = null as ResultRow | null;
  while (fields.nextTuple()) {
    const row = fields.int()!;
    const check = position.get(fields.name()!)!;
    const id = fields.name()!;
    const job: ResultJob = {
      id,
      status: fields.name()!,
      outcome: fields.name(),
      errorCode: fields.name(),
      cached: fields.flag(),
      billedKobo: fields.int()!,
      completedAt: fields.instant(),
      reference: fields.text(),
      twinRow: fields.int(),
      entityOf: fields.name() ?? id,
      entity: fields.bytes(),
      entityImages: fields.bytes(),
    };
    const input = fields.bytes();
    if (last?.row !== row) {
      if (last) yield last;
      last = { row, raw: () => open(row), problems: null, jobs: [] };
    }
    last.jobs[check] = job;
    // Batches from before there were blocks have each row with its jobs.
    if (input) last.raw = () => JSON.parse(ctx.cipher.open(input, 'input', job.id));
  }
  if (last) yield last;
}

/** COPY takes no parameters: everything in this text is a number, an id of ours or a checked time. */
function pageQuery(batch: BatchRow, { outcomes, since, images }: Wanted, from: number, to: number): string {
  const hasTwins = batch.duplicate > 0;
  const own = (column: string) => (hasTwins ? `coalesce(t.${column}, j.${column})` : `j.${column}`);
  const ofTwin = (column: string) => (hasTwins ? `case when t.id is null then j.${column} else t.${column} end` : `j.${column}`);
  const conditions = [
    outcomes === null ? null : `(${outcomes.map((outcome) => condition[outcome](own('status'), ofTwin('outcome'))).join(' or ')})`,
    since === null ? null : `${ofTwin('completed_at')} >= '${since}'::timestamptz`,
  ].filter((text) => text !== null);
  const isWanted =
    conditions.length === 0 ? 'true' : `bool_or(coalesce(${conditions.join(' and ')}, false)) over (partition by j.row_number)`;
  return `copy (
    select x.row_number, x.check_id, x.id::text, x.status::text, x.outcome::text, x.error_code, x.cached, x.billed_kobo, x.completed_at,
      x.reference, x.twin_row, nullif(x.entity_of, x.id)::text, r.entity,
      ${images ? 'r.entity_images' : 'null::bytea'}, case when x.check_id = '${batch.checks[0]}' then x.input end
    from (
      select j.row_number, j.check_id, j.id, j.status, ${ofTwin('outcome')} as outcome, ${ofTwin('error_code')} as error_code,
        ${own('cached')} as cached, j.billed_kobo, ${ofTwin('completed_at')} as completed_at, j.reference, j.twin_row, j.input,
        ${own('id')} as entity_of, ${isWanted} as wanted
      from jobs j ${hasTwins ? twinJoin : ''}
      where j.batch_id = '${batch.id}' and j.row_number between ${from} and ${to}) x
    left join results r on r.job_id = x.entity_of
    where x.wanted order by x.row_number) to stdout (format binary)`;
}

/** SQL over `j`; `status` and `outcome` are expressions for its own or its twin's. An invalid row has no job. */
const condition: Record<Outcome, (status: string, outcome: string) => string> = {
  found: (_, outcome) => `${outcome} = 'found'`,
  not_found: (_, outcome) => `${outcome} = 'not_found'`,
  failed: (status) => `${status} = 'failed'`,
  canceled: (status) => `${status} = 'canceled'`,
  duplicate: () => `j.status = 'duplicate'`,
  pending: (status) => `${status} in ('queued', 'leased')`,
  invalid: () => 'false',
};
