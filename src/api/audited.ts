/** What a route leaves in the audit. A change records itself, with its author, in its own transaction; reads and refused attempts are recorded here. */
import type { Author, NewAuditEntry } from '../access/audit/append.ts';
import { DEPLOYMENT } from '../access/audit/entry.ts';
import { type Action, PURPOSES, type Purpose } from '../contract/audit.ts';
import { ApiError, type ErrorCode } from '../foundation/errors.ts';
import type { Service } from '../pipeline/service.ts';
import { type About, type Http, invalid } from './http.ts';
import type { Parameter } from './openapi/operation.ts';

const PURPOSE = 'Audit-Purpose';

export const purposeHeader: Parameter = {
  name: PURPOSE,
  in: 'header',
  description: 'Why the data is read; recorded in the audit',
  schema: { enum: PURPOSES },
};

export const aboutRead = (c: Http, about: About | null): void => c.set('about', about);

/** A list without results is a read of personal data only if it shows a reference or metadata. */
export const aboutListed = (c: Http, items: readonly { reference?: string | null; metadata?: object | null }[]): void => {
  if (!items.some(({ reference, metadata }) => reference != null || (metadata && Object.keys(metadata).length > 0))) aboutRead(c, null);
};

/** Approvals, legal holds and looks in clear show ids and times. Only a reason that somebody wrote may name a person. */
export const aboutReasons = (c: Http, items: readonly { reason: string | null; decline_reason?: string | null }[]): void => {
  if (!items.some(({ reason, decline_reason: declined = null }) => reason !== null || declined !== null)) aboutRead(c, null);
};

/** Who the request comes from. */
export function authorOf(c: Http): Author {
  const link = c.get('about')?.link;
  return {
    actor: link === undefined ? (c.get('signedIn')?.actor ?? { kind: 'link', id: 'unknown' }) : { kind: 'link', id: link },
    address: c.get('address') ?? null,
    requestId: c.get('requestId'),
    purpose: purposeOf(c) ?? c.get('about')?.purpose ?? null,
  };
}

/** Throws `invalid_request` for a word that is not on the list. */
export function purposeOf(c: Http): Purpose | null {
  const asked = c.req.header(PURPOSE);
  if (asked === undefined) return null;
  const purpose = PURPOSES.find((known) => known === asked);
  if (!purpose) throw invalid([{ path: PURPOSE, message: `must be one of ${PURPOSES.join(', ')}`, rule: 'invalid_value' }]);
  return purpose;
}

/** The answer of a read, once the read is recorded. If recording fails, nothing goes out. */
export async function recorded(c: Http, { audit }: Service, action: Action, answer: Response): Promise<Response> {
  // 304 shows nothing.
  if (answer.status >= 300 || c.get('about') === null) return answer;
  try {
    await audit.read(authorOf(c), entryOf(c, action));
    return answer;
  } catch (error) {
    await answer.body?.cancel();
    throw error;
  }
}

/** Refusals for lack of permission, rather than of a malformed or untimely request. */
const DENIALS: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'forbidden',
  'second_factor_setup_required',
  'app_suspended',
  'resource_not_found',
  'link_expired',
  'link_invalid',
]);

export async function recordDenial(c: Http, { audit }: Service, action: Action, error: unknown): Promise<void> {
  if (!(error instanceof ApiError && DENIALS.has(error.code))) return;
  // A wrong key belongs to no app; the metric of failed sign-ins counts it.
  if (error.code === 'unauthenticated' && !c.get('signedIn')) return;
  await audit.refused({ ...authorOf(c), purpose: null }, entryOf(c, action), error.code);
}

/** Our own ids; anything else in a path may be about a person. */
const ID = /^[a-z]{3}_[0-9a-f]{32}$/;

function entryOf(c: Http, action: Action): NewAuditEntry {
  const { link: _, purpose: __, ...about } = c.get('about') ?? {};
  const signedIn = c.get('signedIn');
  const inPath = c.req.param('id');
  const object = inPath !== undefined && ID.test(inPath) ? inPath : null;
  return { appId: signedIn?.appId ?? DEPLOYMENT, live: signedIn?.live ?? null, action, object, ...about };
}
