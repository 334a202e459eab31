/** What came of a batch: its jobs page by page, and its rows in submitted order as CSV or JSON Lines, streamed while it may still run. */

import { z } from 'zod';
import type { StoredJob } from './batch.ts';
import { knownCheck } from './checks/catalog.ts';
import type { Check } from './checks/check.ts';
import { isTable, type RawRow, rowReader } from './columns.ts';
import type { Context } from './context.ts';
import { type BatchRow, naira, showJob } from './contract.ts';
import { showId } from './ids.ts';
import { csvLine } from './rows/csv.ts';
import type { RowProblem } from './schema.ts';

export type ResultFormat = 'csv' | 'jsonl';

/** Rows read at a time: bounds the memory of a download whatever its size. */
const PAGE_ROWS = 500;

interface ResultRow {
  row: number;
  raw: RawRow | null;
  problems: RowProblem[] | null;
  jobs: Map<string, StoredJob>;
}

/** Text of the results, a page at a time. Each page is read on its own, so that a slow reader holds no transaction open. */
export async function* streamResults(ctx: Context, batch: BatchRow, format: ResultFormat): AsyncGenerator<string> {
  const write = format === 'csv' ? csvWriter(ctx, batch) : jsonlWriter(ctx, batch);
  if (write.head) yield write.head;
  for (let from = 1; from <= batch.rows; from += PAGE_ROWS) {
    const rows = await readRows(ctx, batch, from, Math.min(batch.rows, from + PAGE_ROWS - 1));
    yield rows.map(write.row).join('');
  }
}

async function readRows(ctx: Context, batch: BatchRow, from: number, to: number): Promise<ResultRow[]> {
  const [jobs, invalid] = await Promise.all([
    ctx.sql<StoredJob[]>`
      select j.*, r.entity from jobs j left join results r on r.job_id = j.id
      where j.batch_id = ${batch.id} and j.row_number between ${from} and ${to} order by j.row_number`,
    ctx.sql<{ rowNumber: number; problems: RowProblem[]; input: Buffer | null }[]>`
      select row_number, problems, input from invalid_rows where batch_id = ${batch.id} and row_number between ${from} and ${to}`,
  ]);
  const rows = new Map<number, ResultRow>();
  for (const job of jobs) {
    const number = job.rowNumber!;
    const row = rows.get(number);
    if (row) row.jobs.set(job.checkId, job);
    else
      rows.set(number, {
        row: number,
        raw: JSON.parse(ctx.cipher.open(job.input!, 'input', job.id)),
        problems: null,
        jobs: new Map([[job.checkId, job]]),
      });
  }
  for (const { rowNumber, problems, input } of invalid) {
    rows.set(rowNumber, {
      row: rowNumber,
      raw: input === null ? null : JSON.parse(ctx.cipher.open(input, 'invalid_row', `${batch.id}:${rowNumber}`)),
      problems,
      jobs: new Map(),
    });
  }
  return [...rows.values()].sort((a, b) => a.row - b.row);
}

interface RowWriter {
  head: string;
  row(result: ResultRow): string;
}

/** The original columns, then for each check its status and entity, then what was wrong with an invalid row. */
function csvWriter(ctx: Context, batch: BatchRow): RowWriter {
  const checks = batch.checks.map((id) => ({ check: knownCheck(id), members: scalarMembers(knownCheck(id)) }));
  const head = [
    ...batch.columns,
    ...checks.flatMap(({ check, members }) =>
      [...STATUS_COLUMNS, ...members.map((member) => member.join('.'))].map((name) => `${check.id}.${name}`),
    ),
    'row_errors',
  ];
  const original = (raw: RawRow | null): unknown[] =>
    Array.isArray(raw)
      ? batch.columns.map((_, i) => raw[i])
      : batch.columns.map((name) => (raw && Object.hasOwn(raw, name) ? raw[name] : ''));
  return {
    head: csvLine(head),
    row({ raw, problems, jobs }) {
      const cells = original(raw).map(toCell);
      for (const { check, members } of checks) {
        const job = jobs.get(check.id);
        const entity = job ? openEntity(ctx, job) : null;
        cells.push(
          ...(job
            ? [job.status, job.outcome ?? '', job.errorCode ?? '', job.completedAt ? String(job.cached) : '', naira(job.billedKobo)]
            : ['invalid', '', '', '', 0]),
        );
        for (const path of members)
          cells.push(
            toCell(path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], entity ?? undefined)),
          );
      }
      cells.push((problems ?? []).map((problem) => `${problem.field ?? 'row'}: ${problem.message}`).join('; '));
      return csvLine(cells);
    },
  };
}

const STATUS_COLUMNS = ['status', 'outcome', 'error', 'cached', 'billed_amount'] as const;

/** Paths of the entity's members that fit a cell: images are left out, nested objects are spread. */
function scalarMembers(check: Check): string[][] {
  const walk = (schema: z.ZodType, path: string[]): string[][] => {
    const inner = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
    if (!(inner instanceof z.ZodObject)) return [path];
    return Object.entries(inner.shape).flatMap(([name, member]) => walk(member as z.ZodType, [...path, name]));
  };
  return walk(check.entity, []).filter((path) => !check.images.includes(path[0]!));
}

function toCell(value: unknown): string | number | boolean | null | undefined {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as string | number | boolean | null | undefined);
}

/** One object a submitted row: its reference, what was submitted, and each check's job with its entity. */
function jsonlWriter(ctx: Context, batch: BatchRow): RowWriter {
  const read = rowReader(isTable(batch.format) ? batch.columns : null, batch.mapping);
  return {
    head: '',
    row({ row, raw, problems, jobs }) {
      const first = jobs.values().next().value;
      const line = {
        row,
        reference: first ? first.reference : raw === null ? null : (read(raw, 'reference') ?? null),
        input: Array.isArray(raw) ? Object.fromEntries(batch.columns.map((name, i) => [name, raw[i]])) : raw,
        status: problems ? 'invalid' : 'valid',
        errors: problems ?? [],
        checks: Object.fromEntries([...jobs].map(([id, job]) => [id, { ...resultOf(job), entity: openEntity(ctx, job) }])),
      };
      return `${JSON.stringify(line)}\n`;
    },
  };
}

function resultOf(job: StoredJob) {
  const { id, status, outcome, billed_amount, cached, error, completed_at } = showJob(job);
  return { id, status, outcome, billed_amount, cached, error, completed_at };
}

export function openEntity(ctx: Context, job: Pick<StoredJob, 'id' | 'entity'>): Record<string, unknown> | null {
  return job.entity === null ? null : JSON.parse(ctx.cipher.open(job.entity, 'entity', job.id));
}

export interface JobPage {
  jobs: StoredJob[];
  /** Null on the last page. */
  nextCursor: string | null;
}

/** Jobs of a batch in row order, after `cursor`. */
export async function readJobs(
  ctx: Context,
  batch: BatchRow,
  options: { cursor: string | null; limit: number; status: string | null; outcome: string | null },
): Promise<JobPage | null> {
  const after = options.cursor === null ? { row: 0, check: '' } : parseCursor(options.cursor, batch);
  if (!after) return null;
  const jobs = await ctx.sql<StoredJob[]>`
    select j.*, r.entity, w.run_after from jobs j left join results r on r.job_id = j.id left join waiting_jobs w on w.job_id = j.id
    where j.batch_id = ${batch.id} and (j.row_number, j.check_id) > (${after.row}, ${after.check})
      and (${options.status}::text is null or j.status = ${options.status}::text::job_status)
      and (${options.outcome}::text is null or j.outcome = ${options.outcome}::text::job_outcome)
    order by j.row_number, j.check_id limit ${options.limit + 1}`;
  const page = jobs.slice(0, options.limit);
  const last = page.at(-1);
  return {
    jobs: page,
    nextCursor: jobs.length > options.limit && last ? showCursor(last.rowNumber!, last.checkId) : null,
  };
}

/** Null: not a cursor that we gave out. */
function parseCursor(cursor: string, batch: BatchRow): { row: number; check: string } | null {
  const [, row, check] = /^(\d{1,9}):([a-z_]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (row === undefined || check === undefined || !batch.checks.includes(check)) return null;
  return cursor === showCursor(Number(row), check) ? { row: Number(row), check } : null;
}

const showCursor = (row: number, check: string): string => Buffer.from(`${row}:${check}`).toString('base64url');

/** The first invalid rows, for the batch's own answer. */
export async function readErrors(ctx: Context, batch: BatchRow, limit: number) {
  if (batch.invalid === 0) return [];
  const rows = await ctx.sql<{ rowNumber: number; problems: RowProblem[] }[]>`
    select row_number, problems from invalid_rows where batch_id = ${batch.id} order by row_number limit ${limit}`;
  return rows
    .flatMap(({ rowNumber, problems }) =>
      problems.map((p) => ({ row: rowNumber, path: p.field ?? `row ${rowNumber}`, rule: p.rule, message: p.message })),
    )
    .slice(0, limit);
}

/** File name of a download. */
export const resultName = (batch: BatchRow, format: ResultFormat): string => `${showId('bat', batch.id)}.${format}`;
