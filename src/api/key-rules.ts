/** What the routes for app keys and for admin keys share. No key can create one with more rights than its own. */
import { type Holder, type NewKey, readKey, rotateKey, UNRESTRICTED } from '../access/keys.ts';
import { excesses } from '../access/restrictions.ts';
import { type KeyTerms, memberOf, showKey } from '../contract/keys.ts';
import { ApiError } from '../foundation/errors.ts';
import type { Service } from '../pipeline/service.ts';
import { authorOf } from './audited.ts';
import { envelope, type Http } from './http.ts';
import type { Tools } from './tools.ts';

/** The terms of the key that the request came with. */
export const ownTerms = (c: Http): KeyTerms => c.get('signedIn')?.terms ?? UNRESTRICTED;

/** Refuses terms beyond those of the key that the request came with. */
export function refuseExcess(c: Http, wanted: KeyTerms): void {
  const beyond = excesses(ownTerms(c), wanted).map((name) => memberOf[name]);
  if (beyond.length === 0) return;
  throw new ApiError('forbidden', `A key cannot grant more than it has itself: ${beyond.join(', ')}`, {
    details: beyond.map((path) => ({ path, message: 'exceeds what your own key has', rule: 'exceeds_own' })),
  });
}

/**
 * Refuses a change beyond the terms of the key that the request came with. A key that may do more than that one can only be restricted further: otherwise whoever
 * lacks one of its rights could lift its other limits.
 */
export function refuseChange(c: Http, key: KeyTerms, sent: Partial<KeyTerms>): void {
  const own = ownTerms(c);
  refuseExcess(c, { ...own, ...sent });
  if (excesses(own, key).length === 0) return;
  const lifted = excesses(key, { ...key, ...sent }).map((name) => memberOf[name]);
  if (lifted.length === 0) return;
  throw new ApiError('forbidden', `This key has rights that yours lacks, so you can only restrict it further: ${lifted.join(', ')}`, {
    details: lifted.map((path) => ({ path, message: 'lifts a limit of a key that may do more than yours', rule: 'exceeds_own' })),
  });
}

export const showNew = async ({ sql }: Pick<Service, 'sql'>, { id, key }: NewKey) => ({ ...showKey((await readKey(sql, { id }))!), key });

/** Rotates a key, unless it has more rights than the key of the request, and answers with the new one. */
export async function answerRotation(
  c: Http,
  { service, forgetKeys }: Pick<Tools, 'service' | 'forgetKeys'>,
  key: { id: string; holder: Holder },
  overlapSeconds: number,
): Promise<Response> {
  const rotated = await rotateKey(service, key, overlapSeconds, (terms) => refuseExcess(c, terms), authorOf(c));
  forgetKeys();
  if (!rotated) throw keyIsOver();
  return envelope(c, await showNew(service, rotated.made), 201);
}

export const keyIsOver = () => new ApiError('conflict', 'The key has expired, or was revoked or rotated');
