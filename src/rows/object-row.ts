/** Rows that are JSON objects with names of their own. */
import { fieldLabel } from './column-names.ts';
import { hasInexactNumber } from './exact-numbers.ts';
import { brokenRow, type ObjectSource, type Row, type RowLimits } from './row.ts';
import { memberFlaw, storable } from './storable.ts';

/** Rows from which `ObjectSource` takes its names. */
export const NAMED_ROWS = 20;

export function namesOf(rows: readonly Row<Record<string, unknown>>[]): Pick<ObjectSource, 'names' | 'innerNames'> {
  const members = rows.slice(0, NAMED_ROWS).flatMap(({ value }) => (value === null ? [] : Object.entries(value)));
  const inner = members.flatMap(([name, value]) => (isObject(value) ? Object.keys(value).map((member) => `${name}.${member}`) : []));
  return { names: [...new Set(members.map(([name]) => name))], innerNames: [...new Set(inner)] };
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Takes the submitted row out of a line of a file that we made, such as results; returns any other value unchanged. */
export type Unwrap = (value: unknown) => unknown;

export const asSent: Unwrap = (value) => value;

/** Turns a parsed JSON value into a row: an object within the limits, in which every string can be stored and every number is the one that was sent. */
export function objectRow(row: number, value: unknown, limits: RowLimits, unwrap: Unwrap): Row<Record<string, unknown>> {
  const object = unwrap(value);
  if (!isObject(object)) return brokenRow<Record<string, unknown>>(row, 'not_an_object', `Row ${row} is not a JSON object`);
  const names = Object.keys(object);
  if (names.length > limits.columnsMax) {
    return brokenRow<Record<string, unknown>>(row, 'too_many_columns', `Row ${row} has more than ${limits.columnsMax} fields`);
  }
  let broken: string | null = null;
  for (const [index, name] of names.entries()) {
    const flaw = memberFlaw(name, object[name], limits.depthMax);
    if (flaw === null && !hasInexactNumber(object[name])) continue;
    const label = fieldLabel(name, `field ${index + 1}`);
    // Without its value: a file of rows to correct must not show a number that nobody sent.
    if (flaw === null) {
      const message = `Row ${row} has a number beyond ±${Number.MAX_SAFE_INTEGER} in ${label}: send it as a string`;
      return brokenRow<Record<string, unknown>>(row, 'inexact_number', message, null, label);
    }
    if (flaw === 'too_deep') {
      return brokenRow<Record<string, unknown>>(
        row,
        flaw,
        `Row ${row} is nested deeper than ${limits.depthMax} levels in ${label}`,
        null,
        label,
      );
    }
    broken ??= label;
  }
  if (broken === null) return { row, value: object, error: null };
  const message = `Row ${row} holds a NUL or half a surrogate pair in ${broken}`;
  return brokenRow(row, 'invalid_characters', message, storable(object) as Record<string, unknown>, broken);
}

/** `member`: the name that the row gives twice. */
export function rowRepeats<T>(row: number, member: string): Row<T> {
  const label = fieldLabel(member, 'one of its members');
  return brokenRow<T>(row, 'repeated', `Row ${row} gives ${label} more than once`, null, label);
}
