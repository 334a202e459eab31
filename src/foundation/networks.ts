/** Networks as people write them. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whether the text is an IP address or a network in CIDR notation. Stricter than ipaddr.js, which also reads `1.2.3` (as 1.2.0.3), `0x7f.1` and octal numbers.
 */
export function isNetwork(text: string): boolean {
  const [address, ...length] = text.split('/');
  return isIP(address!) > 0 && (length.length === 0 || ipaddr.isValidCIDR(text));
}
