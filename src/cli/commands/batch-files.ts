/** `confam batch results` and `confam batch errors`: files, streamed to disk or to standard output. */
import type { Command } from 'commander';
import { at } from '../../client/paths.ts';
import { type Connection, connect, listed, type RemoteOptions, remote, untilInterrupted } from '../terminal/connection.ts';
import { CommandError } from '../terminal/exits.ts';
import { refuseUnwritable, resultFormat, saveBody } from '../terminal/files.ts';
import { bytes } from '../terminal/text.ts';

export interface FileOptions {
  output?: string;
  format?: string;
  force?: boolean;
  outcome?: string[];
}

/** Where results go. */
export const fileOptions = (command: Command): Command =>
  command
    .option('-o, --output <file>', 'save the results in this file; - for standard output')
    .option('--format <format>', 'csv, jsonl or xlsx (default: by the name of the file)')
    .option('-f, --force', 'replace a file that exists');

export function addBatchFiles(batch: Command): void {
  fileOptions(remote(batch.command('results').argument('<id>', 'bat_…')))
    .description('the rows with their results, also while the batch runs')
    .option('--outcome <list>', 'only these: found, not_found, flagged, failed, invalid, canceled, duplicate, pending', listed)
    .addHelpText(
      'after',
      '\nExamples:\n  $ confam batch results bat_… --output results.xlsx\n  $ confam batch results bat_… --outcome failed,invalid > again.csv',
    )
    .action(async (id: string, options: RemoteOptions & FileOptions) => {
      const output = options.output ?? '-';
      if (output === '-' && resultFormat(options.format, undefined) === 'xlsx' && process.stdout.isTTY)
        throw new CommandError('usage', 'A workbook cannot be shown in a terminal.', 'Save it: --output results.xlsx');
      refuseUnwritable(output, options.force === true);
      await saveResults(connect(options), id, { ...options, output });
    });
  remote(batch.command('errors').argument('<id>', 'bat_…'))
    .description('the invalid rows, to be corrected and submitted again')
    .option('-o, --output <file>', 'save them in this file (default: standard output)', '-')
    .option('--format <format>', 'csv or xlsx (default: by the name of the file, otherwise that of the upload)')
    .option('-f, --force', 'replace a file that exists')
    .action(async (id: string, options: RemoteOptions & { output: string; format?: string; force?: boolean }) => {
      refuseUnwritable(options.output, options.force === true);
      const format = options.format ?? /\.(csv|xlsx)$/i.exec(options.output)?.[1]?.toLowerCase();
      await save(connect(options), at('api/v1/batches', id, 'errors'), { format }, options.output, 'rows to correct');
    });
}

export function saveResults(connection: Connection, id: string, { output = '-', format, outcome }: FileOptions): Promise<void> {
  // A million rows are no one document: programs get an object a line.
  const shown = format ?? (connection.out.isJson ? 'jsonl' : undefined);
  const query = { format: output === '-' ? resultFormat(shown, undefined) : resultFormat(format, output), outcome };
  return save(connection, at('api/v1/batches', id, 'results'), query, output, 'results');
}

async function save(
  { client, out }: Connection,
  path: string,
  query: Record<string, string | string[] | undefined>,
  output: string,
  what: string,
): Promise<void> {
  const { signal } = untilInterrupted();
  const stopped = (error: unknown): never => {
    throw signal.aborted ? new CommandError('interrupted', `Stopped: the ${what} are incomplete.`) : error;
  };
  const response = await client.transport.open('GET', path, { query, signal }).catch(stopped);
  if (response.status === 202)
    throw new CommandError('declined', 'A second person must approve this download first.', 'Run the command again once it is approved.');
  const size = await saveBody(response, output, signal).catch(stopped);
  if (output !== '-') out.note(`Saved the ${what} in ${output} (${bytes(size)}).`);
}
