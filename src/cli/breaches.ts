/** Imports the addresses of breaches as keyed hashes and reports what was imported, for `commands/breaches.ts`. It needs the keys but no database. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { BreachFileError } from '../engines/email/breaches/breach-file.ts';
import { type BreachStatus, corpusFolder, corpusKeys, readCorpus } from '../engines/email/breaches/corpus.ts';
import { importBreach } from '../engines/email/breaches/import.ts';
import { type Config, ConfigError, readConfig } from '../foundation/config.ts';
import { openKeys } from '../foundation/context.ts';
import { UsageError } from './usage-error.ts';

export interface ImportOptions {
  name: string;
  date?: string;
  passwords?: boolean;
}

export async function importFiles(files: string[], { name, date, passwords }: ImportOptions): Promise<void> {
  if (date !== undefined && !z.iso.date().safeParse(date).success) throw new UsageError('--date: expected YYYY-MM-DD');
  const { folder, keys } = place();
  const about = { name, date: date ?? null, hasPasswords: passwords ?? false, files };
  const { header, lines, skipped, repeated } = await importBreach(folder, keys[0]!, about).catch(explain);
  console.log(`${header.name}: ${header.addresses} addresses in ${lines} lines (${skipped} without one, ${repeated} repeated)`);
}

export async function printStatus(options: { json?: boolean }): Promise<void> {
  const { folder, keys } = place();
  const status = await readCorpus(folder, keys);
  console.log(options.json ? JSON.stringify(status.map(show), null, 2) : status.map(lineOf).join('\n') || 'nothing imported');
  if (status.some(({ trouble }) => trouble !== null)) process.exitCode = 1;
}

function place(): { folder: string; keys: Buffer[] } {
  const config: Config = readConfig(process.env);
  // A corpus of generated keys would be of no use to the service.
  if (config.embedded && !config.CONFAM_KEYS && !existsSync(join(config.CONFAM_DATA_DIR, 'keys.json')))
    throw new ConfigError(`there are no keys in ${config.CONFAM_DATA_DIR}; set CONFAM_DATA_DIR (or CONFAM_KEYS and CONFAM_INDEX_KEY)`);
  return { folder: corpusFolder(config.CONFAM_DATA_DIR), keys: corpusKeys(openKeys(config).indexer) };
}

/** Turns an error about the files into a sentence. */
function explain(error: unknown): never {
  if (error instanceof BreachFileError) throw new ConfigError(error.message);
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR') throw new UsageError(`${path ?? 'a file'} cannot be read (${code})`);
  if (code === 'ENOSPC') throw new ConfigError('the data folder has no space left; nothing was changed');
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
