/** The subject's consent: the member `consent` of a body, or the header `Consent`, which a GET has and any other request may have. */
import { z } from 'zod';
import { consent } from '../contract/own-fields.ts';
import { ApiError } from '../foundation/errors.ts';
import type { Consent } from '../schema/jobs.ts';
import { checked, type Http, parseJson } from './http.ts';

const inHeader = z.object({ Consent: consent });
const inBody = z.object({ consent });

/** `member`: what the request has as a member or an option. Throws `invalid_request` for a header that is malformed or comes on top of it. */
export function consentOf<Member>(c: Http, member: Member | undefined): Member | Consent | undefined {
  const header = c.req.header('consent') ?? '';
  if (header === '') return member;
  if (member !== undefined) {
    throw new ApiError('invalid_request', 'Consent is given more than once: as the header and as the member consent', {
      details: [{ path: 'Consent', message: 'is given more than once', rule: 'repeated' }],
    });
  }
  return checked(inHeader, { Consent: parseJson('Consent', Buffer.from(header, 'latin1')) }).Consent;
}

/** Of a single call, where clients of this API family send members of their own: `consent: true` is none of ours, and says nothing. */
export function consentOfCall(c: Http, sent: Record<string, unknown>): Consent | undefined {
  const isOurs = typeof sent.consent === 'object' && sent.consent !== null;
  return consentOf(c, isOurs ? checked(inBody, { consent: sent.consent }).consent : undefined);
}
