/** The flags of `confam doctor` (`../doctor.ts`). */
import type { Command } from 'commander';

export const addDoctorCommand = (command: Command): void =>
  void command
    .option('--json', 'as JSON')
    .action(async (options: { json?: boolean }) => (await import('../doctor.ts')).examineAll(options));
