/** IP addresses and networks as people write them. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type AddressRange = ReturnType<typeof ipaddr.parseCIDR>;

/** The prefix that IPv4 has within IPv6. */
const MAPPED_BITS = 96;

/**
 * Whether the text is an IP address or a network in CIDR notation. Stricter than ipaddr.js, which also accepts `1.2.3` (as 1.2.0.3), `0x7f.1` and octal numbers.
 */
export function isNetwork(text: string): boolean {
  const [address, ...length] = text.split('/');
  return isIP(address!) > 0 && (length.length === 0 || ipaddr.isValidCIDR(text));
}

/**
 * The network in CIDR notation. An address becomes a network of one. IPv4 written as IPv6 (`::ffff:192.0.2.0/120`) becomes IPv4, because clients' addresses are
 * compared in that form. `text` must be a network by `isNetwork`.
 */
export function networkOf(text: string): string {
  if (!ipaddr.isValidCIDR(text)) {
    const address = ipaddr.process(text);
    return `${address.toNormalizedString()}/${address.kind() === 'ipv4' ? 32 : 128}`;
  }
  const [address, bits] = ipaddr.parseCIDR(text);
  if (address.kind() === 'ipv4' || bits < MAPPED_BITS || !(address as ipaddr.IPv6).isIPv4MappedAddress()) return text;
  return `${(address as ipaddr.IPv6).toIPv4Address().toString()}/${bits - MAPPED_BITS}`;
}

export const rangeOf = (text: string): AddressRange => ipaddr.parseCIDR(networkOf(text));
