/** Headers for browsers on every answer. Programs that call the API ignore them; a browser that is led here must do nothing with what it gets. */
import type { Config } from '../foundation/config.ts';

/** An answer may bring its own policy: the pages of `/docs` and `/console` do. */
export const SECURITY_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // The address of a signed link is a credential.
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** A year. Only a service that is known by an https address says so; on a machine of one's own it would lock out plain http. */
const TRANSPORT = { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' };

export const securityHeaders = ({ CONFAM_PUBLIC_URL: address }: Pick<Config, 'CONFAM_PUBLIC_URL'>): [name: string, value: string][] =>
  Object.entries({ ...SECURITY_HEADERS, ...(address?.startsWith('https:') && TRANSPORT) });
