/** The arguments and flags of `confam backup`, `confam restore` and `confam erasures …` (`../backup.ts`). */
import type { Command } from 'commander';

const work = () => import('../backup.ts');

export const addBackup = (command: Command): void =>
  void command.argument('<file>', 'the file to write, which must not exist').action(async (path: string) => (await work()).backUp(path));

export function addRestore(command: Command): void {
  command
    .argument('<file>', 'what `confam backup` wrote')
    .option(
      '--journal <file>',
      'the journal of erasures; without it, the one that the settings name, or that of the data folder, if there is one',
    )
    .action(async (path: string, options: { journal?: string }) => (await work()).restore(path, options));
}

export function addErasuresCommands(erasures: Command): void {
  erasures
    .command('repeat')
    .description('after a restore: erase again whoever the journal says was erased since the backup')
    .argument('<journal>', 'the file that CONFAM_ERASURE_JOURNAL named')
    .action(async (journal: string) => (await work()).repeatErased(journal));
}
