/**
 * HTTP to addresses that customers name. They may point at our own network on purpose or by a DNS answer that changes between a check and
 * the call, so what counts is the address that a socket really connects to. Retries and signatures are the caller's. The guard stands here
 * for everybody who connects to where others say (`engines/email/`).
 */
import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import type { AllowPrivate } from '../foundation/config.ts';
import { parseRetryAfter } from './retry-after.ts';

export type RefusalReason = 'invalid_url' | 'https_required' | 'forbidden_port' | 'forbidden_address';

export type OutboundResult =
  /** Any HTTP status, redirects included. `excerpt`: the first bytes of the body; empty where a private receiver's are not wanted. */
  | { kind: 'answered'; status: number; retryAfterMs: number | null; excerpt: string; latencyMs: number }
  /** Will be refused the next time too. */
  | { kind: 'refused'; reason: RefusalReason }
  | { kind: 'unreachable'; reason: 'timeout' | 'connection' | 'dns' | 'tls'; latencyMs: number };

export interface Outbound {
  post(url: string, message: { headers: Record<string, string>; body: string }): Promise<OutboundResult>;
  /** Breaks off what is under way; it ends as `unreachable`. */
  close(): Promise<void>;
}

interface OutboundOptions extends Guard {
  /** Plain http and any port there, too. */
  allowPrivate: AllowPrivate;
  /** Hand on what receivers at private addresses answer. */
  privateAnswers: boolean;
  /** From the call to the response's headers. */
  timeoutMs: number;
}

/** DNS, TCP and TLS together. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Node's 250 ms for each address of a name is less than a round trip from Lagos to the American west coast. */
export const ADDRESS_TIMEOUT_MS = 2_000;
const DNS_TIMEOUT_MS = 3_000;
const DNS_TRIES = 2;
/** The status decides; the body is only looked at, and a receiver that streams for ever does not hold us. */
const EXCERPT_BYTES = 1024;
const EXCERPT_MS = 1_000;
/** Sockets are kept for the next message to the same receiver; shorter than the 5 s after which a Node server closes them. */
const KEEP_ALIVE_MS = 3_000;
const PORTS = ['', '8443'];
const PRIVATE_HOSTS_MAX = 10_000;

/** What a URL must be, for whoever has sent another. */
export const URL_RULE =
  'must be an https URL on port 443 or 8443 that leads to a public address; for a receiver at another the operator sets CONFAM_WEBHOOK_ALLOW_PRIVATE';

/** `allowPrivate` is the operator's decision (development, receivers on premises); everything else here holds with it too. */
export function openOutbound({ allowPrivate, privateAnswers, timeoutMs, resolve }: OutboundOptions): Outbound {
  /** Hosts that a connection led to a private address of, while one of these may be in use. */
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
    // One deadline for everything, below.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  return {
    async post(url, { headers, body }) {
      const reason = refuseUrl(url, allowPrivate);
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

/** Why nothing will ever be sent to `text`, as far as the text alone tells, or `null`. */
export function refuseUrl(text: string, allowPrivate: AllowPrivate): RefusalReason | null {
  if (!URL.canParse(text)) return 'invalid_url';
  const { protocol, username, password, port, hostname } = new URL(text);
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return 'invalid_url';
  // The URL parser has brought every spelling of an IPv4 address (octal, hexadecimal, one number) into the dotted form.
  const host = hostname.replace(/^\[|\]$/g, '');
  if (allowPrivate === true || (allowPrivate === 'loopback' && (host === LOCALHOST || isLoopback(host)))) return null;
  if (protocol !== 'https:') return 'https_required';
  if (!PORTS.includes(port)) return 'forbidden_port';
  return isIP(host) && !isPublic(host) ? 'forbidden_address' : null;
}

/** 2000::/3 is all that IANA has given out as global unicast (RFC 4291 §2.4). */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');
/** Azure serves its machines' metadata at a public address. */
const AZURE_METADATA = '168.63.129.16';

/**
 * Global unicast and nothing that stands for another address: ipaddr.js has names of their own for private, loopback, link-local,
 * carrier-grade NAT, multicast and reserved ranges, and for IPv4-mapped, NAT64, 6to4 and Teredo.
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
  /** Any address, or those of this machine besides public ones. */
  allowPrivate: AllowPrivate;
  /** The addresses of a name; rejects when there are none. Default: DNS. */
  resolve?: ((hostname: string) => Promise<string[]>) | undefined;
}

/** For `lookup` of a socket: only addresses that may be connected to. A literal is never looked up: `mayTalkTo` the one that was connected to. */
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

/** For an undici `Agent`. `timeoutMs`: for DNS, TCP and TLS together. */
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
      // Whatever way the address was found (a literal is never looked up), this is the one that we are talking to.
      if (mayTalkTo(socket.remoteAddress, allowPrivate)) return callback(null, socket);
      socket.destroy();
      callback(new Refusal('forbidden_address'), null);
    });
}

/**
 * Not `lookup`, which blocks one of libuv's few threads for as long as a name server keeps silent: two names whose servers never answer
 * would stop every look-up of this process.
 */
async function resolveByDns(hostname: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

/** Knows /etc/hosts and the like, where names of private receivers stand. */
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
    // The answer was cut off, by them or by us; its status has arrived.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8');
}

const TIMEOUT_CODES = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);
/** OpenSSL's and Node's codes (nodejs.org/api/tls.html, "X509 certificate error codes"). */
const TLS_CODES = /CERT|ERR_TLS|ERR_SSL|EPROTO|UNABLE_TO|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH/;

function reasonOf(error: unknown): 'timeout' | 'connection' | 'dns' | 'tls' {
  if (error instanceof UnknownName) return 'dns';
  const code = codeOf(error);
  if (TIMEOUT_CODES.has(code)) return 'timeout';
  return TLS_CODES.test(code) ? 'tls' : 'connection';
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '');
