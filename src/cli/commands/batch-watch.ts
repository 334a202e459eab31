/** `confam batch watch`: follows a batch until it is over, through lost connections. Ctrl-C ends only the watching. */
import type { Command } from 'commander';
import { isBatchOver } from '../../client/batches.ts';
import type { BatchDetail, BatchProgress } from '../../client/client.ts';
import { Unreachable } from '../../client/errors.ts';
import { type Connection, connect, type RemoteOptions, remote, untilInterrupted } from '../terminal/connection.ts';
import { CommandError, type Exit } from '../terminal/exits.ts';
import { refuseUnwritable } from '../terminal/files.ts';
import { openBar } from '../terminal/progress.ts';
import { count } from '../terminal/text.ts';
import { type FileOptions, fileOptions, saveResults } from './batch-files.ts';
import { failuresOf, showBatch } from './batch-summary.ts';

export function addBatchWatch(command: Command): void {
  fileOptions(remote(command.argument('<id>', 'bat_…')))
    .description('follow a batch to its end; Ctrl-C leaves it running')
    .addHelpText(
      'after',
      '\nEnds with 0 if the batch is completed, with 7 if it was canceled, failed or expired.\n\nExample:\n  $ confam batch watch bat_… --output results.xlsx',
    )
    .action(async (id: string, options: RemoteOptions & FileOptions) => {
      if (options.output) refuseUnwritable(options.output, options.force === true);
      await followToEnd(connect(options), id, options);
    });
}

/** Watches, saves the results if a file is named, and prints how it ended. Throws if it is not completed. */
export async function followToEnd(connection: Connection, id: string, files: FileOptions): Promise<void> {
  const { client, out } = connection;
  await follow(connection, id, files.output !== undefined);
  const batch = await client.batches.read(id);
  // With `--output -` the results are what standard output is for.
  if (files.output !== '-') {
    const failures = await failuresOf(connection, batch);
    out.answer(batch, () => showBatch(out, batch, failures));
  }
  if (files.output)
    await saveResults(connection, id, files).catch((error: unknown) => {
      throw unsaved(error, id);
    });
  if (batch.status !== 'completed') throw new CommandError('batch', `The batch is ${batch.status}${reasonOf(batch)}.`);
}

/** Why the results could not be saved, and how to save them: running `batch submit` again would submit the file once more. */
function unsaved(error: unknown, id: string): unknown {
  const ended = (exit: Exit, why: string) =>
    new CommandError(
      exit,
      `${why}: the results are not saved. The batch itself is over.`,
      `Save them: confam batch results ${id} --output <file>`,
    );
  if (error instanceof Unreachable) return ended('away', 'The connection was lost');
  if (error instanceof CommandError && error.exit === 'interrupted') return ended('interrupted', 'Stopped');
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '') ? ended('output', 'The disk is full') : error;
}

const reasonOf = ({ reason }: BatchDetail): string => (reason ? ` (${reason.replaceAll('_', ' ')})` : '');

const NOTES: Readonly<Record<string, string>> = {
  awaiting_start: 'waits to be started: confam batch start',
  paused: 'is paused: confam batch resume',
  paused_funds: 'is paused because the wallet is empty; it goes on when there is money: confam batch resume',
};

async function follow({ client, out }: Connection, id: string, isSaved: boolean): Promise<void> {
  const stop = untilInterrupted();
  const bar = openBar('Checking ', out);
  let counts: BatchProgress['counts'] | null = null;
  let isLost = false;
  let hasEnded = false;
  const onState = (isConnected: boolean) => {
    if (!isConnected && !isLost) {
      bar.end();
      out.note('The connection is lost; the batch keeps running. Reconnecting …');
    }
    isLost = !isConnected;
  };
  for await (const event of client.batches.watch(id, stop.signal, onState)) {
    if (event.type === 'status') {
      hasEnded = isBatchOver(event.change);
      const note = NOTES[event.change.status];
      if (note) {
        bar.end();
        out.note(`The batch ${note} ${id}`);
      }
    } else {
      counts = event.progress.counts;
      showProgress(bar, event.progress);
    }
    if (hasEnded) break;
  }
  // Events of progress come once a second, so the last one may be missing.
  if (hasEnded) {
    const ended = await client.batches.read(id);
    showProgress(bar, { ...ended, ...ended.progress });
  }
  bar.end();
  if (stop.signal.aborted)
    throw new CommandError(
      'interrupted',
      `The batch keeps running${counts ? ` (${count(doneOf(counts))} of ${count(counts.jobs)} done)` : ''}.`,
      `Follow it: confam batch watch ${id}${isSaved ? ' --output <file>' : ''}\nEnd it:    confam batch cancel ${id}`,
    );
}

const doneOf = ({ completed, failed, canceled }: BatchProgress['counts']): number => completed + failed + canceled;

function showProgress(
  bar: ReturnType<typeof openBar>,
  { counts, rate_per_second: rate, eta_seconds: secondsLeft, degraded }: BatchProgress,
): void {
  const failed = counts.failed > 0 ? [`${count(counts.failed)} failed`] : [];
  const waits = degraded ? ['no provider answers'] : [];
  bar.show({
    done: doneOf(counts),
    total: counts.jobs,
    said: `${count(doneOf(counts))} of ${count(counts.jobs)}`,
    rate: rate ? `${count(Math.round(rate))}/s` : null,
    secondsLeft,
    also: [`${count(counts.found)} found`, ...failed, ...waits].join(', '),
  });
}
