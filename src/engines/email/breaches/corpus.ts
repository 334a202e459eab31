/**
 * Breach source over the files that the operator imported. Every process that answers holds their filters in memory and reads the files on demand. An
 * import takes effect within seconds; look-ups in progress finish on the old file.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Indexer } from '../../../foundation/index-keys.ts';
import type { Log } from '../../../foundation/log.ts';
import type { Address, Breach, BreachSource } from '../email.ts';
import {
  type BreachFile,
  BreachFileError,
  type BreachHeader,
  canonicalAddress,
  FILE_ENDING,
  hashAddress,
  keyCheckOf,
  OTHER_KEY,
  openBreachFile,
  readHeaderAt,
} from './breach-file.ts';

export interface CorpusOptions {
  /** From `corpusKeys`. */
  keys: readonly Buffer[];
  log: Log;
  /** Least time between two looks at the folder, in ms. It is only looked at when somebody asks. */
  refreshMs?: number;
}

const REFRESH_MS = 5_000;
/** Every file costs memory for its filter and a filter look-up for each address. */
const BREACHES_MAX = 1_000;

/** Keys for hashing addresses in this deployment, used for nothing else; the first hashes what is imported now. */
export const corpusKeys = (cipher: Pick<Indexer, 'signatures'>): Buffer[] => cipher.signatures('breach corpus', 'addresses');
export const corpusFolder = (dataDir: string): string => join(dataDir, 'breaches');

interface Opened {
  file: BreachFile;
  /** The one that hashed its addresses. */
  key: Buffer;
}

interface Loaded {
  /** Changes when another file takes the name. */
  identity: string;
  /** Null if the file cannot be read. */
  opened: Opened | null;
}

/**
 * `find` answers null if nothing is imported. It also answers null if a file cannot be read and no other has a hit: "none" would not be reliable then.
 */
export async function openCorpus(folder: string, { keys, log, refreshMs = REFRESH_MS }: CorpusOptions): Promise<BreachSource> {
  let loaded = new Map<string, Loaded>();
  let lookedAt = performance.now();
  let looking: Promise<void> | null = look();
  await looking;

  /** Opens new files, and closes deleted and replaced ones once no look-up reads them. */
  async function look(): Promise<void> {
    try {
      const next = new Map<string, Loaded>();
      for (const [name, identity] of await filesIn(folder)) {
        const known = loaded.get(name);
        next.set(name, known?.identity === identity ? known : { identity, opened: await load(name) });
      }
      const stale = [...loaded.values()].filter((one) => ![...next.values()].includes(one));
      loaded = next;
      for (const { opened } of stale) void opened?.file.close().catch((error) => log.warn({ err: error }, 'close a breach'));
    } catch (error) {
      log.error({ err: error }, 'the breach folder cannot be read');
    } finally {
      lookedAt = performance.now();
      looking = null;
    }
  }

  async function load(name: string): Promise<Loaded['opened']> {
    try {
      const path = join(folder, name);
      const key = keyFor(await readHeaderAt(path), keys);
      return { file: await openBreachFile(path, key), key };
    } catch (error) {
      log.error({ file: name, err: error }, 'a breach cannot be read: import it again');
      return null;
    }
  }

  return {
    name: 'corpus',
    async find(address) {
      if (!looking && performance.now() - lookedAt > refreshMs) looking = look();
      // The last look may be a day old, and a newer import must not be missed.
      await looking;
      if (loaded.size === 0) return null;
      const files = [...loaded.values()].map(({ opened }) => opened);
      try {
        const found = await findIn(
          files.filter((opened) => opened !== null),
          address,
        );
        return found.length === 0 && files.includes(null) ? null : found;
      } catch (error) {
        log.error({ err: error }, 'a breach cannot be read');
        return null;
      }
    },
    async close() {
      await looking;
      await Promise.all([...loaded.values()].map(({ opened }) => opened?.file.close()));
      loaded = new Map();
    },
  };
}

/** The key that made the file. If none did, the current one: opening the file with it says so. */
const keyFor = ({ keyCheck }: BreachHeader, keys: readonly Buffer[]): Buffer =>
  keys.find((key) => keyCheckOf(key) === keyCheck) ?? keys[0]!;

/** The breaches that the address is in, oldest first. Asks every file before the first await: a replaced file closes once no look-up reads it. */
async function findIn(files: readonly Opened[], address: Address): Promise<Breach[]> {
  // A breach lists either the address as given or its mailbox, so both are looked up.
  const spellings = [...new Set([canonicalAddress(address.local, address.domain), address.mailbox])].filter((one) => one !== null);
  const hashesBy = new Map(files.map(({ key }) => [key, [] as Buffer[]]));
  for (const [key, hashes] of hashesBy) hashes.push(...spellings.map((spelling) => hashAddress(key, spelling)));
  const asked: Promise<Breach | null>[] = [];
  for (const { file, key } of files) {
    for (const hash of hashesBy.get(key)!) {
      const answer = file.has(hash);
      if (answer) asked.push(answer.then((isIn) => (isIn ? file.breach : null)));
    }
  }
  const found = (await Promise.all(asked)).filter((breach) => breach !== null);
  return [...new Set(found)].toSorted(byDate);
}

const byDate = (one: Breach, other: Breach): number =>
  (one.date ?? '9') < (other.date ?? '9') ? -1 : (one.date ?? '9') > (other.date ?? '9') ? 1 : one.name < other.name ? -1 : 1;

/** File names, each with a string that identifies that version of the file. Empty if the folder does not exist. */
async function filesIn(folder: string): Promise<[string, string][]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const files: [string, string][] = [];
  for (const name of names
    .filter((entry) => entry.endsWith(FILE_ENDING))
    .toSorted()
    .slice(0, BREACHES_MAX)) {
    const about = await stat(join(folder, name)).catch(() => null);
    if (about?.isFile()) files.push([name, `${about.ino} ${about.size} ${about.mtimeMs}`]);
  }
  return files;
}

export interface BreachStatus {
  file: string;
  bytes: number;
  header: BreachHeader | null;
  /** Why the file is not used; null if it is used. */
  trouble: string | null;
}

/** The status of each file, from its header, for display. */
export async function readCorpus(folder: string, keys: readonly Buffer[]): Promise<BreachStatus[]> {
  const rows: BreachStatus[] = [];
  for (const [name] of await filesIn(folder)) {
    const path = join(folder, name);
    const { size: bytes } = await stat(path);
    try {
      const header = await readHeaderAt(path);
      const trouble = keys.some((key) => header.keyCheck === keyCheckOf(key)) ? null : OTHER_KEY;
      rows.push({ file: name, bytes, header, trouble });
    } catch (error) {
      if (!(error instanceof BreachFileError)) throw error;
      rows.push({ file: name, bytes, header: null, trouble: error.message });
    }
  }
  return rows;
}
