/**
 * Results as a table, for CSV and XLSX: the original columns, then each check's status and entity, then the row number and the errors of an invalid
 * row.
 */
import { z } from 'zod';
import { knownCheck } from '../checks/catalog.ts';
import type { Check } from '../checks/check.ts';
import type { BatchRow } from '../contract/batches.ts';
import { naira } from '../contract/fields.ts';
import { showJobError } from '../contract/jobs.ts';
import type { Opener } from '../foundation/crypto.ts';
import { endOfValue, type JsonBytes, OPEN_BRACKET, parseBytes } from '../foundation/json-bytes.ts';
import { tableReader } from '../jobs/entities.ts';
import { BlockRow } from '../jobs/result-blocks.ts';
import { type Cell, type CellSink, cellOf } from '../rows/csv-bytes.ts';
import type { RowProblem } from '../schema/batches.ts';
import type { JobState, ResultJob, ResultRow } from './page.ts';

export interface Table {
  head: string[];
  write(row: ResultRow, to: CellSink): void;
}

/** These follow the columns of all checks. */
export const ROW_COLUMNS = ['row_number', 'row_errors'] as const;

const STATUS_COLUMNS = ['status', 'outcome', 'error', 'cached', 'billed_amount', 'duplicate_of'] as const;

/** An entity's own member with such a name (a company's `status`) becomes `entity.status`. */
const entityColumn = (path: readonly string[]): string =>
  (STATUS_COLUMNS as readonly string[]).includes(path.join('.')) ? `entity.${path.join('.')}` : path.join('.');

export function resultTable(opener: Opener, batch: BatchRow): Table {
  const writers = batch.checks.map((id) => checkWriter(opener, knownCheck(id)));
  return {
    head: [...batch.columns, ...batch.checks.flatMap((id) => resultColumns(knownCheck(id))), ...ROW_COLUMNS],
    write(row, to) {
      writeOriginal(batch, row.json(), to);
      for (let i = 0; i < writers.length; i++) writers[i]!(row.jobs[i], to);
      to.cell(row.row);
      to.cell(row.problems === null ? '' : describe(row.problems));
    },
  };
}

/** Writes the columns of a check. */
function checkWriter(opener: Opener, check: Check): (job: ResultJob | undefined, to: CellSink) => void {
  const open = tableReader(opener, check);
  const members: Member[] = scalarMembers(check).map((path) => ({ path, tell: check.cells[path.join('.')] }));
  const none: Cell[] = members.map(() => '');
  const known = new WeakMap<JobState, Cell[]>();
  const invalid = statusCells(undefined);
  const statusOf = (state: JobState | undefined): Cell[] => {
    if (state === undefined) return invalid;
    let cells = known.get(state);
    if (cells === undefined) {
      cells = statusCells(state);
      known.set(state, cells);
    }
    return cells;
  };
  let names: readonly string[] = [];
  let places: number[] = [];
  return (job, to) => {
    to.cells(statusOf(job?.state));
    to.cell(job?.twinRow ?? '');
    const entity = job ? open(job) : null;
    if (entity === null) to.cells(none);
    else if (entity instanceof BlockRow) {
      // Most entities of a block have the same members.
      if (entity.names !== names) {
        names = entity.names;
        places = members.map(({ path }) => names.lastIndexOf(path[0]!));
      }
      for (let i = 0; i < members.length; i++) writeMember(members[i]!, entity, places[i]!, to);
    } else for (const member of members) to.cell(memberOf(entity[member.path[0]!], member));
  };
}

/** A column of an entity. `tell`: words the value, if it is not shown as it is. */
interface Member {
  path: readonly string[];
  tell: ((value: unknown) => string) | undefined;
}

/** `place`: of the outer member among the entity's; -1 if it has none. */
function writeMember(member: Member, { bytes, starts, ends }: BlockRow, place: number, to: CellSink): void {
  if (member.tell === undefined && member.path.length === 1) {
    if (place === -1) to.cell('');
    else to.json(bytes, starts[place]!, ends[place]!);
  } else to.cell(memberOf(place === -1 ? undefined : parseBytes({ bytes, start: starts[place]!, end: ends[place]! }), member));
}

/** `outer`: the value of the first name of its path. */
function memberOf(outer: unknown, { path, tell }: Member): Cell {
  let value = outer;
  for (let i = 1; i < path.length; i++) value = (value as Record<string, unknown> | null | undefined)?.[path[i]!];
  return tell ? tell(value) : cellOf(value);
}

/** The columns that a check adds. */
export const resultColumns = (check: Check): string[] =>
  [...STATUS_COLUMNS, ...scalarMembers(check).map(entityColumn)].map((name) => `${check.id}.${name}`);

/** Writes the row as submitted. */
function writeOriginal({ columns }: BatchRow, json: JsonBytes | null, to: CellSink): void {
  if (json === null) for (const _ of columns) to.cell('');
  else if (json.bytes[json.start] === OPEN_BRACKET) writeList(columns.length, json, to);
  else {
    const row = parseBytes(json) as Record<string, unknown>;
    for (const column of columns) to.cell(Object.hasOwn(row, column) ? cellOf(row[column]) : '');
  }
}

function writeList(count: number, { bytes, start, end }: JsonBytes, to: CellSink): void {
  let at = start + 1;
  for (let i = 0; i < count; i++) {
    // A row that was refused may have too few cells.
    if (at >= end - 1) to.cell('');
    else {
      const next = endOfValue(bytes, at);
      to.json(bytes, at, next);
      at = next + 1;
    }
  }
}

/** A row that was refused has no job. */
function statusCells(state: JobState | undefined): Cell[] {
  if (state === undefined) return ['invalid', '', '', '', 0];
  const { status, outcome, errorCode, isOver, cached, billedKobo } = state;
  return [status, outcome ?? '', showJobError(errorCode)?.code ?? '', isOver ? cached : '', naira(billedKobo)];
}

/** "nin: must be 11 digits; row: …". `nameOf`: what the file calls the field. */
export const describe = (problems: readonly RowProblem[], nameOf: (problem: RowProblem) => string | null = ({ field }) => field): string =>
  problems.map((problem) => `${nameOf(problem) ?? 'row'}: ${problem.message}`).join('; ');

/** Paths of the entity's members that fit into a cell. Images are left out; nested objects are flattened. */
function scalarMembers(check: Check): string[][] {
  const walk = (schema: z.ZodType, path: string[]): string[][] => {
    const inner = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
    if (!(inner instanceof z.ZodObject)) return [path];
    return Object.entries(inner.shape).flatMap(([name, member]) => walk(member as z.ZodType, [...path, name]));
  };
  return walk(check.entity, []).filter((path) => !check.images.includes(path[0]!));
}
