/**
 * Failed sign-ins, counted by address. The first few are free, since people mistype keys. After that the address must wait before its next attempt, twice as
 * long after each failure. A key that has already signed in to this process never waits, so a stranger behind the same proxy cannot lock anybody out. Each
 * process counts separately.
 */
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { Context } from '../foundation/context.ts';
import { ApiError, retryAfter } from '../foundation/errors.ts';
import type { AddressRange } from '../foundation/networks.ts';
import { clientAddress } from './client-address.ts';
import type { Http } from './http.ts';

const FREE_FAILURES = 20;
const FIRST_WAIT_MS = 1_000;
const WAIT_MS_MAX = 5 * 60_000;
/** An address that has not failed for this long starts afresh. */
const FORGET_MS = 15 * 60_000;
const ADDRESSES_MAX = 20_000;
const PROVEN_MAX = 10_000;
/** Counts the first four of an IPv6 address's eight parts: a host can change the others at will. */
const IPV6_NETWORK_PARTS = 4;

interface Failures {
  count: number;
  /** On the clock of `performance.now()`. */
  waitUntil: number;
}

export interface SignIns {
  /** Refuses with 429 while the address has to wait, unless `secret` has already signed in here. */
  admit(c: Http, secret: string): void;
  succeeded(secret: string): void;
  failed(c: Http, reason: 'wrong_key' | 'wrong_app'): void;
}

/** `secret`: a stand-in for the key, such as its hash; the key itself is not kept. */
export function openSignIns({ config, metrics }: Pick<Context, 'config' | 'metrics'>, now = () => performance.now()): SignIns {
  const failures = new LRUCache<string, Failures>({ max: ADDRESSES_MAX, ttl: FORGET_MS });
  const proven = new LRUCache<string, true>({ max: PROVEN_MAX });
  const networkOf = (c: Http) => clientNetwork(c, config.CONFAM_TRUSTED_PROXIES);

  return {
    admit(c, secret) {
      if (proven.has(secret)) return;
      const waitMs = (failures.get(networkOf(c))?.waitUntil ?? 0) - now();
      if (waitMs <= 0) return;
      metrics.failedSignIns.inc({ reason: 'held_off' });
      const seconds = Math.ceil(waitMs / 1000);
      throw new ApiError('rate_limited', `Too many sign-ins from this address have failed; try again in ${seconds} s`, {
        headers: retryAfter(seconds),
      });
    },
    succeeded: (secret) => void proven.set(secret, true),
    failed(c, reason) {
      metrics.failedSignIns.inc({ reason });
      const address = networkOf(c);
      const count = (failures.get(address)?.count ?? 0) + 1;
      const waitMs = count < FREE_FAILURES ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (count - FREE_FAILURES), WAIT_MS_MAX);
      failures.set(address, { count, waitUntil: now() + waitMs });
    },
  };
}

/** The client's address, or its network for IPv6. */
export function clientNetwork(c: Http, trusted: readonly AddressRange[]): string {
  const address = clientAddress(c, trusted);
  if (!address) return 'unknown';
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, IPV6_NETWORK_PARTS).join(':') : address.toString();
}
