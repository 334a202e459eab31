/**
 * Results as a table, for CSV and XLSX: the original columns, then each check's status and entity, then the row number and the errors of an invalid
 * row.
 */
import { z } from 'zod';
import type { RawRow } from '../batches/columns.ts';
import { knownCheck } from '../checks/catalog.ts';
import type { Check } from '../checks/check.ts';
import type { BatchRow } from '../contract/batches.ts';
import { naira } from '../contract/fields.ts';
import { showJobError } from '../contract/jobs.ts';
import type { Opener } from '../foundation/crypto.ts';
import { tableReader } from '../jobs/entities.ts';
import type { RowProblem } from '../schema/batches.ts';
import type { ResultJob, ResultRow } from './read.ts';

export type Cell = string | number | boolean | null | undefined;

export interface Table {
  head: string[];
  /** The array is reused for the next row. */
  cells(row: ResultRow): readonly Cell[];
}

/** These follow the columns of all checks. */
export const ROW_COLUMNS = ['row_number', 'row_errors'] as const;

const STATUS_COLUMNS = ['status', 'outcome', 'error', 'cached', 'billed_amount', 'duplicate_of'] as const;

/** An entity's own member with such a name (a company's `status`) becomes `entity.status`. */
const entityColumn = (path: readonly string[]): string =>
  (STATUS_COLUMNS as readonly string[]).includes(path.join('.')) ? `entity.${path.join('.')}` : path.join('.');

export function resultTable(opener: Opener, batch: BatchRow): Table {
  const checks = batch.checks.map((id) => ({
    open: tableReader(opener, knownCheck(id)),
    members: scalarMembers(knownCheck(id)).map((path) => ({ path, tell: knownCheck(id).cells[path.join('.')] })),
  }));
  const head = [...batch.columns, ...batch.checks.flatMap((id) => resultColumns(knownCheck(id))), ...ROW_COLUMNS];
  const cells: Cell[] = new Array(head.length);
  return {
    head,
    cells(row) {
      let at = originalCells(batch, row.raw(), cells);
      for (let i = 0; i < checks.length; i++) {
        const job = row.jobs[i];
        at = statusCells(job, cells, at);
        const entity = job ? checks[i]!.open(job) : null;
        for (const { path, tell } of checks[i]!.members)
          cells[at++] = entity === null ? '' : tell ? tell(memberValue(entity, path)) : memberOf(entity, path);
      }
      cells[at++] = row.row;
      cells[at] = row.problems === null ? '' : describe(row.problems);
      return cells;
    },
  };
}

/** The columns that a check adds. */
export const resultColumns = (check: Check): string[] =>
  [...STATUS_COLUMNS, ...scalarMembers(check).map(entityColumn)].map((name) => `${check.id}.${name}`);

/** Fills `cells` with the row as submitted, and returns the number of cells. */
function originalCells(batch: BatchRow, raw: RawRow | null, cells: Cell[]): number {
  const { columns } = batch;
  if (Array.isArray(raw)) for (let i = 0; i < columns.length; i++) cells[i] = toCell(raw[i]);
  else for (let i = 0; i < columns.length; i++) cells[i] = raw && Object.hasOwn(raw, columns[i]!) ? toCell(raw[columns[i]!]) : '';
  return columns.length;
}

function statusCells(job: ResultJob | undefined, cells: Cell[], at: number): number {
  cells[at] = job ? job.status : 'invalid';
  cells[at + 1] = job?.outcome ?? '';
  cells[at + 2] = showJobError(job?.errorCode ?? null)?.code ?? '';
  cells[at + 3] = job?.completedAt ? job.cached : '';
  cells[at + 4] = job ? naira(job.billedKobo) : 0;
  cells[at + 5] = job?.twinRow ?? '';
  return at + STATUS_COLUMNS.length;
}

/** "nin: must be 11 digits; row: …" */
export const describe = (problems: readonly RowProblem[]): string =>
  problems.map((problem) => `${problem.field ?? 'row'}: ${problem.message}`).join('; ');

/** Paths of the entity's members that fit into a cell. Images are left out; nested objects are flattened. */
function scalarMembers(check: Check): string[][] {
  const walk = (schema: z.ZodType, path: string[]): string[][] => {
    const inner = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
    if (!(inner instanceof z.ZodObject)) return [path];
    return Object.entries(inner.shape).flatMap(([name, member]) => walk(member as z.ZodType, [...path, name]));
  };
  return walk(check.entity, []).filter((path) => !check.images.includes(path[0]!));
}

function memberOf(entity: Record<string, unknown>, path: readonly string[]): Cell {
  const value = memberValue(entity, path);
  return typeof value === 'string' ? value : toCell(value);
}

function memberValue(entity: Record<string, unknown>, path: readonly string[]): unknown {
  let value = entity[path[0]!];
  for (let i = 1; i < path.length; i++) value = (value as Record<string, unknown> | undefined)?.[path[i]!];
  return value;
}

function toCell(value: unknown): Cell {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell);
}
