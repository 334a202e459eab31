/**
 * `confam backup` and `confam restore`: the embedded database in a file. An external database has tools of its own for that (docs/operations.md, "Backups"), and
 * `confam erasures repeat` for afterwards.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { borrowEmbeddedPostgres, type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded/embedded.ts';
import { findRestoring, hasDatabase, markRestoring, type Restoring, unmarkRestoring } from '../embedded/restoring.ts';
import { type Config, ConfigError, readConfig } from '../foundation/config.ts';
import { type Context, openKeys } from '../foundation/context.ts';
import { showId } from '../foundation/ids.ts';
import { embeddedLogin } from '../foundation/wall.ts';
import { restoreBackup } from '../lifecycle/backup/restore.ts';
import { writeBackup } from '../lifecycle/backup/write.ts';
import { advanceErasures } from '../lifecycle/erase.ts';
import { journalPath, repeatErasures, suspendDeletedApps } from '../lifecycle/journal.ts';
import { exitOnSignals, withDatabase, withMigrated } from './database.ts';

export function addBackup(command: Command): void {
  command.argument('<file>', 'the file to write, which must not exist').action(async (path: string) => {
    const config = embeddedConfig('back up');
    const interrupted = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
    const postgres = await borrowEmbeddedPostgres({ dataDir: config.CONFAM_DATA_DIR });
    try {
      const { tables, rows, bytes } = await writeBackup(postgres.url, openKeys(config), path, interrupted.signal);
      console.log(`${path}: ${count(rows)} rows of ${tables} tables, ${count(Math.ceil(bytes / 1024))} kB`);
      console.log('Nobody can read it without keys.json: keep a copy of that in another place.');
    } catch (error) {
      if (!interrupted.signal.aborted) throw error;
      console.error('Interrupted: nothing was backed up.');
      process.exitCode = 130;
    } finally {
      await postgres.stop();
    }
  });
}

export function addRestore(command: Command): void {
  command.argument('<file>', 'what `confam backup` wrote');
  command.option('--journal <file>', 'the journal of erasures; without it, that of the data folder if there is one');
  command.action(async (path: string, options: { journal?: string }) => {
    const config = embeddedConfig('restore');
    const dataDir = config.CONFAM_DATA_DIR;
    if (!existsSync(join(dataDir, 'keys.json')) && !config.CONFAM_KEYS)
      throw new ConfigError(`${join(dataDir, 'keys.json')} is missing: put the one that belongs to the backup there`);
    exitOnSignals();
    const interrupted = findRestoring(dataDir);
    const named = options.journal === undefined ? (interrupted?.journal ?? null) : resolve(options.journal);
    const restoring: Restoring = { file: resolve(path), journal: named, backup: null };
    let hasBegun = interrupted !== null;
    let postgres: EmbeddedPostgres | null = null;
    try {
      // A service that starts on the empty folder would make a demo app in it.
      if (!hasDatabase(dataDir) && !hasBegun) markRestoring(dataDir, restoring);
      postgres = await startEmbeddedPostgres({ dataDir, restoring: true });
      const target = {
        config,
        ownerUrl: postgres.url,
        login: embeddedLogin(postgres.url),
        keys: openKeys(config),
        interrupted: interrupted?.backup,
        onLoad(backup: string) {
          markRestoring(dataDir, { ...restoring, backup });
          hasBegun = true;
        },
      };
      const { takenAt, release, rows, tables } = await restoreBackup(target, path);
      console.log(`Restored ${count(rows)} rows of ${tables} tables, as they were at ${takenAt} under release ${release}.`);
      const journal = named ?? journalPath(config);
      if (journal !== null && (named !== null || existsSync(journal)))
        await withMigrated(config, target.login, (ctx) => repeat(ctx, journal));
      else
        console.log(
          'There is no journal of erasures here: whoever was erased since then is back (docs/privacy.md, "Backups and erasures").',
        );
      unmarkRestoring(dataDir);
      console.log('Run `confam lists update` next.');
    } catch (error) {
      if (!hasBegun) unmarkRestoring(dataDir);
      throw error;
    } finally {
      await postgres?.stop();
    }
  });
}

export function addErasuresCommands(erasures: Command): void {
  erasures
    .command('repeat')
    .description('after a restore: erase again whoever the journal says was erased since the backup')
    .argument('<journal>', 'the file that CONFAM_ERASURE_JOURNAL named')
    .action((journal: string) => withDatabase((ctx) => repeat(ctx, journal)));
}

/** Erases whatever can be erased now. The service does the rest once the work in progress has ended. */
async function repeat(ctx: Context, journal: string): Promise<void> {
  const asked = await repeatErasures(ctx, journal);
  await advanceErasures(ctx, new AbortController().signal);
  const back = await suspendDeletedApps(ctx, journal);
  const [left] = await ctx.sql<{ count: number }[]>`select count(*)::int as count from erasures where finished_at is null`;
  console.log(
    `Repeated ${count(asked)} erasures of ${journal}.${left!.count > 0 ? ` ${count(left!.count)} wait for work that has not ended; the service goes on with them.` : ''}`,
  );
  for (const id of back) console.log(`${showId('app', id)} was deleted since the backup and is back: it is suspended. Delete it again.`);
}

function embeddedConfig(what: string): Config {
  const config = readConfig(process.env);
  if (config.embedded) return config;
  throw new ConfigError(`DATABASE_URL is set: ${what} that database with its own tools (docs/operations.md, "Backups")`);
}

const count = (number: number): string => number.toLocaleString('en');
