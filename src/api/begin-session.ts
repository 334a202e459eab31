/** The beginning of a session: its cookies, and what a sign-in leaves in the audit, whether it succeeds or fails. */
import type { Author } from '../access/audit/append.ts';
import { normalEmail, readPeople } from '../access/people/accounts.ts';
import { newBrowser } from '../access/people/attempts.ts';
import { asPerson, entriesOn } from '../access/people/record.ts';
import { endSession, openSession, type Session } from '../access/people/sessions.ts';
import type { SignedIn } from '../access/people/sign-in.ts';
import { ApiError } from '../foundation/errors.ts';
import type { Service } from '../pipeline/service.ts';
import { authorOf } from './audited.ts';
import type { Http } from './http.ts';
import { clientNetwork } from './sign-ins.ts';
import type { Tools } from './tools.ts';

/** Where a sign-in comes from, and who is notified if it fails. */
export const whereOf = (c: Http, { service, people }: Tools) => ({
  network: clientNetwork(c, service.config.CONFAM_TRUSTED_PROXIES),
  browser: people.cookies.browser(c),
  by: anonymous(c),
  // Not awaited: an answer that took longer would reveal that there is such an account.
  failed: (personId: string) => void recordFailure(service, anonymous(c), personId),
});

const anonymous = (c: Http): Author => ({ ...authorOf(c), actor: { kind: 'anonymous', id: 'unknown' } });

async function recordFailure(service: Service, by: Author, personId: string): Promise<void> {
  try {
    for (const entry of await entriesOn(service.sql, personId, { action: 'session.begin' }))
      await service.audit.refused(by, entry, 'unauthenticated');
  } catch (error) {
    service.log.warn({ err: error }, 'a failed sign-in was not recorded');
  }
}

/** Without its CSRF token, the earlier session may not be theirs to end. */
function nobody(error: unknown): null {
  if (error instanceof ApiError) return null;
  throw error;
}

/** Begins a new session, whatever session the request came with. So a token that an attacker put into the browser is of no use to them. */
export async function begin(c: Http, tools: Tools, { email, ...proven }: SignedIn): Promise<Session> {
  const { service, people } = tools;
  const { personId, method } = proven;
  const before = await people.signedIn(c).catch(nobody);
  if (before) await endSession(service, before.personId, before.id, asPerson(authorOf(c), before.personId));
  const origin = { address: whereOf(c, tools).network, browser: c.req.header('user-agent') ?? '' };
  const { id, token } = await openSession(service, proven, origin, authorOf(c));
  people.cookies.setSession(c, token);
  people.cookies.setBrowser(c, newBrowser(service, normalEmail(email)));
  const [found] = await readPeople(service, { id: personId, limit: 1 });
  const { administrator, hasSecondFactor } = found!;
  return { id, personId, administrator, isFresh: true, isDue: false, method, hasFactor: hasSecondFactor, hasEnrolled: false };
}
