/** How the columns of an upload become the inputs of checks: resolved once at upload, applied to each row there and again by the worker. */
import type { z } from 'zod';
import type { Check } from '../checks/check.ts';
import { reference as referenceText } from '../contract.ts';
import { ApiError, type ErrorDetail } from '../errors.ts';
import { withoutGuard } from '../rows/csv.ts';
import type { RowSource } from '../rows/row.ts';
import type { BatchFormat, RowProblem } from '../schema/batches.ts';
import { fold, likelyColumns } from './likely.ts';

/** Input (`dob`), input of one check (`bvn_match.dob`) or `reference` → column name. */
export type Mapping = Record<string, string>;

/** A row as submitted and stored: cells in the order of the columns, or an object with its own keys. */
export type RawRow = unknown[] | Record<string, unknown>;

/** Whether rows are cells in the order of the columns; else they bring their own names. */
export const isTable = (format: BatchFormat): boolean => format === 'csv' || format === 'xlsx' || format === 'zip';

const REFERENCE = 'reference';

/** One check's own column of an input; it wins over the one that all checks share. */
const ownKey = (check: Pick<Check, 'id'>, field: string): string => `${check.id}.${field}`;

/** Inputs that are the same thing under different names in different checks: a column of one name serves them all. */
const SAME_INPUTS = [['dob', 'date_of_birth', 'birthdate']];

/** The other names of an input, with the same check before them if there is one. */
function otherNames(key: string): readonly string[] {
  const known = others.get(key);
  if (known) return known;
  const start = key.lastIndexOf('.') + 1;
  const same = SAME_INPUTS.find((names) => names.includes(key.slice(start))) ?? [];
  return same.map((name) => key.slice(0, start) + name).filter((name) => name !== key);
}

/** The common ones, made once: rows ask for them. */
const others = new Map(SAME_INPUTS.flatMap((names) => names.map((name) => [name, names.filter((other) => other !== name)] as const)));

/**
 * Finds the column of every input: the one named in `requested`, else the one whose name is the input's, whatever its case, spaces
 * and punctuation, else the only one that has another name of the same input. Checks share columns; `<check>.<input>`, as a column or in
 * `requested`, is that check's own. Object rows bring their own keys, so only `requested` can rename there. Throws `invalid_request` with
 * what was found (`found_columns`), what is needed (`needed_inputs`) and what is likely meant (`suggested_mapping`).
 */
export function resolveMapping(checks: readonly Check[], source: RowSource, requested: Mapping): Mapping {
  /** Input → the checks that cannot do without it. */
  const fields = new Map<string, Check[]>();
  const ownKeys: string[] = [];
  for (const check of checks) {
    for (const [field, schema] of Object.entries(check.input.shape as Record<string, z.ZodType>)) {
      const needing = fields.get(field) ?? [];
      if (!schema.safeParse(undefined).success) needing.push(check);
      fields.set(field, needing);
      ownKeys.push(ownKey(check, field));
    }
  }
  const details: ErrorDetail[] = [];
  const known = new Set([REFERENCE, ...fields.keys(), ...ownKeys]);
  for (const key of Object.keys(requested)) {
    if (known.has(key) || otherNames(key).some((name) => known.has(name))) continue;
    details.push({
      path: `map.${key}`,
      message: `is not an input of ${checks.map((check) => check.id).join(', ')}`,
      rule: 'unknown_field',
    });
  }
  const shared = [...fields.keys(), REFERENCE];
  const found = new Map([...ownKeys, ...shared].map((key) => [key, findColumn(key, source, requested)]));
  const mapping: Mapping = Object.fromEntries([...found].filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  const suggested = likelyColumns(
    shared.filter((key) => mapping[key] === undefined),
    source,
    mapping,
  );
  for (const [key, column] of found) {
    if (column === SEVERAL)
      details.push({ path: `map.${key}`, message: 'several columns match; name one exactly', rule: 'ambiguous_column' });
    if (column !== null) continue;
    const wanted = wantedColumn(key, requested) !== undefined;
    const lacking = (fields.get(key) ?? []).filter((check) => mapping[ownKey(check, key)] === undefined);
    if (!wanted && lacking.length === 0) continue;
    const likely = wanted ? undefined : suggested[key];
    const hint = likely === undefined ? '' : `; is it "${likely}"? then send map.${key}=${likely}`;
    const whose = lacking.length === 0 ? '' : ` of ${lacking.map((check) => check.id).join(', ')}`;
    details.push({ path: `map.${key}`, message: `no column for the input "${key}"${whose}${hint}`, rule: 'missing_column' });
  }
  if (details.length > 0) throw unmatched(details, fields, suggested, source);
  return mapping;
}

const wantedColumn = (key: string, requested: Mapping): string | undefined =>
  requested[key] ?? requested[otherNames(key).find((name) => requested[name] !== undefined) ?? ''];

const SEVERAL = Symbol('several columns match');

function findColumn(key: string, { columns }: RowSource, requested: Mapping): string | typeof SEVERAL | null {
  const wanted = wantedColumn(key, requested);
  if (columns === null) return wanted ?? key;
  const named = (name: string): string[] => columns.filter((column) => fold(column) === fold(name));
  const matches = named(wanted ?? key);
  const exact = matches.find((column) => column === (wanted ?? key));
  if (exact !== undefined) return exact;
  const fitting = matches.length > 0 || wanted !== undefined ? matches : otherNames(key).flatMap(named);
  return fitting.length > 1 ? SEVERAL : (fitting[0] ?? null);
}

function unmatched(details: ErrorDetail[], fields: Map<string, Check[]>, suggested: Mapping, source: RowSource): ApiError {
  const sentences = details.map((d) => `${d.path}: ${d.message}`).join('; ');
  if (source.columns === null) return new ApiError('invalid_request', `${sentences}.`, { details });
  const found = source.labels.slice(0, COLUMNS_SHOWN);
  return new ApiError('invalid_request', `${sentences}. Columns found: ${found.join(', ')}.`, {
    details,
    extra: {
      found_columns: found,
      needed_inputs: [...fields].flatMap(([field, needing]) => (needing.length > 0 ? [field] : [])),
      suggested_mapping: suggested,
    },
  });
}

const COLUMNS_SHOWN = 50;

/** Reads inputs out of rows by their key in the mapping. Empty cells count as not supplied, and the guard of a CSV file of ours is taken off. */
export function rowReader(columns: readonly string[] | null, mapping: Mapping): (row: RawRow, key: string) => unknown {
  const positions = new Map(Object.entries(mapping).map(([key, column]) => [key, columns?.indexOf(column) ?? -1]));
  return (row, key) => {
    let value: unknown;
    if (Array.isArray(row)) value = row[positions.get(key) ?? -1];
    else if (mapping[key] !== undefined) value = memberOf(row, mapping[key], mapping[key] === key);
    if (typeof value === 'string') value = withoutGuard(value);
    return value === '' || value === null ? undefined : value;
  };
}

/** `bvn_match.dob` is a member of that name or `dob` within `bvn_match`. `orOther`: the only other name of the same input counts too. */
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

/** The key under which a row has an input of a check: its own, else the shared one. */
export const keyOf = (check: Pick<Check, 'id'>, field: string, read: (key: string) => unknown): string =>
  read(ownKey(check, field)) === undefined ? field : ownKey(check, field);

/** The check's input in a row (or in a call's parameters), or what is wrong with it. */
export function readInput(
  check: Check,
  read: (key: string) => unknown,
): { input: Record<string, string | undefined> } | { problems: RowProblem[] } {
  const raw: Record<string, unknown> = {};
  for (const field of Object.keys(check.input.shape)) raw[field] = read(keyOf(check, field, read));
  const garbled = Object.keys(raw).filter((field) => typeof raw[field] === 'string' && !isPlainText(raw[field]));
  if (garbled.length > 0)
    return { problems: garbled.map((field) => ({ field: keyOf(check, field, read), rule: 'invalid_characters', message: GARBLED })) };
  const parsed = check.input.safeParse(raw);
  if (parsed.success) return { input: parsed.data };
  return {
    problems: parsed.error.issues.map((issue) => {
      const [field, ...within] = issue.path.map(String);
      return {
        field: field === undefined ? null : [keyOf(check, field, read), ...within].join('.'),
        rule: raw[issue.path[0] as string] === undefined ? 'required' : ruleOf(issue),
        message: issue.message,
      };
    }),
  };
}

/** Some rules have a name of their own. */
const ruleOf = (issue: z.core.$ZodIssue): string => (issue.code === 'custom' && (issue.params?.rule as string)) || issue.code;

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
