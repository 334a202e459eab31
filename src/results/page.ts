/**
 * A page of a batch: its rows with their results, as they are selected, copied out of the database and merged. The caller that writes a row opens its
 * ciphertexts.
 */

import type { Admitting } from '../access/admission.ts';
import type { RawRow } from '../batches/columns.ts';
import { blocksQuery, type SubmittedRows, submittedRows } from '../batches/row-blocks.ts';
import type { BatchRow } from '../contract/batches.ts';
import type { Outcome } from '../contract/results.ts';
import type { Context } from '../foundation/context.ts';
import type { Opener } from '../foundation/crypto.ts';
import { ApiError } from '../foundation/errors.ts';
import { type JsonBytes, parseBytes } from '../foundation/json-bytes.ts';
import { narrowed } from '../foundation/lists.ts';
import type { StoredEntity } from '../jobs/entities.ts';
import { jobIdsOf, twinJoin } from '../jobs/job.ts';
import { ResultBlock } from '../jobs/result-blocks.ts';
import type { RowProblem } from '../schema/batches.ts';
import { type CopyBuffer, copyOut, openFields } from './copy-reader.ts';

/** Selects rows with at least one matching job. */
export interface ResultFilter {
  /** Null: all outcomes. */
  outcomes: readonly Outcome[] | null;
  /** Validated ISO time with offset: rows with a job that ended at that time or later. Null: from the beginning. */
  since: string | null;
}

/** Which rows, and whether as a table: without images, times and ids. */
export interface Wanted extends ResultFilter {
  isTable: boolean;
}

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

export async function readPage(ctx: Context, batch: BatchRow, wanted: Wanted, from: number, to: number, buffer: CopyBuffer): Promise<Page> {
  const { outcomes, since } = wanted;
  const wantsInvalid = batch.invalid > 0 && batch.invalidGoneAt === null && (outcomes?.includes('invalid') ?? true);
  const wantsJobs = batch.invalid < batch.rows && (outcomes === null || outcomes.some((outcome) => outcome !== 'invalid'));
  const [jobs, invalid] = await Promise.all([
    wantsJobs ? readJobs(ctx, batch, wanted, from, to, buffer) : null,
    wantsInvalid ? readInvalidRows(ctx, batch, from, to, since) : { rows: [], bytes: 0 },
  ]);
  await refuseDeleted(ctx, batch);
  return { to, jobs, invalid: invalid.rows, bytes: (jobs === null ? 0 : buffer.length) + invalid.bytes };
}

/** Checked after each page: rows may have been deleted while it was read, and a file that lacks some must not look whole. Then the download is cut off. */
async function refuseDeleted({ sql }: Context, { id }: BatchRow): Promise<void> {
  const [deletion] = await sql`select 1 from deletions where id = ${id}`;
  if (deletion) throw new ApiError('resource_not_found', 'The batch was deleted while it was read');
}

/** Fills the buffer; the result is a view of it. */
function readJobs(ctx: Context, batch: BatchRow, wanted: Wanted, from: number, to: number, buffer: CopyBuffer): Promise<PageJobs> {
  return copyOut(ctx, buffer, async (copy) => {
    const jobs = await copy(pageQuery(batch, wanted, from, to));
    const blocks = await copy(resultBlocksQuery(batch.id, blocksIn(buffer.part(jobs))));
    const submitted = await copy(blocksQuery(batch.id, from, to));
    return { jobs: buffer.part(jobs), blocks: buffer.part(blocks), submitted: buffer.part(submitted) };
  });
}

/** The blocks that the jobs of a page name. */
function blocksIn(jobs: Buffer): Set<string> {
  const fields = openFields(jobs);
  const ids = new Set<string>();
  const block = fields.shared(1, () => {
    const id = fields.uuid();
    if (id !== null) ids.add(id);
  });
  while (fields.nextTuple()) {
    block();
    fields.skip(JOB_FIELDS - 1);
  }
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

/** Invalid rows `from` … `to`. With `since`, none if the batch was accepted earlier. */
async function readInvalidRows(ctx: Context, batch: BatchRow, from: number, to: number, since: string | null): Promise<InvalidRows> {
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
  const fields = openFields(jobs);
  const rows = submittedRows(opener, batch.id, new Map(pairsIn(submitted, (one) => one.int()!)));
  const sealed = new Map(pairsIn(blocks, (one) => one.uuid()!));
  const block = fields.shared(1, () => {
    const id = fields.uuid();
    const bytes = id === null ? undefined : sealed.get(id);
    return { resultBlock: id, block: bytes ? new ResultBlock(opener, { batchId: batch.id, id: id! }, bytes) : null };
  });
  const state = fields.shared(
    STATE_FIELDS,
    (): JobState => ({
      status: fields.name()!,
      outcome: fields.name(),
      errorCode: fields.name(),
      cached: fields.flag(),
      billedKobo: fields.int()!,
      isOver: fields.flag(),
    }),
  );
  let last = null as ResultRow | null;
  while (fields.nextTuple()) {
    const inBlock = block();
    const row = fields.int()!;
    const check = fields.int()!;
    const id = fields.uuid() ?? '';
    const job: ResultJob = {
      id,
      resultBlock: inBlock.resultBlock,
      block: inBlock.block,
      state: state(),
      completedAt: fields.instant(),
      reference: fields.text(),
      about: fields.bytes(),
      twinRow: fields.int(),
      entityOf: fields.uuid() ?? id,
      entity: fields.bytes(),
      entityImages: fields.bytes(),
      resultSlot: fields.int(),
    };
    const input = fields.bytes();
    if (last?.row !== row) {
      if (last) yield last;
      last = new ValidRow(row, rows);
    }
    last.jobs[check] = job;
    // Batches older than input blocks store each row's input with its jobs.
    if (input)
      Object.assign(
        last,
        bySource(() => wholeOf(opener.openBytes(input, 'input', id))),
      );
  }
  if (last) yield last;
}

/** The rows of a COPY with two columns: a key and a ciphertext. */
function* pairsIn<K>(copied: Buffer, key: (fields: ReturnType<typeof openFields>) => K): Generator<[K, Buffer]> {
  const fields = openFields(copied);
  while (fields.nextTuple()) yield [key(fields), fields.bytes()!];
}

/** For COPY, which takes no parameters. */
const resultBlocksQuery = (batchId: string, ids: ReadonlySet<string>): string =>
  `select id, sealed from result_blocks where batch_id = '${batchId}' and id = any('{${[...ids].join()}}'::uuid[])`;

/** COPY takes no parameters. Everything in this text is a number, an id of ours or a validated time. */
function pageQuery(batch: BatchRow, { outcomes, since, isTable }: Wanted, from: number, to: number): string {
  const hasTwins = batch.duplicate > 0;
  const ids = jobIdsOf(batch.id);
  const within = (column: string) => `${column} >= '${ids.from}' and ${column} < '${ids.before}'`;
  const own = (column: string) => (hasTwins ? `coalesce(t.${column}, j.${column})` : `j.${column}`);
  const ofTwin = (column: string) => (hasTwins ? `case when t.id is null then j.${column} else t.${column} end` : `j.${column}`);
  const conditions = [
    outcomes === null ? null : `(${outcomes.map((outcome) => condition[outcome](own('status'), ofTwin)).join(' or ')})`,
    since === null ? null : `${ofTwin('completed_at')} >= '${since}'::timestamptz`,
  ].filter((text) => text !== null);
  const isWanted =
    conditions.length === 0 ? 'true' : `bool_or(coalesce(${conditions.join(' and ')}, false)) over (partition by j.row_number)`;
  // Few results are by themselves, so they are looked up one by one.
  const alone = (column: string) =>
    `case when x.block is null and x.outcome is not null then (select r.${column} from results r where r.job_id = x.entity_of and ${within('r.job_id')}) end`;
  return `
    select x.block, x.row_number, array_position('{${batch.checks.join()}}'::text[], x.check_id) - 1,
      ${isTable ? 'case when x.block is null or x.input is not null then x.id end' : 'x.id'},
      x.status::text, x.outcome::text, x.error_code, x.cached, x.billed_kobo, x.completed_at is not null,
      ${isTable ? 'null::timestamptz, null::text, null::bytea' : 'x.completed_at, x.reference, x.about'}, x.twin_row,
      nullif(x.entity_of, x.id), ${alone('entity')}, ${isTable ? 'null::bytea' : alone('entity_images')}, x.slot::int,
      case when x.check_id = '${batch.checks[0]}' then x.input end
    from (
      select j.row_number, j.check_id, j.id, j.status, ${ofTwin('outcome')} as outcome, ${ofTwin('error_code')} as error_code,
        ${own('cached')} as cached, j.billed_kobo, ${ofTwin('completed_at')} as completed_at, j.reference, j.about, j.twin_row, j.input,
        ${own('id')} as entity_of, ${own('result_block')} as block, ${own('result_slot')} as slot, ${isWanted} as wanted
      from jobs j ${hasTwins ? `${twinJoin} and ${within('t.id')}` : ''}
      where j.batch_id = '${batch.id}' and ${within('j.id')} and j.row_number between ${from} and ${to}) x
    where x.wanted order by x.row_number, x.check_id`;
}

/** Fields of a tuple of `pageQuery`: the block first, among the others `STATE_FIELDS` for the job's state. */
const JOB_FIELDS = 19;
const STATE_FIELDS = 6;

/** SQL over `j`. `status` is an expression for the job's own or its original's, and `ofTwin` makes one of another column. Invalid rows have no jobs. */
const condition: Record<Outcome, (status: string, ofTwin: (column: string) => string) => string> = {
  found: (_, ofTwin) => `${ofTwin('outcome')} = 'found'`,
  not_found: (_, ofTwin) => `${ofTwin('outcome')} = 'not_found'`,
  flagged: (_, ofTwin) => ofTwin('flagged'),
  failed: (status) => `${status} = 'failed'`,
  canceled: (status) => `${status} = 'canceled'`,
  duplicate: () => `j.status = 'duplicate'`,
  pending: (status) => `${status} in ('queued', 'leased')`,
  invalid: () => 'false',
};
