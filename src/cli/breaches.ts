/** `confam breaches …`: brings in which addresses were in a breach, as keyed hashes, and says what is there. It needs the keys and no database. */
import type { Command } from 'commander';
import { z } from 'zod';
import { BreachFileError } from '../engines/email/breaches/breach-file.ts';
import { type BreachStatus, corpusFolder, corpusKey, readCorpus } from '../engines/email/breaches/corpus.ts';
import { importBreach } from '../engines/email/breaches/import.ts';
import { type Config, ConfigError, readConfig } from '../foundation/config.ts';
import { openConfiguredCipher } from '../foundation/context.ts';

export function addBreachCommands(program: Command): void {
  const breaches = program.command('breaches').description('addresses that were in breaches, kept as keyed hashes (docs/breaches.md)');
  breaches
    .command('import')
    .description('bring a breach in from files, in place of one of that name: text or CSV, gzip or not')
    .argument('<files...>')
    .requiredOption('--name <breach>', 'as it is shown in answers')
    .option('--date <YYYY-MM-DD>', 'when it happened')
    .option('--passwords', 'passwords or their hashes were in it')
    .action(async (files: string[], options: { name: string; date?: string; passwords?: boolean }) => {
      const { folder, key } = place();
      if (options.date !== undefined && !z.iso.date().safeParse(options.date).success) throw new ConfigError('--date: expected YYYY-MM-DD');
      const about = { name: options.name, date: options.date ?? null, hasPasswords: options.passwords ?? false, files };
      const { header, lines, skipped, repeated } = await importBreach(folder, key, about).catch(explain);
      console.log(`${header.name}: ${header.addresses} addresses of ${lines} lines (${skipped} without one, ${repeated} repeated)`);
    });
  breaches
    .command('status')
    .description('what is there, and what cannot be used')
    .option('--json', 'as JSON')
    .action(async (options: { json?: boolean }) => {
      const { folder, key } = place();
      const status = await readCorpus(folder, key);
      console.log(options.json ? JSON.stringify(status.map(show), null, 2) : status.map(lineOf).join('\n') || 'nothing was imported');
      if (status.some(({ trouble }) => trouble !== null)) process.exitCode = 1;
    });
}

function place(): { folder: string; key: Buffer } {
  const config: Config = readConfig(process.env);
  return { folder: corpusFolder(config.CONFAM_DATA_DIR), key: corpusKey(openConfiguredCipher(config)) };
}

/** What is wrong with the files, in a sentence. */
function explain(error: unknown): never {
  if (error instanceof BreachFileError) throw new ConfigError(error.message);
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR') throw new ConfigError(`${path ?? 'a file'} cannot be read (${code})`);
  if (code === 'ENOSPC') throw new ConfigError('there is no space left in the data folder; nothing has changed');
  throw error;
}

const show = ({ file, bytes, header, trouble }: BreachStatus) => ({
  file,
  bytes,
  name: header?.name ?? null,
  date: header?.date ?? null,
  passwords: header?.hasPasswords ?? null,
  addresses: header?.addresses ?? null,
  imported_at: header?.importedAt ?? null,
  trouble,
});

function lineOf({ file, bytes, header, trouble }: BreachStatus): string {
  if (!header) return `${file}: not used: ${trouble}`;
  const about = `${header.date ?? 'no date'}, ${header.hasPasswords ? 'passwords' : 'no passwords'}, ${header.addresses} addresses`;
  return `${header.name}: ${about}, ${bytes} bytes, imported ${header.importedAt.slice(0, 10)}${trouble ? `; not used: ${trouble}` : ''}`;
}
