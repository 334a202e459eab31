/** The first look at a file: how it is read, which column is which input, and what must be decided before it can be submitted. */
import type { Preview } from '../../client/client.ts';
import { PREVIEW_BYTES } from '../../client/sources.ts';
import type { Query } from '../../client/transport.ts';
import type { Connection } from '../terminal/connection.ts';
import { CommandError } from '../terminal/exits.ts';
import type { LocalFile } from '../terminal/files.ts';
import type { Output } from '../terminal/output.ts';
import { sendFile } from '../terminal/send-file.ts';
import { isGuess, mappingColumns } from '../terminal/tables.ts';
import { bytes, count, counted, plain } from '../terminal/text.ts';

type Proposal = Preview['mapping'][number];

/** Shows the preview. Returns the query with the columns and the order of dates that the file is submitted with. Throws if something required is open. */
export async function readPreview(
  { client, out }: Connection,
  file: LocalFile,
  { checks, yes }: { checks?: string[]; yes?: boolean },
  query: Query,
  signal: AbortSignal,
): Promise<Query> {
  const bytesMax = file.isText ? PREVIEW_BYTES : Number.POSITIVE_INFINITY;
  const preview = await sendFile<Preview>(client.transport, 'api/v1/batches/preview', query, file, { bytesMax, signal });
  if (checks === undefined) throw withoutChecks(preview);
  if (!out.isJson) show(out, file, preview);
  refuseMissing(preview);
  if (yes) refuseGuesses(preview);
  const isSent = ({ column, by }: Proposal) => column !== null && by !== 'name' && by !== 'synonym' && by !== 'requested';
  const mapping = preview.mapping.filter((proposal) => isSent(proposal) && !(yes && isGuess(proposal)));
  return {
    ...query,
    ...Object.fromEntries(mapping.map(({ field, column }) => [`map.${field}`, column])),
    date_format: query.date_format ?? preview.date_format?.value,
  };
}

function show(out: Output, { name, size }: LocalFile, preview: Preview): void {
  out.line(`${out.paint('strong', plain(name))}  ${bytes(size)}, ${plain(readAs(preview))}`);
  for (const { message } of preview.warnings) out.line(out.paint('warn', message));
  out.line();
  out.list(preview.mapping, mappingColumns, 'No column fits an input.');
  if (preview.date_format) out.line(`\nDates: ${preview.date_format.reason}`);
  if (preview.invalid_rows > 0) {
    out.line();
    out.line(
      out.paint(
        'warn',
        `${count(preview.invalid_rows)} of ${counted(preview.sampled_rows, 'row')} looked at cannot be checked; such rows are skipped at no cost:`,
      ),
    );
    for (const { row, column, message } of preview.problems.slice(0, PROBLEMS_SHOWN))
      out.line(`  row ${row}  ${column ? `${column}: ` : ''}${message}`);
  }
}

const PROBLEMS_SHOWN = 3;

function readAs({ format, dialect, sheet, sampled_rows, is_whole, columns }: Preview): string {
  return [
    format === 'csv' && dialect.delimiter === '\t' ? 'TSV' : format.toUpperCase(),
    ...(dialect.delimiter && dialect.delimiter !== ',' && dialect.delimiter !== '\t' ? [`separated by ${dialect.delimiter}`] : []),
    ...(dialect.encoding && dialect.encoding !== 'utf-8' ? [dialect.encoding] : []),
    ...(sheet ? [`sheet ${sheet}`] : []),
    counted(columns.length, 'column'),
    is_whole ? counted(sampled_rows, 'row') : `the first ${counted(sampled_rows, 'row')} looked at`,
  ].join(', ');
}

function withoutChecks({ suggested_checks }: Preview): CommandError {
  const fitting = suggested_checks.map(({ check, fields }) => `  ${check.padEnd(18)} ${fields.join(', ')}`);
  const hint =
    fitting.length > 0
      ? `These fit its columns:\n${fitting.join('\n')}`
      : 'No check fits its columns: `confam check --help` lists them all.';
  return new CommandError('usage', '--checks says what to check.', hint);
}

function refuseMissing({ mapping, columns }: Preview): void {
  const missing = mapping.filter(({ column, required }) => column === null && required.length > 0);
  if (missing.length === 0) return;
  const lines = missing.map(({ field, reason }) => `  --map ${field}="<column>"   ${reason}`);
  throw new CommandError(
    'usage',
    `No column of the file is ${missing.map(({ field }) => field).join(', ')}: nothing was submitted.`,
    `Name it:\n${lines.join('\n')}\nThe columns are: ${columns.map(({ name }) => name).join(', ')}`,
  );
}

/** Nobody has confirmed them: a wrong column would cost money and ask about the wrong people. Inputs that no check needs are left out instead. */
function refuseGuesses({ mapping }: Preview): void {
  const guesses = mapping.filter((proposal) => isGuess(proposal) && proposal.required.length > 0);
  if (guesses.length === 0) return;
  const flags = guesses.map(({ field, column }) => `--map ${field}="${column}"`);
  throw new CommandError(
    'usage',
    `Columns that were only guessed are not submitted with --yes: ${guesses.map(({ field, column }) => `${field} from "${column}"`).join(', ')}.`,
    `If they are right: ${flags.join(' ')}`,
  );
}
