/** `confam wallet`, `confam wallet entries`, `confam usage`: money, and what was used. `verify` is the operator's (`../ledger.ts`). */
import { type Command, Option } from 'commander';
import { connect, type ListOptions, listing, pageSize, type RemoteOptions, remote, take } from '../terminal/connection.ts';
import { batchChargeColumns, entryColumns, usageColumns } from '../terminal/tables.ts';
import { bytes, naira } from '../terminal/text.ts';

export function addWalletCommands(wallet: Command): void {
  remote(wallet.command('show', { isDefault: true }))
    .description('what is available and what is held, with the limits')
    .action(async (options: RemoteOptions) => {
      const { client, out } = connect(options);
      const [balance, limits] = await Promise.all([client.money.wallet(), client.money.limits()]);
      const amount = (value: number | null) => (value === null ? null : naira(value));
      out.answer({ ...balance, limits }, () =>
        out.facts([
          ['available', naira(balance.available)],
          ['held', naira(balance.held)],
          ['told below', amount(limits.low_balance)],
          ['a day at most', amount(limits.daily_cap)],
          ['a batch at most', amount(limits.batch_cap)],
        ]),
      );
    });
  listing(wallet.command('entries'))
    .description('top-ups, holds, charges and releases, or the charges of batches')
    .addOption(new Option('--by <what>', 'one line for each batch, check and price').choices(['batch']).conflicts('kind'))
    .addOption(new Option('--kind <kind>', 'only these').choices(['topup', 'hold', 'capture', 'release']))
    .option('--since <time>', 'from this time on; of batches: submitted from then on')
    .option('--until <time>', 'before this time')
    .action(async (options: ListOptions & { by?: 'batch'; kind?: string; since?: string; until?: string }) => {
      const { client, out } = connect(options);
      const { kind, since, until } = options;
      const period = { since, until, limit: pageSize(options) };
      if (options.by === 'batch')
        out.list(await take(client.money.allBatchCharges(period), options.limit), batchChargeColumns, 'No batch was charged.');
      else out.list(await take(client.money.allEntries({ kind, ...period }), options.limit), entryColumns, 'There is no entry.');
    });
  wallet
    .command('verify')
    .description('for the operator: compare every wallet, batch and job with the ledger, and name what differs')
    .option('--json', 'as JSON')
    .action(async (options: { json?: boolean }) => (await import('../ledger.ts')).verifyBooks(options));
}

interface UsageOptions extends RemoteOptions {
  from?: string;
  to?: string;
  group: string;
}

export function addUsageCommand(usage: Command): void {
  remote(usage)
    .option('--from <day>', 'YYYY-MM-DD (default: 30 days ago)')
    .option('--to <day>', 'YYYY-MM-DD, inclusive')
    .addOption(new Option('--group <by>', 'one line for each').choices(['check', 'day', 'check,day']).default('check'))
    .addHelpText('after', '\nExamples:\n  $ confam usage --from 2026-11-01 --group day\n  $ confam usage --json | jq .data')
    .action(async ({ from, to, group, ...options }: UsageOptions) => {
      const { client, out } = connect(options);
      const used = await client.money.usage({ from, to, group });
      out.answer(used, () => {
        const columns = usageColumns.filter(
          ({ title }) => (title !== 'DAY' || group.includes('day')) && (title !== 'CHECK' || group.includes('check')),
        );
        out.list(used.data, columns, `Nothing was used from ${used.from} to ${used.to}.`);
        out.line();
        const { used_bytes, quota_bytes } = used.storage;
        out.facts([
          ['period', `${used.from} to ${used.to}, ${used.live ? 'live' : 'test'}`],
          ['cost', naira(used.data.reduce((sum, { billed_amount }) => sum + billed_amount, 0))],
          ['stored', quota_bytes === null ? bytes(used_bytes) : `${bytes(used_bytes)} of ${bytes(quota_bytes)}`],
        ]);
      });
    });
}
