/** What DNS says about a mail domain. Concurrent questions for one domain share one answer, which is cached for a while. */
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { getDomain } from 'tldts';
import { isPublic } from '../../net/guarded-http.ts';
import type { MailDomain } from './email.ts';
import { readDmarc, readSpf, type Spf } from './policies.ts';
import { type AddressRecord, type Answer, openQuestions, type Questions, type QuestionsOptions } from './questions.ts';

/** A mail domain without what the lists say about it. */
export type Hosting = Omit<MailDomain, 'isDisposableMx'>;

export interface Dns {
  /** Never rejects. If `signal` fires first, the answer is unknown, but the questions continue for other callers and for the cache. */
  mailDomain(domain: string, signal: AbortSignal): Promise<Hosting>;
  close(): void;
}

export interface DnsOptions extends QuestionsOptions {
  /** Domains in the cache, and as many mail hosts. */
  cacheMax: number;
  /** For the sandbox and tests: mail hosts may have addresses of this machine. */
  allowPrivate?: boolean;
  /** Clock of the cache. Default: `performance`. */
  clock?: { now(): number };
}

export const UNKNOWN_HOSTING: Hosting = {
  exists: null,
  acceptsMail: null,
  mx: null,
  hasNullMx: null,
  isPrivateMx: null,
  spf: null,
  dmarc: null,
  hasWebsite: null,
};

const HOSTS_MAX = 10;
/**
 * Node reports the TTL only of address records, so it stands for the domain's other records, within these bounds. Shorter TTLs serve load balancing,
 * not mail; and a domain that starts to receive mail should not wait a day.
 */
const KEEP_MIN_MS = 5 * 60_000;
const KEEP_MAX_MS = 60 * 60_000;
/** No such name, or no mail host. This changes when somebody sets up the domain. */
const KEEP_NEGATIVE_MS = 2 * 60_000;
/** A question went unanswered. Long enough that a batch does not ask a dead name server for each of its rows. */
const KEEP_UNKNOWN_MS = 20_000;

type Reach = 'public' | 'private' | 'none' | 'unknown';

/** What a cache holds, and for how long. */
interface Kept<T> {
  value: T;
  keepMs: number;
}

export const openDns = (options: DnsOptions): Dns => new MailDns(options);

class MailDns implements Dns {
  private readonly questions: Questions;
  private readonly allowPrivate: boolean;
  private readonly domains: LRUCache<string, Hosting>;
  private readonly hosts: LRUCache<string, Reach>;

  constructor({ cacheMax, allowPrivate = false, clock = performance, ...options }: DnsOptions) {
    this.questions = openQuestions(options);
    this.allowPrivate = allowPrivate;
    this.domains = cacheOf(cacheMax, clock, (domain) => this.ask(domain));
    this.hosts = cacheOf(cacheMax, clock, (host) => this.reachOf(host));
  }

  async mailDomain(domain: string, signal: AbortSignal): Promise<Hosting> {
    // In a batch the domain is usually cached, and this path avoids the cache's promise.
    const kept = this.domains.get(domain);
    if (kept) return kept;
    if (signal.aborted) return UNKNOWN_HOSTING;
    return untilAborted(this.domains.fetch(domain) as Promise<Hosting>, signal, UNKNOWN_HOSTING);
  }

  close(): void {
    this.questions.close();
  }

  private async ask(domain: string): Promise<Kept<Hosting>> {
    const mxAsked = this.questions.mx(domain);
    const textsAsked = this.questions.txt(domain);
    const addressesAsked = this.questions.a(domain);
    const [mx, texts, addresses, mail, spf, dmarc, hasWebsite] = await Promise.all([
      mxAsked,
      textsAsked,
      addressesAsked,
      mxAsked.then((mx) => this.mailHosts(domain, mx)),
      textsAsked.then((texts) => this.spfOf(texts)),
      this.dmarcOf(domain),
      addressesAsked.then((addresses) => this.websiteOf(domain, addresses)),
    ]);
    const exists = existsBy([mx, texts, addresses]);
    if (exists === false) return { value: NO_DOMAIN, keepMs: KEEP_NEGATIVE_MS };
    const hosting = { exists, ...mail, spf, dmarc, hasWebsite };
    return { value: hosting, keepMs: keepFor(hosting, addresses) };
  }

  private async mailHosts(domain: string, mx: Answer<{ exchange: string; priority: number }>): Promise<MailHosts> {
    if (mx.kind === 'unknown') return { acceptsMail: null, mx: null, hasNullMx: null, isPrivateMx: null };
    if (mx.kind === 'no_name') return NO_MAIL_HOST;
    const isImplicit = mx.kind === 'no_records';
    if (!isImplicit && mx.records.length === 1 && mx.records[0]!.exchange === '') return { ...NO_MAIL_HOST, hasNullMx: true };
    const names = isImplicit ? [domain] : namesByPreference(mx.records);
    const reaches = await Promise.all(names.map((name) => this.hosts.fetch(name) as Promise<Reach>));
    const reachable = names.filter((_, i) => reaches[i] === 'public');
    const isAnyUnknown = reaches.includes('unknown');
    return {
      acceptsMail: reachable.length > 0 ? true : isAnyUnknown ? null : false,
      mx: reachable,
      hasNullMx: false,
      isPrivateMx: reachable.length > 0 ? false : isAnyUnknown ? null : reaches.includes('private'),
    };
  }

  private async reachOf(host: string): Promise<Kept<Reach>> {
    const a = await this.questions.a(host);
    if (this.isReachable(a)) return { value: 'public', keepMs: keepByTtl(a) };
    // Few hosts have only IPv6, so the second question is only asked if the first finds nothing.
    const aaaa = await this.questions.aaaa(host);
    if (this.isReachable(aaaa)) return { value: 'public', keepMs: keepByTtl(aaaa) };
    if (a.kind === 'unknown' || aaaa.kind === 'unknown') return { value: 'unknown', keepMs: KEEP_UNKNOWN_MS };
    const reach = a.kind === 'records' || aaaa.kind === 'records' ? 'private' : 'none';
    return { value: reach, keepMs: KEEP_NEGATIVE_MS };
  }

  private isReachable(answer: Answer<AddressRecord>): boolean {
    return answer.kind === 'records' && answer.records.some(({ address }) => this.allowPrivate || isPublic(address));
  }

  private async spfOf(texts: Answer<string>): Promise<Spf | null> {
    const found = readTexts(texts);
    if (found === null) return null;
    const own = readSpf(found);
    if ('spf' in own) return own.spf;
    const target = isHostName(own.redirect) ? readTexts(await this.questions.txt(own.redirect)) : [];
    if (target === null) return null;
    const redirected = readSpf(target);
    // After a second redirect the chain is not followed, so its end is unknown.
    return 'spf' in redirected ? redirected.spf : null;
  }

  private async dmarcOf(domain: string): Promise<Hosting['dmarc']> {
    const own = readTexts(await this.questions.txt(`_dmarc.${domain}`));
    if (own === null) return null;
    const policy = readDmarc(own, { isInherited: false });
    const organization = getDomain(domain);
    if (policy !== null || organization === null || organization === domain) return policy ?? 'absent';
    const inherited = readTexts(await this.questions.txt(`_dmarc.${organization}`));
    return inherited === null ? null : (readDmarc(inherited, { isInherited: true }) ?? 'absent');
  }

  private async websiteOf(domain: string, a: Answer<AddressRecord>): Promise<boolean | null> {
    if (this.isReachable(a)) return true;
    const further = await Promise.all([this.questions.aaaa(domain), this.questions.a(`www.${domain}`)]);
    if (further.some((answer) => this.isReachable(answer))) return true;
    return a.kind === 'unknown' || further.some(({ kind }) => kind === 'unknown') ? null : false;
  }
}

function cacheOf<T extends {}>(max: number, clock: { now(): number }, ask: (key: string) => Promise<Kept<T>>): LRUCache<string, T> {
  return new LRUCache({
    max,
    perf: clock,
    // Otherwise the cache remembers the time for a millisecond, by a timer.
    ttlResolution: 0,
    ignoreFetchAbort: true,
    async fetchMethod(key, _stale, { options }) {
      const { value, keepMs } = await ask(key);
      options.ttl = keepMs;
      return value;
    },
  });
}

type MailHosts = Pick<Hosting, 'acceptsMail' | 'mx' | 'hasNullMx' | 'isPrivateMx'>;

const NO_MAIL_HOST: MailHosts = { acceptsMail: false, mx: [], hasNullMx: false, isPrivateMx: false };
const NO_DOMAIN: Hosting = { exists: false, ...NO_MAIL_HOST, spf: 'none', dmarc: 'absent', hasWebsite: false };

/** "No such name" holds for all record types (RFC 8020), unless a server contradicts itself. */
function existsBy(answers: readonly Answer<unknown>[]): boolean | null {
  if (answers.some(({ kind }) => kind === 'records' || kind === 'no_records')) return true;
  return answers.some(({ kind }) => kind === 'no_name') ? false : null;
}

/** Null: unknown. */
function readTexts(answer: Answer<string>): string[] | null {
  return answer.kind === 'unknown' ? null : answer.kind === 'records' ? answer.records : [];
}

/** Drops IP addresses in place of names, which no mail host accepts (RFC 5321, 5.1). */
function namesByPreference(records: readonly { exchange: string; priority: number }[]): string[] {
  const names = [...records].sort((one, other) => one.priority - other.priority).map(({ exchange }) => exchange.toLowerCase());
  return [...new Set(names.filter(isHostName))].slice(0, HOSTS_MAX);
}

const isHostName = (name: string): boolean => name.length <= 253 && name.includes('.') && /^[a-z0-9._-]+$/.test(name) && !isIP(name);

function keepFor(hosting: Hosting, addresses: Answer<AddressRecord>): number {
  if (Object.values(hosting).includes(null)) return KEEP_UNKNOWN_MS;
  if (!hosting.acceptsMail) return KEEP_NEGATIVE_MS;
  return keepByTtl(addresses);
}

function keepByTtl(addresses: Answer<AddressRecord>): number {
  if (addresses.kind !== 'records') return KEEP_MIN_MS;
  const shortest = addresses.records.reduce((least, { ttlMs }) => Math.min(least, ttlMs), KEEP_MAX_MS);
  return Math.max(KEEP_MIN_MS, shortest);
}

/** Resolves to `instead` as soon as `signal` fires; the work itself continues. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal, instead: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(instead);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
