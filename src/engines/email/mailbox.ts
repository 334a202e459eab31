/**
 * Asks a mail host whether it would accept mail for an address, and for one that nobody has. The dialogue goes up to RCPT TO and never reaches DATA.
 * Any doubt gives null. The hosts did not ask for this: each gets one question at a time, at a minimum interval, and is left alone when it fails.
 */
import { randomBytes } from 'node:crypto';
import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
} from 'cockatiel';
import { LRUCache } from 'lru-cache';
import { DAY_MS } from '../../foundation/time.ts';
import { guardedLookup } from '../../net/guarded-http.ts';
import { type Deadline, openDeadline } from './deadline.ts';
import type { Address, MailboxAnswer, MailboxProbe } from './email.ts';
import { openPace, type Pace } from './pace.ts';
import { readRecipient } from './recipient.ts';
import { connectSmtp, type Reply, type Smtp, type SmtpOptions, SmtpTrouble } from './smtp.ts';

export interface MailboxProbeOptions {
  /** Name of this machine, as its reverse DNS gives it. */
  helo: string;
  /** An address of ours; empty for the null sender. */
  from: string;
  ports?: readonly number[];
  /** For a whole question, over all hosts, including the wait for a slot. */
  timeoutMs: number;
  /** Minimum time between the starts of two dialogues with one host. */
  paceMs: number;
  /** Any address may be connected to (tests, the sandbox). */
  allowPrivate?: boolean;
  /** Resolves a host's addresses; rejects if there are none. Default: DNS. */
  lookup?: (hostname: string) => Promise<string[]>;
}

/** If three hosts cannot be reached, ten cannot either. Hosts of last resort are often traps. */
const HOSTS_MAX = 3;
const HOSTS_KEPT = 5_000;
const DOMAINS_KEPT = 10_000;
const ACCEPT_ALL_MS = DAY_MS;
const CONNECT_MS_MAX = 10_000;
/** For RSET and QUIT, after the answer has been returned. */
const FAREWELL_MS = 2_000;
const BREAKER_FAILURES = 3;
const BREAKER_OPEN_MS = { initialDelay: 60_000, maxDelay: 3_600_000 };
/** RFC 5321 4.5.3.1.3, including the angle brackets. */
const PATH_BYTES_MAX = 256;
const LOCAL_BYTES_MAX = 64;
/** A dot-string or a quoted string (RFC 5321 4.1.2, RFC 6531 3.3): nothing else may go between the angle brackets. */
const LOCAL = /^(?:[^\s"(),:;<>@[\\\]\p{Cc}]+|"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*")$/u;
const DOMAIN = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i;
const EHLO_NAME = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f.:ipv]+\])$/i;

/**
 * A dialogue that told nothing about the mailbox. `next`: another host may do better. `final`: no host would, because they refuse us. Both count
 * against the host. `ours`: the wait for a slot would have been too long, or the caller gave up.
 */
class HostTrouble extends Error {
  readonly reason: string;
  readonly kind: 'next' | 'final' | 'ours';
  constructor(reason: string, kind: 'next' | 'final' | 'ours') {
    super(reason);
    this.reason = reason;
    this.kind = kind;
  }
}

export function openMailboxProbe(options: MailboxProbeOptions): MailboxProbe {
  const { helo, from } = options;
  if (!EHLO_NAME.test(helo)) throw new Error('helo must be a host name, or an IP address in square brackets');
  if (from !== '' && !(from.includes('@') && isPath(from))) throw new Error('from must be an address, or empty');
  return new SmtpProbe(options);
}

class SmtpProbe implements MailboxProbe {
  private readonly options: MailboxProbeOptions;
  private readonly ports: readonly number[];
  private readonly connecting: Pick<SmtpOptions, 'lookup' | 'allowPrivate' | 'connectTimeoutMs'>;
  private readonly pace: Pace;
  private readonly breakers = new LRUCache<string, CircuitBreakerPolicy>({ max: HOSTS_KEPT });
  private readonly acceptAll = new LRUCache<string, boolean>({ max: DOMAINS_KEPT, ttl: ACCEPT_ALL_MS });
  /** Questions in progress, and dialogues that are being closed. */
  private readonly asking = new Set<Deadline>();
  private readonly leaving = new Set<Promise<void>>();

  constructor(options: MailboxProbeOptions) {
    const { ports = [25], timeoutMs, paceMs, allowPrivate = false, lookup } = options;
    this.options = options;
    this.ports = ports;
    const connectTimeoutMs = Math.min(CONNECT_MS_MAX, Math.ceil(timeoutMs / 3));
    this.connecting = { lookup: guardedLookup({ allowPrivate, resolve: lookup }), allowPrivate, connectTimeoutMs };
    this.pace = openPace({ concurrent: 1, intervalMs: paceMs, keysMax: HOSTS_KEPT });
  }

  async ask(address: Address, mx: readonly string[], signal: AbortSignal): Promise<MailboxAnswer> {
    if (!isPath(`${address.local}@${address.domain}`)) return unknown('unsendable');
    if (this.acceptAll.get(address.domain)) return judgeAccepted(true);
    const deadline = openDeadline(signal, this.options.timeoutMs);
    this.asking.add(deadline);
    try {
      return await this.askHosts(address, mx, signal, deadline.signal);
    } finally {
      this.asking.delete(deadline);
      deadline.end();
    }
  }

  async close(): Promise<void> {
    for (const deadline of this.asking) deadline.stop();
    await Promise.all(this.leaving);
  }

  private breakerOf(host: string): CircuitBreakerPolicy {
    const breaker = this.breakers.get(host) ?? newBreaker();
    this.breakers.set(host, breaker);
    return breaker;
  }

  private async askHosts(address: Address, mx: readonly string[], gaveUp: AbortSignal, deadline: AbortSignal): Promise<MailboxAnswer> {
    let reason = 'unreachable';
    for (const name of mx.slice(0, HOSTS_MAX)) {
      const host = name.toLowerCase().replace(/\.$/, '');
      if (deadline.aborted) return unknown('timeout');
      try {
        return await this.breakerOf(host).execute(() => this.askHost(host, address, deadline, gaveUp));
      } catch (error) {
        // The reason of an earlier host outweighs an open circuit breaker.
        if (error instanceof BrokenCircuitError) continue;
        if (!(error instanceof HostTrouble)) throw error;
        reason = error.reason;
        if (error.kind !== 'next') break;
      }
    }
    return unknown(reason);
  }

  private async askHost(host: string, address: Address, deadline: AbortSignal, gaveUp: AbortSignal): Promise<MailboxAnswer> {
    const release = await this.pace.turn(host, this.options.timeoutMs / 2, deadline);
    if (!release) throw new HostTrouble(deadline.aborted ? 'timeout' : 'paced', 'ours');
    let smtp: Smtp | null = null;
    try {
      smtp = await this.connectAny(host, deadline);
      return await this.converse(smtp, address);
    } catch (error) {
      if (!(error instanceof SmtpTrouble)) throw error;
      if (gaveUp.aborted) throw new HostTrouble('timeout', 'ours');
      throw new HostTrouble(error.fault === 'timeout' ? 'timeout' : 'unreachable', 'next');
    } finally {
      const farewell = (smtp ? leave(smtp) : Promise.resolve()).finally(release);
      this.leaving.add(farewell);
      void farewell.finally(() => this.leaving.delete(farewell));
    }
  }

  private async connectAny(host: string, signal: AbortSignal): Promise<Smtp> {
    for (const [i, port] of this.ports.entries()) {
      try {
        return await connectSmtp({ host, port, signal, ...this.connecting });
      } catch (error) {
        if (i === this.ports.length - 1) throw error;
      }
    }
    throw new Error('no port given');
  }

  private async converse(smtp: Smtp, address: Address): Promise<MailboxAnswer> {
    const extensions = await introduce(smtp, this.options.helo);
    const needsUtf8 = /[^\p{ASCII}]/u.test(address.local);
    if (needsUtf8 && !extensions.has('SMTPUTF8')) return unknown('no_smtputf8');
    const sender = await smtp.command(`MAIL FROM:<${this.options.from}>${needsUtf8 ? ' SMTPUTF8' : ''}`);
    // Any other reply is about us: a blocklist, or a sender that the host dislikes.
    if (sender.code >= 400) throw new HostTrouble(sender.code < 500 ? 'deferred' : 'blocked', 'final');
    const verdict = readRecipient(await smtp.command(`RCPT TO:<${address.local}@${address.domain}>`));
    if (verdict === 'blocked') throw new HostTrouble('blocked', 'final');
    if (verdict === 'rejected' || verdict === 'full') {
      if (verdict === 'rejected') this.acceptAll.set(address.domain, false);
      return {
        deliverable: false,
        acceptAll: verdict === 'rejected' ? false : (this.acceptAll.get(address.domain) ?? null),
        reason: verdict,
      };
    }
    if (verdict !== 'accepted')
      return { ...unknown(verdict === 'full_now' ? 'full' : verdict), acceptAll: this.acceptAll.get(address.domain) ?? null };
    return judgeAccepted(this.acceptAll.get(address.domain) ?? (await this.askForNobody(smtp, address.domain)));
  }

  /** Asks for an address that nobody has: 80 random bits. */
  private async askForNobody(smtp: Smtp, domain: string): Promise<boolean | null> {
    const reply = await smtp.command(`RCPT TO:<${randomBytes(10).toString('hex')}@${domain}>`).catch(() => null);
    const verdict = reply && readRecipient(reply);
    if (verdict !== 'accepted' && verdict !== 'rejected') return null;
    this.acceptAll.set(domain, verdict === 'accepted');
    return verdict === 'accepted';
  }
}

const newBreaker = (): CircuitBreakerPolicy =>
  circuitBreaker(
    handleWhen((error) => error instanceof HostTrouble && error.kind !== 'ours'),
    { breaker: new ConsecutiveBreaker(BREAKER_FAILURES), halfOpenAfter: new ExponentialBackoff(BREAKER_OPEN_MS) },
  );

/** Greeting, EHLO or HELO, and TLS if offered. Returns the extensions that the host then announces. */
async function introduce(smtp: Smtp, helo: string): Promise<Set<string>> {
  refuse(await smtp.greeting());
  const plain = await greet(smtp, helo);
  if (!plain.has('STARTTLS')) return plain;
  const ready = await smtp.command('STARTTLS');
  if (ready.code !== 220) return plain;
  await smtp.startTls();
  return greet(smtp, helo);
}

async function greet(smtp: Smtp, helo: string): Promise<Set<string>> {
  const reply = await smtp.command(`EHLO ${helo}`);
  if (reply.code < 400) return new Set(reply.lines.slice(1).map((line) => line.split(' ')[0]!.toUpperCase()));
  if (reply.code >= 500) refuse(await smtp.command(`HELO ${helo}`));
  else refuse(reply);
  return new Set();
}

/** This host refuses us altogether; another host of the domain may not. */
function refuse({ code }: Reply): void {
  if (code >= 400) throw new HostTrouble(code < 500 ? 'deferred' : 'blocked', 'next');
}

/** Never throws: the answer is already known. Hosts take note of clients that leave without QUIT. */
async function leave(smtp: Smtp): Promise<void> {
  const timer = setTimeout(() => smtp.close(), FAREWELL_MS);
  try {
    await smtp.command('RSET');
    await smtp.command('QUIT');
  } catch {
    // The host has closed already, or was cut off.
  } finally {
    clearTimeout(timer);
    smtp.close();
  }
}

/** If the host accepts any address, or may do so, acceptance tells nothing about this mailbox. */
function judgeAccepted(isAcceptAll: boolean | null): MailboxAnswer {
  if (isAcceptAll === false) return { deliverable: true, acceptAll: false, reason: 'accepted' };
  return { deliverable: null, acceptAll: isAcceptAll, reason: isAcceptAll ? 'accept_all' : 'unconfirmed' };
}

const unknown = (reason: string): MailboxAnswer => ({ deliverable: null, acceptAll: null, reason });

function isPath(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  return (
    LOCAL.test(local) && DOMAIN.test(domain) && Buffer.byteLength(local) <= LOCAL_BYTES_MAX && Buffer.byteLength(text) <= PATH_BYTES_MAX - 2
  );
}
