/** `confam retention …`: what the sweeper would delete. */
import type { Command } from 'commander';
import { type Planned, planRetention } from '../lifecycle/retention.ts';
import { withDatabase } from './database.ts';
import { UsageError } from './usage-error.ts';

export function addRetentionCommands(retention: Command): void {
  retention
    .command('plan')
    .description('count what would be deleted; changes nothing')
    .option('--days <number>', 'what would be due in so many days', '0')
    .option('--json', 'as JSON')
    .action((options: { days: string; json?: boolean }) =>
      withDatabase(async (ctx) => {
        if (!/^\d{1,4}$/.test(options.days)) throw new UsageError('--days: expected a number of days');
        const planned = await planRetention(ctx, Number(options.days));
        console.log(options.json ? JSON.stringify(planned, null, 2) : asText(planned));
      }),
    );
}

const asText = (planned: Planned[]): string =>
  planned.length === 0
    ? 'nothing is due'
    : planned
        .map(
          ({ kind, live, due, since }) =>
            `${kind.padEnd(13)} ${live === null ? 'both' : live ? 'live' : 'test'} ${String(due).padStart(9)}  since ${since}`,
        )
        .join('\n');
