/** The flags of `confam retention …`. The command works on a deployment's database (`../retention.ts`). */
import type { Command } from 'commander';
import { UsageError } from '../usage-error.ts';

export function addRetentionCommands(retention: Command): void {
  retention
    .command('plan')
    .description('count what would be deleted; changes nothing')
    .option('--days <number>', 'what would be due in so many days', days, 0)
    .option('--json', 'as JSON')
    .action(async (options: { days: number; json?: boolean }) => (await import('../retention.ts')).printPlan(options));
}

function days(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new UsageError('--days: expected a number of days');
  return Number(text);
}
