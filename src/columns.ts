/** How the columns of an upload become the inputs of checks: resolved once at upload, applied to each row there and again by the worker. */
import type { z } from 'zod';
import type { Check } from './checks/check.ts';
import { reference as referenceText } from './contract.ts';
import { ApiError, type ErrorDetail } from './errors.ts';
import { withoutGuard } from './rows/csv.ts';
import type { RowSource } from './rows/row.ts';
import type { RowProblem } from './schema.ts';

/** Input field (or `reference`) → column name. */
export type Mapping = Record<string, string>;

/** A row as submitted and stored: cells in the order of the columns, or an object with its own keys. */
export type RawRow = unknown[] | Record<string, unknown>;

const REFERENCE = 'reference';

/**
 * Finds the column of every input field: the one named in `requested`, else the one whose name is the field's, whatever its case, spaces
 * and punctuation. Object rows bring their own keys, so only `requested` can rename there. Throws `invalid_request` with what was found
 * and what is needed.
 */
export function resolveMapping(checks: readonly Check[], source: RowSource, requested: Mapping): Mapping {
  const fields = new Map<string, boolean>();
  for (const check of checks) {
    for (const [field, schema] of Object.entries(check.input.shape as Record<string, z.ZodType>)) {
      fields.set(field, (fields.get(field) ?? false) || !schema.safeParse(undefined).success);
    }
  }
  const details: ErrorDetail[] = [];
  for (const field of Object.keys(requested)) {
    if (field !== REFERENCE && !fields.has(field)) {
      details.push({
        path: `map.${field}`,
        message: `is not an input of ${checks.map((check) => check.id).join(', ')}`,
        rule: 'unknown_field',
      });
    }
  }
  const mapping: Mapping = {};
  for (const [field, required] of [...fields, [REFERENCE, false] as const]) {
    if (source.columns === null) {
      mapping[field] = requested[field] ?? field;
      continue;
    }
    const wanted = requested[field];
    const matches = source.columns.filter((column) => fold(column) === fold(wanted ?? field));
    const exact = matches.filter((column) => column === (wanted ?? field));
    const chosen = exact.length === 1 ? exact[0] : matches.length === 1 ? matches[0] : undefined;
    if (chosen !== undefined) mapping[field] = chosen;
    else if (matches.length > 1)
      details.push({ path: `map.${field}`, message: 'several columns match; name one exactly', rule: 'ambiguous_column' });
    else if (required || wanted !== undefined) {
      const near = source.columns.findIndex(
        (column) => fold(column).includes(fold(field)) || (fold(column).length > 1 && fold(field).includes(fold(column))),
      );
      const hint =
        near >= 0 && wanted === undefined ? `; is it "${source.labels[near]}"? then send map.${field}=${source.labels[near]}` : '';
      details.push({ path: `map.${field}`, message: `no column for the input "${field}"${hint}`, rule: 'missing_column' });
    }
  }
  if (details.length > 0) {
    const found = source.columns === null ? '' : ` Columns found: ${source.labels.slice(0, 50).join(', ')}.`;
    throw new ApiError('invalid_request', `${details.map((d) => `${d.path}: ${d.message}`).join('; ')}.${found}`, { details });
  }
  return mapping;
}

const fold = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Reads input fields out of rows. Empty cells count as not supplied, and the guard of a CSV file of ours is taken off. */
export function rowReader(columns: readonly string[] | null, mapping: Mapping): (row: RawRow, field: string) => unknown {
  const positions = new Map(Object.entries(mapping).map(([field, column]) => [field, columns?.indexOf(column) ?? -1]));
  return (row, field) => {
    let value: unknown;
    if (Array.isArray(row)) value = row[positions.get(field) ?? -1];
    else {
      const key = mapping[field];
      value = key !== undefined && Object.hasOwn(row, key) ? row[key] : undefined;
    }
    if (typeof value === 'string') value = withoutGuard(value);
    return value === '' || value === null ? undefined : value;
  };
}

/** The check's input in a row, or what is wrong with it. */
export function readInput(
  check: Check,
  read: (field: string) => unknown,
): { input: Record<string, string | undefined> } | { problems: RowProblem[] } {
  const raw: Record<string, unknown> = {};
  for (const field of Object.keys(check.input.shape)) raw[field] = read(field);
  const parsed = check.input.safeParse(raw);
  if (parsed.success) return { input: parsed.data };
  return {
    problems: parsed.error.issues.map((issue) => ({
      field: issue.path.join('.') || null,
      rule: raw[issue.path[0] as string] === undefined ? 'required' : issue.code,
      message: issue.message,
    })),
  };
}

/** The customer's own id of a row. */
export function readReference(read: (field: string) => unknown): { reference: string | null } | { problems: RowProblem[] } {
  const value = read(REFERENCE);
  if (value === undefined) return { reference: null };
  const parsed = referenceText.safeParse(typeof value === 'number' ? String(value) : value);
  return parsed.success
    ? { reference: parsed.data }
    : { problems: [{ field: REFERENCE, rule: 'invalid_reference', message: parsed.error.issues[0]!.message }] };
}
