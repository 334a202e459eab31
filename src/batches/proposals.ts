/** Proposes which column is which input, with a confidence and a reason, for the sender to confirm. A submission takes only what is beyond doubt (`columns.ts`). */
import type { z } from 'zod';
import type { Check } from '../checks/check.ts';
import { imageInputs } from '../checks/inputs.ts';
import { fieldOf } from '../checks/read-input.ts';
import type { MappedBy, Preview } from '../contract/previews.ts';
import { fold } from '../rows/likely-names.ts';
import type { TableSource } from '../rows/row.ts';
import type { DateFormat } from '../schema/batches.ts';
import { type Found, type FoundColumns, SEVERAL, wantedColumn } from './columns.ts';
import { likelyColumns } from './header-synonyms.ts';
import { type Mapping, otherNames, type RawRow, REFERENCE, rowReader } from './row-reader.ts';
import { type CellForms, dateOrder, formsOf } from './written-values.ts';

export type Proposal = Preview['mapping'][number];
type Table = Pick<TableSource, 'columns' | 'labels'>;

/** What a proposal is judged by, besides names. */
export interface Evidence {
  checks: readonly Check[];
  /** Names as columns, whatever the format. */
  table: Table;
  /** Rows that could be read. */
  rows: readonly RawRow[];
  /** Null: the rows are objects. */
  columns: readonly string[] | null;
}

/** Confidence in a column, before its values are looked at. */
const CONFIDENCE: Record<MappedBy, number> = { requested: 1, saved: 0.98, name: 1, synonym: 0.9, likeness: 0.6, values: 0.5 };

const REASONS: Record<MappedBy, string> = {
  requested: 'You named this column',
  saved: 'It was used the last time with these column names',
  name: 'The column has the name of the input',
  synonym: 'The column has a common name for the input',
  likeness: 'The name of the column is similar; make sure that it is the right one',
  values: 'The name of the column does not say so, but its values fit; make sure that it is the right one',
};

/** Columns that the sender named: now, or the last time a file had these column names. */
export interface Named {
  requested: Mapping;
  saved: Mapping;
}

/** `likely`: whether columns that only resemble an input are proposed too. `found` is what was found with `named`. */
export function propose(evidence: Evidence, { fields, found }: FoundColumns, named: Named, likely: boolean): Proposal[] {
  const requested = { ...named.saved, ...named.requested };
  const keys = [...fields.keys(), REFERENCE];
  const own = [...found.keys()].filter((key) => !keys.includes(key) && typeof found.get(key) === 'string');
  const guesses = likely ? guessed(evidence, fields, found, requested) : new Map<string, Guess>();
  const proposals = [...keys, ...own].map((key): Proposal => {
    const column = found.get(key) ?? null;
    const guess = guesses.get(key);
    const needing = (fields.get(key) ?? []).map((check) => check.id);
    if (typeof column === 'string') return judged(evidence, key, column, byOf(key, column, named), needing);
    if (guess) return judged(evidence, key, guess.column, guess.by, needing);
    return { field: key, column: null, by: null, confidence: 0, required: needing, reason: whyNone(key, column, requested) };
  });
  return likely ? proposals : proposals.filter(({ column, reason }) => column !== null || reason === AMBIGUOUS);
}

const AMBIGUOUS = 'Several columns may be it; name one';

function whyNone(key: string, found: Found, requested: Mapping): string {
  if (found === SEVERAL) return AMBIGUOUS;
  return wantedColumn(key, requested) === undefined ? 'No column fits' : 'No column has the name that you gave';
}

function byOf(key: string, column: string, { requested, saved }: Named): MappedBy {
  if (wantedColumn(key, requested) !== undefined) return 'requested';
  if (wantedColumn(key, saved) !== undefined) return 'saved';
  return [key, ...otherNames(key)].some((name) => fold(name) === fold(column)) ? 'name' : 'synonym';
}

interface Guess {
  column: string;
  by: MappedBy;
}

/**
 * Columns with a similar name; for an optional input only if their values fit. A required input without such a column, or whose column has mostly other values, gets the
 * only column left whose values fit.
 */
function guessed(evidence: Evidence, fields: FoundColumns['fields'], found: FoundColumns['found'], requested: Mapping): Map<string, Guess> {
  const open = [...fields.keys(), REFERENCE].filter((key) => found.get(key) === null && wantedColumn(key, requested) === undefined);
  const taken = Object.fromEntries([...found].filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  const forms = formsOf(evidence.checks);
  const isOptional = (key: string) => fields.get(key)?.length === 0;
  /** The share of a column's values that fit; null for an empty column. */
  const fitting = (key: string, column: string): number | null => {
    const { filled, fit } = fitOf(evidence, forms, key, column);
    return filled === 0 ? null : fit / filled;
  };
  const similar = likelyColumns(open, evidence.table, taken, (key, column) => !isOptional(key) || (fitting(key, column) ?? 1) >= FITTING);
  const guesses = new Map<string, Guess>();
  for (const [key, column] of Object.entries(similar)) guesses.set(key, { column, by: 'likeness' });
  const used = new Set([...Object.values(taken), ...Object.values(similar)]);
  const free = evidence.table.columns.filter((column) => !used.has(column));
  for (const key of open) {
    const named = similar[key];
    const isLikely = named !== undefined && (fitting(key, named) ?? 1) >= HALF_FITTING;
    if (isLikely || isOptional(key) || !forms.has(key)) continue;
    const candidates = free.filter((column) => (fitting(key, column) ?? 0) >= FITTING);
    if (candidates.length === 1) guesses.set(key, { column: candidates[0]!, by: 'values' });
  }
  if (!open.includes(REFERENCE) || guesses.has(REFERENCE)) return guesses;
  // A column that an input gave up may be the reference.
  const guessedColumns = Object.fromEntries([...guesses].map(([key, { column }]) => [key, column]));
  const { [REFERENCE]: reference } = likelyColumns([REFERENCE], evidence.table, { ...taken, ...guessedColumns });
  return reference === undefined ? guesses : guesses.set(REFERENCE, { column: reference, by: 'likeness' });
}

function fitWords(fit: number, filled: number): string {
  if (fit < filled) return `${fit} of ${filled} values ${fit === 1 ? 'fits' : 'fit'}`;
  return filled === 1 ? 'the one value checked fits' : `all ${filled} values checked fit`;
}

const FITTING = 0.9;
const HALF_FITTING = 0.5;

function judged(evidence: Evidence, key: string, column: string, by: MappedBy, required: string[]): Proposal {
  const { filled, fit } = fitOf(evidence, formsOf(evidence.checks), key, column);
  const share = filled === 0 || by === 'requested' || by === 'saved' ? 1 : fit / filled;
  const values = filled === 0 ? '' : `; ${fitWords(fit, filled)}`;
  const confidence = Math.round(CONFIDENCE[by] * (VALUES_LEAST + (1 - VALUES_LEAST) * share) * 100) / 100;
  return { field: key, column, by, confidence, required, reason: `${REASONS[by]}${values}.` };
}

/** The factor for the confidence in a column if none of its values fits. */
const VALUES_LEAST = 0.2;
const VALUES_CHECKED = 100;

/** How many of the column's first values the input's checks accept, in any order of day and month. Nothing is counted for pictures. */
function fitOf({ checks, rows, columns }: Evidence, forms: CellForms, key: string, column: string): { filled: number; fit: number } {
  const field = fieldOf(key);
  const check = checks.find((one) => field in one.input.shape);
  if (!check || imageInputs(check).includes(field)) return { filled: 0, fit: 0 };
  const schema = check.input.shape[field] as z.ZodType;
  const readers = (['dmy', 'mdy'] as const).map((format) => rowReader(columns, { [key]: column }, forms, format));
  let filled = 0;
  let fit = 0;
  for (const row of rows) {
    const values = readers.map((read) => read(row, key));
    if (values[0] === undefined) continue;
    filled++;
    if (values.some((value) => schema.safeParse(value).success)) fit++;
    if (filled === VALUES_CHECKED) break;
  }
  return { filled, fit };
}

/** How the dates of the sample are to be read. Null if no mapped column holds any. */
export function proposeDates(
  { checks, rows, columns }: Evidence,
  mapping: Mapping,
  asked: DateFormat | undefined,
  saved: DateFormat | undefined,
): Preview['date_format'] {
  const forms = formsOf(checks);
  const keys = new Map(Object.entries(mapping).flatMap(([key, column]) => (forms.get(fieldOf(key)) === 'date' ? [[column, key]] : [])));
  const read = rowReader(columns, mapping);
  const counts = { dmy: 0, mdy: 0, either: 0, any: 0 };
  for (const row of rows) {
    for (const key of keys.values()) {
      const order = dateOrder(read(row, key));
      if (order) counts[order]++;
    }
  }
  const { dmy, mdy, either, any } = counts;
  if (dmy + mdy + either + any === 0) return null;
  const seen = datesSeen(counts);
  if (asked !== undefined) return { value: asked, confidence: 1, reason: `You chose it. ${seen.reason}` };
  if (saved === undefined || either === 0 || dmy + mdy > 0) return seen;
  return { value: saved, confidence: 0.9, reason: 'It was used the last time with these column names.' };
}

function datesSeen({ dmy, mdy, either }: Record<'dmy' | 'mdy' | 'either', number>): NonNullable<Preview['date_format']> {
  if (dmy > 0 && mdy > 0) {
    const confidence = Math.round((Math.max(dmy, mdy) / (dmy + mdy)) * 100) / 100;
    const reason = `The dates disagree: ${dmy} can only be read with the day first, ${mdy} only with the month first.`;
    return { value: dmy >= mdy ? 'dmy' : 'mdy', confidence, reason };
  }
  if (dmy > 0) return { value: 'dmy', confidence: 0.99, reason: `${dmy} of the dates can only be read with the day first.` };
  if (mdy > 0) return { value: 'mdy', confidence: 0.99, reason: `${mdy} of the dates can only be read with the month first.` };
  if (either === 0) return { value: 'dmy', confidence: 1, reason: 'No date depends on it: each has its year first or names its month.' };
  return {
    value: 'dmy',
    confidence: 0.6,
    reason: `${either === 1 ? '1 date' : `${either} dates`} can be read either way; in Nigeria the day comes first.`,
  };
}
