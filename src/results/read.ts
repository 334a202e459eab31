/**
 * Rows of a batch with what came of them, a page at a time. A page is one COPY in binary form, parsed here: at a million rows the usual
 * way (a text row of every column, a hex string for each ciphertext) takes several times as long. Ciphertexts are opened by whoever
 * writes the row. Each page is read on its own, so that a slow reader holds no transaction open.
 */
import { twinJoin } from '../batches/batch.ts';
import type { RawRow } from '../batches/columns.ts';
import type { Context } from '../context.ts';
import type { BatchRow, Outcome } from '../contract.ts';
import type { RowProblem } from '../schema.ts';

/** Rows of which at least one job is meant. */
export interface ResultFilter {
  /** Null: all. */
  outcomes: readonly Outcome[] | null;
  /** ISO time with offset, checked; null: from the beginning. Rows with a job that ended then or later. */
  since: string | null;
}

export interface ResultJob {
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
  /** Ciphertext, and the job that it belongs to. */
  entity: Buffer | null;
  entityOf: string;
}

export interface ResultRow {
  row: number;
  /** Null where nothing could be kept of an invalid row. */
  raw(): RawRow | null;
  problems: RowProblem[] | null;
  /** In the order of the batch's checks. */
  jobs: (ResultJob | undefined)[];
}

/** Rows read at a time, and rows handed on at a time: between two slices others get their turn. Bound the memory of a download. */
const PAGE_ROWS = 2_000;
const SLICE_ROWS = 250;

/** Rows in submitted order, in slices; the next page is on its way while one is being written. */
export async function* readRows(ctx: Context, batch: BatchRow, filter: ResultFilter): AsyncGenerator<ResultRow[]> {
  const turn = ctx.turns.long();
  let ahead = readPage(ctx, batch, filter, 1);
  for (let from = 1; from <= batch.rows; from += PAGE_ROWS) {
    const rows = await ahead;
    const next = from + PAGE_ROWS;
    if (next <= batch.rows) {
      ahead = readPage(ctx, batch, filter, next);
      // Seen by the next turn of the loop; a reader that leaves before takes no notice.
      ahead.catch(() => {});
    }
    for (let at = 0; at < rows.length; at += SLICE_ROWS) {
      yield rows.slice(at, at + SLICE_ROWS);
      await turn();
    }
  }
}

/** At most `PAGE_ROWS` rows, beginning with number `from`. */
async function readPage(ctx: Context, batch: BatchRow, { outcomes, since }: ResultFilter, from: number): Promise<ResultRow[]> {
  const to = Math.min(batch.rows, from + PAGE_ROWS - 1);
  const wantsInvalid = batch.invalid > 0 && (outcomes?.includes('invalid') ?? true);
  const wantsJobs = batch.invalid < batch.rows && (outcomes === null || outcomes.some((outcome) => outcome !== 'invalid'));
  const [valid, invalid] = await Promise.all([
    wantsJobs ? readJobRows(ctx, batch, { outcomes, since }, from, to) : [],
    wantsInvalid ? readInvalidRows(ctx, batch, from, to, since) : [],
  ]);
  return invalid.length === 0 ? valid : valid.length === 0 ? invalid : [...valid, ...invalid].sort((a, b) => a.row - b.row);
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

async function readJobRows(ctx: Context, batch: BatchRow, filter: ResultFilter, from: number, to: number): Promise<ResultRow[]> {
  const fields = openFields(await copyOut(ctx, pageQuery(batch, filter, from, to)));
  const position = new Map(batch.checks.map((id, i) => [id, i]));
  const rows: ResultRow[] = [];
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
    };
    const input = fields.bytes();
    let last = rows.at(-1);
    if (last?.row !== row) {
      last = { row, raw: () => null, problems: null, jobs: [] };
      rows.push(last);
    }
    last.jobs[check] = job;
    // Every job of a row has the whole row: one of them is sent with it.
    if (input) last.raw = () => JSON.parse(ctx.cipher.open(input, 'input', job.id));
  }
  return rows;
}

/** On a connection that nobody else is given meanwhile: where all are busy, postgres.js would put another query behind the COPY, and fail it. */
async function copyOut({ sql }: Context, query: string): Promise<Buffer> {
  const connection = await sql.reserve();
  try {
    const chunks: Buffer[] = [];
    const stream = await connection.unsafe(query).readable();
    await new Promise((resolve, reject) => {
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.once('end', resolve).once('error', reject);
    });
    // postgres.js 3.4.9 pauses its socket when the stream is full and resumes it when the stream asks for more, which one that has come to
    // its end does not do: the connection would stand still for good, and so would the next query that gets it.
    stream._read(0);
    return Buffer.concat(chunks);
  } finally {
    connection.release();
  }
}

/** COPY takes no parameters: everything in this text is a number, an id of ours or a checked time. */
function pageQuery(batch: BatchRow, { outcomes, since }: ResultFilter, from: number, to: number): string {
  const hasTwins = batch.duplicate > 0;
  const own = (column: string) => (hasTwins ? `coalesce(t.${column}, j.${column})` : `j.${column}`);
  const ofTwin = (column: string) => (hasTwins ? `case when t.id is null then j.${column} else t.${column} end` : `j.${column}`);
  const conditions = [
    outcomes === null ? null : `(${outcomes.map((outcome) => condition[outcome](own('status'), ofTwin('outcome'))).join(' or ')})`,
    since === null ? null : `${ofTwin('completed_at')} >= '${since}'::timestamptz`,
  ].filter((text) => text !== null);
  const wanted =
    conditions.length === 0 ? 'true' : `bool_or(coalesce(${conditions.join(' and ')}, false)) over (partition by j.row_number)`;
  return `copy (
    select x.row_number, x.check_id, x.id::text, x.status::text, x.outcome::text, x.error_code, x.cached, x.billed_kobo, x.completed_at,
      x.reference, x.twin_row, nullif(x.entity_of, x.id)::text, r.entity, case when x.check_id = '${batch.checks[0]}' then x.input end
    from (
      select j.row_number, j.check_id, j.id, j.status, ${ofTwin('outcome')} as outcome, ${ofTwin('error_code')} as error_code,
        ${own('cached')} as cached, j.billed_kobo, ${ofTwin('completed_at')} as completed_at, j.reference, j.twin_row, j.input,
        ${own('id')} as entity_of, ${wanted} as wanted
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

const HEADER_BYTES = 19;
/** Milliseconds from 1970 to 2000, where Postgres counts from. */
const EPOCH_MS = 946_684_800_000;

/** Fields of binary COPY (postgresql.org/docs/current/sql-copy.html, "Binary Format"), in the order in which they were selected. */
function openFields(data: Buffer) {
  let at = HEADER_BYTES + (data.length >= HEADER_BYTES ? data.readInt32BE(HEADER_BYTES - 4) : 0);
  /** Start of the next field, or -1 for NULL; steps over it. */
  let end = 0;
  const next = (): number => {
    const length = data.readInt32BE(at);
    at += 4;
    if (length === -1) return -1;
    const start = at;
    at += length;
    end = at;
    return start;
  };
  return {
    /** False at the end. */
    nextTuple(): boolean {
      if (at + 2 > data.length || data.readInt16BE(at) === -1) return false;
      at += 2;
      return true;
    },
    int(): number | null {
      const start = next();
      return start === -1 ? null : data.readInt32BE(start);
    },
    flag(): boolean {
      const start = next();
      return start !== -1 && data[start] === 1;
    },
    text(): string | null {
      const start = next();
      return start === -1 ? null : data.toString('utf8', start, end);
    },
    /** Text of our own, which is ASCII: quicker to decode. */
    name(): string | null {
      const start = next();
      return start === -1 ? null : data.toString('latin1', start, end);
    },
    bytes(): Buffer | null {
      const start = next();
      return start === -1 ? null : data.subarray(start, end);
    },
    /** Microseconds since 2000 in 64 bits. */
    instant(): Date | null {
      const start = next();
      return start === -1
        ? null
        : new Date(EPOCH_MS + Math.floor((data.readInt32BE(start) * 2 ** 32 + data.readUInt32BE(start + 4)) / 1000));
    },
  };
}
