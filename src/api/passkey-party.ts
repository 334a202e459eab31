/** Where passkeys work. Browsers tie them to the host name of the page, so it must be fixed, and must not be an IP address. */
import { isIP } from 'node:net';
import { consoleUrl } from '../access/people/links.ts';
import type { RelyingParty } from '../access/people/passkeys.ts';
import type { Config } from '../foundation/config.ts';
import { ApiError } from '../foundation/errors.ts';

/** Throws `conflict` where browsers allow no passkeys. */
export function partyOf(config: Pick<Config, 'CONFAM_PUBLIC_URL' | 'PORT'>): RelyingParty {
  const { origin, hostname } = new URL(consoleUrl(config));
  if (isIP(hostname.replace(/^\[|\]$/g, '')) > 0)
    throw new ApiError('conflict', 'Passkeys need a host name: set CONFAM_PUBLIC_URL to one, or use http://localhost');
  return { origin, id: hostname };
}
