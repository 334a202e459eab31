/** Who is calling, and whether the route is theirs to call: by API key (`key-guard.ts`) or by a session (`person-guard.ts`). */
import type { Next } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { Owner } from '../access/owner.ts';
import type { Session } from '../access/people/sessions.ts';
import type { Context } from '../foundation/context.ts';
import { sameSecret } from '../foundation/crypto.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId } from '../foundation/ids.ts';
import type { Service } from '../pipeline/service.ts';
import { callerOf, type Http, type Middleware } from './http.ts';
import { type KeyGuard, openKeyGuard, sentKey } from './key-guard.ts';
import { CONFIGURED_ADMIN, openKnownKeys } from './known-keys.ts';
import { openPersonGuard, type PersonGuard, refuseWithoutSecondFactor } from './person-guard.ts';

/** Requests go through this before their handler. `countedAs`: the id of the key or the person whose requests are counted. */
export type Admit = (c: Http, owner: Pick<Owner, 'appId' | 'live' | 'settings'>, countedAs: string, next: Next) => Promise<void>;

export interface Admitting {
  /** Requests about an app or the deployment. */
  admit: Admit;
  /** Requests of people about their own accounts. */
  admitPerson(c: Http, personId: string, next: Next): Promise<void>;
}

export interface Authentication {
  /** Needs a live or test key and its AppId, or a session of a person whose role allows it; sets `caller`. */
  app: Middleware;
  /** Needs an admin key, or a session of an administrator. */
  admin: Middleware;
  /** Needs an admin key or CONFAM_METRICS_TOKEN. */
  monitoring: Middleware;
  /** Needs a session; sets `session`. */
  person: Middleware;
  people: PersonGuard;
  /** Drops every cached key now, without waiting for the database to send the announcement of a change back. */
  forget(): void;
  close(): Promise<void>;
}

type Authenticating = Context & Pick<Service, 'suspensions'>;

interface Guards {
  keys: KeyGuard;
  people: PersonGuard;
}

export async function openAuthentication(ctx: Authenticating, { admit, admitPerson }: Admitting): Promise<Authentication> {
  const known = await openKnownKeys(ctx);
  const guards: Guards = { keys: openKeyGuard(ctx, known), people: openPersonGuard(ctx) };
  return {
    app: requireApp(ctx, guards, admit),
    admin: requireAdmin(ctx, guards, admit),
    monitoring: requireMonitoring(ctx, guards),
    person: requirePerson(guards, admitPerson),
    people: guards.people,
    forget: known.forget,
    close: async () => void (await Promise.all([guards.keys.close(), known.close()])),
  };
}

/** Judges only the form of what was sent, so it tells nothing about keys that exist. */
function wrongKey(sent: string): string {
  if (parseId('app', sent) !== null)
    return 'The Authorization header holds the id of an app: send the API key (cf_…) there, and the id as AppId';
  if (/^Basic\s/i.test(sent)) return 'The Authorization header holds a user and password: send the API key (cf_…) as its whole value';
  return 'The API key is wrong, has expired or was revoked';
}

function requireApp(ctx: Authenticating, { keys, people }: Guards, admit: Admit): Middleware {
  function become(c: Http, owner: Owner): void {
    ctx.suspensions.refuse(owner.appId);
    c.set('caller', owner);
  }

  async function admitByKey(c: Http, next: Next): Promise<void> {
    const holder = await keys.signIn(c);
    if (!holder) throw new ApiError('unauthenticated', wrongKey(sentKey(c)));
    if (holder.kind === 'admin') throw new ApiError('forbidden', 'An admin key cannot act for an app; use one of the app’s keys');
    keys.refuseOtherApps(c, holder);
    keys.refuseBeyondTerms(c, holder);
    c.set('caller', holder);
    stands(c, async () => become(c, await keys.stillSignedIn(c)));
    await admit(c, holder, holder.keyId, next);
  }

  const admitBySession = (c: Http, session: Session, next: Next): Promise<void> =>
    people.renewing(c, async () => {
      const owner = await people.ownerFor(c, session);
      c.set('caller', owner);
      stands(c, async () => become(c, await people.ownerFor(c, await people.stillSignedIn(session))), people.sending(session));
      await admit(c, owner, session.personId, next);
    });

  return createMiddleware(async (c, next) => {
    refuseOtherSites(c);
    if (c.req.header('authorization')) return admitByKey(c, next);
    const session = await people.signedIn(c);
    if (session) return admitBySession(c, session, next);
    const missing = 'The Authorization header is missing: send the API key as its value';
    throw new ApiError('unauthenticated', people.cookies.session(c) === null ? missing : 'The session has ended; sign in again');
  });
}

function requireAdmin(ctx: Context, { keys, people }: Guards, admit: Admit): Middleware {
  function refuseOthersThanAdministrators(session: Session): void {
    if (!session.administrator) throw new ApiError('forbidden', 'Only an administrator of the deployment may do this');
    if (ctx.config.CONFAM_REQUIRE_SECOND_FACTOR) refuseWithoutSecondFactor(ctx, session);
  }

  return createMiddleware(async (c, next) => {
    const session = c.req.header('authorization') ? null : await people.signedIn(c);
    if (session) {
      refuseSiblings(c);
      return people.renewing(c, async () => {
        refuseOthersThanAdministrators(session);
        stands(c, async () => refuseOthersThanAdministrators(await people.stillSignedIn(session)));
        await admit(c, CONFIGURED_ADMIN, session.personId, next);
      });
    }
    const holder = await keys.signIn(c);
    if (!holder) throw new ApiError('unauthenticated', 'The admin key is missing or wrong, has expired or was revoked');
    if (holder.kind !== 'admin') throw new ApiError('forbidden', 'This requires an admin key');
    keys.refuseBeyondTerms(c, holder);
    stands(c, () => keys.stillSignedIn(c));
    await admit(c, holder, holder.keyId, next);
  });
}

const requireMonitoring = (ctx: Context, { keys }: Guards): Middleware =>
  createMiddleware(async (c, next) => {
    const { CONFAM_METRICS_TOKEN: token } = ctx.config;
    if (token && sameSecret(sentKey(c), token)) return next();
    const holder = await keys.signIn(c);
    const isAdmin = holder?.kind === 'admin';
    if (!isAdmin) throw new ApiError(holder ? 'forbidden' : 'unauthenticated', 'Metrics need CONFAM_METRICS_TOKEN or an admin key');
    keys.refuseBeyondTerms(c, holder);
    return next();
  });

const requirePerson = ({ people }: Guards, admitPerson: Admitting['admitPerson']): Middleware =>
  createMiddleware(async (c, next) => {
    const session = await people.signedIn(c);
    if (!session) throw new ApiError('unauthenticated', 'Sign in first');
    stands(c, () => people.stillSignedIn(session));
    await people.renewing(c, () => admitPerson(c, session.personId, next));
  });

/** `lookAgain` runs after a body that took long to arrive. It throws if the caller may no longer do this. */
const stands = (c: Http, lookAgain: () => Promise<unknown>, sending?: () => void): void =>
  c.set('standing', { since: performance.now(), lookAgain: async () => void (await lookAgain()), ...(sending && { sending }) });

/**
 * Browsers say where a request comes from (Fetch Metadata); programs do not. Calls by GET cost money, so only scripts of our own pages may make them: no other
 * site, and neither an address bar nor a picture.
 */
function refuseOtherSites(c: Http): void {
  const [site = 'same-origin', mode = 'cors'] = [c.req.header('sec-fetch-site'), c.req.header('sec-fetch-mode')];
  if (site !== 'same-origin' || !FETCH_MODES.includes(mode)) throw fromOtherSite();
}

/**
 * A page of a sibling host can make the browser send a request with our cookie. It cannot see the answer, but the audit would say that the administrator has read
 * something, such as an app's export. Files and the queue board are opened by links or from the address bar (`none`), so both are accepted.
 */
function refuseSiblings(c: Http): void {
  if (!['same-origin', 'none'].includes(c.req.header('sec-fetch-site') ?? 'none')) throw fromOtherSite();
}

const fromOtherSite = () => new ApiError('forbidden', 'From a browser, only this site’s own pages may send this');

const FETCH_MODES = ['cors', 'same-origin'];

/** After `app`: a live key never reaches the sandbox and so has nothing there. */
export const refuseLiveKey: Middleware = createMiddleware(async (c, next) => {
  if (callerOf(c).live) throw new ApiError('forbidden', 'Portraits belong to the sandbox; use a test key');
  await next();
});
