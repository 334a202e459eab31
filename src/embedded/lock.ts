/**
 * The lock on a folder: one Confam at a time. The file holds the owner's pid and start time, so that the lock of a killed process is recognized as stale. It
 * ignores Postgres; an orphaned server is the caller's problem.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError, FolderInUse } from './error.ts';
import { isAlive, pidScope, startTicks, waitUntil } from './process.ts';

export interface Lock {
  /** Removes the file if it is still ours; may be called twice. */
  release(): void;
}

interface LockRecord {
  token: string;
  pid: number;
  startTicks: string | null;
  scope: string | null;
}

/** The owner touches its lock this often. Only read across pid namespaces (two containers on one volume), where a pid means nothing. */
const HEARTBEAT_MS = 4_000;
/** After this long without a touch, the owner in the other container is gone. Three heartbeats. */
const HEARTBEAT_LOST_MS = 12_000;
/** A lock that cannot be parsed is either being written at this moment or was cut short by a power failure. */
const HALF_WRITTEN_MS = 2_000;
/** Stands for "no owner known"; no real process has this id. */
const BROKEN_PID = -1;
const ACQUIRE_TIMEOUT_MS = 30_000;

/**
 * Takes the lock or throws FolderInUse naming the owner. Creation is `O_EXCL`. A stale lock is replaced by rename, and the right to replace that particular
 * lock is itself won by `O_EXCL` on a file named after its token, so two starters cannot both take over.
 */
export async function acquireLock(path: string): Promise<Lock> {
  const mine: LockRecord = {
    token: randomBytes(8).toString('hex'),
    pid: process.pid,
    startTicks: startTicks(process.pid),
    scope: pidScope(),
  };
  const deadline = performance.now() + ACQUIRE_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (createExclusively(path, JSON.stringify(mine))) return hold(path, mine.token);
    const found = read(path);
    if (found === 'absent') continue;
    if (found === 'half-written') {
      await sleep(100);
      continue;
    }
    if (await ownerLives(path, found)) {
      throw new FolderInUse(
        `Another Confam (pid ${found.pid}${found.scope === mine.scope ? '' : ', on another machine or in another container'}) already uses this ` +
          `data folder: ${dirname(path)}. Stop it first, or give this one its own CONFAM_DATA_DIR.`,
      );
    }
    if (replaceStale(path, found.token, mine)) return hold(path, mine.token);
    await sleep(20);
  }
  throw new EmbeddedPostgresError(
    `The lock ${path} could not be taken within ${ACQUIRE_TIMEOUT_MS / 1000} s. If no Confam runs, delete it.`,
  );
}

function hold(path: string, token: string): Lock {
  const heartbeat = setInterval(() => touch(path), HEARTBEAT_MS);
  heartbeat.unref();
  return {
    release() {
      clearInterval(heartbeat);
      const found = read(path);
      if (typeof found === 'object' && found.token === token) rmSync(path, { force: true });
    },
  };
}

async function ownerLives(path: string, owner: LockRecord): Promise<boolean> {
  if (owner.pid === BROKEN_PID) return false;
  if (owner.scope === pidScope()) return isAlive(owner.pid) && owner.startTicks === startTicks(owner.pid);
  const touchedAt = modifiedAt(path);
  if (Date.now() - touchedAt > HEARTBEAT_LOST_MS) return false;
  return waitUntil(() => modifiedAt(path) !== touchedAt, HEARTBEAT_LOST_MS, 200);
}

function replaceStale(path: string, staleToken: string, mine: LockRecord): boolean {
  const claim = `${path}.${staleToken}`;
  if (!createExclusively(claim, String(process.pid))) {
    // The holder of the claim finishes within milliseconds, unless it was killed at that very point.
    if (Date.now() - modifiedAt(claim) > HALF_WRITTEN_MS) rmSync(claim, { force: true });
    return false;
  }
  try {
    const found = read(path);
    if (typeof found !== 'object' || found.token !== staleToken) return false;
    const next = `${path}.${mine.token}`;
    writeFileSync(next, JSON.stringify(mine));
    renameSync(next, path);
    return true;
  } finally {
    rmSync(claim, { force: true });
  }
}

function createExclusively(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o644 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function read(path: string): LockRecord | 'absent' | 'half-written' {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'absent';
    throw error;
  }
  try {
    return JSON.parse(text) as LockRecord; // Only this file writes it; text that does not parse was cut short.
  } catch {
    const modified = modifiedAt(path);
    if (Date.now() - modified < HALF_WRITTEN_MS) return 'half-written';
    return { token: `broken-${Math.trunc(modified)}`, pid: BROKEN_PID, startTicks: null, scope: null };
  }
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function touch(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // The folder was deleted while we ran; the next start deals with it.
  }
}
