/** `confam batch list` and `confam batch status`. */
import type { Command } from 'commander';
import { connect, type ListOptions, listed, listing, pageSize, type RemoteOptions, remote, take } from '../terminal/connection.ts';
import { batchColumns } from '../terminal/tables.ts';
import { failuresOf, showBatch } from './batch-summary.ts';

export function addBatchList(batch: Command): void {
  listing(batch.command('list').alias('ls'))
    .description('batches, newest first')
    .option('--status <list>', 'only these: queued, running, awaiting_start, paused, completed, failed …', listed)
    .option('--reference <text>', 'only those with this reference')
    .action(async (options: ListOptions & { status?: string[]; reference?: string }) => {
      const { client, out } = connect(options);
      const query = { status: options.status, reference: options.reference, limit: pageSize(options) };
      out.list(await take(client.batches.all(query), options.limit), batchColumns, 'There is no batch.');
    });
  remote(batch.command('status').alias('show').argument('<id>', 'bat_…'))
    .description('a batch with its counts, its cost, why checks failed, and its invalid rows')
    .action(async (id: string, options: RemoteOptions) => {
      const connection = connect(options);
      const { client, out } = connection;
      const found = await client.batches.read(id);
      const failures = await failuresOf(connection, found);
      out.answer(found, () => showBatch(out, found, failures));
    });
}
