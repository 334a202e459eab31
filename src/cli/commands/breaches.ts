/** The flags of `confam breaches …` (`../breaches.ts`). */
import type { Command } from 'commander';
import type { ImportOptions } from '../breaches.ts';

const work = () => import('../breaches.ts');

export function addBreachCommands(breaches: Command): void {
  breaches
    .command('import')
    .description('import a breach from files, replacing one of the same name: text or CSV, gzip or not')
    .argument('<files...>')
    .requiredOption('--name <breach>', 'its name in answers')
    .option('--date <YYYY-MM-DD>', 'when it happened')
    .option('--passwords', 'it contained passwords or their hashes')
    .action(async (files: string[], options: ImportOptions) => (await work()).importFiles(files, options));
  breaches
    .command('status')
    .description('show what was imported, and what cannot be used')
    .option('--json', 'as JSON')
    .action(async (options: { json?: boolean }) => (await work()).printStatus(options));
}
