/**
 * Reads the rows of an upload one by one: validates each for every check, finds rows that say what another said already, counts. What
 * becomes of a row is the sink's: stored (`copier.ts`) or only priced (`quote.ts`).
 */
import type { Check } from '../checks/check.ts';
import type { Context } from '../context.ts';
import { digest } from '../crypto.ts';
import type { ErrorDetail } from '../errors.ts';
import type { Images } from '../imagepack.ts';
import { ROW_LIMITS, type RowSource } from '../rows/row.ts';
import type { RowProblem } from '../schema/batches.ts';
import { type RawRow, readInput, readReference, rowReader } from './columns.ts';
import { imagesOf, openImages } from './images.ts';
import { KeyTable } from './keytable.ts';

type Input = Record<string, string | undefined>;

export interface NewJob {
  row: number;
  check: Check;
  input: Input;
  /** HMAC of the subject. */
  subject: Buffer;
  reference: string | null;
  raw: RawRow;
  images: Images | null;
  /** The row that has the same input for this check; 0: none before this one. */
  twinRow: number;
}

/** Each answers true when what it gathered should be sent on, which `send` does. */
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
  /** Names of object rows, in the order in which they first appeared. */
  keys: string[];
  /** Files of an archive that no row names; null where there is no archive. */
  unusedFiles: number | null;
}

/** Errors of rows that an answer shows; the rest is in the results. */
const ERRORS_SHOWN = 100;
const KEYS_MAX = 200;

export async function intake(
  ctx: Pick<Context, 'cipher' | 'turns'>,
  { checks, mapping, source }: { checks: readonly Check[]; mapping: Record<string, string>; source: RowSource },
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
  };
  const read = rowReader(source.columns, mapping);
  const images = openImages(checks, source, read);
  const keys = new Set<string>();
  const twins = checks.map(() => new KeyTable());
  const references = new KeyTable();
  const inputs: Input[] = [];

  /** What is wrong with the row; `inputs` holds what is right. */
  function validate(
    row: number,
    cell: (field: string) => unknown,
    ofFiles: readonly RowProblem[],
  ): { problems: RowProblem[]; reference: string | null } {
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
    return { problems: problems.length > 1 ? distinct(problems) : problems, reference };
  }

  function accept(row: number, reference: string | null, raw: RawRow): boolean {
    let isFull = false;
    for (const [i, check] of checks.entries()) {
      const input = inputs[i]!;
      const identifier = check.subject(input);
      const subject = ctx.cipher.index('subject', check.family, identifier);
      const twinRow = twins[i]!.findOrAdd(
        isSubjectAlone(check, input, identifier) ? subject : ctx.cipher.index('input', JSON.stringify(input)),
        row,
      );
      if (twinRow === 0) tally.jobs.set(check.id, tally.jobs.get(check.id)! + 1);
      else tally.duplicates++;
      isFull = sink.job({ row, check, input, subject, reference, raw, images: images && imagesOf(check, input), twinRow }) || isFull;
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
  type AnyRow = { row: number; value: RawRow | null; error: RowProblem | null };
  for await (const rows of source.rows as AsyncIterable<AnyRow[]>) {
    for (const { row, value, error } of rows) {
      tally.rows++;
      if (source.columns === null && value !== null && keys.size < KEYS_MAX) for (const key of Object.keys(value)) keys.add(key);
      let isFull: boolean;
      if (error || value === null) {
        const { field = null, rule = 'unreadable', message = 'cannot be read' } = error ?? {};
        isFull = refuse(row, [{ field, rule, message }], value && images ? images.strip(value) : value);
      } else {
        const loaded = await images?.load(value);
        const raw = images ? images.strip(value) : value;
        const { problems, reference } = validate(row, loaded?.read ?? ((field) => read(value, field)), loaded?.problems ?? NO_PROBLEMS);
        if (raw === null) problems.push(TOO_LARGE);
        isFull = problems.length > 0 ? refuse(row, problems, raw) : accept(row, reference, raw!);
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

const NO_PROBLEMS: readonly RowProblem[] = [];
const TOO_LARGE: RowProblem = {
  field: null,
  rule: 'row_too_large',
  message: `is larger than ${ROW_LIMITS.rowBytesMax} bytes without its images`,
};

/** The subject is all that the check takes: two rows with the same subject are twins. Not two spellings of an address that are one mailbox. */
const isSubjectAlone = (check: Check, input: Record<string, string | undefined>, subject: string): boolean =>
  Object.keys(check.input.shape).length === 1 && Object.values(input)[0] === subject;

function distinct(problems: RowProblem[]): RowProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.field} ${problem.message}`, problem])).values()];
}
