/**
 * Reads the rows of an upload one by one: validates each for every check, finds duplicates, and counts. The sink decides what becomes of a row: sealed to be stored
 * (`packer.ts`) or only priced (`pipeline/quote.ts`). Runs in the process or in a thread (`row-thread.ts`), so it knows no database.
 */
import type { Check } from '../checks/check.ts';
import { fieldOf, readInput } from '../checks/read-input.ts';
import { digest } from '../foundation/crypto.ts';
import type { ErrorDetail } from '../foundation/errors.ts';
import type { Indexer } from '../foundation/index-keys.ts';
import type { Yielding } from '../foundation/yielding.ts';
import type { Images } from '../jobs/image-pack.ts';
import { type CellError, ROW_LIMITS, type RowSource, type TableAbout } from '../rows/row.ts';
import type { DateFormat, RowProblem } from '../schema/batches.ts';
import { imagesOf, type LoadedRow, openImages, type RowImages } from './images.ts';
import { type RawRow, readReference, rowReader } from './row-reader.ts';
import { FirstRows } from './twins.ts';
import { type CellForms, explain, formsOf, isAmbiguousDate, isErrorValue } from './written-values.ts';

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
  /** The earlier row with the same input for this check; 0 if there is none. */
  twinRow: number;
}

/** Gathers rows. `job` and `invalid` return true when enough has gathered for a slice. */
export interface Sink<Slice> {
  job(job: NewJob): boolean;
  invalid(row: number, problems: RowProblem[], raw: RawRow | null): boolean;
  /** What has gathered since the last slice. `isLast`: no row follows. */
  slice(isLast: boolean): Slice | Promise<Slice>;
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
  /** How the table was encoded; null for Unicode. */
  encoding: TableAbout['encoding'];
  hiddenRows: number;
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
  /** That a row may name. Null: any. */
  watchLists: readonly string[] | null;
}

/** The parts of a context that reading rows needs. */
interface IntakeContext {
  cipher: Indexer;
  yielding: Yielding;
}

/** Yields slices at the pace of its consumer, and returns what it has counted. Throws `UploadError`, or what the byte stream threw. */
export async function* intake<Slice>(ctx: IntakeContext, upload: IntakeOf, sink: Sink<Slice>): AsyncGenerator<Slice, Tally> {
  const rows = new Intake(ctx, upload, sink);
  const giveWay = ctx.yielding.long();
  for await (const slice of upload.source.rows as AsyncIterable<AnyRow[]>) {
    for (const row of slice) {
      const images = rows.hasImages ? await rows.loadImages(row) : undefined;
      if (rows.take(row, images)) yield await sink.slice(false);
      if (rows.isDueToYield()) await giveWay();
    }
  }
  yield await sink.slice(true);
  return rows.end();
}

/** Where a row is in its file, as `Row` has it. */
interface Place {
  sheetRow?: number;
  line?: number;
}

type AnyRow = { row: number; value: RawRow | null; error: RowProblem | null; cellErrors?: readonly CellError[] } & Place;

type CellReader = (row: RawRow, key: string) => unknown;

const ROWS_BETWEEN_LOOKS = 50;

class Intake {
  private readonly cipher: Indexer;
  private readonly checks: readonly Check[];
  private readonly source: RowSource;
  private readonly dateFormat: DateFormat;
  private readonly watchLists: readonly string[] | null;
  private readonly sink: Pick<Sink<unknown>, 'job' | 'invalid'>;
  private readonly tally: Tally;
  private readonly forms: CellForms;
  private readonly read: CellReader;
  private readonly asWritten: CellReader;
  private readonly countDates: ((row: number, value: RawRow) => void) | null;
  private readonly images: RowImages | null;
  /** Of the mapping. */
  private readonly inputKeys: readonly string[];
  /** Names in object rows. */
  private readonly keys = new Set<string>();
  /** Positions of the columns that some check reads. */
  private readonly used: Set<number | undefined>;
  private readonly twins: FirstRows[];
  private readonly references = new FirstRows();
  /** The row's input for each check. */
  private readonly inputs: Input[] = [];

  constructor({ cipher }: Pick<IntakeContext, 'cipher'>, { checks, mapping, source, options, watchLists }: IntakeOf, sink: Sink<unknown>) {
    this.cipher = cipher;
    this.checks = checks;
    this.source = source;
    this.dateFormat = options.date_format;
    this.watchLists = watchLists;
    this.sink = sink;
    this.tally = noRows(checks);
    this.forms = formsOf(checks);
    this.read = rowReader(source.columns, mapping, this.forms, this.dateFormat);
    this.asWritten = rowReader(source.columns, mapping);
    this.countDates = openDates(mapping, this.forms, this.asWritten, this.dateFormat, this.tally.ambiguousDates);
    this.images = openImages(checks, source, this.read);
    this.inputKeys = Object.keys(mapping);
    this.used = new Set(Object.values(mapping).map((column) => source.columns?.indexOf(column)));
    this.twins = checks.map(() => new FirstRows());
  }

  get hasImages(): boolean {
    return this.images !== null;
  }

  async loadImages(row: AnyRow): Promise<LoadedRow | undefined> {
    return row.value === null || this.errorOf(row) ? undefined : this.images?.load(row.value);
  }

  /** Passes a row to the sink. Returns whether enough has gathered to be sent on. */
  take(given: AnyRow, loaded: LoadedRow | undefined): boolean {
    const { images, keys, tally } = this;
    const { row, value } = given;
    tally.rows++;
    if (this.source.columns === null && value !== null && keys.size < KEYS_MAX) for (const key of Object.keys(value)) keys.add(key);
    const error = this.errorOf(given);
    if (error || value === null) {
      const { field = null, rule = 'unreadable', message = 'cannot be read' } = error ?? {};
      return this.refuse(row, [{ field, rule, message }], value && images ? images.strip(value) : value);
    }
    const raw = images ? images.strip(value) : value;
    const ofCells = [...(loaded?.problems ?? NO_PROBLEMS), ...this.errorValues(value)];
    const problems = this.validate(row, loaded?.read ?? ((field) => this.read(value, field)), ofCells);
    if (raw === null) problems.push(TOO_LARGE);
    this.countDates?.(row, value);
    return problems.length > 0 ? this.refuse(row, this.explained(problems, value, given), raw) : this.accept(row, raw!);
  }

  /** Decoding images takes long, and so does a run of rows. */
  isDueToYield(): boolean {
    return this.images !== null || this.tally.rows % ROWS_BETWEEN_LOOKS === 0;
  }

  end(): Tally {
    const { tally, source } = this;
    tally.keys = [...this.keys];
    tally.unusedFiles = source.columns === null ? null : (source.files?.unused() ?? null);
    // Known once the last row has been read.
    if (source.columns !== null) ({ encoding: tally.encoding, hiddenRows: tally.hiddenRows } = source.about);
    return tally;
  }

  private errorOf({ error, cellErrors }: AnyRow): RowProblem | null {
    return error ?? cellErrors?.find(({ column }) => this.used.has(column)) ?? null;
  }

  /** Returns the row's problems; its valid inputs go into `inputs`. */
  private validate(row: number, cell: (field: string) => unknown, ofCells: readonly RowProblem[]): RowProblem[] {
    const problems: RowProblem[] = [...ofCells];
    for (const [i, check] of this.checks.entries()) {
      const result = readInput(check, cell, this.watchLists);
      if ('problems' in result)
        problems.push(...result.problems.filter(({ field }) => ofCells.every((problem) => problem.field !== field)));
      else this.inputs[i] = result.input;
    }
    const own = readReference(cell);
    if ('problems' in own) problems.push(...own.problems);
    const reference = 'problems' in own ? null : own.reference;
    if (problems.length === 0 && reference !== null) {
      const other = this.references.findOrAdd(digest(reference), row);
      if (other > 0) problems.push({ field: 'reference', rule: 'duplicate_reference', message: `is the same as in row ${other}` });
    }
    return problems.length > 1 ? distinct(problems) : problems;
  }

  /** A workbook knows which of its cells are errors; in any other file they are text. */
  private errorValues(value: RawRow): RowProblem[] {
    const isError = (key: string): boolean => {
      const cell = this.asWritten(value, key);
      return typeof cell === 'string' && isErrorValue(cell);
    };
    return this.inputKeys.filter(isError).map((field) => ({ field, rule: 'error_cell', message: IS_ERROR_VALUE }));
  }

  /** Rewords the problems for files. */
  private explained(problems: RowProblem[], value: RawRow, { sheetRow, line }: Place): RowProblem[] {
    const explained = problems.map((problem) =>
      problem.field === null || problem.rule === 'required' || problem.rule === 'error_cell'
        ? problem
        : problem.rule === 'unknown_list'
          ? { ...problem, message: UNKNOWN_LIST }
          : explain(problem, this.forms.get(fieldOf(problem.field)), this.asWritten(value, problem.field), this.dateFormat),
    );
    const place = sheetRow !== undefined ? `row ${sheetRow} of the sheet` : line !== undefined ? `line ${line} of the file` : null;
    return place === null ? explained : explained.map((problem) => ({ ...problem, message: `${problem.message} (this is ${place})` }));
  }

  private accept(row: number, raw: RawRow): boolean {
    const { images, cipher } = this;
    let isFull = false;
    for (const [i, check] of this.checks.entries()) {
      const input = this.inputs[i]!;
      const identifier = check.subject(input);
      const subject = cipher.index('subject', check.family, identifier);
      const question = check.question(input);
      const twinRow = this.twins[i]!.findOrAdd(question === identifier ? subject : cipher.index('input', question), row);
      if (twinRow === 0) this.tally.jobs.set(check.id, this.tally.jobs.get(check.id)! + 1);
      else this.tally.duplicates++;
      isFull = this.sink.job({ row, check, input, subject, raw, images: images && imagesOf(check, input), twinRow }) || isFull;
    }
    return isFull;
  }

  private refuse(row: number, problems: RowProblem[], raw: RawRow | null): boolean {
    this.tally.invalid++;
    for (const { field, rule, message } of problems) {
      if (this.tally.errors.length < ERRORS_SHOWN) this.tally.errors.push({ path: field ?? `row ${row}`, row, rule, message });
    }
    return this.sink.invalid(row, problems, raw);
  }
}

const noRows = (checks: readonly Check[]): Tally => ({
  rows: 0,
  jobs: new Map(checks.map((check) => [check.id, 0])),
  invalid: 0,
  duplicates: 0,
  errors: [],
  keys: [],
  unusedFiles: null,
  ambiguousDates: { count: 0, first: [] },
  encoding: null,
  hiddenRows: 0,
});

const DATES_SHOWN = 100;

/** Counts the ambiguous dates of a row; null if no column holds dates. */
function openDates(
  mapping: Record<string, string>,
  forms: CellForms,
  asWritten: CellReader,
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

const IS_ERROR_VALUE = 'has an error value of a spreadsheet, such as #N/A';

/** Without the list's id, as no answer repeats a cell. */
const UNKNOWN_LIST = 'must not name unknown lists';
const NO_PROBLEMS: readonly RowProblem[] = [];
const TOO_LARGE: RowProblem = {
  field: null,
  rule: 'row_too_large',
  message: `is larger than ${ROW_LIMITS.rowBytesMax} bytes without its images`,
};

function distinct(problems: RowProblem[]): RowProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.field} ${problem.message}`, problem])).values()];
}
