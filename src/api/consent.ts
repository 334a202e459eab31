/** The subject's consent: the member `consent` of a body, or the header `Consent`, the only way for a GET and open to every other request. */
import { z } from 'zod';
import { consent } from '../contract/own-fields.ts';
import { ApiError, repeatedOption } from '../foundation/errors.ts';
import type { Consent } from '../schema/jobs.ts';
import { parseJson } from './bounded-json.ts';
import { checked, type Http } from './http.ts';

const inHeader = z.object({ Consent: consent });
const inBody = z.object({ consent });

/** `member`: the consent that the request sent as a member or option. Throws `invalid_request` if the header is malformed or sent as well as the member. */
export function consentOf<Member>(c: Http, member: Member | undefined): Member | Consent | undefined {
  const header = c.req.header('consent') ?? '';
  if (header === '') return member;
  if (member !== undefined) {
    throw new ApiError('invalid_request', 'Consent is given twice: in the header and in the member consent', {
      details: [repeatedOption('Consent')],
    });
  }
  return checked(inHeader, { Consent: parseJson('Consent', Buffer.from(header, 'latin1')) }).Consent;
}

/** For single calls, where clients of this API family send members of their own: `consent: true` is not our member and is ignored. */
export function consentOfCall(c: Http, sent: Record<string, unknown>): Consent | undefined {
  const isOurs = typeof sent.consent === 'object' && sent.consent !== null;
  return consentOf(c, isOurs ? checked(inBody, { consent: sent.consent }).consent : undefined);
}
