/**
 * The lists that an address is held against: packages of npm, our own additions, and files of the operator's, which are read again when
 * they change, so that a list is renewed without a release. The files go before the packages.
 */

import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { domainToASCII } from 'node:url';
import { getPublicSuffix } from 'tldts';
import { buildDomainSet, type DomainSet } from './domainset.ts';
import { DISPOSABLE_MX, FREE, NOT_DISPOSABLE, NOT_FREE, ROLES, SUSPICIOUS_TLDS } from './ownlists.ts';

/** Each is a file, too: `disposable.txt` … */
const NAMES = ['disposable', 'disposable_mx', 'free', 'roles', 'tlds'] as const;
type ListName = (typeof NAMES)[number];

export interface Lists {
  /** The domain or one above it. */
  isDisposable(domain: string): boolean;
  /** A mail host of a disposable service, or below one. */
  isDisposableMx(host: string): boolean;
  isFree(domain: string): boolean;
  /** Of the part before the `@`, without its tag. */
  isRole(base: string): boolean;
  isSuspiciousTld(domain: string): boolean;
  /** Entries by source; the source `folder` is the operator's file. */
  listCounts(): ListCount[];
  close(): void;
}

interface ListCount {
  list: ListName;
  /** Of packages and our own additions, each name once. */
  total: number;
  sources: Record<string, number>;
}

export interface ListsOptions {
  /**
   * A folder with some of the files `disposable.txt`, `disposable_mx.txt`, `free.txt`, `roles.txt`, `tlds.txt`: a name a line, `!name` takes
   * one out, `#` begins a remark.
   */
  listsFolder?: string;
  /** How often the files' times are looked at. */
  checkEveryMs?: number;
  /** A file was read again, with so many entries; or it could not be. */
  onRead?: (list: ListName, outcome: number | Error) => void;
}

interface List {
  fromPackages: DomainSet;
  fromFolder: DomainSet;
  sources: Record<string, number>;
}

const CHECK_EVERY_MS = 15_000;
/** Of a file; the largest public list has 3 MB. */
const FILE_CHARACTERS_MAX = 32 * 1024 * 1024;

export async function openLists({ listsFolder, checkEveryMs = CHECK_EVERY_MS, onRead }: ListsOptions = {}): Promise<Lists> {
  const lists = Object.fromEntries(NAMES.map((name) => [name, openList(SOURCES[name](), REMOVALS[name])])) as Record<ListName, List>;
  const watched: string[] = [];
  for (const name of listsFolder === undefined ? [] : NAMES) {
    const path = join(listsFolder!, `${name}.txt`);
    const renew = async (): Promise<void> => {
      try {
        lists[name].fromFolder = buildDomainSet(await readNames(path));
        onRead?.(name, lists[name].fromFolder.size);
      } catch (error) {
        // What was read before stays in force.
        onRead?.(name, error as Error);
      }
    };
    await renew();
    // Polled, because folders that are mounted into containers send no notices.
    watchFile(path, { interval: checkEveryMs, persistent: false }, (now, before) => {
      if (now.mtimeMs !== before.mtimeMs || now.size !== before.size) void renew();
    });
    watched.push(path);
  }

  return {
    isDisposable: (domain) => isListed(lists.disposable, domain, true),
    isDisposableMx: (host) => isListed(lists.disposable_mx, host, true) || isListed(lists.disposable, host, true),
    isFree: (domain) => isListed(lists.free, domain, false),
    isRole: (base) => isListed(lists.roles, base, false),
    isSuspiciousTld: (domain) => isListed(lists.tlds, domain.slice(domain.lastIndexOf('.') + 1), false),
    listCounts: () =>
      NAMES.map((list) => {
        const { fromPackages, fromFolder, sources } = lists[list];
        return { list, total: fromPackages.size, sources: { ...sources, folder: fromFolder.size } };
      }),
    close() {
      for (const path of watched) unwatchFile(path);
    },
  };
}

function isListed({ fromFolder, fromPackages }: List, name: string, isWithParents: boolean): boolean {
  return (fromFolder.find(name, isWithParents) ?? fromPackages.find(name, isWithParents)) === 'listed';
}

const require = createRequire(import.meta.url);

const SOURCES: Record<ListName, () => Record<string, readonly string[]>> = {
  disposable: () => ({
    'disposable-email-domains': [
      ...(readPackage(require.resolve('disposable-email-domains/index.json')) as string[]),
      ...(readPackage(require.resolve('disposable-email-domains/wildcard.json')) as string[]),
    ],
    'disposable-email-domains-js': readPackage(
      require.resolve('disposable-email-domains-js/dist/dict/disposable_email_blocklist.json'),
    ) as string[],
    mailchecker: [...(readPackage(require.resolve('mailchecker')) as { blacklist(): Set<string> }).blacklist()],
    fakefilter: Object.keys((readPackage(require.resolve('fakefilter/json/data.json')) as { domains: object }).domains),
  }),
  disposable_mx: () => ({ confam: DISPOSABLE_MX }),
  free: () => ({ 'email-providers': readPackage(require.resolve('email-providers/all.json')) as string[], confam: FREE }),
  roles: () => ({ 'role-based-email-addresses': readPackage(require.resolve('role-based-email-addresses')) as string[], confam: ROLES }),
  tlds: () => ({ confam: SUSPICIOUS_TLDS }),
};

const REMOVALS: Record<ListName, readonly string[]> = {
  disposable: NOT_DISPOSABLE,
  disposable_mx: [],
  free: NOT_FREE,
  roles: [],
  tlds: [],
};

function openList(sources: Record<string, readonly string[]>, removals: readonly string[]): List {
  const out = new Set(removals);
  const names: string[] = [];
  const counts: Record<string, number> = {};
  for (const [source, entries] of Object.entries(sources)) {
    const kept = entries.map(readName).filter((name) => name !== '' && !out.has(name) && !isSuffix(name));
    counts[source] = kept.length;
    for (const name of kept) names.push(name);
  }
  return { fromPackages: buildDomainSet(names), fromFolder: buildDomainSet([]), sources: counts };
}

/** The packages are read once; Node's cache would keep their strings, ten times what remains of them here. */
function readPackage(path: string): unknown {
  const content: unknown = createRequire(import.meta.url)(path);
  delete require.cache[path];
  return content;
}

async function readNames(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  if (text.length > FILE_CHARACTERS_MAX) throw new Error(`longer than ${FILE_CHARACTERS_MAX} characters`);
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .map((line) => (line.startsWith('!') ? `!${readName(line.slice(1))}` : readName(line)))
    .filter((name) => name !== '' && name !== '!');
}

/** Empty: it is no name. */
function readName(text: string): string {
  const name = text.trim().toLowerCase().replace(/^\./, '');
  return /^[\x21-\x7e]*$/.test(name) ? name : domainToASCII(name);
}

/** `my.id` on a list of domains would make disposable whatever is registered below it. */
function isSuffix(name: string): boolean {
  return (
    name.includes('.') && getPublicSuffix(name, { allowPrivateDomains: true, extractHostname: false, validateHostname: false }) === name
  );
}
