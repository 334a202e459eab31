/**
 * Reads the rows of an upload one by one: validates each for every check, finds twins, and counts. The sink decides what becomes of a row: stored
 * (`copier.ts`) or only priced (`pipeline/quote.ts`).
 */
import type { Check } from '../checks/check.ts';
import { fieldOf, readInput } from '../checks/read-input.ts';
import type { Context } from '../foundation/context.ts';
import { digest } from '../foundation/crypto.ts';
import type { ErrorDetail } from '../foundation/errors.ts';
import type { Images } from '../jobs/image-pack.ts';
import { type CellError, ROW_LIMITS, type RowSource } from '../rows/row.ts';
import type { DateFormat, RowProblem } from '../schema/batches.ts';
import { type RawRow, readReference, rowReader } from './columns.ts';
import { imagesOf, openImages } from './images.ts';
import { KeyTable } from './twins.ts';
import { type CellForms, explain, formsOf, isAmbiguousDate } from './written-values.ts';

type Input = Record<string, string | undefined>;

export interface NewJob {
  row: number;
  check: Check;
  input: Input;
  /** HMAC of the subject. */
  subject: Buffer;
  /** Together with the row's reference, if it has one. */
  raw: RawRow;
  images: Images | null;
  /** The earlier row with the same input for this check; 0: none. */
  twinRow: number;
}

/** Each returns true when enough has gathered to be sent on with `send`. */
interface IntakeSink {
  job(job: NewJob): boolean;
  invalid(row: number, problems: RowProblem[], raw: RawRow | null): boolean;
  send(): Promise<void>;
}

export interface Tally {
  rows: number;
  /** Without duplicates. */
  jobs: Map<string, number>;
  invalid: number;
  duplicates: number;
  /** The first problems found. */
  errors: ErrorDetail[];
  /** Names in object rows, in order of first appearance. */
  keys: string[];
  /** Files of the archive that no row names; null if there is no archive. */
  unusedFiles: number | null;
  /** Dates that would also be valid with day and month swapped. */
  ambiguousDates: AmbiguousDates;
}

export interface AmbiguousDates {
  count: number;
  first: { row: number; path: string }[];
}

/** Row errors shown in an answer; the rest is in the results. */
const ERRORS_SHOWN = 100;
const KEYS_MAX = 200;

interface IntakeOf {
  checks: readonly Check[];
  mapping: Record<string, string>;
  source: RowSource;
  options: { date_format: DateFormat };
}

export async function intake(
  ctx: Pick<Context, 'cipher' | 'turns'>,
  { checks, mapping, source, options }: IntakeOf,
  sink: IntakeSink,
): Promise<Tally> {
  const tally: Tally = {
    rows: 0,
    jobs: new Map(checks.map((check) => [check.id, 0])),
    invalid: 0,
    duplicates: 0,
    errors: [],
    keys: [],
    unusedFiles: null,
    ambiguousDates: { count: 0, first: [] },
  };
  const { date_format: dateFormat } = options;
  const forms = formsOf(checks);
  const read = rowReader(source.columns, mapping, forms, dateFormat);
  const asWritten = rowReader(source.columns, mapping);
  const dates = openDates(mapping, forms, asWritten, dateFormat, tally.ambiguousDates);
  const images = openImages(checks, source, read);
  const keys = new Set<string>();
  const twins = checks.map(() => new KeyTable());
  const references = new KeyTable();
  const inputs: Input[] = [];

  /** Returns what is wrong with the row; `inputs` gets what is right. */
  function validate(row: number, cell: (field: string) => unknown, ofFiles: readonly RowProblem[]): RowProblem[] {
    const problems: RowProblem[] = [...ofFiles];
    for (const [i, check] of checks.entries()) {
      const result = readInput(check, cell);
      if ('problems' in result)
        problems.push(...result.problems.filter(({ field }) => ofFiles.every((problem) => problem.field !== field)));
      else inputs[i] = result.input;
    }
    const own = readReference(cell);
    if ('problems' in own) problems.push(...own.problems);
    const reference = 'problems' in own ? null : own.reference;
    if (problems.length === 0 && reference !== null) {
      const other = references.findOrAdd(digest(reference), row);
      if (other > 0) problems.push({ field: 'reference', rule: 'duplicate_reference', message: `is the same as in row ${other}` });
    }
    return problems.length > 1 ? distinct(problems) : problems;
  }

  /** Rewords the problems for files. */
  const explained = (problems: RowProblem[], value: RawRow): RowProblem[] =>
    problems.map((problem) =>
      problem.field === null || problem.rule === 'required'
        ? problem
        : explain(problem, forms.get(fieldOf(problem.field)), asWritten(value, problem.field), dateFormat),
    );

  function accept(row: number, raw: RawRow): boolean {
    let isFull = false;
    for (const [i, check] of checks.entries()) {
      const input = inputs[i]!;
      const identifier = check.subject(input);
      const subject = ctx.cipher.index('subject', check.family, identifier);
      const question = check.question(input);
      const twinRow = twins[i]!.findOrAdd(question === identifier ? subject : ctx.cipher.index('input', question), row);
      if (twinRow === 0) tally.jobs.set(check.id, tally.jobs.get(check.id)! + 1);
      else tally.duplicates++;
      isFull = sink.job({ row, check, input, subject, raw, images: images && imagesOf(check, input), twinRow }) || isFull;
    }
    return isFull;
  }

  function refuse(row: number, problems: RowProblem[], raw: RawRow | null): boolean {
    tally.invalid++;
    for (const { field, rule, message } of problems) {
      if (tally.errors.length < ERRORS_SHOWN) tally.errors.push({ path: field ?? `row ${row}`, row, rule, message });
    }
    return sink.invalid(row, problems, raw);
  }

  const turn = ctx.turns.long();
  type AnyRow = { row: number; value: RawRow | null; error: RowProblem | null; cellErrors?: readonly CellError[] };
  const used = new Set(Object.values(mapping).map((column) => source.columns?.indexOf(column)));
  for await (const rows of source.rows as AsyncIterable<AnyRow[]>) {
    for (const { row, value, cellErrors, error: ofRow } of rows) {
      tally.rows++;
      const error = ofRow ?? cellErrors?.find(({ column }) => used.has(column)) ?? null;
      if (source.columns === null && value !== null && keys.size < KEYS_MAX) for (const key of Object.keys(value)) keys.add(key);
      let isFull: boolean;
      if (error || value === null) {
        const { field = null, rule = 'unreadable', message = 'cannot be read' } = error ?? {};
        isFull = refuse(row, [{ field, rule, message }], value && images ? images.strip(value) : value);
      } else {
        const loaded = await images?.load(value);
        const raw = images ? images.strip(value) : value;
        const problems = validate(row, loaded?.read ?? ((field) => read(value, field)), loaded?.problems ?? NO_PROBLEMS);
        if (raw === null) problems.push(TOO_LARGE);
        dates?.(row, value);
        isFull = problems.length > 0 ? refuse(row, explained(problems, value), raw) : accept(row, raw!);
      }
      if (isFull) await sink.send();
      if (images || tally.rows % ROWS_BETWEEN_LOOKS === 0) await turn();
    }
  }
  await sink.send();
  tally.keys = [...keys];
  tally.unusedFiles = source.columns === null ? null : (source.files?.unused() ?? null);
  return tally;
}

const ROWS_BETWEEN_LOOKS = 50;

const DATES_SHOWN = 100;

/** Counts the ambiguous dates of a row; null if no column holds dates. */
function openDates(
  mapping: Record<string, string>,
  forms: CellForms,
  asWritten: (row: RawRow, key: string) => unknown,
  format: DateFormat,
  tally: AmbiguousDates,
): ((row: number, value: RawRow) => void) | null {
  // A column may serve several inputs: count it once.
  const keys = new Map(Object.keys(mapping).flatMap((key) => (forms.get(fieldOf(key)) === 'date' ? [[mapping[key]!, key] as const] : [])));
  if (keys.size === 0) return null;
  return (row, value) => {
    for (const path of keys.values()) {
      if (!isAmbiguousDate(asWritten(value, path), format)) continue;
      tally.count++;
      if (tally.first.length < DATES_SHOWN) tally.first.push({ row, path });
    }
  };
}

const NO_PROBLEMS: readonly RowProblem[] = [];
const TOO_LARGE: RowProblem = {
  field: null,
  rule: 'row_too_large',
  message: `is larger than ${ROW_LIMITS.rowBytesMax} bytes without its images`,
};

function distinct(problems: RowProblem[]): RowProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.field} ${problem.message}`, problem])).values()];
}
