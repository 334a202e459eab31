/** `confam backup` and `confam restore`: the embedded database in a file. A database of one's own has tools for that (docs/operations.md, "Backups"). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { borrowEmbeddedPostgres, startEmbeddedPostgres } from '../embedded/embedded.ts';
import { type Config, ConfigError, readConfig } from '../foundation/config.ts';
import { openConfiguredCipher } from '../foundation/context.ts';
import { embeddedLogin } from '../foundation/wall.ts';
import { restoreBackup } from '../lifecycle/backup/restore.ts';
import { writeBackup } from '../lifecycle/backup/write.ts';

export function addBackup(command: Command): void {
  command.argument('<file>', 'the file to write, which must not exist').action(async (path: string) => {
    const config = embeddedConfig('back up');
    const postgres = await borrowEmbeddedPostgres({ dataDir: config.CONFAM_DATA_DIR });
    try {
      const { tables, rows, bytes } = await writeBackup(postgres.url, openConfiguredCipher(config), path);
      console.log(`${path}: ${count(rows)} rows of ${tables} tables, ${count(Math.ceil(bytes / 1024))} kB`);
      console.log('Nobody can read it without keys.json: keep a copy of that in another place.');
    } finally {
      await postgres.stop();
    }
  });
}

export function addRestore(command: Command): void {
  command.argument('<file>', 'what `confam backup` wrote').action(async (path: string) => {
    const config = embeddedConfig('restore');
    if (!existsSync(join(config.CONFAM_DATA_DIR, 'keys.json')) && !config.CONFAM_KEYS)
      throw new ConfigError(`${join(config.CONFAM_DATA_DIR, 'keys.json')} is missing: put the one that belongs to the backup there`);
    const postgres = await startEmbeddedPostgres({ dataDir: config.CONFAM_DATA_DIR });
    try {
      const target = { config, ownerUrl: postgres.url, login: embeddedLogin(postgres.url), cipher: openConfiguredCipher(config) };
      const { takenAt, release, rows, tables } = await restoreBackup(target, path);
      console.log(`Restored ${count(rows)} rows of ${tables} tables, as they were at ${takenAt} under release ${release}.`);
      console.log('Repeat the erasures that were asked for since then, and run `confam lists update`.');
    } finally {
      await postgres.stop();
    }
  });
}

function embeddedConfig(what: string): Config {
  const config = readConfig(process.env);
  if (config.embedded) return config;
  throw new ConfigError(`DATABASE_URL is set: ${what} that database with its own tools (docs/operations.md, "Backups")`);
}

const count = (number: number): string => number.toLocaleString('en');
