/** Describes the beginning of an upload: dialect, columns, first rows, proposed mapping, and what is wrong with its rows. Keeps nothing. */
import type { Owner } from '../access/owner.ts';
import { refuseCheck } from '../access/restrictions.ts';
import { checks as allChecks, askedCheck, findCheck } from '../checks/catalog.ts';
import type { Check } from '../checks/check.ts';
import { imageInputs } from '../checks/inputs.ts';
import { readInput } from '../checks/read-input.ts';
import { type SavedMapping, showSavedMapping } from '../contract/mappings.ts';
import type { Preview, PreviewOptions } from '../contract/previews.ts';
import type { Context } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { showId } from '../foundation/ids.ts';
import type { Router } from '../providers/router.ts';
import type { UploadText } from '../rows/beginning.ts';
import { lookLikeData } from '../rows/column-names.ts';
import { fold } from '../rows/likely-names.ts';
import { type Row, type RowSource, UploadError } from '../rows/row.ts';
import type { BatchFormat, DateFormat } from '../schema/batches.ts';
import {
  findColumns,
  isUnsplit,
  mappable,
  mappingOf,
  NO_COLUMNS,
  ONE_COLUMN,
  unknownNames,
  unreadColumn,
  unreadColumns,
} from './columns.ts';
import { intake, type Sink } from './intake.ts';
import { type Evidence, type Proposal, propose, proposeDates } from './proposals.ts';
import { type Mapping, type RawRow, rowReader } from './row-reader.ts';
import { fingerprintOf, readMapping } from './saved-mappings.ts';
import { formsOf } from './written-values.ts';

export interface PreviewUpload {
  format: BatchFormat;
  source: RowSource;
  options: PreviewOptions;
  /** Null for a workbook and an archive, which are whole. */
  text: UploadText | null;
}

type AnyRow = Row<RawRow>;

const ROWS_MAX = 1_000;
/** Most rows whose pictures are read. */
const PICTURE_ROWS_MAX = 20;
const ROWS_SHOWN = 20;
const CELL_CHARACTERS = 200;
const SAMPLES = 3;

/** Throws `ApiError` for a check or an input that does not exist, and `UploadError` for a file that cannot be read. */
export async function previewUpload(ctx: Context & { router: Router }, owner: Owner, upload: PreviewUpload): Promise<Preview> {
  const { options, source, format } = upload;
  const asked = (options.checks ?? []).map((id) => askedCheck(id, 'checks'));
  for (const check of asked) refuseCheck(owner.terms, check.id);
  const sample = await takeSample(upload, asked);
  const names = source.columns ?? namesIn(sample.rows);
  const rows = sample.rows.flatMap(({ value, error }) => (value === null || error ? [] : [value]));
  const table = { ...source, columns: names, labels: source.columns === null ? names : source.labels } as RowSource & { columns: string[] };
  const usable = usableChecks(ctx, owner);
  const checks = asked.length > 0 ? asked : usable;
  const id = fingerprintOf(ctx.cipher, owner.appId, source);
  const saved = await readMapping(ctx, owner.appId, id);
  const named = { requested: options.mapping, saved: usableMapping(saved, checks, names) };
  const found = findColumns(checks, table, { ...named.saved, ...named.requested });
  refuseUnknown(unknownNames(checks, found, source, options.mapping));
  // A whole line is not a column name, so nothing is guessed from it.
  const likely = isUnsplit(source) ? NO_COLUMNS : (table as Evidence['table']);
  const evidence: Evidence = { checks, table: likely, rows, columns: source.columns };
  const mapping = propose(evidence, found, named, asked.length > 0);
  const proposed: Mapping = Object.fromEntries(mapping.flatMap(({ field, column }) => (column === null ? [] : [[field, column]])));
  const dates = proposeDates(evidence, proposed, options.date_format, saved?.date_format);
  const dateFormat = dates?.value ?? 'dmy';
  const watchLists = ctx.router.watchLists(owner.live);
  const isComplete = asked.length > 0 && !lacksInput(mapping, proposed);
  const faults = isComplete
    ? await faultsOf(ctx, upload, sample.rows, { checks: asked, mapping: proposed, dateFormat, watchLists })
    : { problems: [], invalid_rows: 0 };
  return {
    object: 'preview',
    format,
    ...writtenAs(upload),
    is_whole: sample.isWhole,
    sampled_rows: sample.rows.length,
    fingerprint: showId('map', id),
    columns: names.map((name, position) => ({ name, position, ...filling(sample.rows, name, position) })),
    rows: sample.rows.slice(0, ROWS_SHOWN).map((row) => names.map((name, at) => cellOf(row, name, at))),
    checks: asked.map((check) => check.id),
    suggested_checks: suggest(usable, evidence, table, { ...named.saved, ...named.requested }, dateFormat),
    mapping,
    date_format: dates,
    warnings: warningsOf(source, mapping, unreadColumns(asked, table, mappingOf(found.found)).map(unreadColumn)),
    ...faults,
    saved_mapping: saved && showSavedMapping(saved),
  };
}

function warningsOf(source: RowSource, mapping: readonly Proposal[], unread: Preview['warnings']): Preview['warnings'] {
  const warnings = [...unread];
  if (source.columns === null) return warnings;
  // A line that names at least one input is a header, whatever else is in it.
  const isHeader = !lookLikeData(source.columns) || mapping.some(({ by }) => by === 'name' || by === 'synonym');
  if (!isHeader)
    warnings.push({ code: 'header_is_data', message: 'The first row looks like data, not like a heading: add a row of headings' });
  else if (isUnsplit(source)) warnings.push({ code: 'one_column', message: ONE_COLUMN });
  if (source.about.encoding === 'windows-1252') warnings.push({ code: 'windows_1252', message: NOT_UTF8 });
  return warnings;
}

/** Any bytes could be Windows-1252: those of Mac Roman or GB 18030 look like it, and become other letters. */
const NOT_UTF8 =
  'The text is not UTF-8 and was read as Windows-1252: make sure that letters with accents are right, or save the file as UTF-8';

/** Of a saved mapping, what fits these checks and columns: a check may have lost an input since, and names may differ in punctuation. */
function usableMapping(saved: SavedMapping | null, checks: readonly Check[], names: readonly string[]): Mapping {
  const isKey = mappable(checks);
  return Object.fromEntries(
    Object.entries(saved?.mapping ?? {}).filter(([key, column]) => isKey(key) && names.some((name) => fold(name) === fold(column))),
  );
}

interface Sample {
  rows: AnyRow[];
  isWhole: boolean;
}

/** The first rows. A file that was cut may end in the middle of one, so its last row is left out. */
async function takeSample({ source, text }: PreviewUpload, asked: readonly Check[]): Promise<Sample> {
  const reads = 'files' in source && asked.some((check) => imageInputs(check).length > 0);
  const most = reads ? PICTURE_ROWS_MAX : ROWS_MAX;
  const rows: AnyRow[] = [];
  try {
    for await (const slice of source.rows as AsyncIterable<AnyRow[]>) {
      rows.push(...slice);
      if (rows.length > most) return { rows: rows.slice(0, most), isWhole: false };
    }
  } catch (error) {
    if (!(error instanceof UploadError && text?.isCut())) throw error;
  }
  const isCut = text?.isCut() ?? false;
  if (isCut) rows.pop();
  if (rows.length === 0) throw new UploadError('no_rows', 'The part that was sent has no complete row; send more of the file');
  return { rows, isWhole: !isCut };
}

/** The names in object rows. Members of an object that is meant for one check count as `<check>.<member>`. */
function namesIn(rows: readonly AnyRow[]): string[] {
  const names = new Set<string>();
  for (const { value } of rows) {
    if (value === null || Array.isArray(value)) continue;
    for (const [name, member] of Object.entries(value)) {
      const isForCheck = findCheck(name) && typeof member === 'object' && member !== null;
      for (const key of isForCheck ? Object.keys(member).map((inner) => `${name}.${inner}`) : [name]) names.add(key);
    }
    if (names.size > NAMES_MAX) break;
  }
  return [...names].slice(0, NAMES_MAX);
}

/** The maximum number of columns of a table. */
const NAMES_MAX = 200;

/** The checks that this key may run now. */
const usableChecks = ({ router }: { router: Router }, { live, terms }: Owner): Check[] =>
  allChecks.filter((check) => (terms?.checks?.includes(check.id) ?? true) && router.configured(check.needs, live));

function refuseUnknown(details: ReturnType<typeof unknownNames>): void {
  if (details.length === 0) return;
  throw new ApiError('invalid_request', details.map(({ path, message }) => `${path} ${message}`).join('; '), { details });
}

function writtenAs({ format, source, text }: PreviewUpload): Pick<Preview, 'dialect' | 'sheet' | 'sheets'> {
  const about = source.columns === null ? null : source.about;
  const unicode = text === null ? null : text.isUtf16 ? 'utf-16' : 'utf-8';
  return {
    dialect: {
      delimiter: (about?.dialect?.delimiter ?? null) as Preview['dialect']['delimiter'],
      line_end: (about?.dialect?.lineEnd ?? null) as Preview['dialect']['line_end'],
      quote: about?.dialect ? '"' : null,
      encoding: format === 'xlsx' ? null : (about?.encoding ?? unicode),
      header_row: about?.headerRow ?? null,
      left_out: about?.leftOut ?? [],
    },
    sheet: about?.sheet ?? null,
    sheets: about?.sheets ?? [],
  };
}

/** A cell as text; pictures and other long texts are cut. */
function cellOf({ value }: AnyRow, name: string, at: number): string {
  if (value === null) return '';
  const cell = Array.isArray(value) ? value[at] : rowReader(null, { [name]: name })(value, name);
  if (cell === undefined || cell === null) return '';
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell);
  return text.length > CELL_CHARACTERS ? `${text.slice(0, CELL_CHARACTERS).toWellFormed()}…` : text;
}

function filling(rows: readonly AnyRow[], name: string, at: number): { filled_percent: number; samples: string[] } {
  const samples = new Set<string>();
  let filled = 0;
  for (const row of rows) {
    const cell = cellOf(row, name, at);
    if (cell.trim() === '') continue;
    filled++;
    if (samples.size < SAMPLES) samples.add(cell);
  }
  return { filled_percent: Math.round((filled / rows.length) * 1000) / 10, samples: [...samples] };
}

/** Whether a required input has no column. Then nothing can be said about the rows. */
const lacksInput = (proposals: readonly Proposal[], mapping: Mapping): boolean =>
  proposals.some(({ field, column, required }) => column === null && required.some((check) => mapping[`${check}.${field}`] === undefined));

/** How the rows of the sample are read. */
interface SampleReading {
  checks: readonly Check[];
  mapping: Mapping;
  dateFormat: DateFormat;
  /** That a row may name. Null: any. */
  watchLists: readonly string[] | null;
}

/** What is wrong with the rows of the sample. */
async function faultsOf(
  ctx: Context,
  { source, format }: PreviewUpload,
  rows: readonly AnyRow[],
  { checks, mapping, dateFormat, watchLists }: SampleReading,
): Promise<Pick<Preview, 'problems' | 'invalid_rows'>> {
  async function* again() {
    yield rows;
  }
  const sink: Sink<null> = { job: () => false, invalid: () => false, slice: () => null };
  const sampled = { ...source, rows: again() } as unknown as RowSource;
  const reading = intake(ctx, { checks, mapping, source: sampled, options: { date_format: dateFormat }, watchLists }, sink);
  let next = await reading.next();
  while (!next.done) next = await reading.next();
  const tally = next.value;
  const lines = new Map(rows.map((one) => [one.row, format === 'csv' && one.error === null ? (one.line ?? one.row + 1) : null]));
  return {
    problems: tally.errors.map(({ row, path, rule, message }) => {
      // A problem with a cell of a workbook names its column instead of an input.
      const isColumn = source.columns !== null && source.labels.includes(path);
      return {
        row: row!,
        line: lines.get(row!) ?? null,
        column: mapping[path] ?? (isColumn ? path : null),
        rule: rule ?? 'invalid',
        message: mapping[path] === undefined && !isColumn && !path.startsWith('row ') ? `${path} ${message}` : message,
      };
    }),
    invalid_rows: tally.invalid,
  };
}

/** Checks for which at least one row of the sample has a valid input. Those come first that need what few files have, such as a NIN. Ignores pictures. */
function suggest(usable: readonly Check[], { rows, columns }: Evidence, table: RowSource, requested: Mapping, dateFormat: DateFormat) {
  const { fields: inputs, found } = findColumns(usable, table, requested);
  const mapping = mappingOf(found);
  const read = rowReader(columns, mapping, formsOf(usable), dateFormat);
  const isMapped = (check: Check, field: string) => mapping[field] !== undefined || mapping[`${check.id}.${field}`] !== undefined;
  const looksUp = (check: Check) => [...inputs].some(([field, needing]) => needing.includes(check) && !ABOUT_ANYBODY.has(field));
  const fitting = usable.flatMap((check) => {
    const fields = Object.keys(check.input.shape).filter((field) => isMapped(check, field));
    const pictures = imageInputs(check);
    const runs =
      pictures.length > 0
        ? pictures.every((field) => isMapped(check, field))
        : rows.slice(0, ROWS_SHOWN).some((row) => accepts(check, row, read));
    return fields.length > 0 && runs ? [{ check, fields }] : [];
  });
  return fitting
    .sort((a, b) => Number(looksUp(b.check)) - Number(looksUp(a.check)) || b.fields.length - a.fields.length)
    .map(({ check, fields }) => ({ check: check.id, fields }));
}

/** Required inputs that any file of people has, unlike the number of a registry. They say little about which check is meant. */
const ABOUT_ANYBODY: ReadonlySet<string> = new Set(['name', 'phone_number', 'email']);

const accepts = (check: Check, row: RawRow, read: (row: RawRow, key: string) => unknown): boolean =>
  'input' in readInput(check, (key) => read(row, key));
