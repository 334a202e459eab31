/** IP addresses and networks as people write them. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type AddressRange = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * Whether the text is an IP address or a network in CIDR notation. Stricter than ipaddr.js, which also accepts `1.2.3` (as 1.2.0.3), `0x7f.1` and octal numbers.
 */
export function isNetwork(text: string): boolean {
  const [address, ...length] = text.split('/');
  return isIP(address!) > 0 && (length.length === 0 || ipaddr.isValidCIDR(text));
}

/** The network in CIDR notation; an address is a network of one. `text` must be a network by `isNetwork`. */
export function networkOf(text: string): string {
  if (ipaddr.isValidCIDR(text)) return text;
  const address = ipaddr.process(text);
  return `${address.toNormalizedString()}/${address.kind() === 'ipv4' ? 32 : 128}`;
}

export const rangeOf = (text: string): AddressRange => ipaddr.parseCIDR(networkOf(text));
