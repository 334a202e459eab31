/** Requests of people: the session in the cookie, its CSRF token, and the app that it acts on. */
import type { Owner } from '../access/owner.ts';
import {
  findSession,
  hasTwoFactors,
  isCsrfToken,
  readSession,
  rotateSession,
  type Session,
  useSession,
} from '../access/people/sessions.ts';
import { mayUse, type Role } from '../access/roles.ts';
import type { Context } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { agreedPrices } from '../money/prices.ts';
import { type Cookies, openCookies } from './cookies.ts';
import type { Http } from './http.ts';

/** Sent by a page that refreshes itself while nobody is using it. Such requests do not keep the session alive. */
const UNATTENDED = 'confam-unattended';

/** How often a long body counts as a use of its sender's session. */
const USE_EVERY_MS = 60_000;

export interface PersonGuard {
  cookies: Cookies;
  /** The session of the request, if its cookie belongs to one; a change needs the CSRF token too. Remembers a new token for the answer. */
  signedIn(c: Http): Promise<Session | null>;
  /** The session, read again later in the same request. Throws `unauthenticated` if it has ended. */
  stillSignedIn(session: Session): Promise<Session>;
  /** To be called as a body arrives: whoever sends a file for an hour is not idle. */
  sending(session: Session): () => void;
  /** Does `work`, and sets the cookie of a new token, whether that succeeds or throws: the old token soon ends. */
  renewing<T>(c: Http, work: () => Promise<T>): Promise<T>;
  /** The app that a person acts on by `AppId` and `Confam-Mode`. Throws unless their role has what the route needs. */
  ownerFor(c: Http, session: Session): Promise<Owner>;
}

export function openPersonGuard(ctx: Context): PersonGuard {
  const cookies = openCookies(ctx.config);
  return {
    cookies,
    async signedIn(c) {
      const token = cookies.session(c);
      const isRead = ['GET', 'HEAD'].includes(c.req.method);
      const isUnattended = isRead && c.req.header(UNATTENDED) === 'true';
      const session = token === null ? null : await readSession(ctx, token, { isUse: !isUnattended });
      if (!session) return null;
      if (!isRead && !isCsrfToken(ctx, session.id, c.req.header('x-csrf-token') ?? ''))
        throw new ApiError('forbidden', 'The X-CSRF-Token header is missing or wrong; `GET /api/v1/session` has it');
      c.set('session', session);
      c.set('signedIn', { actor: { kind: 'person', id: showId('per', session.personId) }, appId: null, live: null });
      if (session.isDue) c.set('newSessionToken', await rotateSession(ctx, token!));
      return session;
    },
    async stillSignedIn({ id }) {
      const session = await findSession(ctx, id);
      if (!session) throw new ApiError('unauthenticated', 'The session ended while the body was on its way');
      return session;
    },
    sending({ id }) {
      let usedAt = performance.now();
      return () => {
        if (performance.now() - usedAt < USE_EVERY_MS) return;
        usedAt = performance.now();
        useSession(ctx, id).catch((error: unknown) => ctx.log.warn({ err: error }, 'the session of an upload was not kept'));
      };
    },
    async renewing(c, work) {
      try {
        return await work();
      } finally {
        // After the handler, whose answer may be a response of its own that knows nothing of headers set before.
        const token = c.get('newSessionToken');
        if (token) cookies.setSession(c, token);
      }
    },
    async ownerFor(c, session) {
      const appId = parseId('app', (c.req.header('appid') ?? '').trim());
      if (!appId) throw new ApiError('unauthenticated', 'The AppId header is missing or malformed');
      if (ctx.config.CONFAM_REQUIRE_SECOND_FACTOR) refuseWithoutSecondFactor(ctx, session);
      const mode = c.req.header('confam-mode') ?? 'test';
      if (mode !== 'test' && mode !== 'live') throw new ApiError('invalid_request', 'Confam-Mode must be test or live');
      const owner = await readOwner(ctx, appId, session.personId, mode === 'live');
      if (!owner) throw new ApiError('forbidden', 'You do not belong to this app');
      c.set('signedIn', { actor: { kind: 'person', id: showId('per', session.personId) }, appId, live: mode === 'live' });
      if (owner.settings.secondFactorRequired) refuseWithoutSecondFactor(ctx, session);
      if (!mayUse(owner.role, c.get('route'))) throw new ApiError('forbidden', 'Your role in this app does not allow this');
      return { ...owner, appId, live: mode === 'live', personId: session.personId };
    },
  };
}

/** Throws `second_factor_setup_required`. */
export function refuseWithoutSecondFactor(ctx: Pick<Context, 'config'>, session: Session): void {
  if (hasTwoFactors(ctx, session)) return;
  const how = session.hasFactor ? 'sign in with it, instead of through the identity provider' : 'set one up, then go on';
  throw new ApiError('second_factor_setup_required', `A second factor is required here: ${how}`);
}

async function readOwner({ sql }: Context, appId: string, personId: string, live: boolean) {
  const [owner] = await sql<(Pick<Owner, 'settings' | 'prices' | 'hasPortraits'> & { role: Role })[]>`
    select k.role, a.settings, ${agreedPrices(sql)} as prices,
      ${!live} and exists (select 1 from sandbox_portraits p where p.app_id = a.id) as has_portraits
    from app_people k join apps a on a.id = k.app_id
    where k.app_id = ${appId} and k.person_id = ${personId} and k.accepted_at is not null`;
  return owner ?? null;
}
