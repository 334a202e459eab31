/** `confam batch submit`: shows how a file is read and what it costs, asks, uploads it, and follows the batch if asked to. */
import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { BatchDetail, Quote } from '../../client/client.ts';
import type { Query } from '../../client/transport.ts';
import { type Connection, connect, listed, type RemoteOptions, remote, untilInterrupted } from '../terminal/connection.ts';
import { CommandError } from '../terminal/exits.ts';
import { type LocalFile, openLocalFile, refuseUnwritable, resultFormat } from '../terminal/files.ts';
import { openBar } from '../terminal/progress.ts';
import { confirm, isAttended } from '../terminal/prompt.ts';
import { sendFile } from '../terminal/send-file.ts';
import { quoteColumns } from '../terminal/tables.ts';
import { bytes, count, counted, naira } from '../terminal/text.ts';
import { type FileOptions, fileOptions } from './batch-files.ts';
import { readPreview } from './batch-preview.ts';
import { nextOf } from './batch-summary.ts';
import { followToEnd } from './batch-watch.ts';
import { consentOf, consentOption } from './consent.ts';

interface SubmitOptions extends RemoteOptions, FileOptions {
  checks?: string[];
  map?: Record<string, string>;
  yes?: boolean;
  watch?: boolean;
  sheet?: string;
  dateFormat?: string;
  onInvalid?: string;
  start?: string;
  reference?: string;
  callbackUrl?: string;
  maxFailurePercent?: string;
  expiresAt?: string;
  consent?: string;
  refresh?: boolean;
}

const HELP = `
The file is CSV, XLSX, NDJSON, JSON, or a ZIP archive with pictures; .gz may follow. Its first rows, its columns and the price are shown before anything is
submitted. --yes answers the question, but does not accept columns that were only guessed: name those with --map.

Examples:
  $ confam batch submit customers.csv --checks nin_advance
  $ confam batch submit customers.xlsx --checks nin_advance,bvn_match --map nin="National ID" --sheet Staff
  $ confam batch submit customers.csv --checks nin_basic --yes --output results.csv     in a script
  $ confam batch submit customers.csv                                                   which checks fit?`;

export function addBatchSubmit(command: Command): void {
  remote(command.argument('<file>', 'customers.csv, customers.xlsx …'))
    .description('check the rows of a file')
    .option('-c, --checks <list>', 'ids of checks, such as nin_advance,bvn_match', listed)
    .option('-m, --map <input=column>', 'which column is an input; may be repeated', mapped)
    .option('-y, --yes', 'submit without asking')
    .option('-w, --watch', 'follow the batch to its end (--output does so too)');
  fileOptions(command)
    .option('--sheet <name>', 'sheet of a workbook')
    .addOption(new Option('--date-format <order>', 'how 01/02/1990 is read').choices(['dmy', 'mdy', 'ymd']))
    .addOption(new Option('--on-invalid <what>', 'skip invalid rows (the default), or reject the file').choices(['skip', 'reject']))
    .addOption(
      new Option('--start <when>', 'auto: at once (the default); manual: wait for `confam batch start`').choices(['auto', 'manual']),
    )
    .option('--reference <text>', 'your own id for the batch')
    .option('--callback-url <url>', 'where to send the webhooks of this batch')
    .option('--max-failure-percent <number>', 'end the batch when more than this percentage of its jobs have failed')
    .option('--expires-at <time>', 'cancel what is not done by then (ISO 8601)')
    .option('--refresh', 'look up again even if the cache has an answer')
    .addOption(consentOption())
    .addHelpText('after', HELP)
    .action(submit);
}

async function submit(path: string, options: SubmitOptions): Promise<void> {
  if (!options.yes && !isAttended())
    throw new CommandError('usage', 'There is no terminal to ask in: nothing was submitted.', '--yes submits without asking.');
  const file = openLocalFile(path);
  if (options.output) {
    refuseUnwritable(options.output, options.force === true);
    resultFormat(options.format, options.output === '-' ? undefined : options.output);
  }
  const connection = connect(options);
  const { out } = connection;
  const stop = untilInterrupted();
  const query = await settleQuery(connection, file, options, stop.signal);
  const batch = await upload(connection, file, query, stop.signal);
  const isFollowed = options.watch === true || options.output !== undefined;
  if (isFollowed) {
    out.note(acceptedLine(batch));
    return followToEnd(connection, batch.id, options);
  }
  out.answer(batch, () => {
    out.line(acceptedLine(batch));
    for (const next of nextOf(batch)) out.line(out.paint('soft', next));
  });
}

/** Everything that comes before the file is submitted: preview, price, question. */
async function settleQuery(connection: Connection, file: LocalFile, options: SubmitOptions, signal: AbortSignal): Promise<Query> {
  try {
    const query = await readPreview(connection, file, options, queryOf(file, options), signal);
    if (!options.yes) await quoteAndAsk(connection, file, query, signal);
    return query;
  } catch (error) {
    const isStopped = signal.aborted || (error instanceof CommandError && error.exit === 'interrupted');
    throw isStopped ? new CommandError('interrupted', 'Stopped: nothing was submitted.') : error;
  }
}

const acceptedLine = ({ id, counts, quote_amount, hold_amount, approval }: BatchDetail): string =>
  [
    `${id}: ${counted(counts.jobs, 'job')} accepted, at most ${naira(hold_amount || quote_amount)}`,
    ...(counts.invalid > 0 ? [`${counted(counts.invalid, 'row')} invalid and skipped`] : []),
    ...(counts.duplicate > 0 ? [`${counted(counts.duplicate, 'duplicate')} looked up once`] : []),
    ...(approval ? [`a second person must approve the start (${approval})`] : []),
  ].join('; ');

function queryOf(file: LocalFile, options: SubmitOptions): Query {
  return {
    checks: options.checks,
    format: file.format,
    sheet: options.sheet,
    date_format: options.dateFormat,
    on_invalid: options.onInvalid,
    start: options.start,
    reference: options.reference,
    callback_url: options.callbackUrl,
    max_failure_percent: options.maxFailurePercent,
    expires_at: options.expiresAt,
    cache: options.refresh ? 'refresh' : undefined,
    consent: options.consent === undefined ? undefined : JSON.stringify(consentOf(options.consent)),
    ...Object.fromEntries(Object.entries(options.map ?? {}).map(([input, column]) => [`map.${input}`, column])),
  };
}

async function quoteAndAsk({ client, out }: Connection, file: LocalFile, query: Query, signal: AbortSignal): Promise<void> {
  const bar = uploadBar('Pricing  ', file, out.isJson);
  const quote = await sendFile<Quote>(client.transport, 'api/v1/batches/quote', query, file, { onSent: bar.sent, signal }).finally(bar.end);
  showQuote(quote, out);
  const { counts, quote_amount } = quote;
  if (counts.jobs === 0) throw new CommandError('usage', 'No row can be checked: nothing was submitted.');
  if (!(await confirm(`Submit ${counted(counts.rows - counts.invalid, 'row')} for at most ${naira(quote_amount)}?`)))
    throw new CommandError('declined', 'Nothing was submitted.');
}

function showQuote(
  { counts, checks, quote_amount, expected_amount, available_amount, balance_after, covered, warnings = [] }: Quote,
  out: Connection['out'],
): void {
  if (out.isJson) return;
  out.line();
  out.list(checks, quoteColumns, '');
  for (const { message } of warnings) out.line(out.paint('warn', message));
  out.line();
  out.facts([
    ['rows', count(counts.rows)],
    ['invalid', counts.invalid === 0 ? null : `${count(counts.invalid)}, skipped at no cost`],
    ['duplicates', counts.duplicate === 0 ? null : `${count(counts.duplicate)}, looked up once`],
    ['expected', naira(expected_amount)],
    ['at most', `${naira(quote_amount)}, held until the batch is over`],
    ['wallet', covered ? `${naira(available_amount)}, ${naira(balance_after)} after it` : `${naira(available_amount)}: not enough`],
  ]);
}

/** The bytes that go out, with rate and time left. */
function uploadBar(label: string, { size }: LocalFile, isJson: boolean) {
  const bar = openBar(label, { isJson });
  const began = performance.now();
  return {
    end: bar.end,
    sent(done: number): void {
      const seconds = (performance.now() - began) / 1000;
      const rate = seconds > 0 ? done / seconds : 0;
      const isWhole = done === size;
      bar.show({
        done,
        total: size,
        said: `${bytes(done)} of ${bytes(size)}`,
        rate: rate > 0 ? `${bytes(Math.round(rate))}/s` : null,
        secondsLeft: rate > 0 ? (size - done) / rate : null,
        ...(isWhole && { also: 'the service reads the rows' }),
      });
    },
  };
}

async function upload({ client, out }: Connection, file: LocalFile, query: Query, signal: AbortSignal): Promise<BatchDetail> {
  const bar = uploadBar('Uploading', file, out.isJson);
  let isWhole = false;
  const onSent = (done: number) => {
    isWhole = done === file.size;
    bar.sent(done);
  };
  try {
    return await sendFile<BatchDetail>(client.transport, 'api/v1/batches', query, file, { idempotencyKey: randomUUID(), onSent, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw isWhole
      ? new CommandError(
          'interrupted',
          'Stopped while the service was reading the rows: it may have accepted them.',
          'Look: confam batch list',
        )
      : new CommandError('interrupted', 'Stopped before the file was sent: nothing was submitted.');
  } finally {
    bar.end();
  }
}

/** `nin="National ID"`, as the shell passes it. */
function mapped(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, input, column] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (input === undefined || column === undefined) throw new InvalidArgumentError('Expected input=column, such as nin="National ID".');
  return { ...before, [input.trim()]: column };
}
