/** Rate limits by key: the headers of draft-ietf-httpapi-ratelimit-headers on every answer, and 429 before anything is read or looked up. */

import type { RateLimits } from '../access/rate-limit.ts';
import { ApiError } from '../foundation/errors.ts';
import type { Http } from './http.ts';

/** `limit`: requests a window; 0: no limit. */
export function limitRate(c: Http, limits: RateLimits, keyId: string, limit: number): void {
  if (limit === 0) return;
  const { allowed, remaining, resetSeconds } = limits.take(keyId, limit);
  Object.assign(c.get('answerHeaders'), {
    'RateLimit-Policy': `"minute";q=${limit};w=${limits.windowSeconds}`,
    RateLimit: `"minute";r=${remaining};t=${resetSeconds}`,
  });
  if (!allowed) {
    throw new ApiError('rate_limited', `This key may make ${limit} requests a minute; the next minute begins in ${resetSeconds} s`, {
      headers: { 'Retry-After': String(resetSeconds) },
    });
  }
}
