/**
 * Reads inputs out of the rows of an upload, by the mapping that `columns.ts` resolved: when it is accepted, when a worker runs a row, and wherever a row is shown.
 */
import { fieldOf } from '../checks/read-input.ts';
import { reference as referenceText } from '../contract/own-fields.ts';
import { messageOf, parseWith } from '../foundation/validation.ts';
import { withoutGuard } from '../rows/csv.ts';
import type { BatchFormat, DateFormat, RowProblem } from '../schema/batches.ts';
import { type CellForms, readCell, saysNoValue, withoutFormula } from './written-values.ts';

/** Input (`dob`), input of one check (`bvn_match.dob`) or `reference` → column name. */
export type Mapping = Record<string, string>;

/** A row as submitted and stored: cells in column order, or an object with its own keys. */
export type RawRow = unknown[] | Record<string, unknown>;

/** Whether rows are cells in column order; otherwise they are objects with their own names. */
export const isTable = (format: BatchFormat): boolean => format === 'csv' || format === 'xlsx' || format === 'zip';

export const REFERENCE = 'reference';

/** Inputs that mean the same under different names in different checks: one column serves them all. */
const SAME_INPUTS = [['dob', 'date_of_birth', 'birthdate']];

/** The other names of an input, behind the same `<check>.` prefix if it has one. */
export function otherNames(key: string): readonly string[] {
  const known = others.get(key);
  if (known) return known;
  const start = key.lastIndexOf('.') + 1;
  const same = SAME_INPUTS.find((names) => names.includes(key.slice(start))) ?? [];
  return same.map((name) => key.slice(0, start) + name).filter((name) => name !== key);
}

/** The common inputs, precomputed because every row asks for them. */
const others = new Map(SAME_INPUTS.flatMap((names) => names.map((name) => [name, names.filter((other) => other !== name)] as const)));

/**
 * Reads inputs out of rows by their key in the mapping. Empty cells count as absent, and so do those that only say so (`N/A`). Strips the formula guard of our
 * own CSV files, and what spreadsheets put around the inputs of `forms`.
 */
export function rowReader(
  columns: readonly string[] | null,
  mapping: Mapping,
  forms: CellForms = NO_FORMS,
  dateFormat: DateFormat = 'dmy',
): (row: RawRow, key: string) => unknown {
  const places = new Map(
    Object.entries(mapping).map(([key, column]) => [
      key,
      { at: columns?.indexOf(column) ?? -1, column, form: forms.get(fieldOf(key)), orOther: column === key },
    ]),
  );
  return (row, key) => {
    const place = places.get(key);
    if (place === undefined) return undefined;
    let value = Array.isArray(row) ? row[place.at] : memberOf(row, place.column, place.orOther);
    if (typeof value === 'string') {
      value = withoutFormula(withoutGuard(value));
      if (saysNoValue(value as string) && !(fieldOf(key) === 'country' && isNamibia(value as string))) return undefined;
      if (place.form !== undefined) value = readCell(value as string, place.form, dateFormat);
    }
    return value === '' || value === null ? undefined : value;
  };
}

const NO_FORMS: CellForms = new Map();

const isNamibia = (cell: string): boolean => cell.trim() === 'NA';

/** `bvn_match.dob` is a member of that name, or `dob` within `bvn_match`. `orOther`: the only other name of the same input counts too. */
function memberOf(row: Record<string, unknown>, key: string, orOther: boolean): unknown {
  if (Object.hasOwn(row, key)) return row[key];
  const dot = key.indexOf('.');
  const inner = dot === -1 ? undefined : row[key.slice(0, dot)];
  const member = key.slice(dot + 1);
  if (typeof inner === 'object' && inner !== null && Object.hasOwn(inner, member)) return (inner as Record<string, unknown>)[member];
  if (!orOther) return undefined;
  const fitting = otherNames(key)
    .map((name) => memberOf(row, name, false))
    .filter((value) => value !== undefined);
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** The customer's own id of an accepted row. */
export function storedReference(read: (field: string) => unknown): string | null {
  const own = readReference(read);
  return 'problems' in own ? null : own.reference;
}

/** The customer's own id of any row, or what is wrong with it. */
export function readReference(read: (field: string) => unknown): { reference: string | null } | { problems: RowProblem[] } {
  const value = read(REFERENCE);
  if (value === undefined) return { reference: null };
  const parsed = parseWith(referenceText, typeof value === 'number' ? String(value) : value);
  return parsed.success
    ? { reference: parsed.data }
    : { problems: [{ field: REFERENCE, rule: 'invalid_reference', message: messageOf(parsed.error.issues[0]!) }] };
}
