/**
 * `confam backup` and `confam restore`: the embedded database in a file, and back into an embedded or an external database. An external one has tools of its own for
 * its backups (docs/operations.md, "Backups"), and `confam erasures repeat` for afterwards.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { borrowEmbeddedPostgres, type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded/embedded.ts';
import { findRestoring, hasDatabase, markRestoring, type Restoring, unmarkRestoring } from '../embedded/restoring.ts';
import { type Config, ConfigError, readConfig } from '../foundation/config.ts';
import { type Context, openKeys } from '../foundation/context.ts';
import { showId } from '../foundation/ids.ts';
import { embeddedLogin } from '../foundation/wall.ts';
import { checkBackup, type Restored, restoreBackup } from '../lifecycle/backup/restore.ts';
import { writeBackup } from '../lifecycle/backup/write.ts';
import { advanceErasures } from '../lifecycle/erase.ts';
import { journalPath, repeatErasures, suspendDeletedApps } from '../lifecycle/journal.ts';
import { deployedUrl, exitOnSignals, warnOfWall, withDatabase, withMigrated } from './database.ts';

export async function backUp(path: string): Promise<void> {
  const config = readConfig(process.env);
  if (!config.embedded)
    throw new ConfigError('DATABASE_URL is set: back up that database with its own tools (docs/operations.md, "Backups")');
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
}

export async function restore(path: string, options: { journal?: string }): Promise<void> {
  const config = readConfig(process.env);
  exitOnSignals();
  const journal = options.journal === undefined ? null : resolve(options.journal);
  if (journal !== null && !existsSync(journal)) throw new ConfigError(`${journal} cannot be read: there is no such file`);
  await (config.embedded ? restoreEmbedded(config, path, journal) : restoreDeployed(config, path, journal));
  console.log('Run `confam lists update` next.');
}

/** Goes on where an earlier restore into the data folder was interrupted. */
async function restoreEmbedded(config: Config, path: string, journal: string | null): Promise<void> {
  const dataDir = config.CONFAM_DATA_DIR;
  if (!existsSync(join(dataDir, 'keys.json')) && !config.CONFAM_KEYS)
    throw new ConfigError(`${join(dataDir, 'keys.json')} is missing: put the one that belongs to the backup there`);
  const interrupted = findRestoring(dataDir);
  const named = journal ?? interrupted?.journal ?? null;
  const restoring: Restoring = { file: resolve(path), journal: named, backup: null };
  let hasBegun = interrupted !== null;
  // A file that cannot be restored must not leave an empty database in the folder.
  const backup = await checkBackup(path, openKeys(config));
  let postgres: EmbeddedPostgres | null = null;
  try {
    // A service that starts on the empty folder would make a demo app in it.
    if (!hasDatabase(dataDir) && !hasBegun) markRestoring(dataDir, restoring);
    postgres = await startEmbeddedPostgres({ dataDir, restoring: true });
    const login = embeddedLogin(postgres.url);
    const target = {
      config,
      ownerUrl: postgres.url,
      login,
      instead: 'an empty CONFAM_DATA_DIR that has only keys.json',
      interrupted: interrupted?.backup,
      onLoad(id: string) {
        markRestoring(dataDir, { ...restoring, backup: id });
        hasBegun = true;
      },
    };
    tell(await restoreBackup(target, backup));
    await repeatAfter(config, login, named);
    unmarkRestoring(dataDir);
  } catch (error) {
    if (!hasBegun) unmarkRestoring(dataDir);
    throw error;
  } finally {
    await postgres?.stop();
  }
}

/** Into a database of the operator's, which must be empty. A restore that was interrupted starts over with a new database. */
async function restoreDeployed(config: Config, path: string, journal: string | null): Promise<void> {
  const [url, owner] = [deployedUrl(config), config.DATABASE_OWNER_URL];
  const target = {
    config,
    ownerUrl: owner ?? url,
    login: owner ? url : null,
    instead: 'an empty one (drop this one and create it again if a restore into it was interrupted)',
  };
  const restored = await restoreBackup(target, await checkBackup(path, openKeys(config)));
  tell(restored);
  warnOfWall(restored.missing);
  await repeatAfter(config, url, journal);
}

const tell = ({ takenAt, release, rows, tables }: Restored): void =>
  console.log(`Restored ${count(rows)} rows of ${tables} tables, as they were at ${takenAt} under release ${release}.`);

/** `named`: the journal that the operator named. Without one it may be missing. */
async function repeatAfter(config: Config, url: string, named: string | null): Promise<void> {
  const journal = named ?? journalPath(config);
  if (journal !== null && (named !== null || existsSync(journal))) await withMigrated(config, url, (ctx) => repeat(ctx, journal));
  else
    console.log('There is no journal of erasures here: whoever was erased since then is back (docs/privacy.md, "Backups and erasures").');
}

export const repeatErased = (journal: string): Promise<void> => withDatabase((ctx) => repeat(ctx, journal));

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

const count = (number: number): string => number.toLocaleString('en');
