/** Rate limits by key: the headers of draft-ietf-httpapi-ratelimit-headers on every answer, and 429 before anything is read or looked up. */

import type { RateLimits } from '../access/rate-limit.ts';
import { ApiError, retryAfter } from '../foundation/errors.ts';
import type { Http } from './http.ts';

/** `limit`: requests a window; 0: no limit. */
export function limitRate(c: Http, limits: RateLimits, keyId: string, limit: number): void {
  if (limit === 0) return;
  const taken = limits.take(keyId, limit);
  const { allowed, resetSeconds } = taken;
  Object.assign(c.get('answerHeaders'), headersOf(limits, limit, taken));
  if (!allowed) {
    throw new ApiError('rate_limited', `At most ${limit} requests a minute are allowed here; the next minute begins in ${resetSeconds} s`, {
      headers: retryAfter(resetSeconds),
    });
  }
}

/** The same for a request that is refused anyway: its headers, or null if the limit is reached. */
export function rateHeaders(limits: RateLimits, keyId: string, limit: number): Record<string, string> | null {
  if (limit === 0) return {};
  const taken = limits.take(keyId, limit);
  return taken.allowed ? headersOf(limits, limit, taken) : null;
}

const headersOf = ({ windowSeconds }: RateLimits, limit: number, { remaining, resetSeconds }: ReturnType<RateLimits['take']>) => ({
  'RateLimit-Policy': `"minute";q=${limit};w=${windowSeconds}`,
  RateLimit: `"minute";r=${remaining};t=${resetSeconds}`,
});
