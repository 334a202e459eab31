/**
 * The lists that an address is checked against: npm packages, our own additions, and the operator's files. The files are read again when they change,
 * so a list can be updated without a release, and they take precedence over the packages.
 */

import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { domainToASCII } from 'node:url';
import { getPublicSuffix } from 'tldts';
import { buildDomainSet, type DomainSet } from './domain-set.ts';
import {
  DISPOSABLE,
  DISPOSABLE_MX,
  FORWARDING,
  FREE,
  NOT_DISPOSABLE,
  NOT_FREE,
  SUSPICIOUS_TLDS,
  TELLING_NAME,
  THROWAWAY_NAME,
} from './own-lists.ts';
import { isRoleOfParts, NOT_ROLES, ROLES } from './roles.ts';

/** Each list may also be a file: `disposable.txt` … */
const NAMES = ['disposable', 'disposable_mx', 'forwarding', 'free', 'roles', 'tlds'] as const;
type ListName = (typeof NAMES)[number];

export interface Lists {
  /** The domain or one above it is on two lists, in the operator's file or our own list, or on one list and its name suggests it, or its name says so. */
  isDisposable(domain: string): boolean;
  /** On three lists, in the operator's file or our own list: enough votes even for a domain that looks like a slip. */
  isSurelyDisposable(domain: string): boolean;
  /** On a single list, which is only a suspicion: a quarter of the entries appear on no second list. */
  isSuspectedDisposable(domain: string): boolean;
  /** An alias of its owner's mailbox. */
  isForwarding(domain: string): boolean;
  /** A mail host of a disposable service, or a host below one. */
  isDisposableMx(host: string): boolean;
  isFree(domain: string): boolean;
  /** `base`: the part before the `@`, without its tag. */
  isRole(base: string): boolean;
  isSuspiciousTld(domain: string): boolean;
  /** Entries by source. The source `folder` is the operator's file. */
  listCounts(): ListCount[];
  close(): void;
}

interface ListCount {
  list: ListName;
  /** From packages and our own additions, each name once. */
  total: number;
  sources: Record<string, number>;
}

export interface ListsOptions {
  /**
   * A folder with some of the files `disposable.txt`, `disposable_mx.txt`, `forwarding.txt`, `free.txt`, `roles.txt`, `tlds.txt`: one name a line;
   * `!name` removes a name; `#` starts a comment.
   */
  listsFolder?: string;
  /** How often the files' modification times are checked, in ms. */
  checkEveryMs?: number;
  /** A file was read again. `outcome`: its number of entries, or the error. */
  onRead?: (list: ListName, outcome: number | Error) => void;
}

interface List {
  fromPackages: DomainSet;
  /** On one package's list only, where two are required. */
  suspected: DomainSet;
  /** On more packages' lists than are required. */
  sure: DomainSet;
  fromFolder: DomainSet;
  sources: Record<string, number>;
}

const CHECK_EVERY_MS = 15_000;
/** Limit for one file. The largest public list has 3 MB. */
const FILE_CHARACTERS_MAX = 32 * 1024 * 1024;

export async function openLists({ listsFolder, checkEveryMs = CHECK_EVERY_MS, onRead }: ListsOptions = {}): Promise<Lists> {
  const lists = Object.fromEntries(
    NAMES.map((name) => [name, openList(SOURCES[name](), REMOVALS[name], name === 'disposable' ? 2 : 1)]),
  ) as Record<ListName, List>;
  const watched: string[] = [];
  for (const name of listsFolder === undefined ? [] : NAMES) {
    const path = join(listsFolder!, `${name}.txt`);
    const renew = async (): Promise<void> => {
      try {
        lists[name].fromFolder = buildDomainSet(await readNames(path));
        onRead?.(name, lists[name].fromFolder.size);
      } catch (error) {
        // The previous content stays in force.
        onRead?.(name, error as Error);
      }
    };
    await renew();
    // Polled, because folders mounted into containers send no change notifications.
    watchFile(path, { interval: checkEveryMs, persistent: false }, (now, before) => {
      if (now.mtimeMs !== before.mtimeMs || now.size !== before.size) void renew();
    });
    watched.push(path);
  }

  const isForwarding = (domain: string) => isListedWithParents(lists.forwarding, domain);
  const isSuspectedDisposable = (domain: string) =>
    lists.disposable.fromFolder.findWithParents(domain) === undefined &&
    lists.disposable.suspected.findWithParents(domain) === 'listed' &&
    !isForwarding(domain);
  const isSurelyDisposable = (domain: string) => {
    const verdict = lists.disposable.fromFolder.findWithParents(domain);
    return verdict === undefined
      ? lists.disposable.sure.findWithParents(domain) === 'listed' && !isForwarding(domain)
      : verdict === 'listed';
  };
  const isRole = (base: string) => isListed(lists.roles, base);
  return {
    isDisposable(domain) {
      const verdict = lists.disposable.fromFolder.findWithParents(domain);
      if (verdict !== undefined) return verdict === 'listed';
      if (isForwarding(domain)) return false;
      return (
        lists.disposable.fromPackages.findWithParents(domain) === 'listed' ||
        TELLING_NAME.test(domain) ||
        (isSuspectedDisposable(domain) && THROWAWAY_NAME.test(domain))
      );
    },
    isSurelyDisposable,
    isSuspectedDisposable,
    isDisposableMx: (host) =>
      isListedWithParents(lists.disposable_mx, host) || (isListedWithParents(lists.disposable, host) && !isForwarding(host)),
    isForwarding,
    isFree: (domain) => isListed(lists.free, domain) && !isForwarding(domain),
    isRole: (base) => isRole(base) || isRoleOfParts(base, isRole),
    isSuspiciousTld: (domain) => isListed(lists.tlds, domain.slice(domain.lastIndexOf('.') + 1)),
    listCounts: () =>
      NAMES.map((list) => {
        const { fromPackages, suspected, fromFolder, sources } = lists[list];
        return { list, total: fromPackages.size + suspected.size, sources: { ...sources, folder: fromFolder.size } };
      }),
    close() {
      for (const path of watched) unwatchFile(path);
    },
  };
}

const isListed = ({ fromFolder, fromPackages }: List, name: string): boolean =>
  (fromFolder.find(name) ?? fromPackages.find(name)) === 'listed';

const isListedWithParents = ({ fromFolder, fromPackages }: List, domain: string): boolean =>
  (fromFolder.findWithParents(domain) ?? fromPackages.findWithParents(domain)) === 'listed';

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
    confam: DISPOSABLE,
  }),
  disposable_mx: () => ({ confam: DISPOSABLE_MX }),
  forwarding: () => ({ confam: FORWARDING }),
  free: () => ({ 'email-providers': readPackage(require.resolve('email-providers/all.json')) as string[], confam: FREE }),
  roles: () => ({ 'role-based-email-addresses': readPackage(require.resolve('role-based-email-addresses')) as string[], confam: ROLES }),
  tlds: () => ({ confam: SUSPICIOUS_TLDS }),
};

const REMOVALS: Record<ListName, readonly string[]> = {
  disposable: Object.keys(NOT_DISPOSABLE),
  disposable_mx: [],
  forwarding: [],
  free: NOT_FREE,
  roles: NOT_ROLES,
  tlds: [],
};

/** Votes of our own list, which is kept by hand. */
const OWN_VOTES = 3;

/** `witnesses`: how many sources must list a name. */
function openList(sources: Record<string, readonly string[]>, removals: readonly string[], witnesses: number): List {
  const out = new Set(removals);
  const seen = new Map<string, number>();
  const counts: Record<string, number> = {};
  for (const [source, entries] of Object.entries(sources)) {
    const kept = entries.map(readName).filter((name) => name !== '' && !out.has(name) && !isSuffix(name));
    counts[source] = kept.length;
    for (const name of new Set(kept)) seen.set(name, (seen.get(name) ?? 0) + (source === 'confam' ? OWN_VOTES : 1));
  }
  const names = [...seen.keys()];
  return {
    fromPackages: buildDomainSet(names.filter((name) => seen.get(name)! >= witnesses)),
    suspected: buildDomainSet(names.filter((name) => seen.get(name)! < witnesses)),
    sure: buildDomainSet(names.filter((name) => seen.get(name)! > witnesses)),
    fromFolder: buildDomainSet([]),
    sources: counts,
  };
}

/** Reads a package and drops it from Node's module cache, which would keep ten times the memory that the sets take. */
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

/** Empty if the text is not a name. */
function readName(text: string): string {
  const name = text.trim().toLowerCase().replace(/^\./, '');
  return /^[\x21-\x7e]*$/.test(name) ? name : domainToASCII(name);
}

/** `my.id` on a list would make every domain below it disposable. */
function isSuffix(name: string): boolean {
  return (
    name.includes('.') && getPublicSuffix(name, { allowPrivateDomains: true, extractHostname: false, validateHostname: false }) === name
  );
}
