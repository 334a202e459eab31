/**
 * The OS user that Postgres runs as. Postgres refuses uid 0, so a root process runs it as another user; every other process runs it as itself (`null` here).
 * This file also finds out what that user can reach, by trying as that user, since modes, ACLs and mounts all matter.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, lchownSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './error.ts';

export interface Account {
  uid: number;
  gid: number;
}

/** The owner of an existing data folder keeps it. Otherwise `postgres` (created if missing), else `nobody`. Null unless we are root. */
export function chooseAccount(existingFolder: string): Account | null {
  if (process.getuid?.() !== 0) return null;
  const owner = statSync(existingFolder, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const account = lookUp('postgres') ?? createPostgresUser() ?? lookUp('nobody');
  if (account) return account;
  throw new EmbeddedPostgresError(
    'Postgres refuses to run as root, and this system has no user "postgres" or "nobody" and would not create one. Start Confam as an ordinary user, or set DATABASE_URL.',
  );
}

/** True if the account can enter the folder and write into a subfolder that it owns. */
export function canUse(folder: string, account: Account | null): boolean {
  const probe = join(folder, `.probe-${randomBytes(4).toString('hex')}`);
  try {
    mkdirSync(probe, { mode: 0o700 });
    giveTo(probe, account);
    if (!account) return true;
    return spawnSync('/bin/sh', ['-c', 'cd "$1" && : > file', 'sh', probe], { ...account, cwd: '/', stdio: 'ignore' }).status === 0;
  } catch {
    return false;
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

export function giveTo(path: string, account: Account | null): void {
  if (account) chownSync(path, account.uid, account.gid);
}

export function giveTreeTo(folder: string, account: Account): void {
  lchownSync(folder, account.uid, account.gid);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) giveTreeTo(path, account);
    else lchownSync(path, account.uid, account.gid);
  }
}

function lookUp(name: string): Account | null {
  const uid = spawnSync('id', ['-u', name], { encoding: 'utf8' });
  const gid = spawnSync('id', ['-g', name], { encoding: 'utf8' });
  if (uid.status !== 0 || gid.status !== 0) return null;
  const account = { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  return account.uid > 0 ? account : null;
}

/** `useradd` everywhere except on Alpine, whose busybox has `adduser` with other flags. */
function createPostgresUser(): Account | null {
  const run = (command: string, ...args: string[]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;
  run('groupadd', '--system', 'postgres') || run('addgroup', '-S', 'postgres');
  run(
    'useradd',
    '--system',
    '--gid',
    'postgres',
    '--no-create-home',
    '--home-dir',
    '/nonexistent',
    '--shell',
    '/usr/sbin/nologin',
    'postgres',
  ) || run('adduser', '-S', '-D', '-H', '-G', 'postgres', '-s', '/sbin/nologin', 'postgres');
  return lookUp('postgres');
}
