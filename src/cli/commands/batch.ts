/** `confam batch …`: the group; each command is in a file of its own. */
import type { Command } from 'commander';
import { addBatchControl } from './batch-control.ts';
import { addBatchFiles } from './batch-files.ts';
import { addBatchList } from './batch-list.ts';
import { addBatchSubmit } from './batch-submit.ts';
import { addBatchWatch } from './batch-watch.ts';

export function addBatchCommands(batch: Command): void {
  addBatchSubmit(batch.command('submit'));
  addBatchList(batch);
  addBatchWatch(batch.command('watch'));
  addBatchFiles(batch);
  addBatchControl(batch);
  batch.addHelpText(
    'after',
    `
Examples:
  $ confam batch submit customers.csv --checks nin_advance --map nin="National ID" --output results.csv
  $ confam batch list --status running
  $ confam batch watch bat_…
  $ confam batch errors bat_… --output to-correct.csv`,
  );
}
