/** Where a request comes from. */
import { isIP } from 'node:net';
import { getConnInfo } from '@hono/node-server/conninfo';
import ipaddr from 'ipaddr.js';
import type { Config } from '../foundation/config.ts';
import type { AddressRange } from '../foundation/networks.ts';
import type { Http } from './http.ts';

type Address = ReturnType<typeof ipaddr.process>;

/** The client's address; null if unknown. X-Forwarded-For counts only as far as trusted proxies wrote it. */
export function clientAddress(c: Http, trusted: readonly AddressRange[]): Address | null {
  const hops = (c.req.header('x-forwarded-for') ?? '').split(',').map((hop) => hop.trim());
  let address = readAddress(getConnInfo(c).remote.address ?? '');
  while (address && isTrusted(address, trusted)) {
    const before = readAddress(hops.pop() ?? '');
    if (!before) break;
    address = before;
  }
  return address;
}

/** Remembers it for the audit. */
export const rememberAddress = (c: Http, { CONFAM_TRUSTED_PROXIES }: Pick<Config, 'CONFAM_TRUSTED_PROXIES'>): void =>
  c.set('address', clientAddress(c, CONFAM_TRUSTED_PROXIES)?.toString() ?? 'unknown');

const isTrusted = (address: Address, trusted: readonly AddressRange[]): boolean =>
  trusted.some((range) => range[0].kind() === address.kind() && address.match(range));

const readAddress = (text: string): Address | null => (isIP(text) > 0 ? ipaddr.process(text) : null);
