/**
 * Where the data is stored: usually `<dataDir>/postgres`; if the account that Postgres runs as cannot go there, `/var/lib/confam/data-<hash>`.
 * `<dataDir>/postgres.json` (0600) records the password, an id, and that other place. The other place carries the same id, so that a recreated data folder
 * never picks up the database of a deleted one. Starts nothing.
 */
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readWhole, writeDurably } from '../foundation/durable-files.ts';
import { type Account, canUse } from './account.ts';
import { EmbeddedPostgresError } from './error.ts';

/** Where a root process puts what its unprivileged Postgres must reach: the relocated data and the copied programs. */
export const SHARED_BASE = '/var/lib/confam';

const State = z.object({ id: z.string(), password: z.string(), relocatedTo: z.string().optional() });
type State = z.infer<typeof State>;

const Owner = z.object({ id: z.string(), dataDir: z.string() });

interface Place {
  /** The folder that holds `postgres/` (the database) and `postgres.log`. */
  home: string;
  /** The folder holds remains of a deleted data folder, which must be cleared before use. */
  stale: boolean;
  /** The recorded place, if it is gone or belongs to another data folder. */
  lost?: string;
}

/** The folder's real absolute path. Created if missing; Postgres's user may pass through it but not list it. */
export function openDataDir(path: string): string {
  if (!existsSync(path)) {
    mkdirSync(path, { recursive: true });
    chmodSync(path, process.getuid?.() === 0 ? 0o711 : 0o700);
  }
  return realpathSync(path);
}

export function pgdataOf(home: string): string {
  return join(home, 'postgres');
}

export function loadState(dataDir: string): State {
  const path = statePath(dataDir);
  const found = findState(dataDir);
  if (found) return found;
  if (existsSync(pgdataOf(dataDir))) {
    throw new EmbeddedPostgresError(
      `${pgdataOf(dataDir)} holds a database, but ${path}, which holds its password, is missing or damaged. Restore that file, or move the folder away to start with an empty database.`,
    );
  }
  const fresh = { id: randomBytes(16).toString('hex'), password: randomBytes(24).toString('base64url') };
  saveState(dataDir, fresh);
  return fresh;
}

/** For callers that do not hold the lock; null if there is no state yet. */
export const findState = (dataDir: string): State | null => readWhole(statePath(dataDir), State);

const statePath = (dataDir: string): string => join(dataDir, 'postgres.json');

/** `account` is null if Postgres runs as ourselves. Then nothing is newly relocated, but a place that root chose earlier is kept. */
export function choosePlace(dataDir: string, state: State, account: Account | null): Place {
  let lost: string | undefined;
  if (state.relocatedTo) {
    const owner = ownerOf(state.relocatedTo);
    if (owner?.id === state.id) {
      refuseCopy(dataDir, owner, state.relocatedTo);
      return { home: state.relocatedTo, stale: false };
    }
    lost = state.relocatedTo;
  }
  if (!account || canUse(dataDir, account)) return { home: dataDir, stale: false, lost };
  if (existsSync(pgdataOf(dataDir))) {
    throw new EmbeddedPostgresError(
      `The database in ${pgdataOf(dataDir)} cannot be reached by the OS user that Postgres runs as (uid ${account.uid}). Make every folder above it passable for that user (chmod o+x), or start Confam as the user who owns it.`,
    );
  }
  const home = join(SHARED_BASE, `data-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`);
  const owner = ownerOf(home);
  // The data folder of that place was moved, not deleted, and still needs it.
  if (owner && owner.id !== state.id && stillOwns(owner, home)) return { home: `${home}-${state.id.slice(0, 8)}`, stale: false, lost };
  return { home, stale: existsSync(pgdataOf(home)) && owner?.id !== state.id, lost };
}

export function createHome(home: string): void {
  for (const folder of [SHARED_BASE, home]) {
    if (existsSync(folder)) continue;
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, folder === home ? 0o711 : 0o755);
  }
}

/** Links a relocated place and its data folder. The place comes first: state that points to an unclaimed place would count as lost. */
export function claimPlace(dataDir: string, state: State, place: Place): State {
  if (place.stale) {
    rmSync(pgdataOf(place.home), { recursive: true, force: true });
    rmSync(join(place.home, 'postgres.log'), { force: true });
  }
  const relocatedTo = place.home === dataDir ? undefined : place.home;
  if (relocatedTo) writeDurably(join(relocatedTo, 'owner.json'), JSON.stringify({ id: state.id, dataDir }), 0o600);
  if (state.relocatedTo === relocatedTo) return state;
  const next = { ...state, relocatedTo };
  saveState(dataDir, next);
  return next;
}

/** `cp -r` of a data folder copies the pointer to the database, not the database. */
function refuseCopy(dataDir: string, owner: z.infer<typeof Owner>, home: string): void {
  if (owner.dataDir === dataDir || !stillOwns(owner, home)) return;
  throw new EmbeddedPostgresError(
    `${dataDir} is a copy of ${owner.dataDir}, whose database is kept in ${home}. Delete postgres.json in the copy to start it with an empty database.`,
  );
}

function stillOwns(owner: z.infer<typeof Owner>, home: string): boolean {
  const state = readWhole(join(owner.dataDir, 'postgres.json'), State);
  return state?.id === owner.id && (state.relocatedTo === undefined || state.relocatedTo === home);
}

function ownerOf(home: string): z.infer<typeof Owner> | null {
  return readWhole(join(home, 'owner.json'), Owner);
}

function saveState(dataDir: string, state: State): void {
  writeDurably(statePath(dataDir), `${JSON.stringify(state, null, 2)}\n`, 0o600);
}
