/** The flags of `confam lists …`. The commands work on a deployment's database (`../lists.ts`). */
import type { Command } from 'commander';

const work = () => import('../lists.ts');

export function addListCommands(lists: Command): void {
  lists
    .command('update')
    .description('fetch lists from their publishers; from then on they are refreshed automatically')
    .argument('[lists...]', 'default: all with an address whose licence needs no decision of yours')
    .option('--force', 'also take lists that have not changed or have shrunk')
    .action(async (names: string[], options: { force?: boolean }) => (await work()).updateLists(names, options));
  lists
    .command('import')
    .description('put a list into force from one or more files or a folder, gzipped or not')
    .argument('<list>')
    .argument('<paths...>')
    .option('--force', 'take it even if it has shrunk or is already in force')
    .action(async (name: string, paths: string[], options: { force?: boolean }) => (await work()).importList(name, paths, options));
  lists
    .command('status')
    .description('show what is in force, how old it is, and what was refused')
    .option('--json', 'as JSON')
    .action(async (options: { json?: boolean }) => (await work()).printStatus(options));
}
