/**
 * Looks up who registered a domain and when, at its registry by RDAP (RFC 7480). Answers are cached for a week. A registry that fails or asks for
 * less traffic is left alone; until then the answer is unknown. Registry URLs come from others, so the guard for outgoing requests applies.
 */
import { LRUCache } from 'lru-cache';
import { Agent, type Dispatcher, request } from 'undici';
import { DAY_MS } from '../../foundation/time.ts';
import { guardedConnector } from '../../net/guarded-http.ts';
import { parseRetryAfter } from '../../net/retry-after.ts';
import type { Registration, RegistrationSource } from './email.ts';
import { openPace } from './pace.ts';
import { readBootstrap, readDomain, registryOf } from './rdap.ts';

export interface RegistrationOptions {
  /** Default: IANA's. */
  bootstrapUrl?: string;
  /** For one question to a registry, including redirects and the wait for a slot. */
  timeoutMs: number;
  /** Domains in the cache. */
  cacheMax: number;
  /** Allows plain http and any address (tests, the sandbox). */
  allowPrivate?: boolean;
  /** Resolves a name's addresses; rejects if there are none. Default: DNS. */
  lookup?: (hostname: string) => Promise<string[]>;
}

export interface Registrations extends RegistrationSource {
  close(): Promise<void>;
}

const IANA_BOOTSTRAP = 'https://data.iana.org/rdap/dns.json';
const BOOTSTRAP_MS = DAY_MS;
const KEPT_MS = 7 * DAY_MS;
/** Answers have about 10 kB, the bootstrap file 0.1 MB. */
const ANSWER_BYTES_MAX = 1024 * 1024;
const REDIRECTS_MAX = 3;
const REDIRECTS = [301, 302, 303, 307, 308];
/** Concurrent questions to one registry. Most allow some tens a minute from one address, and answer 429 beyond that. */
const CONCURRENT = 4;
const REGISTRIES_KEPT = 2_000;
const BACKOFF_MS = { first: 60_000, max: 3_600_000 };
const RETRY_AFTER_MS_MAX = DAY_MS;
const AGENT = 'confam';
const BOOTSTRAP = 'bootstrap';
/** A domain in ASCII, so that nothing else gets into the URL. */
const DOMAIN = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/;

/** The server failed, or asked for less traffic. */
class RegistryTrouble extends Error {
  readonly retryAfterMs: number | null;
  constructor(retryAfterMs: number | null) {
    super('a registry failed');
    this.retryAfterMs = retryAfterMs;
  }
}

type Answer = { status: 200; body: unknown } | { status: 404 } | { status: 'other' };

export const openRegistrations = (options: RegistrationOptions): Registrations => new RdapRegistrations(options);

class RdapRegistrations implements Registrations {
  private readonly bootstrapUrl: string;
  private readonly timeoutMs: number;
  private readonly allowPlain: boolean;
  private readonly agent: Agent;
  private readonly pace = openPace({ concurrent: CONCURRENT, intervalMs: 0, keysMax: REGISTRIES_KEPT });
  /** Failures in a row. */
  private readonly failures = new LRUCache<string, number>({ max: REGISTRIES_KEPT });
  private readonly kept: LRUCache<string, Registration>;
  private readonly asking = new Map<string, Promise<Registration | null>>();
  private loading: Promise<void> | null = null;
  private bootstrap: { registries: Map<string, string[]>; until: number } | null = null;

  constructor({ bootstrapUrl = IANA_BOOTSTRAP, timeoutMs, cacheMax, allowPrivate = false, lookup }: RegistrationOptions) {
    this.bootstrapUrl = bootstrapUrl;
    this.timeoutMs = timeoutMs;
    this.allowPlain = allowPrivate;
    this.agent = new Agent({
      connect: guardedConnector({ allowPrivate, timeoutMs, resolve: lookup }),
      maxResponseSize: ANSWER_BYTES_MAX,
      keepAliveTimeout: 4_000,
      // One deadline covers everything; see `ask`.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.kept = new LRUCache({ max: cacheMax, ttl: KEPT_MS });
  }

  async find(registrable: string, signal: AbortSignal): Promise<Registration | null> {
    const domain = registrable.toLowerCase();
    if (!DOMAIN.test(domain)) return null;
    const known = this.kept.get(domain);
    if (known) return known;
    // Concurrent callers for a domain share the answer; one that gives up does not cancel it for the others.
    const shared = this.asking.get(domain) ?? this.askRegistry(domain).finally(() => this.asking.delete(domain));
    this.asking.set(domain, shared);
    return unlessAborted(shared, signal);
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  /** Null: the registry could not be asked, or is being left alone. Failures are counted by `key`. */
  private async ask(key: string, url: string, signal: AbortSignal): Promise<Answer | null> {
    const release = await this.pace.turn(key, this.timeoutMs / 2, signal);
    if (!release) return null;
    try {
      const answer = await fetchJson(this.agent, url, this.allowPlain, signal);
      this.failures.delete(key);
      return answer;
    } catch (error) {
      const count = this.failures.get(key) ?? 0;
      this.failures.set(key, count + 1);
      const asked = error instanceof RegistryTrouble ? error.retryAfterMs : null;
      this.pace.hold(key, asked === null ? Math.min(BACKOFF_MS.first * 2 ** count, BACKOFF_MS.max) : Math.min(asked, RETRY_AFTER_MS_MAX));
      return null;
    } finally {
      release();
    }
  }

  /** Yesterday's bootstrap file is better than none. Concurrent callers share one download. */
  private async registries(): Promise<Map<string, string[]> | null> {
    if (this.bootstrap && this.bootstrap.until > Date.now()) return this.bootstrap.registries;
    this.loading ??= this.loadBootstrap().finally(() => {
      this.loading = null;
    });
    await this.loading;
    return this.bootstrap?.registries ?? null;
  }

  private async loadBootstrap(): Promise<void> {
    const answer = await this.ask(BOOTSTRAP, this.bootstrapUrl, AbortSignal.timeout(this.timeoutMs));
    const read = answer?.status === 200 ? readBootstrap(answer.body) : null;
    if (read) this.bootstrap = { registries: read, until: Date.now() + BOOTSTRAP_MS };
    else if (answer) this.pace.hold(BOOTSTRAP, BACKOFF_MS.first);
  }

  private async askRegistry(domain: string): Promise<Registration | null> {
    const known = await this.registries();
    const base = known && registryOf(known, domain);
    if (!base || !URL.canParse(base)) return null;
    const answer = await this.ask(new URL(base).origin, `${base}domain/${domain}`, AbortSignal.timeout(this.timeoutMs));
    const registration = answer?.status === 404 ? NOT_REGISTERED : answer?.status === 200 ? readDomain(answer.body, domain) : null;
    if (registration) this.kept.set(domain, registration);
    return registration;
  }
}

const NOT_REGISTERED: Registration = { registered: false, created: null, updated: null, expires: null, registrar: null, registrant: null };

/** Null as soon as `signal` fires. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  if (signal.aborted) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    const giveUp = () => resolve(null);
    signal.addEventListener('abort', giveUp, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

/** Throws the error that ended the request, or `RegistryTrouble`. */
async function fetchJson(agent: Agent, url: string, allowPlain: boolean, signal: AbortSignal): Promise<Answer> {
  let at = url;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    if (!allowPlain && !at.startsWith('https:')) return { status: 'other' };
    const headers = { accept: 'application/rdap+json, application/json', 'user-agent': AGENT };
    const response = await request(at, { dispatcher: agent, method: 'GET', headers, signal });
    const { statusCode } = response;
    if (statusCode === 200) return { status: 200, body: await readJson(response.body) };
    await response.body.dump();
    if (statusCode === 404) return { status: 404 };
    if (statusCode === 429 || statusCode >= 500) throw new RegistryTrouble(parseRetryAfter(response.headers['retry-after']));
    const { location } = response.headers;
    if (!REDIRECTS.includes(statusCode) || typeof location !== 'string' || !URL.canParse(location, at)) return { status: 'other' };
    at = new URL(location, at).toString();
    if (!/^https?:/.test(at)) return { status: 'other' };
  }
  return { status: 'other' };
}

async function readJson(body: Dispatcher.ResponseData['body']): Promise<unknown> {
  const text = await body.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
