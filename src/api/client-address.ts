/** Where a request comes from. */
import { isIP } from 'node:net';
import { getConnInfo } from '@hono/node-server/conninfo';
import ipaddr from 'ipaddr.js';
import type { Config } from '../foundation/config.ts';
import type { AddressRange } from '../foundation/networks.ts';
import type { Http } from './http.ts';

type Address = ReturnType<typeof ipaddr.process>;

/**
 * The client's address; null if unknown. X-Forwarded-For counts only as far as trusted proxies wrote it. What such a proxy wrote and nobody can read is an
 * unknown client, not the proxy: the proxy's own address may be on a key's list.
 */
export function clientAddress(c: Http, trusted: readonly AddressRange[]): Address | null {
  const header = c.req.header('x-forwarded-for')?.trim() ?? '';
  const hops = header === '' ? [] : header.split(',').map((hop) => hop.trim());
  let address = readAddress(getConnInfo(c).remote.address ?? '');
  while (address && hops.length > 0 && isTrusted(address, trusted)) address = readAddress(withoutPort(hops.pop()!));
  return address;
}

/** Some proxies add the client's port, and put an IPv6 address in brackets. */
const withoutPort = (hop: string): string => /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(hop)?.slice(1).find(Boolean) ?? hop;

/** Remembers it for the audit. */
export const rememberAddress = (c: Http, { CONFAM_TRUSTED_PROXIES }: Pick<Config, 'CONFAM_TRUSTED_PROXIES'>): void =>
  c.set('address', clientAddress(c, CONFAM_TRUSTED_PROXIES)?.toString() ?? 'unknown');

const isTrusted = (address: Address, trusted: readonly AddressRange[]): boolean =>
  trusted.some((range) => range[0].kind() === address.kind() && address.match(range));

const readAddress = (text: string): Address | null => (isIP(text) > 0 ? ipaddr.process(text) : null);
