/**
 * HTTP to URLs that customers name. They may point at our own network, on purpose or through a DNS answer that changes between a check and the call,
 * so the guard judges the address that a socket really connects to. Retries and signatures are left to the caller. Everything that connects where
 * others say uses this guard (`engines/email/` too).
 */
import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import type { AllowPrivate } from '../foundation/setting-values.ts';
import { parseRetryAfter } from './retry-after.ts';

export type RefusalReason = 'invalid_url' | 'https_required' | 'forbidden_port' | 'forbidden_address' | 'forbidden_host';

export type OutboundResult =
  /** Any HTTP status, redirects included. `excerpt`: the first bytes of the body; empty if a private receiver's answers must not be shown. */
  | { kind: 'answered'; status: number; retryAfterMs: number | null; excerpt: string; latencyMs: number }
  /** Would be refused again next time. */
  | { kind: 'refused'; reason: RefusalReason }
  | { kind: 'unreachable'; reason: UnreachableReason; latencyMs: number };

type UnreachableReason = 'timeout' | 'connection' | 'dns' | 'tls_expired' | 'tls_host_name' | 'tls_untrusted' | 'tls';

export interface Outbound {
  post(url: string, message: { headers: Record<string, string>; body: string }): Promise<OutboundResult>;
  /** Aborts requests in progress; they end as `unreachable`. */
  close(): Promise<void>;
}

interface OutboundOptions extends Guard {
  /** Also allows plain http and any port there. */
  allowPrivate: AllowPrivate;
  hosts?: AllowedHosts;
  /** Show what receivers at private addresses answer. */
  privateAnswers: boolean;
  /** From the call to the response's headers. */
  timeoutMs: number;
}

/** DNS, TCP and TLS together. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Node's 250 ms for each address of a name are less than a round trip from Lagos to the American west coast. */
export const ADDRESS_TIMEOUT_MS = 2_000;
const DNS_TIMEOUT_MS = 3_000;
const DNS_TRIES = 2;
/** Only the status counts. The body is merely sampled, so a receiver that streams forever does not hold us up. */
const EXCERPT_BYTES = 1024;
const EXCERPT_MS = 1_000;
/** A socket is kept for the next message to the same receiver, for less than the 5 s after which a Node server closes it. */
const KEEP_ALIVE_MS = 3_000;
const PORTS = ['', '8443'];
const PRIVATE_HOSTS_MAX = 10_000;

/** `a.example`, or `.a.example` for that name and all below it. Undefined: any host. */
export type AllowedHosts = readonly string[] | undefined;

/** `allowPrivate` is the operator's decision (development, receivers on premises). All other rules still apply. */
export function openOutbound({ allowPrivate, hosts, privateAnswers, timeoutMs, resolve }: OutboundOptions): Outbound {
  /** Hosts for which a connection went to a private address, as long as it may be in use. */
  const privateHosts = new LRUCache<string, true>({ max: PRIVATE_HOSTS_MAX });
  const connect = guardedConnector({ allowPrivate, timeoutMs, resolve });
  const agent = new Agent({
    connect: (options, callback) =>
      connect(options, (...outcome) => {
        const address = outcome[1]?.remoteAddress;
        if (address !== undefined && !isPublic(address)) privateHosts.set(options.hostname, true);
        callback(...outcome);
      }),
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // One deadline covers everything; see below.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  return {
    async post(url, { headers, body }) {
      const reason = urlRefusal(url, allowPrivate, hosts);
      if (reason) return { kind: 'refused', reason };
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), timeoutMs);
      const startedAt = performance.now();
      const latencyMs = () => Math.round(performance.now() - startedAt);
      try {
        // `request` does not follow redirects.
        const response = await request(url, { dispatcher: agent, method: 'POST', headers, body, signal: deadline.signal });
        clearTimeout(timer);
        const answered = {
          kind: 'answered' as const,
          status: response.statusCode,
          retryAfterMs: parseRetryAfter(response.headers['retry-after']),
          latencyMs: latencyMs(),
        };
        const excerpt = await readExcerpt(response.body);
        const isShown = privateAnswers || !privateHosts.has(new URL(url).hostname);
        return { ...answered, excerpt: isShown ? excerpt : '' };
      } catch (error) {
        if (error instanceof Refusal) return { kind: 'refused', reason: error.reason };
        if (codeOf(error) === 'UND_ERR_INVALID_ARG') throw error;
        return { kind: 'unreachable', reason: deadline.signal.aborted ? 'timeout' : reasonOf(error), latencyMs: latencyMs() };
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => agent.destroy(),
  };
}

/** Why nothing will ever be sent to `text`, as far as the text alone shows. Null if it is acceptable. */
export function urlRefusal(text: string, allowPrivate: AllowPrivate, hosts?: AllowedHosts): RefusalReason | null {
  if (!URL.canParse(text)) return 'invalid_url';
  const { protocol, username, password, port, hostname } = new URL(text);
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return 'invalid_url';
  // The URL parser has turned every spelling of an IPv4 address (octal, hexadecimal, one number) into the dotted form.
  const host = hostname.replace(/^\[|\]$/g, '');
  if (hosts && !hosts.some((allowed) => host === allowed.replace(/^\./, '') || (allowed.startsWith('.') && host.endsWith(allowed))))
    return 'forbidden_host';
  if (allowPrivate === true || (allowPrivate === 'loopback' && (host === LOCALHOST || isLoopback(host)))) return null;
  if (protocol !== 'https:') return 'https_required';
  if (!PORTS.includes(port)) return 'forbidden_port';
  // Only the operator decides that a receiver needs no name.
  return isIP(host) && !(hosts && isPublic(host)) ? 'forbidden_address' : null;
}

/** 2000::/3 is all that IANA has assigned as global unicast (RFC 4291 §2.4). */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');
/** Azure serves machine metadata at this public address. */
const AZURE_METADATA = '168.63.129.16';

/**
 * Whether the address is global unicast and does not stand for another address. ipaddr.js names private, loopback, link-local, carrier-grade NAT,
 * multicast and reserved ranges, and IPv4-mapped, NAT64, 6to4 and Teredo addresses.
 */
export function isPublic(address: string): boolean {
  if (!isIP(address) || address === AZURE_METADATA) return false;
  const parsed = ipaddr.parse(address);
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6));
}

const LOCALHOST = 'localhost';
const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1'];
const isLoopback = (address: string): boolean => isIP(address) > 0 && ipaddr.process(address).range() === 'loopback';

class Refusal extends Error {
  readonly reason: RefusalReason;
  constructor(reason: RefusalReason) {
    super(reason);
    this.reason = reason;
  }
}

class UnknownName extends Error {}

interface Guard {
  /** Any address, or this machine's addresses besides public ones. */
  allowPrivate: AllowPrivate;
  /** Resolves a name's addresses; rejects if there are none. Default: DNS. */
  resolve?: ((hostname: string) => Promise<string[]>) | undefined;
}

/**
 * `lookup` for a socket: yields only addresses that may be connected to. A literal address is never looked up, so also call `mayTalkTo` on the
 * connected one.
 */
export function guardedLookup({
  allowPrivate,
  resolve = allowPrivate === true ? resolveLikeTheSystem : resolveByDns,
}: Guard): LookupFunction {
  async function allowedAddresses(hostname: string) {
    const isLocal = allowPrivate === 'loopback' && hostname === LOCALHOST;
    const found = isLocal ? LOOPBACK_ADDRESSES : await resolve(hostname).catch(() => []);
    if (found.length === 0) throw new UnknownName();
    const allowed = found.filter((address) => mayTalkTo(address, allowPrivate));
    if (allowed.length === 0) throw new Refusal('forbidden_address');
    return allowed.map((address) => ({ address, family: isIP(address) }));
  }
  return (hostname, options, callback) => {
    allowedAddresses(hostname).then(
      (found) => (options.all ? callback(null, found) : callback(null, found[0]!.address, found[0]!.family)),
      (error) => callback(error, []),
    );
  };
}

export const mayTalkTo = (address: string | undefined, allowPrivate: AllowPrivate): boolean =>
  allowPrivate === true || isPublic(address ?? '') || (allowPrivate === 'loopback' && isLoopback(address ?? ''));

/** Connector for an undici `Agent`. `timeoutMs` covers DNS, TCP and TLS together. */
export function guardedConnector({ allowPrivate, timeoutMs, resolve }: Guard & { timeoutMs: number }): buildConnector.connector {
  const connect = buildConnector({
    lookup: guardedLookup({ allowPrivate, resolve }),
    timeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
  });
  return (options, callback) =>
    connect(options, (error, socket) => {
      if (error) return callback(error, null);
      // However the address was found (a literal is never looked up), this is the one that the socket connected to.
      if (mayTalkTo(socket.remoteAddress, allowPrivate)) return callback(null, socket);
      socket.destroy();
      callback(new Refusal('forbidden_address'), null);
    });
}

/**
 * Not `lookup`, which blocks one of libuv's few threads while a name server stays silent: two names whose servers never answer would stop every
 * look-up in this process.
 */
async function resolveByDns(hostname: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

/** Also reads /etc/hosts and the like, where names of private receivers are. */
async function resolveLikeTheSystem(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

async function readExcerpt(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  const timer = setTimeout(() => body.destroy(), EXCERPT_MS);
  try {
    let bytes = 0;
    // Leaving the loop early destroys the body and with it the connection.
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= EXCERPT_BYTES) break;
    }
  } catch {
    // The body was cut off, by the receiver or by us. The status has arrived.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8');
}

const TIMEOUT_CODES = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);
/** OpenSSL's and Node's codes (nodejs.org/api/tls.html, "X509 certificate error codes"); the first that fits. */
const TLS_CODES: readonly (readonly [RegExp, UnreachableReason])[] = [
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, 'tls_expired'],
  [/ERR_TLS_CERT_ALTNAME|HOSTNAME_MISMATCH/, 'tls_host_name'],
  [/SELF_SIGNED|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY_LEAF|CERT_UNTRUSTED/, 'tls_untrusted'],
  [/CERT|ERR_TLS|ERR_SSL|EPROTO|UNABLE_TO|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH/, 'tls'],
];

function reasonOf(error: unknown): UnreachableReason {
  if (error instanceof UnknownName) return 'dns';
  const code = codeOf(error);
  if (TIMEOUT_CODES.has(code)) return 'timeout';
  return TLS_CODES.find(([codes]) => codes.test(code))?.[1] ?? 'connection';
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '');
