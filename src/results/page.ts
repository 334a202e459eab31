/**
 * A page of a batch: its rows with their results, as they are selected, copied out of the database and merged. The caller that writes a row opens its
 * ciphertexts.
 */

import type { Admitting } from '../access/admission.ts';
import { blocksQuery, type RowRange, type SubmittedRows, submittedRows } from '../batches/row-blocks.ts';
import type { RawRow } from '../batches/row-reader.ts';
import type { BatchRow } from '../contract/batches.ts';
import type { Context } from '../foundation/context.ts';
import type { Opener } from '../foundation/crypto.ts';
import { ApiError } from '../foundation/errors.ts';
import { type JsonBytes, parseBytes } from '../foundation/json-bytes.ts';
import { narrowed } from '../foundation/lists.ts';
import type { StoredEntity } from '../jobs/entities.ts';
import { ResultBlock } from '../jobs/result-blocks.ts';
import type { RowProblem } from '../schema/batches.ts';
import { type CopyBuffer, copyOut, openTuples } from './copy-reader.ts';
import { hasInvalid } from './invalid-rows.ts';
import { JOB_FIELDS, pageQuery, resultBlocksQuery, type Wanted } from './page-query.ts';

/** One object for all jobs of a page whose state is equal. */
export interface JobState {
  status: string;
  outcome: string | null;
  errorCode: string | null;
  cached: boolean;
  billedKobo: number;
  isOver: boolean;
}

/** Its ciphertexts are in memory that is reused for the page after the next. */
export interface ResultJob extends StoredEntity {
  /** Empty in a table, which does not show it, unless something of the job is sealed under it. */
  id: string;
  state: JobState;
  /** Null in a table. */
  completedAt: Date | null;
  /** The client's reference, in the clear or sealed. Set only for batches of earlier releases. Both null: look in the row. */
  reference: string | null;
  about: Buffer | null;
  /** For a duplicate: the row of its original, whose result it shows. */
  twinRow: number | null;
}

/** Valid until the next row is requested. */
export interface ResultRow {
  row: number;
  /** Null if no part of an invalid row could be kept. */
  raw(): RawRow | null;
  /** The row's JSON, not parsed. */
  json(): JsonBytes | null;
  problems: RowProblem[] | null;
  /** In the order of the batch's checks. */
  jobs: (ResultJob | undefined)[];
}

/** Outputs of COPY. */
interface PageJobs {
  jobs: Buffer;
  /** The blocks that the jobs name. */
  blocks: Buffer;
  /** The blocks of the rows that the jobs belong to. */
  submitted: Buffer;
}

export interface Page {
  to: number;
  /** Null if no job of these rows is wanted. */
  jobs: PageJobs | null;
  invalid: ResultRow[];
  bytes: number;
}

export async function readPage(ctx: Context, batch: BatchRow, wanted: Wanted, range: RowRange, buffer: CopyBuffer): Promise<Page> {
  const { outcomes, since } = wanted;
  const wantsInvalid = hasInvalid(batch) && (outcomes?.includes('invalid') ?? true);
  const wantsJobs = batch.invalid < batch.rows && (outcomes === null || outcomes.some((outcome) => outcome !== 'invalid'));
  const [jobs, invalid] = await Promise.all([
    wantsJobs ? readJobs(ctx, batch, wanted, range, buffer) : null,
    wantsInvalid ? readInvalidRows(ctx, batch, range, since) : { rows: [], bytes: 0 },
  ]);
  await refuseDeleted(ctx, batch);
  return { to: range.to, jobs, invalid: invalid.rows, bytes: (jobs === null ? 0 : buffer.length) + invalid.bytes };
}

/** Checked after each page: rows may have been deleted while it was read, and a file that lacks some must not look whole. Then the download is cut off. */
async function refuseDeleted({ sql }: Context, { id }: BatchRow): Promise<void> {
  const [deletion] = await sql`select 1 from deletions where id = ${id}`;
  if (deletion) throw new ApiError('resource_not_found', 'The batch was deleted while it was read');
}

/** Fills the buffer; the result is a view of it. */
function readJobs(ctx: Context, batch: BatchRow, wanted: Wanted, range: RowRange, buffer: CopyBuffer): Promise<PageJobs> {
  return copyOut(ctx, buffer, async (copy) => {
    const jobs = await copy(pageQuery(batch, wanted, range));
    const blocks = await copy(resultBlocksQuery(batch.id, blocksIn(buffer.part(jobs))));
    const submitted = await copy(blocksQuery(batch.id, range));
    return { jobs: buffer.part(jobs), blocks: buffer.part(blocks), submitted: buffer.part(submitted) };
  });
}

/** The blocks that the jobs of a page name. */
function blocksIn(jobs: Buffer): Set<string> {
  const { next, read, shared } = openTuples(jobs, JOB_FIELDS);
  const ids = new Set<string>();
  const note = shared('block', 'block', () => {
    const id = read.block();
    if (id !== null) ids.add(id);
  });
  while (next()) note();
  return ids;
}

interface InvalidRows {
  rows: ResultRow[];
  bytes: number;
}

interface StoredInvalid {
  rowNumber: number;
  problems: RowProblem[];
  input: Buffer | null;
}

/** With `since`, none if the batch was accepted earlier. */
async function readInvalidRows(ctx: Context, batch: BatchRow, { from, to }: RowRange, since: string | null): Promise<InvalidRows> {
  const { sql } = ctx;
  const rows = await sql<StoredInvalid[]>`
    select row_number, problems, input from invalid_rows
    where batch_id = ${batch.id} and row_number between ${from} and ${to} ${narrowed(sql, [since !== null && sql`${batch.createdAt}::timestamptz >= ${since}::timestamptz`])}
    order by row_number`;
  return showInvalid(ctx, batch, rows);
}

/** Approximate bytes in a page of invalid rows. One row may have 64 KiB. */
const INVALID_PAGE_BYTES = 96 * 1024;
const INVALID_PAGE_ROWS = 1_000;

/** All invalid rows in order, a page at a time. */
export async function* readInvalidPages(ctx: Context & Admitting, batch: BatchRow): AsyncGenerator<ResultRow[]> {
  for (let last = batch.invalid === 0 ? batch.rows : 0; last < batch.rows; ) {
    const rows = await ctx.admission.pages.within(
      batch.appId,
      () => ctx.sql<StoredInvalid[]>`
      select row_number, problems, input from (
        select row_number, problems, input,
          sum(coalesce(octet_length(input), 0)) over (order by row_number) - coalesce(octet_length(input), 0) as before
        from invalid_rows where batch_id = ${batch.id} and row_number > ${last} order by row_number limit ${INVALID_PAGE_ROWS}) page
      where before < ${INVALID_PAGE_BYTES} order by row_number`,
    );
    await refuseDeleted(ctx, batch);
    if (rows.length === 0) return;
    last = rows.at(-1)!.rowNumber;
    yield (await showInvalid(ctx, batch, rows)).rows;
  }
}

async function showInvalid({ cipher }: Context, batch: BatchRow, stored: readonly StoredInvalid[]): Promise<InvalidRows> {
  const { openBytes } = await cipher.opener(stored.map(({ input }) => input));
  const rows = stored.map(({ rowNumber, problems, input }) => ({
    row: rowNumber,
    ...bySource(() => (input === null ? null : wholeOf(openBytes(input, 'invalid_row', `${batch.id}:${rowNumber}`)))),
    problems,
    jobs: [],
  }));
  return { rows, bytes: stored.reduce((sum, { input }) => sum + (input?.length ?? 0), 0) };
}

class ValidRow implements ResultRow {
  readonly problems = null;
  readonly jobs: (ResultJob | undefined)[] = [];
  readonly row: number;
  private readonly rows: SubmittedRows;

  constructor(row: number, rows: SubmittedRows) {
    this.row = row;
    this.rows = rows;
  }

  raw(): RawRow {
    return this.rows.open(this.row);
  }

  json(): JsonBytes {
    return this.rows.json(this.row);
  }
}

/** A row whose JSON is not in a block. */
function bySource(json: () => JsonBytes | null): Pick<ResultRow, 'raw' | 'json'> {
  const raw = () => {
    const found = json();
    return found && (parseBytes(found) as RawRow);
  };
  return { raw, json };
}

const wholeOf = (bytes: Buffer): JsonBytes => ({ bytes, start: 0, end: bytes.length });

/** Valid and invalid rows of a page, merged in order. */
export function* rowsOf(opener: Opener, batch: BatchRow, { jobs, invalid }: Page): Generator<ResultRow, void> {
  let refused = 0;
  for (const row of jobs === null ? [] : jobRows(opener, batch, jobs)) {
    while (refused < invalid.length && invalid[refused]!.row < row.row) yield invalid[refused++]!;
    yield row;
  }
  while (refused < invalid.length) yield invalid[refused++]!;
}

function* jobRows(opener: Opener, batch: BatchRow, { jobs, blocks, submitted }: PageJobs): Generator<ResultRow, void> {
  const { next, read, shared } = openTuples(jobs, JOB_FIELDS);
  const rows = submittedRows(opener, batch.id, byKey(openTuples(submitted, { key: 'int', sealed: 'bytea' })));
  const sealed = byKey(openTuples(blocks, { key: 'uuid', sealed: 'bytea' }));
  const block = shared('block', 'block', () => {
    const id = read.block();
    const bytes = id === null ? undefined : sealed.get(id);
    return { resultBlock: id, block: bytes ? new ResultBlock(opener, { batchId: batch.id, id: id! }, bytes) : null };
  });
  const state = shared(
    'status',
    'isOver',
    (): JobState => ({
      status: read.status()!,
      outcome: read.outcome(),
      errorCode: read.errorCode(),
      cached: read.cached() ?? false,
      billedKobo: read.billedKobo()!,
      isOver: read.isOver() ?? false,
    }),
  );
  let last = null as ResultRow | null;
  while (next()) {
    const row = read.row()!;
    const id = read.id() ?? '';
    const { resultBlock, block: opened } = block();
    const job: ResultJob = {
      id,
      resultBlock,
      block: opened,
      state: state(),
      completedAt: read.completedAt(),
      reference: read.reference(),
      about: read.about(),
      twinRow: read.twinRow(),
      entityOf: read.entityOf() ?? id,
      entity: read.entity(),
      entityImages: read.entityImages(),
      resultSlot: read.resultSlot(),
    };
    const input = read.input();
    if (last?.row !== row) {
      if (last) yield last;
      last = new ValidRow(row, rows);
    }
    last.jobs[read.check()!] = job;
    // Batches older than input blocks store each row's input with its jobs.
    if (input)
      Object.assign(
        last,
        bySource(() => wholeOf(opener.openBytes(input, 'input', id))),
      );
  }
  if (last) yield last;
}

/** Of a COPY with two columns: a key and a ciphertext. */
interface KeyTuples<Key> {
  next(): boolean;
  read: { key(): Key | null; sealed(): Buffer | null };
}

function byKey<Key>({ next, read }: KeyTuples<Key>): Map<Key, Buffer> {
  const found = new Map<Key, Buffer>();
  while (next()) found.set(read.key()!, read.sealed()!);
  return found;
}
