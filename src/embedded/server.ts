/**
 * One Postgres data folder and its server process: runs initdb, spawns the server, distinguishes a live server from a stale postmaster.pid, stops it. Knows
 * nothing of Confam's folders, locks or database.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '../foundation/durable-files.ts';
import { type Account, giveTo, giveTreeTo } from './account.ts';
import type { Binaries } from './binaries.ts';
import { EmbeddedPostgresError } from './error.ts';
import { commandLine, isAlive, waitUntil } from './process.ts';

export interface Server {
  binaries: Binaries;
  /** Absolute. initdb's temporary folder goes into its parent. */
  pgdata: string;
  account: Account | null;
}

export const SUPERUSER = 'confam';

const INITDB_TIMEOUT_MS = 120_000;
/** Fast shutdown ends sessions and writes a checkpoint; immediate shutdown leaves recovery to the next start; SIGKILL is for a hung disk. */
const STOP_STEPS: [NodeJS.Signals, number][] = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];
const PGDATA_TEMPORARY = 'postgres.init-';

/** Creates the data folder if it does not exist. initdb works under another name, so that a half-made folder never has the real one. */
export async function ensureInitialised(server: Server, password: string): Promise<void> {
  const { pgdata, account, binaries } = server;
  const home = dirname(pgdata);
  for (const name of readdirSync(home)) {
    if (name.startsWith(PGDATA_TEMPORARY)) removeLeftover(join(home, name));
  }
  if (existsSync(pgdata)) return checkExisting(server);

  const work = join(home, PGDATA_TEMPORARY + randomBytes(4).toString('hex'));
  mkdirSync(work, { mode: 0o700 });
  giveTo(work, account);
  const passwordFile = join(work, 'password');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  giveTo(passwordFile, account);
  try {
    const fresh = join(work, 'data');
    const options = ['--auth=scram-sha-256', `--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, '--encoding=UTF8', '--no-instructions'];
    const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    await run(server, binaries.initdb, [`--pgdata=${fresh}`, ...options, ...locale]).catch((error: Error) => {
      throw saysDiskFull(error.message)
        ? new EmbeddedPostgresError(`${home} has no room for a new database: make room on its disk, or choose another CONFAM_DATA_DIR.`)
        : error;
    });
    renameSync(fresh, pgdata);
    syncFolder(home);
  } finally {
    removeLeftover(work);
  }
}

/** Whether Postgres's programs say so. In the same words they say that shared memory or semaphores have run out, which no room on the disk would help. */
export const saysDiskFull = (said: string): boolean =>
  said.split('\n').some((line) => /No space left on device|Disk quota exceeded/.test(line) && !/shared memory|semaphore/.test(line));

/** The pid of a live server on this folder, ours or an orphan; null if there is none, whatever postmaster.pid says. */
export function findLiveServer(server: Server): number | null {
  const pid = Number(pidFile(server.pgdata)?.[0]);
  if (!pid || !isAlive(pid)) return null;
  const args = commandLine(pid);
  if (args) return basename(args[0] ?? '').startsWith('postgres') && args.includes(server.pgdata) ? pid : null;
  if (existsSync('/proc/self/cmdline')) return null;
  const status = spawnSync(server.binaries.pgCtl, ['status', '-D', server.pgdata], { ...server.account, cwd: '/', stdio: 'ignore' });
  return status.status === 0 ? pid : null;
}

/**
 * Call it when no live server is left; true if one left its postmaster.pid. Postgres refuses to start while kill(pid, 0) succeeds for the pid in it, be it a
 * zombie or another program that has since got the number (both usual in containers). Our own pid there counts as stale (CreateLockFile skips the parent's),
 * and the line by which it detects surviving backends stays. Windows does not look at parents.
 */
export function disarmStalePidFile(server: Server): boolean {
  const lines = pidFile(server.pgdata);
  if (!lines) return false;
  if (process.platform !== 'win32') overwrite(join(server.pgdata, 'postmaster.pid'), [process.pid, ...lines.slice(1)].join('\n'));
  return true;
}

/** In place: on a full disk a truncated file would stay empty. */
function overwrite(path: string, text: string): void {
  const handle = openSync(path, 'r+');
  try {
    ftruncateSync(handle, writeSync(handle, text, 0));
  } finally {
    closeSync(handle);
  }
}

/** Own process group, no pipe: a terminal's Ctrl-C reaches only us, so that work drains before its database goes. */
export function spawnServer(server: Server, port: number, settings: Record<string, string>, logHandle: number): ChildProcess {
  const all = { ...settings, port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '' };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(server.binaries.postgres, ['-D', server.pgdata, ...flags], {
    ...server.account,
    cwd: '/',
    env: environment(),
    detached: true,
    stdio: ['ignore', logHandle, logHandle],
    windowsHide: true,
  });
  child.unref();
  return child;
}

/** Line 8 of postmaster.pid says so, which avoids connecting to a port that may belong to another program. */
export function isReady(server: Server, pid: number | undefined): boolean {
  const lines = pidFile(server.pgdata);
  return Number(lines?.[0]) === pid && lines?.[7]?.trim() === 'ready';
}

/** The port of a server that is ready; null if none is. */
export function readyPort(server: Pick<Server, 'pgdata'>): number | null {
  const lines = pidFile(server.pgdata);
  return lines?.[7]?.trim() === 'ready' && isAlive(Number(lines[0])) ? Number(lines[3]) : null;
}

export async function stopServer(server: Server, pid: number, isGone = () => !isAlive(pid)): Promise<void> {
  if (process.platform === 'win32') {
    await run(server, server.binaries.pgCtl, ['stop', '-D', server.pgdata, '-m', 'fast', '-w', '-t', '10']).catch(() => undefined);
  }
  for (const [signal, timeoutMs] of STOP_STEPS) {
    try {
      if (!isGone()) process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    if (await waitUntil(isGone, timeoutMs)) return;
  }
  throw new EmbeddedPostgresError(`The Postgres process ${pid} could not be stopped. Its disk may be hung.`);
}

/** True if the server accepts the setting. Builds differ: one without liblz4 refuses to start with `wal_compression=lz4`. */
export function acceptsSetting(server: Server, name: string, value: string): boolean {
  const args = ['-D', server.pgdata, '-c', `${name}=${value}`, '-C', name];
  return spawnSync(server.binaries.postgres, args, { ...server.account, cwd: '/', env: environment(), stdio: 'ignore' }).status === 0;
}

function checkExisting(server: Server): void {
  const { pgdata, account, binaries } = server;
  const versionFile = join(pgdata, 'PG_VERSION');
  if (!existsSync(versionFile)) throw new EmbeddedPostgresError(`${pgdata} is not a Postgres data folder. Move it away and start again.`);
  const owner = statSync(pgdata).uid;
  if (account && owner !== account.uid) giveTreeTo(pgdata, account);
  const version = readFileSync(versionFile, 'utf8').trim();
  if (version === binaries.major) return;
  throw new EmbeddedPostgresError(
    `The database in ${pgdata} was created by Postgres ${version}, but this Confam brings Postgres ${binaries.major}. Dump it with the previous release (pg_dump) and load it into an empty data folder.`,
  );
}

function pidFile(pgdata: string): string[] | null {
  try {
    return readFileSync(join(pgdata, 'postmaster.pid'), 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** An orphaned initdb may still be writing there; in that case the next start removes it. */
function removeLeftover(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {}
}

/** Passes on nothing of ours: no secrets, no PGDATA or PGPORT of the operator's, and the same locale and time zone everywhere. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, TEMP } = process.env;
  return { PATH, SystemRoot, TEMP, LC_ALL: 'C', TZ: 'UTC' };
}

function run(server: Server, program: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { ...server.account, cwd: '/', env: environment(), timeout: INITDB_TIMEOUT_MS, windowsHide: true };
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-4_000);
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) return resolve();
      reject(new EmbeddedPostgresError(`${basename(program)} failed (${code ?? signal}): ${errors.trim() || 'no output'}`));
    });
  });
}
