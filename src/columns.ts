/** How the columns of an upload become the inputs of checks: resolved once at upload, applied to each row there and again by the worker. */
import { distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import type { Check } from './checks/check.ts';
import { reference as referenceText } from './contract.ts';
import { ApiError, type ErrorDetail } from './errors.ts';
import { withoutGuard } from './rows/csv.ts';
import type { RowSource, TableSource } from './rows/row.ts';
import type { BatchFormat, RowProblem } from './schema.ts';

/** Input field (or `reference`) → column name. */
export type Mapping = Record<string, string>;

/** A row as submitted and stored: cells in the order of the columns, or an object with its own keys. */
export type RawRow = unknown[] | Record<string, unknown>;

/** Whether rows are cells in the order of the columns; else they bring their own names. */
export const isTable = (format: BatchFormat): boolean => format === 'csv' || format === 'xlsx';

const REFERENCE = 'reference';

/**
 * Finds the column of every input field: the one named in `requested`, else the one whose name is the field's, whatever its case, spaces
 * and punctuation. Object rows bring their own keys, so only `requested` can rename there. Throws `invalid_request` with what was found
 * (`found_columns`), what is needed (`needed_inputs`) and what is likely meant (`suggested_mapping`).
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
      const likely = wanted === undefined ? likelyColumn(field, source) : undefined;
      const hint = likely === undefined ? '' : `; is it "${likely}"? then send map.${field}=${likely}`;
      details.push({ path: `map.${field}`, message: `no column for the input "${field}"${hint}`, rule: 'missing_column' });
    }
  }
  if (details.length > 0) throw unmatched(details, fields, mapping, source);
  return mapping;
}

function unmatched(details: ErrorDetail[], fields: Map<string, boolean>, mapping: Mapping, source: RowSource): ApiError {
  const sentences = details.map((d) => `${d.path}: ${d.message}`).join('; ');
  if (source.columns === null) return new ApiError('invalid_request', `${sentences}.`, { details });
  const found = source.labels.slice(0, COLUMNS_SHOWN);
  const suggested = [...fields.keys(), REFERENCE].flatMap((field) => {
    const likely = mapping[field] === undefined ? likelyColumn(field, source) : undefined;
    return likely === undefined ? [] : [[field, likely]];
  });
  return new ApiError('invalid_request', `${sentences}. Columns found: ${found.join(', ')}.`, {
    details,
    extra: {
      found_columns: found,
      needed_inputs: [...fields].flatMap(([field, required]) => (required ? [field] : [])),
      suggested_mapping: Object.fromEntries(suggested),
    },
  });
}

const COLUMNS_SHOWN = 50;

/** What people call an input in their own files; folded as columns are. A guess from here is shown, never taken. */
const SYNONYMS: Record<string, string[]> = {
  nin: ['nationalid', 'nationalidnumber', 'nationalidentitynumber', 'nationalidentificationnumber', 'ninnumber', 'ninno', 'idnumber'],
  bvn: ['bankverificationnumber', 'bankverificationno', 'bvnnumber', 'bvnno', 'bankverification'],
  reference: ['ref', 'customerref', 'customerreference', 'customerid', 'clientref', 'clientid', 'externalid', 'recordid', 'rowid', 'id'],
  phone: ['phonenumber', 'mobile', 'mobilenumber', 'msisdn', 'telephone', 'gsm'],
  firstname: ['givenname', 'forename'],
  lastname: ['surname', 'familyname'],
  surname: ['lastname', 'familyname'],
  birthdate: ['dateofbirth', 'dob', 'birthday'],
};

/** The column whose name is most like the input's or one of its other names. Only one that may be shown, and that is shown as it is. */
function likelyColumn(field: string, { columns, labels }: TableSource): string | undefined {
  const names = [fold(field), ...(SYNONYMS[fold(field)] ?? [])];
  const scored = columns.flatMap((column, index) => {
    const folded = fold(column);
    return labels[index] === column && folded.length > 1
      ? [{ column, score: Math.max(...names.map((name) => likeness(folded, name))) }]
      : [];
  });
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a), { column: '', score: 0 });
  return best.score >= LIKELY ? best.column : undefined;
}

/** Of names that share so much, one is likely a misspelling of the other. */
const LIKELY = 0.6;

/** 1: the same; one within the other counts by how much of it is the same, but enough to be shown. */
function likeness(column: string, name: string): number {
  const shared = 1 - distance(column, name) / Math.max(column.length, name.length);
  const isWithin = column.includes(name) || name.includes(column);
  return isWithin ? Math.max(LIKELY + 0.3 * shared, shared) : shared;
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
  const garbled = Object.keys(raw).filter((field) => typeof raw[field] === 'string' && !isPlainText(raw[field]));
  if (garbled.length > 0) return { problems: garbled.map((field) => ({ field, rule: 'invalid_characters', message: GARBLED })) };
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

const GARBLED = 'must not contain control characters or unpaired surrogates';

/** Nobody's name or number holds a control character; line breaks and tabs come with text that was copied from somewhere. */
const isPlainText = (text: string): boolean => text.isWellFormed() && !/[^\P{Cc}\t\n\r]/u.test(text);

/** The customer's own id of a row. */
export function readReference(read: (field: string) => unknown): { reference: string | null } | { problems: RowProblem[] } {
  const value = read(REFERENCE);
  if (value === undefined) return { reference: null };
  const parsed = referenceText.safeParse(typeof value === 'number' ? String(value) : value);
  return parsed.success
    ? { reference: parsed.data }
    : { problems: [{ field: REFERENCE, rule: 'invalid_reference', message: parsed.error.issues[0]!.message }] };
}
