/** Finds which column of an upload is which input of its checks, once, before its rows are read. `row-reader.ts` reads the rows by what it found. */
import type { z } from 'zod';
import type { Check } from '../checks/check.ts';
import { ownKey } from '../checks/read-input.ts';
import { ApiError, type ErrorDetail } from '../foundation/errors.ts';
import { columnLabels, fieldLabel, lookLikeData } from '../rows/column-names.ts';
import { fold, likelyNames } from '../rows/likely-names.ts';
import type { RowSource, TableSource } from '../rows/row.ts';
import { columnsCalled, columnsPerhapsCalled, likelyColumns } from './header-synonyms.ts';
import { type Mapping, otherNames, REFERENCE } from './row-reader.ts';

/**
 * Finds the column for each input. Tries in order: the column named in `requested`; the only column with the input's own name, ignoring case, spaces and
 * punctuation; the only one with another name of the same input; the only one with a common synonym. Checks share columns; `<check>.<input>`, as
 * a column or in `requested`, serves that check alone. Object rows bring their own names, of which the first rows are a sample: it must have what is required,
 * and later rows may bring more. Throws `invalid_request` with the columns found (`found_columns`), the inputs needed (`needed_inputs`) and the likely mapping (`suggested_mapping`).
 */
export function resolveMapping(checks: readonly Check[], source: RowSource, requested: Mapping): Mapping {
  const { fields, found } = findColumns(checks, source, requested);
  const details = unknownNames(checks, { fields }, source, requested);
  const shared = [...fields.keys(), REFERENCE];
  const mapping = mappingOf(found);
  const taken = takenColumns(mapping, source);
  const named = namedColumns(source);
  // A whole line is not a column name, so it is not suggested.
  const open = isUnsplit(source) ? NO_COLUMNS : named;
  const suggested = likelyColumns(
    shared.filter((key) => taken[key] === undefined),
    open,
    taken,
  );
  for (const [key, column] of found) {
    if (column === SEVERAL)
      details.push({ path: `map.${key}`, message: 'several columns match; name one exactly', rule: 'ambiguous_column' });
    if (column === SEVERAL || taken[key] !== undefined) continue;
    const wanted = wantedColumn(key, requested);
    const lacking = (fields.get(key) ?? []).filter((check) => taken[ownKey(check, key)] === undefined);
    if (lacking.length === 0 && (wanted === undefined || column !== null)) continue;
    // The named column does not exist, so the hint is a column with a similar name.
    const likely = wanted === undefined ? suggested[key] : likelyNames(wanted, nameable(open))[0];
    const hint = likely === undefined ? '' : `; is it "${likely}"? then send map.${key}=${encodeURIComponent(likely)}`;
    const missing =
      wanted === undefined ? `no column for the input "${key}"` : `there is no column "${fieldLabel(wanted, '…')}" for the input "${key}"`;
    const ofChecks = lacking.length === 0 ? '' : ` of ${lacking.map((check) => check.id).join(', ')}`;
    details.push({ path: `map.${key}`, message: `${missing}${ofChecks}${hint}`, rule: 'missing_column' });
  }
  details.push(...dataAsHeadings(mapping, source));
  if (details.length > 0) throw unmatched(details, fields, suggested, source);
  return mapping;
}

/** Columns of a table that are mapped by a heading which is data itself: the first row would be lost, and stay readable as names of columns. */
const dataAsHeadings = (mapping: Mapping, { columns }: RowSource): ErrorDetail[] =>
  Object.entries(mapping).flatMap(([key, column]) =>
    columns !== null && lookLikeData([column])
      ? [{ path: `map.${key}`, message: 'the heading of this column looks like data', rule: 'header_is_data' }]
      : [],
  );

/**
 * The part of a mapping whose columns exist. For object rows, the names in the first rows decide; if these rows have no names, the mapping is returned
 * unchanged.
 */
export function takenColumns(mapping: Mapping, source: RowSource): Mapping {
  if (source.columns !== null) return mapping;
  const names = new Set([...source.names, ...source.innerNames]);
  if (names.size === 0) return mapping;
  const existing = (key: string, column: string) =>
    [column, ...(column === key ? otherNames(key) : [])].filter((name) => names.has(name)).slice(0, 1);
  return Object.fromEntries(Object.entries(mapping).flatMap(([key, column]) => existing(key, column).map((name) => [key, name])));
}

/**
 * Columns that are not read though they may be an optional input: without it, something else than what was meant may be looked up and charged. `mapping`: as it was
 * resolved.
 */
export function unreadColumns(checks: readonly Check[], source: RowSource, mapping: Mapping): { input: string; column: string }[] {
  const taken = takenColumns(mapping, source);
  const used = new Set(Object.values(taken));
  const open = nameable(namedColumns(source)).filter((column) => !used.has(column));
  const inputs = new Set(checks.flatMap((check) => Object.keys(check.input.shape)));
  return [...inputs].flatMap((input) => {
    const lacks = checks.some(
      (check) => input in check.input.shape && taken[input] === undefined && taken[ownKey(check, input)] === undefined,
    );
    return lacks ? columnsPerhapsCalled(input, open).map((column) => ({ input, column })) : [];
  });
}

export const unreadColumn = ({ input, column }: { input: string; column: string }) => ({
  code: 'unread_column' as const,
  message: `The column "${column}" is not read; if it is ${input}, send map.${input}=${encodeURIComponent(column)}`,
});

type NamedColumns = Pick<TableSource, 'columns' | 'labels'>;

/** The columns of a table, or the names in the first object rows, as they may appear in a message. */
const namedColumns = (source: RowSource): NamedColumns =>
  source.columns === null ? { columns: source.names, labels: columnLabels(source.names) } : source;

export const NO_COLUMNS: NamedColumns = { columns: [], labels: [] };

/** Whether the header of a CSV was read as a single column by mistake: it uses a delimiter that we do not recognize, or the whole line is quoted. */
export const isUnsplit = (source: RowSource): boolean =>
  source.columns !== null && source.columns.length === 1 && UNSPLIT.test(source.columns[0]!) && source.about.dialect !== null;
const UNSPLIT = /[^\s:][,;\t|^~:][^\s:]/;

/** Columns that may be shown exactly as they are, so that a client can name them in `map.…`. */
const nameable = ({ columns, labels }: NamedColumns): string[] => columns.filter((column, i) => labels[i] === column);

/** Whether a mapping for these checks may have the key: an input, under any of its names, or `reference`. */
export function mappable(checks: readonly Check[]): (key: string) => boolean {
  const inputs = checks.flatMap((check) => Object.keys(check.input.shape).flatMap((field) => [field, ownKey(check, field)]));
  const known = new Set([REFERENCE, ...inputs]);
  return (key) => known.has(key) || otherNames(key).some((name) => known.has(name));
}

/** Inputs of `requested` that no check has, and columns addressed to a check that are not among its inputs. */
export function unknownNames(
  checks: readonly Check[],
  { fields }: Pick<FoundColumns, 'fields'>,
  source: RowSource,
  requested: Mapping,
): ErrorDetail[] {
  const isKnown = mappable(checks);
  const unknown = Object.keys(requested).filter((key) => !isKnown(key));
  return [
    ...unknown.map((key) => ({
      path: `map.${key}`,
      message: `is not an input of ${checks.map((check) => check.id).join(', ')}${didYouMean(key, [...fields.keys(), REFERENCE])}`,
      rule: 'unknown_field',
    })),
    ...mistypedColumns(checks, source),
  ];
}

/** What we know about an upload's columns before anything is refused. */
export interface FoundColumns {
  /** Input → the checks that require it. */
  fields: Map<string, Check[]>;
  /** `<check>.<input>` of every input. */
  ownKeys: string[];
  /** What was found for every input and own key, and for `reference`. */
  found: Map<string, Found>;
}

export function findColumns(checks: readonly Check[], source: RowSource, requested: Mapping): FoundColumns {
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
  const keys = [...ownKeys, ...fields.keys(), REFERENCE];
  const found = new Map<string, Found>(keys.map((key) => [key, findColumn(key, source, requested)]));
  addCalled([...fields.keys()], found, fields, source, requested);
  return { fields, ownKeys, found };
}

/** The columns that were found beyond doubt. */
export const mappingOf = (found: ReadonlyMap<string, Found>): Mapping =>
  Object.fromEntries([...found].filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

/** Members that results add to each check's columns beside its entity: a results file may be uploaded again. */
const RESULT_MEMBERS = ['status', 'outcome', 'error', 'cached', 'billed_amount', 'duplicate_of', 'entity'];

/** Columns addressed to a check that are not among its inputs, like `bvn_match.first_nam`: they would be paid for without being compared. */
function mistypedColumns(checks: readonly Check[], { columns, labels }: RowSource & { labels?: string[] }): ErrorDetail[] {
  return checks.flatMap((check) => {
    const inputs = Object.keys(check.input.shape).flatMap((field) => [field, ...otherNames(field)]);
    const known = new Set([...inputs, ...RESULT_MEMBERS, ...Object.keys(check.entity.shape)].map(fold));
    return (columns ?? []).flatMap((column, i) => {
      if (!column.startsWith(`${check.id}.`)) return [];
      const name = column.slice(check.id.length + 1);
      if (known.has(fold(name.split('.')[0]!))) return [];
      const hint = didYouMean(
        column,
        inputs.map((input) => ownKey(check, input)),
      );
      return [{ path: labels![i]!, message: `is not an input of ${check.id}${hint}`, rule: 'unknown_column' }];
    });
  });
}

const didYouMean = (name: string, known: readonly string[]): string =>
  likelyNames(name, known)
    .map((likely) => `; did you mean ${likely}?`)
    .join('');

/** What was found for a key: a column, several candidates, or none. */
export type Found = string | typeof SEVERAL | null;

/**
 * Fills in columns that bear a common synonym instead of an input's name (`NIN No.`, `Surname`). A column is taken if it is the only candidate
 * and fits that input alone. If two fit, a required input is reported as ambiguous and an optional one goes without.
 */
function addCalled(
  inputs: readonly string[],
  found: Map<string, Found>,
  needed: Map<string, Check[]>,
  source: RowSource,
  requested: Mapping,
): void {
  const names = namesIn(source);
  const taken = new Set([...found.values()].flatMap((column) => (typeof column === 'string' && names.includes(column) ? [column] : [])));
  const open = names.filter((column) => !taken.has(column));
  const isFree = (input: string) =>
    wantedColumn(input, requested) === undefined &&
    (found.get(input) === null || (source.columns === null && found.get(input) === input && !names.includes(input)));
  const wanting = inputs.filter(isFree);
  const called = new Map(wanting.map((input) => [input, columnsCalled(input, open)]));
  for (const [input, columns] of called) {
    const alone = columns.filter((column) =>
      [...called].every(([other, its]) => other === input || isSame(other, input) || !its.includes(column)),
    );
    if (alone.length === 1 && columns.length === 1) found.set(input, alone[0]!);
    else if (columns.length > 1 && needed.get(input)!.length > 0) found.set(input, SEVERAL);
  }
}

const isSame = (one: string, other: string): boolean => otherNames(one).includes(other);

/** A table's columns; for object rows, the names in the first of them. */
const namesIn = (source: RowSource): readonly string[] => source.columns ?? source.names;

export const wantedColumn = (key: string, requested: Mapping): string | undefined =>
  requested[key] ?? requested[otherNames(key).find((name) => requested[name] !== undefined) ?? ''];

export const SEVERAL: unique symbol = Symbol('several columns match');

function findColumn(key: string, source: RowSource, requested: Mapping): Found {
  const wanted = wantedColumn(key, requested);
  const named = (name: string): string[] => namesIn(source).filter((column) => fold(column) === fold(name));
  const matches = named(wanted ?? key);
  if (wanted === undefined && matches.length > 1) return SEVERAL;
  const exact = matches.find((column) => column === wanted);
  if (source.columns === null) return exact ?? (wanted !== undefined && matches.length === 1 ? matches[0]! : (wanted ?? key));
  if (exact !== undefined) return exact;
  const fitting = matches.length > 0 || wanted !== undefined ? matches : otherNames(key).flatMap(named);
  return fitting.length > 1 ? SEVERAL : (fitting[0] ?? null);
}

function unmatched(details: ErrorDetail[], fields: Map<string, Check[]>, suggested: Mapping, source: RowSource): ApiError {
  const sentences = details.map((d) => `${d.path}: ${d.message}`).join('; ');
  const { columns, labels } = namedColumns(source);
  const areData = lookLikeData(columns);
  const found = areData ? [] : labels.slice(0, COLUMNS_SHOWN);
  const unsplit = !areData && isUnsplit(source) ? ` ${ONE_COLUMN}.` : '';
  const advice = areData ? (source.columns === null ? DATA_AS_NAMES : NO_HEADINGS) : `Columns found: ${found.join(', ')}.${unsplit}`;
  return new ApiError('invalid_request', `${sentences}. ${advice}`, {
    details,
    extra: {
      found_columns: found,
      needed_inputs: [...fields].flatMap(([field, needing]) => (needing.length > 0 ? [field] : [])),
      suggested_mapping: suggested,
    },
  });
}

const COLUMNS_SHOWN = 50;
export const ONE_COLUMN =
  'The header has only one column: separate the cells by commas, semicolons, tabs or bars (|), and put no quotes around a whole line';
const NO_HEADINGS = 'The first row looks like data, not like a heading: add a row of headings.';
const DATA_AS_NAMES = 'The names in the first rows look like data, not like names of columns.';

/** Whether checks read a column of this name, under any of its spellings. */
export function wantedNames(checks: readonly Check[], requested: Mapping): (name: string) => boolean {
  const inputs = [...new Set(checks.flatMap((check) => Object.keys(check.input.shape)))];
  const own = checks.flatMap((check) => Object.keys(check.input.shape).map((field) => ownKey(check, field)));
  const names = new Set([...inputs, ...own, REFERENCE, ...Object.values(requested)].map(fold));
  return (name) => names.has(fold(name)) || inputs.some((input) => columnsCalled(input, [name]).length > 0);
}
